import {
  type SourceInput,
  openBytes,
  beginsWith,
  isCollections,
  isXml,
  isZip,
  latin1,
  opening,
} from './bytes/input.js'
import { CSV } from './csv/csv.js'
import { tableOf, type InputFormat, type Table, type TableOptions, withoutNoRecords } from './table.js'
import { refuse } from '../errors.js'

/** What people give instead of an export: told by its name, where a word about bytes or separators would puzzle. */

const SAVE_AS = 'Save it as an Excel workbook (.xlsx) or the sheet as CSV (UTF-8), and give that file.'
const REOPEN = `Open it in a spreadsheet. ${SAVE_AS}`
const UNLOCK = 'Save it without a password and give that file; keep it where nobody else can read it.'
const UNPACK = 'Unpack it and give the file in it.'
const ASK = 'Ask for the export as CSV or .xlsx; no mandate is read from this file.'

const notRead = (name: string, recognises: Recognises, next: string): InputFormat => ({
  recognises,
  open: ({ label }) => {
    throw refuse(label, 'FILE_FORMAT', `it is ${name}, which is not read`, { next })
  },
})

/** Lines of a name and a value, as mail has them, one of which says what follows. */
const MIME = /^(?:[A-Za-z][\w-]*: ?.*\r?\n(?:[ \t]+\S.*\r?\n)*)*?(?:MIME-Version|Content-Type): ?\S/i
const COMPOUND = '\u00d0\u00cf\u0011\u00e0\u00a1\u00b1\u001a\u00e1'
const ENCRYPTED = Array.from('EncryptedPackage').join('\u0000')

type Recognises = InputFormat['recognises']
const holds = (start: Uint8Array, pattern: RegExp): boolean =>
  isZip(start) && pattern.test(latin1(start, 65_536))
const isCompound: Recognises = (start) => beginsWith(start, COMPOUND)
const isLocked: Recognises = (start) => isCompound(start) && latin1(start, 262_144).includes(ENCRYPTED)
const PAGE = /^<(?:!doctype\s+html|html|table)\b/i

export const NOT_READ: readonly InputFormat[] = [
  notRead('a spreadsheet (.ods)', (start) => holds(start, /^[^]{0,176}opendocument\.spreadsheet/), SAVE_AS),
  notRead('a workbook with a password', isLocked, UNLOCK),
  notRead('an old Excel workbook (.xls)', isCompound, SAVE_AS),
  notRead('a Numbers spreadsheet', (start) => holds(start, /Index\/|\.iwa/), SAVE_AS),
  notRead('a web archive (MHTML; some systems call it .xls)', (start) => MIME.test(opening(start)), REOPEN),
  notRead('a ZIP archive', isZip, UNPACK),
  notRead('a PDF', (start) => opening(start).startsWith('%PDF-'), ASK),
  notRead('an XML file', isXml, ASK),
  notRead('a web page (some systems call it .xls)', (start) => PAGE.test(opening(start)), REOPEN),
]

/** What reads these is loaded where one comes. */
const XLSX: InputFormat = {
  recognises: (start) => holds(start, /\[Content_Types\]\.xml|_rels\/|xl\//),
  open: async (...given) => (await import('./xlsx/xlsx.js')).openExcel(...given),
}
const PAIN_008: InputFormat = {
  recognises: isCollections,
  open: async (...given) => (await import('./pain008.js')).openExport(...given),
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
  return withoutNoRecords(tableOf(await format.open(bytes, options, signal)))
}
