import * as tables from '../files/lists.js'
import { Zip, ZipDeflate } from 'fflate'
import { HEADINGS, CUSTOMER_COLUMN, DECISION_WORDS } from '../../domain/row/list-columns.js'
import { columnLetters, plainText } from '../../domain/text/text.js'
import { CUT_OVER_CLASSES } from '../../domain/row/cut-over.js'
import { TOTAL_OF_STATE } from '../../domain/row/row-state.js'
import type { RowRecord } from '../../ledger/read/reader.js'
import type { CutOverLine, NamedRow, OpenRow, OpenLists, ReportFacts } from '../facts/facts.js'
import {
  PLACE_OF_PART,
  REPORT_ORDER,
  TO_DO_WORKBOOK,
  type PackFile,
  type PackFolder,
  type ScratchFile,
} from '../pack/pack-folder.js'
import type { CellValue, OriginalColumns, Column, ListColumns } from '../files/lists.js'
import { maskedText } from '../../domain/text/accounts.js'
import { DISTINCT, hashTotalLines, proofText } from '../page/annex.js'
import { comparedText, mandateFigures, rehearsalText } from '../page/page.js'
import { ENGLISH, type TextKey, type Texts } from '../text/texts.js'

/** Sizes and places in an archive are 32 bits long. Above that it would need another form, which few readers know. */
const LARGEST_ARCHIVE = 0xffff_fffe

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
    if (bytes > LARGEST_ARCHIVE) throw new Error('A workbook cannot hold so much')
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
  }
}

/** A sheet by its name, which a reader sees. */
type NamedSheet = Pick<ListSheet, 'name' | 'isList'>

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
const sheetPath = (index: number): string => `worksheets/sheet${index + 1}.xml`

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
const STYLES = {
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
function oneCell(value: CellValue, style: Style = STYLES.text, isRead = false): string {
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
const headingOf = (header: string): string => HEADINGS.get(header) ?? header

/** In characters: what a filter takes of a header. */
const FILTER_ARROW = 3

/** A column is as wide as its header at the least, which is longer in some languages than in others. */
type Width = Partial<SheetColumn<never>> & { readonly width: number }

/** Up to the first row. The order of elements is fixed (ISO/IEC 29500-1, 18.3.1.99). */
function opening(columns: readonly Width[], frozenRows: number): string {
  const pane = `<pane ySplit="${frozenRows}" topLeftCell="A${frozenRows + 1}" activePane="bottomLeft" state="frozen"/>`
  const widths = columns.map(
    ({ width, header = '', isHidden = false }, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${Math.max(width, headingOf(header).length + FILTER_ARROW)}"${isHidden ? ' hidden="1"' : ''} customWidth="1"/>`,
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
const WORK_FRAME: typeof LIST_FRAME = {
  head: (columns) =>
    opening(columns, HEAD_ROWS) +
    headings(columns).replace('<row>', '<row hidden="1">') +
    headings(columns.map((column) => ({ ...column, header: headingOf(column.header) }))),
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
const freeSheet = (
  columns: readonly { readonly width: number }[],
  rows: readonly (readonly string[])[],
): string =>
  `${opening(columns, 1)}${rows.map((cells) => `<row>${cells.join('')}</row>`).join('')}${closing('', 'portrait')}`

export const WORKBOOK_FILE = 'reconciliation.xlsx'

/** What a workbook may hold. */
export const WORKBOOK_LIMITS = {
  /** Entries of a list on one sheet; the next ones go to a next sheet. A spreadsheet has 1,048,576 rows. */
  sheetEntries: 1_000_000,
  /** The same in bytes, before it is deflated. */
  sheetBytes: 1_000_000_000,
}

export type WorkbookLimits = Readonly<typeof WORKBOOK_LIMITS>

/** How a list calls itself. */
interface ListWords {
  readonly sheet: string
  /** In the title instead of the name of the sheet. */
  readonly title?: string
  /** What the title says behind the count. */
  readonly note?: string
}

/** A sheet that is ready to be written, but for its place in the archive. */
interface ListSheet {
  readonly name: string
  readonly isList: boolean
  /** Before they are deflated. */
  readonly bytes: number
  readonly chunks: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

/** The rows of one sheet behind so many others: a few in memory, and more of them in a file. */
const newSheet = (before: number) => ({
  ...{ before, count: 0, bytes: 0, waiting: '', file: null as ScratchFile | null },
})

/** In characters: what is kept in memory of the rows of a sheet. */
const WAITING = 65_536

interface ListTerms {
  readonly folder: Pick<PackFolder, 'scratch'>
  readonly limits: WorkbookLimits
  readonly texts: Texts
  /** What stands before and behind its entries. */
  readonly frame?: typeof LIST_FRAME
}

/** A list on as many sheets as it takes. Its rows are kept aside until all of them are known. */
function sheetList<Entry>(
  columns: readonly SheetColumn<Entry>[],
  { folder, limits, texts, frame = LIST_FRAME }: ListTerms,
) {
  const rowOf = rowWriter(columns)
  let last = newSheet(0)
  const all = [last]

  function add(entry: Entry): void {
    if (last.count >= limits.sheetEntries || last.bytes >= limits.sheetBytes) {
      last = newSheet(entries())
      all.push(last)
    }
    const row = rowOf(entry)
    last.count += 1
    last.bytes += row.length
    last.waiting += row
  }

  async function drain(): Promise<void> {
    for (const rows of all.slice(-2)) {
      if (rows.waiting.length < WAITING) continue
      rows.file ??= await folder.scratch()
      rows.file.put(rows.waiting)
      rows.waiting = ''
      await rows.file.drain()
    }
  }

  async function* chunksOf(rows: typeof last, words: ListWords): AsyncGenerator<Uint8Array> {
    yield Buffer.from(frame.head(columns, titleOf(words, { ...rows, total: entries() }, texts)))
    if (rows.file !== null) yield* rows.file.chunks()
    yield Buffer.from(rows.waiting)
    await rows.file?.remove()
    yield Buffer.from(frame.tail(columns, rows.count))
  }

  const entries = (): number => last.before + last.count

  const sheets = (words: ListWords) =>
    all.map((rows, index): ListSheet => ({
      name: index === 0 ? words.sheet : `${words.sheet} (${index + 1})`,
      isList: true,
      bytes: rows.bytes,
      chunks: () => chunksOf(rows, words),
    }))

  return { add, drain, entries, sheets }
}

/** On several sheets each says which of all it has: `Registered: 1,000,001 – 1,200,000 / 1,200,000`. */
function titleOf(
  { sheet, title = sheet, note = '' }: ListWords,
  { before, count, total }: { readonly before: number; readonly count: number; readonly total: number },
  { say, count: written }: Texts,
): string {
  const all = written(total)
  const shown = count === 0 ? '0' : `${written(before + 1)} – ${written(before + count)}`
  const noted = note === '' ? '' : `. ${note}`
  return `${say('labelled', { name: title, value: count === total ? all : `${shown} / ${all}` })}${noted}`
}

/** The lists that are filled during the walk, in the order of their sheets. */
const SHEETS = [
  ...(['unproven', 'inDoubt', 'refused', 'corrections', 'notSent'] as const),
  ...(['registered', 'closed', 'cutOver', 'problems', 'decisions'] as const),
]

const openLists = (terms: ListTerms) =>
  SHEETS.map((name) => ({
    name,
    ...sheetList<never>(columnsIn<never>(tables.LISTS[name].columns, terms.texts), terms),
  }))

/** All sheets in their order. */
function sheetsOf(facts: ReportFacts, lists: ReturnType<typeof openLists>, terms: ListTerms): ListSheet[] {
  const { proposals, verification, sources, runs, plans } = facts
  const { say } = terms.texts
  const known = <Entry>(sheet: TextKey, columns: ListColumns<Entry>, entries: readonly Entry[]) => {
    const list = sheetList(columnsIn(columns, terms.texts), terms)
    entries.forEach(list.add)
    return list.sheets({ sheet: say(sheet) })
  }
  const summary = Buffer.from(summarySheet(facts, terms.texts))
  const proposed = { count: proposals, file: PLACE_OF_PART.inDoubt, word: 'resend' }
  return [
    { name: say('sheet.summary'), isList: false, bytes: summary.length, chunks: () => [summary] },
    ...lists.flatMap((list) => {
      const { sheet } = tables.LISTS[list.name]
      if (list.name === 'unproven' && verification === null) return []
      if (list.name === 'cutOver' && list.entries() === 0) return []
      const title = say(list.name === 'unproven' ? 'proof.notProven' : sheet)
      const note = list.name === 'inDoubt' && proposals > 0 ? say('doubt.proposals', proposed) : ''
      return list.sheets({ sheet: say(sheet), title, note })
    }),
    ...known('sources.title', tables.SOURCES, sources),
    ...(plans.length === 0 ? [] : known('plans.title', tables.PLANS, tables.linesOfPlans(facts))),
    ...known('runs.title', tables.RUNS, runs),
    ...known('columns.title', tables.FILE_COLUMNS, tables.columnLines(facts, terms.texts)),
  ]
}

/**
 * reconciliation.xlsx: the lists of the pack as sheets, every entry of them, all identifiers as text; the same bytes for
 * the same facts.
 */
export function openWorkbook(
  folder: PackFolder,
  texts: Texts = ENGLISH,
  limits: WorkbookLimits = WORKBOOK_LIMITS,
) {
  const terms = { folder, limits, texts }
  const lists = openLists(terms)
  return {
    lists: Object.fromEntries(lists.map((list) => [list.name, list])) as OpenLists,
    /**
     * Writes the file, one sheet behind the other, once everything has been handed over.
     * @throws {UsageError} when the folder does not take it
     */
    finish: (facts: ReportFacts): Promise<PackFile> =>
      writeSheets(folder, WORKBOOK_FILE, sheetsOf(facts, lists, terms)),
  }
}

async function writeSheets(
  folder: Pick<PackFolder, 'create'>,
  name: string,
  sheets: readonly ListSheet[],
): Promise<PackFile> {
  const output = await folder.create(name)
  const archive = openArchive(output.write)
  for (const [path, xml] of workbookParts(sheets)) await archive.add(path, [Buffer.from(xml)])
  for (const [index, { chunks }] of sheets.entries()) await archive.add(`xl/${sheetPath(index)}`, chunks())
  await archive.end()
  return output.finish()
}

/** In bytes before they are deflated, of all sheets: beyond it nobody works in a workbook, and none is read. */
const LARGEST_TO_DO = 1_000_000_000

/**
 * to-do.xlsx: what is open as sheets to work in, which are read again. None is written where nothing is open.
 */
export function openToDo(folder: PackFolder, originals: OriginalColumns) {
  const terms = { folder, limits: WORKBOOK_LIMITS, texts: ENGLISH, frame: WORK_FRAME }
  /** Its name is the same in every language: a program may name it. */
  const named = <Of>(sheet: string, columns: SheetColumn<Of>[]) => ({ sheet, ...sheetList(columns, terms) })
  const lists = {
    inDoubt: named('In doubt', toDoColumns(originals, 'inDoubt')),
    corrections: named('Corrections', toDoColumns(originals, 'corrections')),
    refused: named('Refused', toDoColumns(originals, 'refused')),
    cutOver: named('Cut-over', cutOverColumns(originals)),
  }
  async function finish(): Promise<void> {
    // A run reads what is to be corrected, also where that is nothing.
    const isRead = lists.cutOver.entries() > 0 && lists.refused.entries() === 0
    const written = Object.values(lists).filter(
      (list) => list.entries() > 0 || (isRead && list === lists.corrections),
    )
    const sheets = written.flatMap((list) => list.sheets(list))
    const howTo = Buffer.from(howToWorkSheet())
    const bytes = sheets.reduce((sum, sheet) => sum + sheet.bytes, 0)
    if (sheets.length === 0 || bytes > LARGEST_TO_DO) return
    const first = { name: 'Read me first', bytes: howTo.length, chunks: () => [howTo] }
    const unprinted = [first, ...sheets].map((sheet) => ({ ...sheet, isList: false }))
    await writeSheets(folder, TO_DO_WORKBOOK, unprinted)
  }
  return { lists, finish }
}

/** The columns of a list on its sheet, in one language. */
const columnsIn = <Entry>(columns: ListColumns<Entry>, texts: Texts): SheetColumn<Entry>[] =>
  columns.flatMap(({ label, width, value, shown }) =>
    width === null
      ? []
      : {
          ...{ header: texts.say(label), width, isWrapped: width >= tables.SENTENCE },
          value: shown === undefined ? value : (entry) => shown(entry, texts),
        },
  )

/** What a text calls a column or a list is called otherwise here. */
const inWords = (text: string): string =>
  text
    .replace(/\bmigration_[a-z_]+/g, (name) => `"${headingOf(name)}"`)
    .replace(/\b(?:to-do\/)?cut-over\.csv/g, 'the sheet Cut-over')
    .replace(/\b(?:to-do\/)?(?:corrections|refused|in-doubt)\.csv/g, 'this workbook')

/** What takes a while to find of an entry is found once, for all of its cells. */
function onceFor<Of, Found>(find: (of: Of) => Found): (of: Of) => Found {
  let last: { readonly of: Of; readonly found: Found } | null = null
  return (of) => (last?.of === of ? last : (last = { of, found: find(of) })).found
}

/**
 * A sheet of to-do.xlsx: what is wrong, the original columns, what a person fills in, and hidden what the program needs.
 * @param cellsOf the original cells, as they stand under the names
 * @param look of the original column at that place
 */
function workedColumns<Of extends NamedRow>(
  columns: ListColumns<Of>,
  choices: readonly string[],
  names: readonly string[],
  cellsOf: (row: RowRecord) => readonly string[],
  look: (at: number) => Partial<SheetColumn<Of>> = () => ({}),
): SheetColumn<Of>[] {
  const cells = onceFor(({ row }: Of) => cellsOf(row))
  const those = (
    wanted: Column<Of>['role'],
    how: Partial<SheetColumn<Of>>,
    shown: (text: string) => string = String,
  ): SheetColumn<Of>[] =>
    columns.flatMap(({ key, role, width, value }) =>
      key === null || role !== wanted
        ? []
        : {
            ...{ header: key, width: width ?? 16, value: (of) => shown(String(value(of) ?? '')), ...how },
            ...(key === 'migration_decision' ? { choices } : {}),
          },
    )
  return [
    ...those(undefined, { isWrapped: true }, inWords),
    ...names.map((header, at): SheetColumn<Of> => {
      const value = (of: Of): string => cells(of)[at] ?? ''
      return { header, width: 14, isRead: true, value, ...look(at) }
    }),
    ...those('filled in', { isRead: true, isEdited: true }),
    ...those('mark', { isRead: true, isHidden: true }),
  ]
}

/** Of a whole account in groups of four. */
const ACCOUNT = 44

function toDoColumns(
  { plainNames, plainCellsOf, accounts, wrongOf }: OriginalColumns,
  part: 'inDoubt' | 'corrections' | 'refused',
): SheetColumn<OpenRow>[] {
  const isEdited = part !== 'inDoubt'
  const wrong = onceFor(({ row, explanation }: OpenRow) => wrongOf(row, explanation.wrong))
  const look = (at: number): Partial<SheetColumn<OpenRow>> => ({
    ...{ isEdited, ...(accounts.has(at) ? { width: ACCOUNT } : {}) },
    ...(isEdited ? { isWrong: (open) => wrong(open).has(at) } : {}),
  })
  const columns = tables.openColumns(!isEdited)
  return workedColumns(columns, DECISION_WORDS[part], plainNames, plainCellsOf, look).filter(
    ({ header }) => isEdited || header !== CUSTOMER_COLUMN,
  )
}

/** The same of the cut-over, where nothing is corrected. */
const cutOverColumns = ({ identityNames, identityCells }: OriginalColumns): SheetColumn<CutOverLine>[] =>
  workedColumns(tables.CUT_OVER_COLUMNS, DECISION_WORDS.cutOver, identityNames, identityCells)

const HOW_TO_WORK = [
  'Each sheet lists what is open: its first columns say what is wrong and what to do, and a red cell is the one that is wrong.',
  'Type into yellow and red cells alone: correct the value, or choose a word under "Your decision" and say under "Your reason" how you know.',
  'Leave everything else as it is; to sort, take the protection of the sheet off (there is no password) and sort all of its columns together.',
  'Save the file as .xlsx and give it back with "sepa-migrate run to-do.xlsx": that takes all of it, or names every fault and takes nothing.',
]

/** The first sheet of to-do.xlsx. In one column, by which it is known for no list. */
const howToWorkSheet = (): string =>
  freeSheet(
    [{ width: 110 }],
    [
      [oneCell('How to work in this file', STYLES.title)],
      ...HOW_TO_WORK.map((text) => [oneCell(text, STYLES.sentence)]),
    ],
  )

/** The first sheet: what finance signs, as far as figures say it. */
function summarySheet(facts: ReportFacts, texts: Texts): string {
  const { campaign, told, totals, distinct, balanced, cutOver } = facts
  const { say } = texts
  const rehearsal = rehearsalText(facts, texts)
  const line = (label: string, value: CellValue): string[] => [oneCell(label), oneCell(value)]
  const heading = (...words: readonly string[]): string[] =>
    words.map((word) => oneCell(word, STYLES.heading))
  return freeSheet(
    [{ width: 44 }, { width: 70 }],
    [
      [oneCell(say('page.title'), STYLES.title)],
      ...(rehearsal === null ? [] : [line(say('cover.rehearsal'), rehearsal)]),
      ...(told.company === null ? [] : [[oneCell(maskedText(told.company))]]),
      ...(told.from === null ? [] : [line(say('cover.formerProvider'), maskedText(told.from))]),
      line(say('label.target'), campaign.baseUrl),
      line(say('label.user'), campaign.username),
      line(say('label.ledger'), facts.ledger),
      line(say('label.ledgerId'), campaign.ledgerId),
      line(say('label.ledgerAsOf'), campaign.changedAt),
      line(say('label.balanced'), balanced ? say('yes') : say('verdict.notBalanced').toUpperCase()),
      line(say('proof.title'), proofText(facts, texts)),
      line(say('cover.signOff'), comparedText(facts, texts)),
      [],
      ...mandateFigures(facts).map(([label, count]) => line(say(label), count)),
      [],
      ...(cutOver === null
        ? []
        : [
            heading(say('cutOver.title'), say('label.mandates')),
            ...CUT_OVER_CLASSES.map((name) => line(say(`cutOver.${name}`), cutOver.classes[name])),
            [],
          ]),
      heading(say('totals.title'), say('label.rows')),
      line(say('cover.read'), totals.read),
      ...REPORT_ORDER.map((state) => line(say(`state.${state}`), totals[TOTAL_OF_STATE[state]])),
      line(say('label.resubmitted'), totals.resubmitted),
      line(say('label.notTaken'), facts.notTaken),
      [],
      ...DISTINCT.map((name) => line(say(`hash.${name}`), distinct[name])),
      [],
      heading(say('hash.title'), say('label.value')),
      ...hashTotalLines(facts, texts).map(({ name, value }) => line(name, value)),
    ],
  )
}
