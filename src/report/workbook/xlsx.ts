import { Zip, ZipDeflate } from 'fflate'
import { HEADINGS } from '../../domain/row/list-columns.js'
import { columnLetters, plainText } from '../../domain/text/text.js'

/** Sizes and places in an archive are 32 bits long. Above that it would need another form, which few readers know. */
export const LARGEST_ARCHIVE = 0xffff_fffe

/** 1 January 1980, 00:00, the first moment that an archive can name: it says nothing of when it was written. */
const NO_TIME = new Date(1980, 0, 1)
/** The first level takes half of the time of the usual one, for a file a quarter larger. Less memory is as good here. */
const TERMS = { level: 1, mem: 4 } as const

/**
 * A zip archive that is written from front to back. The same entries are the same bytes with every Node and on every
 * machine, which zlib does not promise.
 */
export function openArchive(write: (bytes: Uint8Array) => Promise<void>) {
  let packed: Uint8Array[] = []
  let bytes = 0
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    packed.push(chunk)
    bytes += chunk.length
  })

  async function drain(): Promise<void> {
    const chunks = packed
    packed = []
    for (const chunk of chunks) await write(chunk)
  }

  return {
    /** One entry behind the other. */
    add: async (name: string, chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> => {
      const entry = new ZipDeflate(name, TERMS)
      entry.mtime = NO_TIME
      zip.add(entry)
      for await (const chunk of chunks) {
        entry.push(chunk)
        await drain()
      }
      entry.push(new Uint8Array(0), true)
      await drain()
    },
    end: (): Promise<void> => {
      zip.end()
      return drain()
    },

    /** How large it has become. */
    bytes: (): number => bytes,
  }
}

/** A sheet by its name, which a reader sees. */
interface NamedSheet {
  readonly name: string
  readonly isList: boolean
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'

type TypedPart = readonly [type: string, path: string]

const contentTypes = (parts: readonly TypedPart[]): string =>
  `<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  `${parts.map(([type, path]) => `<Override PartName="/xl/${path}" ContentType="${TYPES}.${type}+xml"/>`).join('')}</Types>`

const relations = (targets: readonly TypedPart[]): string =>
  `<Relationships xmlns="${PACKAGE}/relationships">` +
  `${targets.map(([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`).join('')}</Relationships>`

const workbook = (sheets: readonly NamedSheet[]): string =>
  `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${RELATIONS}">` +
  `<bookViews><workbookView/></bookViews><sheets>` +
  `${sheets.map(({ name }, index) => `<sheet name="${inAscii(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`).join('')}</sheets>` +
  `${definedNames(sheets)}</workbook>`

/** The head of a list is printed on each of its pages. */
function definedNames(sheets: readonly NamedSheet[]): string {
  const titles = sheets.flatMap(({ name, isList }, index) =>
    isList
      ? `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">'${inAscii(name.replaceAll("'", "''"))}'!$1:$${HEAD_ROWS}</definedName>`
      : [],
  )
  return titles.length === 0 ? '' : `<definedNames>${titles.join('')}</definedNames>`
}

/** In `xl`, of the sheet at that place, from 0. */
export const sheetPath = (index: number): string => `worksheets/sheet${index + 1}.xml`

/** Everything in a workbook but its sheets (ISO/IEC 29500-1, 12.2), by path. */
export function workbookParts(sheets: readonly NamedSheet[]): (readonly [path: string, xml: string])[] {
  const worksheets = sheets.map((_, index) => ['worksheet', sheetPath(index)] as const)
  const styles = ['styles', 'styles.xml'] as const
  const parts = [
    ['[Content_Types].xml', contentTypes([['sheet.main', 'workbook.xml'], styles, ...worksheets])],
    ['_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets)],
    ['xl/_rels/workbook.xml.rels', relations([...worksheets, styles])],
    ['xl/styles.xml', stylesXml()],
  ] as const
  return parts.map(([path, xml]) => [path, DECLARATION + xml])
}

/** How a cell looks, by its place among the formats below. Text is in text format, so that editing it makes no number. */
export const STYLES = {
  ...{ plain: 0, text: 1, sentence: 2, number: 3, title: 4, heading: 5 },
  ...{ edited: 6, wrong: 7 },
} as const

type Style = (typeof STYLES)[keyof typeof STYLES]

const NORMAL = '<sz val="11"/><name val="Calibri"/><family val="2"/>'
/** 49 is the number of the format `@` (ISO/IEC 29500-1, 18.8.30). */
const TEXT = 'numFmtId="49" applyNumberFormat="1" borderId="0" xfId="0"'
const TOP = 'applyAlignment="1"><alignment vertical="top"'

const FORMATS = [
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
  `<xf ${TEXT} fontId="0" fillId="0" ${TOP}/></xf>`,
  `<xf ${TEXT} fontId="0" fillId="0" ${TOP} wrapText="1"/></xf>`,
  `<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" ${TOP}/></xf>`,
  `<xf ${TEXT} fontId="1" fillId="0" applyFont="1"/>`,
  `<xf ${TEXT} fontId="1" fillId="2" applyFont="1" applyFill="1"/>`,
  ...[3, 4].map(
    (fill) =>
      `<xf ${TEXT} fontId="0" fillId="${fill}" applyFill="1" applyProtection="1" ${TOP}/><protection locked="0"/></xf>`,
  ),
]

const stylesXml = (): string =>
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  `<fonts count="2"><font>${NORMAL}</font><font><b/>${NORMAL}</font></fonts>` +
  // The first two are the same in every workbook, whatever stands there.
  '<fills count="5"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  `${['FFE4E7EB', 'FFFFFBE6', 'FFFFC9C4'].map((colour) => `<fill><patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill></fill>`).join('')}</fills>` +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="${FORMATS.length}">${FORMATS.join('')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>' +
  '</styleSheet>'

/** In UTF-16 code units; a spreadsheet takes no more than 32,767 in a cell. */
const LONGEST_CELL = 32_000

const ENTITIES = new Map(Object.entries({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }))

/** `_x0041_` would be read as the character of that number (ISO/IEC 29500-1, 22.9.2.19). */
const CHARACTER_NUMBER = /_(?=x[0-9A-Fa-f]{4}_)/g

/** Anything in a short text that makes it another one as XML. */
const SPECIAL = /[^ -%'-;=?-~]|_x|^ | $/

const ASCII = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return ENTITIES.get(character) ?? character
})
const REPLACEMENT = 0xfffd

/** What no XML may hold (XML 1.0, 2.2); controls are gone from plain text. */
const isForbidden = (code: number): boolean => (code >= 0xd800 && code <= 0xdfff) || (code | 1) === 0xffff

/**
 * As text or the value of an attribute, other characters by their number. One of them as it is would keep a page of rows
 * in two bytes a character, which takes half as long again, and the dots stand in each row.
 */
export function inAscii(text: string): string {
  let xml = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? REPLACEMENT
    if (code > 0xffff) at += 1
    xml += ASCII[code] ?? `&#${isForbidden(code) ? REPLACEMENT : code};`
  }
  return xml
}

/** A masked account, which stands in each row. */
const MASKED = /^[A-Z]{2}…[0-9A-Z]{4}$/

/** What a cell shows of a text of others, as XML: one plain line, cut where a cell ends. */
function cellText(text: string): string {
  if (text.length <= LONGEST_CELL && !SPECIAL.test(text)) return text
  // V8 keeps two characters by themselves in one byte each.
  if (MASKED.test(text)) return `${text.slice(0, 2)}&#8230;${text.slice(3, 5)}${text.slice(5)}`
  return inAscii(plainText(text).slice(0, LONGEST_CELL).replace(CHARACTER_NUMBER, '_x005F_'))
}

/** What XML cannot hold, or makes another character of. */
const CONTROL = /[\0-\x08\x0B-\x1F\x7F]/g

/** As it stands, whatever is in it. */
function exactText(text: string): string {
  const short = text.slice(0, LONGEST_CELL)
  if (!SPECIAL.test(short)) return short
  const named = (one: string): string => `_x${one.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`
  return inAscii(short.replace(CHARACTER_NUMBER, '_x005F_').replace(CONTROL, named))
}

export type CellValue = string | number | null

/** A column of a list: how it looks, and what stands in it of an entry. */
export interface SheetColumn<Entry> {
  readonly header: string
  /** In characters. */
  readonly width: number
  readonly value: (entry: Entry) => CellValue
  /** A sentence, shown on as many lines as it takes. */
  readonly isWrapped?: boolean
  /** Of a sheet to work in: whether a cell is read again, may be edited, is hidden, or takes these words alone. */
  readonly isRead?: boolean
  readonly isEdited?: boolean
  readonly isHidden?: boolean
  readonly choices?: readonly string[]
  /** What is to be corrected of this entry. */
  readonly isWrong?: (entry: Entry) => boolean
}

/** Title and header; they stay in sight, and are printed on every page. */
const HEAD_ROWS = 2

/** A cell that nothing stands in. Without it, the next one would be taken for it: cells go without their names. */
const EMPTY = '<c/>'
const OPENED = Object.values(STYLES).map((style) => `<c s="${style}" t="inlineStr"><is><t>`)
const CLOSED = '</t></is></c>'
const NUMBER = `<c s="${STYLES.number}"><v>`

/** @param isRead it comes back, and is to be what it was */
export function oneCell(value: CellValue, style: Style = STYLES.text, isRead = false): string {
  // One that may be edited is locked without its format.
  if (value === null || value === '') return style >= STYLES.edited ? `<c s="${style}"/>` : EMPTY
  if (typeof value === 'number') return `${NUMBER}${value}</v></c>`
  if (!isRead) return `${OPENED[style] ?? ''}${cellText(value)}${CLOSED}`
  return `<c s="${style}" t="inlineStr"><is><t xml:space="preserve">${exactText(value)}${CLOSED}`
}

/** In points: of a line, and the most that a spreadsheet takes for a row. It makes none higher that others wrote. */
const LINE_HEIGHT = 15
const HIGHEST_ROW = 409

/** As many lines as the longest of its sentences takes; nothing where that is one. */
function heightOf(columns: readonly SheetColumn<never>[], values: readonly CellValue[]): string {
  const lines = columns.map(({ width, isWrapped }, index) =>
    isWrapped === true ? Math.ceil(String(values[index] ?? '').length / width) : 1,
  )
  const highest = Math.max(...lines)
  if (highest < 2) return ''
  return ` ht="${Math.min(highest * LINE_HEIGHT, HIGHEST_ROW)}" customHeight="1"`
}

/**
 * How an entry is written as a row. There are as many rows as mandates, and most columns say the same in most of them:
 * a cell that repeats the one above it is not made again.
 */
export function rowWriter<Entry>(columns: readonly SheetColumn<Entry>[]): (entry: Entry) => string {
  const isHigher = columns.some(({ isWrapped }) => isWrapped)
  const styles = columns.map(({ isWrapped, isEdited }) =>
    isEdited === true ? STYLES.edited : isWrapped === true ? STYLES.sentence : STYLES.text,
  )
  const above: CellValue[] = columns.map(() => null)
  const wasWrong = columns.map(() => false)
  const cells = styles.map((style) => oneCell(null, style))
  return (entry) => {
    let row = ''
    // An iterator would take as long as the rest, and so would a list that is joined.
    for (let index = 0; index < columns.length; index += 1) {
      const column = columns[index]
      const own = column?.value(entry) ?? null
      const isWrong = column?.isWrong?.(entry) ?? false
      if (own !== above[index] || isWrong !== wasWrong[index]) {
        above[index] = own
        wasWrong[index] = isWrong
        cells[index] = oneCell(own, isWrong ? STYLES.wrong : styles[index], column?.isRead)
      }
      row += cells[index] ?? EMPTY
    }
    return `<row${isHigher ? heightOf(columns, above) : ''}>${row}</row>`
  }
}

/** A column of this program is called in words on a sheet to work in. */
const inWords = (header: string): string => HEADINGS.get(header) ?? header

/** In characters: what a filter takes of a header. */
const FILTER_ARROW = 3

/** A column is as wide as its header at the least, which is longer in some languages than in others. */
type Width = Partial<SheetColumn<never>> & { readonly width: number }

/** Up to the first row. The order of elements is fixed (ISO/IEC 29500-1, 18.3.1.99). */
function opening(columns: readonly Width[], frozenRows: number): string {
  const pane = `<pane ySplit="${frozenRows}" topLeftCell="A${frozenRows + 1}" activePane="bottomLeft" state="frozen"/>`
  const widths = columns.map(
    ({ width, header = '', isHidden = false }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${Math.max(width, inWords(header).length + FILTER_ARROW)}"${isHidden ? ' hidden="1"' : ''} customWidth="1"/>`,
  )
  return (
    `${DECLARATION}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' +
    `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>` +
    `<cols>${widths.join('')}</cols><sheetData>`
  )
}

/** Behind the last row; printed one page across (A4). */
const closing = (filter: string, orientation: 'portrait' | 'landscape'): string =>
  `</sheetData>${filter}` +
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>' +
  `<pageSetup paperSize="9" orientation="${orientation}" fitToWidth="1" fitToHeight="0"/></worksheet>`

const headings = (columns: readonly SheetColumn<never>[]): string =>
  `<row>${columns.map(({ header }) => oneCell(header, STYLES.heading)).join('')}</row>`

/** What stands before and behind the entries of a list: its title, and a filter over all of them. */
export const LIST_FRAME = {
  head: (columns: readonly SheetColumn<never>[], title: string): string =>
    opening(columns, HEAD_ROWS) + `<row>${oneCell(title, STYLES.title)}</row>` + headings(columns),
  tail: (columns: readonly SheetColumn<never>[], entries: number): string =>
    closing(filterOver(columns, entries), 'landscape'),
}

const filterOver = (columns: readonly SheetColumn<never>[], entries: number): string =>
  `<autoFilter ref="A${HEAD_ROWS}:${columnLetters(columns.length - 1)}${HEAD_ROWS + entries}"/>`

/**
 * A spreadsheet sorts no locked cells, and those without their marks would be sorted apart: so sorting is locked, and a
 * person who takes the protection off sorts all columns of the filter, the hidden ones too.
 */
const PROTECTED =
  '<sheetProtection sheet="1" objects="1" scenarios="1" formatColumns="0" formatRows="0" autoFilter="0"/>'

/**
 * Of a list to work in: the names by which it is read again, hidden, and headings in words; where a cell takes certain
 * words, they are a list to choose from.
 */
export const WORK_FRAME: typeof LIST_FRAME = {
  head: (columns) =>
    opening(columns, HEAD_ROWS) +
    headings(columns).replace('<row>', '<row hidden="1">') +
    headings(columns.map((column) => ({ ...column, header: inWords(column.header) }))),
  tail: (columns, entries) => {
    const validations = columns.flatMap(({ choices }, index) => {
      if (choices === undefined) return []
      const name = columnLetters(index)
      const cells = `${name}${HEAD_ROWS + 1}:${name}${HEAD_ROWS + Math.max(entries, 1)}`
      const terms = `type="list" allowBlank="1" showErrorMessage="1" sqref="${cells}"`
      return `<dataValidation ${terms}><formula1>"${choices.join(',')}"</formula1></dataValidation>`
    })
    const chosen = `<dataValidations count="${validations.length}">${validations.join('')}</dataValidations>`
    return closing(PROTECTED + filterOver(columns, entries) + chosen, 'landscape')
  },
}

/** A sheet that is no list: rows of cells, the first of which stays in sight. */
export const freeSheet = (
  columns: readonly { readonly width: number }[],
  rows: readonly (readonly string[])[],
): string =>
  `${opening(columns, 1)}${rows.map((cells) => `<row>${cells.join('')}</row>`).join('')}${closing('', 'portrait')}`
