import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Database } from '../../../src/database.js'
import { openDatabase } from '../../../src/driver.js'
import { configureForWriting, openForWriting } from '../../../src/ledger/file/connection.js'
import { assertOurs, isBackupOf, migrate, versionOf } from '../../../src/ledger/schema/migration.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import type { LedgerReader } from '../../../src/ledger/read/reader.js'
import { APPLICATION_ID, SCHEMA } from '../../../src/ledger/schema/schema.js'
import { admit, freshFile, open } from '../campaign-setup.js'
import { createPrivateFile } from '../../../src/ledger/safety/file-safety.js'
import { listed } from '../heard-answer.js'
import { planOf } from '../plan/plan-document.js'
import { byHand } from '../ledger-views.js'

/** The version that this program writes. */
const NOW = SCHEMA.length
const NEXT = { sql: 'alter table source add column note text' }

function closedLedger(): string {
  const ledger = open()
  admit(ledger, [{}])
  ledger.close()
  return ledger.file
}

const columnsOf = (connection: Database, table: string) =>
  connection.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)

describe('a schema change', () => {
  it('keeps a private copy of the older ledger first', () => {
    const file = closedLedger()
    const connection = openForWriting(file)
    configureForWriting(connection)
    const copy = migrate(connection, file, [...SCHEMA, NEXT])
    expect(versionOf(connection)).toBe(NOW + 1)
    expect(columnsOf(connection, 'source')).toContain('note')
    connection.close()

    expect(copy).toBe(`${file}.v${NOW}.backup`)
    expect((statSync(copy!).mode & 0o777).toString(8)).toBe('600')
    const old = openDatabase(copy!, { readonly: true })
    expect(versionOf(old)).toBe(NOW)
    expect(old.prepare('select count(*) as n from row').get()).toEqual({ n: 1 })
    expect(old.pragma('application_id', { simple: true })).toBe(APPLICATION_ID)
    old.close()
  })

  it('leaves the ledger at the version before a step that fails, and does not write over an earlier copy', () => {
    const file = closedLedger()
    const connection = openForWriting(file)
    const broken = { sql: 'alter table source add column second text; alter table nowhere add column x text' }
    expect(() => migrate(connection, file, [...SCHEMA, NEXT, broken])).toThrow('no such table: nowhere')
    expect(versionOf(connection)).toBe(NOW + 1)
    expect(columnsOf(connection, 'source')).not.toContain('second')
    expect(migrate(connection, file, [...SCHEMA, NEXT, { sql: 'select 1' }])).toBe(
      `${file}.v${NOW + 1}.backup`,
    )
    expect(versionOf(connection)).toBe(NOW + 2)
    connection.close()
    const copies = readdirSync(dirname(file)).filter((name) => isBackupOf(basename(file), name))
    expect(new Set(copies)).toEqual(new Set([`campaign.db.v${NOW}.backup`, `campaign.db.v${NOW + 1}.backup`]))
  })

  it('numbers a second copy of the same version', () => {
    const file = closedLedger()
    createPrivateFile(`${file}.v${NOW}.backup`)
    const connection = openForWriting(file)
    expect(migrate(connection, file, [...SCHEMA, NEXT])).toBe(`${file}.v${NOW}.backup-2`)
    connection.close()
  })

  it('makes no copy of a new ledger, and does nothing to a current one', () => {
    const file = freshFile()
    createPrivateFile(file)
    const connection = openForWriting(file)
    expect(migrate(connection, file, SCHEMA)).toBeNull()
    expect(migrate(connection, file, SCHEMA)).toBeNull()
    expect(existsSync(`${file}.v0.backup`)).toBe(false)
    connection.close()
  })
})

describe('8.2.7 a ledger from before the hint "may exist"', () => {
  it('keeps the hints that it holds, takes the new one and no other, and its evidence stays', () => {
    const file = freshFile()
    createPrivateFile(file)
    const connection = openForWriting(file)
    configureForWriting(connection)
    migrate(connection, file, SCHEMA.slice(0, 1))
    connection.exec(`
      insert into source (id, name, header, columns) values (1, 'x.csv', '[]', '{}');
      insert into run (id, started_at, version, host, pid, as_of, zone, settings)
        values (1, 'now', '0', 'x', 1, 'now', 'UTC', '{}');
      insert into row (id, source_id, record, line, state)
        values (1, 1, 1, 2, 'invalid'), (2, 1, 2, 3, 'invalid'), (3, 1, 3, 4, 'invalid'), (4, 1, 4, 5, 'invalid')`)
    const insert = connection.prepare(
      `insert into attempt (id, row_id, n, run_id, mandate_key, request_id, started_at)
       values (:id, :id, 1, 1, 'K' || :id, 'r' || :id, 'now')`,
    )
    const end = connection.prepare(
      `update attempt set outcome = 'in_doubt', ended_at = 'now', hint = :hint where id = :id`,
    )
    const hints = connection.prepare<[], string | null>('select hint from attempt order by id').pluck()
    for (const id of [1, 2, 3, 4]) insert.run({ id })
    end.run({ id: 1, hint: 'probably_registered' })
    expect(() => end.run({ id: 3, hint: 'may_exist' })).toThrow('CHECK constraint failed')

    migrate(connection, file, SCHEMA)
    expect(hints.all()).toEqual(['probably_registered', null, null, null])
    end.run({ id: 2, hint: 'unknown' })
    end.run({ id: 3, hint: 'may_exist' })
    expect(() => end.run({ id: 4, hint: 'nonsense' })).toThrow('CHECK constraint failed')
    expect(() => connection.exec(`update attempt set hint = 'unknown' where id = 3`)).toThrow(
      'the evidence of an attempt never changes',
    )
    expect(hints.all()).toEqual(['probably_registered', 'unknown', 'may_exist', null])
    connection.close()
  })
})

describe('a ledger of the first schema', () => {
  it('9.1.6 8.2.4 gets the edges and the wait of this one, and keeps its rows', () => {
    const file = freshFile()
    createPrivateFile(file)
    const connection = openForWriting(file)
    configureForWriting(connection)
    migrate(connection, file, SCHEMA.slice(0, 1))
    connection.exec(`
      drop trigger attempt_waits;
      drop trigger row_edges;
      create trigger row_edges before update of state on row when old.state = 'invalid'
        begin select raise(abort, 'this state change is not allowed'); end`)
    connection.close()

    const ledger = open({ file })
    admit(ledger, [{ verdict: 'invalid' }])
    const decision = { rowId: 1, decision: 'written_off' as const, by: 'Ada', reason: 'why' }
    expect(
      ledger.resolve([{ ...decision, assigned: null, evidence: null, attempt: null }], { dryRun: false }),
    ).toMatchObject({ isApplied: true })
    const triggers = byHand(file, (db) =>
      db.prepare<[], string>(`select name from sqlite_schema where type = 'trigger'`).pluck().all(),
    )
    expect(triggers).toContain('attempt_waits')
    expect(existsSync(`${file}.v1.backup`)).toBe(true)
  })
})

describe('a ledger of schema 6, kept from the program that wrote it', () => {
  const KEPT = new URL('version-6.db.gz', import.meta.url)

  it('opens, keeps what it holds, and takes evidence', () => {
    const file = freshFile()
    writeFileSync(file, gunzipSync(readFileSync(KEPT)), { mode: 0o600 })
    const before = openLedgerReader(file)
    const totals = before.totals()
    const rows = before.rows(['registered', 'in_doubt', 'ready'], 0, 10)
    expect(totals).toMatchObject({ read: 4, registered: 2, inDoubt: 1, ready: 1 })
    expect(before.readBacks()).toEqual([])
    before.close()
    expect(byHand(file, versionOf)).toBe(6)

    const ledger = open({ file })
    expect(byHand(file, versionOf)).toBe(NOW)
    expect(existsSync(`${file}.v6.backup`)).toBe(true)
    expect(ledger.totals()).toEqual(totals)
    expect(ledger.view.rows(['registered', 'in_doubt', 'ready'], 0, 10)).toEqual(rows)
    const place = { version: '0', host: 'bench', pid: 1, settings: {} }
    const { id, customers } = ledger.readBacks.start({ scope: 'all', sample: null, ...place })
    expect(customers).toBe(4)
    expect(ledger.readBacks.next(1)).toEqual([100_002])
    const [row] = ledger.readBacks.rowsOf(100_002)
    ledger.readBacks.record(id, [
      listed(100_002, [
        { rowId: row?.rowId ?? 0, attempts: 1, evidence: { verdict: 'absent', why: null, sources: [] } },
      ]),
    ])
    expect(ledger.view.proofs('in_doubt', 0, 10)).toMatchObject([{ verdict: 'absent' }])
    expect(() => byHand(file, (db) => db.exec('delete from proof'))).toThrow('the ledger never deletes')
  })
})

describe('a ledger of schema 7, kept from the program that wrote it', () => {
  const KEPT = new URL('version-7.db.gz', import.meta.url)

  it('is read beside its program with all its evidence, opens, and takes plans', () => {
    const file = freshFile()
    writeFileSync(file, gunzipSync(readFileSync(KEPT)), { mode: 0o600 })
    const before = openLedgerReader(file)
    const held = (reader: LedgerReader) => ({
      totals: reader.totals(),
      rows: reader.rows(['registered', 'in_doubt', 'ready'], 0, 10),
      readBacks: reader.readBacks(),
      absent: reader.proofs('in_doubt', 0, 10),
      verified: reader.verifiedRows('proven', 0, 10),
    })
    const kept = held(before)
    expect(kept.totals).toMatchObject({ read: 4, registered: 2, inDoubt: 1, ready: 1 })
    expect(kept.readBacks).toMatchObject([{ scope: 'all', questions: 2 }])
    expect([kept.absent.length, kept.verified.length]).toEqual([1, 1])
    expect(before.plans()).toEqual([])
    before.close()
    expect(byHand(file, versionOf)).toBe(7)

    const ledger = open({ file })
    expect(byHand(file, versionOf)).toBe(NOW)
    expect(existsSync(`${file}.v7.backup`)).toBe(true)
    expect(held(ledger.view)).toEqual(kept)
    ledger.plans.record(planOf())
    expect(ledger.view.plans()).toMatchObject([{ plannedBy: 'Ada', approvals: [] }])
    expect(() => byHand(file, (db) => db.exec('delete from plan'))).toThrow('the ledger never deletes')
  })
})

describe('a ledger of schema 10, kept from the program that wrote it', () => {
  const KEPT = new URL('version-10.db.gz', import.meta.url)
  const STATES = ['registered', 'in_doubt', 'ready', 'invalid'] as const
  const held = (reader: LedgerReader) => ({
    totals: reader.totals(),
    rows: reader.rows(STATES, 0, 10),
    sources: reader.sources(),
    readBacks: reader.readBacks(),
    verified: reader.verifiedRows('proven', 0, 10),
  })
  const keep = (): string => {
    const file = freshFile()
    writeFileSync(file, gunzipSync(readFileSync(KEPT)), { mode: 0o600 })
    expect(byHand(file, versionOf)).toBe(10)
    return file
  }

  it('12 is read beside its program, and without waves and letters opens with the same rows, each of them whole', () => {
    const file = keep()
    const all = (sql: string) => byHand(file, (db) => db.prepare(sql).all())
    const columns = 'select * from row order by id'
    const [rows, indexes] = [all(columns), all(INDEXES)]
    const before = openLedgerReader(file)
    const kept = held(before)
    expect(kept.totals).toMatchObject({ read: 5, registered: 2, inDoubt: 1, ready: 1, invalid: 1 })
    expect(all(TABLES_OF_WAVES)).toHaveLength(2)
    expect([kept.readBacks.length, kept.verified.length]).toEqual([1, 1])
    before.close()
    expect(byHand(file, versionOf)).toBe(10)

    const ledger = open({ file })
    expect(byHand(file, versionOf)).toBe(NOW)
    expect(existsSync(`${file}.v10.backup`)).toBe(true)
    expect(held(ledger.view)).toEqual(kept)
    expect(all(`select name from sqlite_schema where name like 'notice%'`)).toEqual([])
    expect(all(columns)).toEqual(rows)
    expect(all(INDEXES)).toEqual(indexes)
    expect(all('pragma foreign_key_check')).toEqual([])
    expect(all(TABLES_OF_WAVES)).toEqual([])
    expect(() => byHand(file, (db) => db.exec(`update row set iban = null where state = 'ready'`))).toThrow(
      'row_suits_its_state',
    )
    const invalid = ledger.view.rows(['invalid'], 0, 1)[0]?.id ?? 0
    expect(() => byHand(file, (db) => db.exec(`delete from row where id = ${invalid}`))).toThrow(
      'the ledger never deletes',
    )
    admit(ledger, [{ reference: 'NEWER', customerNo: 77 }])
    expect(ledger.totals()).toMatchObject({ read: 6, ready: 2 })
  })

  it('12 stays what it is where rows refer to others that are not there', () => {
    const file = keep()
    byHand(file, (db) => {
      db.pragma('foreign_keys = OFF')
      db.exec('drop trigger row_is_kept')
      db.exec(`delete from row where state = 'in_doubt'`)
    })
    expect(() => open({ file })).toThrow('refers to rows that it does not hold')
    expect(byHand(file, versionOf)).toBe(10)
    expect(existsSync(`${file}.v10.backup`)).toBe(true)
  })
})

const TABLES_OF_WAVES = `select name from sqlite_schema where name in ('wave', 'wave_row')`
const INDEXES = `select name, sql from sqlite_schema where type = 'index' and tbl_name = 'row' order by name`

describe('assertOurs', () => {
  it('refuses a ledger of a newer program and leaves it alone', () => {
    const file = closedLedger()
    const connection = openForWriting(file)
    connection.pragma('user_version = 77')
    expect(() => assertOurs(connection, file, SCHEMA)).toThrow(
      `a newer version of this program wrote it (schema 77, this one knows ${NOW})`,
    )
    connection.close()
  })

  it('takes an empty file for a ledger to be, and the file of another program for foreign', () => {
    const connection = openDatabase(':memory:')
    expect(assertOurs(connection, 'x.db', SCHEMA)).toBe(true)
    connection.exec('create table theirs (n integer)')
    expect(() => assertOurs(connection, 'x.db', SCHEMA)).toThrow('it is an SQLite file of another program')
    connection.close()
  })
})

describe('isBackupOf', () => {
  it.each([
    ['march.db.v1.backup', true],
    ['march.db.v12.backup-3', true],
    ['march.db', false],
    ['march.db.lock', false],
    ['april.db.v1.backup', false],
    ['march.db.v1.backup.txt', false],
    ['march.db.vX.backup', false],
  ])('knows %s: %s', (name, isOurs) => {
    expect(isBackupOf('march.db', name)).toBe(isOurs)
  })
})
