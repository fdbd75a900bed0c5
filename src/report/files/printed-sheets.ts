import type { Feature, Image } from 'write-excel-file/node'

/** The rows of a sheet that are a table: from its header to its last line, in columns from A; null where it has none. */
export interface TableRange {
  readonly headerRow: number
  readonly lastRow: number
  readonly columns: number
}

/** `A`, `Z`, `AA`, counted from 1. */
function columnName(column: number): string {
  let name = ''
  for (let left = column; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name
  return name
}

const rangeText = ({ headerRow, lastRow, columns }: TableRange): string =>
  `A${headerRow}:${columnName(columns)}${lastRow}`

const once = (xml: string, mark: string, replacement: string): string => {
  if (!xml.includes(mark))
    throw new Error(`The sheet has no ${mark} any more: the writer of workbooks has changed`)
  return xml.replace(mark, () => replacement)
}

/** The order of elements within a worksheet is fixed (ISO/IEC 29500-1, CT_Worksheet). */
function withTable(xml: string, range: TableRange | null): string {
  const filter = range === null ? '' : `<autoFilter ref="${rangeText(range)}"/>`
  const landscape = range === null ? 'portrait' : 'landscape'
  const margins = '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>'
  const page = `<pageSetup paperSize="9" orientation="${landscape}" fitToWidth="1" fitToHeight="0"/>`
  const start = /<worksheet[^>]*>/.exec(xml)?.[0] ?? '<worksheet>'
  const fitted = once(xml, start, `${start}<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>`)
  const filtered = once(fitted, '</sheetData>', `</sheetData>${filter}`)
  return once(filtered, '</worksheet>', `${margins}${page}</worksheet>`)
}

/**
 * A filter over each table, and every sheet printed one page across (A4).
 * @param ranges of the sheets, in their order
 */
export const printedSheets = (ranges: readonly (TableRange | null)[]): Feature<Image['content']> => ({
  files: {
    transform: {
      'xl/worksheets/sheet{id}.xml': {
        transform: (xml, _, { sheetIndex }) => withTable(xml, ranges[sheetIndex] ?? null),
      },
    },
  },
})
