import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { thisMachine, type Machine } from '../../src/machine.js'
import type { MigrateOptions } from '../../src/migrate/options.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { validExport } from '../support/export.js'

const PASSWORD = 'of the test'

export interface Place {
  readonly at: (...names: string[]) => string
  /** Writes an export with so many mandates and gives its path. */
  readonly exported: (rows: number, name?: string) => string
  /** This machine, with a register and an environment of its own. */
  readonly machine: (env?: Readonly<Record<string, string>>) => Machine
  readonly sandbox: (options?: SandboxOptions) => Promise<Sandbox>
  /** A migration of the export in this place against that service. */
  readonly asked: (baseUrl: string, more?: Partial<MigrateOptions>) => MigrateOptions
}

/** A folder for one test, and everything in it ends with the test. */
export function newPlace(): Place {
  const folder = mkdtempSync(join(tmpdir(), 'migrate-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const at = (...names: string[]): string => join(folder, ...names)
  const exported = (rows: number, name = 'export.csv'): string => {
    writeFileSync(at(name), validExport(rows), { mode: 0o600 })
    return at(name)
  }
  const machine = (env: Readonly<Record<string, string>> = {}): Machine => ({
    ...thisMachine(),
    env,
    stateFolder: at('state'),
  })
  return {
    at,
    exported,
    machine,
    sandbox: async (options = {}) => {
      const sandbox = await startSandbox({ seed: 1, username: 'test', password: PASSWORD, ...options })
      onTestFinished(() => sandbox.close())
      return sandbox
    },
    asked: (baseUrl, more = {}) => ({
      files: [at('export.csv')],
      ledger: at('campaign.db'),
      service: { baseUrl, username: 'test', password: PASSWORD },
      asOf: '2026-06-15',
      machine: machine(),
      ...more,
    }),
  }
}
