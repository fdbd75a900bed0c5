import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readVersion } from '../../version.js'
import type { ReportFacts } from '../facts/facts.js'
import type { PackFile } from '../pack/earlier-pack.js'
import { LANGUAGES, type Language } from '../text/language.js'
import type { ChainEnd } from './decision-lines.js'
import { plansIn } from './summary.js'

export const MANIFEST_FILE = 'manifest.json'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
const file = z.object({ name: z.string().min(1), bytes: count, sha256: hash })

const hasApprovals = (plan: unknown): boolean =>
  typeof plan === 'object' && plan !== null && 'approvals' in plan && Array.isArray(plan.approvals)

/** What `verify` needs of a manifest. */
const manifestSchema = z.looseObject({
  digest: hash,
  schemaVersion: z.literal(1),
  version: z.string(),
  ledger: z.string(),
  ledgerId: z.string(),
  changedAt: z.iso.datetime(),
  changedWhileReading: z.boolean(),
  language: z.enum(LANGUAGES),
  absentAfterMs: z.number(),
  campaign: z.looseObject({ baseUrl: z.string().nullable(), purgedAt: z.string().nullable() }),
  totals: z.looseObject({ read: count }),
  plans: z.array(z.custom<{ readonly approvals: readonly unknown[] }>(hasApprovals)),
  decisions: z.object({ count, head: hash }),
  files: z.array(file),
  sources: z.array(file),
})

export type Manifest = z.output<typeof manifestSchema>

const canonical = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

const digestOf = (content: object): string => createHash('sha256').update(canonical(content)).digest('hex')

interface Written {
  readonly files: readonly PackFile[]
  readonly decisions: ChainEnd
  /** What a report that is written again must be told. */
  readonly language: Language
  readonly absentAfterMs: number
}

/**
 * manifest.json: what belongs to the pack and what it was made from. It cannot list itself; instead its first line holds
 * the digest of all others.
 */
export function renderManifest(
  facts: ReportFacts,
  { files, decisions, language, absentAfterMs }: Written,
): string {
  const { baseUrl, username, createdAt, purgedAt } = facts.campaign
  const content = {
    schemaVersion: 1,
    version: readVersion(),
    ledger: facts.ledger,
    ledgerId: facts.campaign.ledgerId,
    changedAt: facts.campaign.changedAt,
    changedWhileReading: facts.changedWhileReading,
    language,
    absentAfterMs,
    campaign: { baseUrl, username, createdAt, purgedAt },
    totals: facts.totals,
    notTaken: facts.notTaken,
    plans: plansIn(facts.plans),
    decisions,
    files,
    sources: facts.sources.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
  }
  return canonical({ digest: digestOf(content), ...content })
}

export interface ReadManifest {
  readonly manifest: Manifest
  /** Every byte is as this program writes it. */
  readonly isCanonical: boolean
  readonly isDigestRight: boolean
}

/** `no_json` where it is none; null for JSON that is no manifest. */
export function readManifest(text: string): ReadManifest | 'no_json' | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'no_json'
  }
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success) return null
  // The value as it was read, with keys of later versions and in its own order.
  const { digest, ...content } = value as Record<string, unknown>
  return {
    manifest: parsed.data,
    isCanonical: canonical(value as object) === text,
    isDigestRight: digest === digestOf(content),
  }
}
