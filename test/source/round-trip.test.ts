import fc from 'fast-check'
import iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { fileOf, optionsOf, readAll } from '../support/sources.js'

/**
 * Every way an export may be written gives the same rows (issue 4): written with every combination of encoding,
 * delimiter, line end and preamble, and read back with nothing declared but what cannot be told from the file.
 */

const SEED = 20_260_615
const COLUMNS = [
  'customer_no',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
  'note',
]

const ENCODINGS = [
  { encoding: 'utf-8', mark: false, letters: 'aß€漢😀é' },
  { encoding: 'utf-8', mark: true, letters: 'aß€漢😀é' },
  { encoding: 'utf-16le', mark: true, letters: 'aß€漢😀é' },
  { encoding: 'utf-16be', mark: true, letters: 'aß€漢😀é' },
  { encoding: 'windows-1252', mark: false, letters: 'aß€éŠ„' },
] as const
const DELIMITERS = [',', ';', '\t', '|']
const LINE_ENDS = ['\r\n', '\n', '\r']
const PREAMBLES = [[], ['Export of 2026-05-15; all mandates', '', 'Bank, "branch" | account']]

const combinations = ENCODINGS.flatMap((encoding) =>
  DELIMITERS.flatMap((delimiter) =>
    LINE_ENDS.flatMap((lineEnd) =>
      PREAMBLES.map((preamble) => ({ ...encoding, delimiter, lineEnd, preamble })),
    ),
  ),
)

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`

const rowsWith = (letters: string) => {
  const note = fc.string({ unit: fc.constantFrom(...Array.from(`${letters} ,;|\t"\r\n`)), maxLength: 20 })
  return fc
    .array(note, { minLength: 1, maxLength: 6 })
    .map((notes) =>
      notes.map((text, index) => [
        `${index + 1}`,
        'DE89370400440532013000',
        '2024-03-01',
        'DE98ZZZ09999999999',
        `M-${index + 1}`,
        text,
      ]),
    )
}

function write(
  rows: readonly (readonly string[])[],
  { encoding, mark, delimiter, lineEnd, preamble }: (typeof combinations)[number],
): Buffer {
  const records = [COLUMNS, ...rows].map((cells) => cells.map(quoted).join(delimiter))
  const text = [...preamble, ...records].map((line) => line + lineEnd).join('')
  return iconv.encode(text, encoding, { addBOM: mark })
}

describe('every way to write an export', () => {
  test.each(
    combinations.map((way) => [
      `${way.encoding}${way.mark ? ' with mark' : ''}, ${JSON.stringify(way.delimiter)}, ${JSON.stringify(way.lineEnd)}, ${way.preamble.length} lines before`,
      way,
    ]),
  )('%s gives the same rows', async (_, way) => {
    // A short Windows-1252 text can be valid UTF-8 by chance, so this one encoding is declared.
    const declared = way.encoding === 'windows-1252' ? ', encoding: windows-1252' : ''
    const options = optionsOf(
      `source: { multilineColumns: [note], skipLines: ${way.preamble.length}${declared} }`,
    )
    await fc.assert(
      fc.asyncProperty(rowsWith(way.letters), async (rows) => {
        const { records, opened } = await readAll(fileOf(write(rows, way)), options)
        expect(opened.header).toEqual(COLUMNS)
        expect(records.map(({ cells }) => cells)).toEqual(rows)
        expect(records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
      }),
      { seed: SEED, numRuns: 8 },
    )
  })
})
