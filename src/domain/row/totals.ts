import { ROW_STATES, type RowState } from './row-state.js'

/**
 * Control totals. They count mandates of the campaign: `read` is the records of the exports and equals the sum of the
 * states, always. A correction takes the place of the row it corrects instead of adding one, so `resubmitted`, the
 * records that were given back, stands beside the equation.
 */
export type Totals = Readonly<Record<'read' | 'resubmitted' | (typeof TOTAL_OF_STATE)[RowState], number>>

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
} as const satisfies Record<RowState, string>

/** `read` comes from the reader's own count, not from the states, so that a lost row shows. */
export const totalsOf = (read: number, byState: ReadonlyMap<RowState, number>, resubmitted = 0): Totals => ({
  read,
  resubmitted,
  ...(Object.fromEntries(
    ROW_STATES.map((state) => [TOTAL_OF_STATE[state], byState.get(state) ?? 0]),
  ) as Record<(typeof TOTAL_OF_STATE)[RowState], number>),
})

export const isBalanced = (totals: Totals): boolean =>
  totals.read === ROW_STATES.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)
