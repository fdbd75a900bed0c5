import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { germanIban } from '../support/export.js'
import { filesBelow } from '../support/folder.js'
import { type Place, placeOfTest, postElsewhere } from '../support/place.js'
import type { Ended } from '../support/program.js'
import { openTerminal } from '../support/terminal.js'

const HOUR = 60 * 60_000

/** A clock that somebody can set forward; the service and the people beside it share it. */
function movableTime() {
  let aheadMs = 0
  const now = (): number => Date.now() + aheadMs
  const pass = (ms: number): void => void (aheadMs += ms)
  return { now, pass, time: { clock: { now, monotonic: () => performance.now() } } }
}

const reset = (customer_no: number, applied: boolean) =>
  ({ operation: 'migrate', match: { customer_no }, fault: { kind: 'reset', applied } }) as const

describe('the answers of the service', () => {
  let place: Place
  const open = async (rows: number, options: SandboxOptions): Promise<void> => {
    place = await placeOfTest({ rows, ownState: true, sandbox: options })
    await place.ends(4, 'run', 'export.csv', '--no-report')
  }
  const resolve = (...args: string[]): Promise<Ended> =>
    place.program('resolve', ...args, '--by', 'Ada', '--reason', 'read back')
  const customersOf = (state: 'in_doubt' | 'registered') =>
    place.ledger((reader) => reader.rows([state], 0, 10)).map(({ customerNo }) => customerNo)

  describe('what is in doubt', () => {
    it('is proven, shown and recorded, and it is told why another row stays', async () => {
      await open(4, { faults: [reset(2, true), reset(3, false)] })
      const both = await place.ends(2, 'resolve', '--ask', '--yes', '--row', '2', '--as', 'registered')
      expect(both.stderr).toContain('the evidence in the ledger decides')
      const asked = await resolve('--ask', '--dry-run')
      expect(asked.status).toBe(4)
      // The two in doubt, and two registered ones beside which an absence counts.
      for (const told of [
        'Asked about 4 customers; each gave a list. No state was changed.',
        '1 proven: the service holds it, once',
        '1 absent: the customer has no payment source there',
        'Row 2: in_doubt → registered (not recorded)',
        'Next: sepa-migrate resolve --ask',
      ])
        expect(asked.stdout).toContain(told)
      expect(asked.stdout).toMatch(
        /Row 3 stays in doubt: asked once, .*: no payment source of the customer; ask again from /,
      )
      expect(customersOf('in_doubt')).toEqual([2, 3])

      const recorded = await resolve('--ask', '--yes')
      expect(recorded.status, recorded.stderr).toBe(4)
      expect(recorded.stdout).toContain('1 decision recorded.')
      expect(customersOf('registered')).toEqual([1, 2, 4])
      expect(place.held().sort()).toEqual([1, 2, 4])
      const reference = place.mandateOf(2)?.unique_mandate_reference

      const show = (...more: string[]) => place.program('customer', 'show', '2', ...more)
      expect((await show()).stdout).toMatch(
        /read back at \S+: proven; source \S+ PENDING \S+ DE…\d{4} \S+ \(question \S+\)/,
      )
      const { customer } = JSON.parse((await show('--json')).stdout) as {
        customer: { rows: { readBack: object[] }[] }
      }
      expect(customer.rows[0]?.readBack[0]).toMatchObject({
        verdict: 'proven',
        sources: [{ status: 'PENDING', reference }],
      })

      const again = await resolve('--ask', '--yes')
      expect(again.stdout).toContain('Nothing in doubt is proven; nothing was recorded.')
      for (const { stdout, stderr } of [asked, recorded, again])
        for (const { iban } of place.sandbox().mandates()) expect(stdout + stderr).not.toContain(iban)
    })

    it.skipIf(process.platform !== 'linux')('is recorded by a y alone, on a terminal', async () => {
      await open(3, { faults: [reset(2, true)] })
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
        expect(customersOf('in_doubt')).toHaveLength(left)
      }
    })
  })
})

describe('absence', () => {
  const lost = (customer_no: number) => ({ ...reset(customer_no, false), times: 1 }) as const

  it('a row that the service does not show is proposed late enough, and goes once when a person agrees', async () => {
    // Customers 1 to 4; the requests of 2 and 3 were lost, and customer 3 has another mandate at the service.
    const { now, pass, time } = movableTime()
    const place = await placeOfTest({
      ...{ rows: 4, ownState: true, time },
      sandbox: { faults: [lost(2), lost(3)], now: () => new Date(now()) },
    })
    const { path, program, ends, held } = place
    await program('run', 'export.csv', '--no-report')
    expect((await postElsewhere(place, 3, { iban: germanIban(900), signed_date: '2020-02-29' })).status).toBe(
      200,
    )
    const ask = (...more: string[]): Promise<Ended> => program('resolve', '--ask', '--dry-run', ...more)
    /** What the report says of each row in doubt: the proposal and its evidence. */
    async function proposals(...more: string[]): Promise<Record<string, readonly [string, string]>> {
      const { stdout } = await ends(4, 'report', '--out', 'pack', ...more)
      const lines = place.rows('pack/to-do/in-doubt.csv')
      const isProposed = lines.some((line) => line['migration_proposal'] !== '')
      expect(stdout.includes('1 row in doubt is absent for long enough')).toBe(isProposed)
      for (const line of lines) expect(line['migration_decision']).toBe('')
      const said = (line: (typeof lines)[number]) =>
        [line['migration_proposal'] ?? '', line['migration_proposal_evidence'] ?? ''] as const
      return Object.fromEntries(lines.map((line) => [line['customer_no'] ?? '', said(line)]))
    }
    const filesOf = (folder: string) =>
      filesBelow(path(folder)).map((name) => [name, readFileSync(path(`${folder}/${name}`), 'base64')])

    expect(await proposals()).toEqual({ 2: ['', ''], 3: ['', ''] })
    pass(60_000)
    expect((await ask('--of', 'all')).stdout).toMatch(
      /1 row in doubt is absent so far: ask again from .* UTC/,
    )
    expect(await proposals()).toEqual({
      2: [
        '',
        expect.stringMatching(/^Asked once, .*: no payment source of the customer; ask again from .* UTC/),
      ],
      3: ['', expect.stringContaining('Not absent: the service shows payment sources of the customer')],
    })
    pass(23 * HOUR)
    await ask('--of', 'all')
    expect((await proposals())[2]).toEqual(['', expect.stringMatching(/^Asked 2 times .*; ask again from/)])
    // One that was not asked late enough does not become enough by waiting, and a report does not change by it.
    await program('report', '--out', 'first')
    pass(48 * HOUR)
    expect((await proposals())[2]?.[0]).toBe('')
    await program('report', '--out', 'second')
    expect(filesOf('second')).toEqual(filesOf('first'))
    place.write('three.yaml', 'readBack:\n  absentAfter: 3h\n')
    expect((await proposals('--config', 'three.yaml'))[2]?.[0]).toBe('resend')
    expect((await ask()).stdout).toMatch(/Row 2 stays in doubt: .*to-do\/in-doubt\.csv proposes resend/)
    expect((await proposals())[2]?.[0]).toBe('resend')
    expect(place.read('pack/report.html')).toContain('Read back as absent for long enough: 1.')
    expect((await program('status', '--json')).stdout).toContain('"absent":{"proposed":1,"waiting":0')

    expect(held()).toEqual([1, 4, 3])
    // Who agrees with every proposal copies the word and gives a reason.
    const agreed = { migration_reason: 'absent', migration_by: 'Ada' }
    place.edit(
      'pack/to-do/in-doubt.csv',
      ({ migration_proposal: word = '', ...row }) =>
        word === '' ? row : { ...row, ...agreed, migration_decision: word },
      'decided.csv',
    )
    const recorded = await program('resolve', '--from', 'decided.csv')
    expect(recorded.stdout, recorded.stderr).toContain('Row 2: in_doubt → ready')
    expect(recorded.stdout).toContain('1 decision recorded.')
    await place.ends(4, 'run', '--no-report')
    expect(held()).toEqual([1, 4, 3, 2])
    expect(Object.keys(await proposals())).toEqual(['3'])
  })
})

describe('the question before sending', () => {
  /** A service that takes a second mandate, so that one would show. */
  const startService = (rows: number, options: SandboxOptions = {}): Promise<Place> =>
    placeOfTest({ rows, sandbox: { choices: { repeatedMandate: 'register' }, ...options } })

  const run = ({ program }: Place, ...args: string[]): Promise<Ended> =>
    program('run', ...args, '--timeout', '2')

  const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
  const heldBy = ({ held }: Place): number[] => held().sort((a, b) => a - b)

  /** Somebody did these with another program, one by one, until each was there. */
  async function postByHand(place: Place, customers: readonly number[]): Promise<void> {
    for (const n of customers)
      while (!place.held().includes(n)) await postElsewhere(place, n).catch(() => undefined)
  }

  const resolve = ({ program }: Place): Promise<Ended> =>
    program('resolve', '--ask', '--yes', '--reason', 'begun by hand', '--by', 'Ada')

  const FIRST = ['--read-back', '--check-before-send']

  describe('a campaign that somebody began by hand', () => {
    it('is finished with none twice: what is there is held back, then recorded', async () => {
      const there = await startService(12)
      await postByHand(there, [1, 3, 5, 7, 9, 11])
      const unsaid = await run(there, 'export.csv', '--check-before-send')
      expect(unsaid.status).toBe(2)
      expect(unsaid.stderr).toContain('Nobody has said that this service can be asked what it holds')

      const pilot = await run(there, 'export.csv', ...FIRST, '--limit', '4')
      expect(pilot.status, pilot.stderr).toBe(4)
      expect(pilot.stdout).toContain('Already at the service, not sent: 2 rows of this run')
      // Whoever pastes it asks first again, although it is not `resolve` that takes the flag.
      expect(pilot.stdout).toContain('Next: sepa-migrate resolve --ask')
      const recorded = await resolve(there)
      expect(recorded.status, recorded.stderr).toBe(5)
      expect(recorded.stdout).toMatch(/Next: sepa-migrate run .*--read-back --check-before-send$/m)

      const rest = await run(there, ...FIRST)
      expect(rest.stdout).toContain('Already at the service, not sent: 4 rows')
      expect(rest.stderr).not.toContain('Row ') // one line in all, not one for each
      expect(there.read('report.html')).toContain('already at the service, not sent')
      expect((await resolve(there)).status).toBe(0)
      expect((await run(there, ...FIRST)).status).toBe(0)
      expect(there.totals()).toMatchObject({ registered: 12, inDoubt: 0 })
      expect(heldBy(there)).toEqual(upTo(12))
      for (const { stdout, stderr } of [pilot, recorded, rest])
        for (const { iban } of there.sandbox().mandates()) expect(stdout + stderr).not.toContain(iban)
    })

    it('also where all were asked about at once, and the rest is sent without asking', async () => {
      const there = await startService(6)
      await postByHand(there, [1, 3, 5])
      expect((await run(there, 'export.csv', '--limit', '1', ...FIRST)).status).toBe(4)
      const asked = await there.program('resolve', '--ask', '--of', 'ready', '--dry-run')
      expect(asked.stdout).toContain('each gave a list. 2 rows that were to be sent are in doubt now, since')
      expect(asked.stdout).toContain('3 proven: the service holds it, once')
      const sent = await run(there)
      expect([heldBy(there), there.totals()]).toEqual([upTo(6), expect.objectContaining({ inDoubt: 3 })])
      expect(sent.status).toBe(4)
      const recorded = await there.program('resolve', '--ask', '--yes', '--reason', 'by hand', '--by', 'Ada')
      expect([recorded.status, heldBy(there)]).toEqual([0, upTo(6)])
      expect(there.totals()).toMatchObject({ registered: 6, inDoubt: 0 })
    })
  })
})
