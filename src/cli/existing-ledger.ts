import { openLedger } from '../ledger/file/open-ledger.js'
import type { Ledger } from '../ledger/ledger.js'
import type { Context } from './command.js'

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
