import { type ByteSource, type Pieces, piecesOf, type ReadEnd } from './bytes/input.js'
import { type Header, readHeader } from './columns/header.js'
import type { LayoutOptions, LimitOptions } from './options.js'
import { refuse } from './refusal.js'
import type { Amendment } from '../domain/mandate/mandate.js'
import type { LayoutReading, RuleId } from '../domain/rule/verdict.js'

/** One record as it stands in the file. */
export interface RawRecord {
  /** Physical line on which it begins, from 1; of a format without lines, its place in the file. */
  readonly line: number
  readonly cells: string[]
  /** The text ended within it: it has no line end. */
  readonly isOpen?: boolean
  /** It stands in a piece of text without signs of damage and without words for nothing; what is not told may have both. */
  readonly isClean?: boolean
  /** Positions of formulas that nobody computed, from 0. */
  readonly uncomputed?: readonly number[]
}

/** A source whose header was found, in whatever format: an export, a crosswalk, a list, decisions of a person. */
export interface Table {
  readonly name: string
  /** The name that messages show. */
  readonly label: string
  /** Hash of the file as given; null for a stream until it was read. */
  readonly sha256: string | null
  readonly header: Header
  /** The cells of the header record, those of our own columns too. */
  readonly headerCells: readonly string[]
  /** Physical line on which the header begins. */
  readonly headerLine: number
  /** One of this program's own result files: what the configuration says of the export does not hold for it. */
  readonly isResultFile: boolean
  /** Of a workbook of ours, all sheets with anything in them: those to decide in have columns of their own. */
  readonly sheets?: readonly string[]
  /** How it is written, as reports are told; a format leaves out what it does not have. */
  readonly written: Pick<
    LayoutReading,
    'encoding' | 'delimiter' | 'sheet' | 'hidden' | 'collections' | 'skipLines' | 'skipFooterLines'
  >
  /** Why that is believed, for `inspect`. */
  readonly evidence: TableEvidence
  /** What had to be assumed in order to read it. */
  readonly assumed: readonly { readonly rule: RuleId; readonly value: string; readonly detail: string }[]
  /** The lines before the header as they stand; empty where the format has none. */
  readonly preamble: string
  /** The cells of a line that was left out before the header or at the end. */
  readonly split: (line: string) => readonly string[]
  /**
   * What people call a cell, such as `B17`, where the format has names for them. Its cells have types then: a day stands
   * there as `YYYY-MM-DD`, whatever the format of its column.
   */
  readonly cellName?: (line: number, position: number) => string
  /** Of records that are read again: what the whole column decided, of which not all may be left. */
  readonly decidedFormats?: LayoutReading['dateFormats']
  /** Of a format that knows no customer numbers, what to do and the line to write, so that a crosswalk tells them. */
  readonly withoutCustomers?: string
  /** Mandates of collections that had another key before. */
  readonly amendments?: readonly Amendment[]
  /** Records in batches, without preamble, header, blank lines and footer; of a stream only once. */
  readonly read: (signal?: AbortSignal) => Pieces<RawRecord[], TableEnd>
}

type Named = Pick<Table, 'name' | 'label' | 'sha256' | 'headerCells'>

/** A table as a format gives it: what it does not have is left out. */
export interface FormatTable extends Named, Partial<Omit<Table, keyof Named | 'read'>> {
  readonly read: (signal?: AbortSignal) => AsyncGenerator<RawRecord[], TableEnd>
}

export const tableOf = ({ read, ...given }: FormatTable): Table => ({
  header: readHeader(given.headerCells),
  headerLine: 1,
  ...{ isResultFile: false, written: {}, assumed: [], preamble: '', split: (line) => [line] },
  evidence: { preamble: { lines: 0, evidence: 'none' } },
  ...given,
  read: (signal) => piecesOf(read(signal)),
})

export interface TableEvidence {
  readonly encoding?: string
  readonly delimiter?: string
  readonly sheet?: string
  /** Rows and columns that a person does not see. */
  readonly hidden?: string
  /** Lines before the header, and why it is believed to be where it is. */
  readonly preamble: { readonly lines: number; readonly evidence: string }
}

/** Lines among the records that are none (`left-out.ts`). */
export interface NoRecords {
  readonly lines: Readonly<Record<'rule' | 'header' | 'page', number[]>>
  /** Counts that the file states of its rows, and how many were read up to there. */
  readonly counts: { line: number; text: string; isRight: boolean; records: number }[]
}

/** What is known of a table once it was read to its end. */
export interface TableEnd extends ReadEnd {
  /** Lines without any cell. */
  readonly blankLines: number
  /** Physical lines up to the end, a preamble that was cut off included. */
  readonly lines: number
  /** Where the record begins that the text ended within; null where it ended with a line end, and of a format without lines. */
  readonly openLine?: number | null
  /** The lines that `skipFooterLines` left out; empty where the format has none. */
  readonly footer: string
  /** Lines among the records that are none. */
  readonly noRecords?: NoRecords
}

export interface TableOptions {
  readonly layout: LayoutOptions
  readonly limits: LimitOptions
  /** True for a column name that somebody expects in this file. */
  readonly isKnown: (name: string) => boolean
  /** The configuration may not say where the header is: look for it. */
  readonly seeksHeader?: boolean
  /** Our own files repeat what an export holds; where that is not declared, no cell over several lines is in doubt. */
  readonly trustsOwnQuotes?: boolean
}

/** One way in which a source may be written. */
export interface InputFormat {
  /** Whether a source is written so, by its first unpacked bytes: of a file at most 256 KiB, of a stream some 64. */
  readonly recognises: (start: Uint8Array) => boolean
  /**
   * Finds the header and says how records are read. It refuses what it cannot read whole and keeps to `limits`.
   * @throws {SourceError} for a source that cannot be trusted
   */
  readonly open: (
    bytes: ByteSource,
    options: TableOptions,
    signal: AbortSignal | undefined,
  ) => FormatTable | Promise<FormatTable>
}

/**
 * A ragged line of a list or a crosswalk could name the wrong person, as one could whose formula nobody computed.
 * @throws {SourceError} ROW_FIELD_COUNT or ROW_FORMULA_UNCOMPUTED
 */
export function refuseRagged({ label, header }: Table, record: RawRecord, what: string): void {
  const { line, cells, uncomputed } = record
  if (uncomputed !== undefined)
    throw refuse(label, 'ROW_FORMULA_UNCOMPUTED', `${what} has a formula that no program has computed`, {
      line,
    })
  if (cells.length === header.width) return
  throw refuse(label, 'ROW_FIELD_COUNT', `${what} has ${cells.length} columns instead of ${header.width}`, {
    line,
  })
}
