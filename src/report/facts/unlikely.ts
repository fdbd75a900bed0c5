import type { LedgerReader } from '../../ledger/read/reader.js'

const FROM_ROWS = 10
const SHARE = 0.5

/** What hits half of all rows is rarely true of each: more often a column is mapped wrong or a file is given twice. */
export function unlikelyShares(reader: LedgerReader): string[] {
  const { read, resubmitted } = reader.totals()
  // A corrected row and the line that corrects it both have what was found.
  const rows = read + resubmitted
  const isUnlikely = (count: number, of: number): boolean => of >= FROM_ROWS && count > of * SHARE
  const sources = reader.sources()
  return [
    ...reader
      .problemCounts()
      .filter(({ rule, count }) => !rule.startsWith('FILE_') && isUnlikely(count, rows))
      .map(({ rule, count }) => `${rule} was found in ${count} of ${rows} rows: is the right column mapped?`),
    ...sources
      .filter(({ totals }) => sources.length > 1 && isUnlikely(totals.duplicate, totals.read))
      .map(
        ({ name, totals }) =>
          `${totals.duplicate} of ${totals.read} rows of "${name}" repeat other rows: does it overlap with another file?`,
      ),
  ]
}
