import type { RegisteredRow } from '../../ledger/read/reader.js'
import type { ListedRow } from '../facts/facts.js'
import type { Texts } from '../text/en.js'
import { stateTitle } from '../text/state-title.js'
import type { SheetColumn } from './sheet-xml.js'

/** Of so many columns that a sheet can still be read when it is printed one page across. */
export function registeredColumns(texts: Texts): readonly SheetColumn<RegisteredRow>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.row, width: 9, value: (row) => row.id },
    { header: headers.customer, width: 14, value: customerOf },
    { header: headers.account, width: 15, value: (row) => row.ibanMasked },
    { header: headers.signed, width: 11, value: (row) => row.signedDate },
    { header: headers.previousCreditor, width: 22, value: (row) => row.originalCreditorIdentifier },
    { header: headers.previousReference, width: 28, value: (row) => row.originalMandateReference },
    { header: headers.assignedCreditor, width: 22, value: (row) => row.assignedCreditorIdentifier },
    { header: headers.assignedReference, width: 28, value: (row) => row.assignedMandateReference },
    { header: headers.registeredAt, width: 25, value: (row) => row.registeredAt },
    { header: headers.firstDebitBy, width: 13, value: (row) => row.latestFirstDebit },
    { header: headers.source, width: 24, value: (row) => row.source },
    { header: headers.record, width: 9, value: (row) => row.record },
  ]
}

/** As text: a spreadsheet rounds what has more than 15 digits. */
function customerOf({ customerNo }: Pick<RegisteredRow, 'customerNo'>): string | null {
  return customerNo === null ? null : String(customerNo)
}

function whose(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.row, width: 9, value: ({ row }) => row.id },
    { header: headers.state, width: 12, value: ({ row }) => stateTitle(row.state, texts) },
    { header: headers.customer, width: 14, value: ({ row }) => customerOf(row) },
    { header: headers.account, width: 15, value: ({ row }) => row.ibanMasked },
    { header: headers.previousCreditor, width: 22, value: ({ row }) => row.originalCreditorIdentifier },
    { header: headers.previousReference, width: 28, value: ({ row }) => row.originalMandateReference },
  ]
}

function status(texts: Texts): SheetColumn<ListedRow> {
  const { headers } = texts.workbook
  return {
    header: headers.status,
    width: 11,
    value: ({ explanation }) => explanation.status,
  }
}

function whatToDo(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.message, width: 48, value: ({ explanation }) => explanation.message, isWrapped: true },
    { header: headers.remedy, width: 48, value: ({ explanation }) => explanation.remedy, isWrapped: true },
  ]
}

/** What the service is asked about. */
export function inDoubtColumns(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { headers } = texts.workbook
  return [
    ...whose(texts),
    { header: headers.lastRequest, width: 38, value: ({ row }) => row.lastAttempt?.requestId ?? null },
    { header: headers.lastAttemptAt, width: 25, value: ({ row }) => row.lastAttempt?.startedAt ?? null },
    status(texts),
    ...whatToDo(texts),
  ]
}

/** What is looked up in the export. */
export function openColumns(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { headers } = texts.workbook
  return [
    ...whose(texts),
    { header: headers.source, width: 24, value: ({ row }) => row.source },
    { header: headers.record, width: 9, value: ({ row }) => row.record },
    { header: headers.line, width: 9, value: ({ row }) => row.line },
    status(texts),
    { header: headers.rule, width: 24, value: ({ explanation }) => explanation.rule },
    ...whatToDo(texts),
  ]
}
