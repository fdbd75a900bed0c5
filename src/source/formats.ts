import { type SourceInput, openBytes } from './bytes/input.js'
import { CSV } from './csv/csv.js'
import { PAIN_008 } from './pain008.js'
import type { InputFormat, Table, TableOptions } from './table.js'
import { refuse } from './refusal.js'
import { XLSX } from './xlsx/xlsx.js'

/** What people give instead of an export: told by its name, where a word about bytes or separators would puzzle. */

const SAVE_AS = 'Save it as an Excel workbook (.xlsx) or the sheet as CSV (UTF-8), and give that file.'
const UNPACK = 'Unpack it and give the file in it.'
const ASK = 'Ask for the export as CSV or .xlsx; no mandate is read from this file.'

const notRead = (name: string, recognises: InputFormat['recognises'], next: string): InputFormat => ({
  name,
  recognises,
  open: ({ label }) => {
    throw refuse(label, 'FILE_FORMAT', `it is ${name}, which is not read`, { next })
  },
})

const isZip = (start: Uint8Array): boolean => beginsWith(start, 'PK\u0003\u0004')

const isCompound = (start: Uint8Array): boolean =>
  beginsWith(start, '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1')

const beginsWith = (start: Uint8Array, mark: string): boolean => latin1(start, mark.length) === mark

const latin1 = (start: Uint8Array, length: number): string =>
  Buffer.from(start.subarray(0, length)).toString('latin1')

/** Some first letters of a text, whether or not two bytes stand for each. */
const opening = (start: Uint8Array): string =>
  latin1(start, 4096)
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\u0000', '')
    .trimStart()

export const NOT_READ: readonly InputFormat[] = [
  notRead(
    'a spreadsheet (.ods)',
    (start) => isZip(start) && latin1(start, 200).includes('opendocument.spreadsheet'),
    SAVE_AS,
  ),
  notRead(
    'a workbook with a password',
    (start) =>
      isCompound(start) && latin1(start, 262_144).includes(Array.from('EncryptedPackage').join('\u0000')),
    'Save it without a password and give that file; keep it where nobody else can read it.',
  ),
  notRead('an old Excel workbook (.xls)', isCompound, SAVE_AS),
  notRead(
    'a Numbers spreadsheet',
    (start) => isZip(start) && /Index\/|\.iwa/.test(latin1(start, 65_536)),
    SAVE_AS,
  ),
  notRead('a ZIP archive', isZip, UNPACK),
  notRead('a PDF', (start) => opening(start).startsWith('%PDF-'), ASK),
  notRead('an XML file', isXml, ASK),
  notRead(
    'a web page (some systems call it .xls)',
    (start) => /^<(?:!doctype\s+html|html|table)\b/i.test(opening(start)),
    'Open it in a spreadsheet, save it as CSV (UTF-8) and give that file.',
  ),
]

function isXml(start: Uint8Array): boolean {
  const text = opening(start)
  return text.startsWith('<?xml') || /^<(?:\w+:)?Document\b/.test(text)
}

/** The first that recognises a source reads it. A further format stands first. */
export const INPUT_FORMATS: readonly InputFormat[] = [XLSX, PAIN_008, ...NOT_READ, CSV]

/** @throws {SourceError} for a source that cannot be opened, or whose format or header is in doubt */
export async function openTable(
  input: SourceInput,
  options: TableOptions,
  signal?: AbortSignal,
  formats = INPUT_FORMATS,
): Promise<Table> {
  const bytes = await openBytes(input, { maxUnpackedBytes: options.limits.unpackedBytes, signal })
  const format = formats.find(({ recognises }) => recognises(bytes.evidence.head)) ?? CSV
  return format.open(bytes, options)
}
