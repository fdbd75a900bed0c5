import { LedgerError } from '../errors.js'
import { openRegister, type Register, type RegisterOptions } from './campaign-register.js'

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
  const warnings: string[] = []
  const register = openRegister({ ...options, guardsMandates: !isLoopback })
  if (!isLoopback) return { ...register, warnings }

  /** One that can be read and contradicts is believed all the same. */
  const trying =
    (body: () => void): (() => void) =>
    () => {
      try {
        body()
      } catch (error) {
        if (!(error instanceof LedgerError && error.problem === 'register')) throw error
        const fault = error.message.replace(/\. Without it.*$/, '')
        if (warnings.length === 0) warnings.push(`${fault}. A run against a real service would be refused`)
      }
    }
  return {
    ...register,
    checkCopy: trying(register.checkCopy),
    claim: trying(register.claim),
    rebuilt: trying(register.rebuilt),
    warnings,
  }
}
