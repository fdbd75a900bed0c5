import { holdsIban } from '../../domain/text/masking.js'
import { findColumn, type Header } from '../columns/header.js'
import type { ColumnRef } from '../options.js'
import { refuse } from '../refusal.js'
import { showValue } from '../../domain/rule/verdict.js'

/** Several records that a stray quote joined into one, by the physical lines where it opens and closes. */
interface StrayQuote {
  readonly opens: number
  readonly closes: number
  /** The name of the column that swallowed them. */
  readonly column: string
  readonly looksLike: string
}

/** Judges a record that spans several lines; null for one that may stay as it is. */
export type QuoteJudge = (record: {
  readonly line: number
  readonly cells: readonly string[]
}) => StrayQuote | null

interface JudgeOptions {
  readonly delimiter: string
  /** A blank follows the separators of the header. */
  readonly isSpaced: boolean
  /** Columns that may hold text over several lines. */
  readonly declared: readonly ColumnRef[]
}

const LINE_END = /\r\n|\n|\r/

/**
 * A quote mark too many opens a cell that ends at the next one, some lines below: the account of one mandate would
 * be sent with the customer of another, and the records between would be lost. What a cell over several lines
 * swallowed shows by its separators, which are about those of the header, or by an account.
 */
export function judgeQuotes(
  { names, positions, width }: Header,
  { delimiter, isSpaced, declared }: JudgeOptions,
): QuoteJudge {
  // In a remark a blank follows the comma, in a record only where the whole file is written so.
  const separator = isSpaced ? delimiter : new RegExp(`[${delimiter}](?! )`)
  const header = {
    names,
    positions,
    width,
    migrationRow: null,
    migrationDecision: null,
    migrationReason: null,
    migrationBy: null,
  }
  const allowed = new Set(
    declared.flatMap((ref) => {
      const index = findColumn(header, ref)
      return index === null ? [] : [positions[index]]
    }),
  )
  const ofHeader = width - 1
  // A line with one separator in five less than the header has is still more likely a record than a remark.
  const telling = Math.max(1, ofHeader - Math.floor(ofHeader / 5))
  const nameOf = (position: number): string => names[positions.indexOf(position)] ?? ''

  return ({ line, cells }) => {
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
    if (suspect === null) return null
    const looksLike =
      Math.max(torn, widest) >= telling
        ? 'about as many separators as the header'
        : hasAccount
          ? 'an account number'
          : null
    return looksLike === null
      ? null
      : { opens: suspect.opens, closes, column: nameOf(suspect.position), looksLike }
  }
}

/** @throws {SourceError} FILE_QUOTE_STRAY */
export function refuseStrayQuote(source: string, stray: StrayQuote | null): void {
  if (stray === null) return
  const { opens, closes, column, looksLike } = stray
  const name = showValue(column)
  throw refuse(
    source,
    'FILE_QUOTE_STRAY',
    `a quote opens on line ${opens} and closes on line ${closes}, and what stands between them has ${looksLike}: records would be joined`,
    {
      line: opens,
      next: `Correct the quotes on lines ${opens} and ${closes}. If the column "${name}" truly holds text over several lines, declare it: source: { multilineColumns: [${JSON.stringify(name)}] }`,
    },
  )
}
