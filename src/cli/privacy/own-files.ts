import { createHash } from 'node:crypto'
import { constants, readdirSync, realpathSync, rmdirSync, unlinkSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fold } from '../../domain/text/text.js'
import type { CampaignRecord } from '../../ledger/read/reader.js'
import { MANIFEST_FILE, readManifest } from '../../report/files/manifest.js'
import { isToDo, NOTE, readNote, type WrittenFiles } from '../../report/pack/earlier-pack.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../source/options.js'
import { openList } from '../../source/list.js'
import { entryAt } from '../../trust/entry.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { DECISION_COLUMNS, ledgerMark } from '../../report/files/lists.js'

interface LeftFile {
  readonly file: string
  /** Completes "Left …: ". */
  readonly why: string
}

export interface RemovedFiles {
  readonly removed: readonly string[]
  readonly left: readonly LeftFile[]
}

/** Whose files they must be, and where its ledger is. */
export interface Owner {
  readonly ledger: string
  readonly campaign: CampaignRecord
}

/**
 * Removes those of the files that are proven to be of this ledger: by the hash that a manifest of it names, or by its mark
 * in every line. A name proves nothing: other campaigns and people give the same ones.
 */
export async function removeOwn(files: readonly string[], owner: Owner): Promise<RemovedFiles> {
  const removed: string[] = []
  const left: LeftFile[] = []
  for (const file of files) {
    const why = await removeOne(file, owner)
    if (why === null) removed.push(file)
    else left.push({ file, why })
  }
  for (const folder of new Set(removed.map((file) => dirname(file)))) removeNoteAlone(folder)
  return { removed, left }
}

/** Of a folder of lists from which all lists are gone. */
function removeNoteAlone(folder: string): void {
  if (!isToDo(basename(folder)) || readdirSync(folder).join() !== NOTE) return
  unlinkSync(join(folder, NOTE))
  rmdirSync(folder)
}

/** @returns why the file was left; null once it is gone */
async function removeOne(file: string, owner: Owner): Promise<string | null> {
  if (isBehindLink(dirname(file), dirname(resolve(owner.ledger)))) return 'its folder is reached by a link'
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null)
  if (handle === null) return 'it cannot be opened, or is a link'
  try {
    const opened = await handle.stat()
    if (!opened.isFile()) return 'it is not a regular file'
    const why = await unproven(file, handle, owner)
    if (why !== null) return why
    const entry = entryAt(file)
    if (entry?.ino !== opened.ino || entry.dev !== opened.dev) return 'it was exchanged meanwhile'
    unlinkSync(file)
    return null
  } finally {
    await handle.close()
  }
}

/** Links above the folder of the ledger are the way to the ledger as well; any other may lead to files of others. */
function isBehindLink(folder: string, ledgerFolder: string): boolean {
  const [real, beside] = [realpathSync(folder), relative(ledgerFolder, resolve(folder))]
  return beside.startsWith('..')
    ? real !== resolve(folder)
    : real !== join(realpathSync(ledgerFolder), beside)
}

async function unproven(file: string, handle: FileHandle, { campaign }: Owner): Promise<string | null> {
  const written = manifestBeside(file) ?? readNote(dirname(file))
  const named = written?.files.find(({ name }) => name === basename(file))
  if (written?.ledgerId === campaign.ledgerId && named?.sha256 === (await sha256Of(handle))) return null
  if (file.endsWith('.csv') && (await isMarked(file, handle, fold(ledgerMark(campaign))))) return null
  return written !== null && written.ledgerId !== campaign.ledgerId && written.ledgerId !== ''
    ? 'it lies in the report of another ledger'
    : 'nothing proves that it is of this ledger: no manifest names it as it is, and not every line has its mark'
}

function manifestBeside(file: string): WrittenFiles | null {
  const given = { what: 'manifest', nothing: 'nothing was removed', mostBytes: MOST_BYTES.manifest }
  try {
    const read = readManifest(readGivenText(join(dirname(file), MANIFEST_FILE), { ...given, noLink: true }))
    return read !== null && read !== 'no_json' && read.isDigestRight ? read.manifest : null
  } catch {
    return null
  }
}

/** From its beginning, of what is open. */
const bytesOf = (handle: FileHandle) => handle.createReadStream({ start: 0, autoClose: false })

async function sha256Of(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytesOf(handle)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** Whether there are lines, and each names this ledger: a list that somebody filled in or saved anew. */
async function isMarked(file: string, handle: FileHandle, mark: string): Promise<boolean> {
  try {
    const input = { name: basename(file), stream: bytesOf(handle) }
    const list = await openList(input, DEFAULT_SOURCE_OPTIONS.limits, DECISION_COLUMNS)
    let lines = 0
    for await (const line of list.rows()) {
      if (fold(line.cell('migration_ledger') ?? '') !== mark) return false
      lines += 1
    }
    return lines > 0
  } catch {
    return false // no list at all
  }
}
