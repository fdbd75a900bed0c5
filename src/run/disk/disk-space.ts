import { bytesText, plural } from '../../domain/text/wording.js'
import { LedgerError } from '../../errors.js'
import type { Totals } from '../../domain/row/totals.js'
import { bytesOf, freeBytesAt, isOneFileSystem } from '../../ledger/safety/free-space.js'
import { leftCellBytes, spaceNeed, type Records, type SpaceNeed } from '../../ledger/safety/space-need.js'
import { expectedRecords } from './expected-records.js'

/** What a run needs on the disk of its ledger, and what is free there; null where the file system does not say. */
export interface DiskSpace {
  readonly neededBytes: number
  readonly freeBytes: number | null
}

/** Below this many times the need an estimate is too near to be sure of, with other programs on the same disk. */
const NEAR = 1.5

export type DiskVerdict = 'unknown' | 'enough' | 'near' | 'short'

export function verdictOn({ neededBytes, freeBytes }: DiskSpace): DiskVerdict {
  if (freeBytes === null) return 'unknown'
  if (freeBytes < neededBytes) return 'short'
  return freeBytes < neededBytes * NEAR ? 'near' : 'enough'
}

interface DiskQuestion {
  readonly ledger: string
  readonly need: SpaceNeed
  readonly freeBytes: number | null
  readonly records: number
  readonly toSend: number
  /** Told from the beginning of the files. */
  readonly isGuess: boolean
  /** Told once where the disk is nearly too small. */
  readonly warn: (text: string) => void
}

/**
 * @throws {LedgerError} `unwritable` where the disk has less than the run will need; nothing of it was admitted or sent
 */
function checkDisk(question: DiskQuestion): DiskSpace {
  const { ledger, need, freeBytes, warn } = question
  const space = { neededBytes: need.total, freeBytes }
  const verdict = verdictOn(space)
  if (verdict === 'short')
    throw new LedgerError(
      'unwritable',
      `The disk of the ledger "${ledger}" is too full for this run: ${shownSpace(question)}; nothing was admitted or sent`,
      'Free some space on it, then run the same command again',
    )
  if (verdict === 'near')
    warn(
      `The disk of the ledger is nearly too full for this run: ${shownSpace(question)}. Should it fill up, the run stops and says so, and rows whose answers could not be recorded are in doubt. Free some space before going on`,
    )
  return space
}

function shownSpace({ need, freeBytes, records, toSend, isGuess }: DiskQuestion): string {
  const about = isGuess ? 'about ' : ''
  const parts = [
    ...(records > 0
      ? [`${bytesText(need.admission)} to admit ${about}${plural(records, 'record', 'records')}`]
      : []),
    ...(toSend > 0 ? [`${bytesText(need.sending)} to send ${about}${plural(toSend, 'row', 'rows')}`] : []),
    ...(need.report > 0 ? [`${bytesText(need.report)} for the report`] : []),
  ]
  const why = parts.length === 0 ? '' : ` (${parts.join(', ')})`
  return `it takes up to ${bytesText(need.total)}${why}, and ${bytesText(freeBytes ?? 0, 'down')} are free`
}

export interface DiskParts {
  /** Of the ledger. */
  readonly file: string
  /** The files of the command in order; null for a stream, whose size nobody knows. */
  readonly paths: readonly (string | null)[]
  /** Where a report will be written, or null where none is. */
  readonly reportFolder: string | null
  readonly warn: (text: string) => void
  /** Left out: what the system says. */
  readonly freeBytes?: (path: string) => number | null
}

/** What a run asks of the disk of its ledger. */
export interface Disk {
  /**
   * Before a file is read, from sizes alone: it may be far too small, and reading takes minutes.
   * @param known sizes of the files that the ledger holds already; asked for only where it matters
   * @throws {LedgerError} `unwritable`
   */
  readonly beforeReading: (run: Pick<Sending, 'limit' | 'underWay'>, known: () => readonly number[]) => void
  /**
   * Once everything is admitted and nothing of it committed.
   * @throws {LedgerError} `unwritable`
   */
  readonly beforeSending: (run: Omit<Sending, 'underWay' | 'limit'>) => DiskSpace
}

interface Sending {
  /** Rows that are sent at most, or null. */
  readonly limit: number | null
  readonly underWay: number
  readonly toSend: number
  readonly totals: Totals
  /** Records of each file that was added, by its place in the command; 0 for one that added nothing. */
  readonly records: readonly number[]
}

export function startDisk(parts: DiskParts): Disk {
  const { file, paths, warn, freeBytes = freeBytesAt } = parts
  const expected = paths.map((path) => (path === null ? null : expectedRecords(path)))
  const isReportHere = parts.reportFolder !== null && isOneFileSystem(file, parts.reportFolder)
  return {
    beforeReading: ({ limit, underWay }, known) => {
      const check = (sources: typeof expected): void => {
        const added = sumOf(sources)
        if (added.records === 0) return
        const toSend = Math.min(added.records, limit ?? added.records)
        const reported = isReportHere ? added : null
        const need = spaceNeed({ added, inLog: 0, toSend, underWay, reported })
        checkDisk({
          ...{ ledger: file, need, freeBytes: freeBytes(file), records: added.records, toSend },
          isGuess: true,
          warn: () => undefined, // the check that knows the rows will say it
        })
      }
      try {
        check(expected)
      } catch {
        const sizes = new Set(known())
        check(expected.filter((source) => source === null || !sizes.has(source.fileBytes)))
      }
    },
    beforeSending: ({ toSend, totals, records }) => {
      const added = sumOf(
        records.map((count, index) => ({
          records: count,
          bytes: count === 0 ? 0 : (expected[index]?.bytes ?? 0),
        })),
      )
      const inLog = added.records === 0 ? 0 : bytesOf(`${file}-wal`)
      const left = totals.read - totals.registered - toSend
      const reported = {
        records: totals.read,
        bytes: leftCellBytes({ left, records: totals.read, ledgerBytes: bytesOf(file) + inLog }),
      }
      const need = spaceNeed({ added, inLog, toSend, underWay: 0, reported: isReportHere ? reported : null })
      return checkDisk({
        ledger: file,
        need,
        freeBytes: freeBytes(file),
        records: added.records,
        toSend,
        isGuess: false,
        warn,
      })
    },
  }
}

const sumOf = (sources: readonly (Records | null)[]): Records => ({
  records: sources.reduce((sum, source) => sum + (source?.records ?? 0), 0),
  bytes: sources.reduce((sum, source) => sum + (source?.bytes ?? 0), 0),
})
