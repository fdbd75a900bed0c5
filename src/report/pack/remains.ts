import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { entryAt } from '../../trust/entry.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { isToDo, WORKSHOP_MARK, WORKSHOP_PREFIX } from './earlier-pack.js'

/** Result files that hold original cells, also copies with a number. */
const HOLDS_CELLS = /^(?:refused|in-doubt|not-sent|corrections)[^/]*\.csv$/
/** Result files that quote single values or the words of people, with accounts masked. */
const HOLDS_VALUES = /^(?:(?:problems|decisions)[^/]*\.csv|report[^/]*\.html|reconciliation[^/]*\.xlsx)$/
/** Result files with customer numbers, references and masked accounts. */
const HOLDS_REFERENCES = /^(?:registered|verification)[^/]*\.csv$/

export interface RemainingFiles {
  readonly cells: readonly string[]
  readonly values: readonly string[]
  readonly references: readonly string[]
  /** Folders that could not be looked into. */
  readonly unread: readonly string[]
}

/** @returns null where the folder is there and cannot be read */
function readNames(folder: string): string[] | null {
  try {
    return readdirSync(folder).sort()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : null
  }
}

const namesIn = (folder: string): string[] => readNames(folder) ?? []

/** The folders and those directly in them, where a report goes that would replace another, and the lists in these. */
function withInner(folders: readonly string[]): readonly string[] {
  const inside = (folder: string, isWanted: (name: string) => boolean): string[] =>
    namesIn(folder)
      .filter(isWanted)
      .map((name) => join(folder, name))
      .filter(isFolder)
  const inner = folders.flatMap((folder) => inside(folder, () => true))
  return [...new Set([...folders, ...inner, ...inner.flatMap((folder) => inside(folder, isToDo))])]
}

/** Result files of earlier reports and checks in the folders and below, by what they hold of persons. */
export function findResultFiles(folders: readonly string[]): RemainingFiles {
  const all = withInner(folders)
  const files = all.flatMap((folder) =>
    namesIn(folder)
      .map((name) => ({ name, path: join(folder, name) }))
      .filter(({ path }) => entryAt(path)?.isFile() === true),
  )
  const matching = (pattern: RegExp): string[] =>
    files.filter(({ name }) => pattern.test(name)).map(({ path }) => path)
  return {
    cells: matching(HOLDS_CELLS),
    values: matching(HOLDS_VALUES),
    references: matching(HOLDS_REFERENCES),
    unread: all.filter((folder) => readNames(folder) === null),
  }
}

const isFolder = (path: string): boolean => entryAt(path)?.isDirectory() === true

function isMarked(workshop: string, mark: string): boolean {
  const given = { what: 'file', nothing: 'it was left', mostBytes: MOST_BYTES.approval, noLink: true }
  try {
    return readGivenText(join(workshop, WORKSHOP_MARK), given) === `${mark}\n`
  } catch {
    return false
  }
}

/**
 * Removes what reports of a ledger that were killed, or are being written now, keep under temporary names: original cells.
 * @param mark of the ledger
 * @returns what was removed, and what is of another ledger, or does not say of which
 */
export function removeLeftovers(
  folders: readonly string[],
  mark: string,
): { readonly removed: readonly string[]; readonly left: readonly string[] } {
  const found = withInner(folders.filter(isFolder)).flatMap((folder) =>
    namesIn(folder)
      .filter((name) => name.startsWith(WORKSHOP_PREFIX))
      .map((name) => join(folder, name))
      .filter(isFolder),
  )
  const removed = found.filter((path) => isMarked(path, mark))
  for (const path of removed) rmSync(path, { recursive: true, force: true })
  return { removed, left: found.filter((path) => !removed.includes(path)) }
}
