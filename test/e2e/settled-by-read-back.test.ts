import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { cancelSource, placeOfTest, sourceIds, type Place } from '../support/place.js'
import type { Ended } from '../support/program.js'
import { openTerminal } from '../support/terminal.js'
import { agreeToProposals, type DoubtLine } from '../support/proposals.js'
import { movableTime, typeIn, type Time, type Typed } from '../support/typed.js'

const ROWS = 150
const KILLS = 3
const CONCURRENCY = 16
const SEED = Number(process.env['READ_BACK_SEED'] ?? 20_261_122)

let place: Place
const sandbox = () => place.sandbox()
const open = async (rows: number, options: SandboxOptions): Promise<void> => {
  place = await placeOfTest({ rows, ownState: true, sandbox: options })
}

const CONNECTED = ['--quiet', '--concurrency', `${CONCURRENCY}`, '--timeout', '2']
const SEND = ['run', 'export.csv', '--no-report', '--max-in-doubt', '100000', ...CONNECTED]
const send = (): Promise<Ended> => place.program(...SEND)
const readBack = (...more: string[]): Promise<Ended> =>
  place.program('resolve', '--ask', '--dry-run', ...CONNECTED, ...more)
const resolve = (...args: string[]): Promise<Ended> =>
  place.program('resolve', ...args, '--by', 'Ada', '--reason', 'read back')
const path = (name: string): string => place.path(name)

const rowsOf = (state: 'in_doubt' | 'registered') => place.ledger((reader) => reader.rows([state], 0, ROWS))

const whenHeld = async (count: number): Promise<void> => {
  while (sandbox().mandates().length < count) await new Promise((resolve) => setImmediate(resolve))
}

/** Never twice, and no row is called registered that is not there with these identifiers. */
function judge(): Map<number, string> {
  const held = new Map(
    sandbox()
      .mandates()
      .map((each) => [each.customer_no, each.unique_mandate_reference]),
  )
  expect(held.size).toBe(sandbox().mandates().length)
  for (const row of rowsOf('registered'))
    expect(held.get(row.customerNo ?? 0)).toBe(row.assignedMandateReference)
  return held
}

/** No mandate left twice unless somebody recorded that it should. */
function judgeRequests(): void {
  place.ledger((reader) => {
    for (const { id } of reader.rows(['registered', 'in_doubt'], 0, ROWS)) {
      const resent = reader.decisionsOfRow(id).filter(({ decision }) => decision === 'resend').length
      const outcomes = reader.attempts(id).map(({ outcome }) => outcome)
      expect(outcomes.filter((outcome) => outcome === 'released')).toHaveLength(resent)
      const mayHaveLeft = outcomes.filter((outcome) => outcome === 'registered' || outcome === 'in_doubt')
      expect(mayHaveLeft).toHaveLength(1)
    }
  })
}

/** One question showed nothing of it, a later one showed it. */
function wasAbsentFirst(rowId: number): boolean {
  const verdicts = place.ledger((reader) => reader.proofsOfRow(rowId)).map(({ verdict }) => verdict)
  return verdicts[0] === 'absent' && verdicts.at(-1) === 'proven'
}

const HOUR = 60 * 60_000
const LAG_MS = 5_000
/** A lost question, or a resend that is lost too, takes a day each. */
const MOST_DAYS = 15

/** The time of the service; it can stand still, so that a lag lasts until somebody has asked. */
function serviceTime(time: Time) {
  let stoppedMs: number | null = null
  return {
    now: () => new Date(stoppedMs ?? time.now()),
    stop: () => void (stoppedMs = time.now()),
    goOn: () => void (stoppedMs = null),
  }
}

/** Kills it three times; the last time it is let through to its end. */
async function sendWithKills(onKill: (kill: number) => void): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const { child, ended } = place.start(...SEND)
    await whenHeld((kill * ROWS) / (KILLS + 1))
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    onKill(kill)
  }
  expect((await send()).status).toBe(4)
}

/** Somebody at the command line on the same ledger, whose time can pass. */
function operator(time: Time) {
  const type = (...args: string[]): Promise<Typed> => typeIn(place.folder(), time, args)
  const connected = [...CONNECTED, '--base-url', sandbox().url]

  async function ask(...more: string[]): Promise<string> {
    const { status, stdout, stderr } = await type('resolve', '--ask', '--dry-run', ...connected, ...more)
    expect([0, 4, 5], stderr).toContain(status)
    expect(stdout).toContain('No state was changed')
    judge()
    return stdout
  }

  async function settle(): Promise<number> {
    const before = rowsOf('in_doubt').length
    await type('resolve', '--ask', '--yes', '--by', 'Ada', ...connected)
    judge()
    return before - rowsOf('in_doubt').length
  }

  /** A row whose run has shown nothing else is looked up by hand, as the evidence says. */
  const lookedUp = ({ migration_proposal_evidence: evidence = '', customer_no: customerNo }: DoubtLine) =>
    evidence.includes('no registered row of that run') &&
    !sandbox()
      .mandates()
      .some(({ customer_no }) => String(customer_no) === customerNo)
      ? 'resend'
      : null

  /** @returns the status of the run that sends what was decided; null where nothing was */
  async function decideAndRun(): Promise<number | null> {
    await type('report', '--out', path('pack'))
    const decided = agreeToProposals(path('pack/to-do/in-doubt.csv'), path('decided.csv'), lookedUp)
    if (decided === 0 && rowsOf('in_doubt').length > 0) return null
    if (decided > 0) {
      const { stdout, stderr } = await type('resolve', '--from', path('decided.csv'), '--by', 'Ada')
      expect(stdout, stderr).toContain(`${decided} decision${decided === 1 ? '' : 's'} recorded.`)
    }
    const { status } = await type('run', '--no-report', '--max-in-doubt', '100000', ...connected)
    judge()
    return status
  }

  return { ask, settle, decideAndRun }
}

describe('a campaign of faults and kills', () => {
  it.each([
    ['no lag', 0],
    ['a lag of five seconds', LAG_MS],
  ])(
    `is brought to its end by what is read back, with %s (seed ${SEED})`,
    async (_, lagMs) => {
      const time = movableTime()
      const service = serviceTime(time)
      await open(ROWS, {
        chaos: 0.05,
        seed: SEED,
        readBackLagMs: lagMs,
        choices: { repeatedMandate: 'register' },
        now: service.now,
      })
      await sendWithKills((kill) => {
        if (lagMs === 0 || kill !== 2) return
        time.pass(lagMs)
        service.stop()
      })
      const doubts = rowsOf('in_doubt').length
      judge()
      const { ask, settle, decideAndRun } = operator(time)

      // A lag makes rows look absent; none is sent for it, and they are proven once it is over.
      const before = sandbox().mandates().length
      await ask()
      expect(await settle()).toBeGreaterThan(0)
      expect(await decideAndRun()).toBeNull()
      service.goOn()
      time.pass(lagMs)
      const settled: number[] = []
      for (
        let n = 0;
        n < 40 && rowsOf('in_doubt').some(({ customerNo }) => judge().has(customerNo ?? 0));
        n += 1
      ) {
        await ask()
        settled.push(await settle())
      }
      if (lagMs > 0) {
        expect(settled[0]).toBeGreaterThan(0)
        expect(rowsOf('registered').some(({ id }) => wasAbsentFirst(id))).toBe(true)
      }
      expect(sandbox().mandates()).toHaveLength(before)
      const held = judge()
      expect(rowsOf('in_doubt').filter(({ customerNo }) => held.has(customerNo ?? 0))).toEqual([])
      expect(rowsOf('registered')).toHaveLength(held.size)
      expect(doubts).toBeGreaterThan(rowsOf('in_doubt').length)

      // What is left was never there. A day later that is evidence, and a person decides by it.
      const left = rowsOf('in_doubt').length
      expect(left).toBeGreaterThan(0)
      let status: number | null = 4
      let days = 0
      for (; status !== 0 && days < MOST_DAYS; days += 1) {
        time.pass(25 * HOUR)
        if ((await ask()).includes('resolve --ask --of registered')) await ask('--of', 'registered')
        await settle()
        status = await decideAndRun()
      }
      expect(status, `after ${days} days`).toBe(0)
      expect(judge().size).toBe(ROWS)
      expect(sandbox().mandates()).toHaveLength(ROWS)
      expect(rowsOf('registered')).toHaveLength(ROWS)
      judgeRequests()
    },
    240_000,
  )
})

describe('the commands', () => {
  const applied = (customer_no: number) =>
    ({ operation: 'migrate', match: { customer_no }, fault: { kind: 'reset', applied: true } }) as const
  const lost = (customer_no: number) =>
    ({ operation: 'migrate', match: { customer_no }, fault: { kind: 'reset', applied: false } }) as const

  it('prove a row, show it, record it, and tell why another one stays', async () => {
    await open(4, { faults: [applied(2), lost(3)] })
    expect((await send()).status).toBe(4)

    const asked = await readBack()
    expect(asked.status).toBe(4)
    // The two in doubt, and two registered ones beside which an absence counts.
    expect(asked.stdout).toContain('Asked about 4 customers; each gave a list. No state was changed.')
    expect(asked.stdout).toContain('1 proven: the service holds it, once')
    expect(asked.stdout).toContain('1 absent: the customer has no payment source there')
    expect(asked.stdout).toContain('Row 2: in_doubt → registered (not recorded)')
    expect(asked.stdout).toMatch(
      /Row 3 stays in doubt: asked once, .*: no payment source of the customer; ask again from /,
    )
    expect(asked.stdout).toContain('Next: sepa-migrate resolve --ask')
    expect(rowsOf('in_doubt')).toHaveLength(2)

    const recorded = await resolve('--ask', '--yes', ...CONNECTED)
    expect(recorded).toMatchObject({ status: 4, stderr: '' })
    expect(recorded.stdout).toContain('1 decision recorded.')
    const held = judge()
    expect([...held.keys()].sort()).toEqual([1, 2, 4])
    expect(rowsOf('registered').map(({ customerNo }) => customerNo)).toEqual([1, 2, 4])

    const show = (...more: string[]) => place.program('customer', 'show', '2', ...more)
    expect((await show()).stdout).toMatch(
      /read back at \S+: proven; source \S+ PENDING \S+ DE…\d{4} \S+ \(question \S+\)/,
    )
    const { customer } = JSON.parse((await show('--json')).stdout) as {
      customer: { rows: { readBack: { verdict: string; sources: object[] }[] }[] }
    }
    expect(customer.rows[0]?.readBack).toMatchObject(
      [1, 2].map(() => ({ verdict: 'proven', sources: [{ status: 'PENDING', reference: held.get(2) }] })),
    )

    const again = await resolve('--ask', '--yes', ...CONNECTED)
    expect(again.stdout).toContain('Nothing in doubt is proven; nothing was recorded.')
    for (const { stdout, stderr } of [asked, recorded, again])
      for (const { iban } of sandbox().mandates()) expect(stdout + stderr).not.toContain(iban)
  })

  it('say what is missing or too much', async () => {
    await open(3, { faults: [applied(2)] })
    await send()
    const both = await resolve('--ask', '--yes', '--row', '2', '--as', 'registered')
    expect(both.status).toBe(2)
    expect(both.stderr).toContain('the evidence in the ledger decides')
    expect(rowsOf('in_doubt')).toHaveLength(1)
  })

  it('leave a second mandate of a row to a person', async () => {
    await open(3, {
      faults: [applied(2)],
      choices: { repeatedMandate: 'register' },
    })
    await send()
    const [row] = rowsOf('in_doubt')
    await resolve('--row', String(row?.id), '--as', 'resend', '--yes-resend', 'MANDATE-2')
    await send()
    expect(sandbox().mandates()).toHaveLength(4)
    const { status, stdout } = await readBack()
    expect(status).toBe(4)
    expect(stdout).toContain('1 twice: the service holds more than one')
    const left = await resolve('--ask', '--yes', ...CONNECTED)
    expect(left.stdout).toMatch(/Row 2 stays in doubt: the service holds it more than once: ps-\S+, ps-\S+/)
  })

  it('end with 4 where a registered mandate is not shown exactly once, and name it', async () => {
    await open(4, { choices: { repeatedMandate: 'register' } })
    expect((await send()).status).toBe(0)
    expect((await readBack('--of', 'registered')).status).toBe(0)
    await cancelSource(place, (await sourceIds(place, 2))[0])
    const ended = await readBack('--of', 'registered')
    expect(ended.status).toBe(4)
    expect(ended.stdout).toContain('Registered, and not proven at the service: 1 different')
    expect(ended.stdout).toContain(
      'row 2, customer 2, different: The service shows this mandate as ended (CANCELLED).',
    )
    expect(rowsOf('registered')).toHaveLength(4)
  })

  it.skipIf(process.platform !== 'linux')('29.2 are recorded by a y alone, on a terminal', async () => {
    await open(3, { faults: [applied(2)] })
    await send()
    for (const [answer, left] of [
      ['\r', 1],
      ['no\r', 1],
      ['y\r', 0],
    ] as const) {
      const session = openTerminal(['resolve', '--ask', '--by', 'Ada'], {
        cwd: place.folder(),
        columns: 100,
        env: place.env(),
      })
      await session.shows('Type y to record 1 row as registered')
      session.type(answer)
      await session.ended
      expect(rowsOf('in_doubt')).toHaveLength(left)
    }
    judge()
  })
})
