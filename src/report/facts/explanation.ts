import { isRuleId } from '../../domain/rule/rules.js'
import type { DecisionRecord, ProblemRecord, RowRecord } from '../../ledger/read/reader.js'
import { maskedText } from '../page/plain-text.js'
import { timeText } from '../../domain/text/wording.js'
import { en, type Texts } from '../text/en.js'
import { problemMessage, problemRemedy, reasonText } from '../text/recorded.js'

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

/** @param texts English where the files are written, which are the same in every language */
export function explain(row: RowRecord, background: RowBackground, texts: Texts = en): Explanation {
  const explanation = explainState(row, background, texts)
  const former = formerDoubt(row, texts.explanation)
  if (former === null) return explanation
  const { message } = explanation
  return { ...explanation, message: message === '' ? former : `${message.replace(/[.!]?$/, '.')} ${former}` }
}

/** What was ever in doubt says so, whatever it was called since: the late request may have been applied. */
function formerDoubt(
  { id, state, formerDoubt: decided, lastAttempt }: RowRecord,
  words: Texts['explanation'],
): string | null {
  const isClosed = state === 'written_off' && lastAttempt?.outcome === 'in_doubt'
  const former = isClosed ? { ...lastAttempt, rowId: id } : decided
  if (former === null) return null
  const how = leftText(former.started, words)
  const at = timeText(former.startedAt)
  const told =
    former.rowId === id
      ? words.itWasInDoubt(how, at, former.requestId)
      : words.rowWasInDoubt(former.rowId, how, at, former.requestId)
  return state === 'registered' || former.started === false ? `${told}.` : words.mayBeApplied(told)
}

/** @param started whether a byte left; null where that is not known, as after a kill */
function leftText(started: boolean | null, words: Texts['explanation']): string {
  if (started === null) return words.mayHaveLeft
  return started ? words.left : words.heldAlready
}

function explainState(row: RowRecord, background: RowBackground, texts: Texts): Explanation {
  const { explanation: words } = texts
  switch (row.state) {
    case 'invalid':
    case 'duplicate':
    case 'conflict':
    case 'excluded':
      return explainAdmission(row, background, texts)
    case 'ready':
      return {
        ...lastAnswer(row),
        message: readyMessage(row, background.decision, texts),
        remedy: words.readyRemedy,
      }
    case 'sending':
      return {
        ...lastAnswer(row),
        message: words.sending,
        remedy: words.sendingRemedy,
      }
    case 'in_doubt':
      return { ...lastAnswer(row), message: serviceSaid(row, texts), remedy: words.inDoubtRemedy }
    case 'refused':
      return {
        ...lastAnswer(row),
        message: decided(row, background.decision, words) ?? serviceSaid(row, texts),
        remedy: words.refusedRemedy,
      }
    case 'registered':
      return {
        ...lastAnswer(row),
        message: decided(row, background.decision, words) ?? words.registered,
        remedy: '',
      }
    case 'superseded':
      return {
        ...lastAnswer(row),
        message: row.supersededBy === null ? words.replaced : words.replacedBy(row.supersededBy),
        remedy: '',
      }
    case 'written_off':
      return {
        ...lastAnswer(row),
        message: decided(row, background.decision, words) ?? words.writtenOff,
        remedy: '',
      }
  }
}

function lastAnswer(row: RowRecord): { rule: string; status: string } {
  const status = row.lastAttempt?.status ?? null
  return { rule: row.rule ?? '', status: status === null ? '' : String(status) }
}

/** The decision of a person, unless a later attempt has overtaken it. */
function decided(
  row: RowRecord,
  decision: DecisionRecord | null,
  words: Texts['explanation'],
): string | null {
  if (decision === null || decision.attemptId !== (row.lastAttempt?.id ?? null)) return null
  return maskedText(words.decided(decision.by, decision.at.slice(0, 10), decision.decision, decision.reason))
}

/** Code, field and words of the service, then what this program made of it. */
function serviceSaid(row: RowRecord, texts: Texts): string {
  const { explanation: said } = texts
  const attempt = row.lastAttempt
  if (attempt === null) return ''
  const field = attempt.field === null ? null : said.field(attempt.field)
  const parts = [attempt.serviceCode, field, attempt.message].filter((part) => part !== null && part !== '')
  const words = maskedText(parts.join(', '))
  if (attempt.reason === null || attempt.reason === attempt.message) return words
  const reason = reasonText(maskedText(attempt.reason), texts)
  return words === '' ? reason : said.theServiceSaid(reason, words)
}

function readyMessage(row: RowRecord, decision: DecisionRecord | null, texts: Texts): string {
  const { explanation: words } = texts
  const last = serviceSaid(row, texts)
  switch (row.lastAttempt?.outcome ?? null) {
    case null:
      return words.notSentYet
    case 'released':
      return words.toBeSentAgain(decided(row, decision, words) ?? words.aPersonDecided)
    case 'refused':
      return words.afterRefusal(last)
    default:
      return words.notCarriedOut(last)
  }
}

function explainAdmission(row: RowRecord, background: RowBackground, texts: Texts): Explanation {
  const errors = background.problems.filter((problem) => problem.severity === 'error')
  const rules = [...new Set([row.rule ?? '', ...errors.map((problem) => problem.rule)])].filter(
    (rule) => rule !== '',
  )
  const messages = errors.map((problem) =>
    problem.column === ''
      ? problemMessage(problem, texts)
      : texts.labelled(problem.column, problemMessage(problem, texts)),
  )
  if (messages.length === 0) messages.push(ruleMessage(row.rule, texts))
  const remedies = new Set(errors.map((problem) => problemRemedy(problem, texts)))
  if (remedies.size === 0 && row.rule !== null && isRuleId(row.rule))
    remedies.add(texts.rules[row.rule].remedy)
  return { rule: rules.join(' '), status: '', message: messages.join(' '), remedy: [...remedies].join(' ') }
}

const ruleMessage = (rule: string | null, { rules }: Texts): string => {
  if (rule === null) return ''
  return isRuleId(rule) ? rules[rule].message : rule
}
