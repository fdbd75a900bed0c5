import type { RegisteredRow } from '../../ledger/read/reader.js'
import type { ListedRow } from '../facts/facts.js'
import type { Texts } from '../text/texts.js'
import type { SheetColumn } from './sheet-xml.js'

/** Of so many columns that a sheet can still be read when it is printed one page across. */
export function registeredColumns(texts: Texts): readonly SheetColumn<RegisteredRow>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: (row) => row.id },
    { header: say('label.customer'), width: 14, value: customerOf },
    { header: say('label.account'), width: 15, value: (row) => row.ibanMasked },
    { header: say('label.signed'), width: 11, value: (row) => row.signedDate },
    { header: say('label.previousCreditor'), width: 22, value: (row) => row.originalCreditorIdentifier },
    { header: say('label.previousReference'), width: 28, value: (row) => row.originalMandateReference },
    { header: say('label.assignedCreditor'), width: 22, value: (row) => row.assignedCreditorIdentifier },
    { header: say('label.assignedReference'), width: 28, value: (row) => row.assignedMandateReference },
    { header: say('label.registeredAt'), width: 25, value: (row) => row.registeredAt },
    { header: say('label.firstDebitBy'), width: 13, value: (row) => row.latestFirstDebit },
    { header: say('label.source'), width: 24, value: (row) => row.source },
    { header: say('label.record'), width: 9, value: (row) => row.record },
  ]
}

/** As text: a spreadsheet rounds what has more than 15 digits. */
function customerOf({ customerNo }: Pick<RegisteredRow, 'customerNo'>): string | null {
  return customerNo === null ? null : String(customerNo)
}

function whose(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: ({ row }) => row.id },
    { header: say('label.state'), width: 12, value: ({ row }) => texts.say(`state.${row.state}`) },
    { header: say('label.customer'), width: 14, value: ({ row }) => customerOf(row) },
    { header: say('label.account'), width: 15, value: ({ row }) => row.ibanMasked },
    { header: say('label.previousCreditor'), width: 22, value: ({ row }) => row.originalCreditorIdentifier },
    { header: say('label.previousReference'), width: 28, value: ({ row }) => row.originalMandateReference },
  ]
}

function status(texts: Texts): SheetColumn<ListedRow> {
  const { say } = texts
  return {
    header: say('label.status'),
    width: 11,
    value: ({ explanation }) => explanation.status,
  }
}

function whatToDo(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    {
      header: say('label.message'),
      width: 48,
      value: ({ explanation }) => explanation.message,
      isWrapped: true,
    },
    {
      header: say('label.remedy'),
      width: 48,
      value: ({ explanation }) => explanation.remedy,
      isWrapped: true,
    },
  ]
}

/** What the service is asked about. */
export function inDoubtColumns(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    ...whose(texts),
    { header: say('label.lastRequest'), width: 38, value: ({ row }) => row.lastAttempt?.requestId ?? null },
    { header: say('label.at'), width: 25, value: ({ row }) => row.lastAttempt?.startedAt ?? null },
    status(texts),
    ...whatToDo(texts),
  ]
}

/** What is looked up in the export. */
export function openColumns(texts: Texts): readonly SheetColumn<ListedRow>[] {
  const { say } = texts
  return [
    ...whose(texts),
    { header: say('label.source'), width: 24, value: ({ row }) => row.source },
    { header: say('label.record'), width: 9, value: ({ row }) => row.record },
    { header: say('label.line'), width: 9, value: ({ row }) => row.line },
    status(texts),
    { header: say('label.rule'), width: 24, value: ({ explanation }) => explanation.rule },
    ...whatToDo(texts),
  ]
}
