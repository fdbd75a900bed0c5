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
import { CHECK, exportOf, fileOf, optionsOf, readAll, refusal } from '../../support/sources.js'
import { refused } from '../reading.js'
import { freshFolder } from '../../support/folder.js'
import { chooseEncoding, createDecoder, ENCODINGS, examineBytes } from '../../../src/source/bytes/input.js'
import fc from 'fast-check'
import iconv from 'iconv-lite'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const streamOf = (...chunks: (string | Uint8Array)[]) => ({
  name: 'standard input',
  stream: Readable.from(chunks.map((chunk) => Buffer.from(chunk))),
})

describe('what can be opened', () => {
  test('a missing file is refused by its name, with exit status 7', async () => {
    const source = '/nowhere/export.csv'
    await refused(readAll(source), { rule: null, source }, 'there is no such file', 'Check the name')
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
  ])('is refused when it %s', async (_, change) =>
    expect(await readWhile(change)).toMatchObject({ rule: 'FILE_CHANGED', exitCode: 7 }),
  )

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

  test('that is cut off, or goes on after its end, is refused', async () => {
    const error = await refusal(readAll(fileOf(gzipSync(exportOf(400)).subarray(0, -9))))
    expect(error.message).toContain('damaged or cut off')
    const packed = Buffer.concat([gzipSync(exportOf(4)), Buffer.from('what is this?')])
    expect((await refusal(readAll(fileOf(packed)))).exitCode).toBe(7)
  })

  test('that unpacks beyond the limit is refused on the way', async () => {
    const bomb = gzipSync(exportOf(1) + '\n'.repeat(20_000_000))
    expect(bomb.length).toBeLessThan(50_000)
    const reading = readAll(fileOf(bomb), optionsOf('limits: { unpackedBytes: 1000000 }'))
    await refused(reading, {}, 'more than 1000000 bytes', 'limits.unpackedBytes')
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

function evidenceOf(bytes: Uint8Array, size = bytes.length) {
  const examiner = examineBytes()
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) examiner.add(bytes.subarray(at, at + size))
  return examiner.evidence()
}

const choose = (bytes: Uint8Array) => chooseEncoding('test.csv', evidenceOf(bytes), undefined)

describe('choosing an encoding', () => {
  const GRÜBER = Buffer.from('Gr\u00fcber\n', 'latin1')
  test.each([
    ['utf-16le', iconv.encode('ä,b\n', 'utf-16le', { addBOM: true }), 'byte order mark'],
    ['utf-16be', iconv.encode('ä,b\n', 'utf-16be', { addBOM: true }), 'byte order mark'],
    ['utf-8', Buffer.from('\ufeffa,b\n'), 'byte order mark'],
    ['utf-8', Buffer.from('Müller,漢,😀\n'), 'strict UTF-8'],
    ['windows-1252', iconv.encode('Müller,€\n', 'windows-1252'), 'assumed'],
    ['windows-1252', Buffer.concat([Buffer.from('Bäuer,Straße\n'), GRÜBER]), 'assumed'],
  ])('%s is told: %s, by %s', (encoding, bytes, by) => expect(choose(bytes)).toEqual({ encoding, by }))

  test.each([
    ['windows-1250', 'Jiří Dvořák,zrušen\nŠtěpán Žižka,platný\n'],
    ['windows-1250', 'Łukasz Wójcik,Kraków\nŚwierczyńska,Gdańsk\n'],
    ['windows-1250', 'Főső Zsófia,működő\nSzűcs Győző,felfüggesztő\n'],
    ['iso-8859-2', 'Jiří Dvořák,zrušen\nŠtěpán Žižka,platný\nMiloš Ťopek,\n'],
    ['iso-8859-15', 'Šimon Žukov,12 €\nMüller,5 €\n'],
    ['windows-1252', 'Müller,Straße\nJäger,Österreich\n'],
    ['windows-1252', 'Hélène Lefèvre,où\nFrançois,œuvre\nJosé Muñoz,São João\nSørensen,Ærø\n'],
    ['windows-1252', 'René Böhm,Zürich\nÉmile,Genève\nNiccolò,Città\n'],
  ] as const)('%s is told by letters that one language writes: %j', (encoding, text) => {
    expect(choose(iconv.encode(text, encoding))).toEqual({ encoding, by: 'assumed' })
  })

  test('UTF-8 with one word in another encoding is read so that the others show it', () => {
    const mixed = Buffer.concat([Buffer.from('Łukasz Wąsik\n'), GRÜBER])
    expect(choose(mixed)).toEqual({ encoding: 'windows-1252', by: 'assumed' })
  })

  test('a character that is cut at the end of the file is not UTF-8', () => {
    expect(evidenceOf(Buffer.from('a\nb€').subarray(0, -1)).isUtf8).toBe(false)
  })

  test.each([1, 2, 3, 5, 64])('what is not UTF-8 is found in chunks of %i bytes', (size) => {
    const bytes = Buffer.concat([Buffer.from('ä\r\n€\n漢\r'), Buffer.from('M\u00fc\nok\n', 'latin1')])
    expect(evidenceOf(bytes, size).isUtf8).toBe(false)
  })

  test('UTF-8 is recognised however the chunks cut its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        expect(evidenceOf(Buffer.from(text), size).isUtf8).toBe(true)
      }),
      { seed: 20_260_615 },
    )
  })
})

describe('decoding', () => {
  const letters: Readonly<Record<string, string>> = {
    'utf-8': 'aß€漢😀',
    'utf-16le': 'aß€漢😀',
    'utf-16be': 'aß€漢😀',
    'windows-1252': 'aß€Š„Ÿ',
    'iso-8859-1': 'aßÿ',
    'windows-1250': 'aß€Řůžď',
    'iso-8859-2': 'aßŘůžď',
    'iso-8859-15': 'aß€ŠžŒÿ',
  }

  test.each(ENCODINGS)('%s gives back the text in chunks of any size', (encoding) => {
    const text = letters[encoding]!.repeat(3)
    const bytes = iconv.encode(text, encoding)
    for (const size of [1, 2, 3, 5, 100]) {
      const decoder = createDecoder(encoding)
      let decoded = ''
      for (let at = 0; at < bytes.length; at += size) decoded += decoder.decode(bytes.subarray(at, at + size))
      expect(decoded + decoder.end()).toBe(text)
    }
  })

  test('Windows-1252 agrees with an independent table for every byte', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const theirs = iconv.decode(Buffer.from(bytes), 'windows-1252')
    const ours = createDecoder('windows-1252').decode(bytes)
    // iconv gives U+FFFD for the five bytes without a meaning; we keep them as control characters.
    const unused = [0x81, 0x8d, 0x8f, 0x90, 0x9d]
    expect(Array.from(ours).filter((_, byte) => !unused.includes(byte))).toEqual(
      Array.from(theirs).filter((_, byte) => !unused.includes(byte)),
    )
    expect(unused.map((byte) => ours.charCodeAt(byte))).toEqual(unused)
  })

  test.each([
    ['utf-8', [0x61, 0xff]],
    ['utf-16le', [0x00, 0xd8, 0x61, 0x00]],
    ['utf-16be', [0xd8, 0x00, 0x00, 0x61]],
  ] as const)('%s that is damaged is an error, never U+FFFD', (encoding, bytes) => {
    const decoder = createDecoder(encoding)
    expect(() => decoder.decode(Uint8Array.from(bytes)) + decoder.end()).toThrow()
  })
})

describe('a declared encoding', () => {
  const latin = iconv.encode(exportOf(3).replace('Person 2', 'Müller'), 'windows-1252')

  test('wins over what would be assumed, and must decode', async () => {
    const { summary, records } = await readAll(fileOf(latin), optionsOf('source: { encoding: iso-8859-1 }'))
    expect(records[1]?.cells[5]).toBe('Müller')
    expect(summary.findings.map(({ rule }) => rule)).not.toContain('FILE_ENCODING_ASSUMED')
    const reading = readAll(fileOf(latin), optionsOf('source: { encoding: utf-8 }'))
    await refused(reading, 'FILE_ENCODING', 'its bytes are not text in utf-8', 'source.encoding')
  })

  test.each([
    ['utf-8', 'windows-1252'],
    ['utf-16le', 'utf-8'],
    ['utf-16le', 'iso-8859-1'],
    ['utf-16be', 'utf-16le'],
  ])('is what a file beginning with the mark of %s must be in, so %s is refused', async (mark, declared) => {
    const path = fileOf(iconv.encode(exportOf(3), mark, { addBOM: true }))
    const reading = readAll(path, optionsOf(`source: { encoding: ${declared} }`))
    await refused(reading, 'FILE_ENCODING', `byte order mark of ${mark}`, `source.encoding as ${mark}`)
    const { summary } = await readAll(path, optionsOf(`source: { encoding: ${mark} }`))
    expect(summary.reading.encoding).toEqual({ encoding: mark, by: 'declared' })
  })

  test('is needed for UTF-16 without a mark, and for a stream that is not UTF-8', async () => {
    const path = fileOf(iconv.encode(exportOf(3), 'utf-16be'))
    expect((await refusal(readAll(path))).message).toContain('UTF-16 without a byte order mark')
    expect((await readAll(path, optionsOf('source: { encoding: utf-16be }'))).records).toHaveLength(3)
    const input = () => ({ name: 'standard input', stream: Readable.from([latin]) })
    expect(await refusal(readAll(input()))).toMatchObject({ rule: 'FILE_ENCODING' })
    expect((await readAll(input(), optionsOf('source: { encoding: windows-1252 }'))).records).toHaveLength(3)
  })
})

describe('what is no text', () => {
  test.each([
    ['a database file', Buffer.concat([Buffer.from('SQLite format 3\u0000'), Buffer.alloc(500, 7)])],
    ['control characters', Buffer.from('a\u0001b\u0002c\u0003\n'.repeat(50))],
  ])('%s is refused as binary', async (_, bytes) => {
    await refused(readAll(fileOf(bytes)), 'FILE_ENCODING', 'binary data')
  })

  test('one stray control character is the fault of its row alone', async () => {
    const text = exportOf(100).replace(',M-50,', ',M-\u000050,')
    const { records } = await readAll(fileOf(text))
    const invalid = records.filter(({ verdict }) => verdict.kind === 'invalid')
    expect(invalid).toMatchObject([{ record: 50, findings: [{ rule: 'UMR_CHARSET' }] }])
  })
})
