import { contradictedIn, type Verification } from '../proof/verification.js'
import type { OpenCutOver } from './cut-over.js'
import type { MandateTotals } from './row-state.js'

/** What somebody still has to act on, in the order in which a person looks at it. */
export type OpenPoint =
  | 'contradicted'
  | 'unexpected'
  | 'in_doubt'
  | 'sending'
  | 'ready'
  | 'held'
  | 'cutOver'
  | 'untaken'
  | 'uncompared'
  | 'refused'
  | 'conflict'
  | 'invalid'

/** Mandates, and lines and totals that wait for a person; what is not open is left out. */
export function openPointsOf(
  mandates: MandateTotals,
  cutOver: OpenCutOver,
  verification: Verification | null,
): (readonly [point: OpenPoint, count: number])[] {
  const points: readonly (readonly [OpenPoint, number])[] = [
    ['contradicted', verification === null ? 0 : contradictedIn(verification)],
    ['unexpected', cutOver.unexpected],
    ['in_doubt', mandates.inDoubt],
    ['sending', mandates.sending],
    ['ready', mandates.ready - cutOver.held],
    ['held', cutOver.held],
    ['cutOver', cutOver.open],
    ['untaken', cutOver.untaken],
    ['uncompared', cutOver.uncompared],
    ['refused', mandates.refused],
    ['conflict', mandates.conflict],
    ['invalid', mandates.invalid],
  ]
  return points.filter(([, count]) => count > 0)
}
