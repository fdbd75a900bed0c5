import { statfsSync, statSync, type StatsFs } from 'node:fs'
import { dirname, resolve } from 'node:path'

type LookUp = (path: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>

/**
 * Bytes that this user may still write where the path lies or will lie. Null where the file system does not say: it
 * has no statfs, or reports no blocks at all, as some that are put together from others do. A quota shows only where
 * the file system takes it into its numbers.
 */
export function freeBytesAt(path: string, lookUp: LookUp = (at) => statfsSync(at)): number | null {
  try {
    const { bavail, blocks, bsize } = lookUp(existingFolderOf(path))
    const free = bavail * bsize
    return blocks > 0 && bsize > 0 && bavail >= 0 && Number.isFinite(free) ? free : null
  } catch {
    return null
  }
}

/** True where both lie, or will lie, on one file system; also where that cannot be told. */
export function isOneFileSystem(one: string, other: string): boolean {
  try {
    return statSync(existingFolderOf(one)).dev === statSync(existingFolderOf(other)).dev
  } catch {
    return true
  }
}

/** The path itself, or the nearest folder above it that is there. */
function existingFolderOf(path: string): string {
  const at = resolve(path)
  const entry = statSync(at, { throwIfNoEntry: false })
  const above = dirname(at)
  return entry !== undefined || above === at ? at : existingFolderOf(above)
}

/** 0 for what is not there. */
export function bytesOf(file: string): number {
  try {
    return statSync(file).size
  } catch {
    return 0
  }
}
