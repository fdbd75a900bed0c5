import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { validExport } from '../support/export.js'
import { placeOfTest, type Place as AnyPlace } from '../support/place.js'
import { start, type Ended, type Started } from '../support/program.js'

const ROWS = 40

interface Place extends AnyPlace {
  readonly begin: (args: readonly string[], env?: Readonly<Record<string, string>>) => Started
  readonly run: (...args: string[]) => Promise<Ended>
}

async function open(truth: { isReal?: boolean; delayMs?: number } = {}): Promise<Place> {
  const place = await placeOfTest({ rows: ROWS, truth, ownState: true })
  const asked = ['run', '--yes', '--no-report', '--max-in-doubt', '1000']
  return {
    ...place,
    begin: (args, more = {}) =>
      start([...asked, ...args], { cwd: place.folder(), env: { ...place.env(), ...more } }),
    run: (...args) => place.program(...asked, ...args),
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

/** However often the command is given, with whatever flag: nothing leaves. */
async function expectRefusedForGood(place: Place): Promise<void> {
  const before = place.truth().posts()
  for (const args of [[], [], ['export.csv'], ['--another-ledger', '--reason', 'lost']]) {
    const { status, stderr } = await place.run(...args)
    expect(stderr).toMatch(/is older than it was[^]*Nothing was sent[^]*ledger adopt/)
    expect(status).toBe(8)
  }
  expect(place.truth().posts()).toBe(before)
}

describe('10.6 what is only looked at', () => {
  it('10.6 says that it is an older copy, in status, report and show, and ends with 8', async () => {
    const place = await open()
    const ask = place.program
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
    expect((await ask('customer', 'show', '1')).stderr).toContain('is older than it was')
  })

  it('10.6 is not called older while a run is going', async () => {
    const place = await open({ delayMs: 50 })
    const { ended } = place.begin(['export.csv', '--concurrency', '2'])
    let looks = 0
    const isOver = { now: false }
    void ended.then(() => (isOver.now = true))
    while (!isOver.now) {
      await setImmediate() // the service is in this process too
      const { stderr, status } = await place.program('status')
      if (status !== 2) looks += 1 // 2: there is no ledger yet
      expect(stderr).not.toContain('older than it was')
    }
    expect((await ended).status).toBe(0)
    expect(looks).toBeGreaterThan(0)
  })
})

describe('8.1.1 an old copy of a ledger', () => {
  it.each([
    ['on this machine', false],
    ['of a real service', true],
  ])(
    '%s is refused for good, until a person puts in doubt what may have been sent since',
    async (_, isReal) => {
      const place = await open({ isReal })
      expect((await place.run('export.csv', '--limit', '5')).status).toBe(5)
      take(place, 'copy.db')
      expect((await place.run()).status).toBe(0)
      putBack(place, 'copy.db')
      await expectRefusedForGood(place)

      const adopt = (...args: string[]) => place.program('ledger', 'adopt', '--by', 'Kim', ...args)
      expect(await adopt()).toMatchObject({ status: 2 })
      expect((await adopt('--reason', 'disk was lost', '--dry-run')).stdout).toMatch(
        /: 35, of which[^]*Rows: 6, 7,/,
      )
      expect(place.totals()).toMatchObject({ ready: 35, inDoubt: 0 })
      expect((await adopt('--reason', 'disk was lost')).stdout).toMatch(/All of them are in doubt now/)
      expect(place.totals()).toMatchObject({ registered: 5, ready: 0, inDoubt: 35 })
      const decisions = place.ledger((reader) => reader.decisions(0, 100))
      expect(decisions).toHaveLength(35)
      expect(decisions[0]).toMatchObject({ rowId: 6, by: 'Kim', reason: 'disk was lost' })

      expect((await place.run()).status).toBe(4)
      expect(place.truth().posts()).toBe(ROWS)
      expect(place.truth().twice()).toEqual([])
    },
  )

  it('that was taken during the latest run is refused when it is put back after its end', async () => {
    const place = await open({ isReal: true, delayMs: 5 })
    const { ended } = place.begin(['export.csv', '--concurrency', '1'])
    await place.truth().whenReceived(7)
    take(place, 'copy.db')
    expect((await ended).status).toBe(0)
    putBack(place, 'copy.db')
    await expectRefusedForGood(place)
    expect(place.truth().twice()).toEqual([])
  })

  it('that was taken while the run was going is refused when the run was killed one row later', async () => {
    const place = await open({ isReal: true, delayMs: 20 })
    const { child, ended } = place.begin(['export.csv', '--concurrency', '1'])
    await place.truth().whenReceived(20)
    take(place, 'copy.db')
    await place.truth().whenReceived(22)
    child.kill('SIGKILL')
    await ended
    putBack(place, 'copy.db')
    await expectRefusedForGood(place)
  })

  it('after a kill and a lost -wal is refused, and none of 25 is sent twice', async () => {
    const place = await open({ isReal: true, delayMs: 5 })
    place.write('export.csv', validExport(25))
    const { child, ended } = place.begin(['export.csv'])
    await place.truth().whenReceived(20)
    child.kill('SIGKILL')
    await ended
    rmSync(place.path(`${LEDGER}-wal`))
    await expectRefusedForGood(place)
    expect(place.truth().twice()).toEqual([])
  })

  it('is not suspected after a kill, nor when a tool merged the log into the file', async () => {
    const place = await open({ isReal: true, delayMs: 5 })
    for (const received of [3, 9, 17]) {
      const { child, ended } = place.begin(['export.csv'])
      await place.truth().whenReceived(received)
      child.kill('SIGKILL')
      await ended
      openDatabase(place.path(LEDGER)).exec('vacuum').close()
    }
    expect([0, 4]).toContain((await place.run()).status)
    expect(place.truth().twice()).toEqual([])
  })
})

describe('8.1.1 without a register', () => {
  it('an unfinished run whose write-ahead log is gone is refused all the same', async () => {
    const place = await open({ delayMs: 5 })
    const { child, ended } = place.begin(['export.csv'])
    await place.truth().whenReceived(20)
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
    place.write('later.csv', validExport(10, 1_000))
    expect((await place.run('later.csv')).status).toBe(0)
    putBack(place, 'copy.db')
    await place.program('ledger', 'adopt', '--reason', 'lost')
    const again = await place.run('later.csv')
    expect(again.stderr).toMatch(/10 mandates .* before an older copy was put back"; nothing was sent/)
    expect(again.status).toBe(2)
    expect(place.truth().twice()).toEqual([])
  })
})

describe('8.1.2 a second ledger with the same mandates', () => {
  const second = (place: Place, ...args: string[]) => place.run('--ledger', 'second.db', ...args)
  it('is refused with other lines, more, fewer and in another order', async () => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv')).status).toBe(0)
    const [header, , ...lines] = validExport(ROWS + 3)
      .trim()
      .split('\n')
    place.write('export.csv', [header, ...lines.reverse(), ''].join('\r\n'))
    const { status, stderr } = await second(place, 'export.csv')
    expect(stderr).toMatch(
      /mandates .* already claimed for the same service by the ledger ".*sepa-migrate\.db"; nothing was sent/,
    )
    expect(status).toBe(2)
    expect(place.truth().posts()).toBe(ROWS)
  })

  it('25.2 takes the place of a lost one: what that began is in doubt, the rest is sent, once', async () => {
    const place = await open({ isReal: true })
    await place.run('export.csv', '--limit', '5')
    expect((await second(place, 'export.csv', '--another-ledger')).stderr).toMatch(/no name or no reason/)
    const taken = await second(place, 'export.csv', '--another-ledger', '--reason', 'the disk is lost')
    expect(taken.stdout).toMatch(/In doubt, since another ledger of yours began to send them: 5 rows/)
    expect(taken.status).toBe(4)
    expect(place.truth().posts()).toBe(ROWS)
    expect(place.truth().twice()).toEqual([])
    expect(place.totals('second.db')).toMatchObject({ registered: ROWS - 5, inDoubt: 5 })
    const [first] = place.ledger((reader) => reader.runs(), 'second.db')
    expect(first?.settings.takeOver).toMatch(/by .*: the disk is lost/)
    const back = await place.run()
    expect(back.stderr).toMatch(/is retired: the ledger ".*second\.db" took its place/)
    expect(back.status).toBe(8)
  })

  it('25.2 takes no line of a file of the lost one', async () => {
    const place = await open({ isReal: true })
    await place.run('export.csv', '--limit', '5')
    expect((await place.program('report', '--out', 'pack')).status).toBe(5)
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
    expect(place.truth().posts()).toBe(5)
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
    expect(place.truth().posts()).toBe(5)
  })

  it('25.3 a process that was stopped sends nothing once a copy has gone on', async () => {
    const place = await open({ isReal: true, delayMs: 20 })
    const stopped = place.begin(['export.csv', '--concurrency', '2'])
    await place.truth().whenReceived(8)
    stopped.child.kill('SIGSTOP')
    take(place, 'copy.db')
    const copy = await place.run('--ledger', 'copy.db')
    expect(copy.status, copy.stderr).toBe(4)
    stopped.child.kill('SIGCONT')
    const { status, stderr } = await stopped.ended
    expect(stderr).toMatch(/was overtaken: since this run began, another one has gone on with a copy of it/)
    expect(status).toBe(8)
    expect(place.truth().twice()).toEqual([])
    expect(place.totals().sending).toBe(0)
  })

  it('25.3 is refused while a run goes on with the file that was moved away, -wal and -shm with it', async () => {
    const place = await open({ isReal: true, delayMs: 150 })
    const moved = place.begin(['export.csv', '--concurrency', '2'])
    await place.truth().whenReceived(4)
    for (const ending of ENDINGS) renameSync(place.path(LEDGER + ending), place.path('moved.db' + ending))
    const other = await place.run('--ledger', 'moved.db')
    expect(other.stderr).toMatch(/uses the same file under another name/)
    expect(other.status).toBe(8)
    await moved.ended
    expect(place.truth().twice()).toEqual([])
  })

  it('with other mandates is sent', async () => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv')).status).toBe(0)
    place.write('export.csv', validExport(ROWS, 1_000))
    expect((await second(place, 'export.csv')).status).toBe(0)
    expect(place.truth().posts()).toBe(2 * ROWS)
  })

  it('of two that start at once, one sends and the other is refused', async () => {
    const place = await open({ isReal: true })
    const both = await Promise.all([
      place.begin(['export.csv']).ended,
      place.begin(['--ledger', 'second.db', 'export.csv']).ended,
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([0, 2])
    expect(place.truth().posts()).toBe(ROWS)
  })

  it('an empty XDG_STATE_HOME is none: the register is where it is for every other terminal', async () => {
    const place = await open({ isReal: true })
    const home = { HOME: place.path('home'), XDG_STATE_HOME: '' }
    expect((await place.begin(['export.csv'], home).ended).status).toBe(0)
    expect(existsSync(place.path('home/.local/state/sepa-migrate/register.db'))).toBe(true)
    const { HOME } = home
    const other = place.begin(['export.csv', '--ledger', 'second.db'], { HOME, XDG_STATE_HOME: 'relative' })
    expect((await other.ended).status).toBe(2)
    expect(existsSync(place.path('relative'))).toBe(false)
  })
})

describe('8.1.2 a register that cannot be used stops the run, in JSON too', () => {
  it.each<[string, (place: Place) => void, RegExp]>([
    [
      'is cut',
      ({ path }) => truncateSync(path(REGISTER), 8_192),
      /register\.db": it is damaged or cut.*nothing was sent/,
    ],
    [
      'is of an earlier version',
      ({ write }) => write('state/sepa-migrate/campaigns.jsonl', ''),
      /campaigns\.jsonl": it is of an earlier version/,
    ],
    [
      'cannot be written',
      ({ path }) => {
        rmSync(path('state'), { recursive: true })
        writeFileSync(path('state'), 'a file where the folder should be')
      },
      /ENOTDIR|EEXIST/,
    ],
    [
      'cannot be read',
      ({ path }) => {
        rmSync(path(REGISTER))
        mkdirSync(path(REGISTER))
      },
      /it is not a regular file/,
    ],
  ])('that %s', async (_, damage, message) => {
    const place = await open({ isReal: true })
    expect((await place.run('export.csv')).status).toBe(0)
    place.write('export.csv', validExport(ROWS, 1_000))
    damage(place)
    const { status, stdout } = await place.run('--ledger', 'second.db', 'export.csv', '--json')
    expect(status).toBe(8)
    const { errors } = JSON.parse(stdout) as { errors: { kind: string; message: string }[] }
    expect(errors).toMatchObject([{ kind: 'ledger', message: expect.stringMatching(message) as string }])
    expect(place.truth().posts()).toBe(ROWS)
  })

  it('a rehearsal on this machine goes on, and says so', async () => {
    const place = await open()
    writeFileSync(place.path('state'), 'a file where the folder should be')
    const { status, stdout } = await place.run('export.csv', '--json')
    expect(status).toBe(0)
    expect((JSON.parse(stdout) as { warnings: string[] }).warnings[0]).toMatch(/Cannot use the register/)
  })
})
