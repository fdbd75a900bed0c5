import type { KeptSource } from '../../domain/proof/evidence.js'
import type { RowState } from '../../domain/row/row-state.js'
import type { Connection } from '../file/connection.js'
import type { LedgerReader, ProofRecord, ReadBackRecord } from './reader.js'

type StoredProof = Omit<ProofRecord, 'sources'> & { readonly sources: string | null }

const COLUMNS = `proof.row_id as rowId, proof.attempts, question.answered_at as answeredAt,
  question.request_id as requestId, read_back_id as readBackId, verdict, why, proof.sources`

const TABLES = 'proof join question on question.id = question_id'

const toProof = ({ sources, ...stored }: StoredProof): ProofRecord => ({
  ...stored,
  sources: sources === null ? [] : (JSON.parse(sources) as KeptSource[]),
})

/** What was read back of the service, by row and in all. The latest answer about a row counts. */
export function prepareProofReads(
  connection: Connection,
): Pick<LedgerReader, 'readBacks' | 'proofsOfRow' | 'proofs' | 'proofCounts' | 'assignedCreditors'> {
  const readBacks = connection.prepare<[], ReadBackRecord>(
    `select id, scope, sample, started_at as startedAt, ended_at as endedAt, stopped_by as stoppedBy,
       (select count(*) from question where read_back_id = read_back.id) as questions,
       (select count(*) from question where read_back_id = read_back.id and answer <> 'listed') as unanswered
     from read_back order by id`,
  )
  const ofRow = connection.prepare<[number], StoredProof>(
    `select ${COLUMNS} from ${TABLES} where proof.row_id = ? order by proof.id`,
  )
  const page = connection.prepare<[RowState, number, number], StoredProof>(
    `select ${COLUMNS} from row join proof on proof.id =
       (select max(latest.id) from proof as latest where latest.row_id = row.id)
       join question on question.id = question_id
      where state = ? and row.id > ? order by row.id limit ?`,
  )
  const counts = connection.prepare<[], ReturnType<LedgerReader['proofCounts']>[number]>(
    `select state, verdict, count(*) as count, min(question.answered_at) as firstAt, max(question.answered_at) as lastAt
       from row join proof on proof.id = (select max(latest.id) from proof as latest where latest.row_id = row.id)
       join question on question.id = question_id
      group by state, verdict order by state, verdict`,
  )
  const creditors = connection
    .prepare<[], string>(
      `select distinct assigned_creditor_identifier from row where state = 'registered' order by 1 limit 2`,
    )
    .pluck()
  return {
    readBacks: () => readBacks.all(),
    proofsOfRow: (rowId) => ofRow.all(rowId).map(toProof),
    proofs: (state, after, limit) => page.all(state, after, limit).map(toProof),
    proofCounts: () => counts.all(),
    assignedCreditors: () => creditors.all(),
  }
}
