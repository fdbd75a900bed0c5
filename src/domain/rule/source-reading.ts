import type { DecidedFormat } from '../mandate/date-format.js'

/** What was found out about a source before its first record: how it is written, and which column feeds which field. */
export interface LayoutReading {
  readonly encoding?: { readonly encoding: string; readonly by: string }
  readonly delimiter?: { readonly delimiter: string; readonly by: string }
  /** Physical line on which the header begins. */
  readonly headerLine?: number
  readonly skipLines?: number
  readonly skipFooterLines?: number
  /** One of this program's own files, given back. */
  readonly resultFile?: boolean
  /** The header name that feeds each field. */
  readonly columns?: Readonly<Record<string, string>>
  /** The creditor identifier of every row, where no column gives it. */
  readonly constantCreditorIdentifier?: string | null
  readonly dateFormats?: { readonly signedDate?: DecidedFormat; readonly lastCollection?: DecidedFormat }
  readonly transforms?: Readonly<Record<string, readonly unknown[]>>
  readonly exclude?: readonly { readonly column: unknown; readonly reason: string }[]
  readonly ignoredColumns?: readonly unknown[]
  readonly crosswalk?: { readonly name: string; readonly sha256: string; readonly lines: number } | null
}

/** What the words of one column were understood to say, with how many cells hold each. */
export interface WordsReading {
  readonly column: string
  /** Set where the column holds more different words than are counted. */
  readonly tooManyWords?: string
  /** In words: what stays behind by this column. */
  readonly staysBehind?: string
  readonly keptBack?: Readonly<Record<string, number>>
  readonly goes?: Readonly<Record<string, number>>
  readonly notUnderstood?: Readonly<Record<string, number>>
}

/**
 * How a source was read, for the operator and for reports: names, settings and counts, never a whole cell. Everything is
 * optional, because a ledger of an earlier version holds less.
 */
export interface SourceReading extends LayoutReading {
  /** Only so many records were read: a first look. */
  readonly sample?: number
  /** Lines before the header and behind the last record, masked and capped. */
  readonly leftOut?: { readonly beforeHeader?: readonly string[]; readonly atEnd?: readonly string[] }
  /** Columns that nobody decided about, each with what to write. */
  readonly undecided?: readonly string[]
  /** Columns of few values that nothing uses, where another one is used as status; each with its values. */
  readonly mayBeStatus?: readonly string[]
  /** By field: status, sequence, scheme. */
  readonly words?: Readonly<Record<string, WordsReading>>
  /** Cells that were cleaned, by field and step. */
  readonly cleaned?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly transformed?: Readonly<Record<string, number>>
  readonly restored?: Readonly<Record<string, number>>
  readonly cellsWithControlCharacters?: number
}

/** Names of exports in which no column says which mandates are active; one that keeps rows back says so too. */
export const treatedAsActive = (
  sources: readonly { readonly name: string; readonly reading: SourceReading }[],
): readonly string[] =>
  sources.flatMap(({ name, reading: { columns, exclude = [], resultFile = false } }) =>
    columns === undefined || resultFile || exclude.length > 0 || columns['status'] !== undefined
      ? []
      : [name],
  )

const MOST_NAMED = 3

/** The same for people who are about to send or to sign; empty where every export says it. */
export function treatedAsActiveText(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length - MOST_NAMED
  const named = names.slice(0, MOST_NAMED).map((name) => `"${name}"`)
  return `No column of ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''} says which mandates are active: every mandate is treated as active`
}
