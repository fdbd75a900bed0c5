import { createHash } from 'node:crypto'
import { createReadStream, readdirSync, type Stats } from 'node:fs'
import { lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { readSignature, SIGNATURE_FILE } from '../../trust/signature.js'

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
const PROBLEMS = 'problems.csv'
/** What `check` leaves beside its problems.csv, which has no manifest: the file as it was written. */
export const PROBLEMS_NOTE = '.problems.csv.sha256'

const manifestSchema = z.object({
  schemaVersion: z.literal(1),
  ledgerId: z.string(),
  changedAt: z.string().optional(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
})

type Hashes = ReadonlySet<string>

/** A small file of a folder as text; empty for anything else. No link is followed. */
function textIn(folder: string, name: string): string {
  try {
    const given = { what: 'file', nothing: 'it was left', mostBytes: MOST_BYTES.manifest, noLink: true }
    return readGivenText(join(folder, name), given)
  } catch {
    return ''
  }
}

/** The manifest of a folder; null where there is none of ours. */
function manifestOf(folder: string): z.output<typeof manifestSchema> | null {
  try {
    return manifestSchema.parse(JSON.parse(textIn(folder, MANIFEST)))
  } catch {
    return null
  }
}

/** What a manifest says that this program wrote, as `name sha256`; null where it is none of ours. */
function provenBy(folder: string): Hashes | null {
  const manifest = manifestOf(folder)
  return manifest === null ? null : new Set(manifest.files.map(({ name, sha256 }) => `${name} ${sha256}`))
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
    const manifest = manifestOf(folder)
    return manifest?.ledgerId === ledgerId && manifest.changedAt === changedAt
  }
  return [...new Set(folders)].flatMap((folder) => [folder, ...besides(folder)]).find(isCurrent) ?? null
}

function besides(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => (/^report-\d+$/.test(name) ? [join(folder, name)] : []))
  } catch {
    return []
  }
}

/** As `sha256sum` writes it. */
export const problemsNote = (sha256: string): string => `${sha256}  ${PROBLEMS}\n`

/** The same for the note of a `check`. */
function readNote(folder: string): Hashes | null {
  const text = textIn(folder, PROBLEMS_NOTE)
  const sha256 = text.slice(0, 64)
  return /^[0-9a-f]{64}$/.test(sha256) && text === problemsNote(sha256)
    ? new Set([`${PROBLEMS} ${sha256}`])
    : null
}

/** A report that was killed while it gave its files their names has left its manifest in its own folder. */
async function unfinishedProofs(folder: string): Promise<(Hashes | null)[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const workshops = entries
    .filter((entry) => entry.isDirectory() && entry.name.startsWith(WORKSHOP_PREFIX))
    .map(({ name }) => join(folder, name))
  return [...workshops.map(provenBy), ...workshops.map(readNote)]
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/**
 * Those of these files under whose names the folder has something that is not as this program wrote it: a file that a
 * person fills in, or one of somebody else. None where all of them may be replaced.
 * @param stale names of files that are there no more, which must be removed instead
 */
export async function keptFiles(
  folder: string,
  files: readonly Pick<PackFile, 'name' | 'sha256'>[],
  stale: readonly string[] = [],
): Promise<readonly string[]> {
  const same: Hashes = new Set(files.map(({ name, sha256 }) => `${name} ${sha256}`)) // by a report at the same time
  const unfinished = await unfinishedProofs(folder)
  const [manifest, note] = [provenBy(folder), readNote(folder)] // after the others, which move here
  const known = [same, ...unfinished, manifest, note]
  const isOurs = async (name: string): Promise<boolean> => {
    if (name === MANIFEST && manifest !== null) return true
    if (name === PROBLEMS_NOTE && note !== null) return true
    if (name === SIGNATURE_FILE && readSignature(textIn(folder, name)) !== null) return true
    const found = `${name} ${await sha256Of(join(folder, name))}`
    return known.some((hashes) => hashes?.has(found) === true)
  }
  const kept: string[] = []
  for (const name of [...files.map((file) => file.name), ...stale]) {
    const entry = await lstatOrNull(join(folder, name))
    if (entry !== null && !(entry.isFile() && (await isOurs(name)))) kept.push(name)
  }
  return kept
}

const lstatOrNull = (path: string): Promise<Stats | null> =>
  lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })

/** Files in which people work, so that one of them must not keep a new report from taking the place of the last. */
const WORKED_IN = /^(refused|corrections|in-doubt|not-sent)(?:-\d+)?\.csv$/

export const isWorkedIn = (name: string): boolean => WORKED_IN.test(name)

/** `in-doubt.csv` for `in-doubt-2.csv`; any other name as it is. */
export const plainName = (name: string): string => {
  const stem = WORKED_IN.exec(name)?.[1]
  return stem === undefined ? name : `${stem}.csv`
}

/**
 * For each of these files the first of `in-doubt-2.csv`, `in-doubt-3.csv`, … that is free, or is there as the last report
 * wrote it. Null where the folder holds no pack of ours: then it is somebody else's.
 */
export async function numberedNames(
  folder: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string> | null> {
  const proven = provenBy(folder)
  if (proven === null) return null
  const chosen = new Map<string, string>()
  for (const name of names)
    for (let n = 2; !chosen.has(name); n += 1) {
      const other = name.replace('.csv', `-${n}.csv`)
      const entry = await lstatOrNull(join(folder, other))
      const isFree =
        entry === null || (entry.isFile() && proven.has(`${other} ${await sha256Of(join(folder, other))}`))
      if (isFree) chosen.set(name, other)
    }
  return chosen
}

/** Numbered files of the last report that are as it wrote them, and that these, where they are a report, do not have. */
export async function leftNumbered(folder: string, files: readonly PackFile[]): Promise<readonly string[]> {
  const left: string[] = []
  if (!files.some(({ name }) => name === MANIFEST)) return left
  for (const { name, sha256 } of manifestOf(folder)?.files ?? []) {
    if (plainName(name) === name || files.some((file) => file.name === name)) continue
    const entry = await lstatOrNull(join(folder, name))
    if (entry?.isFile() === true && (await sha256Of(join(folder, name))) === sha256) left.push(name)
  }
  return left
}

/** Where a file of a pack is, under the name that it got: a file that somebody works in is not replaced. */
export function pathInPack(folder: string, name: string): string {
  const found = manifestOf(folder)?.files.find((file) => plainName(file.name) === name)
  return join(folder, found?.name ?? name)
}

/** Whether both folders have a pack of the same ledger in them. */
export function isOneLedger(one: string, other: string): boolean {
  const ledgerId = manifestOf(one)?.ledgerId
  return ledgerId !== undefined && manifestOf(other)?.ledgerId === ledgerId
}

/** The first of `report-2`, `report-3`, … in the folder in which nothing stands in the way; made with mode 0700. */
export async function freeFolder(
  out: string,
  files: readonly PackFile[],
  stale: readonly string[] = [],
): Promise<string> {
  for (let n = 2; ; n += 1) {
    const folder = join(out, `report-${n}`)
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
    const isFolder = (await lstat(folder)).isDirectory()
    if (isFolder && (await keptFiles(folder, files, stale)).length === 0) return folder
  }
}
