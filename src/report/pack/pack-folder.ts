import { createHash } from 'node:crypto'
import { lstat, mkdtemp, open, readdir, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { UsageError } from '../../errors.js'
import {
  freeFolder,
  isWorkedIn,
  keptFiles,
  leftNumbered,
  numberedNames,
  type PackFile,
  WORKSHOP_MARK,
  WORKSHOP_PREFIX,
} from './earlier-pack.js'
import { assertReportFolder, makeFolder } from '../../trust/folder.js'
import { assertNotTaken } from '../../trust/output.js'

/** A file that is being written under a temporary name. */
interface PackOutput {
  /** Keeps the text until `drain`. */
  readonly put: (text: string) => void
  /** Bytes, behind what was put. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Hands what was put to the operating system, once it is worth a call. */
  readonly drain: () => Promise<void>
  /** Writes the rest and flushes it to the disk. Files that are flushed at the same time share the wait. */
  readonly flush: () => Promise<void>
  /** The same, and closes. */
  readonly finish: () => Promise<PackFile>
}

/** What a report keeps aside while it is written: it gets no name, and is gone with the folder's hidden part. */
export interface ScratchFile {
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Everything that was written, from its beginning. A chunk holds until the next one is asked for. */
  readonly chunks: () => AsyncGenerator<Uint8Array, void, undefined>
  readonly remove: () => Promise<void>
}

export interface Published {
  /** Where the files are: the folder that was asked for, or one in it. */
  readonly folder: string
  /** The file that stood in the way and was left as it is. */
  readonly kept: string | null
  /** Files that people work in: they keep their names, and the new ones have others. */
  readonly numbered: ReadonlyMap<string, string>
}

/** A folder whose files appear together, each complete, or not at all. */
export interface PackFolder {
  readonly create: (name: string) => Promise<PackOutput>
  /** @param name of no other file of the folder */
  readonly scratch: (name: string) => Promise<ScratchFile>
  readonly write: (name: string, content: string | Uint8Array) => Promise<PackFile>
  /**
   * Gives those of the finished files a number in whose place somebody works in a file of an earlier pack, unless another
   * name of the pack is taken too.
   * @returns name to the name that it will have
   */
  readonly settleNames: () => Promise<ReadonlyMap<string, string>>
  /** What is finished, under the names that the files will have. */
  readonly finished: () => readonly PackFile[]
  /**
   * Gives the finished files their names, in the order in which they were finished, and removes an earlier file whose
   * name has none now. Where one of the names is taken by a file that is not as this program wrote it, all of them go to
   * a folder beside it.
   */
  readonly publish: () => Promise<Published>
  /** Removes whatever was not published. */
  readonly discard: () => Promise<void>
}

/** In characters. */
const WRITTEN_AT_ONCE = 131_072

/** A folder of a report that was killed holds original cells; one that old belongs to no living report. */
const ABANDONED_AFTER_MS = 3_600_000

const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
  ENOENT: 'no folder can be made there',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file of that name is there',
  ELOOP: 'the path is a loop of links',
  ENAMETOOLONG: 'the path is too long',
}

/** The code of an error of the operating system; null for any other error, which is a bug. */
const errorCode = (error: unknown): string | null =>
  error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null

/** What the file system refuses is for the operator to solve: another folder, space, permission. */
async function withFolder<Value>(out: string, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action()
  } catch (error) {
    const code = errorCode(error)
    if (code === null) throw error
    throw new UsageError(
      `Cannot write the report to "${out}": ${PROBLEMS[code] ?? 'the file system refused'} (${code})`,
      'The ledger is complete without it. Solve the cause or give another folder, then write the report again.',
      { cause: error, ways: ['report_folder', 'report'] },
    )
  }
}

/** A link or folder under a file's name would send the file elsewhere, so nothing is written at all. */
async function refuseOccupied(out: string, name: string, forbidden: readonly string[]): Promise<void> {
  const target = await lstat(join(out, name)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
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
    'Nothing was written. Remove it or give another folder.',
    { ways: ['report_folder'] },
  )
}

async function removeAbandoned(out: string, workshop: string): Promise<void> {
  const { mtimeMs: now } = await stat(workshop)
  for (const entry of await readdir(out, { withFileTypes: true })) {
    if (!entry.isDirectory() || !entry.name.startsWith(WORKSHOP_PREFIX)) continue
    const path = join(out, entry.name)
    const found = await stat(path).catch(() => null)
    if (found !== null && now - found.mtimeMs > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true })
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function outputTo(handle: FileHandle, name: string, onFinish: (file: PackFile) => void): PackOutput {
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

  return { put: (text) => void (waiting += text), write, drain, flush, finish }
}

/** In bytes. */
const READ_AT_ONCE = 1_048_576

function scratchAt(handle: FileHandle, path: string): ScratchFile {
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
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
  return { write: (bytes) => handle.writeFile(bytes), chunks, remove }
}

type Numbered = ReadonlyMap<string, string>

const namedAs = (files: readonly PackFile[], numbered: Numbered): readonly PackFile[] =>
  files.map((file) => ({ ...file, name: numbered.get(file.name) ?? file.name }))

/** None where anything else stands in the way: then the whole pack goes beside it. */
async function numberedIn(
  out: string,
  finished: readonly PackFile[],
  notMade: readonly string[],
): Promise<Numbered> {
  const kept = await keptFiles(out, [...finished, ...notMade.map((name) => ({ name, sha256: '' }))])
  const isAllWork = kept.length > 0 && kept.every(isWorkedIn)
  return (isAllWork ? await numberedNames(out, kept) : null) ?? new Map<string, string>()
}

interface Finished {
  readonly workshop: string
  /** With their names in the workshop. */
  readonly finished: readonly PackFile[]
  readonly numbered: Numbered
  readonly stale: readonly string[]
}

async function moveInto(out: string, { workshop, finished, numbered, stale }: Finished): Promise<Published> {
  const files = namedAs(finished, numbered)
  const kept = (await keptFiles(out, files, stale))[0] ?? null
  const folder = kept === null ? out : await freeFolder(out, files, stale)
  for (const name of [...stale, ...(await leftNumbered(folder, files))])
    await rm(join(folder, name), { force: true })
  for (const { name } of finished)
    await rename(join(workshop, name), join(folder, numbered.get(name) ?? name))
  await rm(workshop, { recursive: true })
  await syncFolder(folder)
  return { folder, kept, numbered }
}

/** The files that are being written in the hidden folder of a pack. */
function filesOf(
  out: string,
  workshop: string,
  onFinish: (file: PackFile) => void,
): Pick<PackFolder, 'create' | 'scratch'> & { readonly close: () => Promise<void> } {
  const handles: FileHandle[] = []

  async function opened(name: string, flags: 'wx' | 'wx+'): Promise<FileHandle> {
    const handle = await open(join(workshop, name), flags, 0o600)
    handles.push(handle)
    return handle
  }

  const create = (name: string): Promise<PackOutput> =>
    withFolder(out, async () => {
      const output = outputTo(await opened(name, 'wx'), name, onFinish)
      return {
        put: output.put,
        write: (chunk) => withFolder(out, () => output.write(chunk)),
        drain: () => withFolder(out, output.drain),
        flush: () => withFolder(out, output.flush),
        finish: () => withFolder(out, output.finish),
      }
    })

  const scratch = (name: string): Promise<ScratchFile> =>
    withFolder(out, async () => {
      const file = scratchAt(await opened(name, 'wx+'), join(workshop, name))
      return { ...file, write: (bytes) => withFolder(out, () => file.write(bytes)) }
    })

  async function close(): Promise<void> {
    for (const handle of handles) await handle.close().catch(() => undefined)
  }

  return { create, scratch, close }
}

interface FolderTerms {
  /** Of the ledger, so that what a killed report leaves can be told from that of others. */
  readonly mark?: string
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
  { mark, sharedFolder = false }: FolderTerms = {},
): Promise<PackFolder> {
  const workshop = await withFolder(out, async () => {
    makeFolder(out)
    if (!sharedFolder) assertReportFolder(out)
    for (const name of names) await refuseOccupied(out, name, forbidden)
    const made = await mkdtemp(join(out, WORKSHOP_PREFIX))
    if (mark !== undefined) await writeFile(join(made, WORKSHOP_MARK), `${mark}\n`, { mode: 0o600 })
    await removeAbandoned(out, made)
    return made
  })
  const finished: PackFile[] = []
  /** Name in the workshop to name in the folder. */
  let numbered: Numbered = new Map()

  const { create, scratch, close } = filesOf(out, workshop, (file) => void finished.push(file))

  async function write(name: string, content: string | Uint8Array): Promise<PackFile> {
    const output = await create(name)
    if (typeof content === 'string') output.put(content)
    else await output.write(content)
    return output.finish()
  }

  const notMade = (): readonly string[] =>
    names.filter((name) => !finished.some((file) => file.name === name))

  const settleNames = (): Promise<Numbered> =>
    withFolder(out, async () => {
      numbered = await numberedIn(out, finished, notMade())
      return numbered
    })

  const publish = (): Promise<Published> =>
    withFolder(out, () => moveInto(out, { workshop, finished, numbered, stale: notMade() }))

  async function discard(): Promise<void> {
    await close()
    // A file may just come to be, of a writer that has not been told yet: then the folder is not empty once more.
    await rm(workshop, { recursive: true, force: true, maxRetries: 3 })
  }

  return {
    create,
    scratch,
    write,
    settleNames,
    finished: () => namedAs(finished, numbered),
    publish,
    discard,
  }
}
