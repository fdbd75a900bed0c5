import type { RowState } from '../../src/domain/row/row-state.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { admit, inDoubt, OTHER_IBAN, readyRow, refused, registered, send } from './campaign-setup.js'

/** The states in which one row of a mandate can be the only one; a duplicate never is. */
export const OLD_STATES = [
  'ready',
  'sending',
  'registered',
  'refused',
  'in_doubt',
  'written_off',
  'invalid',
  'excluded',
  'conflict',
  'superseded',
] as const satisfies readonly RowState[]

export type OldState = (typeof OLD_STATES)[number]

export const isProtected = (state: OldState): boolean =>
  ['sending', 'registered', 'in_doubt', 'written_off'].includes(state)

/** Brings row 1 (mandate M-1, customer 1000) into a state by the ordinary verbs. */
const REACH: Readonly<Record<OldState, (ledger: Ledger) => unknown>> = {
  ready: (ledger) => admit(ledger, [{}]),
  sending: (ledger) => {
    admit(ledger, [{}])
    return ledger.begin(readyRow(ledger))
  },
  registered: (ledger) => {
    admit(ledger, [{}])
    return send(ledger, registered('NEW-1'))
  },
  refused: (ledger) => {
    admit(ledger, [{}])
    return send(ledger, refused())
  },
  in_doubt: (ledger) => {
    admit(ledger, [{}])
    return send(ledger, inDoubt())
  },
  written_off: (ledger) => {
    admit(ledger, [{}])
    const writtenOff = { rowId: 1, decision: 'written_off' as const, by: 'Ada', reason: 'left the company' }
    return ledger.resolve([{ ...writtenOff, assigned: null, evidence: null, attempt: null }], {
      dryRun: false,
    })
  },
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
