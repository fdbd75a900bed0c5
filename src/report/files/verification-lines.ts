import { verificationWord } from '../../domain/proof/verification.js'
import type { VerifiedRow } from '../../ledger/read/reader.js'
import { explainVerified } from '../facts/verification.js'
import { BYTE_ORDER_MARK, csvHeader, csvLine, editableCell, messageCell } from './csv.js'

/** Written only where registered rows were read back. */
export const VERIFICATION_FILE = 'verification.csv'

export const VERIFICATION_COLUMNS = [
  'migration_row',
  'customer_no',
  'iban_masked',
  'assigned_mandate_reference',
  'assigned_creditor_identifier',
  'verification',
  'verified_at',
  'payment_sources',
  'payment_source_statuses',
  'may_be_cancelled',
  'explanation',
] as const

export const verificationHeader = (): string => BYTE_ORDER_MARK + csvHeader(VERIFICATION_COLUMNS)

/** Ids and statuses stand in one cell each, in the same order, between blanks. */
export const verificationLine = (row: VerifiedRow): string =>
  csvLine([
    String(row.id),
    String(row.customerNo),
    row.ibanMasked ?? '',
    editableCell(row.assignedMandateReference),
    editableCell(row.assignedCreditorIdentifier),
    verificationWord(row.verdict),
    row.answeredAt,
    messageCell(row.sources.map(({ id }) => id ?? '-').join(' ')),
    messageCell(row.sources.map(({ status }) => status ?? '-').join(' ')),
    messageCell(row.cancellable.join(' ')),
    messageCell(explainVerified(row)),
  ])
