import { describe, expect, it } from 'vitest'
import { openBytes } from '../../src/source/bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { AS_OF, exportOf, fileOf, readAll, refusal } from '../support/sources.js'
import { refused } from './reading.js'
import { CSV } from '../../src/source/csv/csv.js'
import { INPUT_FORMATS, openTable, NOT_READ } from '../../src/source/formats.js'
import { collectionFile } from '../support/collections.js'
import { mandateCells, sheetOf, workbookBytes } from '../support/workbook.js'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { inspectSource } from '../../src/source/guess/inspect.js'
import { openList } from '../../src/source/list.js'

describe('the list of formats', () => {
  const { source: layout, limits } = DEFAULT_SOURCE_OPTIONS
  const OPTIONS = { layout, limits, isKnown: () => true }

  it('lets a person stop what looks at a whole file before its first row', async () => {
    const workbook = workbookBytes({ sheets: { Mandates: sheetOf(mandateCells(1)) } })
    for (const content of [workbook, collectionFile([{ reference: 'M-1' }])]) {
      const bytes = await openBytes(fileOf(content), { maxUnpackedBytes: null })
      const format = INPUT_FORMATS.find(({ recognises }) => recognises(bytes.evidence.head))
      const opened = format?.open(bytes, OPTIONS, AbortSignal.abort())
      await expect(opened).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }))
    }
  })

  it('ends with CSV, which takes what no other format recognises', async () => {
    expect(INPUT_FORMATS.at(-1)).toBe(CSV)
    const table = await openTable(fileOf(exportOf(1)), OPTIONS)
    expect(table.headerCells[0]).toBe('customer_no')
    expect(table.written.delimiter).toEqual({ delimiter: ',', by: 'header line' })
    const records = []
    for await (const batch of table.read()) records.push(...batch)
    expect(records.map(({ line, cells }) => [line, cells[0]])).toEqual([[2, '1']])
  })
})

/** A ZIP entry as it begins: mark, version, flags, method, times, sums, lengths, name. */
const zip = (name: string, content = ''): Buffer =>
  Buffer.concat([
    Buffer.from('PK\u0003\u0004', 'latin1'),
    Buffer.alloc(22),
    Buffer.from([name.length, 0, 0, 0]),
    Buffer.from(name + content),
  ])

const OLD_EXCEL = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)])
const MHTML = 'a web archive (MHTML; some systems call it .xls)'

const FILES: readonly (readonly [name: string, content: Buffer | string])[] = [
  ['a spreadsheet (.ods)', zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')],
  ['a ZIP archive', zip('export.csv', 'customer_no,iban\n')],
  ['an old Excel workbook (.xls)', OLD_EXCEL],
  ['a workbook with a password', Buffer.concat([OLD_EXCEL, Buffer.from('EncryptedPackage', 'utf16le')])],
  ['a Numbers spreadsheet', zip('Index/Document.iwa')],
  [
    MHTML,
    'MIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="--_Next"\r\n\r\n----_Next\r\n',
  ],
  [MHTML, 'From: <Saved by Blink>\nSubject: Mandate\nDate: Mon, 2 Nov 2026\nMIME-Version: 1.0\n'],
  [MHTML, '\ufeffcontent-type: text/html; charset=utf-8\n\n<html>'],
  ['a PDF', '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\n'],
  ['an XML file', '\ufeff\n<?xml version="1.0"?><mandates/>'],
  ['a web page (some systems call it .xls)', '<html><table><tr><td>customer_no</td></tr></table></html>'],
  ['a web page (some systems call it .xls)', '<!DOCTYPE html>\n<html></html>'],
]

describe('what is no export at all', () => {
  it.each(FILES)('%s is told by its name, with what to do, and nothing was sent', async (name, content) => {
    const told = `it is ${name}, which is not read; nothing was sent`
    await refused(readAll(fileOf(content)), 'FILE_FORMAT', told, /CSV|file/)
  })

  it('also packed, from a stream, as a list, and by inspect', async () => {
    const ods = zip('mimetype', 'application/vnd.oasis.opendocument.spreadsheet')
    expect((await refusal(readAll(fileOf(gzipSync(ods))))).rule).toBe('FILE_FORMAT')
    const stream = { name: 'standard input', stream: Readable.from([ods]) }
    expect((await refusal(readAll(stream))).rule).toBe('FILE_FORMAT')
    expect((await refusal(openList(fileOf(ods), []))).rule).toBe('FILE_FORMAT')
    expect((await refusal(inspectSource(fileOf(ods), { today: AS_OF }))).rule).toBe('FILE_FORMAT')
  })

  it('every entry is seen here', () =>
    expect(new Set(FILES.map(([name]) => name)).size).toBe(NOT_READ.length))

  it('takes no CSV for something else, whatever its header begins with', () => {
    for (const text of [
      ...['PK,iban\n', '"<name>";iban\n', 'Document;iban\n', 'xl/a,pain.008\n', '%;iban\n'],
      ...['Content-Type,iban\n', 'Nr: 1;iban\n', ''],
    ])
      expect(INPUT_FORMATS.find(({ recognises }) => recognises(Buffer.from(text)))).toBe(CSV)
  })
})
