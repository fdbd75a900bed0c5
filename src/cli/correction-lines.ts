import type { CorrectedRow, Corrections } from '../domain/row/correction.js'
import { plural } from '../domain/text/wording.js'

/** As many as a person reads before a question. */
export const CORRECTIONS_SHOWN = 10

const correctedText = ({ row, changes, by, reason }: CorrectedRow): string =>
  `row ${row}: ${changes === '' ? 'no field' : changes} (${by}: ${reason})`

/** What people changed in the rows that are to be sent: how often, and the first of them field by field. */
export function correctionLines({ rows, fields, first }: Corrections): string[] {
  if (rows === 0) return []
  const shown = first.slice(0, CORRECTIONS_SHOWN)
  return [
    `${plural(rows, 'row was', 'rows were')} corrected${fields.length === 0 ? '' : `: ${fields.map(({ field, count }) => `${field}: ${count}`).join(', ')}`}`,
    ...shown.map((corrected) => `  ${correctedText(corrected)}`),
    ...(rows > shown.length ? [`  and ${rows - shown.length} more`] : []),
  ]
}
