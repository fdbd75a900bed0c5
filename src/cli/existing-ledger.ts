import { openLedger } from '../ledger/file/open-ledger.js'
import type { Ledger } from '../ledger/ledger.js'
import { openLedgerReader } from '../ledger/read/open-reader.js'
import type { LedgerReader } from '../ledger/read/reader.js'
import type { Context } from './command.js'
import type { Settings } from './settings/settings.js'

/** The ledger of the settings for writing, as every command that decides something opens it; never made anew. */
export const openExisting = ({ settings, world }: Pick<Context, 'settings' | 'world'>): Ledger =>
  openLedger({
    file: settings.ledger,
    clock: world.clock,
    pid: world.pid,
    user: world.user,
    create: false,
    sharedFolder: settings.sharedFolder,
  })

/** What is looked up in the ledger of the settings, which is closed again whatever happens. */
export async function lookInto<Value>(
  settings: Settings,
  at: (reader: LedgerReader) => Value | Promise<Value>,
): Promise<Value> {
  const reader = openLedgerReader(settings.ledger, settings)
  try {
    return await at(reader)
  } finally {
    reader.close()
  }
}
