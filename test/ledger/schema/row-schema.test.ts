import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { openScratch, type Connection } from '../../../src/ledger/file/connection.js'
import { takeSteps } from '../../../src/ledger/schema/migration.js'
import { ROW_STEP } from '../../../src/ledger/schema/row-schema.js'
import { SCHEMA, type SchemaStep } from '../../../src/ledger/schema/schema.js'

/** Steps up to the one that made one condition of eight. */
const BEFORE = SCHEMA.slice(
  0,
  SCHEMA.findIndex(({ sql }) => sql === ROW_STEP),
)
const remade = (sql: string): readonly SchemaStep[] => [...BEFORE, { sql, remakes: true }]

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

/** Every combination for these states, put into a table of these steps. @returns those that it takes */
function taken(steps: readonly SchemaStep[], states: readonly string[]): { all: number; taken: number[] } {
  const connection: Connection = openScratch()
  takeSteps(connection, steps)
  connection.pragma('foreign_keys = OFF')
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
    drop index row_assigned;
    insert or ignore into row (id, source_id, record, line, ${names}, state, attempts,
        assigned_creditor_identifier, assigned_mandate_reference)
      select rowid, 1, 1, 1, ${names}, state, attempts, aci, amr from temp.candidate`)
  const count = all.prepare<[], number>('select count(*) from temp.candidate').pluck().get() ?? 0
  const ids = all.prepare<[], number>('select id from row order by id').pluck().all()
  connection.close()
  return { all: count, taken: ids }
}

describe('12 what a state asks of its row', () => {
  it.each([...ROW_STATES, 'nonsense'])('12 is in one condition what it was in eight: %s', (state) => {
    const before = taken(BEFORE, [state])
    expect(before.all).toBe(2 * 3 * 3 * 2 ** 10)
    if (state === 'nonsense') expect(before.taken).toEqual([])
    else expect(before.taken.length).toBeGreaterThan(0)
    expect(before.taken.length).toBeLessThan(before.all)
    expect(taken(SCHEMA, [state])).toEqual(before)
  })

  const parts = [...ROW_STEP.matchAll(/^ {4}when '(\w+)' then (.*(?:\n {6}.*)*)$/gm)].map(
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
    const weaker = ROW_STEP.replace(whole, `when '${state}' then ${rest.join(' and ') || '1'}`)
    expect(weaker).not.toBe(ROW_STEP)
    expect(taken(remade(weaker), [state]).taken.length).toBeGreaterThan(taken(BEFORE, [state]).taken.length)
  })
})
