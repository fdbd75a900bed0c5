import type { Outcome } from '../domain/row/outcome.js'

/** What the service answered to one request for a mandate. */
export interface Answer {
  readonly word: AnswerWord
  readonly status: number | null
  /** The word of its envelope, such as INVALID_PARAMETER. */
  readonly identifier: string | null
  /** The field that it blames. */
  readonly field: string | null
}

/**
 * `exists`: refused because of the state of an object that it has, which may be this mandate. `unclear`: another 4xx that
 * does not tell whether the request was applied. `turned_away`: not available yet. `not_known`: no answer that belongs to
 * the question came: it was lost, cut, unreadable, a 5xx, or too many requests were sent.
 */
export type AnswerWord =
  'registered' | 'exists' | 'conflict' | 'refused' | 'unclear' | 'turned_away' | 'not_known'

const NOT_FOUND = 404
const TIMED_OUT = 408
const CONFLICT = 409

/** Pure. A fault of the moment is no answer: the same question may be answered otherwise a second later. */
export function answerOf(outcome: Outcome): Answer {
  const { status, serviceCode, field } = outcome.evidence
  return { word: wordOf(outcome), status, identifier: serviceCode, field }
}

function wordOf(outcome: Outcome): AnswerWord {
  const { status, errorCode } = outcome.evidence
  const isWhole = errorCode === null
  switch (outcome.kind) {
    case 'registered':
    case 'refused':
      return outcome.kind
    case 'turned_away':
      return status === NOT_FOUND ? 'turned_away' : 'not_known'
    case 'not_sent':
      return 'not_known'
    case 'in_doubt':
      return isWhole ? wordOfDoubt(status, outcome.hint === 'may_exist') : 'not_known'
  }
}

function wordOfDoubt(status: number | null, mayExist: boolean): AnswerWord {
  if (status === null || status < 400 || status >= 500 || status === TIMED_OUT) return 'not_known'
  if (mayExist) return 'exists'
  return status === CONFLICT ? 'conflict' : 'unclear'
}

export const isAnswered = ({ word }: Answer): boolean => word !== 'not_known'

/** Two answers that nobody could tell apart; the sentence in them may name what was asked. */
export const isSameAnswer = (one: Answer, other: Answer): boolean =>
  one.word === other.word &&
  one.status === other.status &&
  one.identifier === other.identifier &&
  one.field === other.field
