import type { CorrectedRow, Corrections } from '../../domain/row/correction.js'
import { plural, said } from '../../domain/text/text.js'
import { maskedText } from '../files/cells.js'

export const correctedTitle = ({ rows, fields }: Corrections): string =>
  `${plural(rows, 'row was', 'rows were')} corrected${fields.length === 0 ? '' : `: ${fields.map(({ field, count }) => `${field}: ${count}`).join(', ')}`}`

export const correctedText = ({ row, changes, by, reason }: CorrectedRow): string =>
  maskedText(`row ${row}: ${changes === '' ? 'no field' : changes} (${by}: ${reason})`)

/** As many as a person reads before a question. */
export const CORRECTIONS_SHOWN = 10

/** What people changed in the rows that are to be sent: how often, and the first of them field by field. */
export function correctionLines(corrections: Corrections): string[] {
  if (corrections.rows === 0) return []
  const shown = corrections.first.slice(0, CORRECTIONS_SHOWN)
  return said([
    correctedTitle(corrections),
    ...shown.map((corrected) => `  ${correctedText(corrected)}`),
    corrections.rows > shown.length && `  and ${corrections.rows - shown.length} more`,
  ])
}
