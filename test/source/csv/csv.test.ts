import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { SourceError } from '../../../src/errors.js'
import { createDecoder, type Encoding } from '../../../src/source/bytes/encoding.js'
import { readRecords } from '../../../src/source/csv/csv.js'
import type { RawRecord } from '../../../src/source/table.js'
import { refusal, exportOf, readText } from '../../support/sources.js'
import { piecesOf } from '../../../src/source/bytes/input.js'
import fc from 'fast-check'
import iconv from 'iconv-lite'
import Papa from 'papaparse'

const LIMITS = { recordLength: 65_536, fieldLength: 8_192, columns: 512 }
const SEED = 20_260_615

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size))
}

interface Read {
  readonly records: readonly RawRecord[]
  readonly blankLines: number
}

async function read(text: string, delimiter = ',', pieceLength = 1000, limits = LIMITS): Promise<Read> {
  const records: RawRecord[] = []
  const settings = { delimiter, limits, firstLine: 1, quotes: null }
  const batches = piecesOf(readRecords('test.csv', pieces(text, pieceLength), settings))
  for await (const batch of batches) records.push(...batch)
  return { records, blankLines: batches.end().blankLines }
}

const shapes = ({ records }: Read) => records.map(({ line, cells }) => [line, ...cells])

describe('records and their lines', () => {
  test('a record knows the physical line on which it begins, behind cells of several lines', async () => {
    const text = 'a,b\r\n"one\r\ntwo\r\nthree",x\r\n\r\ny,"z\nz"\r\nlast,1'
    expect(shapes(await read(text))).toEqual([
      [1, 'a', 'b'],
      [2, 'one\r\ntwo\r\nthree', 'x'],
      [6, 'y', 'z\nz'],
      [8, 'last', '1'],
    ])
  })

  test('blanks around quotes are no part of the cell, those inside are', async () => {
    expect(shapes(await read('a ,  " b " ,\t"c"\t,\u3000"d",\u00a0e\u00a0\n'))).toEqual([
      [1, 'a', ' b ', 'c', 'd', 'e'],
    ])
  })
})

describe('structures that cannot be trusted', () => {
  test.each([
    ['an unclosed quote at the end', 'a,b\n1,2\n3,"4\n5,6\n', 3, 'never closed'],
    ['an unclosed quote that a later quote ends', 'a,b\n1,"2\n3,4\n5,"6"\n', 2, 'text after a closing quote'],
    ['text behind a closing quote', 'a,b\n1,2\n"3"x,4\n', 3, 'text after a closing quote on line 3'],
    ['a second quoted text in one cell', 'a,b\n"1" "2",3\n', 2, 'text after a closing quote'],
    ['a protected blank behind a closing quote', 'a,b\n1,"2"\u00a0\n', 2, 'text after a closing quote'],
    ['a backslash before a quote', 'a,b\n"say \\"hi\\"",2\n', 2, 'text after a closing quote'],
  ])('%s refuses the file at the line where the record starts', async (_, text, line, detail) => {
    const error = await refusal(read(text))
    expect(error).toMatchObject({ rule: 'FILE_RECORD_TOO_LONG', line, exitCode: 7 })
    expect(error.message).toContain(detail)
    expect(error.message).toContain('nothing was sent')
  })

  test.each([
    ['record', 'a,b\n1,2\n' + `${'x'.repeat(60)},`.repeat(3), { recordLength: 100 }, 'longer than 100'],
    ['cell', `a,b\n1,2\n${'x'.repeat(101)},1\n`, { fieldLength: 100 }, 'cell of more than 100'],
    ['number of columns', `a,b\n1,2\n${'1,'.repeat(10)}1\n`, { columns: 10 }, 'more than 10 columns'],
    ['blank line', `a,b\n1,2\n${' '.repeat(101)}\n`, { recordLength: 100 }, 'longer than 100'],
  ])('a %s beyond its limit refuses the file', async (_, text, limit, detail) => {
    for (const pieceLength of [7, 1000]) {
      const error = await refusal(read(text, ',', pieceLength, { ...LIMITS, ...limit }))
      expect(error).toMatchObject({ rule: 'FILE_RECORD_TOO_LONG', line: 3 })
      expect(error.message).toContain(detail)
    }
  })
})

/** Cells with everything that a CSV has to quote; only their outer blanks are left out, for plain cells lose them. */
const cell = fc
  .string({ unit: fc.constantFrom(...Array.from('ab1 ",;\t|\n\r\'=éß€漢')), maxLength: 12 })
  .map((text) => text.trim())
const table = fc
  .integer({ min: 1, max: 5 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 8 }),
  )
  // A line without any cell is no record, for us and for Papa with `greedy` alike.
  .map((rows) => rows.filter((row) => row.some((text) => text !== '')))

test('against an independent parser the records of random valid files are the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\r\n', '\n', '\r'),
      fc.integer({ min: 1, max: 40 }),
      async (rows, delimiter, newline, pieceLength) => {
        const text = Papa.unparse(rows, { delimiter, newline, quotes: false })
        const theirs = Papa.parse<string[]>(text, { delimiter, newline, skipEmptyLines: true })
        const ours = await read(text, delimiter, pieceLength)
        expect(ours.records.map(({ cells }) => cells)).toEqual(theirs.data)
        expect(ours.records.map(({ cells }) => cells)).toEqual(rows)
      },
    ),
    { seed: SEED, numRuns: 400 },
  )
})

const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-15', 'iso-8859-1'] as const

/** The text in bytes, as an editor saves it; with a byte order mark where it has one. */
function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding.startsWith('utf-16')) {
    const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
    return encoding === 'utf-16le' ? bytes : bytes.swap16()
  }
  return encoding === 'utf-8' ? Buffer.from(`\uFEFF${text}`) : iconv.encode(text, encoding)
}

async function* decoded(bytes: Buffer, encoding: Encoding, cuts: readonly number[]): AsyncGenerator<string> {
  const decoder = createDecoder(encoding)
  let from = 0
  for (const to of [...cuts, bytes.length]) {
    yield await Promise.resolve(decoder.decode(bytes.subarray(from, to)))
    from = to
  }
  yield decoder.end()
}

/** What csv-parse alone makes of the whole text; null where it refuses it. */
function parsedWhole(text: string, delimiter: string): string[][] | null {
  const options = { relax_column_count: true, relax_quotes: true, skip_empty_lines: true, trim: true }
  try {
    return parse(text, { ...options, delimiter, record_delimiter: ['\r\n', '\n', '\r'] })
  } catch {
    return null
  }
}

describe('against csv-parse over the whole text', () => {
  async function cellsOf(bytes: Buffer, encoding: Encoding, cuts: readonly number[], delimiter = ',') {
    const settings = { delimiter, limits: LIMITS, firstLine: 1, quotes: null }
    const cells: string[][] = []
    for await (const batch of readRecords('test.csv', decoded(bytes, encoding, cuts), settings))
      cells.push(...batch.map((record) => record.cells))
    return cells
  }

  test('it makes no difference at which byte the file is cut', async () => {
    const text =
      'a;b;c\r\n1;"zwei\r\n""Zeilen"" ü";3\n\n ="007"; "x" ;5" pipe\r"";\u00a0ß\u00a0;\r\n;;\n"ä;b";c\r\r\n"last";é'
    for (const encoding of ENCODINGS) {
      const bytes = encoded(text, encoding)
      const whole = parsedWhole(text, ';')
      expect(whole).toHaveLength(7)
      for (let cut = 0; cut <= bytes.length; cut += 1)
        expect(await cellsOf(bytes, encoding, [cut], ';'), `${encoding} ${cut}`).toEqual(whole)
    }
  })

  test('random text has the same cells, or is refused', async () => {
    const noise = fc.string({
      unit: fc.constantFrom(...Array.from('ab,,"""\n\r \t\u00a0éß=')),
      maxLength: 60,
    })
    const cuts = fc.array(fc.nat(), { maxLength: 5 })
    let read = 0
    await fc.assert(
      fc.asyncProperty(noise, cuts, fc.constantFrom(...ENCODINGS), async (text, at, encoding) => {
        const bytes = encoded(text, encoding)
        const places = at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b)
        const cells = await cellsOf(bytes, encoding, places).catch((error: unknown) => {
          if (error instanceof SourceError) return null
          throw error
        })
        if (cells === null) return
        read += 1
        expect(cells).toEqual(parsedWhole(text, ','))
      }),
      { seed: SEED, numRuns: 2000 },
    )
    expect(read).toBeGreaterThan(700)
  })
})

describe('line numbers', () => {
  const ends = fc.constantFrom('\r\n', '\n', '\r')
  const written = fc.record({
    blanks: fc.array(ends, { maxLength: 2 }),
    middle: cell,
    end: ends,
  })

  test('name the line on which an editor shows the record, whatever the line ends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(written, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 9 }),
        async (records, pieceLength) => {
          const text = records
            .map(
              ({ blanks, middle, end }, index) =>
                `${blanks.join('')}row${index},"${middle.replaceAll('"', '""')}"${end}`,
            )
            .join('')
          const lines = text.split(/\r\n|\n|\r/)
          const { records: found } = await read(text, ',', pieceLength)
          expect(found.map(({ cells }) => cells)).toEqual(
            records.map(({ middle }, index) => [`row${index}`, middle]),
          )
          for (const { line, cells } of found)
            expect(lines[line - 1]?.startsWith(`${cells[0] ?? ''},"`)).toBe(true)
        },
      ),
      { seed: SEED, numRuns: 400 },
    )
  })
})

/**
 * What a file holds, told by one regular expression per record instead of a state machine: its records, and its blank
 * lines. Null for a file that must be refused.
 */
function countIndependently(text: string): { records: number; blankLines: number } | null {
  const plain = String.raw`(?![^\S\r\n]*")[^,\r\n]*`
  const quoted = String.raw`[^\S\r\n]*"(?:[^"]|"")*"[ \t]*`
  const oneField = `(?:${quoted}|${plain})`
  const record = new RegExp(`(${oneField}(?:,${oneField})*)(\\r\\n|\\n|\\r|$)`, 'y')
  let records = 0
  let blankLines = 0
  while (record.lastIndex < text.length) {
    const found = record.exec(text)
    if (found === null) return null
    const [, content = '', end] = found
    if (content.trim() === '' && !content.includes('"')) blankLines += end === '' ? 0 : 1
    else records += 1
  }
  return { records, blankLines }
}

describe('random text', () => {
  const noise = fc.string({ unit: fc.constantFrom(...Array.from('a,"\n\r \u00a0é')), maxLength: 60 })

  test('never loses a record: what is read is what another count says, or the file is refused', async () => {
    await fc.assert(
      fc.asyncProperty(noise, fc.integer({ min: 1, max: 20 }), async (text, pieceLength) => {
        const counted = countIndependently(text)
        if (counted === null) {
          expect(await refusal(read(text, ',', pieceLength))).toMatchObject({ exitCode: 7 })
          return
        }
        const { records, blankLines } = await read(text, ',', pieceLength)
        expect({ records: records.length, blankLines }).toEqual(counted)
      }),
      { seed: SEED, numRuns: 3000 },
    )
  })
})

const delimiterOf = async (text: string, yaml = '') =>
  (await readText(text, yaml)).summary.reading['delimiter']

const swapped = (delimiter: string): string => exportOf(3).replaceAll(',', delimiter)

describe('finding the delimiter', () => {
  test.each([',', ';', '\t', '|'])('the one separator of the header line decides: %j', async (delimiter) => {
    expect(await delimiterOf(swapped(delimiter))).toEqual({ delimiter, by: 'header line' })
  })

  test('a sep= line decides and is skipped, and lines keep their numbers', async () => {
    const { records, summary } = await readText(`sep=|\r\n${swapped('|')}`)
    expect(summary.reading['delimiter']).toEqual({ delimiter: '|', by: 'sep= line' })
    expect(records.map(({ line }) => line)).toEqual([3, 4, 5])
  })

  test('a sep= line counts among the lines that are skipped as declared', async () => {
    const { records } = await readText(`sep=;\ntitle\n${swapped(';')}`, 'source: { skipLines: 2 }')
    expect(records).toHaveLength(3)
  })

  test('what is declared wins over a sep= line', async () => {
    expect(await delimiterOf(`sep=;\n${exportOf(3)}`, 'source: { delimiter: "," }')).toEqual({
      delimiter: ',',
      by: 'declared',
    })
    expect(await delimiterOf(swapped('\t'), 'source: { delimiter: tab }')).toMatchObject({ delimiter: '\t' })
  })

  test('separators inside quotes do not count', async () => {
    const text = swapped(';').replace('name', '"name, first, last, title"')
    expect(await delimiterOf(text)).toMatchObject({ delimiter: ';' })
  })

  test('of several, the one that gives the most known names decides', async () => {
    const text = swapped(';').replace('name', 'name, first, last, title, street, town, country')
    expect(await delimiterOf(text)).toMatchObject({ delimiter: ';' })
  })

  test('names of the configuration are known names', async () => {
    const text = 'No, 1;Konto|x\n1;DE89370400440532013000\n'
    const error = await refusal(readText(text, 'columns: { iban: "Konto|x" }'))
    expect(error.rule).toBe('FILE_HEADER_MISSING')
  })

  test('several that do equally well are refused', async () => {
    const error = await refusal(readText('a;b,c\n1;2,3\n'))
    expect(error).toMatchObject({ rule: 'FILE_DELIMITER', line: 1 })
    expect(error.next).toContain('Declare the delimiter')
  })

  test('none is refused', async () => {
    expect(await refusal(readText('iban\nDE89370400440532013000\n'))).toMatchObject({
      rule: 'FILE_DELIMITER',
    })
  })
})
