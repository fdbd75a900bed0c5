import { describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/driver.js'
import { EDGES, ROW_STATES, type RowState } from '../../../src/domain/row/row-state.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { admit, open, running, send, SETTINGS, decide } from '../campaign-setup.js'
import { inDoubt, registered } from '../outcomes.js'
import { OTHER_IBAN } from '../records.js'
import { byHand, execute, query } from '../ledger-views.js'
import { OLD_STATES, reach } from '../old-rows.js'
import { openScratch, type Connection } from '../../../src/ledger/file/connection.js'
import { makeTables, makeSchema, assertOurs } from '../../../src/ledger/schema/schema.js'

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
    expect(all).toBe(2 * 3 * 3 * 2 ** 8)
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

it('a file is a ledger to be while it is empty, one of this version is taken, and that of another program is not', () => {
  const [ours, theirs] = [openDatabase(':memory:'), openDatabase(':memory:')]
  expect(assertOurs(ours, 'x.db')).toBe(true)
  makeSchema(ours)
  expect(assertOurs(ours, 'x.db')).toBe(false)
  theirs.exec('create table theirs (n integer)')
  expect(() => assertOurs(theirs, 'x.db')).toThrow('it is an SQLite file of another program')
  for (const connection of [ours, theirs]) connection.close()
})

/** Row 1 in the state; a newer row that may replace it comes last. */
async function rowIn(state: RowState): Promise<Ledger> {
  const ledger = running()
  if (state === 'duplicate') {
    admit(ledger, [{ verdict: 'invalid', mandateKey: null }])
    admit(ledger, [{ verdict: 'invalid', mandateKey: null }])
  } else if (state === 'written_off') {
    admit(ledger, [{}])
    await send(ledger, inDoubt())
    decide(ledger, 1, 'written_off')
  } else await reach(ledger, OLD_STATES.find((old) => old === state) ?? 'ready')
  admit(ledger, [{ reference: 'NEWER', customerNo: 77 }])
  return ledger
}

const idIn = (db: Database, state: RowState): number =>
  db.prepare<[string], number>('select min(id) from row where state = ?').pluck().get(state) ?? 0

const OUTCOME_TO: Readonly<Partial<Record<RowState, string>>> = {
  registered: 'registered',
  refused: 'refused',
  ready: 'not_sent',
  in_doubt: 'in_doubt',
}

/** Everything on record that could justify the change. */
function prove(db: Database, id: number, from: RowState, to: RowState): void {
  if (to === 'sending') {
    db.prepare(
      `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at)
       select id, attempts + 1, 1, 'key-of-its-own', 'request', 'now' from row where id = ?`,
    ).run(id)
  }
  if (from === 'sending') {
    db.prepare(`update attempt set outcome = ?, ended_at = 'now' where row_id = ?`).run(
      OUTCOME_TO[to] ?? 'refused',
      id,
    )
  }
  db.prepare(
    `insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason)
     select id, (select id from attempt where row_id = row.id and n = attempts), 'now', 'Ada', 'x', :from, :to, 'why'
       from row where id = :id`,
  ).run({ id, from, to })
}

/** The service shows what was in doubt when it was closed. */
function show(db: Database, id: number): void {
  db.exec(`
    insert into read_back (id, scope, version, host, pid, settings, started_at) values (1, 'all', '1', 'here', 1, '{}', 'now');
    insert into question (id, read_back_id, customer_no, request_id, asked_at, answered_at, tries, answer, sources)
      values (1, 1, 1, 'asked', 'now', 'now', 1, 'listed', 1);
    insert into proof (question_id, row_id, attempts, verdict)
      select 1, id, attempts, 'proven' from row where id = ${id}`)
}

/** The change itself, with everything that the checks of the table ask of the new state. */
function change(db: Database, id: number, to: RowState): void {
  const isRegistered = to === 'registered' ? 1 : 0
  db.prepare(
    `update row set state = :to, attempts = attempts + :isSending,
       superseded_by = iif(:isSuperseded, (select max(id) from row), superseded_by),
       assigned_creditor_identifier = iif(:isRegistered, 'SE97', null),
       assigned_mandate_reference = iif(:isRegistered, 'NEW-9', null),
       registered_at = iif(:isRegistered, 'now', null)
     where id = :id`,
  ).run({
    id,
    to,
    isRegistered,
    isSending: to === 'sending' ? 1 : 0,
    isSuperseded: to === 'superseded' ? 1 : 0,
  })
}

function isAllowed(db: Database, from: RowState, to: RowState, isProven: boolean): boolean {
  const id = idIn(db, from)
  expect(id).toBeGreaterThan(0)
  db.exec('begin immediate')
  try {
    if (isProven) prove(db, id, from, to)
    if (isProven && from === 'written_off') show(db, id)
    change(db, id, to)
    return true
  } catch (error) {
    expect(String(error)).toMatch(/not allowed|CHECK constraint|counted by an intent|replaced once|is held/)
    return false
  } finally {
    if (db.inTransaction) db.exec('rollback')
  }
}

describe('the triggers on the state of a row', () => {
  it.each(ROW_STATES)('allow exactly the edges of the domain that leave %s', async (from) => {
    const ledger = await rowIn(from)
    const allowed = byHand(ledger.file, (db) =>
      ROW_STATES.filter((to) => to !== from && isAllowed(db, from, to, true)),
    )
    expect(allowed).toEqual(ROW_STATES.filter((to) => Object.values(EDGES[from]).includes(to)))
  })

  it.each(ROW_STATES)('want it on record why a row leaves %s', async (from) => {
    const ledger = await rowIn(from)
    const allowed = byHand(ledger.file, (db) =>
      ROW_STATES.filter((to) => to !== from && isAllowed(db, from, to, false)),
    )
    // A later file is its own record: the replacing row.
    expect(allowed).toEqual(EDGES[from].superseded === undefined ? [] : ['superseded'])
  })

  it('take a decision on an earlier attempt for no decision', async () => {
    const ledger = await rowIn('in_doubt')
    byHand(ledger.file, (db) => {
      db.exec(`insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason)
        values (1, null, 'now', 'Ada', 'resend', 'in_doubt', 'ready', 'why')`)
      expect(() => db.exec(`update row set state = 'ready' where id = 1`)).toThrow('not allowed')
    })
  })

  it('let what took the place of a row be what counts now', () => {
    const ledger = running()
    admit(ledger, [{}])
    admit(ledger, [{ iban: OTHER_IBAN, corrects: 1 }])
    admit(ledger, [{ corrects: 2 }])
    expect(query(ledger.file, 'select id, superseded_by, heir from row')).toEqual([
      { id: 1, superseded_by: 2, heir: 3 },
      { id: 2, superseded_by: 3, heir: 3 },
      { id: 3, superseded_by: null, heir: null },
    ])
    for (const wrong of ['2 where id = 1', '1 where id = 1', '1 where id = 3'])
      expect(() => execute(ledger.file, `update row set heir = ${wrong}`)).toThrow('was not replaced itself')
  })

  it.each(['refused', 'in_doubt'] as const)('let no %s row be ready whose account is gone', async (from) => {
    const ledger = await rowIn(from)
    byHand(ledger.file, (db) => {
      expect(isAllowed(db, from, 'ready', true)).toBe(true)
      db.exec('drop trigger private_goes; delete from private where row_id = 1')
      expect(isAllowed(db, from, 'ready', true)).toBe(false)
    })
  })

  it('let a row be replaced by a newer one only', async () => {
    const ledger = await rowIn('ready')
    const older = `update row set state = 'superseded', superseded_by = 1 where id = 2`
    expect(() => execute(ledger.file, older)).toThrow('not allowed')
  })
})

describe('the other guards', () => {
  async function sentLedger(): Promise<string> {
    const ledger = open()
    const run = ledger.startRun(SETTINGS)
    ledger.bind({ baseUrl: 'https://service.example', username: 'merchant' })
    admit(ledger, [{}, {}, { reference: 'M-2', customerNo: 2 }, { reference: 'M-3', customerNo: 3 }])
    await send(ledger, registered('NEW-1'))
    await send(ledger, inDoubt())
    decide(ledger, 3, 'written_off', { attempt: 1 })
    ledger.endRun(run, { stoppedBy: null, exitCode: 0 })
    return ledger.file
  }

  it.each([
    ...['row', 'attempt', 'decision', 'source', 'problem', 'run', 'campaign'].map((table) => [
      `delete from ${table}`,
      'never deletes',
    ]),
    [`update decision set reason = 'another'`, 'a decision never changes'],
    [`update decision set evidence = 'another'`, 'a decision never changes'],
    [`update decision set decided_by = 'another'`, 'a decision never changes'],
    [`update problem set message = 'another'`, 'a problem never changes'],
    [`update run set exit_code = 0`, 'a run that ended never changes'],
    [`update source set records = 5`, 'an admitted source never changes'],
    [`update campaign set base_url = 'https://elsewhere.example'`, 'belongs to one service'],
    [`update campaign set username = 'another'`, 'belongs to one service'],
    [`update campaign set ledger_id = 'another'`, 'identity of a ledger'],
    [`update row set mandate_key = 'another' where id = 4`, 'never changes'],
    [`update row set customer_no = 5 where id = 4`, 'never changes'],
    [`update row set original_mandate_reference = 'another' where id = 4`, 'never changes'],
    [`update private set iban = 'NL91ABNA0417164300' where row_id = 4`, 'can be removed, never changed'],
    [`update private set cells = '[]' where row_id = 4`, 'can be removed, never changed'],
    ['delete from private where row_id = 4', 'goes with a registration, an erasure or the purge alone'],
    [`update row set attempts = 7 where id = 4`, 'counted by an intent only'],
    [`update attempt set request_id = 'another'`, 'an intent never changes'],
    [`update attempt set outcome = 'refused' where id = 1`, 'an outcome never changes'],
    [`update attempt set outcome = 'released' where id = 1`, 'an outcome never changes'],
    [`update attempt set outcome = 'released' where id = 2`, 'an outcome never changes'],
    [`update attempt set outcome = null, ended_at = null where id = 2`, 'never changes'],
    [`update attempt set status = 500 where id = 1`, 'the evidence of an attempt never changes'],
    [
      `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at, outcome, ended_at)
      values (4, 1, 1, 'k', 'r', 'now', 'registered', 'now')`,
      'begins without an outcome',
    ],
    ...[1, 3].map((row) => [
      `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at)
      select 4, 1, 1, mandate_key, 'r', 'now' from row where id = ${row}`,
      'UNIQUE constraint failed',
    ]),
    [`update row set assigned_mandate_reference = null where id = 1`, 'the service assigned never changes'],
    [`update row set state = 'lost' where id = 4`, 'not allowed'],
  ])('refuse "%s"', async (sql, message) => {
    const file = await sentLedger()
    expect(() => execute(file, sql)).toThrow(message)
  })

  it('refuse one assigned reference on two rows, in any case of letters', async () => {
    const ledger = running([{}, { reference: 'M-2', customerNo: 2 }])
    await send(ledger, registered('NEW-1'))
    await expect(send(ledger, registered('new-1'))).rejects.toThrow('UNIQUE constraint failed')
  })

  it('an attempt can end in every way: a ledger that cannot keep an outcome would lose it', async () => {
    const schema = `select sql from sqlite_master where name = 'attempt'`
    const [table] = query<{ sql: string }>(await sentLedger(), schema)
    const ways = /outcome in\s*\(([^)]*)\)/.exec(table?.sql ?? '')?.[1]
    for (const outcome of Object.keys(EDGES.sending)) expect(ways).toContain(`'${outcome}'`)
  })
})
