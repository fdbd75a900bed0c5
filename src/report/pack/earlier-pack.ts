import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, mkdirSync, readdirSync, renameSync, rmSync, type Stats } from 'node:fs'
import { rename } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../domain/text/text.js'
import { codeOf } from '../../errors.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { TO_DO } from '../facts/facts.js'
import { readSignature, SIGNATURE_FILE } from '../../trust/signature.js'
import { entryAt } from '../../trust/entry.js'

export interface PackFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** A report being written keeps its files in a folder of this name until all of them are complete. */
export const WORKSHOP_PREFIX = '.sepa-migrate-report-'

/** In that folder: which ledger it is of, as lines of lists name it. */
export const WORKSHOP_MARK = 'ledger'

const MANIFEST = 'manifest.json'
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
export const readWrittenFiles = (folder: string, name: typeof MANIFEST | typeof NOTE): WrittenFiles | null =>
  writtenSchema.safeParse(parseJson(textIn(folder, name))).data ?? null

export const readNote = (folder: string): WrittenFiles | null => readWrittenFiles(folder, NOTE)

/** What manifest and note of a folder name, as `name sha256`. */
const provenBy = (folder: string): readonly string[] =>
  ([MANIFEST, NOTE] as const).flatMap((name) =>
    (readWrittenFiles(folder, name)?.files ?? []).map((file) => `${file.name} ${file.sha256}`),
  )

export async function sha256Of(path: string, bytes = createReadStream(path)): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** A report that was killed while it gave its files their names has left its manifest in its own folder. */
const provenByUnfinished = (folder: string): readonly string[] =>
  workshopsIn(folder).flatMap((path) => provenBy(path))

/** Whether the report in the folder is of another ledger. */
export const isOfAnother = (
  folder: string,
  files: readonly Pick<PackFile, 'name'>[],
  ledgerId: string,
): boolean =>
  files.some(({ name }) => name === MANIFEST) &&
  (readWrittenFiles(folder, MANIFEST)?.ledgerId ?? ledgerId) !== ledgerId

/**
 * The first of these names under which the folder has something that is not as this program wrote it, or that is of another
 * ledger; null where all of them may be replaced.
 * @param stale names of files that are there no more, which must be removed instead
 */
export async function keptFile(
  folder: string,
  files: readonly Pick<PackFile, 'name' | 'sha256'>[],
  { stale, ledgerId }: { readonly stale: readonly string[]; readonly ledgerId: string },
): Promise<string | null> {
  if (isOfAnother(folder, files, ledgerId)) return MANIFEST
  const proven = new Set([
    ...files.map(({ name, sha256 }) => `${name} ${sha256}`), // by a report at the same time
    ...provenByUnfinished(folder),
    ...provenBy(folder), // after the others, which move here
  ])
  const isOurs = async (name: string): Promise<boolean> =>
    ((name === MANIFEST || name === NOTE) && readWrittenFiles(folder, name) !== null) ||
    (name === SIGNATURE_FILE && readSignature(textIn(folder, name)) !== null) ||
    proven.has(`${name} ${await sha256Of(join(folder, name))}`)
  for (const name of [...files.map((file) => file.name), ...stale]) {
    const entry = entryAt(join(folder, name))
    if (entry !== null && !(entry.isFile() && (await isOurs(name)))) return name
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

/** Where the newest lists of a report are, or will be where there are none. */
const toDoFolder = (folder: string): string => join(folder, toDoName(Math.max(1, ...toDoNumbers(folder))))

/** Where a file of a report is: a list to work in lies in the newest folder of lists. */
export const pathInPack = (folder: string, name: string): string =>
  join(name.startsWith(`${TO_DO}/`) ? toDoFolder(folder) : folder, name.replace(`${TO_DO}/`, ''))

/** In a folder of lists: those that a command took in. They go on to the folder of the next lists. */
export const DONE = 'done'

/** A path in the folder that is free: the name, or one with a number behind it. */
function freePath(folder: string, name: string): string {
  const { name: base, ext } = parse(name)
  for (let n = 1; ; n += 1) {
    const path = join(folder, n === 1 ? name : `${base}-${n}${ext}`)
    if (entryAt(path) === null) return path
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
    const done = join(folder, DONE)
    mkdirSync(done, { recursive: true, mode: 0o700 })
    const to = freePath(done, basename(path))
    renameSync(path, to)
    return to
  } catch {
    return null // a list that stays is one that somebody works in
  }
}

function moveDone(from: string, to: string): void {
  for (const name of namesIn(from)) {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    renameSync(join(from, name), freePath(to, name))
  }
}

/** Nobody has worked in it, or put anything beside its lists. */
async function isAsWritten(folder: string): Promise<boolean> {
  const note = isFolder(folder) ? readNote(folder) : null
  const names = namesIn(folder)
  const proven = new Set(note?.files.map(({ name, sha256 }) => `${name} ${sha256}`))
  for (const name of names) {
    if (name === NOTE || name === DONE) continue
    const path = join(folder, name)
    if (!isFile(path) || !proven.has(`${name} ${await sha256Of(path).catch(() => '')}`)) return false
  }
  return note !== null
}

/**
 * Makes room for new lists: takes the earlier ones away in which nobody has worked.
 * @param away a folder where they are put as a whole, because another report may do the same
 * @returns the folder for the new ones, and the newest of those that were left
 */
export async function freeToDo(folder: string, away: string) {
  let last = 0
  for (const number of toDoNumbers(folder)) {
    const path = join(folder, toDoName(number))
    const before = entryAt(path)
    if (await isAsWritten(path)) {
      moveDone(join(path, DONE), join(away, TO_DO, DONE))
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
    const manifest = readWrittenFiles(folder, MANIFEST)
    return manifest?.ledgerId === ledgerId && manifest.changedAt === changedAt
  }
  const besides = (folder: string): string[] =>
    namesIn(folder).flatMap((name) => (/^report-\d+$/.test(name) ? [join(folder, name)] : []))
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
    .filter(isWanted)
    .map((name) => join(folder, name))
    .filter(isFolder)

/** Where reports keep their files until all of them are complete. */
export const workshopsIn = (folder: string): string[] =>
  inside(folder, (name) => name.startsWith(WORKSHOP_PREFIX))

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
  const files = all.flatMap((folder) =>
    namesIn(folder)
      .map((name) => ({ name, path: join(folder, name) }))
      .filter(({ path }) => isFile(path)),
  )
  const matching = (pattern: RegExp): string[] =>
    files.filter(({ name }) => pattern.test(name)).map(({ path }) => path)
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

const isMarked = (workshop: string, mark: string): boolean => textIn(workshop, WORKSHOP_MARK) === `${mark}\n`

/**
 * Removes what reports of a ledger that were killed, or are being written now, keep under temporary names: original cells.
 * @param mark of the ledger
 * @returns what was removed, and what is of another ledger, or does not say of which
 */
export function removeLeftovers(folders: readonly string[], mark: string) {
  const found = withInner(folders.filter(isFolder)).flatMap(workshopsIn)
  const removed = found.filter((path) => isMarked(path, mark))
  for (const path of removed) rmSync(path, { recursive: true, force: true })
  return { removed, left: found.filter((path) => !removed.includes(path)) }
}
