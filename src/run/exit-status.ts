import { isBalanced, type Totals } from '../domain/row/totals.js'
import type { Stop } from './stop.js'

/** Rows are invalid, in conflict or refused, or a correction that was given could not be taken. */
export const SOME_LEFT = 3

/** The exit status of a campaign as it stands (cli/README.md#exit-status); the first that applies counts. */
export function exitStatusOf(totals: Totals, stop: Stop | null, signalStatus: number | null): number {
  if (!isBalanced(totals)) return 1
  if (stop?.kind === 'declined') return 2
  if (stop?.kind === 'signal' || signalStatus !== null) return signalStatus ?? 130
  if (stop?.kind === 'credentials') return 6
  if (totals.inDoubt + totals.sending > 0) return 4
  if (totals.ready > 0) return 5
  if (totals.invalid + totals.conflict + totals.refused > 0) return SOME_LEFT
  return 0
}
