import type { Fault, FaultRule, Operation } from './faults.js'
import { chanceOf } from '../identifiers.js'

/** Which request this is. */
export interface Occasion {
  readonly operation: Operation
  /** The customer number, offer id or billogram id as text; empty where the request names none. */
  readonly subject: string
  /** Counts the requests of the operation from 1. */
  readonly ordinal: number
  /** Counts the requests of the operation for this subject from 1. */
  readonly subjectOrdinal: number
}

/** Chooses the fault of a request, null for none. Call it once per request. */
export type FaultPlan = (occasion: Occasion) => Fault | null

/**
 * Chaos draws from these, each with and without effect where that differs. A refusal and the answers that must
 * stop a run are left to scripts: chaos can be waited out.
 */
const CHAOS: readonly Fault[] = [
  { kind: 'throttle', status: 429, retry_after: 1 },
  { kind: 'server_error', status: 500, applied: false },
  { kind: 'server_error', status: 503, applied: true },
  { kind: 'hang', applied: true, for_ms: 2_000 },
  { kind: 'reset', applied: false },
  { kind: 'reset', applied: true },
  { kind: 'cut', applied: true, framing: 'content_length' },
  { kind: 'cut', applied: true, framing: 'close' },
  { kind: 'nonsense', applied: true, answer: 'html' },
  { kind: 'nonsense', applied: false, answer: 'empty' },
]

/**
 * Scripted rules go first, the first that matches wins; then chance. Chance depends on the seed, the subject and
 * how often the subject was seen, never on the order in which requests happen to arrive.
 */
export function planFaults(options: {
  readonly rules: readonly FaultRule[]
  readonly chaos: number
  readonly seed: number
}): FaultPlan {
  const timesUsed = new Map<FaultRule, number>()
  return (occasion) => {
    const rule = options.rules.find(
      (candidate) =>
        (timesUsed.get(candidate) ?? 0) < (candidate.times ?? Infinity) && matches(candidate, occasion),
    )
    if (rule === undefined) return chaosFor(occasion, options)
    timesUsed.set(rule, (timesUsed.get(rule) ?? 0) + 1)
    return rule.fault
  }
}

function matches({ operation, match }: FaultRule, occasion: Occasion): boolean {
  const isSubject = (
    of: readonly Operation[],
    wanted: string | number | readonly (string | number)[] | undefined,
  ) =>
    wanted === undefined ||
    (of.includes(occasion.operation) && [wanted].flat().some((one) => String(one) === occasion.subject))
  return (
    (operation === 'any' || operation === occasion.operation) &&
    isSubject(['migrate', 'read_back'], match.customer_no) &&
    isSubject(['offer'], match.offer_id) &&
    isSubject(['billogram'], match.billogram_id) &&
    (match.request === undefined || [match.request].flat().includes(occasion.ordinal)) &&
    (match.every === undefined || occasion.ordinal % match.every === 0)
  )
}

function chaosFor(occasion: Occasion, { chaos, seed }: { chaos: number; seed: number }): Fault | null {
  if (chaos === 0) return null
  const { operation, subject, subjectOrdinal } = occasion
  if (chanceOf(seed, operation, subject, subjectOrdinal, 'whether') >= chaos) return null
  const which = chanceOf(seed, operation, subject, subjectOrdinal, 'which')
  return CHAOS[Math.floor(which * CHAOS.length)] ?? null
}
