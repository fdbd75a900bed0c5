import { maskedText } from '../text/masking.js'
import { plural, printable, said } from '../text/text.js'

/** A row that somebody gave back with other values, as it stands among the decisions of people. */
export const CORRECTED = 'corrected'

/** What is recorded where neither the line nor the command says why. */
export const NO_REASON: string = 'no reason given'

/** Who corrected, and why, where the line does not say it itself. */
export interface Corrector {
  readonly by: string
  readonly reason: string | null
}

export const NOBODY_NAMED: Corrector = { by: 'operator', reason: null }

/** A value before and after, as a report may show it. */
export interface FieldChange {
  /** A field that is read, or the column of ours in which a person spoke. */
  readonly field: string
  readonly before: string
  readonly after: string
}

const shown = (value: string): string => `"${printable(value).replaceAll('"', "'")}"`

/** `iban "DE…3000" → "DE…4000", signed_date "" → "2024-03-15"`: no words, so that it reads the same in every language. */
export const changesText = (changes: readonly FieldChange[]): string =>
  changes.map(({ field, before, after }) => `${field} ${shown(before)} → ${shown(after)}`).join(', ')

/** What such a text tells of each field; nothing of what a purge has left of it. */
export const changesIn = (text: string): FieldChange[] =>
  [...text.matchAll(/([a-z_]+) "([^"]*)" → "([^"]*)"/g)].map(([, field = '', before = '', after = '']) => ({
    field,
    before,
    after,
  }))

/** A row that waits to be sent with corrected values. */
export interface CorrectedRow {
  /** The row that was given back. */
  readonly row: number
  readonly by: string
  /** ISO 8601. */
  readonly at: string
  readonly reason: string
  readonly changes: string
}

/** Rows that wait to be sent with corrected values. */
export interface Corrections {
  readonly rows: number
  readonly fields: readonly { readonly field: string; readonly count: number }[]
  /** In the order in which they were corrected. */
  readonly first: readonly CorrectedRow[]
}

/** How often each field was changed, the most frequent first. */
export function countFields(texts: Iterable<string>): Corrections['fields'] {
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const { field } of changesIn(text)) counts.set(field, (counts.get(field) ?? 0) + 1)
  return [...counts]
    .map(([field, count]) => ({ field, count }))
    .sort((a, b) => b.count - a.count || (a.field < b.field ? -1 : 1))
}

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
