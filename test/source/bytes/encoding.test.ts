import fc from 'fast-check'
import iconv from 'iconv-lite'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { chooseEncoding, createDecoder, ENCODINGS, examineBytes } from '../../../src/source/bytes/encoding.js'
import { exportOf, fileOf, optionsOf, readAll, refusal, refused } from '../../support/sources.js'

function evidenceOf(bytes: Uint8Array, size = bytes.length) {
  const examiner = examineBytes(true)
  for (let at = 0; at < bytes.length; at += Math.max(1, size)) examiner.add(bytes.subarray(at, at + size))
  return examiner.evidence()
}

const choose = (bytes: Uint8Array) => chooseEncoding('test.csv', evidenceOf(bytes), undefined)

describe('choosing an encoding', () => {
  test.each([
    ['utf-16le', iconv.encode('ä,b\n', 'utf-16le', { addBOM: true }), 'byte order mark'],
    ['utf-16be', iconv.encode('ä,b\n', 'utf-16be', { addBOM: true }), 'byte order mark'],
    ['utf-8', Buffer.from('\ufeffa,b\n'), 'byte order mark'],
    ['utf-8', Buffer.from('Müller,漢,😀\n'), 'strict UTF-8'],
    ['windows-1252', iconv.encode('Müller,€\n', 'windows-1252'), 'assumed'],
  ])('%s is told: %s, by %s', (encoding, bytes, by) => {
    expect(choose(bytes)).toEqual({ encoding, by })
  })

  test.each([
    ['windows-1250', 'Jiří Dvořák,zrušen\nŠtěpán Žižka,platný\n'],
    ['windows-1250', 'Łukasz Wójcik,Kraków\nŚwierczyńska,Gdańsk\n'],
    ['windows-1250', 'Főső Zsófia,működő\nSzűcs Győző,felfüggesztő\n'],
    ['iso-8859-2', 'Jiří Dvořák,zrušen\nŠtěpán Žižka,platný\nMiloš Ťopek,\n'],
    ['iso-8859-2', 'Łukasz Wąsik,Kraków\nŚwierczyńska,Gdańsk\n'],
    ['iso-8859-15', 'Šimon Žukov,12 €\nMüller,5 €\n'],
    ['windows-1252', 'Müller,Straße\nJäger,Österreich\n'],
    ['windows-1252', 'Hélène Lefèvre,où\nFrançois,œuvre\nJosé Muñoz,São João\nSørensen,Ærø\n'],
    ['windows-1252', 'René Böhm,Zürich\nÉmile,Genève\nNiccolò,Città\n'],
  ] as const)('%s is told by letters that one language writes: %j', (encoding, text) => {
    expect(choose(iconv.encode(text, encoding))).toEqual({ encoding, by: 'assumed' })
  })

  test.each(['Bäuer,Straße', 'Hélène Lefèvre', 'Łukasz Wąsik', 'Žižka Štěpán', 'Ærø Sørensen'])(
    'UTF-8 with one word in another encoding is read so that the others show it: %s',
    (words) => {
      const mixed = Buffer.concat([Buffer.from(`${words}\n`), Buffer.from('Gr\u00fcber\n', 'latin1')])
      expect(choose(mixed)).toEqual({ encoding: 'windows-1252', by: 'assumed' })
    },
  )

  test('a word without a blank of 64 KiB is judged at once', () => {
    const long = Buffer.concat([Buffer.alloc(65_536, 'a'), Buffer.from([0xe8])])
    const begun = performance.now()
    expect(choose(long).encoding).toBe('windows-1252')
    expect(performance.now() - begun).toBeLessThan(2_000)
  })

  test('a character that is cut at the end of the file is not UTF-8', () => {
    expect(evidenceOf(Buffer.from('a\nb€').subarray(0, -1)).notUtf8At).toBe(2)
  })

  test.each([1, 2, 3, 5, 64])('the line that is not UTF-8 is found in chunks of %i bytes', (size) => {
    const bytes = Buffer.concat([Buffer.from('ä\r\n€\n漢\r'), Buffer.from('M\u00fc\nok\n', 'latin1')])
    expect(evidenceOf(bytes, size).notUtf8At).toBe(4)
  })

  test('UTF-8 is recognised however the chunks cut its characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), (text, size) => {
        expect(evidenceOf(Buffer.from(text), size).notUtf8At).toBeNull()
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

  test('wins over what would be assumed', async () => {
    const { summary, records } = await readAll(fileOf(latin), optionsOf('source: { encoding: iso-8859-1 }'))
    expect(records[1]?.cells[5]).toBe('Müller')
    expect(summary.findings.map(({ rule }) => rule)).not.toContain('FILE_ENCODING_ASSUMED')
  })

  test('must decode, and the error names the line', async () => {
    const error = await refusal(readAll(fileOf(latin), optionsOf('source: { encoding: utf-8 }')))
    expect(error).toMatchObject({ rule: 'FILE_ENCODING', line: 3, exitCode: 7 })
    expect(error.next).toContain('source.encoding')
  })

  test('that contradicts the byte order mark is refused', async () => {
    const path = fileOf(`\ufeff${exportOf(1)}`)
    const error = await refusal(readAll(path, optionsOf('source: { encoding: windows-1252 }')))
    expect(error).toMatchObject({ rule: 'FILE_ENCODING' })
    expect(error.message).toContain('byte order mark of utf-8')
  })

  test('is needed for UTF-16 without a mark, and the error says which', async () => {
    const path = fileOf(iconv.encode(exportOf(3), 'utf-16be'))
    expect((await refusal(readAll(path))).message).toContain('UTF-16 without a byte order mark')
    expect((await readAll(path, optionsOf('source: { encoding: utf-16be }'))).records).toHaveLength(3)
  })

  test('is needed for a stream that is not UTF-8', async () => {
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
