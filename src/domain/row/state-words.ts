import type { RowState } from './row-state.js'

/** What people read of a state on the screen; what it means on a page that is signed stands in `report/text/`. */
interface StateWords {
  readonly name: string
  readonly short: string
}

export const STATE_WORDS: Readonly<Record<RowState, StateWords>> = {
  invalid: {
    name: 'invalid',
    short: 'a value is wrong; not sent',
  },
  duplicate: {
    name: 'duplicate',
    short: 'same mandate, same content; not sent again',
  },
  conflict: {
    name: 'conflict',
    short: 'same mandate, different content; not sent',
  },
  excluded: {
    name: 'excluded',
    short: 'must not be migrated; not sent',
  },
  superseded: {
    name: 'superseded',
    short: 'replaced by a later export',
  },
  ready: {
    name: 'ready',
    short: 'waiting to be sent',
  },
  sending: {
    name: 'sending',
    short: 'under way',
  },
  registered: {
    name: 'registered',
    short: 'the service confirmed it',
  },
  refused: {
    name: 'refused',
    short: 'the service said no',
  },
  in_doubt: {
    name: 'in doubt',
    short: 'may be registered; a person must resolve it',
  },
  written_off: {
    name: 'written off',
    short: 'closed by a person',
  },
}
