import { stateTitle } from '../../domain/row/state-words.js'
import type { RegisteredRow } from '../../ledger/read/reader.js'
import type { ListedRow } from '../facts/facts.js'
import type { SheetColumn } from './sheet-xml.js'

/** Of so many columns that a sheet can still be read when it is printed one page across. */
export const REGISTERED_COLUMNS: readonly SheetColumn<RegisteredRow>[] = [
  { header: 'Row', width: 9, value: (row) => row.id },
  { header: 'Customer', width: 14, value: customerOf },
  { header: 'IBAN (masked)', width: 15, value: (row) => row.ibanMasked },
  { header: 'Signed', width: 11, value: (row) => row.signedDate },
  { header: 'Previous creditor', width: 22, value: (row) => row.originalCreditorIdentifier },
  { header: 'Previous reference', width: 28, value: (row) => row.originalMandateReference },
  { header: 'Assigned creditor', width: 22, value: (row) => row.assignedCreditorIdentifier },
  { header: 'Assigned reference', width: 28, value: (row) => row.assignedMandateReference },
  { header: 'Registered at', width: 25, value: (row) => row.registeredAt },
  { header: 'First debit by', width: 13, value: (row) => row.latestFirstDebit },
  { header: 'Source', width: 24, value: (row) => row.source },
  { header: 'Record', width: 9, value: (row) => row.record },
]

/** As text: a spreadsheet rounds what has more than 15 digits. */
function customerOf({ customerNo }: Pick<RegisteredRow, 'customerNo'>): string | null {
  return customerNo === null ? null : String(customerNo)
}

const WHOSE: readonly SheetColumn<ListedRow>[] = [
  { header: 'Row', width: 9, value: ({ row }) => row.id },
  { header: 'State', width: 12, value: ({ row }) => stateTitle(row.state) },
  { header: 'Customer', width: 14, value: ({ row }) => customerOf(row) },
  { header: 'IBAN (masked)', width: 15, value: ({ row }) => row.ibanMasked },
  { header: 'Previous creditor', width: 22, value: ({ row }) => row.originalCreditorIdentifier },
  { header: 'Previous reference', width: 28, value: ({ row }) => row.originalMandateReference },
]

const STATUS: SheetColumn<ListedRow> = {
  header: 'HTTP status',
  width: 11,
  value: ({ explanation }) => explanation.status,
}

const WHAT_TO_DO: readonly SheetColumn<ListedRow>[] = [
  { header: 'Message', width: 48, value: ({ explanation }) => explanation.message, isWrapped: true },
  { header: 'What to do', width: 48, value: ({ explanation }) => explanation.remedy, isWrapped: true },
]

/** What the service is asked about. */
export const IN_DOUBT_COLUMNS: readonly SheetColumn<ListedRow>[] = [
  ...WHOSE,
  { header: 'Last request', width: 38, value: ({ row }) => row.lastAttempt?.requestId ?? null },
  { header: 'Last attempt at', width: 25, value: ({ row }) => row.lastAttempt?.startedAt ?? null },
  STATUS,
  ...WHAT_TO_DO,
]

/** What is looked up in the export. */
export const OPEN_COLUMNS: readonly SheetColumn<ListedRow>[] = [
  ...WHOSE,
  { header: 'Source', width: 24, value: ({ row }) => row.source },
  { header: 'Record', width: 9, value: ({ row }) => row.record },
  { header: 'Line', width: 9, value: ({ row }) => row.line },
  STATUS,
  { header: 'Rule', width: 24, value: ({ explanation }) => explanation.rule },
  ...WHAT_TO_DO,
]
