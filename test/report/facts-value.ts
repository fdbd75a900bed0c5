import { USUAL_ABSENT_AFTER_MS } from '../../src/domain/proof/absence.js'
import type { ReportFacts } from '../../src/report/facts/facts.js'
import { walkLedger } from '../../src/report/facts/row-walk.js'
import { readerOf, type LedgerValue } from './ledger-value.js'

/** What a report shows of these records, without writing a file. */
export function factsOf(value: LedgerValue): Promise<ReportFacts> {
  const reader = readerOf(value)
  const ignored = {
    registered: () => undefined,
    row: () => undefined,
    problem: () => undefined,
    decision: () => undefined,
    verified: () => undefined,
    drain: () => Promise.resolve(),
  }
  return walkLedger(reader, reader.sources(), ignored, { absentAfterMs: USUAL_ABSENT_AFTER_MS })
}
