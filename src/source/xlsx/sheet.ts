import { isTrue, type XmlHandlers } from '../bytes/xml.js'
import type { LimitOptions } from '../options.js'
import { refuse } from '../refusal.js'
import type { RawRecord } from '../table.js'
import { showNumber } from './number-format.js'
import { textRuns, unescapeText, type Sheet, type Workbook } from './workbook.js'

/** A row with anything in it; its line is the number that the sheet shows. */
export interface SheetRow extends RawRecord {
  readonly isHidden: boolean
  /** A line is drawn through the text of a cell. */
  readonly isStruck: boolean
  /** Positions of formulas, from 0. */
  readonly formulas: readonly number[]
  /** Positions that hold an error instead of a value, such as `#REF!`. */
  readonly errors: readonly number[]
}

/** What a sheet says of itself besides its rows; complete once it was read to its end. */
export interface SheetFacts {
  /** Positions of hidden columns, from and to, both included. */
  readonly hiddenColumns: (readonly [number, number])[]
  readonly merged: { readonly ref: string; readonly firstRow: number; readonly lastRow: number }[]
  isFiltered: boolean
}

/** Excel's own bounds. */
const LAST_ROW = 1_048_576
const LAST_COLUMN = 16_384

const CELL = /^\$?([A-Z]{1,3})\$?([0-9]{1,7})$/

function placeOf(ref: string): { readonly row: number; readonly position: number } | null {
  const [, letters = '', row = ''] = CELL.exec(ref) ?? []
  if (letters === '') return null
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
export async function* readRows(
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
  if (from != null && to != null && facts.merged.length < 100_000)
    facts.merged.push({ ref, firstRow: from.row, lastRow: to.row })
}
