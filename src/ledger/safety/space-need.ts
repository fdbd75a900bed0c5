import { LARGEST_LINE } from './emergency-file.js'

/**
 * How many bytes a run takes on the file system of its ledger: upper bounds, measured
 * (ledger/README.md#room-on-the-disk). `test/ledger/safety/space-need.test.ts` holds them against real ledgers.
 */

/** So many records in so many bytes, once unpacked. */
export interface Records {
  readonly records: number
  readonly bytes: number
}

export interface SpaceNeed {
  /** Most that is taken at one time, counted from now. */
  readonly total: number
  /** What the files leave in the ledger; as much again stands in its log while they are admitted. */
  readonly admission: number
  /** Attempts, and the log while they are written. */
  readonly sending: number
  readonly emergency: number
  readonly report: number
}

/**
 * Row, cells, indexes and one finding. Measured: 250 bytes and 1.12 for each byte of the export; up to twice as much
 * where a row takes a little more than half a page.
 */
const ADMITTED_RECORD = 500
const ADMITTED_BYTE = 2.2
/** An attempt with its indexes, and what the row gains. Measured: 550 to 630. */
const SENT_ROW = 900
/** One row alone in its commit changes some 14 pages. */
const LOG_OF_ROW = 64 * 1024
/** Twice the pages after which the log is moved into the file: a commit may end well behind them. */
export const LOG_BYTES = 2 * 1_000 * 4_120
/** Tables without rows, their log, shared memory, lock. */
const FIXED = 512 * 1024
/** Page, summary, workbook without rows. */
const REPORT_FIXED = 128 * 1024
/** A line of a result file without original cells. */
const REPORT_ROW = 250
/** A row of the workbook, which is on the disk twice while it is put together. Measured: 30, twice. */
const SHEET_ROW = 150

export const admissionGrowth = ({ records, bytes }: Records): number =>
  Math.ceil(records * ADMITTED_RECORD + bytes * ADMITTED_BYTE)

const sendingGrowth = (rows: number): number => rows * SENT_ROW

const logOfSending = (rows: number): number => Math.min(rows * LOG_OF_ROW, LOG_BYTES)

export interface Expected {
  /** What is to be admitted. */
  readonly added: Records
  /** Bytes of that which stand in the log already, in an admission that is open. */
  readonly inLog: number
  readonly toSend: number
  /** Requests that may be under way; 0 where their room is taken already. */
  readonly underWay: number
  /** Records of the whole ledger, and the bytes of those whose cells stay; null where no report is written here. */
  readonly reported: Records | null
}

/**
 * The log of an admission is gone before the first row is sent, so its room counts once.
 */
export function spaceNeed({ added, inLog, toSend, underWay, reported }: Expected): SpaceNeed {
  const admission = Math.max(admissionGrowth(added), inLog)
  const sending = sendingGrowth(toSend) + logOfSending(toSend)
  const emergency = underWay * LARGEST_LINE
  const report = reported === null ? 0 : reportBytes(reported)
  const whileAdmitted = admission + (admission - inLog)
  const afterwards = admission - inLog + sending + report
  return {
    total: FIXED + emergency + Math.max(whileAdmitted, afterwards),
    admission,
    sending,
    emergency,
    report,
  }
}

const reportBytes = ({ records, bytes }: Records): number =>
  REPORT_FIXED + records * (REPORT_ROW + SHEET_ROW) + bytes

/** What a row takes in the ledger beside its cells, at the least. */
const LEAST_ROW = 150
/** More than the cells of nearly any row. */
const MOST_CELLS = 4 * 1024

/** Cells of the rows that are not registered in the end: they stand in result files once more. */
export const leftCellBytes = (rows: { left: number; records: number; ledgerBytes: number }): number =>
  Math.max(0, Math.min(rows.left * MOST_CELLS, rows.ledgerBytes - rows.records * LEAST_ROW))
