import { ROW_STATES } from '../../domain/row/row-state.js'
import type { DecisionRecord, LedgerReader, ProblemRecord, RowRecord } from '../../ledger/read/reader.js'

/** What a report asks of a ledger. */
export type ReportedLedger = Pick<
  LedgerReader,
  | 'file'
  | 'campaign'
  | 'sources'
  | 'runs'
  | 'rows'
  | 'problems'
  | 'problemsOfRow'
  | 'problemCounts'
  | 'refusalCounts'
  | 'decisions'
  | 'distinctCounts'
>

/** Rows that are read at a time: short enough that no read holds the write-ahead log back. */
const PAGE_ROWS = 1000

/** Everything a paged list of the ledger holds, page by page, so that the caller can write in between. */
function* pagesOf<Entry extends { readonly id: number }>(
  read: (after: number, limit: number) => Entry[],
): Generator<readonly Entry[], void, undefined> {
  let after = 0
  for (;;) {
    const page = read(after, PAGE_ROWS)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.id
  }
}

/** One walk over all rows in order of id: beside a running writer each row is still met once, in one state. */
export const rowPages = (
  reader: Pick<LedgerReader, 'rows'>,
): Generator<readonly RowRecord[], void, undefined> =>
  pagesOf((after, limit) => reader.rows(ROW_STATES, after, limit))

export const problemPages = (
  reader: Pick<LedgerReader, 'problems'>,
): Generator<readonly ProblemRecord[], void, undefined> => pagesOf(reader.problems)

export const decisionPages = (
  reader: Pick<LedgerReader, 'decisions'>,
): Generator<readonly DecisionRecord[], void, undefined> => pagesOf(reader.decisions)
