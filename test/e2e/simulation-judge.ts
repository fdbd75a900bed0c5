import { type RowState, isBalanced, type Totals } from '../../src/domain/row/row-state.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { Disk } from './simulation-disk.js'
import type { Application, ReceivedRequest } from './simulation-service.js'

interface StoredRow {
  readonly id: number
  readonly state: RowState
  readonly original: string
  readonly iban: string | null
  readonly cells: string | null
  readonly attempts: number
  readonly reference: string | null
}
interface StoredAttempt {
  readonly rowId: number
  readonly runId: number
  readonly requestId: string
  readonly outcome: string | null
}
interface StoredDecision {
  readonly rowId: number
  readonly fromState: RowState
  readonly toState: RowState
}

const NEVER_SENT: readonly RowState[] = ['invalid', 'duplicate', 'conflict', 'excluded', 'superseded']
const MAX_TURNED_AWAY = 8

export type Judge = ReturnType<typeof startJudge>

/**
 * The invariants (ledger/README.md#invariants), judged from the outside: the ledger's tables against the truth.
 * @param mayRepeat whether a person may have a mandate sent again that the service holds: nobody knew better
 */
export function startJudge(
  rows: number,
  disk: Pick<Disk, 'read'>,
  service: {
    readonly requests: readonly ReceivedRequest[]
    readonly applicationsOf: (original: string) => readonly Pick<Application, 'reference'>[]
  },
  mayRepeat = true,
) {
  const violations: string[] = []
  const registeredAs = new Map<number, string | null>()
  const violate = (violation: string): void => {
    if (!violations.includes(violation)) violations.push(violation)
  }

  function look(when: string, totals: Totals): void {
    if (!isBalanced(totals) || totals.read !== rows) violate(`I2 ${when}: the totals do not balance`)
    const stored = disk.read<StoredRow>(
      `select id, state, original_mandate_reference as original, iban, cells, attempts,
         assigned_mandate_reference as reference from row left join private on row_id = id`,
    )
    const attempts = disk.read<StoredAttempt>(
      `select row_id as rowId, run_id as runId, request_id as requestId, outcome from attempt`,
    )
    const decisions = disk.read<StoredDecision>(
      `select row_id as rowId, from_state as fromState, to_state as toState from decision`,
    )
    if (stored.length !== rows) violate(`I2 ${when}: ${stored.length} rows of ${rows} are left`)
    for (const row of stored) judgeRow(row, attempts, decisions, when)
    judgeRequests(attempts, when)
  }

  function judgeRow(
    row: StoredRow,
    attempts: readonly StoredAttempt[],
    decisions: readonly StoredDecision[],
    when: string,
  ): void {
    const say = (invariant: string, text: string): void =>
      violate(`${invariant} ${when}: row ${row.id} ${text}`)
    const applied = service.applicationsOf(row.original)
    const own = decisions.filter(({ rowId }) => rowId === row.id)
    const resends = mayRepeat
      ? own.filter(({ fromState, toState }) => fromState === 'in_doubt' && toState === 'ready').length
      : 0
    const tried = attempts.filter(({ rowId }) => rowId === row.id)

    if (applied.length > 1 + resends)
      say('I1', `was applied ${applied.length} times with ${resends} approved resends`)
    if (row.state === 'registered') {
      if (!applied.some(({ reference }) => reference === row.reference))
        say('I4', 'is registered with a reference that the service did not give it')
      if (row.iban !== null || row.cells !== null)
        say('I5', 'is registered and still holds its account number')
    }
    if (row.state === 'refused' && applied.length > resends) say('I4', 'is refused and was applied')
    if (row.state === 'ready' && applied.length > resends) say('I4', 'is ready and was applied')
    if (NEVER_SENT.includes(row.state) && (tried.length > 0 || applied.length > 0))
      say('I4', `is ${row.state} and was sent`)
    if (tried.length !== row.attempts) say('I2', `counts ${row.attempts} attempts and has ${tried.length}`)

    const earlier = registeredAs.get(row.id)
    if (earlier !== undefined && (row.state !== 'registered' || row.reference !== earlier))
      say('I4', 'was registered and has changed')
    if (row.state === 'registered') registeredAs.set(row.id, row.reference)

    for (const runId of new Set(tried.map((attempt) => attempt.runId))) {
      const own = tried.filter((attempt) => attempt.runId === runId)
      const turnedAway = own.filter(({ outcome }) => outcome === 'turned_away').length
      if (turnedAway > MAX_TURNED_AWAY) say('bound', `was turned away ${turnedAway} times in one run`)
    }
  }

  /** Every exchange is an attempt of its own, on record before it left. */
  function judgeRequests(attempts: readonly StoredAttempt[], when: string): void {
    const recorded = new Map(attempts.map((attempt) => [attempt.requestId, attempt]))
    for (const { requestId, customerNo } of service.requests) {
      const attempt = recorded.get(requestId)
      if (attempt === undefined)
        violate(`intent ${when}: a request of customer ${customerNo} left without an intent on disk`)
      else if (attempt.outcome === 'not_sent')
        violate(`intent ${when}: a request of customer ${customerNo} arrived and is called not sent`)
    }
  }

  return {
    violations: violations as readonly string[],
    violate,
    /** While the ledger is open. */
    look,
    /** After a start: what the last process left behind. */
    afterStart: (ledger: Pick<Ledger, 'recovered' | 'totals'>, slots: number): void => {
      const { recovered } = ledger
      if (recovered > slots) violate(`I3: ${recovered} rows in doubt after a crash with ${slots} slots`)
      const totals = ledger.totals()
      if (totals.sending > 0) violate(`recovery: ${totals.sending} rows are still sending after a start`)
      look('after a start', totals)
    },
    atTheEnd: (totals: Totals): void => {
      look('at the end', totals)
      const [verdict] = disk.read<{ integrity_check: string }>('pragma integrity_check')
      if (verdict?.integrity_check !== 'ok') violate('I7: the integrity check fails')
    },
  }
}
