import { LedgerError } from '../errors.js'
import { doubtingBy, openRegister, type Register, type RegisterOptions } from './campaign-register.js'

/** The register of this user as a run needs it, and what it could not do. */
export interface RunRegister extends Register {
  readonly warnings: readonly string[]
}

/**
 * A rehearsal on this machine is repeated with new ledgers on purpose, so mandates are guarded elsewhere only, and it
 * does not need a register at all. An older copy of a ledger is refused there as well.
 */
export function openRunRegister(
  options: Omit<RegisterOptions, 'guardsMandates'>,
  { isLoopback }: { readonly isLoopback: boolean },
): RunRegister {
  try {
    return { ...openRegister({ ...options, guardsMandates: !isLoopback }), warnings: [] }
  } catch (error) {
    if (!isLoopback || !(error instanceof LedgerError && error.problem === 'register')) throw error
    const fault = error.message.replace(/\. Without it.*$/, '')
    return {
      ...withoutRegister(options),
      warnings: [`${fault}. A run against a real service would be refused`],
    }
  }
}

const withoutRegister = ({ claims, takeOver }: Omit<RegisterOptions, 'guardsMandates'>): Register => ({
  note: () => undefined,
  hold: () => ({
    inDoubt: takeOver?.kind === 'all_in_doubt' ? claims.doubt('ready', doubtingBy(takeOver)) : 0,
    inConflict: 0,
    replaces: [],
  }),
  claim: (limit, choice) => void claims.toSend(limit, choice),
  adopt: () => {
    throw new Error('A run adopts nothing')
  },
  knowsLedger: () => true,
  close: () => undefined,
})
