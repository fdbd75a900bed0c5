import { holdsIban } from '../../domain/text/accounts.js'
import { columnLetters, findName, firstOf, fold, plural, said } from '../../domain/text/text.js'
import { showValue } from '../../domain/rule/verdict.js'
import { findHeader, isBlankRecord } from '../csv/csv.js'
import {
  isDecisionHeader,
  isResultHeader,
  ownName,
  readHeader,
  refuseUnclearList,
} from '../columns/header.js'
import { openBytes, piecesOf } from '../bytes/input.js'
import { DEFAULT_SOURCE_OPTIONS, type LimitOptions } from '../options.js'
import { refuse } from '../../errors.js'
import type { FormatTable, InputFormat, RawRecord, Table, TableEnd, TableOptions } from '../table.js'
import { openWorkbook, type Sheet, type Workbook, textRuns, unescapeText, showNumber } from './workbook.js'
import { isTrue, type XmlHandlers } from '../bytes/xml.js'

/** One sheet of an Excel workbook. Its lines are the numbers of its rows, and its cells keep their types. */
export const openExcel: InputFormat['open'] = async (bytes, options, signal) => {
  const workbook = await openWorkbook(bytes, options.limits, signal)
  const { chosen, own } = await chooseSheets(workbook, options, signal)
  const [first, ...others] = chosen.map((sheet) => openSheet(bytes.name, workbook, sheet, options))
  if (first === undefined) throw new Error('No sheet was chosen')
  const isNamed = options.layout.sheet !== undefined && !first.isResultFile
  if (isNamed) first.assumed.push(...(await leftOut(workbook, first, options.limits)))
  return {
    ...(others.length === 0 ? first : joined([first, ...others])),
    sheets: own.map(({ name }) => name),
  }
}

/** Sheets beside the named one that begin as it does and hold records. What nobody asked for need not be sound. */
async function leftOut(workbook: Workbook, { sheet: named, headerCells }: SheetTable, limits: LimitOptions) {
  const found: Assumed[] = []
  const header = headerCells.map(fold).join('\n')
  for (const sheet of workbook.sheets.filter(({ name, isHidden }) => !isHidden && name !== named)) {
    const head = await beginning(workbook, sheet, limits).catch(() => [])
    const at = head.findIndex(({ cells }) => withoutEmptyEnd(cells).map(fold).join('\n') === header)
    const records = at < 0 ? 0 : head.slice(at + 1).filter(({ cells }) => !isBlankRecord(cells)).length
    const detail = `Its sheet "${showValue(sheet.name)}" holds at least ${plural(records, 'record', 'records')}.`
    if (records > 0) found.push({ rule: 'FILE_SHEET_LEFT_OUT', value: sheet.name, detail })
  }
  return found
}

async function beginning(workbook: Workbook, sheet: Sheet, limits: LimitOptions): Promise<SheetRow[]> {
  const head: SheetRow[] = []
  for await (const rows of readRows(workbook, sheet, limits)) {
    head.push(...rows)
    if (head.length > HEAD_ROWS) break
  }
  return head
}

/** Whether one of its sheets is a list of this program, by its first row. @throws {SourceError} */
export async function hasOwnSheet(path: string): Promise<boolean> {
  const { limits } = DEFAULT_SOURCE_OPTIONS
  const bytes = await openBytes(path, { maxUnpackedBytes: limits.unpackedBytes })
  const workbook = await openWorkbook(bytes, limits, undefined)
  for (const sheet of workbook.sheets)
    if (isResultHeader((await beginning(workbook, sheet, limits))[0]?.cells ?? [])) return true
  return false
}

type Assumed = Table['assumed'][number]
type SheetTable = ReturnType<typeof openSheet>

function openSheet(name: string, workbook: Workbook, sheet: SurveyedSheet, options: TableOptions) {
  const { limits, seeksHeader, isKnown } = options
  const { label, end } = workbook
  const { head, lastRow, isOwn } = sheet
  // What is declared of the export does not hold for a list of ours.
  const layout = isOwn ? OWN_LAYOUT : options.layout
  const { hidden: decided, skipFooterLines } = layout
  const preamble =
    seeksHeader === true && layout.skipLines === 0 && head.length > 0
      ? findHeader(
          head.map(({ cells }) => cells.filter(isKnown).length),
          head.map(({ cells }) => cells.length),
          head.map(({ cells }) => cells.some(holdsIban)),
          (index) => head[index]?.line ?? 1,
        )
      : { lines: layout.skipLines, evidence: 'declared' }
  const top = head.find(({ line }) => line > preamble.lines)
  if (top === undefined)
    throw refuse(label, 'FILE_EMPTY', `its sheet "${showValue(sheet.name)}" has no header row`)
  const headerLine = top.line
  const hidden = hiddenText(sheet, top)
  if (hidden !== null && decided === undefined && seeksHeader !== true)
    throw refuse(label, 'FILE_HIDDEN', `its sheet "${showValue(sheet.name)}" has ${hidden}`)
  // Filters hide rows of a list that somebody works in; a strike or a note says something of one.
  const remarks = isOwn
    ? hiddenText({ ...sheet, counts: { ...sheet.counts, hidden: 0 }, hiddenColumns: [] }, top)
    : null
  if (remarks !== null)
    throw refuse(label, 'FILE_HIDDEN', `its sheet "${showValue(sheet.name)}" has ${remarks}`, {
      next: 'Write what they say into the columns for the decision and the reason, remove strikes and notes, save it and give it again.',
    })
  refuseUnsound(label, sheet, headerLine)
  const isSkipped = (at: number): boolean => decided === 'skip' && isIn(sheet.hiddenColumns, at)
  const headerCells = withoutEmptyEnd(top.cells)
  refuseUnclearList(label, headerLine, headerCells)

  async function* readTable(signal?: AbortSignal): AsyncGenerator<RawRecord[], TableEnd> {
    const footer: string[] = []
    let rows = 0
    for await (const batch of readRows(workbook, sheet, limits, { signal })) {
      const kept: RawRecord[] = []
      for (const row of batch) {
        const { line, cells: read, uncomputed } = row
        if (line <= headerLine) continue
        rows += 1
        if (decided === 'skip' && marksOf(row, sheet.notes).length > 0) continue
        // What stands behind the columns of a list of ours belongs to none.
        const named = read.filter((_, at) => at < headerCells.length || !(isOwn || isSkipped(at)))
        const cells = padded(withoutEmptyEnd(named), headerCells.length)
        if (line > lastRow - skipFooterLines) footer.push(lineOf(cells))
        else if (uncomputed !== undefined || !isBlankRecord(cells.filter((_, at) => !isSkipped(at))))
          kept.push(uncomputed === undefined ? { line, cells } : { line, cells, uncomputed })
      }
      yield kept
    }
    return { ...end, blankLines: lastRow - headerLine - rows, lines: lastRow, footer: footer.join('\n') }
  }

  return {
    name,
    sheet: sheet.name,
    lastRow,
    label,
    sha256: end.sha256,
    header: readHeader(headerCells, isSkipped),
    headerCells,
    headerLine,
    isResultFile: isOwn,
    written: {
      sheet: sheet.name,
      ...(hidden === null || decided === undefined || isOwn ? {} : { hidden: { what: hidden, decided } }),
      skipLines: preamble.lines,
      skipFooterLines,
    },
    evidence: {
      preamble,
      sheet: options.layout.sheet === undefined ? 'the only one with data' : 'declared',
      ...(hidden === null ? {} : { hidden }),
    },
    assumed: [
      ...formulasOf(sheet),
      // The answer may have been about another kind, in another file.
      ...(hidden !== null && decided === 'read' && !isOwn
        ? [{ rule: 'FILE_HIDDEN' as const, value: hidden, detail: `It has ${hidden}: read too.` }]
        : []),
    ],
    preamble: head
      .filter(({ line }) => line < headerLine)
      .map(({ cells }) => lineOf(cells))
      .join('\n'),
    split: (line: string) => line.split('\t'),
    cellName: (line: number, position: number) => `${columnLetters(position)}${line}`,
    read: readTable,
  }
}

/**
 * Sheets of ours to correct in, read as one: their lines go on, and cells name their sheet.
 * @throws {SourceError} FILE_SHEET_UNCLEAR where they do not have the same columns
 */
function joined(tables: readonly [SheetTable, ...SheetTable[]]): FormatTable {
  const [first] = tables
  // Where the first row of a sheet was deleted, the second one names its columns.
  const namesOf = ({ headerCells }: SheetTable): string =>
    headerCells.map((name) => fold(ownName(name))).join('\n')
  let lines = 0
  const parts = tables.map((table) => {
    const what = `the columns of its sheet "${showValue(table.sheet)}" are not those of "${showValue(first.sheet)}"`
    const next = 'Put them into the same order as they were written in, and give it again.'
    if (namesOf(table) !== namesOf(first)) throw refuse(first.label, 'FILE_SHEET_UNCLEAR', what, { next })
    const before = lines
    lines += table.lastRow
    return { ...table, before }
  })
  async function* readAll(signal?: AbortSignal): AsyncGenerator<RawRecord[], TableEnd> {
    let [end, blankLines] = [{ sha256: first.sha256, bytes: 0, footer: '' }, 0]
    for (const { read, before } of parts) {
      const batches = piecesOf(read(signal))
      for await (const batch of batches)
        yield batch.map((record) => ({ ...record, line: record.line + before }))
      end = batches.end()
      blankLines += batches.end().blankLines
    }
    return { ...end, blankLines, lines }
  }
  return {
    ...first,
    written: { ...first.written, sheet: parts.map(({ sheet }) => sheet).join(', ') },
    assumed: parts.flatMap(({ assumed }) => assumed),
    cellName: (line, position) => {
      const { sheet, before } = parts.findLast((part) => part.before < line) ?? { ...first, before: 0 }
      return `${sheet}!${columnLetters(position)}${line - before}`
    },
    read: readAll,
  }
}

const OWN_LAYOUT = { skipLines: 0, skipFooterLines: 0, hidden: 'read' } as const

const lineOf = (cells: readonly string[]): string => cells.map((cell) => cell.replace(/\s+/g, ' ')).join('\t')

const padded = (cells: string[], width: number): string[] =>
  cells.length < width ? [...cells, ...Array<string>(width - cells.length).fill('')] : cells

function withoutEmptyEnd(cells: string[]): string[] {
  const end = cells.findLastIndex((cell) => cell !== '') + 1
  return end === cells.length ? cells : cells.slice(0, end)
}

const isIn = (ranges: SheetFacts['hiddenColumns'], position: number): boolean =>
  ranges.some(([from, to]) => position >= from && position <= to)

/**
 * The sheet that is named, or the only one with anything in it; of a workbook of ours all sheets to correct in.
 * @throws {SourceError} FILE_SHEET_UNCLEAR or FILE_EMPTY
 */
async function chooseSheets(workbook: Workbook, options: TableOptions, signal: AbortSignal | undefined) {
  const { label, sheets } = workbook
  const shown = (some: readonly Sheet[]): string =>
    some.map(({ name, isHidden }) => `"${showValue(name)}"${isHidden ? ' (hidden)' : ''}`).join(', ')
  const wanted = options.layout.sheet ?? ''
  const names = sheets.map(({ name }) => name)
  const named = sheets[findName(names, wanted) ?? -1]
  const filled: SurveyedSheet[] = []
  for (const sheet of wanted === '' || named === undefined ? sheets : [named]) {
    const surveyed = await surveySheet(workbook, sheet, options, signal)
    if (surveyed.lastRow > 0 || sheet === named) filled.push(surveyed)
  }
  const lists = filled.filter(({ isOwn }) => isOwn)
  // Notes in one column, such as ours, say nothing of mandates.
  const foreign = filled.filter(({ isOwn, filled: columns }) => !isOwn && columns.size > 1)
  if (lists.length > 0)
    for (const { head } of foreign) refuseUnclearList(label, head[0]?.line ?? 1, head[0]?.cells ?? [])
  const own = foreign.length === 0 ? lists : []
  // Of a workbook of ours: the configuration names the sheet of the export.
  if (wanted !== '' && named === undefined && own.length === 0)
    throw refuse(label, 'FILE_SHEET_UNCLEAR', `it has no sheet "${wanted}"; it has ${shown(sheets)}`)
  const [first, ...others] = own.length > 0 ? own : filled
  if (first === undefined) throw refuse(label, 'FILE_EMPTY', 'none of its sheets has anything in it')
  const isTaken = named !== undefined || own.length > 0 || !first.isHidden
  if (others.length === 0 && isTaken) return { chosen: [first], own }
  const toCorrect = own.filter(({ head: [top] }) => !isDecisionHeader(top?.cells ?? []))
  if (own.length > 0) return { chosen: toCorrect.length > 0 ? toCorrect : [first], own }
  const what = `it has ${plural(filled.length, 'sheet', 'sheets')} with data: ${shown(filled)}`
  throw refuse(label, 'FILE_SHEET_UNCLEAR', what)
}

/** Rows that are looked at for the header. */
const HEAD_ROWS = 60
const MOST_SHOWN = 5

type SurveyedSheet = Awaited<ReturnType<typeof surveySheet>>

/** What sets a row apart from others, as people see it or as they do not. */
const MARKS = { hidden: 'hidden', struck: 'struck through', noted: 'with a note' } as const
type Mark = keyof typeof MARKS

const marksOf = ({ line, isHidden, isStruck }: SheetRow, notes: ReadonlySet<number>): Mark[] =>
  said([isHidden && 'hidden', isStruck && 'struck', notes.has(line) && 'noted'])

/** One look at all of a sheet, before any of it is believed. */
async function surveySheet(workbook: Workbook, sheet: Sheet, options: TableOptions, signal?: AbortSignal) {
  const { layout, limits } = options
  const facts: SheetFacts = { hiddenColumns: [], merged: [], isFiltered: false }
  const head: SheetRow[] = []
  const filled = new Set<number>()
  const errors: string[] = []
  const counts = { hidden: 0, struck: 0, noted: 0, errors: 0, formulas: 0 }
  const notes = await workbook.notesOf(sheet)
  let lastRow = 0
  let isOwn = false
  for await (const batch of readRows(workbook, sheet, limits, { facts, signal }))
    for (const row of batch) {
      const { line, cells, formulas } = row
      if (lastRow === 0) isOwn = isResultHeader(cells)
      lastRow = line
      if (head.length < HEAD_ROWS || line <= layout.skipLines + HEAD_ROWS) head.push(row)
      const marks = marksOf(row, notes)
      for (const mark of marks) counts[mark] += 1
      if (marks.length > 0 && layout.hidden === 'skip' && !isOwn) continue
      counts.formulas += formulas.length
      cells.forEach((cell, at) => cell !== '' && filled.add(at))
      counts.errors += row.errors.length
      for (const at of row.errors) if (errors.length < MOST_SHOWN) errors.push(`${columnLetters(at)}${line}`)
    }
  return { ...sheet, ...facts, notes, isOwn, head, lastRow, filled, counts, errorCells: errors }
}

/** What of the table a person does not see, or set apart; null where that is nothing. */
function hiddenText(sheet: SurveyedSheet, top: SheetRow): string | null {
  const { counts, head, notes, hiddenColumns, filled, isFiltered } = sheet
  const before = head.filter(({ line }) => line <= top.line).flatMap((row) => marksOf(row, notes))
  const columns = [...filled].filter((at) => isIn(hiddenColumns, at)).length
  const rows = Object.entries(MARKS).map(([mark, what]) => {
    const count = counts[mark as Mark] - before.filter((one) => one === mark).length
    const why = mark === 'hidden' && isFiltered ? ' (a filter is on)' : ''
    return count > 0 && `${plural(count, 'row', 'rows')} ${what}${why}`
  })
  const parts = said([...rows, columns > 0 && `${plural(columns, 'column', 'columns')} hidden`])
  return parts.length === 0 ? null : parts.join(', ')
}

/** Errors and merged cells leave values out that a person would look for. @throws {SourceError} FILE_FORMAT */
function refuseUnsound(label: string, { name, merged, counts, errorCells }: SurveyedSheet, top: number) {
  const refused = (what: string, next: string): Error =>
    refuse(label, 'FILE_FORMAT', `its sheet "${showValue(name)}" has ${what}`, { next })
  if (counts.errors > 0)
    throw refused(
      `${plural(counts.errors, 'cell', 'cells')} with an error such as #REF! or #N/A: ${firstOf(errorCells, MOST_SHOWN, counts.errors)}`,
      'Correct them in the spreadsheet, save it and give it again.',
    )
  const across = merged.flatMap(({ lastRow, ref }) => (lastRow > top ? ref : []))
  if (across.length > 0)
    throw refused(
      `merged cells below its header: ${firstOf(across, MOST_SHOWN)}`,
      'Unmerge them, fill in each cell, save it and give it again.',
    )
}

function formulasOf({ counts: { formulas } }: SurveyedSheet): Assumed[] {
  const detail = `There ${formulas === 1 ? 'is' : 'are'} ${formulas}.`
  return formulas === 0 ? [] : [{ rule: 'FILE_FORMULAS', value: `${formulas}`, detail }]
}

/** A row with anything in it; its line is the number that the sheet shows. */
interface SheetRow extends RawRecord {
  readonly isHidden: boolean
  /** A line is drawn through the text of a cell. */
  readonly isStruck: boolean
  /** Positions of formulas, from 0. */
  readonly formulas: readonly number[]
  /** Positions that hold an error instead of a value, such as `#REF!`. */
  readonly errors: readonly number[]
}

/** What a sheet says of itself besides its rows; complete once it was read to its end. */
interface SheetFacts {
  /** Positions of hidden columns, from and to, both included. */
  readonly hiddenColumns: (readonly [number, number])[]
  readonly merged: { readonly ref: string; readonly lastRow: number }[]
  isFiltered: boolean
}

/** Excel's own bounds. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384

const CELL = /^\$?([A-Z]{1,3})\$?([0-9]{1,7})$/

function placeOf(ref: string): { readonly row: number; readonly position: number } | null {
  const [, letters = '', row = ''] = CELL.exec(ref) ?? []
  const position = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  return position < LAST_COLUMN && Number(row) >= 1 && Number(row) <= LAST_ROW
    ? { row: Number(row), position }
    : null
}

/** Where in a sheet an element of this name counts; elsewhere it belongs to an extension. */
const PARENTS: ReadonlyMap<string, string> = new Map(
  Object.entries({ row: 'sheetData', c: 'row', v: 'c', f: 'c', is: 'c' }),
)
const isForeign = (name: string, parent: string): boolean => (PARENTS.get(name) ?? parent) !== parent

interface Cell {
  readonly position: number
  readonly type: string
  readonly style: number
  value: string | null
  inline: string | null
  isFormula: boolean
}

const emptyRow = (isHidden: boolean) => {
  const positions = (): number[] => []
  const found = { formulas: positions(), errors: positions(), uncomputed: positions() }
  return { ...found, cells: [] as string[], isHidden, isStruck: false, length: 0 }
}

/** Reads the rows of a sheet in batches, rows without a value left out. @throws {SourceError} where it is damaged */
async function* readRows(
  workbook: Workbook,
  sheet: Sheet,
  limits: LimitOptions,
  { facts, signal }: { readonly facts?: SheetFacts; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<SheetRow[]> {
  const { label } = workbook
  const damaged = (what: string): Error =>
    refuse(label, 'FILE_FORMAT', `its sheet "${sheet.name}" ${what}`, {
      next: 'Open it in a spreadsheet and save it under another name, or give the export as CSV.',
    })
  const batch: SheetRow[] = []
  let line = 0
  let row: ReturnType<typeof emptyRow> | null = null
  let next = 0
  let cell: Cell | null = null
  const runs = textRuns()

  function startRow({ r, hidden, ht }: Readonly<Record<string, string>>): void {
    const number = r === undefined ? line + 1 : Number(r)
    if (!Number.isInteger(number) || number <= line || number > LAST_ROW)
      throw damaged(`does not number its rows upwards after row ${line}`)
    line = number
    next = 0
    row = emptyRow(isTrue(hidden) || Number(ht) === 0)
  }

  function startCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const place = r === undefined ? { row: line, position: next } : placeOf(r)
    if (place === null || place.row !== line || place.position < next)
      throw damaged(`has a cell in row ${line} that is not where it says`)
    next = place.position + 1
    const { position } = place
    cell = { position, type: t, style: Number(s), value: null, inline: null, isFormula: false }
  }

  function textOf({ type, style, value, inline }: Cell): string {
    if (type === 'inlineStr') return inline ?? ''
    if (value === null) return ''
    if (type === 's') {
      const text = /^[0-9]+$/.test(value) ? workbook.texts[Number(value)] : undefined
      if (text === undefined) throw damaged(`names a shared text in row ${line} that is not there`)
      return text
    }
    if (type === 'str') return unescapeText(value)
    if (type === 'b') return isTrue(value) ? 'TRUE' : 'FALSE'
    if (type === 'd') return value.replace(/T00:00(?::00(?:\.0+)?)?Z?$/, '').replace(/T(.{8})[^]*$/, ' $1')
    return type === 'n' ? showNumber(value, workbook.formatOf(style), workbook.is1904) : value
  }

  function endCell(): void {
    if (cell === null || row === null) return
    const text = textOf(cell)
    const { position, type, style, value, isFormula } = cell
    cell = null
    if (isFormula) row.formulas.push(position)
    // An empty text is a value; of a formula that nobody computed there is none.
    const isUncomputed = isFormula && type !== 'str' && (value ?? '') === ''
    if (type === 'e') row.errors.push(position)
    if (text === '' && !isUncomputed) return
    row.length += text.length
    const isTooLong = text.length > limits.fieldLength || row.length > limits.recordLength
    if (isTooLong || position >= limits.columns)
      throw refuse(label, 'FILE_RECORD_TOO_LONG', `its row ${line} is larger than an export's`, {
        line,
        next: 'Look at that row; limits: of the configuration can be raised where it is right.',
      })
    while (row.cells.length < position) row.cells.push('')
    row.cells[position] = text
    row.isStruck ||= workbook.isStruck(style)
    if (isUncomputed) row.uncomputed.push(position)
  }

  function endRow(): void {
    if (row === null) return
    const { length, uncomputed, ...found } = row
    if (length > 0 || uncomputed.length > 0)
      batch.push({ ...found, line, ...(uncomputed.length > 0 ? { uncomputed } : {}) })
    row = null
  }

  const handlers: XmlHandlers = {
    open: (name, attributes, parent) => {
      if (isForeign(name, parent)) return
      if (name === 'row') startRow(attributes)
      else if (name === 'c') startCell(attributes)
      else if (name === 'f' && cell !== null) cell.isFormula = true
      else if (cell !== null) runs.open(name)
      else if (facts !== undefined) noteFacts(name, attributes, facts)
    },
    close: (name, text, parent) => {
      if (isForeign(name, parent)) return
      if (name === 'row') endRow()
      else if (name === 'c') endCell()
      else if (cell === null) return
      else if (name === 'v') cell.value = text
      else if (name === 'is') cell.inline = runs.take()
      else runs.close(name, text)
    },
  }
  for await (const _ of workbook.read(sheet, handlers, signal)) yield batch.splice(0)
  yield batch.splice(0)
}

function noteFacts(name: string, attributes: Readonly<Record<string, string>>, facts: SheetFacts): void {
  const { hidden, width, min, max, ref = '', filterMode } = attributes
  const isHidden = isTrue(hidden) || Number(width) === 0
  if (name === 'col' && isHidden && facts.hiddenColumns.length < LAST_COLUMN)
    facts.hiddenColumns.push([Number(min) - 1, Number(max) - 1])
  if (name === 'sheetPr' && isTrue(filterMode)) facts.isFiltered = true
  if (name !== 'mergeCell') return
  const [from, to] = ref.split(':').map(placeOf)
  if (from != null && to != null && facts.merged.length < 100_000) facts.merged.push({ ref, lastRow: to.row })
}
