import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import type { LedgerReader } from '../../src/ledger/read/reader.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { germanIban, validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'
import { movableTime, stateHomeIn, typeIn, type Time, type Typed } from '../support/typed.js'

const HOUR = 3_600_000
const CREDITOR = 'DE79ZZZ01234567890'

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox | null = null
let time: Time

beforeEach(() => {
  place = makeFolder()
  time = movableTime()
})
afterEach(async () => {
  await sandbox?.close()
  sandbox = null
  place.remove()
})

const path = (name: string): string => join(place.folder, name)

/** A service that takes a second mandate, so that one would show. */
async function startService(text: string, options: SandboxOptions = {}): Promise<Sandbox> {
  writeFileSync(path('export.csv'), text)
  sandbox = await startSandbox({
    choices: { repeatedMandate: 'register' },
    now: () => new Date(time.now()),
    ...options,
  })
  return sandbox
}

const type = (there: Sandbox, ...args: string[]): Promise<Typed> =>
  typeIn(place.folder, time, [...args, '--base-url', there.url])
const run = (there: Sandbox, ...more: string[]): Promise<Typed> => type(there, 'run', '--no-report', ...more)

function loseLedger(): void {
  for (const name of readdirSync(place.folder).filter((file) => file.startsWith('sepa-migrate.db')))
    rmSync(path(name))
}

function creditorOf(there: Sandbox): string {
  const [mandate] = there.mandates()
  return mandate?.sepa_creditor_identifier ?? CREDITOR
}

const rebuildWords = (there: Sandbox, files = [path('export.csv')]): string[] => [
  ...['rebuild', ...files, '--read-back', '--by', 'Ada', '--reason', 'the disk is lost'],
  ...['--assigned-creditor-identifier', creditorOf(there)],
]
const rebuild = (there: Sandbox, ...more: string[]): Promise<Typed> =>
  type(there, ...rebuildWords(there), '--yes', ...more)

function look<Value>(of: (reader: LedgerReader) => Value): Value {
  const reader = openLedgerReader(path('sepa-migrate.db'))
  try {
    return of(reader)
  } finally {
    reader.close()
  }
}

const totals = () => look((reader) => reader.totals())
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)
const heldBy = (there: Sandbox): number[] =>
  there
    .mandates()
    .map((each) => each.customer_no)
    .sort((a, b) => a - b)

describe('a ledger that is lost in the middle of a campaign', () => {
  it('is made anew, and the campaign finished: the service holds each mandate once', async () => {
    const there = await startService(validExport(30))
    expect((await run(there, path('export.csv'), '--limit', '14')).status).toBe(5)
    expect(heldBy(there)).toEqual(upTo(14))
    loseLedger()

    const first = await rebuild(there)
    expect(first.status, first.stderr).toBe(4)
    expect(first.stdout).toContain('Registered, since the service shows them once: 14. Ready')
    expect(first.stdout).toMatch(/16 rows are absent so far: ask again from \d{4}-.* UTC/)
    expect(first.stdout).toMatch(
      /Next: sepa-migrate rebuild '.*export\.csv' .*--read-back .*--reason 'the disk is lost' --by Ada$/m,
    )
    expect(totals()).toMatchObject({ registered: 14, inDoubt: 16, ready: 0 })
    // Whoever runs now, or asks again too early, sends nothing.
    expect((await run(there)).status).toBe(4)
    time.pass(23 * HOUR)
    expect((await rebuild(there)).stdout).toContain('nothing was added')
    expect(totals()).toMatchObject({ inDoubt: 16, ready: 0 })

    time.pass(2 * HOUR)
    const last = await rebuild(there)
    expect(last.status, last.stderr).toBe(5)
    expect(last.stdout).toContain('Ready, since they stayed absent and you said so: 16.')
    expect(last.stdout).toMatch(/Next: sepa-migrate run .*--read-back.* --read-back-first$/m)
    expect(heldBy(there)).toEqual(upTo(14)) // nothing was sent by any of it

    const rest = await run(there, '--read-back', '--read-back-first')
    expect(rest.status, rest.stdout).toBe(0)
    expect(heldBy(there)).toEqual(upTo(30))
    look((reader) => {
      const assigned = new Map(there.mandates().map((each) => [each.customer_no, each]))
      for (const row of reader.rows(['registered'], 0, 100)) {
        const held = assigned.get(row.customerNo ?? 0)
        expect(row.assignedMandateReference).toBe(held?.unique_mandate_reference)
        expect(row.assignedCreditorIdentifier).toBe(held?.sepa_creditor_identifier)
      }
      expect(reader.runs()[0]?.settings.rebuilt).toBe('by Ada: the disk is lost')
      const decisions = reader.decisions(0, 1_000)
      const count = (name: string): number => decisions.filter(({ decision }) => decision === name).length
      expect([count('rebuilt'), count('registered'), count('resend')]).toEqual([30, 14, 16])
      for (const { decision, by, reason, evidence } of decisions) {
        expect([by, reason]).toEqual(['Ada', 'the disk is lost'])
        if (decision === 'resend') expect(evidence).toMatch(/^asked 3 times from .*no payment source/)
        if (decision === 'registered') expect(evidence).toContain('as this person gave it')
      }
    })
    for (const { stdout, stderr } of [first, last, rest])
      for (const { iban } of there.mandates()) expect(stdout + stderr).not.toContain(iban)
  }, 60_000)

  it('takes nothing for absent that only shows later, and sends none of it again', async () => {
    const there = await startService(validExport(12), { readBackLagMs: 3 * HOUR })
    await run(there, path('export.csv'), '--limit', '5')
    loseLedger()
    expect((await rebuild(there)).stdout).toMatch(/12 rows are absent so far/)
    time.pass(2 * HOUR)
    await rebuild(there)
    expect(totals()).toMatchObject({ inDoubt: 12, ready: 0, registered: 0 })
    time.pass(23 * HOUR)
    expect((await rebuild(there)).status).toBe(5)
    expect(totals()).toMatchObject({ registered: 5, inDoubt: 0, ready: 7 })
    expect((await run(there, '--read-back', '--read-back-first')).status).toBe(0)
    expect(heldBy(there)).toEqual(upTo(12))
  }, 60_000)

  it('leaves all of it in doubt where the service shows nothing at all', async () => {
    const there = await startService(validExport(4))
    await run(there, path('export.csv'), '--limit', '2')
    loseLedger()
    const elsewhere = await startSandbox({ now: () => new Date(time.now()) })
    try {
      const words = rebuildWords(there)
      for (let n = 0; n < 3; n += 1) {
        const { status, stdout } = await type(elsewhere, ...words, '--yes')
        expect(status).toBe(4)
        if (n === 2) expect(stdout).toContain('it may be the wrong place to ask')
        time.pass(25 * HOUR)
      }
      expect(totals()).toMatchObject({ inDoubt: 4, ready: 0 })
    } finally {
      await elsewhere.close()
    }
  }, 60_000)

  it('has what the service shows otherwise in doubt for a person, and what was never sendable as it was', async () => {
    const [header = '', one = '', two = '', three = '', four = ''] = validExport(4).split('\n')
    const again = (row: string, account: number): string =>
      row.replace(/DE\d{20}/, germanIban(account)).replace('MANDATE-', 'SECOND-')
    const rows = [
      one,
      again(one, 901), // both of customer 1 were sent
      two,
      again(two, 902), // of customer 2 the first alone
      three, // was sent, and is there twice
      four,
      four, // a duplicate
      one.replace(/DE\d{20}/, 'DE00370400440000000001').replace('MANDATE-1', 'BROKEN'),
    ]
    const sent = [header, one, rows[1], two, three, ''].join('\n')
    const there = await startService(sent)
    expect((await run(there, path('export.csv'))).status).toBe(0)
    loseLedger()
    rmSync(stateHomeIn(place.folder), { recursive: true })
    writeFileSync(path('export.csv'), [header, three, ''].join('\n'))
    expect((await run(there, path('export.csv'))).status).toBe(0)
    loseLedger()
    expect(heldBy(there)).toEqual([1, 1, 2, 3, 3])

    writeFileSync(path('export.csv'), [header, ...rows, ''].join('\n'))
    await rebuild(there)
    time.pass(25 * HOUR)
    const { status, stdout } = await rebuild(there)
    expect(status).toBe(4)
    expect(totals()).toMatchObject({ registered: 3, inDoubt: 2, ready: 1, duplicate: 1, invalid: 1 })
    expect(stdout).toContain('the customer has payment sources, and none of them is this mandate')
    expect(stdout).toContain('the service holds it more than once')
    expect(look((reader) => reader.rows(['ready'], 0, 9)).map(({ customerNo }) => customerNo)).toEqual([4])
  }, 60_000)

  it('leaves nothing that could be sent when it is killed while the service is asked', async () => {
    const there = await startService(validExport(6), {
      faults: [{ operation: 'read_back', match: {}, fault: { kind: 'hang' } }],
    })
    expect((await run(there, path('export.csv'), '--limit', '3')).status).toBe(5)
    loseLedger()
    const { child, ended } = start([...rebuildWords(there), '--yes', '--base-url', there.url], {
      cwd: place.folder,
      env: { ...CREDENTIALS, XDG_STATE_HOME: stateHomeIn(place.folder) },
    })
    while (there.requests().received.read_back === 0) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    expect((await ended).signal).toBe('SIGKILL')
    expect(totals()).toMatchObject({ read: 6, inDoubt: 6, ready: 0 })
    expect((await run(there)).status).toBe(4)
    expect(heldBy(there)).toEqual(upTo(3))
  }, 60_000)

  it('stops where the service cannot be asked, and goes on later', async () => {
    const there = await startService(validExport(5), {
      faults: [{ operation: 'read_back', match: {}, times: 1, fault: { kind: 'refuse', status: 403 } }],
    })
    await run(there, path('export.csv'), '--limit', '2')
    loseLedger()
    const stopped = await rebuild(there)
    expect(stopped.status).toBe(6)
    expect(stopped.stdout).toMatch(/Stopped early: The service refused the credentials/)
    expect(stopped.stdout).toMatch(/Next: sepa-migrate rebuild /)
    expect(totals()).toMatchObject({ inDoubt: 5, ready: 0 })
    expect((await rebuild(there)).status).toBe(4)
    expect(totals()).toMatchObject({ registered: 2, inDoubt: 3, ready: 0 })
  }, 60_000)
})

describe('a rebuild', () => {
  it('refuses a ledger that is in use, another export, and whoever does not say enough', async () => {
    const there = await startService(validExport(3))
    await run(there, path('export.csv'), '--limit', '1')
    const inUse = await rebuild(there)
    expect(inUse.status).toBe(2)
    expect(inUse.stderr).toContain('exists and was not made in the place of a lost one; nothing was changed')
    loseLedger()
    const words = rebuildWords(there)
    const without = (flag: string): string[] => {
      const at = words.indexOf(flag)
      return words.filter((_, n) => n !== at && n !== at + (flag === '--read-back' ? 0 : 1))
    }
    for (const [flag, said] of [
      ['--read-back', 'Nobody has said that this service can be asked'],
      ['--reason', 'There is no reason'],
      ['--assigned-creditor-identifier', 'There is no usable creditor identifier'],
    ] as const) {
      const { status, stderr } = await type(there, ...without(flag), '--yes')
      expect(status).toBe(2)
      expect(stderr).toContain(said)
    }
    const unasked = await type(there, ...words)
    expect(unasked.status).toBe(2)
    expect(unasked.stderr).toContain('needs a confirmation')
    expect(readdirSync(place.folder)).not.toContain('sepa-migrate.db')

    await rebuild(there)
    writeFileSync(path('other.csv'), validExport(2, 50))
    const other = await type(there, ...rebuildWords(there, [path('export.csv'), path('other.csv')]), '--yes')
    expect(other.status).toBe(2)
    expect(other.stderr).toContain('is none of the files that the ledger')
    expect(totals()).toMatchObject({ read: 3, ready: 0, registered: 1, inDoubt: 2 })
    expect(there.requests().received.migrate).toBe(1)
  }, 60_000)
})
