import { existsSync, rmSync } from 'node:fs'
import { maskAccounts } from '../../domain/text/accounts.js'
import { UsageError } from '../../errors.js'
import { emptyLog, sql, type Connection, type LedgerWork } from '../file/connection.js'
import { noteChange } from '../deliver/campaign-rows.js'
import { emergencyPathOf } from '../safety/side-files.js'
import type { ErasureRequest, PurgeRequest } from '../ledger.js'
import type { RowState } from '../../domain/row/row-state.js'
import { recordDecision } from '../admit/problems.js'
import { removePrivate } from '../deliver/delivery.js'
import { isRuleId, RULES } from '../../domain/rule/verdict.js'

/** Rows whose data go. */
interface Scope {
  /** SQL that is true where `column` names one of them. */
  readonly among: (column: string) => string
  readonly values: Readonly<Record<string, unknown>>
  /** Completes "Cannot purge the ledger". */
  readonly action: string
}

const OPEN = `('ready', 'sending', 'in_doubt')`
const CORRECTABLE = `('invalid', 'conflict', 'refused')`

const countsIn = (connection: Connection, states: string, { among, values }: Scope): string =>
  sql(connection)<{ state: string; count: number }>`
    select state, count(*) as count from row where state in ${states} and ${among('id')} group by state order by state`
    .all(values)
    .map(({ state, count }) => `${count} ${state.replace('_', ' ')}`)
    .join(', ')

/** @throws {UsageError} while the rows may still be sent or corrected */
function assertOver(connection: Connection, scope: Scope, withOpenRows = false): void {
  const open = countsIn(connection, OPEN, scope)
  if (open !== '')
    throw new UsageError(
      `Cannot ${scope.action} while rows are open: ${open}. Nothing was removed`,
      'Send what is ready or write it off, and resolve what is in doubt (sepa-migrate run; sepa-migrate help doubts)',
    )
  const correctable = countsIn(connection, CORRECTABLE, scope)
  if (correctable !== '' && !withOpenRows)
    throw new UsageError(
      `Cannot ${scope.action} while rows can still be corrected: ${correctable}. Nothing was removed`,
      'Correct them and run again, or write them off. Or say that they are to stay as they are: they can never be corrected in this ledger then (--with-open-rows)',
    )
}

/**
 * Takes every account number, cell and quoted value out of the tables, the words of the service and of people, and
 * the secret with which fingerprints could be tried.
 * @returns how many rows held an account number or cells
 * @throws {UsageError} while the campaign is not over
 */
function removeAccounts(
  connection: Connection,
  { by, reason, withOpenRows }: PurgeRequest,
  at: string,
): number {
  const scope: Scope = { among: () => 'true', values: {}, action: 'purge the ledger' }
  assertOver(connection, scope, withOpenRows)
  // First, because the triggers let words go only once the removal is on record.
  sql(connection)`
    update campaign set purged_at = coalesce(purged_at, :at), purged_by = coalesce(purged_by, :by),
       purged_as = coalesce(purged_as, (select user from holder)),
       purge_reason = coalesce(purge_reason, :reason), secret = null, plan_key = null, changed_at = :at`.run({
    at,
    by: maskAccounts(by),
    reason: maskAccounts(reason),
  })
  const rows = removePrivate(connection, scope.among('id'), scope.values)
  removeWords(connection, scope, null)
  connection.exec(
    `update approval set reference = '${REMOVED}' where reference <> '${REMOVED}';
     update run set settings = json_replace(settings, '$.takeOver', '${REMOVED}', '$.adopted', '${REMOVED}', '$.allInDoubt', '${REMOVED}')`,
  )
  maskIdentities(connection, scope)
  maskCollected(connection)
  return rows
}

/**
 * Random bytes in the place of what tells accounts, contents and cells again: account numbers are few enough to try them
 * all with the secret, which stays. Rows that had one account still have one key.
 */
function replaceKeys(connection: Connection, { among, values }: Scope): void {
  const where = among('id')
  const random = (column: string): string =>
    `${column} = iif(${column} is null, null, randomblob(length(${column})))`
  // What the last export and the bank had of them may be other accounts than those of the rows.
  for (const text of [
    `create temp table changed_key as select iban_key as key, randomblob(length(iban_key)) as now from row
      where iban_key is not null and ${where} group by iban_key`,
    `update row set iban_key = now from temp.changed_key where iban_key = key and ${where}`,
    'update collected set account = now from temp.changed_key where account = key',
    'drop table temp.changed_key',
    `update row set ${random('content_key')}, ${random('raw')} where ${where}`,
    `update compared set ${random('final')} where ${among('row_id')}`,
    `update collected set ${random('account')} where mandate_key in (select mandate_key from row where ${where})
       and account <> x'' and account not in (select iban_key from row where iban_key is not null and ${where})`,
    `update who set ${random('claim')} where customer_no in (select customer_no from row where ${where})`,
  ])
    sql(connection)`${text}`.run(values)
  // A digest of planned rows is made of such keys, and stands in files that are out.
  connection.exec('update campaign set plan_key = randomblob(length(plan_key))')
}

/**
 * The same for the rows of one customer, on request of that person. The secret stays: later files are still compared with
 * the rows of others.
 * @throws {UsageError} where there is none, or while their rows may still be sent or corrected
 */
function eraseRows(
  connection: Connection,
  { customerNo, rowIds, by, reason, withOpenRows }: ErasureRequest,
  at: string,
): number {
  if (rowIds.length === 0)
    throw new UsageError(
      `The ledger holds no row of ${customerNo === null ? 'this reference' : `customer ${customerNo}`}; nothing was removed`,
      'Check the number',
    )
  const scope: Scope = {
    among: (column) => `${column} in (select value from json_each(:ids))`,
    values: { ids: JSON.stringify(rowIds) },
    action: `erase ${customerNo === null ? 'these rows' : `customer ${customerNo}`}`,
  }
  assertOver(connection, scope, withOpenRows)
  const decided = { at, by: maskAccounts(by), decision: 'erased', reason: maskAccounts(reason) }
  for (const { row, state } of sql(connection)<{ row: number; state: RowState }>`
    select id as row, state from row where ${scope.among('id')} order by id`.all(scope.values))
    recordDecision(connection, { ...decided, row, from: state, to: state })
  noteChange(connection, at)
  const rows = removePrivate(connection, scope.among('id'), scope.values)
  replaceKeys(connection, scope)
  removeWords(connection, scope, 'erased')
  maskIdentities(connection, scope)
  return rows
}

/** What people decide about their data. */
export function purgeVerbs({ connection, file, now, storage }: LedgerWork, dropEmergency: () => void) {
  /**
   * Rewrites the file without its free pages and empties the log: what was removed is in neither any more.
   * @returns false when another program reads the ledger: old pages may still hold account numbers. Purge again.
   */
  const rewrite = (): boolean =>
    storage.guard(() => {
      connection.exec('vacuum')
      return emptyLog(connection)
    })
  return {
    /**
     * After sign-off: removes every account number and cell that is still held, values that problems quote, words of the
     * service and of people, and the secret of the fingerprints. States, totals, references and times stay.
     * @returns how many rows held an account number or cells until now, and which files held personal data and are gone
     * @throws {UsageError} while rows are ready, sending or in doubt, or can still be corrected
     */
    purge: (decision: PurgeRequest) => {
      dropEmergency()
      const rows = storage.write(() => removeAccounts(connection, decision, now()))
      const isErased = rewrite()
      // The evidence that the disk once kept from the ledger goes too.
      const removedFiles = [emergencyPathOf(file)].filter((path) => existsSync(path))
      for (const path of removedFiles) storage.guard(() => rmSync(path))
      return { rows, removedFiles, isErased }
    },
    /** The same for one customer, after sign-off of their rows. @throws {UsageError} as `purge` */
    erase: (request: ErasureRequest) => {
      const rows = storage.write(() => eraseRows(connection, request, now()))
      return { rows, isErased: rewrite() }
    },
  }
}

const REMOVED = 'removed with the personal data'

/** Of what is kept of the reading of a source, what may name somebody. */
const QUOTING = [
  ...['leftOut', 'undecided', 'mayBeStatus', 'references'],
  ...['status', 'sequence', 'scheme'].map((field) => `words.${field}.notUnderstood`),
]

/**
 * Takes what quotes a person: values in problems, the service's words in attempts, the reasons that people typed. Rule,
 * status, outcome, time and name of the deciding person stay.
 * @param keptDecision whose reason stays
 */
function removeWords(connection: Connection, { among, values }: Scope, keptDecision: string | null): void {
  const where = among('row_id')
  // Of the file that was the evidence the hash stays, its name goes.
  connection.function(
    'hash_of',
    (text) => /SHA-256 [0-9a-f]{64}(?=\)$)/.exec(typeof text === 'string' ? text : '')?.[0] ?? null,
  )
  const textOf = (part: 'message' | 'remedy') => (rule: unknown) =>
    typeof rule === 'string' && isRuleId(rule) ? RULES[rule][part] : ''
  connection.function('message_of', textOf('message'))
  connection.function('remedy_of', textOf('remedy'))
  for (const text of [
    // The rule's own text instead of one that may quote the value.
    `update problem set value = '', message = message_of(rule), remedy = remedy_of(rule)
      where ${where} and (value <> '' or message <> message_of(rule) or remedy <> remedy_of(rule))`,
    `update attempt set service_code = null, field = null, message = null, answer = null,
       reason = iif(status is null, reason, 'The service answered ' || status)
      where outcome is not null and ${where}`,
    `update decision set reason = '${REMOVED}', evidence = hash_of(evidence)
      where reason <> '${REMOVED}' and decision is not :kept and ${where}`,
    `update question set reason = null where reason is not null
       and customer_no in (select customer_no from row where ${among('id')})`,
    `update proof set why = iif(verdict = 'unreadable', null, why), sources = null where ${where}`,
    // Lines of an export, and words that are of no vocabulary.
    `update source set reading = json_remove(reading, ${QUOTING.map((path) => `'$.${path}'`).join()})
      where id in (select source_id from row where ${among('id')})`,
    // Whoever was sent by such a choice had one of its values in the cells.
    `update run set settings = json_set(settings, '$.only', json((select json_group_array(json(json_set(value, '$.values',
       json_array('${REMOVED}')))) from json_each(settings, '$.only'))))
      where settings -> '$.only' is not null and id in (select run_id from attempt where ${where})`,
  ])
    sql(connection)`${text}`.run({ ...values, kept: keptDecision })
}

/** True for a text in which an IBAN stands; long numbers, which references often are, do not count. */
const holdsIban = (text: unknown): boolean =>
  typeof text === 'string' && /[A-Z]{2}…/.test(maskAccounts(text)) && !text.includes('…')

/**
 * A file with shifted columns has account numbers where references should be. In rows that were never registered they
 * are masked, and the key made of them is replaced by a number, one for each key, so that counts of mandates stay.
 */
function maskIdentities(connection: Connection, { among, values }: Scope): void {
  connection.function('holds_iban', (text) => Number(holdsIban(text)))
  const where = `state <> 'registered' and ${among('id')}`
  const shifted = `${where} and (holds_iban(original_creditor_identifier) or holds_iban(original_mandate_reference))`
  const masked = (column: string): string =>
    `${column} = iif(${column} is null, null, mask_accounts(${column}))`
  const renamed = `mandate_key = 'removed|' || first from temp.shifted where mandate_key = key`
  for (const text of [
    `create temp table shifted as select mandate_key as key,
       (select min(id) from row as other where other.mandate_key = row.mandate_key) as first
      from row where ${shifted} and mandate_key not like 'removed|%' group by 1`,
    `update row set ${masked('original_creditor_identifier')}, ${masked('original_mandate_reference')}, spelling = null
      where ${shifted}`,
    `update row set ${renamed} and ${where}`,
    `update attempt set ${renamed} and outcome is not 'registered' and ${among('row_id')}`,
    'drop table temp.shifted',
  ])
    sql(connection)`${text}`.run(values)
}

/** The same in what was collected, but for the mandates of registered rows. */
function maskCollected(connection: Connection): void {
  connection.exec(`
    update collected set creditor = mask_accounts(creditor), reference = mask_accounts(reference), mandate_key = 'removed|' || id
      where (holds_iban(creditor) or holds_iban(reference))
        and not exists (select 1 from row where row.mandate_key = collected.mandate_key and state = 'registered');
    update ended_elsewhere set mandate_key = 'removed|' || hex(randomblob(8)), spelling = null where mask_accounts(mandate_key) glob '*[A-Z][A-Z]…*';
    update amended set former = 'removed|' || rowid, successor = former
      where mask_accounts(former || ' ' || successor) glob '*[A-Z][A-Z]…*'`)
}
