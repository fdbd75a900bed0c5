import {
  contradictedIn,
  unprovenIn,
  unprovenText,
  VERIFIED_VERDICTS,
  verificationWord,
  type Verification,
} from '../../domain/proof/verification.js'
import { countText } from '../../domain/text/wording.js'
import type { LedgerReader, VerifiedRow } from '../../ledger/read/reader.js'
import { type Line, toned } from '../terminal/line.js'
import { explainVerified } from '../../report/facts/explanation.js'

const MOST_SHOWN = 20

/** Rows that are not proven, as people and programs are shown them: the first of them. */
export function unprovenRows(
  reader: Pick<LedgerReader, 'verifiedRows'>,
  verification: Verification | null,
): VerifiedRow[] {
  if (verification === null) return []
  const rows: VerifiedRow[] = []
  for (const verdict of VERIFIED_VERDICTS)
    if (verdict !== 'proven' && verification[verificationWord(verdict)] > 0 && rows.length < MOST_SHOWN)
      rows.push(...reader.verifiedRows(verdict, 0, MOST_SHOWN - rows.length))
  return rows
}

/** What a person must look at first; nothing where all that was asked is proven. */
export function unprovenLines(verification: Verification | null, rows: readonly VerifiedRow[]): Line[] {
  if (verification === null || rows.length === 0) return []
  const more = unprovenIn(verification) - rows.length
  return [
    [
      toned(contradictedIn(verification) > 0 ? 'bad' : 'open', 'Registered, and not proven at the service'),
      `: ${unprovenText(verification)}`,
    ],
    ...rows.map(unprovenLine),
    ...(more > 0 ? [`  and ${countText(more)} more`] : []),
  ]
}

function unprovenLine(row: VerifiedRow): string {
  const isNamed = row.sources.length === 0 || row.cancellable.length > 0
  const ids = isNamed ? '' : ` (${row.sources.map(({ id }) => id ?? 'without an id').join(', ')})`
  return `  row ${row.id}, customer ${row.customerNo}, ${verificationWord(row.verdict)}: ${explainVerified(row)}${ids}`
}
