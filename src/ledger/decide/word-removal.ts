import { maskAccounts } from '../../domain/text/masking.js'
import { isRuleId, RULES } from '../../domain/rule/rules.js'
import type { Connection } from '../file/connection.js'
import { pagesOf } from '../read/pages.js'

const REMOVED = 'removed with the personal data'

/**
 * Prepares the removal of what quotes a person: values in problems, the service's words in attempts, the reasons that
 * people typed. Rule, status, outcome, time and name of the deciding person stay.
 */
export function prepareWordRemoval(connection: Connection) {
  // Of the file that was the evidence the hash stays, its name goes.
  connection.function(
    'hash_of',
    (text) => /SHA-256 [0-9a-f]{64}(?=\)$)/.exec(typeof text === 'string' ? text : '')?.[0] ?? null,
  )
  const rules = connection.prepare<[], string>('select distinct rule from problem').pluck()
  return (
    where: string,
    values: Readonly<Record<string, unknown>>,
    /** Whose reason stays. */
    keptDecision: string | null,
  ): void => {
    // The rule's own text instead of one that may quote the value.
    for (const rule of rules.all()) {
      const { message, remedy } = isRuleId(rule) ? RULES[rule] : { message: '', remedy: '' }
      connection
        .prepare(
          `update problem set value = '', message = :message, remedy = :remedy
            where rule = :rule and ${where} and (value <> '' or message <> :message or remedy <> :remedy)`,
        )
        .run({ ...values, rule, message, remedy })
    }
    connection
      .prepare(
        `update attempt set service_code = null, field = null, message = null, answer = null,
           reason = iif(status is null, reason, 'The service answered ' || status)
          where outcome is not null and ${where}`,
      )
      .run(values)
    connection
      .prepare(
        `update decision set reason = '${REMOVED}', evidence = hash_of(evidence)
          where reason <> '${REMOVED}' and decision is not :kept and ${where}`,
      )
      .run({ ...values, kept: keptDecision })
    connection
      .prepare(
        `update question set reason = null where reason is not null
           and customer_no in (select customer_no from (select customer_no, id as row_id from row) where ${where})`,
      )
      .run(values)
    connection
      .prepare(`update proof set why = iif(verdict = 'unreadable', null, why), sources = null where ${where}`)
      .run(values)
  }
}

/** Where approvals are found that nobody signed; for a purge of everything. */
export function removeApprovalWords(connection: Connection): void {
  connection.exec(`update approval set reference = '${REMOVED}' where reference <> '${REMOVED}'`)
}

/** True for a text in which an IBAN stands; long numbers, which references often are, do not count. */
const holdsIban = (text: string): boolean => /[A-Z]{2}…/.test(maskAccounts(text)) && !text.includes('…')

interface Identity {
  readonly id: number
  readonly creditor: string
  readonly reference: string
  readonly key: string
}

/**
 * A file with shifted columns has account numbers where references should be. In rows that were never registered they
 * are masked, and the key made of them is replaced by a number, one for each key, so that counts of mandates stay.
 */
export function maskIdentities(
  connection: Connection,
  where: string,
  values: Readonly<Record<string, unknown>>,
): void {
  const page = connection.prepare<[object], Identity>(
    `select id, coalesce(original_creditor_identifier, '') as creditor,
       coalesce(original_mandate_reference, '') as reference, coalesce(mandate_key, '') as key
     from row where id > :after and state <> 'registered' and ${where} order by id limit 1000`,
  )
  const firstOfKey = connection
    .prepare<[string], number>('select min(id) from row where mandate_key = ?')
    .pluck()
  const mask = connection.prepare(
    `update row set original_creditor_identifier = iif(original_creditor_identifier is null, null, :creditor),
       original_mandate_reference = iif(original_mandate_reference is null, null, :reference) where id = :id`,
  )
  const replaceKey = [
    `update row set mandate_key = :now where mandate_key = :key and state <> 'registered' and ${where}`,
    `update attempt set mandate_key = :now where mandate_key = :key and outcome is not 'registered'
       and row_id in (select id from row where ${where})`,
  ].map((sql) => connection.prepare(sql))

  for (const rows of pagesOf(
    (after) => page.all({ ...values, after }),
    ({ id }) => id,
  ))
    for (const { id, creditor, reference, key } of rows) {
      if (!holdsIban(creditor) && !holdsIban(reference)) continue
      mask.run({ id, creditor: maskAccounts(creditor), reference: maskAccounts(reference) })
      if (key === '' || key.startsWith('removed|')) continue
      const now = `removed|${String(firstOfKey.get(key) ?? id)}`
      for (const statement of replaceKey) statement.run({ ...values, now, key })
    }
}

/** A file may be named after an account. */
export function maskFileNames(connection: Connection): void {
  const names = connection.prepare<[], { id: number; name: string }>('select id, name from source')
  const rename = connection.prepare<[string, number]>('update source set name = ? where id = ?')
  for (const { id, name } of names.all()) if (maskAccounts(name) !== name) rename.run(maskAccounts(name), id)
}
