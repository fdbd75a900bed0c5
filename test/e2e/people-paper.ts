import { readFileSync } from 'node:fs'
import { openWork } from '../support/work.js'
import { escaped, rowsOf, textCell, workbookBytes } from '../support/workbook.js'
import type { Chance } from '../support/chance.js'
import { reportOf, save, type Office } from './people-office.js'
import { read, resave, shuffled, write, type Resaving, type Sheet } from './people-spreadsheet.js'

/** The sheets of to-do.xlsx by their names, each with its header. */
export type Book = ReadonlyMap<string, Sheet>

/** A list that somebody has on the desk: a CSV, or a sheet of the workbook. */
export interface Paper {
  readonly sheet: Sheet
  /** Saves it, as it is now, under a new name; the other sheets of a workbook as they were. */
  readonly save: (stem: string, sheet: Sheet, by: Resaving | null) => string
}

const SHEET_OF: Readonly<Record<string, string>> = {
  'in-doubt.csv': 'In doubt',
  'corrections.csv': 'Corrections',
  'refused.csv': 'Refused',
  'cut-over.csv': 'Cut-over',
}

/** Written anew. Some work in the lists, some in the workbook, some now in this and now in that. */
export async function takeList(office: Office, ledger: string, list: string): Promise<Paper> {
  const name = SHEET_OF[list]
  if (name === undefined || !office.paper.happens(office.inWorkbooks)) {
    const path = await reportOf(office, ledger, list)
    return {
      sheet: path === null ? [] : read(readFileSync(path, 'utf8')),
      save: (stem, sheet, by) => save(office, stem, by === null ? write(sheet) : resave(sheet, by)),
    }
  }
  const book = await takeBook(office, ledger)
  office.say(`  the sheet ${name} of to-do.xlsx`)
  return {
    sheet: book.get(name) ?? [],
    save: (stem, sheet, by) => saveBook(office, stem, new Map([...book, [name, sheet]]), by),
  }
}

export async function takeBook(office: Office, ledger: string): Promise<Book> {
  const path = await reportOf(office, ledger, 'to-do.xlsx')
  if (path === null) return new Map()
  const { names, header, rows } = openWork(path)
  return new Map(
    names.map((name) => {
      const columns = header(name)
      return [name, [columns, ...rows(name).map((row) => columns.map((column) => row[column] ?? ''))]]
    }),
  )
}

export const saveBook = (office: Office, stem: string, book: Book, by: Resaving | null): string =>
  save(office, stem, bytesOf(book, by, office.paper))

/** Counted from 1900, as spreadsheets do. */
const serialOf = (day: string): number => Date.parse(day) / 86_400_000 + 25_569

const MARKS = /^migration_(?:row|state|rule|status|ledger|attempt)$/

/** The workbook in the words of the program that saved it; null for one that leaves everything as it was. */
function bytesOf(book: Book, by: Resaving | null, chance: Chance): Uint8Array {
  const program = by?.program ?? 'an editor'
  const shared: string[] = []
  const isShared = program === 'LibreOffice' || program === 'Excel, German'
  const retyped = program === 'an editor' ? 0 : program === 'pandas' ? 1 : 0.1
  const hidden = chance.happens(0.2) ? 0.4 : 0
  const cellOf = (text: string): string => {
    if (text === '') return '<c/>'
    if (isShared) return `<c t="s"><v>${shared.push(text) - 1}</v></c>`
    return program === 'Google' ? `<c t="str"><v>${escaped(text)}</v></c>` : textCell(text)
  }
  /** Typed anew, or pasted where a cell is no text. */
  const retypedCell = (text: string): string => {
    if (!chance.happens(retyped)) return cellOf(text)
    if (/^\d{4}-\d\d-\d\d$/.test(text)) return `<c s="1"><v>${serialOf(text)}</v></c>`
    if (/^\d{1,15}$/.test(text))
      return chance.happens(0.8) ? `<c><v>${Number(text)}</v></c>` : cellOf(by?.number(text) ?? text)
    return cellOf(text.replace(/^'/, ''))
  }
  const sheetXml = ([header = [], ...rows]: Sheet): string => {
    const columns = header.map((name, at) =>
      MARKS.test(name) && !/LibreOffice|Google|pandas/.test(program)
        ? `<col min="${at + 1}" max="${at + 1}" hidden="1"/>`
        : '',
    )
    const data = rowsOf([header.map(cellOf), ...rows.map((row) => row.map(retypedCell))])
    let line = 0
    const filtered = data.replace(/<row>/g, (row) =>
      (line += 1) > 1 && chance.happens(hidden) ? '<row hidden="1">' : row,
    )
    return `<cols>${columns.join('')}</cols>${filtered}`.replace('<cols></cols>', '')
  }
  const isMoved = /LibreOffice|Google/.test(program) && chance.happens(0.5)
  const sheets = isMoved ? shuffled([...book], chance) : [...book]
  const named = sheets.map(([name, sheet], at) => [isMoved ? `Tab ${at + 1}` : name, sheetXml(sheet)])
  return workbookBytes({
    sheets: Object.fromEntries(named) as Record<string, string>,
    formats: [14],
    shared: shared.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join(''),
  })
}
