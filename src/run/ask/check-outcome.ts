import { heldBackBecause } from '../../domain/proof/before-sending.js'
import type { Evidence as Proof } from '../../domain/proof/evidence.js'
import { NOTHING_LEFT, type Halt, type Outcome } from '../../domain/row/outcome.js'
import type { NotRead } from '../../service/read-back/classify-sources.js'

/**
 * What a look at the service before sending makes of the row (run/README.md#asked-first). Nothing of the row has left in
 * any of them, so that only what the service already holds may be in doubt.
 */
export const outcomeOfHeldBack = (proof: Proof, durationMs: number): Outcome => ({
  kind: 'in_doubt',
  hint: 'may_exist',
  reason: heldBackBecause(proof),
  halt: null,
  evidence: { ...NOTHING_LEFT, durationMs },
})

/**
 * A question without an answer that says something of the row. Like the same answer to the row itself, but that one is
 * never in doubt for it: what did not reach the service was _not sent_, what it answered otherwise is _turned away_.
 * @param halt why the run must stop, where the question alone does not say so
 */
export function outcomeOfUnanswered(seen: NotRead, halt: Halt | null): Outcome {
  const { started, reason, status, errorCode, durationMs, retryAfterMs } = seen
  return {
    kind: started ? 'turned_away' : 'not_sent',
    reason: `Asked first what the service holds; the row was not sent. ${reason}`,
    halt: seen.halt ?? halt,
    evidence: { ...NOTHING_LEFT, status, errorCode, durationMs, retryAfterMs },
  }
}

/** The run ends: whatever the service said, nothing further is sent. */
export const outcomeOfInterruption = (durationMs: number): Outcome => ({
  kind: 'not_sent',
  reason: 'The run was interrupted while the service was asked; the row was not sent',
  halt: null,
  evidence: { ...NOTHING_LEFT, durationMs },
})
