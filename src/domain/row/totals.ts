import { ROW_STATES, type RowState } from './row-state.js'

/**
 * Control totals. They count mandates of the campaign: `read` is the records of the exports and equals the sum of the
 * states, always. A correction takes the place of the row it corrects instead of adding one, so `resubmitted`, the
 * records that were given back, stands beside the equation.
 */
export interface Totals {
  readonly read: number
  readonly resubmitted: number
  readonly invalid: number
  readonly duplicate: number
  readonly conflict: number
  readonly excluded: number
  readonly superseded: number
  readonly ready: number
  readonly sending: number
  readonly registered: number
  readonly refused: number
  readonly inDoubt: number
  readonly writtenOff: number
}

type Counted = Exclude<keyof Totals, 'read' | 'resubmitted'>

/** The JSON name of each state. */
export const TOTAL_OF_STATE = {
  invalid: 'invalid',
  duplicate: 'duplicate',
  conflict: 'conflict',
  excluded: 'excluded',
  superseded: 'superseded',
  ready: 'ready',
  sending: 'sending',
  registered: 'registered',
  refused: 'refused',
  in_doubt: 'inDoubt',
  written_off: 'writtenOff',
} as const satisfies Record<RowState, Counted>

/** `read` comes from the reader's own count, not from the states, so that a lost row shows. */
export function totalsOf(read: number, byState: ReadonlyMap<RowState, number>, resubmitted = 0): Totals {
  const totals: Record<keyof Totals, number> = {
    read,
    resubmitted,
    invalid: 0,
    duplicate: 0,
    conflict: 0,
    excluded: 0,
    superseded: 0,
    ready: 0,
    sending: 0,
    registered: 0,
    refused: 0,
    inDoubt: 0,
    writtenOff: 0,
  }
  for (const state of ROW_STATES) totals[TOTAL_OF_STATE[state]] = byState.get(state) ?? 0
  return totals
}

export function isBalanced(totals: Totals): boolean {
  return totals.read === ROW_STATES.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)
}
