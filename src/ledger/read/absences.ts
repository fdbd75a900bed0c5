import { absenceOf, type Absence } from '../../domain/proof/absence.js'
import { pagesOf } from './pages.js'
import type { LedgerReader } from './reader.js'

/** The questions of a page are folded row by row, so that a row that was asked about a thousand times costs no more. */
const PAGE = 500

/** A row in doubt that was asked about, and whether sending it again is proposed. */
export interface DoubtedAbsence {
  readonly rowId: number
  readonly absence: Absence
}

/**
 * Rows in doubt that were ever asked about, in order of row. The same ledger gives the same, whenever it is asked.
 * @param absentAfterMs how long after its latest request a row must still be absent
 */
export function* absences(
  reader: Pick<LedgerReader, 'shown'>,
  absentAfterMs: number,
): Generator<DoubtedAbsence, void, undefined> {
  for (const page of pagesOf(
    (after) => reader.shown(after, PAGE),
    ({ rowId }) => rowId,
  ))
    for (const { rowId, ...facts } of page) yield { rowId, absence: absenceOf(facts, absentAfterMs) }
}

/** The same for a walk over rows in order of their numbers: null for a row that nothing is known of. */
export function absencesAlong(
  reader: Pick<LedgerReader, 'shown'>,
  absentAfterMs: number,
): (rowId: number) => Absence | null {
  const rest = absences(reader, absentAfterMs)
  let next = rest.next()
  return (rowId) => {
    while (next.done !== true && next.value.rowId < rowId) next = rest.next()
    return next.done !== true && next.value.rowId === rowId ? next.value.absence : null
  }
}
