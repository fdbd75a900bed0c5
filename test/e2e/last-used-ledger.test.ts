import { copyFileSync, existsSync, rmSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { validExport, validLine } from '../support/export.js'
import { placeOfTest } from '../support/place.js'
import { start } from '../support/program.js'

const ROWS = 25

type Place = Awaited<ReturnType<typeof open>>

async function open(truth: { isReal?: boolean; delayMs?: number } = {}) {
  const place = await placeOfTest({ rows: ROWS, truth, ownState: true })
  const asked = ['run', '--yes', '--no-report', '--max-in-doubt', '1000']
  return {
    ...place,
    begin: (...args: string[]) => place.start(...asked, ...args),
    run: (...args: string[]) => place.program(...asked, ...args),
  }
}

const LEDGER = 'sepa-migrate.db'

/** As `cp` would, in the place of what is there. */
function copy({ path }: Place, from: string, to: string): void {
  for (const ending of ['', '-wal', '-shm']) {
    rmSync(path(to + ending), { force: true })
    if (existsSync(path(from + ending))) copyFileSync(path(from + ending), path(to + ending))
  }
}
const take = (place: Place): void => copy(place, LEDGER, 'copy.db')
const putBack = (place: Place): void => copy(place, 'copy.db', LEDGER)

/** However often the command is given, with whatever flag: nothing leaves. */
async function expectRefusedForGood(place: Place): Promise<void> {
  const before = place.truth().posts()
  for (const args of [[], ['export.csv', '--another-ledger', '--reason', 'lost']]) {
    const { status, stderr } = await place.run(...args)
    expect(stderr).toMatch(/is older than it was[^]*Nothing was sent[^]*ledger adopt/)
    expect(status).toBe(8)
  }
  expect(place.truth().posts()).toBe(before)
}

describe('an old copy of a ledger', () => {
  it('is refused for good, until a person puts in doubt what may have been sent since', async () => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv', '--limit', '5')).status).toBe(5)
    take(place)
    expect((await place.run()).status).toBe(0)
    expect((await place.program('status')).stderr).toBe('')
    putBack(place)
    for (const command of ['status', 'report']) {
      const { stdout, stderr } = await place.ends(8, command)
      expect(stderr).toMatch(
        /^Warning: The ledger ".*" is older than it was: .* is not how the campaign stands\n$/,
      )
      expect(stdout).not.toContain('Next:')
      expect(stdout).toContain('Put the newest copy of the ledger back')
    }
    expect((await place.program('customer', 'show', '1')).stderr).toContain('is older than it was')
    // Nothing is decided in it: what the lost part may have sent would be closed.
    for (const decision of [
      ['resolve', '--row', '7', '--as', 'written-off', '--reason', 'ended'],
      ['compare', 'export.csv'],
    ])
      expect((await place.ends(8, ...decision)).stderr).toMatch(/is older than it was[^]*ledger adopt/)
    await expectRefusedForGood(place)

    const adopt = (...args: string[]) => place.program('ledger', 'adopt', '--by', 'Kim', ...args)
    expect(await adopt()).toMatchObject({ status: 2 })
    expect((await adopt('--reason', 'disk was lost', '--dry-run')).stdout).toMatch(
      /: 20, of which[^]*Rows: 6, 7,/,
    )
    expect(place.totals()).toMatchObject({ ready: 20, inDoubt: 0 })
    expect((await adopt('--reason', 'disk was lost')).stdout).toMatch(/All of them are in doubt now/)
    expect(place.totals()).toMatchObject({ registered: 5, ready: 0, inDoubt: 20 })
    const decisions = place.ledger((reader) => reader.decisions(0, 100))
    expect(decisions).toHaveLength(20)
    expect(decisions[0]).toMatchObject({ rowId: 6, by: 'Kim', reason: 'disk was lost' })
    expect((await adopt('--reason', 'once more')).stderr).toContain(
      'is the newest copy of it that this machine',
    )

    expect((await place.run()).status).toBe(4)
    expect(place.truth().posts()).toBe(ROWS)
    expect(place.truth().twice()).toEqual([])
  })

  it('takes no list that was written before it was adopted, as row numbers are given again', async () => {
    const place = await open()
    const broken = (n: number, as: string): string =>
      validLine(n).replace('2024-', '2924-').replace(/^\d+/, '3').replace(`MANDATE-${n}`, as)
    const mend = (to: string): unknown => place.edit('corrections.csv', { signed_date: '2024-03-04' }, to)
    place.write('jan.csv', validExport(2))
    place.write('feb.csv', `${validExport(2)}${broken(3, 'LOST')}\n`)
    place.write('mar.csv', `${validExport(2)}${broken(4, 'NEW')}\n`)
    expect((await place.run('jan.csv')).status).toBe(0)
    take(place)
    expect((await place.program('run', 'feb.csv')).status).toBe(3)
    mend('lost.csv')
    place.edit(
      'corrections.csv',
      { migration_decision: 'written-off', migration_reason: 'left' },
      'closed.csv',
    )
    putBack(place)
    const adopted = await place.program('ledger', 'adopt', '--reason', 'the disk was lost')
    expect(adopted.stdout).toContain('Lists that were written before')
    expect((await place.program('run', 'mar.csv')).status).toBe(3)
    const { status, stderr } = await place.run('lost.csv')
    expect([status, stderr]).toEqual([7, expect.stringContaining('FILE_OF_ANOTHER_LEDGER')])
    const closed = await place.program('resolve', '--from', 'closed.csv')
    expect([closed.status, closed.stderr]).toEqual([2, expect.stringContaining('an older copy was adopted')])
    mend('new.csv')
    expect((await place.run('new.csv')).status).toBe(0)
    expect(place.truth().posts()).toBe(3)
  })

  it('is not called older while a run is going', async () => {
    const place = await open({ delayMs: 50 })
    const { ended } = place.begin('export.csv', '--concurrency', '2')
    await place.truth().whenReceived(1)
    while (place.truth().posts() < ROWS) {
      await setImmediate() // the service is in this process too
      const { stdout, stderr, status } = await place.program('status')
      expect(stderr).not.toContain('older than it was')
      expect(status).not.toBe(8)
      if (place.truth().posts() < ROWS) expect(stdout).toMatch(/A run is going.*\nNext: .*status --watch/)
    }
    expect((await ended).status).toBe(0)
  })

  it('34: is not suspected after a kill, nor when a tool merged the log into the file', async () => {
    const place = await open({ isReal: true, delayMs: 5 })
    for (const received of [3, 9]) {
      const { child, ended } = place.begin('export.csv')
      await place.truth().whenReceived(received)
      child.kill('SIGKILL')
      await ended
      openDatabase(place.path(LEDGER)).exec('vacuum').close()
    }
    expect([0, 4]).toContain((await place.run()).status)
    expect(place.truth().twice()).toEqual([])
  })
})

it('a second ledger takes the place of a lost one: what that began is in doubt, the rest is sent, once', async () => {
  const place = await open({ isReal: true })
  const second = (...args: string[]) =>
    place.run('--ledger', 'second.db', 'export.csv', '--another-ledger', ...args)
  await place.run('export.csv', '--limit', '5')
  expect((await second()).stderr).toMatch(/no name or no reason/)
  const taken = await second('--reason', 'the disk is lost')
  expect(taken.stdout).toMatch(
    /^In doubt, since a ledger that is lost, or another one, may have sent them: 5 rows/m,
  )
  expect(taken.status).toBe(4)
  expect([place.truth().posts(), place.truth().twice()]).toEqual([ROWS, []])
  expect(place.totals('second.db')).toMatchObject({ registered: ROWS - 5, inDoubt: 5 })
  const [first] = place.ledger((reader) => reader.runs(), 'second.db')
  expect(first?.settings.takeOver).toMatch(/by .*: the disk is lost/)
  expect((await place.ends(8, 'run', '--yes')).stderr).toMatch(
    /is retired: the ledger ".*second\.db" took its place/,
  )
})

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,Status'
const exported = (...lines: readonly string[]): string => [HEADER, ...lines, ''].join('\n')
const active = (n: number): string => `${validLine(n)},active`
const ended = `${validLine(1)},cancelled`
const unreadable = (n: number): string => `${validLine(n).replace('2024-', '2924-')},active`

describe('a lost ledger is continued with a newer export', () => {
  const save = ({ write }: Place, name: string, ...lines: string[]): void => write(name, exported(...lines))
  const taking = ['--another-ledger', '--reason', 'the disk is lost']
  /** Four mandates are registered, and the ledger is lost. */
  async function lost() {
    const place = await open({ isReal: true })
    save(place, 'jan.csv', active(1), active(2), active(3), active(4))
    expect((await place.run('jan.csv')).status).toBe(0)
    rmSync(place.path(LEDGER))
    return place
  }
  const settle = (place: Place, ...words: string[]) =>
    place.program('resolve', ...words, '--reason', 'asked the service')

  it.each([
    ['has ended there', ended],
    ['cannot be read there', unreadable(1)],
  ])('and of what began and %s a person looks what the service holds', async (_, line) => {
    const place = await lost()
    save(place, 'mar.csv', line, active(2), active(3), active(4), active(5))
    const taken = await place.run('mar.csv', ...taking)
    expect(taken.stdout).toContain('1 open in the cut-over')
    expect(taken.stdout).not.toContain('is in no file here')
    await settle(place, '--row', '1', '--as', 'written-off')
    const creditor = ['--assigned-creditor-identifier', 'DE98ZZZ09999999999', '--assigned-mandate-reference']
    for (const row of ['2', '3', '4'])
      await settle(place, '--row', row, '--as', 'registered', ...creditor, `NEW-${row}`)
    await place.program('compare', 'mar.csv')
    expect(await place.json('status')).toMatchObject({ exitCode: 3, cutOver: { open: 1 } })
    await place.program('report')
    const [open, ...others] = place.rows('cut-over.csv')
    expect([open?.['migration_row'], others]).toEqual(['1', []])
    expect(open?.['migration_action']).toContain('Look whether the service holds it')
    expect((await settle(place, '--row', '1', '--as', 'done')).status).toBe(0)
    await place.program('compare', 'mar.csv')
    expect(await place.json('run', '--yes')).toMatchObject({ exitCode: 0, cutOver: { open: 0 } })
    expect(place.truth().twice()).toEqual([])
  })

  it('and what began and is not in it is told, also where nothing else of it is there', async () => {
    const place = await lost()
    save(place, 'mar.csv', ended, active(5))
    const taken = await place.json('run', '--yes', 'mar.csv', ...taking)
    expect(taken).toMatchObject({ exitCode: 3, held: { inDoubt: 0, inCutOver: 1, missing: 3 } })
    const again = await place.run('jan.csv', '--newer', ...taking)
    expect(again.stdout).not.toContain('are in no file here')
    expect(place.totals()).toMatchObject({ registered: 1, inDoubt: 4 })
    expect(place.truth().twice()).toEqual([])
  })

  it('and so is one that was purged, where its mandates are in the next export', async () => {
    const place = await open({ isReal: true })
    save(place, 'jan.csv', active(1), active(2))
    await place.ends(0, 'run', '--yes', 'jan.csv')
    await place.ends(0, 'compare', 'jan.csv')
    await place.ends(0, 'purge', '--yes', '--reason', 'signed')
    const compared = await place.program('compare', 'jan.csv')
    expect(compared.stderr).toMatch(/^Error: Cannot compare an export with/)
    save(place, 'mar.csv', ended, active(2), active(3))
    expect((await place.run('mar.csv')).stderr).toMatch(/was purged[^]*--ledger FILE[^]*--another-ledger/)
    expect((await place.run('--ledger', 'next.db', 'mar.csv')).stderr).toMatch(
      /Only where it is lost, or was purged, go on with this one: .*--another-ledger/,
    )
    const next = await place.json('run', '--yes', '--ledger', 'next.db', 'mar.csv', ...taking)
    expect(next).toMatchObject({ held: { inDoubt: 1, inCutOver: 1, missing: 0 }, totals: { registered: 1 } })
    expect(place.truth().twice()).toEqual([])
  })
})

it('what a lost ledger began can be asked about before the next one sends anything', async () => {
  const place = await open({ isReal: true })
  expect((await place.run('export.csv')).status).toBe(0)
  rmSync(place.path(LEDGER))
  const taking = ['--ledger', 'second.db', '--all-in-doubt', '--reason', 'the disk is lost']
  expect((await place.run('export.csv', ...taking)).status).toBe(4)
  const { status, stderr } = await place.program('resolve', '--ask', '--ledger', 'second.db')
  expect(status, stderr).not.toBe(2)
  expect(place.truth().twice()).toEqual([])
})

describe('without a folder for the register', () => {
  const NOWHERE = /neither HOME nor XDG_STATE_HOME is an absolute path/
  const startWith = (place: Place, env: Record<string, string>, ...args: string[]) =>
    start(args, { cwd: place.folder(), env: { ...place.env(), HOME: '', XDG_STATE_HOME: '', ...env } }).ended

  it('nothing is sent to a service, and it is once there is one', async () => {
    const place = await open({ isReal: true })
    const run = ['run', 'export.csv', '--yes', '--no-report']
    for (const args of [run, [...run, '--all-in-doubt', '--reason', 'lost'], ['plan', 'export.csv']]) {
      const { status, stderr } = await startWith(place, {}, ...args)
      expect(stderr).toMatch(NOWHERE)
      expect(stderr).toMatch(/nothing was sent\n {2}To do: Set HOME to your home folder, or XDG_STATE_HOME/)
      expect(status).toBe(2)
      expect(existsSync(place.path(LEDGER))).toBe(false)
    }
    expect(place.truth().posts()).toBe(0)

    const first = await startWith(place, { HOME: place.path('home') }, ...run, '--limit', '5')
    expect(first.status, first.stderr).toBe(5)
    expect(existsSync(place.path('home/.local/state/sepa-migrate/register.db'))).toBe(true)
    for (const command of ['status', 'report']) {
      const { status, stderr } = await startWith(place, {}, command)
      expect(status).toBe(5)
      expect(stderr).toMatch(/^Warning: Nobody can tell whether this is the newest copy of the ledger\. /)
      expect(stderr).toMatch(NOWHERE)
    }
    const resolve = ['resolve', '--row', '6', '--as', 'written-off', '--reason', 'ended']
    expect((await startWith(place, {}, ...resolve)).stderr).toMatch(/would not be called older\. Cannot tell/)
    expect((await startWith(place, {}, 'ledger', 'adopt', '--reason', 'lost')).status).toBe(2)
    expect((await startWith(place, { XDG_STATE_HOME: place.path('home/.local/state') }, ...run)).status).toBe(
      0,
    )
    expect(place.truth().posts()).toBe(ROWS - 1)
  })
})

describe('a ledger of which nobody knows what was sent before it', () => {
  const JAN = ['jan.csv', '--all-in-doubt', '--reason', 'another machine']
  const LIST = 'sepa-migrate-report/to-do/corrections.csv'
  const all = (...numbers: number[]): string => exported(...numbers.map(active))

  /** Four are registered; the ledger and the register are lost; of an older export two are right and two are not. */
  async function lost() {
    const place = await open({ isReal: true })
    place.write('true.csv', all(1, 2, 3, 4))
    place.write('jan.csv', exported(active(1), active(2), `${validLine(3)},unclear`, unreadable(4)))
    await place.ends(0, 'run', '--yes', '--no-report', 'true.csv')
    for (const name of [LEDGER, `${LEDGER}-wal`, `${LEDGER}-shm`, 'state'])
      rmSync(place.path(name), { recursive: true, force: true })
    return place
  }
  async function taken() {
    const place = await lost()
    expect((await place.run(...JAN)).status).toBe(4)
    expect(place.totals()).toMatchObject({ inDoubt: 2, conflict: 1, invalid: 1 })
    await place.program('report')
    return place
  }
  const correct = (place: Place): void =>
    place.edit('corrections.csv', (row) => ({
      ...row,
      signed_date: row['signed_date']?.replace('2924-', '2024-') ?? '',
      migration_decision: row['migration_rule'] === 'STATUS_UNKNOWN' ? 'send' : '',
      migration_reason: 'looked up',
    }))
  const wordIsKnown = (place: Place): void =>
    place.write('sepa-migrate.yaml', 'words: { status: { active: [unclear] } }\n')

  it.each<[what: string, rows: number, change: (place: Place) => void, ...run: string[]]>([
    ['is corrected in the list', 2, correct, LIST],
    ['is read otherwise', 1, wordIsKnown, 'jan.csv'],
    ['is right in a newer export', 2, ({ write }) => write('mar.csv', all(1, 2, 3, 4)), 'mar.csv', '--newer'],
    ['comes with another export', 1, ({ write }) => write('feb.csv', all(1, 2, 5)), 'feb.csv'],
  ])('puts in doubt what %s, and sends none of it', async (_, rows, change, ...run) => {
    const place = await taken()
    change(place)
    const checked = await place.json('check', '--ledger', LEDGER, ...run)
    expect(checked).toMatchObject({ totals: { ready: 0, inDoubt: 2 + rows } })
    const planned = await place.json('plan', ...run, '--to', 'plan.json')
    expect(planned, JSON.stringify(planned)).toMatchObject({ plan: { rows: { count: 0 } } })
    const before = place.truth().posts()
    const { status, stdout, stderr } = await place.run(...run)
    expect(status, stdout + stderr).toBe(4)
    expect(stdout).toContain(`a ledger that is lost, or another one, may have sent them: ${rows} row`)
    expect(stdout).toContain('resolve --ask shows which of them the service holds')
    expect(place.totals()).toMatchObject({ ready: 0, inDoubt: 2 + rows })
    const words = place.ledger((reader) =>
      reader.decisions(0, 100).filter(({ decision }) => decision === 'all_in_doubt'),
    )
    expect(words.map(({ reason }) => reason)).toEqual(Array(2 + rows).fill('another machine'))
    expect(place.truth().posts()).toBe(before)
  })

  it('is none because it was called so in vain', async () => {
    const other = await open({ isReal: true })
    other.write('bad.csv', 'nothing\n')
    expect((await other.run('bad.csv', ...JAN.slice(1))).status).not.toBe(0)
    expect((await other.run('export.csv')).status).toBe(0)
  })
})
