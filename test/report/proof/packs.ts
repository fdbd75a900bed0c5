import { createHash, generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { SourceError } from '../../../src/errors.js'
import { signText } from '../../../src/trust/signature.js'
import { writeReport } from '../../../src/report/pack/pack.js'
import { provePack, type Proof } from '../../../src/report/proof/prove-pack.js'
import {
  admit,
  inDoubt,
  open,
  refused,
  registered,
  send,
  SETTINGS,
  stoppedClock,
} from '../../ledger/campaign-setup.js'
import { recorded } from '../../ledger/plan/approvals.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { freshFolder } from '../../support/folder.js'

export const SIGNER = generateKeyPairSync('ed25519')
export const STRANGER = generateKeyPairSync('ed25519')

const QUARTER_MS = 15 * 60 * 1_000

export interface Campaign {
  readonly ledger: Ledger
  readonly clock: ReturnType<typeof stoppedClock>
  readonly out: string
  readonly write: (key?: typeof SIGNER.privateKey | null, out?: string) => ReturnType<typeof writeReport>
}

export function emptyCampaign(): Campaign {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.bind({ baseUrl: 'https://billing.example', username: 'migration' })
  ledger.startRun(SETTINGS)
  const place = join(freshFolder(), 'pack')
  return {
    ledger,
    clock,
    out: place,
    write: (key = SIGNER.privateKey, out = place) =>
      writeReport(ledger.file, key === null ? { out } : { out, signWith: key }),
  }
}

/** Rows of every list, from two sources, a plan with its approval and three decisions; the report of it, signed. */
export async function provenPack(): Promise<Campaign> {
  const campaign = emptyCampaign()
  const { ledger, clock } = campaign
  admit(
    ledger,
    Array.from({ length: 9 }, (_, index) => ({
      reference: `M-${index + 1}`,
      customerNo: 1001 + index,
      ...(index === 7 ? { verdict: 'invalid' as const, mandateKey: null } : {}),
      ...(index === 8 ? { verdict: 'excluded' as const } : {}),
    })),
    { name: 'first.csv', sha256: '1'.repeat(64) },
  )
  const second = [1, 2].map((n) => ({ reference: `N-${n}`, customerNo: 2000 + n }))
  admit(ledger, second, { name: 'second.csv', sha256: '2'.repeat(64) })
  const plan = planOf()
  ledger.plans.record(plan, [])
  approve(ledger, plan.digest, 'Grace')
  await send(ledger, registered('NEW-1'))
  await send(ledger, registered('NEW-2'))
  await send(ledger, refused())
  for (let rows = 0; rows < 4; rows += 1) await send(ledger, inDoubt())
  clock.advance(QUARTER_MS)
  decide(ledger, 4, 'registered', 'shown on the telephone, "twice"', 'NEW-4')
  clock.advance(1_000)
  decide(ledger, 5, 'refused', 'not in the list; asked again')
  clock.advance(1_000)
  decide(ledger, 6, 'written_off', '=moved away')
  await campaign.write()
  return campaign
}

export function approve(ledger: Ledger, digest: string, by: string): void {
  ledger.plans.approve(recorded(digest, { approvedBy: by }))
}

export function decide(
  ledger: Ledger,
  rowId: number,
  decision: 'registered' | 'refused' | 'written_off' | 'resend',
  reason: string,
  reference = '',
): void {
  const assigned =
    reference === '' ? null : { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: reference }
  const resolution = { rowId, decision, reason, by: 'Ada Example', assigned, evidence: null, attempt: null }
  const { isApplied, results } = ledger.resolve([resolution], { dryRun: false })
  if (!isApplied) throw new Error(JSON.stringify(results))
}

export interface Asked {
  readonly ledger?: string
  readonly key?: typeof SIGNER.publicKey
}

export async function prove(folder: string, { ledger, key }: Asked = {}): Promise<Proof> {
  const reader = ledger === undefined ? null : openLedgerReader(ledger)
  try {
    return await provePack(folder, { key: key ?? null, ledger: reader })
  } finally {
    reader?.close()
  }
}

/** What was found, by kind; `no pack` where there is none to read. */
export async function kindsFound(folder: string, asked: Asked = {}): Promise<string[]> {
  try {
    return (await prove(folder, asked)).discrepancies.map(({ kind }) => kind)
  } catch (error) {
    if (error instanceof SourceError) return ['no pack']
    throw error
  }
}

type Change = (text: string) => string

export function change(folder: string, name: string, how: Change): void {
  const text = readFileSync(join(folder, name), 'utf8')
  const changed = how(text)
  if (changed === text) throw new Error(`The test did not change ${name}`)
  writeFileSync(join(folder, name), changed)
}

interface Parts {
  [name: string]: unknown
  files: { name: string; bytes: number; sha256: string }[]
  ledgerId: string
  decisions: { count: number; head: string }
}

const canonical = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

const withDigest = ({ digest: _, ...content }: Record<string, unknown>): string =>
  canonical({ digest: createHash('sha256').update(canonical(content)).digest('hex'), ...content })

/** What somebody does who knows the program and changes a pack: every hash and total of the manifest is made anew. */
export function forge(folder: string, changes: Readonly<Record<string, Change>>): void {
  for (const [name, how] of Object.entries(changes)) if (name !== 'manifest.json') change(folder, name, how)
  const path = join(folder, 'manifest.json')
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as Parts
  const summary = JSON.parse(readFileSync(join(folder, 'summary.json'), 'utf8')) as Record<string, unknown>
  manifest.files = manifest.files.map(({ name }) => {
    const bytes = readFileSync(join(folder, name))
    return { name, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  const forged = { ...manifest, totals: summary['totals'], notTaken: summary['notTaken'] }
  const changed = changes['manifest.json']?.(canonical(forged)) ?? canonical(forged)
  writeFileSync(path, withDigest(JSON.parse(changed) as Record<string, unknown>))
}

const hashOf = (texts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(texts)).digest('hex')

/** Makes the chain of the decisions anew as well, and its end in the manifest. */
export function rechain(folder: string): void {
  const path = join(folder, 'decisions.csv')
  const { ledgerId } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Parts
  const [header = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n')
  let head = hashOf([ledgerId])
  const linked = lines.map((line) => {
    const [cells = []] = parse(line)
    head = hashOf([head, ...cells.slice(0, -1)])
    return line.replace(/"[0-9a-f]{64}"$/, `"${head}"`)
  })
  writeFileSync(path, `${[header, ...linked].join('\n')}\n`)
  forge(folder, {
    'manifest.json': (text) =>
      canonical({ ...(JSON.parse(text) as Parts), decisions: { count: lines.length, head } }),
  })
}

export function sign(folder: string, key = SIGNER.privateKey): void {
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8')
  writeFileSync(join(folder, 'manifest.sig'), signText(manifest, key))
}
