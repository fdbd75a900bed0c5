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
  /** By field: status, sequence, scheme. */
  readonly words?: Readonly<Record<string, WordsReading>>
  /** Cells that were cleaned, by field and step. */
  readonly cleaned?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly transformed?: Readonly<Record<string, number>>
  readonly restored?: Readonly<Record<string, number>>
  readonly cellsWithControlCharacters?: number
}
