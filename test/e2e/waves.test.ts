import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { validLine } from '../support/export.js'
import { CREDENTIALS, makeFolder, start, type Ended, type Started } from '../support/program.js'
import { stateHomeIn } from '../support/typed.js'

const ROWS = 10_000
const PILOT = 500
const THOUSAND = 1_000
const CONCURRENCY = 16

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox
let requests: number
let noted: () => void

/** A line for each request. */
function log(): void {
  requests += 1
  noted()
}

beforeEach(async () => {
  place = makeFolder()
  requests = 0
  noted = () => undefined
  sandbox = await startSandbox({ seed: 1, log })
})
afterEach(async () => {
  await sandbox.close()
  place.remove()
})

const isSouth = (customerNo: number): boolean => customerNo % 4 === 0
const isNorth = (customerNo: number): boolean => customerNo % 4 === 1
const regionOf = (n: number): string => (isSouth(n) ? 'south' : isNorth(n) ? 'north' : 'centre')

function writeExport(): void {
  const header = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,region'
  const lines = Array.from({ length: ROWS }, (_, index) => `${validLine(index + 1)},${regionOf(index + 1)}`)
  writeFileSync(join(place.folder, 'export.csv'), `${[header, ...lines].join('\n')}\n`)
}

function writeWaves(isHeld: boolean): void {
  const region = (name: string): string => `columns: [{ column: region, equals: [${name}] }]`
  const text = `waves:
  - { name: pilot, sample: { rows: ${PILOT}, seed: 2026 } }
  - { name: south, ${region('south')}${isHeld ? ', held: true' : ''} }
  - { name: north, ${region('north')} }
  - { name: thousand, number: ${THOUSAND} }
`
  writeFileSync(join(place.folder, 'sepa-migrate.yaml'), text, { mode: 0o600 })
}

const begin = (...args: string[]): Started =>
  start(args, { cwd: place.folder, env: { ...CREDENTIALS, XDG_STATE_HOME: stateHomeIn(place.folder) } })
const send = (...args: string[]): Started =>
  begin(
    'run',
    'export.csv',
    '--quiet',
    '--no-report',
    '--concurrency',
    `${CONCURRENCY}`,
    '--base-url',
    sandbox.url,
    ...args,
  )

interface Wave {
  readonly name: string
  readonly held: boolean
  readonly totals: Readonly<Record<string, number>>
}
interface Document {
  readonly exitCode: number
  readonly balanced: boolean
  readonly totals: Readonly<Record<string, number>>
  readonly stop: { readonly kind: string; readonly why: string } | null
  readonly errors: readonly { readonly message: string; readonly next: string }[]
  readonly waves: { readonly balanced: boolean; readonly waves: readonly Wave[] } | null
}
const json = ({ stdout }: Ended): Document => JSON.parse(stdout) as Document

const status = async (): Promise<Document> => json(await begin('status', '--json').ended)

/** Every wave adds up, and all of them are the campaign, counted here once more. */
function expectBalanced({ balanced, totals, waves }: Document): Readonly<Record<string, Wave['totals']>> {
  expect(balanced).toBe(true)
  expect(waves?.balanced).toBe(true)
  const { resubmitted: _, ...counted } = totals
  for (const [key, count] of Object.entries(counted))
    expect([key, waves?.waves.reduce((sum, wave) => sum + (wave.totals[key] ?? 0), 0)]).toEqual([key, count])
  for (const { totals: own } of waves?.waves ?? []) {
    const { read, ...states } = own
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(read)
  }
  expect(totals['read']).toBe(ROWS)
  return Object.fromEntries((waves?.waves ?? []).map(({ name, totals: own }) => [name, own]))
}

/** Without a loop: the service answers in this process too. */
const whenRequested = (count: number): Promise<void> =>
  new Promise((resolve) => {
    noted = () => {
      if (requests >= count) resolve()
    }
  })

it('10,000 rows in four waves with a kill and a held wave end with totals that balance per wave and in all', async () => {
  writeExport()
  writeWaves(true)

  // The pilot alone.
  const pilot = json(await send('--wave', 'pilot', '--json').ended)
  expect(pilot).toMatchObject({ exitCode: 5, stop: { kind: 'wave' } })
  expect(expectBalanced(pilot)['pilot']).toMatchObject({ read: PILOT, registered: PILOT })
  expect(sandbox.mandates()).toHaveLength(PILOT)
  const inPilot = new Set(sandbox.mandates().map(({ customer_no }) => customer_no))

  // A wave that is held, and one that there is not, cannot be asked for.
  const held = json(await send('--wave', 'south', '--json').ended)
  expect(held).toMatchObject({
    exitCode: 2,
    errors: [{ next: expect.stringContaining('waves[1].held') as string }],
  })
  expect(json(await send('--wave', 'sud', '--json').ended)).toMatchObject({ exitCode: 2 })

  // The others go, and the process is killed in the middle of them.
  const killed = send()
  await whenRequested(2_000)
  killed.child.kill('SIGKILL')
  expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
  expectBalanced(await status())

  // The next run goes on; what was under way is in doubt.
  const end = json(await send('--order', 'first-debit-by', '--json').ended)
  expect(end).toMatchObject({ exitCode: 4 })
  const waves = expectBalanced(end)
  const { inDoubt = 0 } = end.totals
  expect(inDoubt).toBeLessThanOrEqual(CONCURRENCY)
  const all = Array.from({ length: ROWS }, (_, index) => index + 1)
  const heldBack = all.filter((n) => isSouth(n) && !inPilot.has(n))
  const north = all.filter((n) => isNorth(n) && !inPilot.has(n))
  expect(waves['pilot']).toMatchObject({ read: PILOT, registered: PILOT })
  expect(waves['south']).toMatchObject({ read: heldBack.length, ready: heldBack.length, registered: 0 })
  expect(waves['north']).toMatchObject({ read: north.length, ready: 0 })
  expect(waves['thousand']).toMatchObject({ read: THOUSAND, ready: 0 })
  expect(waves['rest']).toMatchObject({
    read: ROWS - PILOT - heldBack.length - north.length - THOUSAND,
    ready: 0,
  })
  expect(end.totals['ready']).toBe(heldBack.length)

  // The service agrees: nothing twice, nothing of what is held.
  const mandates = sandbox.mandates().map(({ customer_no }) => customer_no)
  expect(new Set(mandates).size).toBe(mandates.length)
  expect(sandbox.requests().repeated).toEqual([])
  expect(mandates.filter((n) => isSouth(n) && !inPilot.has(n))).toEqual([])
  expect(mandates.length).toBeGreaterThanOrEqual(ROWS - heldBack.length - inDoubt)

  // A person lifts it, and it goes.
  writeWaves(false)
  const last = json(await send('--wave', 'south', '--json').ended)
  expect(expectBalanced(last)['south']).toMatchObject({ read: heldBack.length, registered: heldBack.length })
  expect(last.totals).toMatchObject({ ready: 0, registered: ROWS - inDoubt, inDoubt })
}, 180_000)

it('a campaign in waves is not sent without its configuration', async () => {
  writeFileSync(join(place.folder, 'export.csv'), `${[HEADER, validLine(1), validLine(2)].join('\n')}\n`)
  writeFileSync(join(place.folder, 'sepa-migrate.yaml'), 'waves: [{ name: all, held: true }]\n', {
    mode: 0o600,
  })
  const held = await send().ended
  expect(held.status).toBe(5)
  expect(held.stdout).toContain('2 rows of waves that are held stay ready: nothing of them was sent')
  expect(held.stdout).not.toContain('Next: sepa-migrate run')
  const report = await begin('report').ended
  expect(report.stdout).toContain('What is left is held: once whoever holds it agrees')
  writeFileSync(join(place.folder, 'none.yaml'), '{}\n', { mode: 0o600 })
  const without = json(await send('--config', 'none.yaml', '--json').ended)
  expect(without).toMatchObject({
    exitCode: 2,
    errors: [{ message: expect.stringContaining('nothing was sent') as string }],
  })
  expect(sandbox.mandates()).toEqual([])
})

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
