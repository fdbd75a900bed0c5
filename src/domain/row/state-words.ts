import type { RowState } from './row-state.js'

/** What people read of a state: on the screen the short form, on a page that is signed the long one. */
interface StateWords {
  readonly name: string
  readonly short: string
  readonly long: string
}

export const STATE_WORDS: Readonly<Record<RowState, StateWords>> = {
  invalid: {
    name: 'invalid',
    short: 'a value is wrong; not sent',
    long: 'A value is missing or wrong. Never sent; correct it and feed it back.',
  },
  duplicate: {
    name: 'duplicate',
    short: 'same mandate, same content; not sent again',
    long: 'The same mandate with the same data was read before. Sent once at most.',
  },
  conflict: {
    name: 'conflict',
    short: 'same mandate, different content; not sent',
    long: 'The same mandate occurs with different data. None of the rows is sent.',
  },
  excluded: {
    name: 'excluded',
    short: 'must not be migrated; not sent',
    long: 'Readable, but must not be migrated; the rule gives the reason.',
  },
  superseded: {
    name: 'superseded',
    short: 'replaced by a later export',
    long: 'Replaced by a row of a later file.',
  },
  ready: {
    name: 'ready',
    short: 'waiting to be sent',
    long: 'Checked and not sent yet, or turned away and waiting for the next run.',
  },
  sending: {
    name: 'sending',
    short: 'under way',
    long: 'On its way when this report was written, or when a run was killed. The next run settles it or makes it in doubt.',
  },
  registered: {
    name: 'registered',
    short: 'the service confirmed it',
    long: 'The service confirmed the mandate and gave it new identifiers.',
  },
  refused: {
    name: 'refused',
    short: 'the service said no',
    long: 'The service said no. Nothing was registered.',
  },
  in_doubt: {
    name: 'in doubt',
    short: 'may be registered; a person must resolve it',
    long: 'The mandate may or may not exist at the service. The program never sends it again; a person has to find out and decide.',
  },
  written_off: {
    name: 'written off',
    short: 'closed by a person',
    long: 'Closed by a recorded decision of a person.',
  },
}

/** The name as a heading: `In doubt`. */
export const stateTitle = (state: RowState): string => {
  const { name } = STATE_WORDS[state]
  return name.charAt(0).toUpperCase() + name.slice(1)
}
