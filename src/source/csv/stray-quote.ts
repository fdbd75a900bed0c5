import { holdsIban } from '../../domain/text/accounts.js'
import { positionOf, type Header } from '../columns/header.js'
import type { ColumnRef } from '../options.js'
import { refuse } from '../../errors.js'
import type { RawRecord } from '../table.js'
import { showValue } from '../../domain/rule/verdict.js'

export interface QuoteLayout {
  readonly header: Header
  readonly delimiter: string
  /** A blank follows the separators of the header. */
  readonly isSpaced: boolean
  /** Columns that may hold text over several lines. */
  readonly multilineColumns: readonly ColumnRef[]
}

const LINE_END = /\r\n|\n|\r/

/**
 * A quote mark too many opens a cell that ends at the next one, some lines below: the account of one mandate would
 * be sent with the customer of another, and the records between would be lost. What a cell over several lines
 * swallowed shows by its separators, which are about those of the header, or by an account.
 * @throws {SourceError} FILE_QUOTE_STRAY
 */
export function refuseStrayQuote(source: string, { line, cells }: RawRecord, layout: QuoteLayout): void {
  const { header, delimiter, isSpaced, multilineColumns } = layout
  const { names, positions, width } = header
  // In a remark a blank follows the comma, in a record only where the whole file is written so.
  const separator = isSpaced ? delimiter : new RegExp(`[${delimiter}](?! )`)
  const allowed = new Set(multilineColumns.map((ref) => positionOf(header, ref)))
  const ofHeader = width - 1
  // A line with one separator in five less than the header has is still more likely a record than a remark.
  const telling = Math.max(1, ofHeader - Math.floor(ofHeader / 5))
  let at = line
  let suspect: { opens: number; position: number } | null = null
  let closes = line
  // The rest of the line that was cut and the begin of the last one make up for one record, wherever it was cut.
  let torn = Math.max(0, cells.length - width)
  let widest = 0
  let hasAccount = false
  for (const [position, cell] of cells.entries()) {
    const lines = cell.split(LINE_END)
    const opens = at
    at += lines.length - 1
    if (lines.length === 1 || allowed.has(position)) continue
    suspect ??= { opens, position }
    closes = at
    const counts = lines.map((text) => text.split(separator).length - 1)
    torn += (counts[0] ?? 0) + (counts.at(-1) ?? 0)
    widest = Math.max(widest, ...counts.slice(1, -1))
    const isOneValue =
      lines.filter((text) => text.trim() !== '').length < 2 && counts.every((count) => count === 0)
    hasAccount ||= !isOneValue && lines.some(holdsIban)
  }
  const isWide = Math.max(torn, widest) >= telling
  if (suspect === null || !(isWide || hasAccount)) return
  const looksLike = isWide ? 'about as many separators as the header' : 'an account number'
  const { opens, position } = suspect
  const name = showValue(names[positions.indexOf(position)] ?? '')
  const what = `a quote opens on line ${opens} and closes on line ${closes}, and what stands between them has ${looksLike}: records would be joined`
  const next = `Correct the quotes on lines ${opens} and ${closes}. If the column "${name}" truly holds text over several lines, declare it: source: { multilineColumns: [${JSON.stringify(name)}] }`
  throw refuse(source, 'FILE_QUOTE_STRAY', what, { line: opens, next })
}
