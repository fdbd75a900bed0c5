/**
 * The life of a row.
 *
 *   (admission) → invalid | duplicate | conflict | excluded        never sent
 *   (admission) → ready → sending → registered | refused | in_doubt | ready again
 *   in_doubt leaves only by a person: registered | refused | ready (resend) | written_off
 *   a person may also send a refused row again, or write off what is ready, refused, invalid, in conflict or excluded
 *   what resembles a mandate that another ledger claimed is held back for a person: ready → conflict
 *   a later file may replace what is ready, refused or was never sendable → superseded
 *
 * `in_doubt → ready` is the only edge that can deliver what the service may already hold.
 * The ledger's triggers repeat this table.
 */
export const ROW_STATES = [
  'invalid',
  'duplicate',
  'conflict',
  'excluded',
  'superseded',
  'ready',
  'sending',
  'registered',
  'refused',
  'in_doubt',
  'written_off',
] as const

export type RowState = (typeof ROW_STATES)[number]

export type RowEvent =
  | 'intent'
  | 'registered'
  | 'refused'
  | 'turned_away'
  | 'not_sent'
  | 'in_doubt'
  | 'resolved_registered'
  | 'resolved_refused'
  | 'resolved_resend'
  | 'resolved_written_off'
  | 'retry_refused'
  | 'held'
  | 'superseded'

const SUPERSEDED = { superseded: 'superseded' } as const
const WRITTEN_OFF = { resolved_written_off: 'written_off' } as const

/** Every edge there is. What is not here must not happen. */
export const EDGES: Readonly<Record<RowState, Readonly<Partial<Record<RowEvent, RowState>>>>> = {
  invalid: { ...WRITTEN_OFF, ...SUPERSEDED },
  duplicate: SUPERSEDED,
  conflict: { ...WRITTEN_OFF, ...SUPERSEDED },
  excluded: { ...WRITTEN_OFF, ...SUPERSEDED },
  superseded: {},
  ready: { intent: 'sending', held: 'conflict', ...WRITTEN_OFF, ...SUPERSEDED },
  sending: {
    registered: 'registered',
    refused: 'refused',
    turned_away: 'ready',
    not_sent: 'ready',
    in_doubt: 'in_doubt',
  },
  registered: {},
  refused: { retry_refused: 'ready', ...WRITTEN_OFF, ...SUPERSEDED },
  in_doubt: {
    resolved_registered: 'registered',
    resolved_refused: 'refused',
    resolved_resend: 'ready',
    resolved_written_off: 'written_off',
  },
  written_off: {},
}

/** @throws {Error} for an edge that does not exist: a bug, never an operator's mistake. */
export function transition(state: RowState, event: RowEvent): RowState {
  const next = EDGES[state][event]
  if (next === undefined) throw new Error(`No edge leaves the state "${state}" by "${event}"`)
  return next
}
