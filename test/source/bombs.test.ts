import fc from 'fast-check'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { SourceError } from '../../src/errors.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { openSource } from '../../src/source/read-source.js'
import { germanIban } from '../support/export.js'
import { CHECK, exportOf, fileOf, readAll, refusal } from '../support/sources.js'

/** Sources that were made, or happened, to exhaust a reader. */

const MIB = 1024 * 1024

interface Bomb {
  readonly error: SourceError
  /** Bytes that were asked for until the source was refused. */
  readonly bytesRead: number
  readonly memoryGrowth: number
}

/** Reads a stream that repeats one chunk, and watches how much of it is taken. */
async function explode(start: string, chunk: Buffer, times: number): Promise<Bomb> {
  let bytesRead = 0
  let peak = 0
  const before = process.memoryUsage().rss
  function* chunks(): Generator<Buffer> {
    yield Buffer.from(start)
    for (let count = 0; count < times; count += 1) {
      bytesRead += chunk.length
      peak = Math.max(peak, process.memoryUsage().rss)
      yield chunk
    }
  }
  const stream = Readable.from(chunks(), { objectMode: false })
  const error = await refusal(readAll({ name: 'bomb', stream }))
  return { error, bytesRead, memoryGrowth: Math.max(0, peak - before) }
}

describe('a gigabyte of one line', () => {
  test.each([
    ['blanks', Buffer.alloc(MIB, ' '), 'longer than 65536'],
    ['commas', Buffer.alloc(MIB, ','), 'columns'],
    ['letters', Buffer.alloc(MIB, 'x'), 'longer than 65536'],
    ['zero bytes', Buffer.alloc(MIB, 0), 'longer than 65536'],
  ])('of %s behind good rows is refused after a piece of it', async (_, chunk, detail) => {
    const { error, bytesRead, memoryGrowth } = await explode(exportOf(2000), chunk, 1024)
    expect(error).toMatchObject({ rule: 'FILE_RECORD_TOO_LONG', line: 2002 })
    expect(error.message).toContain(detail)
    expect(bytesRead).toBeLessThan(8 * MIB)
    expect(memoryGrowth).toBeLessThan(150 * MIB)
  })

  test('of zero bytes alone is refused as binary', async () => {
    const { error, bytesRead } = await explode('', Buffer.alloc(MIB), 1024)
    expect(error).toMatchObject({ rule: 'FILE_ENCODING' })
    expect(bytesRead).toBeLessThan(8 * MIB)
  })
})

test('an unclosed quote before 30 MB of rows is refused at the line where its record starts', async () => {
  const rows = Buffer.from('1,2,3,4,5,6\n'.repeat(MIB / 12))
  const { error, bytesRead, memoryGrowth } = await explode(`${exportOf(10)}11,"oops,`, rows, 30)
  expect(error).toMatchObject({ rule: 'FILE_RECORD_TOO_LONG', line: 12 })
  expect(bytesRead).toBeLessThan(8 * MIB)
  expect(memoryGrowth).toBeLessThan(150 * MIB)
})

test.each([
  ['200,000 commas as a header', `${','.repeat(200_000)}\n${exportOf(3)}`, 1],
  ['200,000 commas as a record', `${exportOf(3)}${','.repeat(200_000)}\n`, 5],
  ['packed blanks', gzipSync(Buffer.concat([Buffer.from(exportOf(3)), Buffer.alloc(64 * MIB, ' ')])), 5],
])('%s are refused', async (_, content, line) => {
  expect(await refusal(readAll(fileOf(content)))).toMatchObject({ rule: 'FILE_RECORD_TOO_LONG', line })
})

test('a long export is checked in flat memory', async () => {
  const rows = 200_000
  function* lines(): Generator<Buffer> {
    yield Buffer.from(exportOf(0))
    const line = (n: number): string => `${n},${germanIban(n)},2024-03-01,DE98ZZZ09999999999,M-${n},P\n`
    for (let row = 1; row <= rows; row += 500)
      yield Buffer.from(Array.from({ length: 500 }, (_, index) => line(row + index)).join(''))
  }
  const stream = Readable.from(lines(), { objectMode: false })
  const opened = await openSource({ name: 'long', stream }, DEFAULT_SOURCE_OPTIONS, CHECK)
  const before = process.memoryUsage().rss
  let peak = 0
  for await (const _ of opened.records()) peak = Math.max(peak, process.memoryUsage().rss)
  expect(opened.summary().records).toBe(rows)
  expect(peak - before).toBeLessThan(150 * MIB)
})

describe('random bytes', () => {
  const SEED = 20_260_615
  const bytes = fc.uint8Array({ maxLength: 400 })
  const texts = fc
    .string({ unit: fc.constantFrom(...Array.from('1,;"\n\r\t| aÄ\u0000\ufffd')), maxLength: 200 })
    .map((text) => Buffer.from(text))

  /** Refused with a clear error, or read in full: nothing else may happen to a file. */
  async function settle(content: Uint8Array): Promise<void> {
    const outcome = await readAll(fileOf(content)).catch((error: unknown) => error)
    if (outcome instanceof Error) {
      expect(outcome).toMatchObject({ name: 'SourceError', exitCode: 7 })
      return
    }
    const { records, summary } = outcome as Awaited<ReturnType<typeof readAll>>
    expect(records.map(({ record }) => record)).toEqual(records.map((_, index) => index + 1))
    expect(summary.records).toBe(records.length)
  }

  test('never crash the reader, alone or behind a good header', async () => {
    const begin = fc.constantFrom('', exportOf(2)).map((text) => Buffer.from(text))
    await fc.assert(
      fc.asyncProperty(begin, fc.oneof(bytes, texts), (start, rest) => settle(Buffer.concat([start, rest]))),
      { seed: SEED, numRuns: 1000 },
    )
  })
})
