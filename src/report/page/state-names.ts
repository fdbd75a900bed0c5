import type { RowState } from '../../domain/row/row-state.js'

/** How the pages call the states and what they mean. */
export const STATE_NAMES: Readonly<Record<RowState, { readonly name: string; readonly meaning: string }>> = {
  registered: {
    name: 'Registered',
    meaning: 'The service confirmed the mandate and gave it new identifiers.',
  },
  in_doubt: {
    name: 'In doubt',
    meaning:
      'The mandate may or may not exist at the service. The program never sends it again; a person has to find out and decide.',
  },
  sending: {
    name: 'Sending',
    meaning:
      'On its way when this report was written, or when a run was killed. The next run settles it or makes it in doubt.',
  },
  refused: { name: 'Refused', meaning: 'The service said no. Nothing was registered.' },
  ready: { name: 'Ready', meaning: 'Checked and not sent yet, or turned away and waiting for the next run.' },
  invalid: {
    name: 'Invalid',
    meaning: 'A value is missing or wrong. Never sent; correct it and feed it back.',
  },
  conflict: {
    name: 'Conflict',
    meaning: 'The same mandate occurs with different data. None of the rows is sent.',
  },
  excluded: { name: 'Excluded', meaning: 'Readable, but must not be migrated; the rule gives the reason.' },
  duplicate: {
    name: 'Duplicate',
    meaning: 'The same mandate with the same data was read before. Sent once at most.',
  },
  superseded: { name: 'Superseded', meaning: 'Replaced by a row of a later file.' },
  written_off: { name: 'Written off', meaning: 'Closed by a recorded decision of a person.' },
}

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
