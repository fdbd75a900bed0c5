import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, mkdir, open, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { problemHeader } from './problem-lines.js'

export interface PackFile {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
}

/** A report being written keeps its files in a folder of this name until all of them are complete. */
export const WORKSHOP_PREFIX = '.sepa-migrate-report-'

const MANIFEST = 'manifest.json'
const PROBLEMS = 'problems.csv'

const manifestSchema = z.object({
  schemaVersion: z.literal(1),
  ledgerId: z.string(),
  files: z.array(z.object({ name: z.string(), sha256: z.string() })),
})

type Hashes = ReadonlySet<string>

/** What a manifest says that this program wrote, as `name sha256`; null where it is none of ours. */
async function readManifest(folder: string): Promise<Hashes | null> {
  try {
    const { files } = manifestSchema.parse(JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')))
    return new Set(files.map(({ name, sha256 }) => `${name} ${sha256}`))
  } catch {
    return null
  }
}

/** A report that was killed while it gave its files their names has left its manifest in its own folder. */
async function unfinishedManifests(folder: string): Promise<Hashes[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const workshops = entries.filter((entry) => entry.isDirectory() && entry.name.startsWith(WORKSHOP_PREFIX))
  const found = await Promise.all(workshops.map(({ name }) => readManifest(join(folder, name))))
  return found.filter((hashes) => hashes !== null)
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  return hash.digest('hex')
}

/** `check` writes problems.csv without a manifest, and nobody fills it in: its header tells. */
async function isProblemList(path: string): Promise<boolean> {
  const header = Buffer.from(problemHeader())
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(header.length + 3), 0, header.length + 3, 0)
    return buffer
      .subarray(0, bytesRead)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .startsWith(header.toString('utf8'))
  } finally {
    await handle.close()
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/**
 * The first of these files under whose name the folder has something that is not as this program wrote it: a file that a
 * person fills in, or one of somebody else. Null where all of them may be replaced.
 */
export async function keptFile(folder: string, files: readonly PackFile[]): Promise<string | null> {
  const same: Hashes = new Set(files.map(({ name, sha256 }) => `${name} ${sha256}`)) // by a report at the same time
  const unfinished = await unfinishedManifests(folder)
  const manifest = await readManifest(folder) // after the others, which move here
  const known = [same, ...unfinished, ...(manifest === null ? [] : [manifest])]
  for (const { name } of files) {
    const path = join(folder, name)
    const entry = await lstat(path).catch((error: unknown) => {
      if (isMissing(error)) return null
      throw error
    })
    if (entry === null) continue
    if (!entry.isFile()) return name
    if (name === MANIFEST && manifest !== null) continue
    if (name === PROBLEMS && (await isProblemList(path))) continue
    const found = `${name} ${await sha256Of(path)}`
    if (!known.some((hashes) => hashes.has(found))) return name
  }
  return null
}

/** The first of `report-2`, `report-3`, … in the folder in which nothing stands in the way; made with mode 0700. */
export async function freeFolder(out: string, files: readonly PackFile[]): Promise<string> {
  for (let n = 2; ; n += 1) {
    const folder = join(out, `report-${n}`)
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    })
    const isFolder = (await lstat(folder)).isDirectory()
    if (isFolder && (await keptFile(folder, files)) === null) return folder
  }
}
