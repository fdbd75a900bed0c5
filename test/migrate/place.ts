import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { thisMachine, type Machine } from '../../src/machine.js'
import type { MigrateOptions } from '../../src/migrate/options.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import type { LedgerReader } from '../../src/ledger/read/open-reader.js'
import { look } from '../ledger/ledger-views.js'
import { validExport } from '../support/export.js'
import { countingTwice } from '../support/place.js'
import { freshFolder } from '../support/folder.js'

const PASSWORD = 'of the test'

export type Place = ReturnType<typeof newPlace>

/** A place with so many rows to send and a sandbox. */
export async function placeWith(rows: number, options: SandboxOptions = {}) {
  const place = newPlace()
  const sandbox = await place.sandbox(options)
  place.exported(rows)
  const asked = (more: Partial<MigrateOptions> = {}): MigrateOptions => place.asked(sandbox.url, more)
  return { place, sandbox, asked, posts: () => sandbox.requests().received.migrate }
}

/** A folder for one test, and everything in it ends with the test. */
export function newPlace() {
  const folder = freshFolder('migrate-')
  const at = (...names: string[]): string => join(folder, ...names)
  /** Writes an export with so many mandates and gives its path. */
  const exported = (rows: number, name = 'export.csv'): string => {
    writeFileSync(at(name), validExport(rows), { mode: 0o600 })
    return at(name)
  }
  /** This machine, with a register and an environment of its own. */
  const machine = (env: Readonly<Record<string, string>> = {}): Machine => ({
    ...thisMachine(),
    env,
    stateFolder: at('state'),
  })
  return {
    at,
    exported,
    machine,
    /** Asks the ledger, as a second process would. */
    look: <Value>(ask: (ledger: LedgerReader) => Value): Value => look(at('campaign.db'), ask),
    sandbox: async (options: SandboxOptions = {}): Promise<Sandbox> => {
      const sandbox = await startSandbox(
        countingTwice({ username: 'sandbox', password: PASSWORD, ...options }),
      )
      onTestFinished(() => sandbox.close())
      return sandbox
    },
    /** A migration of the export in this place against that service. */
    asked: (baseUrl: string, more: Partial<MigrateOptions> = {}): MigrateOptions => ({
      files: [at('export.csv')],
      ledger: at('campaign.db'),
      service: { baseUrl, username: 'sandbox', password: PASSWORD },
      asOf: '2026-06-15',
      machine: machine(),
      ...more,
    }),
  }
}
