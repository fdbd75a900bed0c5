import { CsvError, Parser, type Options } from 'csv-parse'
import { refuse } from '../refusal.js'
import type { RawRecord, RecordsEnd } from '../table.js'
import { scanRecords, type RecordLimits } from './record-scanner.js'
import { refuseStrayQuote, type QuoteJudge } from './stray-quote.js'

export interface RecordSettings {
  readonly delimiter: string
  readonly limits: RecordLimits
  /** The number of the first line of the text, where a preamble was cut off. */
  readonly firstLine: number
  /** Null where a cell over several lines is never in doubt. */
  readonly judge: QuoteJudge | null
}

/**
 * Reads text as CSV, the header included, and yields the records of each piece of text.
 * @throws {SourceError} FILE_RECORD_TOO_LONG or FILE_QUOTE_STRAY when the structure cannot be trusted
 */
export async function* readRecords(
  source: string,
  text: AsyncIterable<string>,
  { delimiter, limits, firstLine, judge }: RecordSettings,
): AsyncGenerator<RawRecord[], RecordsEnd> {
  const scanner = scanRecords(source, delimiter, limits, firstLine)
  const parser = createParser(delimiter, limits)
  let yielded = 0
  const take = (): RawRecord[] => {
    const records: RawRecord[] = []
    for (let cells = nextCells(parser); cells !== null; cells = nextCells(parser)) {
      const record = { line: scanner.takeLine() ?? 0, cells }
      if (scanner.spansLines(record.line)) refuseStrayQuote(source, judge?.(record) ?? null)
      records.push(record)
    }
    yielded += records.length
    return records
  }
  try {
    for await (const piece of text) {
      scanner.scan(piece)
      const written = write(parser, piece)
      // The parser reports the piece as written only after its records were read.
      const records = take()
      await written
      yield records
    }
    scanner.end()
    await end(parser)
    yield take()
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw refuse(source, 'FILE_RECORD_TOO_LONG', `a record cannot be read: ${error.code}`, {
      line: scanner.takeLine() ?? scanner.line(),
      cause: error,
    })
  } finally {
    parser.destroy()
  }
  if (yielded !== scanner.records())
    throw refuse(source, 'FILE_RECORD_TOO_LONG', 'two counts of its records differ', {
      next: 'Report it to the developers, with the shape of the file.',
    })
  return { blankLines: scanner.blankLines(), lines: scanner.lines(), openLine: scanner.openLine() }
}

export const parserOptions = (delimiter: string, limits: RecordLimits): Options => ({
  delimiter,
  bom: true,
  relax_column_count: true,
  // A quote inside a cell that does not begin with one is text, as in ="00012345".
  relax_quotes: true,
  skip_empty_lines: true,
  trim: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  // In bytes, where the scanner counts characters: it only has to hold when the scanner is wrong.
  max_record_size: limits.recordLength * 4,
})

function createParser(delimiter: string, limits: RecordLimits): Parser {
  const parser = new Parser(parserOptions(delimiter, limits))
  // The callback of the write that failed gets the error too; unheard it would end the program.
  parser.on('error', () => undefined)
  return parser
}

const nextCells = (parser: Parser): string[] | null => parser.read() as string[] | null

const write = (parser: Parser, text: string): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.write(text, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })

const end = (parser: Parser): Promise<void> =>
  new Promise((resolve, reject) => {
    parser.once('error', reject)
    parser.end(resolve)
  })
