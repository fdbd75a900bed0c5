import { isRuleId, RULES } from '../../domain/rule/rules.js'
import type { DecisionRecord, ProblemRecord, RowRecord } from '../../ledger/read/reader.js'
import { maskedText } from '../page/plain-text.js'
import { timeText } from '../../domain/text/wording.js'

/** Why a row is where it is and what a person should do, for the result files and the lists. */
export interface Explanation {
  readonly rule: string
  /** HTTP status of the last answer, or empty. */
  readonly status: string
  readonly message: string
  readonly remedy: string
}

/** What the ledger knows of a row besides the row itself. */
export interface RowBackground {
  readonly problems: readonly ProblemRecord[]
  /** The latest decision of a person. */
  readonly decision: DecisionRecord | null
}

const IN_DOUBT_REMEDY =
  'Look the mandate up at the service. Then fill the decision columns and run "sepa-migrate resolve --from" with this file. Never feed it back as a source.'
const REFUSED_REMEDY =
  'Correct the value and feed this file back. If the cause was at the service, run again with --retry-refused.'

export function explain(row: RowRecord, background: RowBackground): Explanation {
  const explanation = explainState(row, background)
  const former = formerDoubt(row)
  if (former === null) return explanation
  const { message } = explanation
  return { ...explanation, message: message === '' ? former : `${message.replace(/[.!]?$/, '.')} ${former}` }
}

/** What was ever in doubt says so, whatever it was called since: the late request may have been applied. */
function formerDoubt({ id, state, formerDoubt: decided, lastAttempt }: RowRecord): string | null {
  const isClosed = state === 'written_off' && lastAttempt?.outcome === 'in_doubt'
  const former = isClosed ? { ...lastAttempt, rowId: id } : decided
  if (former === null) return null
  const whose = former.rowId === id ? 'It was' : `Row ${former.rowId} of this mandate was`
  const told = `${whose} in doubt: ${leftText(former.started)} ${timeText(former.startedAt)} (id ${former.requestId})`
  if (state === 'registered') return `${told}.`
  return former.started === false ? `${told}.` : `${told} and may have been applied.`
}

/** @param started whether a byte left; null where that is not known, as after a kill */
function leftText(started: boolean | null): string {
  if (started === null) return 'its request may have left'
  return started ? 'its request left' : 'the service held it already, and nothing was sent'
}

function explainState(row: RowRecord, background: RowBackground): Explanation {
  switch (row.state) {
    case 'invalid':
    case 'duplicate':
    case 'conflict':
    case 'excluded':
      return explainAdmission(row, background)
    case 'ready':
      return {
        ...lastAnswer(row),
        message: readyMessage(row, background.decision),
        remedy: 'Run again to send it.',
      }
    case 'sending':
      return {
        ...lastAnswer(row),
        message: 'A run is sending this row, or ended while it did',
        remedy: 'If no run is going, run again: the row becomes in doubt and is not sent.',
      }
    case 'in_doubt':
      return { ...lastAnswer(row), message: serviceSaid(row), remedy: IN_DOUBT_REMEDY }
    case 'refused':
      return {
        ...lastAnswer(row),
        message: decided(row, background.decision) ?? serviceSaid(row),
        remedy: REFUSED_REMEDY,
      }
    case 'registered':
      return { ...lastAnswer(row), message: decided(row, background.decision) ?? 'Registered', remedy: '' }
    case 'superseded':
      return {
        ...lastAnswer(row),
        message:
          row.supersededBy === null
            ? 'Replaced by a later file'
            : `Replaced by row ${row.supersededBy} of a later file`,
        remedy: '',
      }
    case 'written_off':
      return {
        ...lastAnswer(row),
        message: decided(row, background.decision) ?? 'Written off by a person',
        remedy: '',
      }
  }
}

function lastAnswer(row: RowRecord): { rule: string; status: string } {
  const status = row.lastAttempt?.status ?? null
  return { rule: row.rule ?? '', status: status === null ? '' : String(status) }
}

/** The decision of a person, unless a later attempt has overtaken it. */
function decided(row: RowRecord, decision: DecisionRecord | null): string | null {
  if (decision === null || decision.attemptId !== (row.lastAttempt?.id ?? null)) return null
  return maskedText(
    `Decided by ${decision.by} on ${decision.at.slice(0, 10)} (${decision.decision}): ${decision.reason}`,
  )
}

/** Code, field and words of the service, then what this program made of it. */
function serviceSaid(row: RowRecord): string {
  const attempt = row.lastAttempt
  if (attempt === null) return ''
  const field = attempt.field === null ? null : `field ${attempt.field}`
  const parts = [attempt.serviceCode, field, attempt.message].filter((part) => part !== null && part !== '')
  const words = maskedText(parts.join(', '))
  if (attempt.reason === null || attempt.reason === attempt.message) return words
  const reason = maskedText(attempt.reason)
  return words === '' ? reason : `${reason}. The service said: ${words}`
}

function readyMessage(row: RowRecord, decision: DecisionRecord | null): string {
  const last = serviceSaid(row)
  switch (row.lastAttempt?.outcome ?? null) {
    case null:
      return 'Not sent yet'
    case 'released':
      return `To be sent again. ${decided(row, decision) ?? 'A person decided so'}`
    case 'refused':
      return `To be sent again after it was refused: ${last}`
    default:
      return `Not registered yet, the last attempt was not carried out: ${last}`
  }
}

function explainAdmission(row: RowRecord, background: RowBackground): Explanation {
  const errors = background.problems.filter((problem) => problem.severity === 'error')
  const rules = [...new Set([row.rule ?? '', ...errors.map((problem) => problem.rule)])].filter(
    (rule) => rule !== '',
  )
  const messages = errors.map((problem) =>
    problem.column === '' ? problem.message : `${problem.column}: ${problem.message}`,
  )
  if (messages.length === 0) messages.push(ruleMessage(row.rule))
  const remedies = new Set(errors.map((problem) => problem.remedy))
  if (remedies.size === 0 && row.rule !== null && isRuleId(row.rule)) remedies.add(RULES[row.rule].remedy)
  return { rule: rules.join(' '), status: '', message: messages.join(' '), remedy: [...remedies].join(' ') }
}

const ruleMessage = (rule: string | null): string => {
  if (rule === null) return ''
  return isRuleId(rule) ? RULES[rule].message : rule
}
