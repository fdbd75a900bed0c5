import type { Outcome, RowState } from '../../src/domain/row/row-state.js'
import type { ReadyRow } from '../../src/ledger/ledger.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { admit, decide, readyRow, send } from './campaign-setup.js'
import { inDoubt, refused, registered } from './outcomes.js'
import { OTHER_IBAN } from './records.js'

/** The states in which one row of a mandate can be the only one; a duplicate never is. */
export const OLD_STATES = [
  ...(['ready', 'sending', 'registered', 'refused', 'in_doubt', 'written_off'] as const),
  ...(['invalid', 'excluded', 'conflict', 'superseded'] as const),
] as const satisfies readonly RowState[]

export type OldState = (typeof OLD_STATES)[number]

export const isProtected = (state: OldState): boolean =>
  ['sending', 'registered', 'in_doubt', 'written_off'].includes(state)

function ready(ledger: Ledger): ReadyRow {
  admit(ledger, [{}])
  return readyRow(ledger)
}

function sent(ledger: Ledger, outcome: Outcome): Promise<number> {
  admit(ledger, [{}])
  return send(ledger, outcome)
}

/** Brings row 1 (mandate M-1, customer 1000) into a state by the ordinary verbs. */
const REACH: Readonly<Record<OldState, (ledger: Ledger) => unknown>> = {
  ready: (ledger) => admit(ledger, [{}]),
  sending: (ledger) => ledger.begin(ready(ledger)),
  registered: (ledger) => sent(ledger, registered('NEW-1')),
  refused: (ledger) => sent(ledger, refused()),
  in_doubt: (ledger) => sent(ledger, inDoubt()),
  written_off: (ledger) => decide(ledger, ready(ledger).id, 'written_off'),
  invalid: (ledger) => admit(ledger, [{ verdict: 'invalid' }]),
  excluded: (ledger) => admit(ledger, [{ verdict: 'excluded' }]),
  conflict: (ledger) => admit(ledger, [{}, { iban: OTHER_IBAN }]),
  superseded: (ledger) => {
    admit(ledger, [{ verdict: 'invalid', customerNo: 1 }])
    admit(ledger, [{ verdict: 'excluded', customerNo: 2 }])
  },
}

export async function reach(ledger: Ledger, state: OldState): Promise<void> {
  await REACH[state](ledger)
}
