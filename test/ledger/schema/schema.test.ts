import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { openScratch, type Connection } from '../../../src/ledger/file/connection.js'
import { makeTables, makeSchema, assertOurs } from '../../../src/ledger/schema/schema.js'
import { openDatabase } from '../../../src/driver.js'

const tables = openScratch()
makeTables(tables)
/** As SQLite keeps it. */
const ROW_TABLE =
  tables.prepare<[], string>(`select sql from sqlite_schema where name = 'row'`).pluck().get() ?? ''
tables.close()

/** Values that one of the conditions looks at, each there and not there. */
const THERE_OR_NOT = {
  superseded_by: '1',
  registered_at: `'now'`,
  iban: `'DE'`,
  cells: `'[]'`,
  customer_no: '7',
  iban_key: `x'01'`,
  signed_date: `'2020-01-01'`,
  original_creditor_identifier: `'DE98'`,
  original_mandate_reference: `'M'`,
  mandate_key: `'K'`,
}

const choice = (name: string, values: readonly string[]): string =>
  `(select column1 as ${name} from (values ${values.map((value) => `(${value})`).join(', ')}))`

/** Every combination for these states, put into such a table of rows. @returns those that it takes */
function taken(table: string, states: readonly string[]): { all: number; taken: number[] } {
  const connection: Connection = openScratch()
  connection.pragma('foreign_keys = OFF')
  connection.exec(table)
  const names = Object.keys(THERE_OR_NOT).join(', ')
  const all = connection.exec(`
    create temp table candidate as select ${names}, state, attempts, aci, amr from
      ${[
        choice(
          'state',
          states.map((state) => `'${state}'`),
        ),
        choice('attempts', ['0', '1']),
        choice('aci', ['null', `''`, `'SE97'`]),
        choice('amr', ['null', `''`, `'NEW-'`]),
        ...Object.entries(THERE_OR_NOT).map(([name, value]) => choice(name, ['null', value])),
      ].join(', ')};
    insert or ignore into row (id, source_id, record, line, ${names}, state, attempts,
        assigned_creditor_identifier, assigned_mandate_reference)
      select rowid, 1, 1, 1, ${names}, state, attempts, aci, amr from temp.candidate`)
  const count = all.prepare<[], number>('select count(*) from temp.candidate').pluck().get() ?? 0
  const ids = all.prepare<[], number>('select id from row order by id').pluck().all()
  connection.close()
  return { all: count, taken: ids }
}

describe('12 what a state asks of its row', () => {
  it.each([...ROW_STATES, 'nonsense'])('12 is neither everything nor nothing, but for %s', (state) => {
    const { all, taken: fit } = taken(ROW_TABLE, [state])
    expect(all).toBe(2 * 3 * 3 * 2 ** 10)
    if (state === 'nonsense') expect(fit).toEqual([])
    else expect(fit.length).toBeGreaterThan(0)
    expect(fit.length).toBeLessThan(all)
  })

  const parts = [...ROW_TABLE.matchAll(/^ {4}when '(\w+)' then (.*(?:\n {6}.*)*)$/gm)].map(
    ([whole, state = '', asked = '']) => ({ whole, state, asked: asked.split(/\s+and\s+/) }),
  )
  it('12 knows every state', () => {
    expect(parts.map(({ state }) => state).toSorted()).toEqual(ROW_STATES.toSorted())
  })

  it.each(
    parts.flatMap(({ whole, state, asked }) =>
      asked.map((part, left) => ({ whole, state, asked, part, left })),
    ),
  )('12 is seen to be weaker without one part: $state, $part', ({ whole, state, asked, left }) => {
    const rest = asked.filter((_, index) => index !== left)
    const weaker = ROW_TABLE.replace(whole, `when '${state}' then ${rest.join(' and ') || '1'}`)
    expect(weaker).not.toBe(ROW_TABLE)
    expect(taken(weaker, [state]).taken.length).toBeGreaterThan(taken(ROW_TABLE, [state]).taken.length)
  })
})

describe('assertOurs', () => {
  it('takes an empty file for a ledger to be, and the file of another program for foreign', () => {
    const connection = openDatabase(':memory:')
    expect(assertOurs(connection, 'x.db')).toBe(true)
    connection.exec('create table theirs (n integer)')
    expect(() => assertOurs(connection, 'x.db')).toThrow('it is an SQLite file of another program')
    connection.close()
  })

  it('takes a ledger of this version', () => {
    const connection = openDatabase(':memory:')
    makeSchema(connection)
    expect(assertOurs(connection, 'x.db')).toBe(false)
    connection.close()
  })
})
