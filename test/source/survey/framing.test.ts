import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadEnd } from '../../../src/source/bytes/input.js'
import { readRecords } from '../../../src/source/csv/records.js'
import { isBlankRecord, type TableBytes } from '../../../src/source/table.js'
import { piecesOf } from '../../../src/source/bytes/pieces.js'
import { readOddRecords } from '../../../src/source/survey/odd-records.js'
import { Unsure, walkRecords } from '../../../src/source/survey/walk.js'

const SEED = 20_261_121
const LIMITS = { recordLength: 4_000, fieldLength: 400, columns: 6 } as never
interface Read {
  readonly line: number
  readonly cells: readonly string[]
}

interface Seen extends Read {
  /** The cells as bytes, where nothing about the record is odd. */
  readonly plain: readonly string[] | null
}

/** As the survey sees the records; null where it is not sure. */
async function surveyed(pieces: readonly Buffer[]): Promise<{ records: Seen[]; blank: number } | null> {
  async function* read(): AsyncGenerator<Uint8Array, ReadEnd> {
    for (const piece of pieces) yield await Promise.resolve(piece)
    return { sha256: '', bytes: 0 }
  }
  const written: TableBytes = {
    encoding: 'utf-8',
    delimiter: ';',
    skipLines: 0,
    skipFooterLines: 0,
    judge: null,
    read,
  }
  const odd = readOddRecords(written, LIMITS)
  const plains: (string[] | null)[] = []
  const records: Seen[] = []
  const walk = piecesOf(
    walkRecords(written, { headerLine: 1, options: { limits: LIMITS } }, (room, at, frame, line) => {
      odd.add(room, at, frame, line, plains.length)
      const cells = Array.from({ length: frame.cells }, (_, n) =>
        room.toString('utf8', frame.starts[n], frame.ends[n]),
      )
      plains.push(frame.isOdd ? null : cells)
    }),
  )
  try {
    for await (const _ of walk)
      for (const { line, cells, row } of odd.read()) records.push({ line, cells, plain: plains[row] ?? null })
  } catch (error) {
    if (error instanceof Unsure) return null
    throw error
  }
  return { records, blank: walk.end().blankLines }
}

/** As the reader of the whole file sees them; null where it refuses the file. */
async function parsed(text: string): Promise<{ records: Read[]; blank: number } | null> {
  async function* once() {
    yield await Promise.resolve(text)
    return ''
  }
  const reading = piecesOf(
    readRecords('x.csv', once(), { delimiter: ';', limits: LIMITS, firstLine: 1, judge: null }),
  )
  const records: Read[] = []
  try {
    for await (const batch of reading) records.push(...batch)
  } catch {
    return null
  }
  return { records: records.filter(({ line }) => line > 1), blank: reading.end().blankLines }
}

const PIECES = [
  'a',
  'bc',
  '7',
  ' ',
  ';',
  ';',
  '"',
  '"',
  '""',
  '"x"',
  '\n',
  '\n',
  '\r\n',
  '\r',
  '\t',
  'ü',
  '\u00a0',
  '\u2003',
  '\u0007',
  '€',
]
const text = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 40 })
  .map((pieces) => `h;i\n${pieces.join('')}`)
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 })

function cutUp(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0, n = 0; at < bytes.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1
    pieces.push(Buffer.from(bytes.subarray(at, at + size)))
    at += size
  }
  return pieces
}

describe('12 records are found in bytes as in text', () => {
  it(`12 whatever the quotes, blanks and line ends, and wherever the bytes are cut (seed ${SEED})`, async () => {
    let sure = 0
    let spans = 0
    await fc.assert(
      fc.asyncProperty(text, cuts, async (given, sizes) => {
        const seen = await surveyed(cutUp(Buffer.from(given), sizes))
        if (seen === null) return
        sure += 1
        const whole = await parsed(given)
        expect(whole, JSON.stringify(given)).not.toBeNull()
        const records = seen.records.map(({ line, cells }) => ({ line, cells }))
        expect(records, JSON.stringify(given)).toEqual(whole?.records)
        expect(seen.blank).toBe(whole?.blank)
        for (const { plain, cells } of seen.records) {
          if (plain === null) continue
          spans += 1
          if (!isBlankRecord(cells))
            expect(plain.map((cell) => cell.trim())).toEqual(cells.map((cell) => cell.trim()))
        }
      }),
      { seed: SEED, numRuns: 6_000, endOnFailure: true },
    )
    expect(sure).toBeGreaterThan(1_500)
    expect(spans).toBeGreaterThan(1_500)
  })

  it('12 is not sure of quotes that are never closed or followed by text, nor of what is long', async () => {
    const rest = ['"a;b\n', '"a"b;c\n', `${'x'.repeat(401)};b\n`, `${';'.repeat(6)}\n`, '\u00a0"a";b\n']
    for (const one of rest) expect(await surveyed([Buffer.from(`h;i\n${one}`)]), one).toBeNull()
  })

  it('12 control characters and letters that were read byte by byte are odd', async () => {
    const cells = ['a\u0007', 'FÃ¼nf', '\uFFFD', '\u0085', '\u007f', 'a"b']
    const seen = await surveyed([Buffer.from(`h;i\n${cells.map((cell) => `${cell};x`).join('\n')}`)])
    expect(seen?.records.map(({ plain }) => plain)).toEqual(cells.map(() => null))
  })
})
