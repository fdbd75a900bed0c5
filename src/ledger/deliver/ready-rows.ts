import type { Choice } from '../../domain/row/choice.js'
import type {
  CreditorIdentifier,
  Iban,
  LocalDate,
  Mandate,
  MandateReference,
} from '../../domain/mandate/mandate.js'
import { LedgerError } from '../../errors.js'
import type { Connection } from '../file/connection.js'
import { IS_CHOSEN, placedChoice } from '../read/chosen-rows.js'
import { HAS_COPIES } from './account-removal.js'
import type { Fingerprints } from '../admit/fingerprints.js'
import type { ClaimedMandate, ReadyRow, WaitingRows } from '../ledger.js'
import { LATE_REQUEST_MS } from '../../domain/row/outcome.js'

interface StoredReady {
  readonly id: number
  readonly attempts: number
  readonly customerNo: number
  readonly iban: string
  readonly signedDate: string
  readonly creditorIdentifier: string
  readonly mandateReference: string
  readonly accountKey: Buffer
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
function toReadyRow(row: StoredReady, fingerprints: Fingerprints, file: string): ReadyRow {
  const mandate = mandateOf(row)
  const isAsAdmitted =
    fingerprints.account(row.iban).equals(row.accountKey) &&
    row.contentKey !== null &&
    fingerprints.content(mandate).equals(row.contentKey)
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
const WAITING = `
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

const READY_COLUMNS = `row.id as id, attempts, customer_no as customerNo, iban, signed_date as signedDate,
       original_creditor_identifier as creditorIdentifier, original_mandate_reference as mandateReference,
       iban_key as accountKey, content_key as contentKey, ${HAS_COPIES} as hasCopies`

/** What a mandate is known by. A spreadsheet changes references (zeros in front are lost), so customer and date count too. */
export const CLAIMED = `id as row, mandate_key as key, customer_no || '|' || signed_date as likeness, attempts`

const waitingSince = (nowMs: number): string => new Date(nowMs - LATE_REQUEST_MS).toISOString()

/** What a run may send: by this one condition it is counted and given out. */
const MAY_LEAVE = `state = 'ready' and row.id not in (select id from (${WAITING})) and ${IS_CHOSEN}`

export interface ReadyRows {
  readonly page: (after: number, limit: number, choice: Choice | null) => ReadyRow[]
  readonly count: (choice: Choice | null) => number
  /**
   * The rows that the pages will hold from now on, at most so many: what waits at this moment is left to a later run, so
   * that nothing is sent that was not claimed.
   */
  readonly toSend: (limit: number | null, choice?: Choice | null) => Iterable<ClaimedMandate>
  readonly waiting: (choice: Choice | null) => WaitingRows
}

/** An iteration keeps the connection busy from its first moment, also where nobody wants what it gives. */
function* lazily<Value>(start: () => Iterable<Value>): Generator<Value, void, undefined> {
  yield* start()
}
type Asked = Readonly<{ since: string; choice: string | null }>

/** @param parts `fingerprints`: made when the first row is read; a ledger that was purged has none, and no ready row */
export function prepareReadyRows(
  connection: Connection,
  parts: { file: string; nowMs: () => number; fingerprints: () => Fingerprints },
): ReadyRows {
  const { file, nowMs } = parts
  let known: Fingerprints | null = null
  let decidedAt: string | null = null
  const asked = (choice: Choice | null): Asked => ({
    since: decidedAt ?? waitingSince(nowMs()),
    choice: placedChoice(connection, choice),
  })
  const page = connection.prepare<[Asked & { after: number; limit: number }], StoredReady>(
    `select ${READY_COLUMNS} from row where id > :after and ${MAY_LEAVE} order by id limit :limit`,
  )
  const count = connection.prepare<[Asked], number>(`select count(*) from row where ${MAY_LEAVE}`).pluck()
  const toSend = connection.prepare<[Asked & { limit: number }], ClaimedMandate>(
    `select ${CLAIMED} from row where ${MAY_LEAVE} order by id limit :limit`,
  )
  const waiting = connection.prepare<[Asked], { count: number; latest: string | null }>(
    `select count(distinct row.id) as count, max(started_at) as latest
       from (${WAITING}) as waits join row on row.id = waits.id where state = 'ready' and ${IS_CHOSEN}`,
  )
  return {
    page: (after, limit, choice) =>
      page
        .all({ after, limit, ...asked(choice) })
        .map((row) => toReadyRow(row, (known ??= parts.fingerprints()), file)),
    toSend: (limit, choice = null) => {
      decidedAt = waitingSince(nowMs())
      const given = { ...asked(choice), limit: limit ?? -1 }
      return lazily(() => toSend.iterate(given))
    },
    count: (choice) => count.get(asked(choice)) ?? 0,
    waiting: (choice) => {
      const found = waiting.get(asked(choice)) ?? { count: 0, latest: null }
      const until = found.latest === null ? null : Date.parse(found.latest) + LATE_REQUEST_MS
      return { count: found.count, until: until === null ? null : new Date(until).toISOString() }
    },
  }
}
