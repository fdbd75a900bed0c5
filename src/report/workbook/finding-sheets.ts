import { verificationWord } from '../../domain/proof/verification.js'
import type { DecisionRecord, ProblemRecord, VerifiedRow } from '../../ledger/read/reader.js'
import { explainVerified } from '../facts/verification.js'
import { maskedText } from '../page/plain-text.js'
import type { SheetColumn } from './sheet-xml.js'

export const PROBLEM_COLUMNS: readonly SheetColumn<ProblemRecord>[] = [
  { header: 'Source', width: 24, value: (problem) => problem.source },
  { header: 'Record', width: 9, value: (problem) => problem.record },
  { header: 'Line', width: 9, value: (problem) => problem.line },
  { header: 'Column', width: 22, value: (problem) => problem.column },
  { header: 'Rule', width: 28, value: (problem) => problem.rule },
  { header: 'Severity', width: 9, value: (problem) => problem.severity },
  { header: 'Value', width: 28, value: (problem) => problem.value },
  { header: 'Message', width: 48, value: (problem) => problem.message, isWrapped: true },
  { header: 'What to do', width: 48, value: (problem) => problem.remedy, isWrapped: true },
]

export const VERIFIED_COLUMNS: readonly SheetColumn<VerifiedRow>[] = [
  { header: 'Row', width: 9, value: (row) => row.id },
  { header: 'Verification', width: 12, value: (row) => verificationWord(row.verdict) },
  { header: 'Customer', width: 14, value: (row) => String(row.customerNo) },
  { header: 'IBAN (masked)', width: 15, value: (row) => row.ibanMasked },
  { header: 'Assigned reference', width: 28, value: (row) => row.assignedMandateReference },
  { header: 'Verified at', width: 25, value: (row) => row.answeredAt },
  {
    header: 'Payment sources',
    width: 40,
    value: ({ sources }) => sources.map(({ id }) => id ?? '-').join(' '),
  },
  { header: 'May be cancelled', width: 30, value: (row) => row.cancellable.join(' ') },
  { header: 'What was seen', width: 48, value: explainVerified, isWrapped: true },
]

export const DECISION_COLUMNS: readonly SheetColumn<DecisionRecord>[] = [
  { header: 'Row', width: 9, value: (decision) => decision.rowId },
  { header: 'At', width: 25, value: (decision) => decision.at },
  { header: 'By', width: 20, value: (decision) => decision.by },
  { header: 'Decision', width: 14, value: (decision) => decision.decision },
  { header: 'Reason', width: 48, value: (decision) => maskedText(decision.reason), isWrapped: true },
  { header: 'Evidence', width: 48, value: (decision) => decision.evidence, isWrapped: true },
]
