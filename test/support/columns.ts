import { germanIban } from './export.js'
import { fileOf } from './sources.js'
import { rowsOf, workbookOf } from './workbook.js'

/** Files made of columns. */

/** A column whose cells are given by row number. */
export type Column = readonly [name: string, cell: (n: number) => string]

/** Those of a mandate, each row with its own customer, account and reference. */
export const OWN = [
  ['customer_no', (n) => `${n}`],
  ['IBAN', germanIban],
  ['Mandatsdatum', (n) => `2024-0${(n % 9) + 1}-1${n % 10}`],
  ['Gläubiger-ID', () => 'DE98ZZZ09999999999'],
  ['Mandatsreferenz', (n) => `M-${n}`],
] as const satisfies readonly Column[]
export const STATUS: Column = ['Status', () => 'aktiv']

const table = (rows: number, columns: readonly Column[]): string[][] => [
  columns.map(([name]) => name),
  ...Array.from({ length: rows }, (_, at) => columns.map(([, cell]) => cell(at + 1))),
]
export const csv = (rows: number, columns: readonly Column[]): string =>
  fileOf(
    `${table(rows, columns)
      .map((cells) => cells.join(';'))
      .join('\n')}\n`,
  )
export const xlsx = (rows: number, columns: readonly Column[]): string =>
  workbookOf({ sheets: { Mandate: rowsOf(table(rows, columns)) } })
