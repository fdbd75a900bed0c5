import type { KeyObject } from 'node:crypto'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { SourceError } from '../../errors.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { MANIFEST_FILE, readManifest, type Manifest } from '../files/manifest.js'
import { fingerprintOf, isSameKey, readSignature, SIGNATURE_FILE } from '../../trust/signature.js'
import { isToDo, NOTE, sha256Of } from '../pack/earlier-pack.js'
import { PACK_FILES, PACK_NAMES } from '../pack/pack.js'
import { compareWithLedger, type Discrepancy, type Tell } from './compare-ledger.js'

/** What a signature is worth: without the signer's key it only shows that nobody changed the manifest since. */
type SignatureState = 'none' | 'whole' | 'proven' | 'broken'

export type Proof = Awaited<ReturnType<typeof provePack>>

/** What a pack is compared with besides its own manifest. */
export interface Beside {
  readonly key: KeyObject | null
  readonly ledger: LedgerReader | null
}

const REWRITE = 'Write the report again from the ledger, and ask who had access to this folder'

/**
 * Proves a pack: its files by the manifest, that by the signature where there is one, and all by the ledger where one is
 * given.
 * @throws {SourceError} where there is no pack that can be read
 * @throws {LedgerError} where the ledger cannot be read
 */
export async function provePack(folder: string, { key, ledger }: Beside) {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw unreadable(folder, 'there is no such folder, or it cannot be read', cause)
  })
  const text = await textIn(folder, MANIFEST_FILE)
  if (text === null) throw unreadable(folder, `it has no ${MANIFEST_FILE} that can be read`)
  const manifest = readManifest(text)
  if (manifest === 'no_json') throw unreadable(folder, `its ${MANIFEST_FILE} is not JSON`)
  const discrepancies: Discrepancy[] = []
  const tell: Tell = (discrepancy) => void discrepancies.push(discrepancy)
  if (manifest !== null) await checkFiles(folder, manifest, names, tell)
  else
    tell({
      kind: 'manifest_changed',
      file: MANIFEST_FILE,
      message: `${MANIFEST_FILE} is not written as this program writes it: it was changed since, and what it says proves nothing`,
      next: REWRITE,
    })
  const signature = checkSignature(await textIn(folder, SIGNATURE_FILE), text, key, tell)
  const beside =
    ledger === null
      ? null
      : manifest === null
        ? ({ standing: 'not_compared', compared: [] } as const)
        : await compareWithLedger({ folder, manifest, text, ledger }, tell)
  const known = new Set([
    ...(manifest?.files ?? []).map(({ name }) => name),
    MANIFEST_FILE,
    SIGNATURE_FILE,
    NOTE,
  ])
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
    ledger: beside?.standing ?? null,

    /** Files of which nobody signed or compared every byte, and words that no ledger holds. */
    notProven: signature === 'proven' ? [] : unproven(manifest, beside?.compared ?? []),

    /** Files in the folder that are none of the pack: they are left alone. */
    others: names.filter((name) => !known.has(name) && !isToDo(name)).sort(),

    /** What no ledger holds and the report says all the same; null where the manifest has no longer the form of one. */
    told: manifest?.told ?? null,
  }
}

function unproven(manifest: Manifest | null, compared: readonly string[]): string[] {
  const { told, files = [] } = manifest ?? {}
  const isTold = told !== undefined && Object.values(told).some((word) => word !== null)
  return [
    ...[MANIFEST_FILE, ...files.map(({ name }) => name)].filter((name) => !compared.includes(name)),
    ...(isTold ? ['what the report was told of companies and totals'] : []),
  ]
}

const unreadable = (folder: string, why: string, cause?: unknown): SourceError =>
  new SourceError(
    `Cannot verify "${folder}": ${why}; nothing is known of the pack`,
    'Give the folder of a report, or write the report again',
    { source: folder, cause },
  )

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
    throw unreadable(folder, `its ${name} cannot be read (${size})`, cause)
  }
}

/** Each file of a pack is named, once, and stands there with the bytes that are named. */
async function checkFiles(
  folder: string,
  { files }: Manifest,
  names: readonly string[],
  tell: Tell,
): Promise<void> {
  for (const kind of new Set([...PACK_FILES, ...files.map(({ name }) => name)])) {
    const named = files.filter(({ name }) => name === kind).length
    if (kind === MANIFEST_FILE ? named === 0 : named === 1) continue
    const times = named === 0 ? 'not at all' : kind === MANIFEST_FILE ? 'itself' : 'more than once'
    tell({
      kind: 'not_named',
      file: kind,
      message: `${MANIFEST_FILE} names ${kind} ${times}, so nothing proves that it is of this pack`,
      next: REWRITE,
    })
  }
  for (const file of files) {
    const found = await stateOf(folder, file, names)
    if (found !== null) tell({ file: file.name, ...found })
  }
}

async function stateOf(
  folder: string,
  file: Manifest['files'][number],
  names: readonly string[],
): Promise<Omit<Discrepancy, 'file'> | null> {
  const { name } = file
  // The name is the manifest's, which anybody may have written: only names of ours are opened.
  if (!(PACK_NAMES as readonly string[]).includes(name))
    return {
      kind: 'not_named',
      message: `${MANIFEST_FILE} names "${name}", which is no file of a pack; it was not opened`,
      next: REWRITE,
    }
  if (await hasBytesOf(join(folder, name), file)) return null
  const entry = await lstat(join(folder, name)).catch(() => null)
  if (entry?.isFile() === true)
    return {
      kind: 'changed',
      message: `${name} was changed since it was written: it does not say what the ledger said`,
      next: REWRITE,
    }
  let renamed: string | null = null
  for (const other of names) if (await hasBytesOf(join(folder, other), file)) renamed ??= other
  const where = renamed === null ? '' : `; its content is in "${renamed}"`
  return {
    kind: 'missing',
    message:
      entry === null
        ? `${name} is missing${where}: what it listed cannot be shown from this pack`
        : `${name} is no regular file any more; it was not opened${where}`,
    next: renamed === null ? 'Write the report again' : `Give "${renamed}" its name back`,
  }
}

async function hasBytesOf(path: string, file: Manifest['files'][number]): Promise<boolean> {
  const entry = await lstat(path).catch(() => null)
  return entry?.isFile() === true && entry.size === file.bytes && (await sha256Of(path)) === file.sha256
}

function checkSignature(
  text: string | null,
  manifest: string,
  key: KeyObject | null,
  tell: Tell,
): SignatureState {
  const broken = (kind: Discrepancy['kind'], message: string, next: string): 'broken' => {
    tell({ kind, file: SIGNATURE_FILE, message, next })
    return 'broken'
  }
  if (text === null)
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
