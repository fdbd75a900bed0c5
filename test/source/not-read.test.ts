import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { CSV } from '../../src/source/csv/csv.js'
import { inspectSource } from '../../src/source/guess/inspect.js'
import { openList } from '../../src/source/list.js'
import { AS_OF, fileOf, readAll, refusal } from '../support/sources.js'
import { INPUT_FORMATS, NOT_READ } from '../../src/source/formats.js'
/** A ZIP entry as it begins: mark, version, flags, method, times, sums, lengths, name. */
const zip = (name: string, content = ''): Buffer =>
  Buffer.concat([
    Buffer.from('PK\u0003\u0004', 'latin1'),
    Buffer.alloc(22),
    Buffer.from([name.length, 0, 0, 0]),
    Buffer.from(name + content),
  ])

const OLD_EXCEL = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])

const FILES: readonly (readonly [name: string, content: Buffer | string])[] = [
  ['a spreadsheet (.ods)', zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')],
  ['a ZIP archive', zip('export.csv', 'customer_no,iban\n')],
  ['an old Excel workbook (.xls)', OLD_EXCEL],
  ['a workbook with a password', Buffer.concat([OLD_EXCEL, Buffer.from('EncryptedPackage', 'utf16le')])],
  ['a Numbers spreadsheet', zip('Index/Document.iwa')],
  [
    'a web archive (MHTML; some systems call it .xls)',
    'MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="----=_Next"\r\n\r\n------=_Next\r\n',
  ],
  [
    'a web archive (MHTML; some systems call it .xls)',
    'From: <Saved by Blink>\nSubject: Mandate\nDate: Mon, 2 Nov 2026\nMIME-Version: 1.0\n',
  ],
  [
    'a web archive (MHTML; some systems call it .xls)',
    '\ufeffcontent-type: text/html; charset=utf-8\n\n<html>',
  ],
  ['a PDF', '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n'],
  ['an XML file', '\ufeff\n<?xml version="1.0"?><mandates/>'],
  ['a web page (some systems call it .xls)', '<html><table><tr><td>customer_no</td></tr></table></html>'],
  ['a web page (some systems call it .xls)', '<!DOCTYPE html>\n<html></html>'],
]

describe('what is no export at all', () => {
  it.each(FILES)('%s is told by its name, with what to do, and nothing was sent', async (name, content) => {
    const error = await refusal(readAll(fileOf(content)))
    expect(error).toMatchObject({ rule: 'FILE_FORMAT', exitCode: 7 })
    expect(error.message).toContain(`it is ${name}, which is not read; nothing was sent`)
    expect(error.next).toMatch(/CSV|file/)
  })

  it('also packed, from a stream, as a list, and by inspect', async () => {
    const ods = zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')
    expect((await refusal(readAll(fileOf(gzipSync(ods))))).rule).toBe('FILE_FORMAT')
    const stream = { name: 'standard input', stream: Readable.from([ods]) }
    expect((await refusal(readAll(stream))).rule).toBe('FILE_FORMAT')
    expect((await refusal(openList(fileOf(ods), []))).rule).toBe('FILE_FORMAT')
    expect((await refusal(inspectSource(fileOf(ods), { today: AS_OF }))).rule).toBe('FILE_FORMAT')
  })

  it('every entry is seen here', () => {
    expect(new Set(FILES.map(([name]) => name)).size).toBe(NOT_READ.length)
  })

  it('takes no CSV for something else, whatever its header begins with', () => {
    for (const text of [
      'PK,iban\n',
      '"<name>";iban\n',
      'Document;iban\n',
      'xl/a,pain.008\n',
      '%;iban\n',
      'Content-Type,iban\n',
      'Nr: 1;iban\n',
      '',
    ])
      expect(INPUT_FORMATS.find(({ recognises }) => recognises(Buffer.from(text)))).toBe(CSV)
  })
})
