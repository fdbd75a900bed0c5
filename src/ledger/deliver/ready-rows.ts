import { LATE_REQUEST_MS } from '../../domain/row/late-request.js'
import type {
  CreditorIdentifier,
  Iban,
  LocalDate,
  Mandate,
  MandateReference,
} from '../../domain/mandate/mandate.js'
import { LedgerError } from '../../errors.js'
import type { Connection } from '../file/connection.js'
import { HAS_COPIES } from './account-removal.js'
import type { Fingerprints } from '../admit/fingerprints.js'
import type { ReadyRow, WaitingRows } from '../ledger.js'

export interface StoredReady {
  readonly id: number
  readonly attempts: number
  readonly customerNo: number
  readonly iban: string
  readonly signedDate: string
  readonly creditorIdentifier: string
  readonly mandateReference: string
  readonly accountKey: Buffer
  /** Null for a row that was admitted by an older version. */
  readonly contentKey: Buffer | null
  /** SQLite's truth value. */
  readonly hasCopies: 0 | 1
}

/** Only checked values reach the state `ready`, and a guard keeps them as they were. */
const mandateOf = (row: StoredReady): Mandate => ({
  customerNo: row.customerNo,
  iban: row.iban as Iban,
  signedDate: row.signedDate as LocalDate,
  original: {
    creditorIdentifier: row.creditorIdentifier as CreditorIdentifier,
    mandateReference: row.mandateReference as MandateReference,
  },
})

/** A page is read again from the disk: what somebody or something changed in the file must not be sent. */
export function toReadyRow(row: StoredReady, fingerprints: Fingerprints, file: string): ReadyRow {
  const mandate = mandateOf(row)
  const isAsAdmitted =
    fingerprints.account(row.iban).equals(row.accountKey) &&
    (row.contentKey === null || fingerprints.content(mandate).equals(row.contentKey))
  if (isAsAdmitted) return { id: row.id, attempts: row.attempts, mandate, hasCopies: row.hasCopies === 1 }
  throw new LedgerError(
    'damaged',
    `Cannot send row ${row.id} of the ledger "${file}": it no longer holds what was admitted, its fingerprint differs`,
    'The file was changed or is damaged. The row was not sent, and nothing after it. Keep the file as evidence, find ' +
      'out who could write to it, and compare what was registered with the service',
  )
}

/**
 * Rows that may not leave yet: a request of their mandate, or of a row they replaced, was in doubt and may still
 * arrive, and nobody decided to resend it all the same. What the row was called meanwhile does not matter.
 */
export const WAITING = `
  with recursive late (row_id, mandate_key, started_at) as materialized (
    select row_id, mandate_key, started_at from attempt
     where outcome = 'released' and started_at > :since
       and not exists (select 1 from decision where attempt_id = attempt.id and decision = 'resend')),
  heir (id, started_at) as (
    select row_id, started_at from late
    union select row.superseded_by, heir.started_at from heir join row on row.id = heir.id
     where row.superseded_by is not null)
  select id, started_at from heir
  union select row.id, late.started_at from late join row on row.mandate_key = late.mandate_key`

export const READY_COLUMNS = `row.id as id, attempts, customer_no as customerNo, iban, signed_date as signedDate,
       original_creditor_identifier as creditorIdentifier, original_mandate_reference as mandateReference,
       iban_key as accountKey, content_key as contentKey, ${HAS_COPIES} as hasCopies`

export const waitingSince = (nowMs: number): string => new Date(nowMs - LATE_REQUEST_MS).toISOString()

export interface ReadyRows {
  readonly page: (after: number, limit: number) => ReadyRow[]
  readonly count: () => number
  readonly waiting: () => WaitingRows
}

/** @param parts `fingerprints`: made when the first row is read; a ledger that was purged has none, and no ready row */
export function prepareReadyRows(
  connection: Connection,
  parts: { file: string; nowMs: () => number; fingerprints: () => Fingerprints },
): ReadyRows {
  const { file, nowMs } = parts
  let known: Fingerprints | null = null
  const since = (): string => waitingSince(nowMs())
  const page = connection.prepare<[{ after: number; limit: number; since: string }], StoredReady>(
    `select ${READY_COLUMNS} from row where state = 'ready' and id > :after and id not in (select id from (${WAITING}))
     order by id limit :limit`,
  )
  const count = connection
    .prepare<[{ since: string }], number>(
      `select count(*) from row where state = 'ready' and id not in (select id from (${WAITING}))`,
    )
    .pluck()
  const waiting = connection.prepare<[{ since: string }], { count: number; latest: string | null }>(
    `select count(distinct row.id) as count, max(started_at) as latest
       from (${WAITING}) as waits join row on row.id = waits.id where state = 'ready'`,
  )
  return {
    page: (after, limit) =>
      page
        .all({ after, limit, since: since() })
        .map((row) => toReadyRow(row, (known ??= parts.fingerprints()), file)),
    count: () => count.get({ since: since() }) ?? 0,
    waiting: () => {
      const found = waiting.get({ since: since() }) ?? { count: 0, latest: null }
      const until = found.latest === null ? null : Date.parse(found.latest) + LATE_REQUEST_MS
      return { count: found.count, until: until === null ? null : new Date(until).toISOString() }
    },
  }
}
