import { verificationWord } from '../../domain/proof/verification.js'
import type { DecisionRecord, ProblemRecord, VerifiedRow } from '../../ledger/read/reader.js'
import { explainVerified } from '../facts/verification.js'
import { maskedText } from '../page/plain-text.js'
import type { Texts } from '../text/en.js'
import { decisionReason, decisionWord, problemMessage, problemRemedy } from '../text/recorded.js'
import type { SheetColumn } from './sheet-xml.js'

export function problemColumns(texts: Texts): readonly SheetColumn<ProblemRecord>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.source, width: 24, value: (problem) => problem.source },
    { header: headers.record, width: 9, value: (problem) => problem.record },
    { header: headers.line, width: 9, value: (problem) => problem.line },
    { header: headers.column, width: 22, value: (problem) => problem.column },
    { header: headers.rule, width: 28, value: (problem) => problem.rule },
    { header: headers.severity, width: 9, value: (problem) => texts.severities[problem.severity] },
    { header: headers.value, width: 28, value: (problem) => problem.value },
    {
      header: headers.message,
      width: 48,
      value: (problem) => problemMessage(problem, texts),
      isWrapped: true,
    },
    { header: headers.remedy, width: 48, value: (problem) => problemRemedy(problem, texts), isWrapped: true },
  ]
}

export function verifiedColumns(texts: Texts): readonly SheetColumn<VerifiedRow>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.row, width: 9, value: (row) => row.id },
    {
      header: headers.verification,
      width: 12,
      value: (row) => texts.verdictWords[verificationWord(row.verdict)],
    },
    { header: headers.customer, width: 14, value: (row) => String(row.customerNo) },
    { header: headers.account, width: 15, value: (row) => row.ibanMasked },
    { header: headers.assignedReference, width: 28, value: (row) => row.assignedMandateReference },
    { header: headers.verifiedAt, width: 25, value: (row) => row.answeredAt },
    {
      header: headers.paymentSources,
      width: 40,
      value: ({ sources }) => sources.map(({ id }) => id ?? '-').join(' '),
    },
    { header: headers.cancellable, width: 30, value: (row) => row.cancellable.join(' ') },
    { header: headers.seen, width: 48, value: (row) => explainVerified(row, texts), isWrapped: true },
  ]
}

export function decisionColumns(texts: Texts): readonly SheetColumn<DecisionRecord>[] {
  const { headers } = texts.workbook
  return [
    { header: headers.row, width: 9, value: (decision) => decision.rowId },
    { header: headers.at, width: 25, value: (decision) => decision.at },
    { header: headers.by, width: 20, value: (decision) => decision.by },
    { header: headers.decision, width: 14, value: ({ decision }) => decisionWord(decision, texts) },
    {
      header: headers.reason,
      width: 48,
      value: ({ reason }) => maskedText(decisionReason(reason, texts)),
      isWrapped: true,
    },
    { header: headers.evidence, width: 48, value: (decision) => decision.evidence, isWrapped: true },
  ]
}
