import type { RowState } from '../../domain/row/row-state.js'

/** States in the order of a report: what was achieved, what is open, what is closed. */
export const REPORT_ORDER: readonly RowState[] = [
  'registered',
  'in_doubt',
  'sending',
  'refused',
  'ready',
  'invalid',
  'conflict',
  'excluded',
  'duplicate',
  'superseded',
  'written_off',
]
