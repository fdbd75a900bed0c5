import type { VerdictKind } from '../../domain/proof/evidence.js'
import type { Connection } from '../file/connection.js'
import { COUNTED_ANSWER } from './read-verification.js'
import type { LedgerReader, NotifiedRow } from './reader.js'

/** Registered rows as a letter names them, and what letters were made. */
export function prepareNoticeReads(connection: Connection): Pick<LedgerReader, 'notified' | 'notices'> {
  const rows = connection.prepare<[number, number], NotifiedRow & { verdict: VerdictKind | null }>(
    `select row.id as id, source_id as sourceId, record, customer_no as customerNo, iban_masked as ibanMasked,
       signed_date as signedDate, original_creditor_identifier as originalCreditorIdentifier,
       original_mandate_reference as originalMandateReference,
       assigned_creditor_identifier as assignedCreditorIdentifier,
       assigned_mandate_reference as assignedMandateReference, latest_first_debit as latestFirstDebit,
       (select verdict from proof cross join question on question.id = question_id
         where proof.row_id = row.id and ${COUNTED_ANSWER}) as verdict
      from row where state = 'registered' and row.id > ? order by row.id limit ?`,
  )
  const notices = connection.prepare<[], ReturnType<LedgerReader['notices']>[number]>(
    `select made_at as madeAt, made_by as madeBy, made_as as madeAs, version, first_debit as firstDebit, file, sha256,
       bytes, rows from notice order by id`,
  )
  return { notified: (after, limit) => rows.all(after, limit), notices: () => notices.all() }
}
