import { assertReportFolder, entryAt, makeFolder } from '../../trust/entry.js'
import { createHash } from 'node:crypto'
import { lstat, mkdir, mkdtemp, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { codeOf, UsageError } from '../../errors.js'
import {
  freeToDo,
  isOfAnother,
  keptFile,
  NOTE,
  noteText,
  type PackFile,
  WORKSHOP_MARK,
  WORKSHOP_PREFIX,
  workshopsIn,
} from './earlier-pack.js'
import { TO_DO } from '../facts/facts.js'
import { assertNotTaken, flush } from '../../trust/output.js'
import { ledgerMark } from '../../domain/row/list-words.js'

/** A file that is being written under a temporary name. */
type PackOutput = ReturnType<typeof outputTo>

/** What a report keeps aside while it is written: it gets no name, and is gone with the folder's hidden part. */
export type ScratchFile = ReturnType<typeof scratchAt>

export type Published = Awaited<ReturnType<typeof moveInto>>

/** A folder whose files appear together, each complete, or not at all. */
export type PackFolder = Awaited<ReturnType<typeof openPackFolder>>

/** In characters. */
const WRITTEN_AT_ONCE = 131_072

/** A folder of a report that was killed holds original cells; one that old belongs to no living report. */
const ABANDONED_AFTER_MS = 3_600_000

const PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space is left'],
  ['EDQUOT', 'the quota is used up'],
  ['ENOENT', 'no folder can be made there'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EEXIST', 'a file of that name is there'],
  ['ELOOP', 'the path is a loop of links'],
  ['ENAMETOOLONG', 'the path is too long'],
])

/** A link or folder under a file's name would send the file elsewhere, so nothing is written at all. */
function refuseOccupied(out: string, name: string, forbidden: readonly string[]): void {
  const target = entryAt(join(out, name))
  if (target === null) return
  // A file is replaced by another one, not written to, so nothing more is asked of it.
  if (target.isFile()) {
    assertNotTaken(join(out, name), { what: 'report file', forbidden })
    return
  }
  const found = target.isSymbolicLink()
    ? 'a symbolic link'
    : target.isDirectory()
      ? 'a folder'
      : 'no regular file'
  throw new UsageError(
    `Cannot write "${name}" to "${out}": ${found} is in its place`,
    'Nothing was written. Remove it or give another folder (--out DIR).',
  )
}

async function removeAbandoned(out: string, workshop: string): Promise<void> {
  const { mtimeMs: now } = await stat(workshop)
  for (const path of workshopsIn(out)) {
    const found = await stat(path).catch(() => null)
    if (found !== null && now - found.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true })
  }
}

function outputTo(handle: FileHandle, name: string, onFinish: (file: PackFile) => void) {
  const hash = createHash('sha256')
  let bytes = 0
  let waiting = ''

  async function writeChunk(chunk: Uint8Array): Promise<void> {
    hash.update(chunk)
    bytes += chunk.length
    await handle.writeFile(chunk)
  }

  async function writeWaiting(): Promise<void> {
    if (waiting === '') return
    const chunk = Buffer.from(waiting, 'utf8')
    waiting = ''
    await writeChunk(chunk)
  }

  async function write(chunk: Uint8Array): Promise<void> {
    await writeWaiting()
    await writeChunk(chunk)
  }

  async function drain(): Promise<void> {
    if (waiting.length >= WRITTEN_AT_ONCE) await writeWaiting()
  }

  async function flush(): Promise<void> {
    await writeWaiting()
    await handle.sync()
  }

  async function finish(): Promise<PackFile> {
    await flush()
    await handle.close()
    const file = { name, bytes, sha256: hash.digest('hex') }
    onFinish(file)
    return file
  }

  return {
    /** Keeps the text until `drain`. */
    put: (text: string): void => void (waiting += text),
    /** Bytes, behind what was put. */
    write,
    /** Hands what was put to the operating system, once it is worth a call. */
    drain,
    /** Writes the rest and flushes it to the disk. Files that are flushed at the same time share the wait. */
    flush,
    /** The same, and closes. */
    finish,
  }
}

/** In bytes. */
const READ_AT_ONCE = 1_048_576

function scratchAt(handle: FileHandle, path: string) {
  const output = outputTo(handle, path, () => undefined)
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    await output.write(Buffer.of())
    const buffer = Buffer.allocUnsafe(READ_AT_ONCE)
    for (let at = 0; ;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  }
  async function remove(): Promise<void> {
    await handle.close()
    await rm(path)
  }
  return {
    put: output.put,
    drain: output.drain,
    /** Everything that was put, from its beginning. A chunk holds until the next one is asked for. */
    chunks,
    remove,
  }
}

const isList = ({ name }: PackFile): boolean => name.startsWith(`${TO_DO}/`)

interface Finished {
  readonly workshop: string
  readonly files: readonly PackFile[]
  readonly lists: readonly PackFile[]
  readonly stale: readonly string[]
  readonly ledgerId: string
}

async function moveInto(out: string, finished: Finished) {
  const { workshop, files, lists, stale, ledgerId } = finished
  const kept = await keptFile(out, files, finished)
  const isBesideAnother = isOfAnother(out, files, ledgerId)
  const folder = kept === null ? out : await freeFolder(out, finished)
  const toDo = lists.length === 0 ? null : await moveLists(folder, finished)
  for (const name of stale) await rm(join(folder, name), { force: true })
  for (const { name } of files) await rename(join(workshop, name), join(folder, name))
  await rm(workshop, { recursive: true })
  flush(folder)
  return {
    /** Where the files are: the folder that was asked for, or one in it. */
    folder,
    /** The file that stood in the way and was left as it is. */
    kept,
    /** The report that stands there is of another ledger. */
    isBesideAnother,
    /** The lists to work in; null where there are none. */
    toDo,
  }
}

/**
 * The lists with their note, as a whole.
 * @returns also, as `left`, a folder of earlier lists in which somebody works: it was left as it is
 */
async function moveLists(folder: string, { workshop, lists, ledgerId }: Finished) {
  const files = lists.map((file) => ({ ...file, name: basename(file.name) }))
  await writeFile(join(workshop, TO_DO, NOTE), noteText(ledgerId, files), { mode: 0o600, flush: true })
  flush(join(workshop, TO_DO))
  for (;;) {
    const { free, left } = await freeToDo(folder, workshop)
    try {
      await rename(join(workshop, TO_DO), free)
      return { folder: free, files, left }
    } catch (error) {
      // Another report has just put its own there.
      if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    }
  }
}

/** The first of `report-2`, `report-3`, … in the folder in which nothing stands in the way; made with mode 0700. */
async function freeFolder(out: string, finished: Finished): Promise<string> {
  for (let n = 2; ; n += 1) {
    const folder = join(out, `report-${n}`)
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
    const isFolder = (await lstat(folder)).isDirectory()
    if (isFolder && (await keptFile(folder, finished.files, finished)) === null) return folder
  }
}

interface FolderTerms {
  /** So that what a killed report leaves can be told from that of others; null where there is no ledger. */
  readonly ledgerId?: string
  /** Somebody vouches for the folder, whoever can write there. */
  readonly sharedFolder?: boolean | undefined
}

/**
 * Opens `out` for a pack of files with some or all of `names`, making the folder with mode 0700 where it is missing. Files are
 * written with mode 0600 inside a new folder of an unpredictable name in `out`, so that two reports at a time do
 * not mix, and get their names by renaming.
 * @param forbidden files that this command reads or keeps: none of them is replaced
 * @throws {UsageError} when the folder cannot be used or others can write there, or a name is taken by anything but a
 *   regular file
 */
export async function openPackFolder(
  out: string,
  names: readonly string[],
  forbidden: readonly string[] = [],
  { ledgerId, sharedFolder = false }: FolderTerms = {},
) {
  makeFolder(out)
  if (!sharedFolder) assertReportFolder(out)
  for (const name of names) refuseOccupied(out, name, forbidden)
  const workshop = await mkdtemp(join(out, WORKSHOP_PREFIX))
  if (ledgerId !== undefined)
    await writeFile(join(workshop, WORKSHOP_MARK), `${ledgerMark({ ledgerId })}\n`, { mode: 0o600 })
  await mkdir(join(workshop, TO_DO), { mode: 0o700 })
  await removeAbandoned(out, workshop)
  const finished: PackFile[] = []
  const handles: FileHandle[] = []

  async function opened(name: string, flags: 'wx' | 'wx+'): Promise<FileHandle> {
    const handle = await open(join(workshop, name), flags, 0o600)
    handles.push(handle)
    return handle
  }

  const create = async (name: string): Promise<PackOutput> =>
    outputTo(await opened(name, 'wx'), name, (file) => void finished.push(file))

  const scratch = async (name: string): Promise<ScratchFile> =>
    scratchAt(await opened(name, 'wx+'), join(workshop, name))

  async function write(name: string, content: string | Uint8Array): Promise<PackFile> {
    const output = await create(name)
    if (typeof content === 'string') output.put(content)
    else await output.write(content)
    return output.finish()
  }

  const ofPack = (): readonly PackFile[] => finished.filter((file) => !isList(file))

  const publish = (): Promise<Published> =>
    moveInto(out, {
      workshop,
      files: ofPack(),
      lists: finished.filter(isList),
      stale: names.filter((name) => !finished.some((file) => file.name === name)),
      ledgerId: ledgerId ?? '',
    })

  async function discard(): Promise<void> {
    for (const handle of handles) await handle.close().catch(() => undefined)
    // A file may just come to be, of a writer that has not been told yet: then the folder is not empty once more.
    await rm(workshop, { recursive: true, force: true, maxRetries: 3 })
  }

  return {
    /** @param name in the folder; of a list to work in with `to-do/` before it */
    create,
    /** @param name of no other file of the folder */
    scratch,
    write,
    /** What is finished, without the lists to work in. */
    finished: ofPack,
    /**
     * Gives the finished files their names, in the order in which they were finished, and removes an earlier file whose
     * name has none now. Where one of the names is taken by a file that is not as this program wrote it, all of them go to
     * `report-2`, `report-3`, … in the folder; where somebody works in the lists of `to-do`, new ones go to `to-do-2`.
     */
    publish,
    /** Removes whatever was not published. */
    discard,
  }
}

/**
 * The same for what is done in it; whatever was not published is removed again. What the file system refuses is for the
 * operator to solve: another folder, space, permission.
 */
export async function inPackFolder<Value>(
  out: string,
  names: readonly string[],
  forbidden: readonly string[] | undefined,
  terms: FolderTerms,
  action: (folder: PackFolder) => Promise<Value>,
): Promise<Value> {
  try {
    const folder = await openPackFolder(out, names, forbidden, terms)
    try {
      return await action(folder)
    } finally {
      await folder.discard()
    }
  } catch (error) {
    // Any other error than of the operating system is a bug.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const code = codeOf(error)
    throw new UsageError(
      `Cannot write the report to "${out}": ${PROBLEMS.get(code) ?? 'the file system refused'} (${code})`,
      terms.ledgerId === undefined
        ? 'Solve the cause or give another folder (--out DIR), then check again.'
        : 'The ledger is complete without it. Solve the cause or give another folder, then write the report again (--out DIR; sepa-migrate report).',
      { cause: error },
    )
  }
}
