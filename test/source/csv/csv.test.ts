import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { piecesOf, createDecoder, type Encoding } from '../../../src/source/bytes/input.js'
import { dropLastLines, dropStart, readRecords } from '../../../src/source/csv/csv.js'
import type { RawRecord } from '../../../src/source/table.js'
import { exportOf, refusal } from '../../support/sources.js'
import { readText, refused } from '../reading.js'
import fc from 'fast-check'
import iconv from 'iconv-lite'

const LIMITS = { recordLength: 65_536, fieldLength: 8_192, columns: 512 }
const SEED = 20_260_615

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size))
}

interface Read {
  readonly records: readonly RawRecord[]
  readonly blankLines: number
}

async function readPieces(text: AsyncIterable<string>, delimiter: string, limits = LIMITS): Promise<Read> {
  const records: RawRecord[] = []
  const batches = piecesOf(readRecords('test.csv', text, { delimiter, limits, firstLine: 1, quotes: null }))
  for await (const batch of batches) records.push(...batch)
  return { records, blankLines: batches.end().blankLines }
}
const read = (text: string, pieceLength = 1000, limits = LIMITS): Promise<Read> =>
  readPieces(pieces(text, pieceLength), ',', limits)

const cellsOf = ({ records }: Read) => records.map(({ cells }) => cells)

test('blanks around quotes are no part of the cell, those inside are', async () => {
  const { records } = await read('a ,  " b " ,\t"c"\t,\u3000"d",\u00a0e\u00a0\n')
  expect(records[0]?.cells).toEqual(['a', ' b ', 'c', 'd', 'e'])
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
    const error = await refused(read(text), { rule: 'FILE_RECORD_TOO_LONG', line }, detail)
    expect(error.message).toContain('nothing was sent')
  })

  test.each([
    ['record', 'a,b\n1,2\n' + `${'x'.repeat(60)},`.repeat(3), { recordLength: 100 }, 'longer than 100'],
    ['cell', `a,b\n1,2\n${'x'.repeat(101)},1\n`, { fieldLength: 100 }, 'cell of more than 100'],
    ['number of columns', `a,b\n1,2\n${'1,'.repeat(10)}1\n`, { columns: 10 }, 'more than 10 columns'],
    ['blank line', `a,b\n1,2\n${' '.repeat(101)}\n`, { recordLength: 100 }, 'longer than 100'],
  ])('a %s beyond its limit refuses the file', async (_, text, limit, detail) => {
    for (const pieceLength of [7, 1000]) {
      const reading = read(text, pieceLength, { ...LIMITS, ...limit })
      await refused(reading, { rule: 'FILE_RECORD_TOO_LONG', line: 3 }, detail)
    }
  })
})

/** Cells with everything that a CSV has to quote; only their outer blanks are left out, for plain cells lose them. */
const cell = fc
  .string({ unit: fc.constantFrom(...Array.from('ab1 ",;\t|\n\r\'=éß€漢')), maxLength: 12 })
  .map((text) => text.trim())
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

test('random text, cut anywhere, has the cells csv-parse finds in the whole of it, or is refused', async () => {
  const units = Array.from('ab,,"""\n\r \t\u00a0éß=')
  const noise = fc.string({ unit: fc.constantFrom(...units), maxLength: 60 })
  const cuts = fc.array(fc.nat(), { maxLength: 5 })
  let found = 0
  await fc.assert(
    fc.asyncProperty(noise, cuts, fc.constantFrom(...ENCODINGS), async (text, at, encoding) => {
      const bytes = encoded(text, encoding)
      const places = at.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b)
      const reading = readPieces(decoded(bytes, encoding, places), ',')
      const counted = countIndependently(text)
      if (counted === null) {
        await refusal(reading)
        return
      }
      found += 1
      const told = await reading
      expect(cellsOf(told)).toEqual(parsedWhole(text, ','))
      expect({ records: told.records.length, blankLines: told.blankLines }).toEqual(counted)
    }),
    { seed: SEED, numRuns: 3000 },
  )
  expect(found).toBeGreaterThan(1000)
})

describe('line numbers', () => {
  const ends = fc.constantFrom('\r\n', '\n', '\r')
  const written = fc.record({ blanks: fc.array(ends, { maxLength: 2 }), middle: cell, end: ends })

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
          const { records: found } = await read(text, pieceLength)
          expect(found.map(({ cells }) => cells)).toEqual(records.map(({ middle }, n) => [`row${n}`, middle]))
          for (const { line, cells } of found)
            expect(lines[line - 1]?.startsWith(`${cells[0] ?? ''},"`)).toBe(true)
        },
      ),
      { seed: SEED, numRuns: 400 },
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
    const declared = await delimiterOf(`sep=;\n${exportOf(3)}`, 'source: { delimiter: "," }')
    expect(declared).toEqual({ delimiter: ',', by: 'declared' })
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
    await refused(readText(text, 'columns: { iban: "Konto|x" }'), 'FILE_HEADER_MISSING')
  })

  test('several that do equally well, or none, are refused', async () => {
    const reading = readText('a;b,c\n1;2,3\n')
    await refused(reading, { rule: 'FILE_DELIMITER', line: 1 }, '', 'Declare the delimiter')
    await refused(readText('iban\nDE89370400440532013000\n'), 'FILE_DELIMITER')
  })
})

async function joined(text: AsyncIterable<string>): Promise<string> {
  let all = ''
  for await (const piece of text) all += piece
  return all
}

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\r\n', '\n', '\r'), maxLength: 30 })
const size = fc.integer({ min: 1, max: 8 })
const count = fc.integer({ min: 0, max: 6 })

/** Physical lines with their ends; what follows the last end is a line only when there is something. */
const linesOf = (all: string): string[] => all.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []

describe('lines before and behind the records', () => {
  test('the first characters are cut off, however the text comes in pieces', async () => {
    await fc.assert(
      fc.asyncProperty(text, count, size, async (all, start, length) => {
        expect(await joined(dropStart(pieces(all, length), start))).toBe(all.slice(start))
      }),
      { seed: SEED, numRuns: 1000 },
    )
  })

  test('the last lines are cut off and handed over', async () => {
    await fc.assert(
      fc.asyncProperty(text, count, size, async (all, lines, length) => {
        const body = piecesOf(dropLastLines(pieces(all, length), { count: lines, maxHeld: 1000 }))
        const kept = await joined(body)
        const expected = linesOf(all)
        const at = Math.max(0, expected.length - lines)
        expect([kept, body.end()]).toEqual([expected.slice(0, at).join(''), expected.slice(at).join('')])
      }),
      { seed: SEED, numRuns: 1000 },
    )
  })

  test('no more is held back than allowed, so that a line without end reaches the reader', async () => {
    const released: string[] = []
    const endless = pieces('x'.repeat(100_000), 1000)
    for await (const piece of dropLastLines(endless, { count: 2, maxHeld: 5000 })) released.push(piece)
    expect(released.join('').length).toBe(95_000)
  })
})
