import { lapsesBefore } from '../../domain/mandate/notice.js'
import type { LocalDate } from '../../domain/mandate/mandate.js'
import { verificationWord } from '../../domain/proof/verification.js'
import type { NotifiedRow } from '../../ledger/read/reader.js'
import { maskedText } from '../page/plain-text.js'
import { BYTE_ORDER_MARK, csvHeader, csvLine, editableCell, messageCell } from './csv.js'

/** What a letter has to say of one mandate, with what an export says of its customer. */
export interface Notice {
  readonly row: NotifiedRow
  readonly firstDebit: LocalDate
  readonly contact: Readonly<Record<'name' | 'email' | 'language', string>> | null
}

const COLUMNS = [
  'customer_no',
  'name',
  'email',
  'language',
  'original_creditor_identifier',
  'original_mandate_reference',
  'assigned_creditor_identifier',
  'assigned_mandate_reference',
  'iban_masked',
  'signed_date',
  'first_debit',
  'verification',
  'warning',
] as const

export const noticeHeader = (): string => BYTE_ORDER_MARK + csvHeader(COLUMNS)

export const noticeLine = ({ row, firstDebit, contact }: Notice): string =>
  csvLine([
    String(row.customerNo ?? ''),
    contactCell(contact?.name),
    contactCell(contact?.email),
    contactCell(contact?.language),
    editableCell(row.originalCreditorIdentifier ?? ''),
    editableCell(row.originalMandateReference ?? ''),
    editableCell(row.assignedCreditorIdentifier),
    editableCell(row.assignedMandateReference),
    row.ibanMasked ?? '',
    row.signedDate ?? '',
    firstDebit,
    row.verdict === null ? 'not asked' : verificationWord(row.verdict),
    warningOf(row, firstDebit),
  ])

/** Somebody may have named the column of the accounts. */
const contactCell = (text = ''): string => messageCell(maskedText(text))

/** Why a letter to this customer needs a look first; empty where nothing speaks against it. */
function warningOf({ latestFirstDebit, verdict }: NotifiedRow, firstDebit: LocalDate): string {
  return [
    ...(lapsesBefore(latestFirstDebit, firstDebit)
      ? [`The mandate lapses on ${latestFirstDebit ?? ''}, before the first debit.`]
      : []),
    ...(verdict === null || verdict === 'proven'
      ? []
      : [`Not proven at the service: ${verificationWord(verdict)}.`]),
  ].join(' ')
}
