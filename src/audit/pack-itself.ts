import type { KeyObject } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { isBalanced, TOTAL_OF_STATE, type Totals } from '../domain/row/totals.js'
import { ROW_STATES } from '../domain/row/row-state.js'
import { MANIFEST_FILE } from '../report/files/manifest.js'
import { fingerprintOf, isSameKey, readSignature, SIGNATURE_FILE } from '../trust/signature.js'
import { VERIFICATION_FILE } from '../report/files/verification-lines.js'
import { isWorkedIn } from '../report/pack/earlier-pack.js'
import { PACK_FILES } from '../report/pack/pack.js'
import type { HashTotals } from '../report/facts/hash-totals.js'
import type { Discrepancy, Tell } from './discrepancies.js'
import { type NamedFile, type Pack, sha256Of } from './pack.js'

const SUMMARY_FILE = 'summary.json'
const REWRITE = 'Write the report again from the ledger, and ask who had access to this folder'

/** Every byte of the manifest counts: also blanks, which say nothing. */
export function checkManifestForm({ isManifestWhole, manifest }: Pack, tell: Tell): void {
  if (manifest !== null && isManifestWhole.isCanonical) return
  tell({
    kind: 'manifest_changed',
    file: MANIFEST_FILE,
    message: `${MANIFEST_FILE} is not written as this program writes it: it was changed since, and what it says proves nothing`,
    next: REWRITE,
  })
}

export function checkManifestDigest({ isManifestWhole, manifest }: Pack, tell: Tell): void {
  if (manifest === null || isManifestWhole.isDigestRight) return
  tell({
    kind: 'manifest_changed',
    file: MANIFEST_FILE,
    message: `The digest in ${MANIFEST_FILE} is not that of its content: it was changed since, and what it says proves nothing`,
    next: REWRITE,
  })
}

/** Each file of a pack is named, once, and stands there with the bytes that are named. */
export async function checkFiles(pack: Pack, tell: Tell): Promise<void> {
  const { files, manifest } = pack
  if (manifest === null) return
  const isVerified = pack.summary?.files[VERIFICATION_FILE] !== undefined
  for (const kind of isVerified ? [...PACK_FILES, VERIFICATION_FILE] : PACK_FILES) {
    const named = files.filter((file) => file.kind === kind).length
    if (named === 1 || kind === MANIFEST_FILE) continue
    tell({
      kind: 'not_named',
      file: kind,
      message: `${MANIFEST_FILE} names ${kind} ${named === 0 ? 'not at all' : 'more than once'}, so nothing proves that it is of this pack`,
      next: REWRITE,
    })
  }
  for (const file of files) if (file.state !== 'whole') tell(await stateOf(pack, file))
  // Every comparison with it is left out then, so that alone must not look like a pack that holds.
  if (pack.summary === null && files.some(({ kind, state }) => kind === SUMMARY_FILE && state === 'whole'))
    tell({
      kind: 'unreadable',
      file: SUMMARY_FILE,
      message: `${SUMMARY_FILE} is no summary of a report: totals, lists and hash totals could not be computed again`,
      next: REWRITE,
    })
}

async function stateOf(pack: Pack, file: NamedFile): Promise<Discrepancy> {
  const { name, state } = file
  if (state === 'foreign')
    return {
      kind: 'not_named',
      file: name,
      message: `${MANIFEST_FILE} names "${name}", which is no file of a pack; it was not opened`,
      next: REWRITE,
    }
  if (state === 'changed') return isWorkedIn(name) ? workedIn(name) : changed(name)
  const renamed = await copyOf(pack, file)
  const where = renamed === null ? '' : `; its content is in "${renamed}"`
  return {
    kind: 'missing',
    file: name,
    message:
      state === 'missing'
        ? `${name} is missing${where}: what it listed cannot be shown from this pack`
        : `${name} is no regular file any more; it was not opened${where}`,
    next: renamed === null ? 'Write the report again' : `Give "${renamed}" its name back`,
  }
}

const changed = (name: string): Discrepancy => ({
  kind: 'changed',
  file: name,
  message: `${name} was changed since it was written: it does not say what the ledger said`,
  next: REWRITE,
})

const workedIn = (name: string): Discrepancy => ({
  kind: 'worked_in',
  file: name,
  message: `${name} was changed since it was written: somebody began to fill it in or saved it anew, so it proves nothing any more`,
  next: 'Finish it and give it to its command; then write the report again, which leaves this file alone',
})

/** Under which other name the content of a missing file is in the folder. */
async function copyOf({ folder, others }: Pack, { bytes, sha256 }: NamedFile): Promise<string | null> {
  for (const name of others) {
    const path = join(folder, name)
    const entry = await lstat(path).catch(() => null)
    if (entry?.isFile() === true && entry.size === bytes && (await sha256Of(path)) === sha256) return name
  }
  return null
}

export function checkLedgerId({ manifest, summary }: Pack, tell: Tell): void {
  if (manifest === null || summary === null || summary.campaign.ledgerId === manifest.ledgerId) return
  tell({
    kind: 'other_ledger',
    file: 'summary.json',
    message: `${MANIFEST_FILE} is of another ledger than summary.json: files of two packs were mixed`,
    next: 'Write the report of the right ledger again, into a folder of its own',
  })
}

/** The control equation, in all and for each source; parts add up; manifest and summary say the same. */
export function checkBalance({ manifest, summary }: Pack, tell: Tell): void {
  if (manifest === null || summary === null) return
  const balance = (message: string): void =>
    tell({
      kind: 'not_balanced',
      file: 'summary.json',
      message: `${message}: rows are lost or counted twice`,
      next: 'Sign nothing. Write the report again; where that is the same, tell the developers',
    })
  const all = summary.totals as unknown as Totals
  if (!summary.balanced || !isBalanced(all))
    balance('The records that were read are not the sum of the states')
  for (const { name, totals } of summary.sources)
    if (!isBalanced(totals as unknown as Totals))
      balance(`The records of "${name}" are not the sum of its states`)
  const names = ['read', 'resubmitted', ...ROW_STATES.map((state) => TOTAL_OF_STATE[state])]
  const apart = names.find(
    (name) =>
      summary.totals[name] !== summary.sources.reduce((sum, { totals }) => sum + (totals[name] ?? 0), 0),
  )
  if (apart !== undefined) balance(`The totals of the sources do not add up to "${apart}" of all`)
  if (
    JSON.stringify(summary.totals) === JSON.stringify(manifest.totals) &&
    summary.notTaken === manifest.notTaken
  )
    return
  tell({
    kind: 'totals_differ',
    file: 'summary.json',
    message: `The totals of summary.json are not those of ${MANIFEST_FILE}`,
    next: REWRITE,
  })
}

const MODULUS_BITS = 256

/** Those of the states add up to those of all rows. */
export function checkHashTotalParts({ summary }: Pack, tell: Tell): void {
  if (summary === null) return
  const { read, ...byState } = summary.hashTotals
  const parts = Object.values(byState)
  const sum = (of: (totals: HashTotals) => number | bigint): bigint =>
    parts.reduce((total, part) => total + BigInt(of(part)), 0n)
  const digest = (text: string): bigint => BigInt(`0x${text}`)
  const isSum =
    read !== undefined &&
    sum(({ rows }) => rows) === BigInt(read.rows) &&
    sum(({ customerNoRows }) => customerNoRows) === BigInt(read.customerNoRows) &&
    sum(({ customerNoSum }) => BigInt(customerNoSum)) === BigInt(read.customerNoSum) &&
    sum(({ oldKeyRows }) => oldKeyRows) === BigInt(read.oldKeyRows) &&
    sum(({ pairRows }) => pairRows) === BigInt(read.pairRows) &&
    BigInt.asUintN(
      MODULUS_BITS,
      sum(({ oldKeyDigest }) => digest(oldKeyDigest)),
    ) === digest(read.oldKeyDigest) &&
    BigInt.asUintN(
      MODULUS_BITS,
      sum(({ pairDigest }) => digest(pairDigest)),
    ) === digest(read.pairDigest)
  if (isSum) return
  tell({
    kind: 'hash_totals_differ',
    file: 'summary.json',
    message:
      'The hash totals of the states do not add up to those of all rows: a row was lost, doubled or altered',
    next: REWRITE,
  })
}

/** What a signature is worth: without the signer's key it only shows that nobody changed the manifest since. */
export type SignatureState = 'none' | 'whole' | 'proven' | 'broken'

export function checkSignature(pack: Pack, key: KeyObject | null, tell: Tell): SignatureState {
  if (pack.signature === null) {
    if (key === null) return 'none'
    tell({
      kind: 'signature_missing',
      file: SIGNATURE_FILE,
      message: `There is no ${SIGNATURE_FILE}, so nobody signed this pack, or the signature was taken away`,
      next: 'Ask whoever signs for a signed report',
    })
    return 'broken'
  }
  const signature = readSignature(pack.signature)
  if (signature?.isOf(Buffer.from(pack.manifestText)) !== true) {
    tell({
      kind: 'signature_changed',
      file: SIGNATURE_FILE,
      message: `${SIGNATURE_FILE} is no signature of this ${MANIFEST_FILE}: one of the two was changed since it was signed`,
      next: 'Ask whoever signs for the signed report',
    })
    return 'broken'
  }
  if (key === null) return 'whole'
  if (isSameKey(signature.publicKey, key)) return 'proven'
  tell({
    kind: 'signature_of_another_key',
    file: SIGNATURE_FILE,
    message: `The pack was signed with another key (SHA-256 ${fingerprintOf(signature.publicKey)}) than the one that was given (${fingerprintOf(key)})`,
    next: 'Ask whoever signs which key is theirs, and do not take it from the pack',
  })
  return 'broken'
}
