import type { VerdictKind } from '../../domain/proof/evidence.js'
import type {
  DecisionRecord,
  LedgerReader,
  ProblemRecord,
  RowPage,
  VerifiedRow,
} from '../../ledger/read/reader.js'

/** What a report asks of a ledger. */
export type ReportedLedger = Pick<
  LedgerReader,
  | 'file'
  | 'campaign'
  | 'sources'
  | 'runs'
  | 'plans'
  | 'sentByApproval'
  | 'leftBy'
  | 'page'
  | 'problems'
  | 'problemsOfRow'
  | 'problemCounts'
  | 'refusalCounts'
  | 'decisions'
  | 'distinctCounts'
  | 'shown'
  | 'verificationCounts'
  | 'verifiedRows'
  | 'latestSample'
>

/** Entries that are read at a time: short enough that no read holds the write-ahead log back. */
const PAGE_ENTRIES = 1000
/** Fewer rows: those of a page are gone before V8 would keep them for longer, and moves none of them. */
const PAGE_ROWS = 250

/** Everything a paged list of the ledger holds, page by page, so that the caller can write in between. */
function* pagesOf<Entry extends { readonly id: number }>(
  read: (after: number, limit: number) => Entry[],
  entries = PAGE_ENTRIES,
): Generator<readonly Entry[], void, undefined> {
  let after = 0
  for (;;) {
    const page = read(after, entries)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    after = last.id
  }
}

/**
 * One walk over all rows in order of id: beside a running writer each row is still met once, in one state. Registered
 * rows that count come without their requests.
 */
export function* rowPages(reader: Pick<LedgerReader, 'page'>): Generator<RowPage, void, undefined> {
  let after = 0
  for (;;) {
    const page = reader.page(after, PAGE_ROWS)
    if (page.last === null) return
    yield page
    after = page.last
  }
}

export const problemPages = (
  reader: Pick<LedgerReader, 'problems'>,
): Generator<readonly ProblemRecord[], void, undefined> => pagesOf(reader.problems)

export const decisionPages = (
  reader: Pick<LedgerReader, 'decisions'>,
): Generator<readonly DecisionRecord[], void, undefined> => pagesOf(reader.decisions)

export const verifiedPages = (
  reader: Pick<LedgerReader, 'verifiedRows'>,
  verdict: VerdictKind,
): Generator<readonly VerifiedRow[], void, undefined> =>
  pagesOf((after, limit) => reader.verifiedRows(verdict, after, limit), PAGE_ROWS)
