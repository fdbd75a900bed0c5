import { refuse } from '../refusal.js'
import {
  DELIMITERS,
  detectDelimiter,
  endOutsideQuotes,
  readSepLine,
  splitLine,
  type Delimiter,
  type DelimiterChoice,
} from './delimiter.js'
import type { EncodingChoice } from '../bytes/encoding.js'
import { hasTwoRowNumbers, isResultHeader, readHeader, type Header } from '../columns/header.js'
import { dropFirstLines, dropLastLines } from '../bytes/lines.js'
import type { ColumnRef, LayoutOptions } from '../options.js'
import { isBlankRecord, type RawRecord, type TableOptions } from '../table.js'
import { readRecords, type RecordSettings } from './records.js'
import type { RecordLimits } from './records.js'
import { judgeQuotes, refuseStrayQuote, type QuoteJudge } from './stray-quote.js'
import type { TextSource } from '../bytes/decoded-text.js'
import { SourceError } from '../../errors.js'

/** How a CSV file is written: everything that must be known before its first record can be read. */
export interface Layout {
  readonly encoding: EncodingChoice
  readonly delimiter: DelimiterChoice
  /** Physical lines before the header. */
  readonly skipLines: number
  readonly skipFooterLines: number
  /** Physical line on which the header begins. */
  readonly headerLine: number
  readonly header: Header
  /** The cells of the header record, those of our own columns too. */
  readonly headerCells: readonly string[]
  /** The lines before the header as they stand. */
  readonly preamble: string
  /** A blank follows the separators of the header. */
  readonly isSpaced: boolean
  /** Columns that may hold text over several lines. */
  readonly multilineColumns: readonly ColumnRef[]
  /** One of this program's own result files: what the configuration says of the export does not hold for it. */
  readonly isResultFile: boolean
}

const UNDECLARED: LayoutOptions = {
  delimiter: undefined,
  encoding: undefined,
  skipLines: 0,
  skipFooterLines: 0,
  multilineColumns: [],
}

/**
 * Finds encoding, delimiter and header; what is declared wins.
 * @throws {SourceError} FILE_ENCODING, FILE_DELIMITER, FILE_EMPTY or FILE_RECORD_TOO_LONG
 */
export async function detectLayout(source: TextSource, options: TableOptions): Promise<Layout> {
  const { limits, isKnown } = options
  const isResultFile = isWrittenByUs(source)
  // Our own files repeat the cells of the export, those over several lines too.
  const { multilineColumns } = options.layout
  const declared = isResultFile ? { ...UNDECLARED, multilineColumns } : options.layout
  const { head, ...encoding } = source.choose(declared.encoding)
  const { skipLines, sep } = skipPreamble(head, declared.skipLines)
  const firstLine = skipLines + 1
  const body = head.slice(startOfLine(head, firstLine))
  const delimiter = chooseDelimiter(declared, sep, () =>
    detectDelimiter(source.label, firstRecord(body), firstLine, isKnown),
  )
  const record = await readHeaderRecord(source.label, body, {
    delimiter: delimiter.delimiter,
    limits,
    firstLine,
    judge: null,
  })
  if (record === null) throw refuse(source.label, 'FILE_EMPTY', 'it has no header line')
  if (hasTwoRowNumbers(record.cells))
    throw refuse(source.label, 'FILE_HEADER_DUPLICATE', 'it has the column migration_row twice', {
      line: record.line,
      next: 'Give one result file at a time; nobody can tell which of the two numbers counts.',
    })
  const layout = {
    encoding,
    delimiter,
    skipLines,
    skipFooterLines: declared.skipFooterLines,
    headerLine: record.line,
    header: readHeader(record.cells),
    headerCells: record.cells,
    preamble: head.slice(0, startOfLine(head, record.line)),
    isSpaced: firstRecord(body).includes(`${delimiter.delimiter} `),
    multilineColumns,
    isResultFile,
  }
  // A quote too many in the header would show as columns that are missing.
  refuseStrayQuote(source.label, judgeOf(layout)(record))
  return layout
}

function chooseDelimiter(
  { delimiter }: LayoutOptions,
  sep: Delimiter | null,
  detect: () => Delimiter,
): DelimiterChoice {
  if (delimiter !== undefined) return { delimiter: DELIMITERS[delimiter], by: 'declared' }
  if (sep !== null) return { delimiter: sep, by: 'sep= line' }
  return { delimiter: detect(), by: 'header line' }
}

/** The text between preamble and footer, header included; its end is the footer. */
export const bodyOf = (
  pieces: AsyncIterable<string>,
  { skipLines, skipFooterLines }: Layout,
  { recordLength }: RecordLimits,
): AsyncGenerator<string, string> =>
  dropLastLines(dropFirstLines(pieces, skipLines), {
    count: skipFooterLines,
    maxHeld: (skipFooterLines + 2) * recordLength,
  })

/** How to read that text. */
export const recordSettings = (layout: Layout, limits: RecordLimits): RecordSettings => ({
  delimiter: layout.delimiter.delimiter,
  limits,
  firstLine: layout.skipLines + 1,
  judge: judgeOf(layout),
})

const judgeOf = ({ header, delimiter, isSpaced, multilineColumns }: Layout): QuoteJudge =>
  judgeQuotes(header, { delimiter: delimiter.delimiter, isSpaced, declared: multilineColumns })

/** Result files may come back from a spreadsheet in another encoding and with another separator. */
function isWrittenByUs(source: TextSource): boolean {
  try {
    const first = lineAt(source.choose(undefined).head, 1)
    return Object.values(DELIMITERS).some((delimiter) => isResultHeader(splitLine(first, delimiter)))
  } catch (error) {
    if (error instanceof SourceError) return false
    throw error
  }
}

const lineEnds = (): RegExp => /\r\n|\n|\r/g

/** Offset at which a physical line begins, or the end of the text. */
function startOfLine(text: string, line: number): number {
  const pattern = lineEnds()
  for (let number = 1; number < line; number += 1) if (pattern.exec(text) === null) return text.length
  return pattern.lastIndex
}

function lineAt(text: string, line: number): string {
  const rest = text.slice(startOfLine(text, line))
  return rest.slice(0, lineEnds().exec(rest)?.index ?? rest.length)
}

/** A `sep=` line decides at the top of the file, and right behind the declared preamble, where it is skipped. */
function skipPreamble(head: string, declared: number): { skipLines: number; sep: Delimiter | null } {
  const next = readSepLine(lineAt(head, declared + 1))
  if (next !== null) return { skipLines: declared + 1, sep: next }
  return { skipLines: declared, sep: readSepLine(lineAt(head, 1)) }
}

/** The text of the first record that is not blank, up to the line end outside quotes. */
function firstRecord(body: string): string {
  const start = body.search(/\S/)
  return start < 0 ? '' : body.slice(start, endOutsideQuotes(body, start, '\r\n'))
}

async function readHeaderRecord(
  source: string,
  body: string,
  settings: RecordSettings,
): Promise<RawRecord | null> {
  for await (const records of readRecords(source, once(body), settings)) {
    const first = records.find(({ cells }) => !isBlankRecord(cells))
    if (first !== undefined) return first
  }
  return null
}

async function* once(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text)
}
