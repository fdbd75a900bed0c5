import { resolve } from 'node:path'
import { type BaseUrl, type Ledger, LedgerError, openRegister, type Register } from '../../index.js'
import type { Context } from '../command.js'

/** The register of this user as a run needs it, and what it could not do. */
export interface RunRegister extends Register {
  readonly warnings: readonly string[]
}

export function registerOf(
  { world, settings, own }: Context,
  ledger: Ledger,
  { href, isLoopback }: Pick<BaseUrl, 'href' | 'isLoopback'>,
): RunRegister {
  const warnings: string[] = []
  const register = openRegister({
    folder: world.stateFolder,
    baseUrl: href,
    ledger: resolve(settings.ledger),
    claims: ledger.claims,
    // A rehearsal on loopback is repeated with new ledgers on purpose; an older copy is refused there as well.
    guardsMandates: !isLoopback,
    allowsOthers: own['anotherLedger'] === true,
    sharedFolder: settings.sharedFolder,
  })
  if (!isLoopback) return { ...register, warnings }

  /** A rehearsal does not need a register; one that can be read and contradicts is believed all the same. */
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
    warnings,
  }
}
