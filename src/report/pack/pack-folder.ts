import type { RowState } from '../../domain/row/row-state.js'
import {
  assertReportFolder,
  entryAt,
  makeFolder,
  assertNotTaken,
  flush,
  MOST_BYTES,
  readGivenText,
} from '../../trust/trusted-file.js'
import { createHash, randomUUID } from 'node:crypto'
import { lstat, mkdir, mkdtemp, open, rename, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { basename, join, dirname, parse, resolve } from 'node:path'
import { codeOf, UsageError } from '../../errors.js'
import { ledgerMark } from '../../domain/row/list-columns.js'
import { createReadStream, mkdirSync, readdirSync, renameSync, rmSync, type Stats } from 'node:fs'
import { getSystemErrorMap } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../domain/text/text.js'
import { readSignature, SIGNATURE_FILE } from '../../trust/signature.js'

/**
 * The parts the rows of a ledger fall into; each row is in exactly one. States stand in the order of a report: what was
 * achieved, what is open, what is closed.
 */
export const PART_OF_STATE = {
  registered: 'registered',
  in_doubt: 'inDoubt',
  sending: 'inDoubt',
  refused: 'refused',
  ready: 'notSent',
  invalid: 'corrections',
  conflict: 'corrections',
  excluded: 'notSent',
  duplicate: 'notSent',
  superseded: 'closed',
  written_off: 'closed',
} as const satisfies Record<RowState, string>
export const REPORT_ORDER = Object.keys(PART_OF_STATE) as readonly RowState[]

export type ReportPart = (typeof PART_OF_STATE)[RowState]

/** The folder of the lists to work in: no manifest names them, so that working in them changes no report. */
export const TO_DO = 'to-do'

/** Where the file of each part is in the folder of a report. */
export const PLACE_OF_PART = {
  registered: 'registered.csv',
  refused: `${TO_DO}/refused.csv`,
  corrections: `${TO_DO}/corrections.csv`,
  inDoubt: `${TO_DO}/in-doubt.csv`,
  notSent: `${TO_DO}/not-sent.csv`,
} as const satisfies Record<Exclude<ReportPart, 'closed'>, string>

/** What belongs to the pack, and what it was made from. */
export const MANIFEST_FILE = 'manifest.json'

/** Written only where registered rows were read back. */
export const VERIFICATION_FILE = 'verification.csv'

/** Every decision of the ledger in the order in which it was recorded. */
export const DECISIONS_FILE = 'decisions.csv'

/** Written only where something of the cut-over is open. */
export const CUT_OVER_FILE = `${TO_DO}/cut-over.csv`

/** Written where it is asked for: what one run registered. */
export const TO_CANCEL_FILE = `${TO_DO}/to-cancel.csv`

/** The lists of what is open as sheets of one workbook. */
export const TO_DO_WORKBOOK = `${TO_DO}/to-do.xlsx`

/** Languages in which people can read a report. The files that programs read are the same in all of them. */
export const LANGUAGES = ['en', 'de', 'fr', 'it', 'es', 'sv'] as const
export type Language = (typeof LANGUAGES)[number]

export const NOTHING_TOLD = {
  /** Whose mandates these are. */
  company: null as string | null,
  /** The former provider. */
  from: null as string | null,
}
/** What a report is told besides the ledger: its manifest holds it, so that the report can be written again. */
export type Told = Readonly<typeof NOTHING_TOLD>

export interface PackFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** A report being written keeps its files in a folder of this name until all of them are complete. */
const WORKSHOP_PREFIX = '.sepa-migrate-report-'

/** In that folder: which ledger it is of, as lines of lists name it. */
const WORKSHOP_MARK = 'ledger'

/** Beside files that no manifest names: the lists in `to-do`, and what `check` writes. */
export const NOTE = '.as-written.json'

const writtenSchema = z.object({
  schemaVersion: z.literal(1),
  ledgerId: z.string(),
  changedAt: z.string().optional(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
})

/** What a manifest or a note says that this program wrote. */
type WrittenFiles = z.output<typeof writtenSchema>

export const noteText = (ledgerId: string, files: readonly PackFile[]): string => {
  const named = files.map(({ name, sha256 }) => ({ name, sha256 }))
  return `${JSON.stringify({ schemaVersion: 1, ledgerId, files: named }, null, 2)}\n`
}

/** A small file of a folder as text; empty for anything else. No link is followed. */
export function textIn(folder: string, name: string): string {
  try {
    const given = { what: 'file', nothing: 'it was left', mostBytes: MOST_BYTES.manifest, noLink: true }
    return readGivenText(join(folder, name), given)
  } catch {
    return ''
  }
}

/** Null where there is none of ours. */
export const readWrittenFiles = (
  folder: string,
  name: typeof MANIFEST_FILE | typeof NOTE,
): WrittenFiles | null => writtenSchema.safeParse(parseJson(textIn(folder, name))).data ?? null

export const readNote = (folder: string): WrittenFiles | null => readWrittenFiles(folder, NOTE)

const proofOf = ({ name, sha256 }: Pick<PackFile, 'name' | 'sha256'>): string => `${name} ${sha256}`

/** What manifest and note of a folder name. */
const provenBy = (folder: string): readonly string[] =>
  ([MANIFEST_FILE, NOTE] as const).flatMap((name) => readWrittenFiles(folder, name)?.files.map(proofOf) ?? [])

export async function sha256Of(path: string, bytes = createReadStream(path)): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** Whether the report in the folder is of another ledger. */
const isOfAnother = (folder: string, files: readonly Pick<PackFile, 'name'>[], ledgerId: string): boolean =>
  files.some(({ name }) => name === MANIFEST_FILE) &&
  (readWrittenFiles(folder, MANIFEST_FILE)?.ledgerId ?? ledgerId) !== ledgerId

/** Somebody signed the report in the folder: it is kept as it is. */
const isSigned = (folder: string): boolean => readSignature(textIn(folder, SIGNATURE_FILE)) !== null

/**
 * The first of these names under which the folder has something that is not as this program wrote it, or that is of another
 * ledger, and the signature of a report that says anything else; null where all of them may be replaced.
 * @param stale names of files that are there no more, which must be removed instead
 */
export async function keptFile(
  folder: string,
  files: readonly Pick<PackFile, 'name' | 'sha256'>[],
  { stale, ledgerId }: { readonly stale: readonly string[]; readonly ledgerId: string },
): Promise<string | null> {
  if (isOfAnother(folder, files, ledgerId)) return MANIFEST_FILE
  const isKept = isSigned(folder)
  const proven = new Set([
    ...files.map(proofOf), // by a report at the same time
    // A report that was killed while it gave its files their names has left its manifest in its own folder.
    ...(isKept ? [] : [...workshopsIn(folder), folder].flatMap(provenBy)), // the folder last, where the others move to
  ])
  const isOurs = async (name: string): Promise<boolean> =>
    (isKept
      ? name === SIGNATURE_FILE && stale.includes(name)
      : (name === MANIFEST_FILE || name === NOTE) && readWrittenFiles(folder, name) !== null) ||
    proven.has(proofOf({ name, sha256: await sha256Of(join(folder, name)) }))
  for (const name of [...files.map((file) => file.name), ...stale]) {
    const entry = entryAt(join(folder, name))
    if (entry !== null && !(entry.isFile() && (await isOurs(name)))) return isKept ? SIGNATURE_FILE : name
  }
  return null
}

const TO_DO_FOLDER = /^to-do(?:-([2-9]|[1-9]\d+))?$/

export const isToDo = (name: string): boolean => TO_DO_FOLDER.test(name)

const toDoName = (number: number): string => (number === 1 ? TO_DO : `${TO_DO}-${number}`)

/** The numbers of the folders of lists that are there; 1 for the one without. */
const toDoNumbers = (folder: string): number[] =>
  namesIn(folder).flatMap((name) => {
    const found = TO_DO_FOLDER.exec(name)
    return found === null ? [] : [Number(found[1] ?? 1)]
  })

/** Where a file of a report is: a list to work in lies in the newest folder of lists, or will where there are none. */
export const pathInPack = (folder: string, name: string): string =>
  isList({ name })
    ? join(folder, toDoName(Math.max(1, ...toDoNumbers(folder))), basename(name))
    : join(folder, name)

/** In a folder of lists: those that a command took in. They go on to the folder of the next lists. */
const DONE = 'done'

/** Into the folder, which is made where it is missing: under its name, or that with a number behind it. */
function moveTo(folder: string, path: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { name, ext } = parse(path)
  for (let n = 1; ; n += 1) {
    const to = join(folder, n === 1 ? `${name}${ext}` : `${name}-${n}${ext}`)
    if (entryAt(to) !== null) continue
    renameSync(path, to)
    return to
  }
}

/**
 * Moves a list that a command took in to `done` beside it, so that new ones get its name; any other file stays.
 * @returns where it is now; null where it stays
 */
export function setAside(path: string): string | null {
  const folder = dirname(resolve(path))
  if (!isToDo(basename(folder)) || readNote(folder) === null || !isFile(path)) return null
  try {
    return moveTo(join(folder, DONE), path)
  } catch {
    return null // a list that stays is one that somebody works in
  }
}

/** Nobody has worked in it, or put anything beside its lists. */
async function isAsWritten(folder: string): Promise<boolean> {
  const note = isFolder(folder) ? readNote(folder) : null
  const names = namesIn(folder)
  const proven = new Set(note?.files.map(proofOf))
  for (const name of names) {
    if (name === NOTE || name === DONE) continue
    const path = join(folder, name)
    if (!isFile(path)) return false
    if (!proven.has(proofOf({ name, sha256: await sha256Of(path).catch(() => '') }))) return false
  }
  return note !== null
}

/**
 * Makes room for new lists: takes the earlier ones away in which nobody has worked.
 * @param away a folder where they are put as a whole, because another report may do the same
 * @returns the folder for the new ones, and the newest of those that were left
 */
async function freeToDo(folder: string, away: string) {
  let last = 0
  for (const number of toDoNumbers(folder)) {
    const path = join(folder, toDoName(number))
    const before = entryAt(path)
    if (await isAsWritten(path)) {
      const done = join(path, DONE)
      for (const name of namesIn(done)) moveTo(join(away, TO_DO, DONE), join(done, name))
      await rename(path, join(away, randomUUID())).catch((error: unknown) => {
        if (codeOf(error) !== 'ENOENT') throw error
      })
    }
    // What was taken away or exchanged meanwhile is none that somebody works in.
    else if (entryAt(path)?.ino === before?.ino) last = Math.max(last, number)
  }
  return {
    free: join(folder, toDoName(last + 1)),
    left: last === 0 ? null : join(folder, toDoName(last)),
  }
}

/**
 * The folder, one of these or a `report-2`, `report-3`, … in them, whose pack shows a ledger as it is: made since its
 * latest change. Null where there is none.
 */
export function findPack(
  folders: readonly string[],
  { ledgerId, changedAt }: { readonly ledgerId: string; readonly changedAt: string },
): string | null {
  const isCurrent = (folder: string): boolean => {
    const manifest = readWrittenFiles(folder, MANIFEST_FILE)
    return manifest?.ledgerId === ledgerId && manifest.changedAt === changedAt
  }
  const besides = (folder: string): string[] => inside(folder, (name) => /^report-\d+$/.test(name))
  return [...new Set(folders)].flatMap((folder) => [folder, ...besides(folder)]).find(isCurrent) ?? null
}

/** Result files that hold original cells, also copies with a number. */
const HOLDS_CELLS = /^(?:(?:refused|in-doubt|not-sent|corrections|cut-over)[^/]*\.csv|to-do[^/]*\.xlsx)$/
/** Result files that quote single values or the words and names of people, with accounts masked. */
const HOLDS_VALUES =
  /^(?:(?:problems|decisions)[^/]*\.csv|report[^/]*\.html|reconciliation[^/]*\.xlsx|(?:summary|manifest)\.json)$/
/** Result files with customer numbers, references and masked accounts. */
const HOLDS_REFERENCES = /^(?:registered|verification|to-cancel)[^/]*\.csv$/

/** @returns null where the folder is there and cannot be read */
function readNames(folder: string): string[] | null {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes(codeOf(error)) ? [] : null
  }
}

const namesIn = (folder: string): string[] => readNames(folder) ?? []

const inside = (folder: string, isWanted: (name: string) => boolean): string[] =>
  namesIn(folder)
    .flatMap((name) => (isWanted(name) ? join(folder, name) : []))
    .filter(isFolder)

/** Where reports keep their files until all of them are complete. */
const workshopsIn = (folder: string): string[] => inside(folder, (name) => name.startsWith(WORKSHOP_PREFIX))

/** The folders and those directly in them, where a report goes that would replace another, and all lists in these. */
function withInner(folders: readonly string[]): readonly string[] {
  const inner = folders.flatMap((folder) => inside(folder, () => true))
  const lists = [...inner, ...inner.flatMap((folder) => inside(folder, isToDo))]
  const done = lists.flatMap((folder) => inside(folder, (name) => name === DONE))
  return [...new Set([...folders, ...lists, ...done])]
}

/** Result files of earlier reports and checks in the folders and below, by what they hold of persons. */
export function findResultFiles(folders: readonly string[]) {
  const all = withInner(folders)
  const files = all.flatMap((folder) => namesIn(folder).map((name) => join(folder, name))).filter(isFile)
  const matching = (pattern: RegExp): string[] => files.filter((path) => pattern.test(basename(path)))
  return {
    cells: matching(HOLDS_CELLS),
    values: matching(HOLDS_VALUES),
    references: matching(HOLDS_REFERENCES),

    /** Folders that could not be looked into. */
    unread: all.filter((folder) => readNames(folder) === null),
  }
}

/** A regular file, no link; null for anything else, and where nobody may look. */
export function fileAt(path: string): Stats | null {
  try {
    const entry = entryAt(path)
    return entry?.isFile() === true ? entry : null
  } catch {
    return null
  }
}
const isFile = (path: string): boolean => fileAt(path) !== null
const isFolder = (path: string): boolean => entryAt(path)?.isDirectory() === true

/**
 * Removes what reports of a ledger that were killed, or are being written now, keep under temporary names: original cells.
 * @param mark of the ledger
 * @returns what was removed, and what is of another ledger, or does not say of which
 */
export function removeLeftovers(folders: readonly string[], mark: string) {
  const found = withInner(folders.filter(isFolder)).flatMap(workshopsIn)
  const removed = found.filter((path) => textIn(path, WORKSHOP_MARK) === `${mark}\n`)
  for (const path of removed) rmSync(path, { recursive: true, force: true })
  return { removed, left: found.filter((path) => !removed.includes(path)) }
}

/** What a report keeps aside while it is written: it gets no name, and is gone with the folder's hidden part. */
export type ScratchFile = ReturnType<typeof scratchAt>

/** A folder whose files appear together, each complete, or not at all. */
export type PackFolder = Awaited<ReturnType<typeof openPackFolder>>

/** In characters. */
const WRITTEN_AT_ONCE = 131_072

/** A folder of a report that was killed holds original cells; one that old belongs to no living report. */
const ABANDONED_AFTER_MS = 3_600_000

/** A link or folder under a file's name would send the file elsewhere, so nothing is written at all. */
function refuseOccupied(out: string, name: string, forbidden: readonly string[]): void {
  const target = entryAt(join(out, name))
  if (target === null) return
  // A file is replaced by another one, not written to, so nothing more is asked of it.
  if (target.isFile()) {
    assertNotTaken(join(out, name), { what: 'report file', forbidden })
    return
  }
  throw new UsageError(
    `Cannot write "${name}" to "${out}": a link, a folder or no regular file is in its place`,
    'Nothing was written. Remove it or give another folder (--out DIR).',
  )
}

async function removeAbandoned(out: string, workshop: string): Promise<void> {
  const { mtimeMs: now } = await stat(workshop)
  for (const path of workshopsIn(out))
    if (now - (entryAt(path)?.mtimeMs ?? now) > ABANDONED_AFTER_MS)
      await rm(path, { recursive: true, force: true })
}

function outputTo(handle: FileHandle, name: string, onFinish: (file: PackFile) => void) {
  const hash = createHash('sha256')
  let bytes = 0
  let waiting = ''

  /** Keeps the text until `drain`. */
  const put = (text: string): void => void (waiting += text)

  /** Bytes, behind what was put. */
  async function write(...chunks: readonly Uint8Array[]): Promise<void> {
    const all = waiting === '' ? chunks : [Buffer.from(waiting, 'utf8'), ...chunks]
    waiting = ''
    for (const chunk of all) {
      hash.update(chunk)
      bytes += chunk.length
      await handle.writeFile(chunk)
    }
  }

  /** Hands what was put to the operating system, once it is worth a call. */
  async function drain(): Promise<void> {
    if (waiting.length >= WRITTEN_AT_ONCE) await write()
  }

  /** Writes the rest and flushes it to the disk. Files that are flushed at the same time share the wait. */
  async function flush(): Promise<void> {
    await write()
    await handle.sync()
  }

  /** The same, and closes. */
  async function finish(): Promise<PackFile> {
    await flush()
    await handle.close()
    const file = { name, bytes, sha256: hash.digest('hex') }
    onFinish(file)
    return file
  }

  return { put, write, drain, flush, finish }
}

/** In bytes. */
const READ_AT_ONCE = 1_048_576

function scratchAt(handle: FileHandle, path: string) {
  const { put, write, drain } = outputTo(handle, path, () => undefined)
  /** Everything that was put, from its beginning. A chunk holds until the next one is asked for. */
  async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    await write()
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
  return { put, drain, chunks, remove }
}

/** A list to work in. */
export const isList = ({ name }: Pick<PackFile, 'name'>): boolean => name.startsWith(`${TO_DO}/`)

/**
 * The lists with their note, as a whole.
 * @returns also, as `left`, a folder of earlier lists in which somebody works: it was left as it is
 */
async function moveLists(folder: string, workshop: string, lists: readonly PackFile[], ledgerId: string) {
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
async function freeFolder(out: string, keptIn: (folder: string) => Promise<string | null>): Promise<string> {
  for (let n = 2; ; n += 1) {
    const folder = join(out, `report-${n}`)
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error
    })
    const isFolder = (await lstat(folder)).isDirectory()
    if (isFolder && (await keptIn(folder)) === null) return folder
  }
}

interface FolderTerms {
  /** Files that this command reads or keeps: none of them is replaced. */
  readonly forbidden?: readonly string[] | undefined
  /** So that what a killed report leaves can be told from that of others; left out where there is no ledger. */
  readonly ledgerId?: string
  /** Somebody vouches for the folder, whoever can write there. */
  readonly sharedFolder?: boolean | undefined
}

/**
 * Opens `out` for a pack of files with some or all of `names`, making the folder with mode 0700 where it is missing. Files are
 * written with mode 0600 inside a new folder of an unpredictable name in `out`, so that two reports at a time do
 * not mix, and get their names by renaming.
 * @throws {UsageError} when the folder cannot be used or others can write there, or a name is taken by anything but a
 *   regular file
 */
export async function openPackFolder(
  out: string,
  names: readonly string[],
  { forbidden = [], ledgerId = '', sharedFolder = false }: FolderTerms = {},
) {
  makeFolder(out)
  if (!sharedFolder) assertReportFolder(out)
  for (const name of names) refuseOccupied(out, name, forbidden)
  const workshop = await mkdtemp(join(out, WORKSHOP_PREFIX))
  if (ledgerId !== '')
    await writeFile(join(workshop, WORKSHOP_MARK), `${ledgerMark({ ledgerId })}\n`, { mode: 0o600 })
  await mkdir(join(workshop, TO_DO), { mode: 0o700 })
  await removeAbandoned(out, workshop)
  const written: PackFile[] = []
  const handles: FileHandle[] = []
  let scratches = 0

  async function opened(name: string, flags: 'wx' | 'wx+'): Promise<FileHandle> {
    const handle = await open(join(workshop, name), flags, 0o600)
    handles.push(handle)
    return handle
  }

  /** @param name in the folder; of a list to work in with `to-do/` before it */
  const create = async (name: string) =>
    outputTo(await opened(name, 'wx'), name, (file) => void written.push(file))

  const scratch = async () => {
    const name = `.sheet-${(scratches += 1)}`
    return scratchAt(await opened(name, 'wx+'), join(workshop, name))
  }

  async function write(name: string, text: string): Promise<PackFile> {
    const output = await create(name)
    output.put(text)
    return output.finish()
  }

  /** What is finished, without the lists to work in. */
  const finished = (): readonly PackFile[] => written.filter((file) => !isList(file))

  /**
   * Gives the finished files their names, in the order in which they were finished, and removes an earlier file whose
   * name has none now. Where one of the names is taken by a file that is not as this program wrote it, or a signed report
   * says something else, all of them go to `report-2`, `report-3`, … in the folder; a signed report that says the same
   * stays untouched. Where somebody works in the lists of `to-do`, new ones go to `to-do-2`.
   */
  async function publish() {
    const [files, lists] = [finished(), written.filter(isList)]
    const stale = names.filter((name) => !written.some((file) => file.name === name))
    const keptIn = (folder: string): Promise<string | null> => keptFile(folder, files, { stale, ledgerId })
    /** The file that stood in the way and was left as it is. */
    const kept = await keptIn(out)
    /** The report that stands there is of another ledger. */
    const isBesideAnother = isOfAnother(out, files, ledgerId)
    /** Where the files are: the folder that was asked for, or one in it. */
    const folder = kept === null ? out : await freeFolder(out, keptIn)
    /** The lists to work in; null where there are none. */
    const toDo = lists.length === 0 ? null : await moveLists(folder, workshop, lists, ledgerId)
    const isSame = isSigned(folder)
    for (const name of stale) if (name !== SIGNATURE_FILE) await rm(join(folder, name), { force: true })
    for (const { name } of files)
      if (!isSame || entryAt(join(folder, name)) === null)
        await rename(join(workshop, name), join(folder, name))
    await rm(workshop, { recursive: true })
    flush(folder)
    return { folder, kept, isBesideAnother, toDo }
  }

  /** Removes whatever was not published. */
  async function discard(): Promise<void> {
    for (const handle of handles) await handle.close().catch(() => undefined)
    // A file may just come to be, of a writer that has not been told yet: then the folder is not empty once more.
    await rm(workshop, { recursive: true, force: true, maxRetries: 3 })
  }

  return { create, scratch, write, finished, publish, discard }
}

/**
 * The same for what is done in it; whatever was not published is removed again. What the file system refuses is for the
 * operator to solve: another folder, space, permission.
 */
export async function inPackFolder<Value>(
  out: string,
  names: readonly string[],
  terms: FolderTerms,
  action: (folder: PackFolder) => Promise<Value>,
): Promise<Value> {
  try {
    const folder = await openPackFolder(out, names, terms)
    try {
      return await action(folder)
    } finally {
      await folder.discard()
    }
  } catch (error) {
    // Any other error than of the operating system is a bug.
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const [, why = 'the file system refused'] =
      getSystemErrorMap().get(Number(Reflect.get(error, 'errno'))) ?? []
    throw new UsageError(
      `Cannot write the report to "${out}": ${why} (${codeOf(error)})`,
      terms.ledgerId === undefined
        ? 'Solve the cause or give another folder (--out DIR), then check again.'
        : 'The ledger is complete without it. Solve the cause or give another folder, then write the report again (--out DIR; sepa-migrate report).',
      { cause: error },
    )
  }
}
