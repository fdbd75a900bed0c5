import { statfsSync, statSync, type StatsFs } from 'node:fs'
import { dirname } from 'node:path'
import { bytesText } from '../../domain/text/wording.js'

/** An attempt with its indexes, and what the row gains. Measured: 550 to 630. */
const SENT_ROW = 900
/** A row that was just admitted may be in memory only, and goes into the log and the file. Measured: 360, twice. */
const ADMITTED_ROW = 800
/** Of the cache of the ledger, twice. */
const MOST_IN_MEMORY = 2 * 32 * 1024 * 1024
/** Twice the pages after which the log is moved into the file. */
const LOG = 2 * 1_000 * 4_120

/**
 * A disk that fills up in the middle of a run leaves rows in doubt whose answers came.
 * @param ledger its file; what stands in its log goes into the file
 * @returns what to say where the disk has less room than sending so many rows takes; null also where it does not tell
 */
export function roomWarning(
  ledger: string,
  rows: number,
  lookUp: (folder: string) => Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'> = (folder) => statfsSync(folder),
): string | null {
  const free = freeBytesAt(dirname(ledger), lookUp)
  const admitted = statSync(`${ledger}-wal`, { throwIfNoEntry: false })?.size ?? 0
  const needed = admitted + Math.min(rows * ADMITTED_ROW, MOST_IN_MEMORY) + rows * SENT_ROW + LOG
  if (free === null || free >= needed) return null
  return `The disk of the ledger has ${bytesText(free, 'down')} free, and this run may take ${bytesText(needed)}. Should it fill up, the run stops and says so, and rows whose answers could not be recorded are in doubt. Free some space before going on`
}

/** Null where the file system has no statfs, or reports no blocks at all, as some that are put together from others do. */
function freeBytesAt(folder: string, lookUp: NonNullable<Parameters<typeof roomWarning>[2]>): number | null {
  try {
    const { bavail, blocks, bsize } = lookUp(folder)
    const free = bavail * bsize
    return blocks > 0 && bsize > 0 && bavail >= 0 && Number.isFinite(free) ? free : null
  } catch {
    return null
  }
}
