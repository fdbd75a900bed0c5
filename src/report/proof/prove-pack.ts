import type { KeyObject } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join, dirname, resolve } from 'node:path'
import { SourceError, UsageError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { z } from 'zod'
import { fingerprintOf, isSameKey, readSignature, SIGNATURE_FILE } from '../../trust/signature.js'
import { fileAt, isToDo, NOTE, sha256Of, textIn, LANGUAGES, MANIFEST_FILE } from '../pack/pack-folder.js'
import { PACK_FILES, PACK_NAMES, writeManifestAgain } from '../pack/pack.js'
import { showValue } from '../../domain/rule/verdict.js'
import { parseJson, pick, timeText } from '../../domain/text/text.js'
import { readVersion } from '../../machine.js'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)
const file = z.object({ name: z.string().min(1), bytes: count, sha256: hash })

/** What `verify` needs of a manifest. */
const manifestSchema = z.looseObject({
  schemaVersion: z.literal(1),
  version: z.string(),
  ledger: z.string(),
  ledgerId: z.string(),
  changedAt: z.iso.datetime(),
  changedWhileReading: z.boolean(),
  language: z.enum(LANGUAGES),
  absentAfterMs: z.number(),
  told: z.object({
    company: z.string().nullable(),
    from: z.string().nullable(),
  }),
  totals: z.looseObject({ read: count }),
  decisions: z.object({ count }),
  files: z.array(file),
})

export type Manifest = z.output<typeof manifestSchema>

/** Null for what is none. */
export const readManifest = (text: string): Manifest | null =>
  manifestSchema.safeParse(parseJson(text)).data ?? null

export type Proof = Awaited<ReturnType<typeof provePack>>

const REWRITE = 'Write the report again from the ledger, and ask who had access to this folder'

/**
 * Proves a pack: its files by the manifest, that by the signature where there is one, and all by the ledger where one is
 * given.
 * @throws {SourceError} where there is no pack that can be read
 * @throws {LedgerError} where the ledger cannot be read
 */
export async function provePack(
  folder: string,
  { key, ledger }: { readonly key: KeyObject | null; readonly ledger: LedgerReader | null },
) {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, 'there is no such folder, or it cannot be read', cause)
  })
  const text = textIn(folder, MANIFEST_FILE)
  if (text === '') throw unreadable(folder, `it has no ${MANIFEST_FILE} that can be read`)
  const manifest = readManifest(text)
  const discrepancies: Discrepancy[] = []
  const tell: Tell = (kind, file, message, next = REWRITE) =>
    void discrepancies.push({ kind, file, message, next })
  if (manifest !== null) await checkFiles(folder, manifest, tell)
  else
    tell(
      'manifest_changed',
      MANIFEST_FILE,
      `${MANIFEST_FILE} is not written as this program writes it: it was changed since, and what it says proves nothing`,
    )
  const signature = checkSignature(textIn(folder, SIGNATURE_FILE), text, key, tell)
  const standing =
    ledger === null
      ? null
      : manifest === null
        ? 'not_compared'
        : await compareWithLedger({ folder, manifest, text, ledger }, tell)
  const known = new Set([...namesIn(manifest), SIGNATURE_FILE, NOTE])
  return {
    discrepancies,
    count: discrepancies.length,

    /** Null where the manifest has no longer the form of one. */
    ledgerId: manifest?.ledgerId ?? null,
    changedAt: manifest?.changedAt ?? null,
    files: manifest?.files.length ?? 0,

    /** Records of the exports. */
    rows: manifest?.totals.read ?? 0,
    decisions: manifest?.decisions.count ?? 0,
    signature,

    /** Null where none was given. */
    ledger: standing,

    /** Files of which nobody signed or compared every byte, and words that no ledger holds. */
    notProven: signature === 'proven' ? [] : unproven(manifest, standing === 'unchanged'),

    /** Files in the folder that are none of the pack: they are left alone. */
    others: names.filter((name) => !known.has(name) && !isToDo(name)).sort(),

    /** What no ledger holds and the report says all the same; null where the manifest has no longer the form of one. */
    told: manifest?.told ?? null,
  }
}

function unproven(manifest: Manifest | null, isCompared: boolean): string[] {
  const words = Object.values(manifest?.told ?? {}).flatMap((word) =>
    word === null ? [] : [showValue(word)],
  )
  return [
    ...(isCompared ? [] : namesIn(manifest)),
    ...(words.length > 0 ? [`what it was told of companies ("${words.join('", "')}")`] : []),
  ]
}

const unreadable = (folder: string, why: string, cause?: unknown): SourceError =>
  new SourceError(
    `Cannot verify "${folder}": ${why}; nothing is known of the pack`,
    'Give the folder of a report, or write the report again',
    { source: folder, cause },
  )

/** Each file of a pack is named, and stands there with the bytes that are named. */
async function checkFiles(folder: string, { files }: Manifest, tell: Tell): Promise<void> {
  // One that is named twice is compared twice, and no hash is that of the manifest that holds it.
  for (const kind of PACK_FILES)
    if (kind !== MANIFEST_FILE && !files.some(({ name }) => name === kind))
      tell(
        'not_named',
        kind,
        `${MANIFEST_FILE} names ${kind} not at all, so nothing proves that it is of this pack`,
      )
  for (const { name: file, bytes, sha256 } of files) {
    // The name is the manifest's, which anybody may have written: only names of ours are opened.
    const entry = PACK_NAMES.some((name) => name === file) ? fileAt(join(folder, file)) : undefined
    if (entry === undefined)
      tell(
        'not_named',
        file,
        `${MANIFEST_FILE} names "${file}", which is no file of a pack; it was not opened`,
      )
    else if (entry === null)
      tell(
        'missing',
        file,
        `${file} is missing, or is no regular file: what it listed cannot be shown from this pack`,
        'Give it its name back, or write the report again',
      )
    else if (entry.size !== bytes || (await sha256Of(join(folder, file))) !== sha256)
      tell('changed', file, `${file} was changed since it was written: it does not say what the ledger said`)
  }
}

/** What a signature is worth: without the signer's key it only shows that nobody changed the manifest since. */
function checkSignature(
  text: string,
  manifest: string,
  key: KeyObject | null,
  tell: Tell,
): 'none' | 'whole' | 'proven' | 'broken' {
  const broken = (kind: string, message: string, next: string): 'broken' => {
    tell(kind, SIGNATURE_FILE, message, next)
    return 'broken'
  }
  if (text === '')
    return key === null
      ? 'none'
      : broken(
          'signature_missing',
          `There is no ${SIGNATURE_FILE}, so nobody signed this pack, or the signature was taken away`,
          'Ask whoever signs for a signed report',
        )
  const signature = readSignature(text)
  if (signature?.isOf(Buffer.from(manifest)) !== true)
    return broken(
      'signature_changed',
      `${SIGNATURE_FILE} is no signature of this ${MANIFEST_FILE}: one of the two was changed since it was signed`,
      'Ask whoever signs for the signed report',
    )
  if (key === null) return 'whole'
  return isSameKey(signature.publicKey, key)
    ? 'proven'
    : broken(
        'signature_of_another_key',
        `The pack was signed with another key (SHA-256 ${fingerprintOf(signature.publicKey)}) than the one that was given (${fingerprintOf(key)})`,
        'Ask whoever signs which key is theirs, and do not take it from the pack',
      )
}

/** What of a pack does not hold: the name of a file in the folder, and what was found there and what it means, without account numbers. */
type Discrepancy = Readonly<Record<'kind' | 'file' | 'message' | 'next', string>>

type Tell = (...discrepancy: [kind: string, file: string, message: string, next?: string]) => void

interface Pack {
  readonly folder: string
  readonly manifest: Manifest
  /** The bytes of manifest.json. */
  readonly text: string
  readonly ledger: LedgerReader
}

/** Of a manifest that has no longer the form of one, its own name alone. */
const namesIn = (manifest: Manifest | null): string[] => [
  MANIFEST_FILE,
  ...(manifest?.files ?? []).map(({ name }) => name),
]

/** Writes the report of a ledger that has not changed since again, and compares every byte. */
async function compareWithLedger(pack: Pack, tell: Tell): Promise<'unchanged' | 'moved_on' | 'not_compared'> {
  const { manifest, ledger } = pack
  const { ledgerId, changedAt } = ledger.campaign()
  const next =
    'Trust the ledger, not this pack: write the report again, and ask who had access to this folder'
  const uncompared = (kind: string, message: string, instead = next): 'not_compared' => {
    tell(kind, MANIFEST_FILE, message, instead)
    return 'not_compared'
  }
  if (ledgerId !== manifest.ledgerId)
    return uncompared(
      'other_ledger',
      `The pack is of another ledger (${manifest.ledgerId}) than the one that was given (${ledgerId})`,
      'Give the ledger of this campaign',
    )
  if (changedAt < manifest.changedAt)
    return uncompared(
      'ledger_differs',
      `The ledger (${timeText(changedAt)}) is older than the pack (${timeText(manifest.changedAt)}): it is an older copy, or the pack was made up`,
    )
  if (manifest.version !== readVersion() || manifest.changedWhileReading)
    return uncompared(
      'other_version',
      manifest.changedWhileReading
        ? 'The pack was written while a run changed the ledger, so it cannot be written again'
        : `The pack says that version ${manifest.version} wrote it, and this is ${readVersion()}, which may write other bytes`,
      'Write the report again, or verify it with the version that wrote it',
    )
  if (changedAt !== manifest.changedAt) return 'moved_on'
  for (const name of await otherFiles(pack))
    tell(
      'ledger_differs',
      name,
      `${name} is not what the ledger says: written again from it, the file has other bytes`,
      next,
    )
  return 'unchanged'
}

/** What the manifest says of each file was compared with its bytes: the manifest stands for all of them. */
async function otherFiles({ folder, manifest, text, ledger }: Pack): Promise<string[]> {
  const again = await writtenAgain(ledger, manifest, folder)
  if (again === text) return []
  const read = manifestSchema.parse(parseJson(again))
  const shaIn = ({ files }: Manifest, name: string) => files.find((file) => file.name === name)?.sha256
  const other = [...new Set([...namesIn(manifest), ...namesIn(read)])].filter(
    (name) => shaIn(manifest, name) !== shaIn(read, name),
  )
  return other.length > 0 ? other : [MANIFEST_FILE]
}

/** In a hidden folder beside the ledger, whose disk holds the same data already, or beside the pack; it is removed again. */
async function writtenAgain(ledger: LedgerReader, manifest: Manifest, folder: string): Promise<string> {
  const reader = { ...ledger, file: manifest.ledger }
  const write = (out: string) =>
    writeManifestAgain(reader, { ...pick('language', 'absentAfterMs', 'told')(manifest), out })
  try {
    return await write(dirname(resolve(ledger.file)))
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return write(dirname(resolve(folder)))
  }
}
