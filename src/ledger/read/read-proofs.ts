import { shownOf, type Heard } from '../../domain/proof/absence.js'
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
): Pick<
  LedgerReader,
  'readBacks' | 'proofsOfRow' | 'proofs' | 'proofCounts' | 'assignedCreditors' | 'shown' | 'provenByRun'
> {
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
    ...prepareAbsenceReads(connection),
  }
}

interface StoredDoubt {
  readonly rowId: number
  readonly runId: number
  readonly attempts: number
  readonly sentAt: string
  readonly endedAt: string
}

type StoredHeard = Omit<Heard, 'isListed'> & { readonly answer: string }

/** A question that was put before the latest request left, within its attempt, says nothing of it. */
function prepareAbsenceReads(connection: Connection): Pick<LedgerReader, 'shown' | 'provenByRun'> {
  const page = connection.prepare<[number, number], StoredDoubt>(
    `select row.id as rowId, run_id as runId, attempts, started_at as sentAt,
       coalesce(ended_at, started_at) as endedAt
       from row join attempt on row_id = row.id and n = attempts
      where state = 'in_doubt' and row.id > ? and exists (select 1 from proof where proof.row_id = row.id)
      order by row.id limit ?`,
  )
  const heard = connection.prepare<[number, number, string], StoredHeard>(
    `select asked_at as askedAt, answered_at as answeredAt, verdict, answer from ${TABLES}
      where row_id = ? and attempts = ? and asked_at > ? order by proof.id`,
  )
  const proven = connection.prepare<[], { runId: number; count: number }>(
    `select run_id as runId, count(*) as count
       from proof join attempt on attempt.row_id = proof.row_id and n = attempts
      where verdict = 'proven' and proof.id =
        (select max(latest.id) from proof as latest where latest.row_id = proof.row_id)
      group by run_id order by run_id`,
  )
  return {
    shown: (after, limit) =>
      page.all(after, limit).map(({ attempts, endedAt, ...doubt }) => ({
        ...doubt,
        shown: shownOf(heard.all(doubt.rowId, attempts, endedAt).map(toHeard)),
      })),
    provenByRun: () => proven.all(),
  }
}

const toHeard = ({ answer, ...heard }: StoredHeard): Heard => ({ ...heard, isListed: answer === 'listed' })
