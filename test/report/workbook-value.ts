import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, inflateRawSync } from 'node:zlib'
import { openPackFolder } from '../../src/report/pack/pack-folder.js'
import { ENGLISH, type Texts } from '../../src/report/text/texts.js'
import { openWorkbook, WORKBOOK_FILE, type WorkbookLimits } from '../../src/report/workbook/workbook.js'
import { freshFolder } from '../support/folder.js'
import { asText, factsOf, type LedgerValue } from './ledger-value.js'

/** The workbook of these records, written to a folder and read again. */
export async function workbookOf(value: LedgerValue, limits?: WorkbookLimits, texts: Texts = ENGLISH) {
  const folder = await openPackFolder(freshFolder(), [WORKBOOK_FILE])
  try {
    const workbook = openWorkbook(folder, texts, limits)
    await workbook.finish(await factsOf(value, { files: [workbook.lists] }))
    return readFileSync(join((await folder.publish()).folder, WORKBOOK_FILE))
  } finally {
    await folder.discard()
  }
}

/** The entries of a zip archive by name, with their times: read by hand, so that the writer does not test itself. */
export function unzipped(zip: Buffer): Map<string, { text: string; dosDate: number; dosTime: number }> {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'))
  const entries = new Map<string, { text: string; dosDate: number; dosTime: number }>()
  let at = zip.readUInt32LE(end + 16)
  for (let n = 0; n < zip.readUInt16LE(end + 10); n += 1) {
    const nameLength = zip.readUInt16LE(at + 28)
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength)
    const local = zip.readUInt32LE(at + 42)
    const body = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const packed = zip.subarray(body, body + zip.readUInt32LE(at + 20))
    const whole = zip.readUInt16LE(at + 10) === 0 ? packed : inflateRawSync(packed)
    const sums = [crc32(whole), packed.length, whole.length]
    // Sizes that were not known yet stand behind the entry alone.
    const isStreamed = (zip.readUInt16LE(local + 6) & 8) !== 0
    for (const header of isStreamed ? [at + 16] : [local + 14, at + 16])
      if (sums.some((sum, index) => zip.readUInt32LE(header + 4 * index) !== sum))
        throw new Error(`"${name}" is not what its header says`)
    entries.set(name, {
      text: whole.toString('utf8'),
      dosTime: zip.readUInt16LE(local + 10) | zip.readUInt16LE(at + 12),
      dosDate: zip.readUInt16LE(local + 12) | zip.readUInt16LE(at + 14),
    })
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return entries
}

/** What text of a part says. */
export const plain = (xml: string): string =>
  asText(xml.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code))))

/** The text of a cell as a spreadsheet reads it, with characters that are written by their number. */
export const cellText = (xml: string): string =>
  plain(xml).replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))

/** In their order. */
export const sheetNames = (workbook: string): string[] =>
  [...workbook.matchAll(/<sheet [^>]*name="([^"]*)"/g)].map(([, name = '']) => plain(name))

/** The cells of each sheet of a workbook as a reader sees them: `s` a text, `n` a number, `empty` nothing. */
export function sheetsOf(workbook: Buffer): Map<string, { type: string; value: string }[][]> {
  const files = unzipped(workbook)
  const xml = (name: string): string => files.get(name)?.text ?? ''
  return new Map(
    sheetNames(xml('xl/workbook.xml')).map((name, index) => {
      const rows = xml(`xl/worksheets/sheet${index + 1}.xml`).matchAll(/<row[^>]*>(.*?)<\/row>/g)
      return [name, [...rows].map((row) => cellsOf(row[1] ?? ''))]
    }),
  )
}

function cellsOf(row: string): { type: string; value: string }[] {
  return [...row.matchAll(/<c([^>]*?)(?:\/>|>(.*?)<\/c>)/g)].map(([, attributes = '', content = '']) => {
    const type = /t="(\w+)"/.exec(attributes)?.[1] ?? (content === '' ? 'empty' : 'n')
    const value = /<(?:v|t)>(.*?)<\/(?:v|t)>/.exec(content)?.[1] ?? ''
    return type === 'inlineStr' ? { type: 's', value: cellText(value) } : { type, value }
  })
}
