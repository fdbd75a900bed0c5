import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Memory, where there is a file system in memory: a seed makes and removes some dozens of small files. */
export const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'seeds-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

export const range = (from: number, count: number): number[] =>
  Array.from({ length: count }, (_, n) => from + n)

/** The first seeds of the parts in which so many are played; each part says when it is done. */
export const partsOf = (count: number, part: number, from = 1): number[] =>
  range(0, Math.ceil(count / part)).map((n) => from + n * part)
