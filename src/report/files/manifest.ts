import { createHash } from 'node:crypto'
import { z } from 'zod'
import { readVersion } from '../../version.js'
import type { ReportFacts } from '../facts/facts.js'
import type { PackFile } from '../pack/earlier-pack.js'
import type { ChainEnd } from './decision-lines.js'
import { plansIn } from './summary.js'

export const MANIFEST_FILE = 'manifest.json'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
const file = z.object({ name: z.string().min(1), bytes: count, sha256: hash })

/** What `verify` needs of a manifest. One of an earlier version of the program has no digest. */
const manifestSchema = z.looseObject({
  digest: hash,
  schemaVersion: z.literal(1),
  ledgerId: z.string(),
  changedAt: z.string(),
  campaign: z.object({ baseUrl: z.string().nullable(), purgedAt: z.string().nullable() }),
  totals: z.record(z.string(), count),
  notTaken: count,
  plans: z.array(z.looseObject({ approvals: z.array(z.looseObject({})) })).default([]),
  decisions: z.object({ count, head: hash }),
  files: z.array(file),
  sources: z.array(file),
})

export type Manifest = z.output<typeof manifestSchema>

const canonical = (value: object): string => `${JSON.stringify(value, null, 2)}\n`

const digestOf = (content: object): string => createHash('sha256').update(canonical(content)).digest('hex')

/**
 * manifest.json: what belongs to the pack and what it was made from. It cannot list itself; instead its first line holds
 * the digest of all others.
 */
export function renderManifest(facts: ReportFacts, files: readonly PackFile[], decisions: ChainEnd): string {
  const { baseUrl, username, createdAt, purgedAt } = facts.campaign
  const content = {
    schemaVersion: 1,
    version: readVersion(),
    ledgerId: facts.campaign.ledgerId,
    changedAt: facts.campaign.changedAt,
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

export type ReadManifest =
  | {
      readonly kind: 'manifest'
      readonly manifest: Manifest
      /** Every byte is as this program writes it. */
      readonly isCanonical: boolean
      readonly isDigestRight: boolean
    }
  /** JSON, and no manifest that can be proven; `isEarlier` where it is one of an earlier version. */
  | { readonly kind: 'unknown'; readonly isEarlier: boolean }
  | { readonly kind: 'no_json' }

export function readManifest(text: string): ReadManifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'no_json' }
  }
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success) return { kind: 'unknown', isEarlier: isEarlier(value) }
  // The value as it was read, with keys of later versions and in its own order.
  const { digest, ...content } = value as Record<string, unknown>
  return {
    kind: 'manifest',
    manifest: parsed.data,
    isCanonical: canonical(value as object) === text,
    isDigestRight: digest === digestOf(content),
  }
}

const isEarlier = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'ledgerId' in value &&
  'files' in value &&
  !('digest' in value)
