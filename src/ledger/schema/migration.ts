import { closeSync, fsyncSync, openSync } from 'node:fs'
import { LedgerError, UsageError } from '../../errors.js'
import type { Connection } from '../file/connection.js'
import { createPrivateFile } from '../safety/file-safety.js'
import { entryAt } from '../../trust/entry.js'
import { guardsSql } from './guards.js'
import { APPLICATION_ID, type SchemaStep } from './schema.js'

export const versionOf = (connection: Connection): number =>
  Number(connection.pragma('user_version', { simple: true }))

/**
 * Looks whether the file is ours, without changing it.
 * @returns true for an empty file, which may become a ledger
 * @throws {LedgerError} `foreign`, `newer`
 */
export function assertOurs(connection: Connection, file: string, steps: readonly SchemaStep[]): boolean {
  const applicationId = Number(connection.pragma('application_id', { simple: true }))
  const version = versionOf(connection)
  const tables = connection.prepare<[], number>('select count(*) from sqlite_schema').pluck().get()
  if (applicationId === 0 && version === 0 && tables === 0) return true
  if (applicationId !== APPLICATION_ID) {
    throw new LedgerError(
      'foreign',
      `Cannot use "${file}" as a ledger: it is an SQLite file of another program`,
      'Give another file',
      { ways: ['name_ledger'] },
    )
  }
  if (version > steps.length) {
    throw new LedgerError(
      'newer',
      `Cannot open the ledger "${file}": a newer version of this program wrote it (schema ${version}, this one knows ${steps.length})`,
      'Install the newer version. Nothing was changed',
    )
  }
  return false
}

export const missing = (file: string): UsageError =>
  new UsageError(
    `Cannot open the ledger "${file}": there is no such file`,
    'Give its path, or start a campaign',
    { ways: ['name_ledger', 'run_file'] },
  )

const backupName = (file: string, version: number, n: number): string =>
  `${file}.v${version}.backup${n === 1 ? '' : `-${n}`}`

/** True for a name that `migrate` gives to its copies of the ledger of that name. */
export const isBackupOf = (ledger: string, name: string): boolean =>
  name.startsWith(`${ledger}.v`) && /^\d+\.backup(?:-\d+)?$/.test(name.slice(ledger.length + 2))

/** A private copy, with everything that is still in the write-ahead log. It holds what the ledger holds. */
function backUp(connection: Connection, file: string, version: number): string {
  let n = 1
  while (entryAt(backupName(file, version, n)) !== null) n += 1
  const path = backupName(file, version, n)
  createPrivateFile(path)
  connection.prepare<[string]>('vacuum into ?').run(path)
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return path
}

export const hasTable = (connection: Connection, name: string): boolean =>
  connection.prepare<[string]>(`select 1 from sqlite_schema where type = 'table' and name = ?`).get(name) !==
  undefined

/** The promises that the file keeps by itself, as this program knows them. */
export function makeGuards(connection: Connection): void {
  dropGuards(connection)
  connection.exec(guardsSql((table) => hasTable(connection, table)))
}

/** A step may rewrite what nobody else may. */
export function dropGuards(connection: Connection): void {
  const names = connection
    .prepare<[], string>(`select name from sqlite_schema where type = 'trigger'`)
    .pluck()
  for (const name of names.all()) connection.exec(`drop trigger "${name}"`)
}

/**
 * Takes the ledger to the newest schema, one IMMEDIATE transaction a step; before the first step an older ledger is
 * copied beside itself. A step that fails leaves the ledger at the version before it.
 * @returns the path of the copy, or null where none was needed
 */
export function migrate(connection: Connection, file: string, steps: readonly SchemaStep[]): string | null {
  const from = versionOf(connection)
  if (from === steps.length) return null
  const copy = from === 0 ? null : backUp(connection, file, from)
  takeSteps(connection, steps)
  return copy
}

/**
 * The missing ones of these steps, each in one transaction, on a connection that needs no copy. Into an empty file all
 * of them go at once: there is no version to stay at.
 */
export function takeSteps(connection: Connection, steps: readonly SchemaStep[]): void {
  const from = versionOf(connection)
  const taken = from === 0 ? [steps] : steps.slice(from).map((step) => [step])
  let version = from
  for (const together of taken) {
    version += together.length
    const areRemade = together.some(({ remakes }) => remakes === true)
    const take = connection.transaction(() => {
      dropGuards(connection)
      for (const { sql } of together) connection.exec(sql)
      makeGuards(connection)
      connection.pragma(`application_id = ${APPLICATION_ID}`)
      connection.pragma(`user_version = ${version}`)
      if (areRemade) assertReferences(connection)
    })
    if (areRemade) withoutReferences(connection, () => take.immediate())
    else take.immediate()
  }
}

/** SQLite hears of this outside of a transaction only. */
function withoutReferences(connection: Connection, body: () => void): void {
  const were = String(connection.pragma('foreign_keys', { simple: true }))
  connection.pragma('foreign_keys = OFF')
  try {
    body()
  } finally {
    connection.pragma(`foreign_keys = ${were}`)
  }
}

function assertReferences(connection: Connection): void {
  const broken = connection.pragma('foreign_key_check') as readonly { readonly table: string }[]
  if (broken.length === 0) return
  throw new LedgerError(
    'damaged',
    `Cannot take the ledger to the schema of this program: its table ${broken[0]?.table ?? ''} refers to rows that it does not hold`,
    'Nothing was sent, and the ledger is as it was. Restore a backup, and compare it with the service',
  )
}
