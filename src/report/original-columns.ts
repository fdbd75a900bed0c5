import type { RowRecord, SourceRecord } from '../ledger/reader.js'
import type { RequiredField } from '../domain/mandate.js'
import { editableCell, neutralCell } from './csv.js'

/** The columns of all sources side by side, so that rows of different exports fit into one file. */
export interface OriginalColumns {
  readonly names: readonly string[]
  /** The row's own cells under `names`, ready for a file that is edited and fed back. */
  readonly cellsOf: (row: RowRecord) => string[]
  /** The whole record of a row whose cells do not fit its header (ROW_FIELD_COUNT), else null. */
  readonly strayRecord: (row: RowRecord) => string | null
}

interface Placement {
  readonly header: readonly string[]
  /** For each cell its column in the file, or -1 for a column this program added to an earlier result file. */
  readonly target: readonly number[]
  /** Column in the file of each field. */
  readonly fields: ReadonlyMap<string, number>
}

/** Columns of earlier result files are written anew and never carried on (product.md 3). */
const isOurColumn = (name: string): boolean => name.trim().toLowerCase().startsWith('migration_')

function removedCell(row: RowRecord, field: RequiredField): string {
  switch (field) {
    case 'customer_no':
      return row.customerNo === null ? '' : String(row.customerNo)
    case 'iban':
      return row.ibanMasked ?? ''
    case 'signed_date':
      return row.signedDate ?? ''
    case 'sepa_creditor_identifier':
      return row.originalCreditorIdentifier ?? ''
    case 'unique_mandate_reference':
      return row.originalMandateReference ?? ''
  }
}

const REQUIRED: readonly RequiredField[] = [
  'customer_no',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
]

/** The columns of all sources in order of first appearance; the n-th column of a name is one column everywhere. */
export function mergeColumns(sources: readonly SourceRecord[]): OriginalColumns {
  const names: string[] = []
  const known = new Map<string, number>()
  const placements = new Map(sources.map((source) => [source.id, place(source, names, known)]))

  return { names: names.map(neutralCell), cellsOf, strayRecord }

  function strayRecord(row: RowRecord): string | null {
    const header = placements.get(row.sourceId)?.header
    if (row.cells === null || header === undefined || row.cells.length === header.length) return null
    return row.cells.join(' | ')
  }

  function cellsOf(row: RowRecord): string[] {
    const line = names.map(() => '')
    const placement = placements.get(row.sourceId)
    if (placement === undefined) return line
    if (row.cells === null) {
      for (const field of REQUIRED) {
        const column = placement.fields.get(field)
        if (column !== undefined) line[column] = editableCell(removedCell(row, field))
      }
      return line
    }
    const fed = new Set(placement.fields.values())
    for (const [index, column] of placement.target.entries()) {
      const cell = row.cells[index] ?? ''
      if (column >= 0) line[column] = fed.has(column) ? editableCell(cell) : neutralCell(cell)
    }
    // Values that may stand under a wrong name must not become sendable by feeding the file back unread.
    const iban = placement.fields.get('iban')
    if (iban !== undefined && row.cells.length !== placement.header.length) line[iban] = ''
    return line
  }
}

function place(source: SourceRecord, names: string[], known: Map<string, number>): Placement {
  const seen = new Map<string, number>()
  const target = source.header.map((name) => {
    if (isOurColumn(name)) return -1
    const nth = seen.get(name) ?? 0
    seen.set(name, nth + 1)
    const key = JSON.stringify([name, nth])
    const column = known.get(key) ?? names.push(name) - 1
    known.set(key, column)
    return column
  })
  const fields = new Map<string, number>()
  for (const [field, name] of Object.entries(source.columns)) {
    const column = target[source.header.indexOf(name)]
    if (column !== undefined && column >= 0) fields.set(field, column)
  }
  return { header: source.header, target, fields }
}
