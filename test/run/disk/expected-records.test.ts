import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { expectedFrom, expectedRecords } from '../../../src/run/disk/expected-records.js'
import { validExport } from '../../support/export.js'
import { freshFolder } from '../../support/folder.js'

const ROWS = 5_000
const TEXT = validExport(ROWS)

function expectedOf(content: string | Buffer) {
  const file = join(freshFolder(), 'export')
  writeFileSync(file, content)
  return expectedRecords(file)
}

describe('what a file seems to hold', () => {
  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-16', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
    ['lines that end in CR alone', Buffer.from(TEXT.replaceAll('\n', '\r'))],
    ['lines that end in CR LF', Buffer.from(TEXT.replaceAll('\n', '\r\n'))],
  ])('%s: its records within five in a hundred, its bytes exactly', (_, content) => {
    const expected = expectedOf(content)
    expect(expected?.records).toBeGreaterThan(ROWS * 0.95)
    expect(expected?.records).toBeLessThan(ROWS * 1.05)
    expect([expected?.bytes, expected?.fileBytes]).toEqual([content.length, content.length])
  })

  it('gzip: what it unpacks to, about', () => {
    const packed = gzipSync(TEXT)
    const expected = expectedOf(packed)
    expect(expected?.records).toBeGreaterThan(ROWS * 0.8)
    expect(expected?.records).toBeLessThan(ROWS * 1.2)
    expect(expected?.bytes).toBeGreaterThan(TEXT.length * 0.8)
    expect(expected?.bytes).toBeLessThan(TEXT.length * 1.2)
    expect(expected?.fileBytes).toBe(packed.length)
  })

  it('a large file is told from its first bytes', () => {
    const first = Buffer.from(TEXT).subarray(0, 65_536)
    expect(expectedFrom(first, first.length * 1_000).records).toBeGreaterThan(ROWS * 150)
  })

  it('nothing, one line without an end, and what is no text', () => {
    expect(expectedOf('')).toMatchObject({ records: 0, bytes: 0 })
    expect(expectedOf('customer_no')).toMatchObject({ records: 1, bytes: 11 })
    expect(expectedOf(Buffer.from([0x1f, 0x8b, 1, 2, 3]))).toBe(null)
    expect(expectedOf(gzipSync(Buffer.alloc(64 * 1024 * 1024)))).toBe(null) // unpacks to far more than text would
  })

  it('says nothing of what is no file: reading it will', () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'sub'))
    expect(expectedRecords(join(folder, 'sub'))).toBe(null)
    expect(expectedRecords(join(folder, 'missing.csv'))).toBe(null)
    expect(expectedRecords('/dev/null')).toBe(null)
  })
})
