import { LedgerError } from '../errors.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import { notTheLatest } from '../register/campaign-register.js'
import type { World } from './terminal/world.js'

/** Not the ledger that was last used: what it shows is not how the campaign stands. */
export interface Older {
  readonly isOlder: boolean
  readonly warnings: readonly string[]
}

/** What the register of this user knows of a ledger that is only looked at. */
export function olderOf(
  { stateFolder }: Pick<World, 'stateFolder'>,
  reader: Pick<LedgerReader, 'file' | 'standing' | 'hasMark'>,
): Older {
  try {
    const why = notTheLatest(stateFolder, reader)
    if (why === null) return { isOlder: false, warnings: [] }
    return {
      isOlder: true,
      warnings: [`${why}. What it shows is not how the campaign stands`],
    }
  } catch (error) {
    if (!(error instanceof LedgerError && error.problem === 'register')) throw error
    const fault = error.message.replace(/\. Without it.*$/, '')
    return {
      isOlder: false,
      warnings: [`Nobody can tell whether this is the newest copy of the ledger. ${fault}`],
    }
  }
}

export const OLDER_STATUS = 8
