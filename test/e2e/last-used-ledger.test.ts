import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, runProgram, start, type Ended, type Started } from '../support/program.js'
import { startTruth, type TruthOptions, type TruthServer } from '../support/truth-server.js'

const ROWS = 40

interface Place {
  readonly folder: string
  readonly server: TruthServer
  readonly path: (name: string) => string
  readonly env: Readonly<Record<string, string>>
  readonly start: (args: readonly string[], env?: Readonly<Record<string, string>>) => Started
  readonly run: (...args: string[]) => Promise<Ended>
}

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

async function open({
  isReal = false,
  ...options
}: TruthOptions & { isReal?: boolean } = {}): Promise<Place> {
  const { folder, remove } = makeFolder()
  const server = await startTruth({ ...options, ...(isReal ? { asRealService: folder } : {}) })
  opened.push(async () => {
    await server.close()
    remove()
  })
  const path = (name: string): string => join(folder, name)
  writeFileSync(path('export.csv'), validExport(ROWS))
  const env = { ...CREDENTIALS, ...server.env, XDG_STATE_HOME: path('state') }
  const asked = [...['run', '--base-url', server.baseUrl, '--yes', '--no-report', '--max-in-doubt', '1000']]
  return {
    ...{ folder, server, path, env },
    start: (args, more = {}) => start([...asked, ...args], { cwd: folder, env: { ...env, ...more } }),
    run: (...args) => runProgram([...asked, ...args], { cwd: folder, env }),
  }
}

const LEDGER = 'sepa-migrate.db'
const REGISTER = 'state/sepa-migrate/register.db'
const ENDINGS = ['', '-wal', '-shm']

/** As `cp` would. */
function take({ path }: Place, copy: string): void {
  for (const ending of ENDINGS)
    if (existsSync(path(LEDGER + ending))) copyFileSync(path(LEDGER + ending), path(copy + ending))
}

function putBack({ path }: Place, copy: string): void {
  for (const ending of ENDINGS) {
    rmSync(path(LEDGER + ending), { force: true })
    if (existsSync(path(copy + ending))) copyFileSync(path(copy + ending), path(LEDGER + ending))
  }
}

function totals({ path }: Place) {
  const reader = openLedgerReader(path(LEDGER))
  try {
    return reader.totals()
  } finally {
    reader.close()
  }
}

/** However often the command is given, with whatever flag: nothing leaves. */
async function expectRefusedForGood(place: Place): Promise<void> {
  const before = place.server.posts()
  for (const args of [[], [], ['export.csv'], ['--another-ledger', '--reason', 'lost']]) {
    const { status, stderr } = await place.run(...args)
    expect(stderr).toMatch(/is older than it was[^]*Nothing was sent[^]*--adopt-older-copy/)
    expect(status).toBe(8)
  }
  expect(place.server.posts()).toBe(before)
}

describe('10.6 what is only looked at', () => {
  it('10.6 says that it is an older copy, in status, report and show, and ends with 8', async () => {
    const place = await open()
    const ask = (...args: string[]): Promise<Ended> => runProgram(args, { cwd: place.folder, env: place.env })
    await place.run('export.csv', '--limit', '5')
    take(place, 'copy.db')
    expect((await place.run()).status).toBe(0)
    expect((await ask('status')).stderr).toBe('')
    putBack(place, 'copy.db')
    for (const command of ['status', 'report']) {
      const { status, stdout, stderr } = await ask(command)
      expect(status).toBe(8)
      expect(stderr).toMatch(
        /^Warning: The ledger ".*" is older than it was: .* is not how the campaign stands\n$/,
      )
      expect(stdout).not.toContain('Next:')
      expect(stdout).toContain('Put the newest copy of the ledger back')
    }
    expect((await ask('show', '--customer', '1')).stderr).toContain('is older than it was')
  })

  it('10.6 is not called older while a run is going', async () => {
    const place = await open({ delayMs: 50 })
    const { ended } = place.start(['export.csv', '--concurrency', '2'])
    let looks = 0
    const isOver = { now: false }
    void ended.then(() => (isOver.now = true))
    while (!isOver.now) {
      await setImmediate() // the service is in this process too
      const { stderr, status } = await runProgram(['status'], { cwd: place.folder, env: place.env })
      if (status !== 2) looks += 1 // 2: there is no ledger yet
      expect(stderr).not.toContain('older than it was')
    }
    expect((await ended).status).toBe(0)
    expect(looks).toBeGreaterThan(0)
  })
})

describe.each([
  ['on this machine', false],
  ['of a real service', true],
])('8.1.1 an old copy of a ledger %s', (_name, isReal) => {
  it('is refused for good, until a person puts in doubt what may have been sent since', async () => {
    const place = await open({ isReal })
    expect((await place.run('export.csv', '--limit', '5')).status).toBe(5)
    take(place, 'copy.db')
    expect((await place.run()).status).toBe(0)
    putBack(place, 'copy.db')
    await expectRefusedForGood(place)

    const adopt = (...args: string[]) =>
      runProgram(['resolve', '--adopt-older-copy', '--by', 'Kim', ...args], {
        cwd: place.folder,
        env: place.env,
      })
    expect(await adopt()).toMatchObject({ status: 2 })
    expect((await adopt('--reason', 'disk was lost', '--dry-run')).stdout).toMatch(
      /: 35, of which[^]*Rows: 6, 7,/,
    )
    expect(totals(place)).toMatchObject({ ready: 35, inDoubt: 0 })
    expect((await adopt('--reason', 'disk was lost')).stdout).toMatch(/All of them are in doubt now/)
    expect(totals(place)).toMatchObject({ registered: 5, ready: 0, inDoubt: 35 })
    const reader = openLedgerReader(place.path(LEDGER))
    expect(reader.decisions(0, 100)).toHaveLength(35)
    expect(reader.decisions(0, 1)[0]).toMatchObject({ rowId: 6, by: 'Kim', reason: 'disk was lost' })
    reader.close()

    expect((await place.run()).status).toBe(4)
    expect(place.server.posts()).toBe(ROWS)
    expect(place.server.twice()).toEqual([])
  })

  it('that was taken during the latest run is refused when it is put back after its end', async () => {
    const place = await open({ isReal, delayMs: 5 })
    const { ended } = place.start(['export.csv', '--concurrency', '1'])
    await place.server.whenReceived(7)
    take(place, 'copy.db')
    expect((await ended).status).toBe(0)
    putBack(place, 'copy.db')
    await expectRefusedForGood(place)
    expect(place.server.twice()).toEqual([])
  })

  it('that was taken while the run was going is refused when the run was killed one row later', async () => {
    const place = await open({ isReal, delayMs: 20 })
    const { child, ended } = place.start(['export.csv', '--concurrency', '1'])
    await place.server.whenReceived(20)
    take(place, 'copy.db')
    await place.server.whenReceived(22)
    child.kill('SIGKILL')
    await ended
    putBack(place, 'copy.db')
    await expectRefusedForGood(place)
  })

  it('after a kill and a lost -wal is refused, and none of 25 is sent twice', async () => {
    const place = await open({ isReal, delayMs: 5 })
    writeFileSync(place.path('export.csv'), validExport(25))
    const { child, ended } = place.start(['export.csv'])
    await place.server.whenReceived(20)
    child.kill('SIGKILL')
    await ended
    rmSync(place.path(`${LEDGER}-wal`))
    await expectRefusedForGood(place)
    expect(place.server.twice()).toEqual([])
  })

  it('is not suspected after a kill, nor when a tool merged the log into the file', async () => {
    const place = await open({ isReal, delayMs: 5 })
    for (const received of [3, 9, 17]) {
      const { child, ended } = place.start(['export.csv'])
      await place.server.whenReceived(received)
      child.kill('SIGKILL')
      await ended
      openDatabase(place.path(LEDGER)).exec('vacuum').close()
    }
    expect([0, 4]).toContain((await place.run()).status)
    expect(place.server.twice()).toEqual([])
  })
})

describe('8.1.1 without a register', () => {
  it('an unfinished run whose write-ahead log is gone is refused all the same', async () => {
    const place = await open({ delayMs: 5 })
    const { child, ended } = place.start(['export.csv'])
    await place.server.whenReceived(20)
    child.kill('SIGKILL')
    await ended
    rmSync(place.path(`${LEDGER}-wal`))
    rmSync(place.path('state'), { recursive: true })
    await expectRefusedForGood(place)
  })

  it('what a corrected file brought in after the copy is not sent again on the strength of the copy', async () => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv', '--limit', '5')).status).toBe(5)
    take(place, 'copy.db')
    writeFileSync(place.path('later.csv'), validExport(10, 1_000))
    expect((await place.run('later.csv')).status).toBe(0)
    putBack(place, 'copy.db')
    await runProgram(['resolve', '--adopt-older-copy', '--reason', 'lost'], {
      cwd: place.folder,
      env: place.env,
    })
    const again = await place.run('later.csv')
    expect(again.stderr).toMatch(/10 mandates .* before an older copy was put back"; nothing was sent/)
    expect(again.status).toBe(2)
    expect(place.server.twice()).toEqual([])
  })
})

describe('8.1.2 a second ledger with the same mandates', () => {
  const second = (place: Place, ...args: string[]) => place.run('--ledger', 'second.db', ...args)
  const rewrite = ({ path }: Place, change: (text: string) => string): void =>
    writeFileSync(path('export.csv'), change(readFileSync(path('export.csv'), 'utf8')))

  it.each([
    ['with one more line end', (text: string) => `${text}\n`],
    ['with other line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    [
      'with a few rows more and fewer',
      (text: string) => text.replace(/\n7,.*/, '') + validExport(3, 900).replace(/.*\n/, ''),
    ],
    [
      'in another order',
      (text: string) =>
        [text.split('\n', 1)[0], ...text.trim().split('\n').slice(1).reverse(), ''].join('\n'),
    ],
  ])('is refused %s', async (_name, change) => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv')).status).toBe(0)
    rewrite(place, change)
    const { status, stderr } = await second(place, 'export.csv')
    expect(stderr).toMatch(
      /mandates .* already claimed for the same service by the ledger ".*sepa-migrate\.db"; nothing was sent/,
    )
    expect(status).toBe(2)
    expect(place.server.posts()).toBe(ROWS)
  })

  it('25.2 takes the place of a lost one: what that began is in doubt, the rest is sent, once', async () => {
    const place = await open({ isReal: true })
    await place.run('export.csv', '--limit', '5')
    expect((await second(place, 'export.csv', '--another-ledger')).stderr).toMatch(/no name or no reason/)
    const taken = await second(place, 'export.csv', '--another-ledger', '--reason', 'the disk is lost')
    expect(taken.stdout).toMatch(/In doubt, since another ledger of yours began to send them: 5 rows/)
    expect(taken.status).toBe(4)
    expect(place.server.posts()).toBe(ROWS)
    expect(place.server.twice()).toEqual([])
    const reader = openLedgerReader(place.path('second.db'))
    expect(reader.totals()).toMatchObject({ registered: ROWS - 5, inDoubt: 5 })
    expect(reader.runs()[0]?.settings.takeOver).toMatch(/by .*: the disk is lost/)
    reader.close()
    const back = await place.run()
    expect(back.stderr).toMatch(/is retired: the ledger ".*second\.db" took its place/)
    expect(back.status).toBe(8)
  })

  it('25.2 takes no line of a file of the lost one', async () => {
    const place = await open({ isReal: true })
    await place.run('export.csv', '--limit', '5')
    const report = { cwd: place.folder, env: place.env }
    expect((await runProgram(['report', '--out', 'pack'], report)).status).toBe(5)
    const taken = await second(
      place,
      'pack/to-do/not-sent.csv',
      '--another-ledger',
      '--reason',
      'the disk is lost',
    )
    expect(taken.stderr).toContain(
      `${ROWS - 5} of ${ROWS - 5} corrections in "not-sent.csv" could not be taken`,
    )
    expect(place.server.posts()).toBe(5)
  })

  it('25.2 puts every row in doubt where the register is lost or damaged', async () => {
    const place = await open({ isReal: true })
    await place.run('export.csv', '--limit', '5')
    truncateSync(place.path(REGISTER), 100)
    const refused = await second(place, 'export.csv', '--another-ledger', '--reason', 'the disk is lost')
    expect(refused.stderr).toMatch(/Cannot use the register[^]*--all-in-doubt --reason/)
    expect(refused.status).toBe(8)
    const taken = await second(place, 'export.csv', '--all-in-doubt', '--reason', 'the disk is lost')
    expect(taken.stdout).toMatch(/In doubt, since they may have been sent before: 40 rows/)
    expect(taken.status).toBe(4)
    expect((await second(place)).status).toBe(4)
    expect(place.server.posts()).toBe(5)
  })

  it('25.3 a process that was stopped sends nothing once a copy has gone on', async () => {
    const place = await open({ isReal: true, delayMs: 20 })
    const stopped = place.start(['export.csv', '--concurrency', '2'])
    await place.server.whenReceived(8)
    stopped.child.kill('SIGSTOP')
    take(place, 'copy.db')
    const copy = await place.run('--ledger', 'copy.db')
    expect(copy.status, copy.stderr).toBe(4)
    stopped.child.kill('SIGCONT')
    const { status, stderr } = await stopped.ended
    expect(stderr).toMatch(/was overtaken: since this run began, another one has gone on with a copy of it/)
    expect(status).toBe(8)
    expect(place.server.twice()).toEqual([])
    const reader = openLedgerReader(place.path(LEDGER))
    expect(reader.totals().sending).toBe(0)
    reader.close()
  })

  it('25.3 is refused while a run goes on with the file that was moved away, -wal and -shm with it', async () => {
    const place = await open({ isReal: true, delayMs: 150 })
    const moved = place.start(['export.csv', '--concurrency', '2'])
    await place.server.whenReceived(4)
    for (const ending of ENDINGS) renameSync(place.path(LEDGER + ending), place.path('moved.db' + ending))
    const other = await place.run('--ledger', 'moved.db')
    expect(other.stderr).toMatch(/uses the same file under another name/)
    expect(other.status).toBe(8)
    await moved.ended
    expect(place.server.twice()).toEqual([])
  })

  it('with other mandates is sent', async () => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv')).status).toBe(0)
    writeFileSync(place.path('export.csv'), validExport(ROWS, 1_000))
    expect((await second(place, 'export.csv')).status).toBe(0)
    expect(place.server.posts()).toBe(2 * ROWS)
  })

  it('of two that start at once, one sends and the other is refused', async () => {
    const place = await open({ isReal: true })
    const both = await Promise.all([
      place.start(['export.csv']).ended,
      place.start(['--ledger', 'second.db', 'export.csv']).ended,
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([0, 2])
    expect(place.server.posts()).toBe(ROWS)
  })

  it('an empty XDG_STATE_HOME is none: the register is where it is for every other terminal', async () => {
    const place = await open({ isReal: true })
    const home = { HOME: place.path('home'), XDG_STATE_HOME: '' }
    expect((await place.start(['export.csv'], home).ended).status).toBe(0)
    expect(existsSync(place.path('home/.local/state/sepa-migrate/register.db'))).toBe(true)
    const { HOME } = home
    const other = place.start(['export.csv', '--ledger', 'second.db'], { HOME, XDG_STATE_HOME: 'relative' })
    expect((await other.ended).status).toBe(2)
    expect(existsSync(place.path('relative'))).toBe(false)
  })
})

describe('8.1.2 a register that cannot be used stops the run, in JSON too', () => {
  async function expectStopped(place: Place, message: RegExp): Promise<void> {
    const { status, stdout } = await place.run('--ledger', 'second.db', 'export.csv', '--json')
    expect(status).toBe(8)
    const { errors } = JSON.parse(stdout) as { errors: { kind: string; message: string }[] }
    expect(errors).toMatchObject([{ kind: 'ledger', message: expect.stringMatching(message) as string }])
    expect(place.server.posts()).toBe(ROWS)
  }

  async function used(): Promise<Place> {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv')).status).toBe(0)
    writeFileSync(place.path('export.csv'), validExport(ROWS, 1_000))
    return place
  }

  it('that is emptied', async () => {
    const place = await used()
    truncateSync(place.path(REGISTER), 0)
    await expectStopped(place, /register\.db": it is empty, or no register.*nothing was sent/)
  })

  it('that is cut', async () => {
    const place = await used()
    truncateSync(place.path(REGISTER), 8_192)
    await expectStopped(place, /register\.db": it is damaged or cut.*nothing was sent/)
  })

  it('that is of an earlier version', async () => {
    const place = await used()
    writeFileSync(place.path('state/sepa-migrate/campaigns.jsonl'), '', { mode: 0o600 })
    await expectStopped(place, /campaigns\.jsonl": it is of an earlier version/)
  })

  it('that cannot be written', async () => {
    const place = await used()
    rmSync(place.path('state'), { recursive: true })
    writeFileSync(place.path('state'), 'a file where the folder should be')
    await expectStopped(place, /ENOTDIR|EEXIST/)
  })

  it('that cannot be read', async () => {
    const place = await used()
    rmSync(place.path(REGISTER))
    mkdirSync(place.path(REGISTER))
    await expectStopped(place, /it is not a regular file/)
  })

  it('a rehearsal on this machine goes on, and says so', async () => {
    const place = await open()
    writeFileSync(place.path('state'), 'a file where the folder should be')
    const { status, stdout } = await place.run('export.csv', '--json')
    expect(status).toBe(0)
    expect((JSON.parse(stdout) as { warnings: string[] }).warnings[0]).toMatch(/Cannot use the register/)
  })
})
