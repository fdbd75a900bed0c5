import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, chmodSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { SourceError } from '../../../src/errors.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../../src/source/options.js'
import { openSource } from '../../../src/source/read-source.js'
import { CHECK, exportOf, fileOf, optionsOf, readAll, refusal, refused } from '../../support/sources.js'
import { freshFolder } from '../../support/folder.js'
import { piecesOf, dropStart, dropLastLines } from '../../../src/source/bytes/input.js'
import fc from 'fast-check'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const streamOf = (...chunks: (string | Uint8Array)[]) => ({
  name: 'standard input',
  stream: Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
})

describe('what can be opened', () => {
  test('a missing file is refused by its name, with exit status 7', async () => {
    const error = await refusal(readAll('/nowhere/export.csv'))
    expect(error).toMatchObject({ exitCode: 7, rule: null, source: '/nowhere/export.csv' })
    expect(error.message).toContain('there is no such file')
    expect(error.next).toContain('Check the name')
  })

  test('a directory, a named pipe and a device are refused without waiting for them', async () => {
    const pipe = join(freshFolder(), 'pipe')
    expect(spawnSync('sh', ['-c', 'mkfifo "$0"', pipe]).status).toBe(0)
    expect((await refusal(readAll(freshFolder()))).message).toContain('it is a directory')
    for (const path of [pipe, '/dev/zero'])
      expect((await refusal(readAll(path))).message).toContain('not a regular file')
  })

  test.skipIf(process.getuid?.() === 0)('a file that may not be read is refused', async () => {
    const path = fileOf(exportOf(1))
    chmodSync(path, 0o000)
    expect((await refusal(readAll(path))).message).toContain('may not read')
  })

  test.each([
    ['an empty file', '', null],
    ['a file of blank lines', '\n\r\n  \n', null],
    ['a file of separators only', ',,,,\n,,,,\n', null],
    ['a header only', exportOf(0), 1],
    ['a header without a line end', exportOf(0).trimEnd(), 1],
    ['a header and blank lines', `${exportOf(0)}\n,,,,\n`, 1],
  ])('%s is refused as empty', async (_, text, line) => {
    const error = await refused(readAll(fileOf(text)), { rule: 'FILE_EMPTY', line })
    if (line !== null) expect(error.message).toContain('a header but no records')
  })
})

describe('the hash', () => {
  test('of a file is known before its records and is that of the bytes as given', async () => {
    const text = exportOf(5)
    const opened = await openSource(fileOf(text), DEFAULT_SOURCE_OPTIONS, CHECK)
    expect(opened.sha256).toBe(sha256(Buffer.from(text)))
    expect(() => opened.summary()).toThrow('was not read to its end')
  })

  test('of a stream is known after its records', async () => {
    const text = exportOf(5)
    const { opened, summary } = await readAll(streamOf(text))
    expect(opened.sha256).toBeNull()
    expect(summary).toMatchObject({ sha256: sha256(Buffer.from(text)), bytes: text.length, records: 5 })
    expect(opened.name).toBe('standard input')
  })

  test('of a gzip file is that of the packed bytes', async () => {
    const packed = gzipSync(exportOf(5))
    const told = { sha256: sha256(packed), bytes: packed.length, records: 5 }
    expect((await readAll(fileOf(packed, 'export.csv.gz'))).summary).toMatchObject(told)
  })

  test('a file can be read twice, a stream cannot', async () => {
    const file = await openSource(fileOf(exportOf(3)), DEFAULT_SOURCE_OPTIONS, CHECK)
    const stream = await openSource(streamOf(exportOf(3)), DEFAULT_SOURCE_OPTIONS, CHECK)
    const count = async ({ records }: typeof file): Promise<number> => {
      let records_ = 0
      for await (const batch of records()) records_ += batch.length
      return records_
    }
    expect([await count(file), await count(file), await count(stream)]).toEqual([3, 3, 3])
    expect((await refusal(count(stream))).message).toContain('read only once')
  })
})

describe('a file that changes while it is read', () => {
  const LARGE = exportOf(8000)

  async function readWhile(change: (path: string) => void): Promise<SourceError> {
    const path = fileOf(LARGE)
    const opened = await openSource(path, DEFAULT_SOURCE_OPTIONS, CHECK)
    const batches = opened.records()[Symbol.asyncIterator]()
    expect((await batches.next()).done).not.toBe(true)
    change(path)
    const rest = async (): Promise<void> => {
      for (let next = await batches.next(); next.done !== true;) next = await batches.next()
    }
    return refusal(rest())
  }

  test.each([
    ['grows', (path: string) => appendFileSync(path, 'one more line\n')],
    ['shrinks', (path: string) => truncateSync(path, 300_000)],
    ['is touched', (path: string) => utimesSync(path, 1, 1)],
  ])('is refused when it %s', async (_, change) => {
    expect(await readWhile(change)).toMatchObject({ rule: 'FILE_CHANGED', exitCode: 7 })
  })

  test.each([
    ['other bytes stand under the same size and time', LARGE.replace('Person 7999', 'Person 7998'), 1000],
    ['the same bytes were written again', LARGE, 2000],
  ])('is refused when %s', async (_, text, time) => {
    const path = fileOf(LARGE)
    utimesSync(path, 1000, 1000)
    const opened = await openSource(path, DEFAULT_SOURCE_OPTIONS, CHECK)
    writeFileSync(path, text)
    utimesSync(path, 1000, time)
    const all = async (): Promise<void> => {
      for await (const batch of opened.records()) expect(batch.length).toBeGreaterThan(0)
    }
    expect(await refusal(all())).toMatchObject({ rule: 'FILE_CHANGED' })
  })
})

describe('gzip', () => {
  test('is recognised by its magic bytes, of several members, from a stream that delivers single bytes too', async () => {
    const text = exportOf(40)
    const packed = Buffer.concat([gzipSync(text.slice(0, 700)), gzipSync(text.slice(700))])
    for (const input of [fileOf(packed), streamOf(...Array.from(packed, (byte) => Uint8Array.of(byte)))])
      expect((await readAll(input)).records).toHaveLength(40)
  })

  test('that is cut off is refused, not read as far as it goes', async () => {
    const error = await refusal(readAll(fileOf(gzipSync(exportOf(400)).subarray(0, -9))))
    expect(error.message).toContain('damaged or cut off')
  })

  test('that goes on after its end is refused', async () => {
    const packed = Buffer.concat([gzipSync(exportOf(4)), Buffer.from('what is this?')])
    expect((await refusal(readAll(fileOf(packed)))).exitCode).toBe(7)
  })

  test('that unpacks beyond the limit is refused on the way', async () => {
    const bomb = gzipSync(exportOf(1) + '\n'.repeat(20_000_000))
    expect(bomb.length).toBeLessThan(50_000)
    const error = await refusal(readAll(fileOf(bomb), optionsOf('limits: { unpackedBytes: 1000000 }')))
    expect(error.message).toContain('more than 1000000 bytes')
    expect(error.next).toContain('limits.unpackedBytes')
  })
})

test('an abort ends the reading of a file', async () => {
  const opened = await openSource(fileOf(exportOf(8000)), DEFAULT_SOURCE_OPTIONS, CHECK)
  const controller = new AbortController()
  const all = async (): Promise<void> => {
    for await (const batch of opened.records(controller.signal)) {
      expect(batch.length).toBeGreaterThan(0)
      controller.abort(new Error('stopped by the operator'))
    }
  }
  await expect(all()).rejects.toThrow('stopped by the operator')
})

const SEED = 20_260_615

async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield await Promise.resolve(text.slice(at, at + size))
}

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
