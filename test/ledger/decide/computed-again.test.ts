import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Iban, LocalDate, Mandate } from '../../../src/domain/mandate/mandate.js'
import { createFingerprints } from '../../../src/ledger/admit/fingerprints.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import { writeReport } from '../../../src/report/pack/pack.js'
import {
  admit,
  IBAN,
  open,
  recordOf,
  refused,
  registered,
  running,
  send,
  SETTINGS,
} from '../campaign-setup.js'
import { byHand, statesOf } from '../ledger-views.js'

const WHO = { by: 'Ada Example', reason: 'request of 1 July', withOpenRows: true }
const OTHER = 'DE02120300000000202051'
const BANK_CODE = IBAN.slice(4, 12)
/** What a masked account shows of it. */
const LAST_FOUR = IBAN.slice(-4)

/** ISO 13616: 98 less the rest of the number with the country behind it. */
function germanIban(account: string): string {
  const checkDigits = 98n - (BigInt(`${BANK_CODE}${account}131400`) % 97n)
  return `DE${String(checkDigits).padStart(2, '0')}${BANK_CODE}${account}`
}

const filesBeside = (file: string): Buffer[] =>
  readdirSync(dirname(file), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))

const keysOf = (file: string): { secret: Buffer | null; planKey: Buffer | null } =>
  byHand(file, (db) => db.prepare('select secret, plan_key as planKey from campaign').get()) as never

/** The keys as they stand in the ledger, each with the digest that a plan of this row alone would have. */
interface Found {
  readonly accounts: readonly string[]
}

/**
 * What somebody does who has every file that is left, the bank code, the masked account and the other four values: tries the
 * ten thousand accounts that begin with 05, by each fingerprint that the ledger makes, and by the digest of a plan.
 */
function computeAgain(file: string, row: Mandate): Found {
  const { secret, planKey } = keysOf(file)
  if (secret === null) return { accounts: [] }
  const fingerprints = createFingerprints(secret)
  const files = filesBeside(file)
  const windows = new Set<number>()
  for (const bytes of files)
    for (let at = 0; at + 4 <= bytes.length; at += 1) windows.add(bytes.readUInt32LE(at))
  const isLeft = (key: Buffer): boolean =>
    windows.has(key.readUInt32LE(0)) && files.some((bytes) => bytes.includes(key))
  const plans = [Buffer.alloc(0), planKey ?? Buffer.alloc(0)]
  const digests = new Set(files.flatMap((bytes) => bytes.toString('latin1').match(/\b[0-9a-f]{64}\b/g) ?? []))
  const accounts: string[] = []
  for (let n = 0; n < 10_000; n += 1) {
    const iban = germanIban(`05${String(n).padStart(4, '0')}${LAST_FOUR}`)
    const content = fingerprints.content({ ...row, iban: iban as Iban })
    const { creditorIdentifier, mandateReference } = row.original
    const cells = [String(row.customerNo), iban, row.signedDate, creditorIdentifier, mandateReference]
    const keys = [fingerprints.account(iban), content, fingerprints.raw(cells)]
    const inPlan = plans.map((key) => createHash('sha256').update(key).update(content).digest('hex'))
    if (keys.some(isLeft) || inPlan.some((digest) => digests.has(digest))) accounts.push(iban)
  }
  return { accounts }
}

const mandateOf = (customerNo: number, reference: string): Mandate => {
  const { verdict } = recordOf({ customerNo, reference })
  if (verdict.kind !== 'sendable') throw new Error('The test expected a mandate')
  return { ...verdict.mandate, signedDate: '2020-01-31' as LocalDate }
}

/** Customer 1 registered under a plan of one row, customer 2 invalid; customer 3 is another person's. */
async function campaign(): Promise<Ledger> {
  const ledger = open()
  ledger.startRun(SETTINGS)
  admit(ledger, [{ customerNo: 1, reference: 'M-1' }], { sha256: '1'.repeat(64) })
  writeFileSync(join(dirname(ledger.file), 'plan.json'), JSON.stringify(ledger.view.plannedRows(null)))
  await send(ledger, registered('NEW-1'))
  admit(
    ledger,
    [
      { customerNo: 2, reference: 'M-2', verdict: 'invalid' },
      { customerNo: 3, reference: 'M-3', iban: OTHER, signedDate: '2021-02-03' },
    ],
    { sha256: '2'.repeat(64) },
  )
  await send(ledger, registered('NEW-3'))
  return ledger
}

const report = (ledger: Ledger, name: string): Promise<unknown> =>
  writeReport(ledger.file, { out: join(dirname(ledger.file), name) })

describe('26.3 accounts computed again, with the bank code given, from everything that is left', () => {
  it('are found before an erasure, and not after it', async () => {
    const ledger = await campaign()
    const [one, two] = [mandateOf(1, 'M-1'), mandateOf(2, 'M-2')]
    expect([computeAgain(ledger.file, one), computeAgain(ledger.file, two)]).toEqual([
      { accounts: [IBAN] },
      { accounts: [IBAN] },
    ])
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    ledger.erase({ ...WHO, customerNo: 2, rowIds: [2] })
    await report(ledger, 'after')
    expect([computeAgain(ledger.file, one), computeAgain(ledger.file, two)]).toEqual([
      { accounts: [] },
      { accounts: [] },
    ])
    const [third] = byHand(ledger.file, (db) =>
      db.prepare('select iban_key as key from row where id = 3').all(),
    ) as {
      key: Buffer
    }[]
    const { secret } = keysOf(ledger.file)
    expect(third?.key).toEqual(createFingerprints(secret ?? Buffer.alloc(0)).account(OTHER))
  })

  it('are not found after a purge: the key that made the fingerprints is in no file', async () => {
    const ledger = await campaign()
    await report(ledger, 'before')
    const { secret, planKey } = keysOf(ledger.file)
    const holding = (key: Buffer | null): number =>
      filesBeside(ledger.file).filter((bytes) => key !== null && bytes.includes(key)).length
    expect([holding(secret) > 0, holding(planKey) > 0]).toEqual([true, true])
    expect(ledger.purge(WHO).isErased).toBe(true)
    await report(ledger, 'after')
    expect(keysOf(ledger.file)).toEqual({ secret: null, planKey: null })
    expect([holding(secret), holding(planKey)]).toEqual([0, 0])
  })
})

describe('26.3 the fingerprints of a row', () => {
  const change = (file: string, set: string): void =>
    byHand(file, (db) => void db.exec(`update row set ${set} where id = 1`))

  it('change by an erasure alone, and to nothing never', async () => {
    const ledger = await campaign()
    for (const column of ['iban_key', 'content_key', 'raw'])
      expect(() => change(ledger.file, `${column} = randomblob(16)`)).toThrow('never changes')
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    for (const set of ['iban_key = null', `content_key = x'00'`, 'raw = randomblob(16)'])
      expect(() => change(ledger.file, set)).toThrow('never changes')
  })

  it.each([
    ['registered', registered('NEW-1')],
    ['refused', refused()],
  ])('once erased, a %s mandate that comes again is never sent by itself', async (_, outcome) => {
    const ledger = running([{ customerNo: 1, reference: 'M-1' }])
    await send(ledger, outcome)
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    for (let n = 0; n < 3; n += 1)
      admit(ledger, [
        { customerNo: 1, reference: 'M-1' },
        { customerNo: 9 + n, reference: `N-${n}` },
      ])
    const states = statesOf(ledger.file)
    expect(states.filter((state) => state === 'ready')).toHaveLength(3) // those of other customers
    expect(ledger.retryRefused('Ada')).toBe(0)
    expect(ledger.ready(0, 10).map(({ mandate }) => mandate.customerNo)).toEqual([9, 10, 11])
  })

  it('once erased, a registered mandate under another reference still waits for a person', async () => {
    const ledger = await campaign()
    ledger.erase({ ...WHO, customerNo: 1, rowIds: [1] })
    admit(ledger, [{ customerNo: 1, reference: 'M-1-mended' }])
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
  })
})
