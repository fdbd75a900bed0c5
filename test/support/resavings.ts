import iconv from 'iconv-lite'
import Papa from 'papaparse'

/**
 * What other programs make of one of our files that is opened and saved again without a change. Each takes the bytes of
 * a CSV file and gives those that the program writes; cells are typed as it types them when it opens the file.
 */
export type Resaving = (file: Buffer) => Buffer

const read = (file: Buffer): { cells: string[][]; delimiter: string } => {
  const { data, meta } = Papa.parse<string[]>(file.toString('utf8').replace(/^\uFEFF/, ''), {
    newline: '\n',
    skipEmptyLines: true,
  })
  return { cells: data, delimiter: meta.delimiter }
}

const write = (cells: readonly (readonly string[])[], delimiter: string, newline: string): string =>
  cells
    .map((line) =>
      line
        .map((cell) =>
          cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell,
        )
        .join(delimiter),
    )
    .join(newline) + newline

const FORMULA_TEXT = /^="(.*)"$/s
const WHOLE = /^-?[0-9]+$/
const ISO_DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/
const DOTTED_DATE = /^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$/

/** Day, month and year where the cell is a date that exists: any other stays a text. */
function dateIn(cell: string): { day: string; month: string; year: string } | null {
  const [, isoYear, isoMonth, isoDay] = ISO_DATE.exec(cell) ?? []
  const [, dottedDay, dottedMonth, dottedYear] = DOTTED_DATE.exec(cell) ?? []
  const year = isoYear ?? dottedYear ?? ''
  const month = (isoMonth ?? dottedMonth ?? '').padStart(2, '0')
  const day = (isoDay ?? dottedDay ?? '').padStart(2, '0')
  const at = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return Number.isNaN(at.getTime()) || at.getUTCDate() !== Number(day) ? null : { day, month, year }
}

/** A number as a cell of the format "General" shows it: 11 digits, then an exponent; 15 are kept. */
function shownNumber(text: string, decimal: ',' | '.'): string {
  const digits = text.replace('-', '').replace(/^0+(?=[0-9])/, '')
  if (digits.length <= 11) return text.startsWith('-') ? `-${digits}` : digits
  const [mantissa = '', exponent = '0'] = Number(digits).toExponential(5).split('e+')
  const short = mantissa.replace(/\.?0+$/, '').replace('.', decimal)
  return `${short}E+${exponent.padStart(2, '0')}`
}

const eachCell = (cells: readonly string[][], change: (cell: string) => string): string[][] =>
  cells.map((line, index) => (index === 0 ? line : line.map(change)))

/** Excel with German settings: semicolons, its own code page, dates with dots, formulas as what they show. */
const excelGerman: Resaving = (file) => {
  const { cells } = read(file)
  const typed = eachCell(cells, (cell) => {
    const text = FORMULA_TEXT.exec(cell)?.[1]
    if (text !== undefined) return text
    const date = dateIn(cell)
    if (date !== null) return `${date.day}.${date.month}.${date.year}`
    if (WHOLE.test(cell)) return shownNumber(cell, ',')
    if (/^(?:true|wahr)$/i.test(cell)) return 'WAHR'
    return /^(?:false|falsch)$/i.test(cell) ? 'FALSCH' : cell
  })
  return iconv.encode(write(typed, ';', '\r\n'), 'windows-1252')
}

const DECIMAL = /^-?[0-9]+,[0-9]+$/

/**
 * LibreOffice with German settings, formulas shown, as LibreOffice 7.4 does it (test/e2e/resaved holds what it wrote): it
 * takes the marks of text off, dates get two digits of the year, zeros are lost before and behind numbers.
 */
const libreOffice: Resaving = (file) => {
  const { cells, delimiter } = read(file)
  const typed = eachCell(cells, (cell) => {
    const text = FORMULA_TEXT.exec(cell)?.[1]
    if (text !== undefined) return text
    const date = DOTTED_DATE.test(cell) ? dateIn(cell) : null
    if (date !== null) return `${date.day}.${date.month}.${date.year.slice(2)}`
    if (DECIMAL.test(cell)) return String(Number(cell.replace(',', '.'))).replace('.', ',')
    return WHOLE.test(cell) ? shownNumber(cell, ',') : cell
  })
  return Buffer.from(write(typed, delimiter, '\n'))
}

/** Google Sheets: commas, no mark, formulas as what they show, zeros lost. */
const googleSheets: Resaving = (file) => {
  const { cells } = read(file)
  const typed = eachCell(cells, (cell) => {
    const text = FORMULA_TEXT.exec(cell)?.[1]
    if (text !== undefined) return text
    if (WHOLE.test(cell) && cell.length <= 15) return String(Number(cell))
    return /^(?:true|false)$/i.test(cell) ? cell.toUpperCase() : cell
  })
  return Buffer.from(write(typed, ',', '\r\n').replace(/\r\n$/, ''))
}

const PANDAS_ABSENT = new Set(['', 'NA', 'N/A', 'n/a', 'NaN', 'nan', 'NULL', 'null', 'None', '#N/A', '<NA>'])

/** pandas: a column of whole numbers becomes numbers, with decimals where a cell of it is empty. */
const pandas: Resaving = (file) => {
  const { cells } = read(file)
  const [header = [], ...lines] = cells
  const columns = header.map((_, at) => lines.map((line) => line[at] ?? ''))
  const typed = columns.map((column) => {
    const present = column.filter((cell) => !PANDAS_ABSENT.has(cell))
    const isWhole = present.length > 0 && present.every((cell) => WHOLE.test(cell) && cell.length <= 15)
    return column.map((cell) => {
      if (PANDAS_ABSENT.has(cell)) return ''
      if (!isWhole) return cell
      return present.length < column.length ? `${Number(cell)}.0` : String(Number(cell))
    })
  })
  return Buffer.from(
    write([header, ...lines.map((_, row) => typed.map((column) => column[row] ?? ''))], ',', '\n'),
  )
}

export const RESAVINGS: readonly (readonly [string, Resaving])[] = [
  ['Excel German', excelGerman],
  ['LibreOffice', libreOffice],
  ['Google', googleSheets],
  ['pandas', pandas],
]
