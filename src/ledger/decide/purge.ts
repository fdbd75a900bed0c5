import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { maskAccounts } from '../../domain/text/masking.js'
import { UsageError } from '../../errors.js'
import { REMOVE_CELLS } from '../deliver/account-removal.js'
import { emptyLog, type Connection } from '../file/connection.js'
import { emergencyPathOf } from '../safety/emergency-file.js'
import type { ErasureReport, ErasureRequest, PurgeReport, PurgeRequest } from '../ledger.js'
import { maskFileNames, maskIdentities, prepareWordRemoval, removeApprovalWords } from './word-removal.js'

interface Scope {
  /** SQL over `row`, which selects the rows whose data go. */
  readonly where: string
  readonly values: Readonly<Record<string, unknown>>
  /** Completes "Cannot purge the ledger". */
  readonly action: string
}

const OPEN = `('ready', 'sending', 'in_doubt')`
const CORRECTABLE = `('invalid', 'conflict', 'refused')`

function countsIn(connection: Connection, states: string, { where, values }: Scope): string {
  return connection
    .prepare<[Readonly<Record<string, unknown>>], { state: string; count: number }>(
      `select state, count(*) as count from row where state in ${states} and ${where} group by state order by state`,
    )
    .all(values)
    .map(({ state, count }) => `${count} ${state.replace('_', ' ')}`)
    .join(', ')
}

/** @throws {UsageError} while the rows may still be sent or corrected */
function assertOver(connection: Connection, scope: Scope, withOpenRows: boolean): void {
  const open = countsIn(connection, OPEN, scope)
  if (open !== '')
    throw new UsageError(
      `Cannot ${scope.action} while rows are open: ${open}. Nothing was removed`,
      'Send what is ready or write it off, and resolve what is in doubt',
      { ways: ['run', 'resolve'] },
    )
  const correctable = countsIn(connection, CORRECTABLE, scope)
  if (correctable !== '' && !withOpenRows)
    throw new UsageError(
      `Cannot ${scope.action} while rows can still be corrected: ${correctable}. Nothing was removed`,
      'Correct them and run again, or write them off. Or say that they are to stay as they are: they can never be corrected in this ledger then',
      { ways: ['purge_open_rows'] },
    )
}

/** @returns how many rows held an account number or cells */
function removeCells(connection: Connection, { where, values }: Scope): number {
  return connection.prepare(`${REMOVE_CELLS} ${where}`).run(values).changes
}

/**
 * Takes every account number, cell and quoted value out of the tables, the words of the service and of people, and
 * the secret with which fingerprints could be tried.
 * @returns how many rows held an account number or cells
 * @throws {UsageError} while the campaign is not over
 */
export function removeAccounts(
  connection: Connection,
  { by, reason, withOpenRows = false }: PurgeRequest,
  at: string,
): number {
  const scope: Scope = { where: 'true', values: {}, action: 'purge the ledger' }
  assertOver(connection, scope, withOpenRows)
  // First, because the triggers let words go only once the removal is on record.
  connection
    .prepare<[{ at: string; by: string; reason: string }]>(
      `update campaign set purged_at = coalesce(purged_at, :at), purged_by = coalesce(purged_by, :by),
         purged_as = coalesce(purged_as, (select user from holder)),
         purge_reason = coalesce(purge_reason, :reason), secret = null, plan_key = null, changed_at = :at`,
    )
    .run({ at, by: maskAccounts(by), reason: maskAccounts(reason) })
  const rows = removeCells(connection, scope)
  prepareWordRemoval(connection)('true', {}, null)
  removeApprovalWords(connection)
  maskIdentities(connection, 'true', {})
  maskFileNames(connection)
  return rows
}

/**
 * Random bytes in the place of what tells accounts, contents and cells again: account numbers are few enough to try them
 * all with the secret, which stays. Rows that had one account still have one key.
 */
function replaceKeys(connection: Connection, { where, values }: Scope): void {
  const keys = connection
    .prepare<[Readonly<Record<string, unknown>>], Buffer>(
      `select distinct iban_key from row where iban_key is not null and ${where}`,
    )
    .pluck()
  const replace = connection.prepare(`update row set iban_key = :now where iban_key = :key and ${where}`)
  for (const key of keys.all(values)) replace.run({ ...values, key, now: randomBytes(key.length) })
  const random = (column: string): string =>
    `${column} = iif(${column} is null, null, randomblob(length(${column})))`
  connection.prepare(`update row set ${random('content_key')}, ${random('raw')} where ${where}`).run(values)
  // A digest of planned rows is made of such keys, and stands in files that are out.
  connection.exec('update campaign set plan_key = randomblob(length(plan_key))')
}

/**
 * The same for the rows of one customer, on request of that person. The secret stays: later files are still compared with
 * the rows of others.
 * @throws {UsageError} where there is none, or while their rows may still be sent or corrected
 */
export function eraseRows(
  connection: Connection,
  { customerNo, rowIds, by, reason, withOpenRows = false }: ErasureRequest,
  at: string,
): number {
  if (rowIds.length === 0)
    throw new UsageError(
      `The ledger holds no row of customer ${customerNo}; nothing was removed`,
      'Check the number',
    )
  const scope: Scope = {
    where: 'id in (select value from json_each(:ids))',
    values: { ids: JSON.stringify(rowIds) },
    action: `erase customer ${customerNo}`,
  }
  assertOver(connection, scope, withOpenRows)
  connection
    .prepare(
      `insert into decision (row_id, attempt_id, decided_at, decided_by, decision, from_state, to_state, reason)
       select row.id, attempt.id, :at, :by, 'erased', state, state, :reason
         from row left join attempt on row_id = row.id and n = attempts
        where row.id in (select value from json_each(:ids))
       on conflict do nothing`,
    )
    .run({ ...scope.values, at, by: maskAccounts(by), reason: maskAccounts(reason) })
  connection.prepare<[string]>('update campaign set changed_at = ?').run(at)
  const rows = removeCells(connection, scope)
  replaceKeys(connection, scope)
  prepareWordRemoval(connection)('row_id in (select value from json_each(:ids))', scope.values, 'erased')
  maskIdentities(connection, scope.where, scope.values)
  return rows
}

/** Rewrites the file without its free pages and empties the log: what was removed is in neither any more. */
function rewrite(connection: Connection): boolean {
  connection.exec('vacuum')
  return emptyLog(connection)
}

/** After a purge: the evidence that the disk once kept from the ledger goes too. */
export function erase(connection: Connection, file: string, rows: number): PurgeReport {
  const isErased = rewrite(connection)
  const removedFiles = [emergencyPathOf(file)].filter((path) => existsSync(path))
  for (const path of removedFiles) rmSync(path)
  return { rows, removedFiles, isErased }
}

export const afterErasure = (connection: Connection, rows: number): ErasureReport => ({
  rows,
  isErased: rewrite(connection),
})
