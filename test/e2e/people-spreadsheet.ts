import Papa from 'papaparse'
import type { Chance } from '../support/chance.js'
import { FOREIGN_NAMES } from './people-truth.js'

/** A CSV as people have it before them: the first line is its header. */
export type Sheet = readonly (readonly string[])[]

/** What is lost and changed when a CSV goes through one of these and is saved again. */
export interface Resaving {
  readonly program: 'Excel, German' | 'LibreOffice' | 'Google' | 'pandas' | 'an editor'
  /** Numbers as a program with a column of numbers shows them. */
  readonly number: (digits: string) => string
}

const toFloat = (digits: string): string => `${Number(digits)}.0`

/** Eleven digits and fewer stay, longer ones turn into 1,005E+11. */
const shortened = (comma: ',' | '.') => (digits: string) => {
  const value = Number(digits)
  if (digits.replace(/^0+/, '').length <= 11) return String(value)
  const [mantissa = '', exponent = ''] = value.toExponential(5).split('e+')
  return `${mantissa.replace('.', comma)}E+${exponent.padStart(2, '0')}`
}

export function drawResaving(chance: Chance): Resaving {
  const programs = { 'Excel, German': 4, LibreOffice: 2, Google: 2, pandas: 3, 'an editor': 1 }
  const program = chance.weigh<Resaving['program']>(programs)
  switch (program) {
    case 'Excel, German':
      return { program, number: shortened(',') }
    case 'LibreOffice':
      return { program, number: (digits) => String(Number(digits)) }
    case 'Google':
      return { program, number: shortened('.') }
    case 'pandas':
      return { program, number: chance.happens(0.5) ? toFloat : (digits) => String(Number(digits)) }
    case 'an editor':
      return { program, number: (digits) => digits }
  }
}

/** What a spreadsheet makes of a cell when it opens a CSV. */
function opened(cell: string, { program, number }: Resaving): string {
  if (program === 'an editor') return cell
  const text = program === 'pandas' ? cell : cell.replace(/^="(.*)"$/, '$1')
  if (/^\d{1,25}$/.test(text)) return number(text)
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text)
  const showsGermanDates = program === 'Excel, German' || program === 'LibreOffice'
  return isDate && showsGermanDates ? text.split('-').reverse().join('.') : text
}

/** The sheet as it is saved again, in bytes that the program would write. */
export function resave(sheet: Sheet, resaving: Resaving): string {
  const [header = [], ...rows] = sheet
  const cells = [header, ...rows.map((row) => row.map((cell) => opened(cell, resaving)))]
  switch (resaving.program) {
    case 'Excel, German':
      return `\u{feff}${write(cells, ';', '\r\n')}`
    case 'Google':
      return write(cells, ',', '\r\n')
    default:
      return write(cells, ',', '\n')
  }
}

export const write = (sheet: Sheet, delimiter = ',', end = '\n'): string =>
  sheet.map((cells) => cells.map((cell) => quote(cell, delimiter)).join(delimiter) + end).join('')

const quote = (cell: string, delimiter: string): string =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Reads what the program itself wrote, or one of the files of these tests: well-formed, and its delimiter known. */
export function read(text: string): Sheet {
  const body = text.replace(/^\u{feff}/u, '')
  const firstLine = body.split('\n', 1)[0] ?? ''
  const delimiter = firstLine.split(';').length > firstLine.split(',').length ? ';' : ','
  return Papa.parse<string[]>(body, { delimiter, skipEmptyLines: true }).data
}

/** Where a column stands; another system may have named it. */
function columnOf([header = []]: Sheet, name: string): number {
  const column = header.indexOf(name)
  return column >= 0 ? column : header.indexOf(FOREIGN_NAMES[name] ?? name)
}

/** A value of a row, by the name of its column. */
export const valueOf = (sheet: Sheet, row: readonly string[], name: string): string =>
  row[columnOf(sheet, name)] ?? ''

/** The sheet with one value of one row changed. */
export function withValue(sheet: Sheet, line: number, name: string, value: string): Sheet {
  const column = columnOf(sheet, name)
  return sheet.map((row, at) =>
    at === line ? row.map((cell, index) => (index === column ? value : cell)) : row,
  )
}

/** The sheet with several of them. */
export const withValues = (sheet: Sheet, line: number, values: Readonly<Record<string, string>>): Sheet =>
  Object.entries(values).reduce((done, [name, value]) => withValue(done, line, name, value), sheet)

/** All rows in another order, as a sort over the whole sheet leaves them. */
export const sorted = (sheet: Sheet, chance: Chance): Sheet => {
  const [header = [], ...rows] = sheet
  return [header, ...shuffled(rows, chance)]
}

/** Some columns in another order and the others as they were: sorted without extending the selection. */
export function sortedApart(sheet: Sheet, names: readonly string[], chance: Chance): Sheet {
  const [header = [], ...rows] = sheet
  const moved = shuffled(rows, chance)
  const own = (row: readonly string[], at: number): string[] =>
    row.map((cell, index) => (names.includes(header[index] ?? '') ? (moved[at]?.[index] ?? '') : cell))
  return [header, ...rows.map(own)]
}

export function shuffled<Value>(values: readonly Value[], chance: Chance): Value[] {
  const left = [...values]
  return values.map(() => left.splice(chance.between(0, left.length - 1), 1)[0]!)
}
