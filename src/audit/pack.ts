import { createHash, type KeyObject } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { SourceError } from '../errors.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import { MANIFEST_FILE, readManifest, type Manifest } from '../report/files/manifest.js'
import { SIGNATURE_FILE } from '../trust/signature.js'
import { plainName, PROBLEMS_NOTE } from '../report/pack/earlier-pack.js'
import { PACK_NAMES } from '../report/pack/pack.js'
import { MOST_BYTES, readGivenText } from '../trust/given-file.js'

/** How a file is that the manifest names. */
type FileState =
  | 'whole'
  | 'missing'
  /** Its bytes are others. */
  | 'changed'
  /** A link, a folder or the like stands there. */
  | 'no_file'
  /** No file of a pack has such a name, so it was not opened. */
  | 'foreign'

export interface NamedFile {
  /** In the folder. */
  readonly name: string
  /** Which file of a pack it is: `in-doubt.csv` for `in-doubt-2.csv`. */
  readonly kind: string
  readonly path: string
  readonly state: FileState
  readonly bytes: number
  readonly sha256: string
}

const count = z.int().min(0)
const totals = z.record(z.string(), count)
const hashTotals = z.object({
  rows: count,
  customerNoRows: count,
  customerNoSum: z.string().regex(/^\d+$/),
  oldKeyRows: count,
  oldKeyDigest: z.string().regex(/^[0-9a-f]{64}$/),
  pairRows: count,
  pairDigest: z.string().regex(/^[0-9a-f]{64}$/),
})

const summarySchema = z.object({
  campaign: z.object({ ledgerId: z.string(), baseUrl: z.string().nullable() }),
  balanced: z.boolean(),
  totals,
  notTaken: count,
  sources: z.array(z.object({ name: z.string(), sha256: z.string(), totals })),
  files: z.record(z.string(), z.object({ rows: count })),
  hashTotals: z.record(z.string(), hashTotals),
})

type Summary = z.output<typeof summarySchema>

/** A pack as it stands in a folder, each file read once. */
export interface Pack {
  readonly folder: string
  /** Null where manifest.json is JSON, but no longer has the form of one. */
  readonly manifest: Manifest | null
  readonly manifestText: string
  readonly isManifestWhole: { readonly isCanonical: boolean; readonly isDigestRight: boolean }
  readonly files: readonly NamedFile[]
  /** Null where it is missing or no longer has its form. */
  readonly summary: Summary | null
  /** The text of manifest.sig; null where there is none. */
  readonly signature: string | null
  /** What else is in the folder. */
  readonly others: readonly string[]
}

/** What it is compared with besides itself. */
export interface Beside {
  readonly key: KeyObject | null
  readonly ledger: LedgerReader | null
}

const unreadable = (folder: string, why: string, next: string, cause?: unknown): SourceError =>
  new SourceError(`Cannot verify "${folder}": ${why}; nothing is known of the pack`, next, {
    source: folder,
    cause,
  })

const NEXT = 'Give the folder of a report, or write the report again'

/**
 * Reads a pack; its files are hashed, and none is kept in memory but the manifest, the summary and the signature.
 * @throws {SourceError} where the folder cannot be read, or has no manifest that can be
 */
export async function openPack(folder: string): Promise<Pack> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, 'there is no such folder, or it cannot be read', NEXT, cause)
  })
  const manifestText = await textIn(folder, MANIFEST_FILE)
  if (manifestText === null) throw unreadable(folder, `it has no ${MANIFEST_FILE} that can be read`, NEXT)
  const read = readManifest(manifestText)
  if (read.kind === 'no_json') throw unreadable(folder, `its ${MANIFEST_FILE} is not JSON`, NEXT)
  if (read.kind === 'unknown' && read.isEarlier)
    throw unreadable(
      folder,
      'an earlier version of this program wrote it, whose manifest proves less',
      'Write the report again with this version',
    )
  const manifest = read.kind === 'manifest' ? read.manifest : null
  const files = await Promise.all((manifest?.files ?? []).map((file) => lookAt(folder, file)))
  const known = new Set([...files.map(({ name }) => name), MANIFEST_FILE, SIGNATURE_FILE, PROBLEMS_NOTE])
  return {
    folder,
    manifest,
    manifestText,
    isManifestWhole: read.kind === 'manifest' ? read : { isCanonical: false, isDigestRight: false },
    files,
    summary: readSummary(await textIn(folder, 'summary.json')),
    signature: await textIn(folder, SIGNATURE_FILE),
    others: names.filter((name) => !known.has(name)).sort(),
  }
}

/** A regular file as text, no link followed; null for anything else. @throws {SourceError} */
async function textIn(folder: string, name: string): Promise<string | null> {
  const path = join(folder, name)
  const entry = await lstat(path).catch(() => null)
  if (entry?.isFile() !== true) return null
  const given = { what: 'file', nothing: 'it was not opened', mostBytes: MOST_BYTES.manifest, noLink: true }
  try {
    return readGivenText(path, given)
  } catch (cause) {
    const size = entry.size > given.mostBytes ? `it has ${entry.size} bytes` : 'it was refused'
    throw unreadable(folder, `its ${name} cannot be read (${size})`, NEXT, cause)
  }
}

function readSummary(text: string | null): Summary | null {
  if (text === null) return null
  try {
    return summarySchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

async function lookAt(folder: string, file: Manifest['files'][number]): Promise<NamedFile> {
  const kind = plainName(file.name)
  const path = join(folder, file.name)
  const as = (state: FileState): NamedFile => ({ ...file, kind, path, state })
  // The name is the manifest's, which anybody may have written: only names of ours are opened.
  if (!(PACK_NAMES as readonly string[]).includes(kind)) return as('foreign')
  const entry = await lstat(path).catch(() => null)
  if (entry === null) return as('missing')
  if (!entry.isFile()) return as('no_file')
  const isWhole = entry.size === file.bytes && (await sha256Of(path)) === file.sha256
  return as(isWhole ? 'whole' : 'changed')
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** The file of this kind, where its bytes are those of the manifest. */
export const wholeFile = ({ files }: Pack, kind: string): NamedFile | null =>
  files.find((file) => file.kind === kind && file.state === 'whole') ?? null
