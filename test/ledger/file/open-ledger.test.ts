import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/driver.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { SCHEMA_VERSION } from '../../../src/ledger/schema/schema.js'
import {
  admit,
  closedFile,
  faultOf,
  freshFile,
  holding,
  open,
  readyRow,
  running,
  send,
  SETTINGS,
  stoppedClock,
} from '../campaign-setup.js'
import { refused, turnedAway } from '../outcomes.js'
import { mandates } from '../records.js'
import { freshFolder } from '../../support/folder.js'
import { byHand, look, query } from '../ledger-views.js'

/** As what it is refused to who would write and to who would read. */
const problemsWith = (file: string) =>
  [() => open({ file }), () => openLedgerReader(file)].map((opens) => faultOf(opens).problem)

const modes = (file: string) =>
  Object.fromEntries(
    readdirSync(dirname(file)).map((name) => [
      name.replace(basename(file), ''),
      (statSync(join(dirname(file), name)).mode & 0o777).toString(8),
    ]),
  )

describe('a ledger', () => {
  it('is private with all its files, whatever the umask', () => {
    const before = process.umask(0)
    try {
      const ledger = running([{}])
      look(ledger.file, (reader) => reader.totals())
      const beside = ['', '-wal', '-shm', '.lock', '.lock-journal', '.emergency.jsonl']
      expect(modes(ledger.file)).toEqual(Object.fromEntries(beside.map((name) => [name, '600'])))
    } finally {
      process.umask(before)
    }
  })

  it('leaves itself and its lock behind, and nothing else', () => {
    const ledger = running()
    ledger.close()
    ledger.close()
    expect(readdirSync(dirname(ledger.file)).sort()).toEqual(['campaign.db', 'campaign.db.lock'])
  })

  it('says which program made it, and by which schema', () => {
    const header = readFileSync(closedFile()).subarray(60, 72)
    expect(header.readUInt32BE(0)).toBe(SCHEMA_VERSION)
    expect(header.subarray(8, 12).toString('latin1')).toBe('SMMl')
  })

  it('is given to the command by any path', () => {
    const folder = dirname(open().file)
    const again = join(folder, '..', basename(folder), 'campaign.db')
    expect(faultOf(() => open({ file: again })).problem).toBe('locked')
  })
})

describe('what is refused, each with a clear text (scenarios 43 to 46, 54, 56)', () => {
  it('a path without a ledger, where none may be made', () => {
    const file = freshFile()
    const fault = faultOf(() => open({ file, create: false }))
    expect(fault).toMatchObject({ kind: 'usage', exitCode: 2 })
    expect(fault.message).toBe(`Cannot open the ledger "${file}": there is no such file`)
    expect(readdirSync(dirname(file))).toEqual([])
    expect(faultOf(() => openLedgerReader(file))).toMatchObject({ kind: 'usage' })
  })

  it('a file that is no database, which stays as it is', () => {
    const file = freshFile()
    writeFileSync(file, 'customer_no;iban\n'.repeat(100), { mode: 0o600 })
    expect(problemsWith(file)).toEqual(['foreign', 'foreign'])
    expect(readdirSync(dirname(file))).toEqual(['campaign.db'])
  })

  it('the database of another program, which stays as it is', () => {
    const file = freshFile()
    writeFileSync(file, '', { mode: 0o600 })
    byHand(file, (db) => db.exec('create table theirs (n integer); insert into theirs values (1)'))
    const before = readFileSync(file)
    expect(faultOf(() => open({ file })).problem).toBe('foreign')
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(existsSync(`${file}.lock`)).toBe(false)
  })

  it('a ledger of an earlier version, whose campaign is finished with that', () => {
    const ledger = open()
    ledger.startRun({ ...SETTINGS, version: '0.0.9' })
    ledger.close()
    byHand(ledger.file, (db) => db.pragma(`user_version = ${SCHEMA_VERSION - 1}`))
    const before = readFileSync(ledger.file)
    for (const opens of [() => open({ file: ledger.file }), () => openLedgerReader(ledger.file)]) {
      const fault = faultOf(opens)
      expect(fault.problem).toBe('earlier')
      const schemas = `schema ${SCHEMA_VERSION - 1}, this one has ${SCHEMA_VERSION}`
      expect(fault.message).toContain(
        `an earlier version of this program wrote it (version 0.0.9, ${schemas})`,
      )
      expect(fault.next).toMatch(/^Finish the campaign .* Nothing was changed, and nothing was sent$/)
    }
    expect(readFileSync(ledger.file).equals(before)).toBe(true)
  })

  it('a ledger of a newer program', () => {
    const file = closedFile()
    byHand(file, (db) => db.pragma(`user_version = ${SCHEMA_VERSION + 1}`))
    expect(problemsWith(file)).toEqual(['newer', 'newer'])
    expect(faultOf(() => open({ file })).next).toBe('Install the newer version. Nothing was changed')
  })

  it('a ledger that is damaged, where nothing reads it by itself; nothing is written into it', () => {
    const ledger = running(mandates(200).map((row) => ({ ...row, verdict: 'invalid' as const })))
    ledger.endRun(1, { stoppedBy: null, exitCode: 3 })
    ledger.close()
    const root = `select rootpage from sqlite_schema where name = 'row_mandate'`
    const [index] = query<{ rootpage: number }>(ledger.file, root)
    const descriptor = openSync(ledger.file, 'r+')
    writeSync(descriptor, Buffer.alloc(400, 0x5a), 0, 400, (index!.rootpage - 1) * 4_096)
    closeSync(descriptor)
    const before = readFileSync(ledger.file)
    const fault = faultOf(() => open({ file: ledger.file }))
    expect(fault.problem).toBe('damaged')
    expect(fault.message).toContain(ledger.file)
    expect(fault.next).toContain('Send nothing from it')
    expect(readFileSync(ledger.file).equals(before)).toBe(true)
  })

  it('a symbolic link in the place of the ledger or of its lock', () => {
    const [file, other] = [closedFile(), freshFile()]
    symlinkSync(file, `${file}.link`)
    symlinkSync(file, `${other}.lock`)
    expect(problemsWith(`${file}.link`)).toEqual(['unsafe', 'unsafe'])
    expect(faultOf(() => open({ file: other })).problem).toBe('unsafe')
  })

  // The tests may run as root, whom no mode stops: a path below a regular file cannot be written by anybody.
  it('a folder that cannot be written', () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'file'), '')
    for (const inside of ['file', 'nowhere'])
      expect(faultOf(() => open({ file: join(folder, inside, 'campaign.db') })).problem).toBe('unwritable')
    mkdirSync(join(folder, 'campaign.db'))
    expect(faultOf(() => open({ file: join(folder, 'campaign.db') })).problem).toBe('unsafe')
  })

  it('a ledger that is still empty, to a reader', () => {
    const file = freshFile()
    writeFileSync(file, '', { mode: 0o600 })
    expect(faultOf(() => openLedgerReader(file)).message).toContain('it is empty, no run has begun yet')
    expect(open({ file }).totals().read).toBe(0)
  })
})

/** As a kill leaves the file while its write-ahead log is switched on: with the journal of that one write. */
function killedAtFirstWrite(): string {
  const [made, file] = [freshFile(), freshFile()]
  const connection = openDatabase(made)
  connection.pragma('cache_size = 1')
  connection.exec('begin; create table begun (x)')
  while (statSync(made).size === 0) connection.exec('insert into begun values (zeroblob(100000))')
  for (const end of ['', '-journal']) {
    copyFileSync(made + end, file + end)
    chmodSync(file + end, 0o600)
  }
  connection.exec('rollback')
  connection.close()
  return file
}

it('a first start that was killed at its first write is made up for by the next', () => {
  const file = killedAtFirstWrite()
  const fault = faultOf(() => openLedgerReader(file))
  expect([fault.problem, fault.message]).toEqual(['unwritable', expect.stringContaining('first start')])
  expect(fault.next).toContain('(sepa-migrate run FILE)')
  const ledger = open({ file })
  expect(ledger.totals().read).toBe(0)
  ledger.close()
  expect(existsSync(`${file}-journal`)).toBe(false)
})

describe('a campaign', () => {
  const service = { baseUrl: 'https://service.example', username: 'merchant' }

  it('is bound to one service and user, once anything may have reached it', async () => {
    const ledger = running([{ reference: 'A' }, { reference: 'B' }, { reference: 'C' }])
    ledger.bind({ ...service, username: 'mistyped' })
    await send(ledger, turnedAway())
    ledger.bind({ ...service, baseUrl: 'https://mistyped.example' })
    const { evidence, ...no } = refused()
    await send(ledger, { ...no, evidence: { ...evidence, status: 404 } })
    ledger.bind(service)
    await send(ledger, refused())
    ledger.bind(service)
    expect(look(ledger.file, (reader) => reader.campaign())).toMatchObject(service)
    const binding = (other: Partial<typeof service>) => faultOf(() => ledger.bind({ ...service, ...other }))
    const moved = binding({ baseUrl: 'https://other.example' })
    expect(moved.message).toContain('for "https://other.example": it belongs to "https://service.example"')
    expect(moved.next).toContain('sepa-migrate run FILE --ledger NEW.db --another-ledger --reason')
    const fault = binding({ username: 'another' })
    expect(fault).toMatchObject({ problem: 'other_campaign', exitCode: 8 })
    expect(fault.message).toContain('for the user "another": it belongs to the user "merchant"')
  })

  it('stays the same ledger when it is opened again, and opening it is no change', () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    admit(ledger, [{}])
    const before = look(ledger.file, (reader) => reader.campaign())
    ledger.close()
    clock.advance(60_000)
    open({ file: ledger.file, clock }).close()
    expect(look(ledger.file, (reader) => reader.campaign())).toEqual(before)
  })

  it('keeps every run with its settings and its end', async () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    admit(ledger, mandates(2))
    const first = ledger.startRun(SETTINGS)
    await ledger.begin(readyRow(ledger))
    clock.advance(1_000)
    ledger.endRun(first, { stoppedBy: 'limit', exitCode: 5 })
    const second = ledger.startRun({ ...SETTINGS, settings: { outcomes: { 503: 'turned_away' } } })
    expect(second).toBe(2)
    const ended = { startedAt: '2026-06-15T10:00:00.000Z', endedAt: '2026-06-15T10:00:01.000Z' }
    const settings = { outcomes: { 503: 'turned_away' } }
    expect(look(ledger.file, (reader) => reader.runs())).toMatchObject([
      { id: 1, ...ended, stoppedBy: 'limit', exitCode: 5, zone: 'Europe/Berlin', attempts: { open: 1 } },
      { id: 2, endedAt: null, stoppedBy: null, settings },
    ])
  })

  it('has ids that come from the chance it was given', () => {
    const random = (bytes: number) => Buffer.alloc(bytes, 0xff)
    const ledger = open({ random })
    expect(look(ledger.file, (reader) => reader.campaign().ledgerId)).toBe('ffffffffffffffff')
  })

  it('uses the file only through SQLite: it never opens it by other means', () => {
    const ledger = holding([{}])
    // An open and a close of the file by this process would drop the locks of its connections (ledger/README.md#how-it-is-written).
    for (let n = 0; n < 3; n += 1) expect(faultOf(() => open({ file: ledger.file })).problem).toBe('locked')
    const other = openDatabase(ledger.file, { timeout: 0 })
    other.close()
    admit(ledger, [{ reference: 'M-2', customerNo: 2 }])
    expect(ledger.totals().read).toBe(2)
  })
})

describe('a ledger that does not hold what this version makes', () => {
  const OTHERWISE = 'create trigger compared_is_kept before delete on compared begin select 1; end'

  it.each([
    ['trigger row_is_kept', 'drop trigger row_is_kept'],
    ['index row_assigned', 'drop index row_assigned'],
    ['trigger mine', 'create trigger mine after update on row begin select 1; end'],
    ['trigger compared_is_kept', `drop trigger compared_is_kept; ${OTHERWISE}`],
    ['table row', 'alter table row add column note text'],
  ])('is refused, whoever opens it: %s', (name, sql) => {
    const file = closedFile()
    byHand(file, (db) => db.exec(sql))
    expect(problemsWith(file)).toEqual(['damaged', 'damaged'])
    expect(faultOf(() => open({ file }))).toMatchObject({ exitCode: 8 })
    expect(faultOf(() => open({ file })).message).toContain(name)
  })

  it('is opened where its indexes were made anew, or the file was written anew', () => {
    const ledger = holding(mandates(300))
    ledger.close()
    byHand(ledger.file, (db) => db.exec('vacuum'))
    expect(open({ file: ledger.file }).countReady()).toBe(300)
  })
})
