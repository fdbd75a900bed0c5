import { cancellableOf, type VerdictCount } from '../../domain/proof/verification.js'
import type { KeptSource, VerdictKind } from '../../domain/proof/evidence.js'
import type { Connection } from '../file/connection.js'
import type { LedgerReader, StatusCount, VerifiedRow } from './reader.js'

/**
 * The latest answer about each registered row, where it counts. Presence does from the row's latest request on, since
 * a doubt is settled by it; what contradicts a registration only where it was asked behind it, or the look before a
 * mandate was sent would contradict it.
 */
const COUNTED_ANSWER = `proof.id = (select max(latest.id) from proof as latest where latest.row_id = proof.row_id)
  and state = 'registered' and proof.attempts = row.attempts
  and (verdict in ('proven', 'twice') or asked_at > registered_at)`

/** In this order, so that the rows without an answer are never looked at. */
const TABLES =
  'proof cross join row on row.id = proof.row_id cross join question on question.id = question_id'

interface StoredVerified extends Omit<VerifiedRow, 'sources' | 'cancellable'> {
  readonly sources: string | null
}

type Reads = Pick<LedgerReader, 'verificationCounts' | 'verifiedRows' | 'sourceStatuses' | 'latestSample'>

/** What was read back of registered rows. Where nobody asked, no row is looked at. */
export function prepareVerificationReads(connection: Connection): Reads {
  const hasProofs = connection.prepare<[]>('select 1 from proof limit 1')
  const counts = connection.prepare<[{ readBack: number | null }], VerdictCount>(
    `select verdict, count(*) as count, min(answered_at) as firstAt, max(answered_at) as lastAt from ${TABLES}
      where ${COUNTED_ANSWER} and (:readBack is null or read_back_id = :readBack) group by verdict order by verdict`,
  )
  const statuses = connection.prepare<[], StatusCount>(
    `select value ->> '$.status' as status,
       count(distinct coalesce(value ->> '$.id', row.id || ' ' || key)) as sources
      from ${TABLES} cross join json_each(proof.sources) where ${COUNTED_ANSWER}
      group by 1 order by 2 desc, 1`,
  )
  const sample = connection
    .prepare<[], number | null>(
      `select sample from read_back where scope in ('registered', 'all')
         and exists (select 1 from question where read_back_id = read_back.id) order by id desc limit 1`,
    )
    .pluck()
  return {
    verificationCounts: (readBackId) =>
      hasProofs.get() === undefined ? [] : counts.all({ readBack: readBackId ?? null }),
    verifiedRows: prepareRows(connection),
    sourceStatuses: () => statuses.all(),
    latestSample: () => sample.get() ?? null,
  }
}

function prepareRows(connection: Connection): Reads['verifiedRows'] {
  const page = connection.prepare<[VerdictKind, number, number], StoredVerified>(
    `select row.id as id, row.customer_no as customerNo, iban_masked as ibanMasked, signed_date as signedDate,
       assigned_creditor_identifier as assignedCreditorIdentifier,
       assigned_mandate_reference as assignedMandateReference, verdict, why, answered_at as answeredAt, proof.sources
      from ${TABLES} where ${COUNTED_ANSWER} and verdict = ? and proof.row_id > ? order by proof.row_id limit ?`,
  )
  const openSibling = connection.prepare<[number]>(
    `select 1 from row as own join row as other on other.customer_no = own.customer_no and other.id <> own.id
      where own.id = ? and other.state in ('in_doubt', 'sending')
        and other.iban_key is own.iban_key and other.signed_date is own.signed_date limit 1`,
  )
  const owner = connection
    .prepare<[string], number>('select id from row where assigned_mandate_reference = ? collate nocase')
    .pluck()
  const cancellable = (id: number, sources: readonly KeptSource[]): readonly string[] =>
    cancellableOf(
      { rowId: id, sources, hasOpenSibling: openSibling.get(id) !== undefined },
      (reference) => owner.get(reference) ?? null,
    )
  return (verdict, after, limit) =>
    page.all(verdict, after, limit).map((stored) => {
      const sources = stored.sources === null ? [] : (JSON.parse(stored.sources) as KeptSource[])
      return { ...stored, sources, cancellable: verdict === 'twice' ? cancellable(stored.id, sources) : [] }
    })
}
