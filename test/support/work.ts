import { readFileSync, writeFileSync } from 'node:fs'
import { strToU8, zipSync } from 'fflate'
import { plain, sheetNames, unzipped } from '../report/workbook-value.js'

/** Cells of a sheet by its header, as a spreadsheet shows them. */
export type SheetRows = Record<string, string>[]

const rowsOf = (xml: string): string[] => xml.match(/<row[ >].*?<\/row>/gs) ?? []
const cellsOf = (row: string): string[] => row.match(/<c(?: [^>]*?)?(?:\/>|>.*?<\/c>)/gs) ?? []
const textOf = (cell: string): string => plain(/<t[^>]*>(.*?)<\/t>/s.exec(cell)?.[1] ?? '')

const READ_ME = 'Read me first'

/** A workbook of this program in the hands of a person: sheets are parts of XML, changed as text. */
export function openWork(path: string) {
  const parts = new Map([...unzipped(readFileSync(path))].map(([name, { text }]) => [name, text]))
  const all = sheetNames(parts.get('xl/workbook.xml') ?? '')
  const part = (sheet: string): string => `xl/worksheets/sheet${all.indexOf(sheet) + 1}.xml`
  const xml = (sheet: string): string => parts.get(part(sheet)) ?? ''
  const header = (sheet: string): string[] => cellsOf(rowsOf(xml(sheet))[0] ?? '').map(textOf)
  const change = (sheet: string, to: (rows: string[]) => string[]): void => {
    const [names = '', headings = '', ...rows] = rowsOf(xml(sheet))
    const data = `<sheetData>${names}${headings}${to(rows).join('')}</sheetData>`
    parts.set(
      part(sheet),
      xml(sheet).replace(/<sheetData>.*<\/sheetData>/s, () => data),
    )
  }
  return {
    /** Of the lists. */
    names: all.filter((name) => name !== READ_ME),
    /** What the first sheet says. */
    readMe: () => rowsOf(xml(READ_ME)).flatMap((row) => cellsOf(row).map(textOf)),
    headings: (sheet: string): string[] => cellsOf(rowsOf(xml(sheet))[1] ?? '').map(textOf),
    xml,
    styles: () => parts.get('xl/styles.xml') ?? '',
    header,
    rows: (sheet: string): SheetRows =>
      rowsOf(xml(sheet))
        .slice(2)
        .map((row) => {
          const cells = cellsOf(row).map(textOf)
          return Object.fromEntries(header(sheet).map((name, at) => [name, cells[at] ?? '']))
        }),
    /** Types a row of these cells beneath the last one. */
    add: (sheet: string, ...cells: readonly string[]): void =>
      change(sheet, (rows) => [
        ...rows,
        `<row>${cells.map((cell) => `<c t="inlineStr"><is><t>${cell}</t></is></c>`).join('')}</row>`,
      ]),
    /** Deletes the first row. */
    behead: (sheet: string): void =>
      void parts.set(part(sheet), xml(sheet).replace(/<row[ >].*?<\/row>/s, '')),
    /** Types into the cells of these columns of a row, from 0. */
    type: (sheet: string, nth: number, cells: Readonly<Record<string, string>>): void =>
      change(sheet, (rows) =>
        rows.map((row, at) => {
          if (at !== nth) return row
          const typed = cellsOf(row).map((cell, column) => {
            const text = cells[header(sheet)[column] ?? '']
            if (text === undefined) return cell
            const style = / s="\d+"/.exec(cell)?.[0] ?? ''
            return `<c${style} t="inlineStr"><is><t>${text.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</t></is></c>`
          })
          return `${/^<row[^>]*>/.exec(row)?.[0] ?? '<row>'}${typed.join('')}</row>`
        }),
      ),
    /** What somebody does with whole rows: sorts, hides, deletes them. */
    change,
    save: (to = path): void =>
      writeFileSync(
        to,
        zipSync(Object.fromEntries([...parts].map(([name, text]) => [name, strToU8(text)]))),
        { mode: 0o600 },
      ),
  }
}
