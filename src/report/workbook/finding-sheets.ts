import { verificationWord } from '../../domain/proof/verification.js'
import type { DecisionRecord, ProblemRecord, VerifiedRow } from '../../ledger/read/reader.js'
import { explainVerified } from '../facts/verification.js'
import { decisionWord } from '../page/page-record.js'
import { maskedText } from '../page/plain-text.js'
import type { Texts } from '../text/texts.js'
import type { SheetColumn } from './sheet-xml.js'

export function problemColumns(texts: Texts): readonly SheetColumn<ProblemRecord>[] {
  const { say } = texts
  return [
    { header: say('label.source'), width: 24, value: (problem) => problem.source },
    { header: say('label.record'), width: 9, value: (problem) => problem.record },
    { header: say('label.line'), width: 9, value: (problem) => problem.line },
    { header: say('label.column'), width: 22, value: (problem) => problem.column },
    { header: say('label.rule'), width: 28, value: (problem) => problem.rule },
    { header: say('label.severity'), width: 9, value: (problem) => say(`severity.${problem.severity}`) },
    { header: say('label.value'), width: 28, value: (problem) => problem.value },
    { header: say('label.message'), width: 48, value: (problem) => problem.message, isWrapped: true },
    { header: say('label.remedy'), width: 48, value: (problem) => problem.remedy, isWrapped: true },
  ]
}

export function verifiedColumns(texts: Texts): readonly SheetColumn<VerifiedRow>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: (row) => row.id },
    {
      header: say('label.verification'),
      width: 12,
      value: (row) => say(`proof.${verificationWord(row.verdict)}`),
    },
    { header: say('label.customer'), width: 14, value: (row) => String(row.customerNo) },
    { header: say('label.account'), width: 15, value: (row) => row.ibanMasked },
    { header: say('label.assignedReference'), width: 28, value: (row) => row.assignedMandateReference },
    { header: say('label.at'), width: 25, value: (row) => row.answeredAt },
    {
      header: say('label.paymentSources'),
      width: 40,
      value: ({ sources }) => sources.map(({ id }) => id ?? '-').join(' '),
    },
    { header: say('label.cancellable'), width: 30, value: (row) => row.cancellable.join(' ') },
    { header: say('label.message'), width: 48, value: explainVerified, isWrapped: true },
  ]
}

export function decisionColumns(texts: Texts): readonly SheetColumn<DecisionRecord>[] {
  const { say } = texts
  return [
    { header: say('label.row'), width: 9, value: (decision) => decision.rowId },
    { header: say('label.at'), width: 25, value: (decision) => decision.at },
    { header: say('label.by'), width: 20, value: (decision) => decision.by },
    { header: say('label.decision'), width: 14, value: ({ decision }) => decisionWord(decision, texts) },
    {
      header: say('label.reason'),
      width: 48,
      value: ({ reason }) => maskedText(reason),
      isWrapped: true,
    },
    { header: say('label.evidence'), width: 48, value: (decision) => decision.evidence, isWrapped: true },
  ]
}
