import type { Outcome } from '../row/outcome.js'
import type { Evidence, KeptSource } from './evidence.js'
import type { Verdict } from './match-sources.js'

/**
 * What becomes of a row that the service was asked about before it is sent. What may be there is held back for a person;
 * what cannot be told is asked again another time. Only a list that shows no such mandate lets a row leave, and even
 * that proves nothing: it is the same as if nobody had asked.
 */
export type BeforeSending = 'send' | 'hold_back' | 'ask_again'

export function beforeSending(verdict: Verdict): BeforeSending {
  switch (verdict.kind) {
    case 'absent':
      return 'send'
    case 'proven':
    case 'twice':
      return 'hold_back'
    case 'other':
      return verdict.why === 'differs' ? 'send' : 'hold_back'
    case 'unreadable':
      return 'ask_again'
  }
}

/** In doubt although no byte of its request left: the service holds it already. */
export const isHeldBack = ({ kind, evidence }: Pick<Outcome, 'kind' | 'evidence'>): boolean =>
  kind === 'in_doubt' && !evidence.started

/** Why a row is held back, as one sentence for the operator. */
export function heldBackBecause({ verdict, why, sources }: Evidence): string {
  const shown = sources.map(textOf).join('; ')
  return `${HELD_BACK[wordOf(verdict, why)]}, so it was not sent: ${shown}`
}

function wordOf(verdict: Evidence['verdict'], why: Evidence['why']): keyof typeof HELD_BACK {
  if (why === 'ended' || why === 'ambiguous') return why
  if (why === 'other_date') return 'otherDate'
  return verdict === 'twice' ? 'moreThanOnce' : 'once'
}

/** What the service holds, as the beginning of that sentence. */
const HELD_BACK = {
  once: 'The service already holds this mandate',
  moreThanOnce: 'The service already holds this mandate more than once',
  ended: 'The service holds this mandate as one that was cancelled',
  otherDate: 'The service holds a mandate with this account and another date',
  ambiguous:
    'The service holds a mandate that is this one or that of another row with the same account and date',
} as const

const textOf = ({ id, status, reference }: KeptSource): string =>
  `payment source ${id ?? 'without an id'}${reference === null ? '' : `, reference ${reference}`}${status === null ? '' : `, ${status}`}`
