import { strToU8, zipSync } from 'fflate'
import { fileOf } from './sources.js'

/** Workbooks as programs write them, part by part; what is wrong with one is written by hand. */
export interface WorkbookParts {
  /** XML within `<worksheet>`, by the name of the sheet; a name that ends with `*` is a hidden sheet. */
  readonly sheets: Readonly<Record<string, string>>
  /** Format codes of the styles 1, 2, …; style 0 is general. A number is one that is built in. */
  readonly formats?: readonly (string | number)[]
  readonly shared?: string
  readonly is1904?: boolean
  /** Parts that stand in for the usual ones, or further ones. */
  readonly parts?: Readonly<Record<string, string>>
}

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const relations = (entries: readonly (readonly [id: string, type: string, target: string])[]): string =>
  `<Relationships>${entries.map(([id, type, target]) => `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"/>`).join('')}</Relationships>`

export function workbookBytes({
  sheets,
  formats = [],
  shared,
  is1904 = false,
  parts = {},
}: WorkbookParts): Uint8Array {
  const names = Object.keys(sheets)
  const codes = formats.map((format, at) =>
    typeof format === 'string' ? `<numFmt numFmtId="${200 + at}" formatCode="${escaped(format)}"/>` : '',
  )
  const idOf = (format: string | number, at: number) => (typeof format === 'string' ? 200 + at : format)
  const styles = formats.map((format, at) => `<xf numFmtId="${idOf(format, at)}"/>`)
  const all: Record<string, string> = {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns:r="${TYPES}"><workbookPr date1904="${is1904 ? 1 : 0}"/><sheets>${names
      .map(
        (name, at) =>
          `<sheet name="${escaped(name.replace('*', ''))}" r:id="s${at}"${name.endsWith('*') ? ' state="hidden"' : ''}/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, at) => [`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`] as const),
      ['styles', 'styles', 'styles.xml'],
      ['shared', 'sharedStrings', '/xl/sharedStrings.xml'],
    ]),
    'xl/styles.xml': `<styleSheet><numFmts>${codes.join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs></styleSheet>`,
    ...(shared === undefined ? {} : { 'xl/sharedStrings.xml': `<sst>${shared}</sst>` }),
    ...Object.fromEntries(
      names.map((name, at) => [`xl/worksheets/sheet${at}.xml`, `<worksheet>${sheets[name]!}</worksheet>`]),
    ),
    ...parts,
  }
  const entries = Object.entries(all).map(([name, text]) => [name, strToU8(text)] as const)
  return zipSync(Object.fromEntries(entries), { mtime: '2026-04-01' })
}

export const workbookOf = (parts: WorkbookParts, name = 'export.xlsx'): string =>
  fileOf(workbookBytes(parts), name)

/** A cell of text, where it stands by itself. */
export const textCell = (text: string): string =>
  `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`

/** A cell of a day, or of a day and a time, that shows no time: days since the last but one of 1899. */
export const dayCell = (written: string): string => {
  const moment = Date.parse(written.replace(' ', 'T').replace(/:\d\d$/, '$&Z'))
  return `<c s="1"><v>${(moment - Date.parse('1899-12-30')) / 86_400_000}</v></c>`
}

/** Rows of cells; a text stands for a cell of text unless it begins with `<`. */
export const rowsOf = (rows: readonly (readonly string[])[]): string =>
  `<sheetData>${rows
    .map(
      (cells) => `<row>${cells.map((cell) => (cell.startsWith('<') ? cell : textCell(cell))).join('')}</row>`,
    )
    .join('')}</sheetData>`

export const HEADER_CELLS = [
  'customer_no',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
  'note',
] as const

/** A mandate that may be sent; cells given by position take the place of its own. */
export const mandateCells = (customerNo: number, changed: Readonly<Record<number, string>> = {}): string[] =>
  [
    `<c><v>${customerNo}</v></c>`,
    'DE89370400440532013000',
    '2024-03-01',
    'DE98ZZZ09999999999',
    `M-${customerNo}`,
    'x',
  ].map((cell, at) => changed[at] ?? cell)

/** One sheet with the usual header and these rows below it. */
export const sheetOf = (...rows: readonly (readonly string[])[]): string => rowsOf([HEADER_CELLS, ...rows])
