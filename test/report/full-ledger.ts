import { NO_REASON } from '../../src/domain/row/correction.js'
import { ROW_STATES } from '../../src/domain/row/row-state.js'
import type { ReportFacts } from '../../src/report/facts/facts.js'
import {
  attemptOf,
  decisionOf,
  keptSource,
  plannedOf,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from './ledger-value.js'
import { RULES, type RuleId } from '../../src/domain/rule/verdict.js'

const doubtful = attemptOf({ outcome: 'in_doubt', hint: 'may_exist', reason: 'R', answer: 'A'.repeat(700) })
export const PLAN = plannedOf()
const sent = { registered: 1_234, refused: 2, in_doubt: 3, turned_away: 4, not_sent: 5, open: 6 }

const nameless = { ...keptSource('a', { reference: 'NEW-102' }), id: null }

/** Something of everything that a page can show. */
export const FULL: LedgerValue = {
  sources: [sourceOf({ records: 60, resubmitted: 1, reading: { resultFile: true, headerLine: 1 } })],
  rows: [
    ...[...ROW_STATES, ...ROW_STATES].map((state, at) =>
      state === 'registered'
        ? registeredRow(at + 1, { latestFirstDebit: '2027-01-01' })
        : rowOf(at + 1, { state, lastAttempt: state === 'in_doubt' ? doubtful : null }),
    ),
    rowOf(30, { state: 'in_doubt', lastAttempt: attemptOf({ outcome: 'in_doubt', started: false }) }),
    rowOf(31, {
      state: 'in_doubt',
      customerNo: null,
      lastAttempt: attemptOf({ outcome: 'in_doubt', hint: 'probably_registered', message: 'M' }),
      formerDoubt: { rowId: 30, startedAt: '2026-06-15T10:00:00.000Z', requestId: 'q', started: null },
    }),
    rowOf(32, { corrects: 1, countedIn: null, state: 'conflict' }),
    ...Array.from({ length: 60 }, (__, at) => rowOf(at + 40, { state: 'in_doubt', lastAttempt: doubtful })),
  ],
  decisions: Array.from({ length: 60 }, (__, at) =>
    decisionOf({
      id: at + 1,
      rowId: 3,
      decision: ['written_off', 'resend', 'retry_refused', 'corrected'][at % 4] ?? '',
      by: `P${at}`,
      ...(at % 4 === 3 ? { reason: NO_REASON } : {}),
    }),
  ),
  runs: [
    runOf({ endedAt: null, attempts: sent, settings: { maxDurationMs: 5, rules: { UMR_SPACE: 'off' } } }),
    runOf({
      id: 2,
      settings: { outcomes: { 503: 'turned_away' }, stopAtCanaryDoubt: true, plan: PLAN.digest },
    }),
    runOf({ id: 3, exitCode: null, attempts: sent }),
    runOf({ id: 4, endedAt: null }),
    runOf({
      id: 5,
      stoppedBy: 'signal',
      settings: { only: [{ column: 'S', values: ['A'] }], countries: ['AT'] },
    }),
  ],
  plans: [PLAN, { ...PLAN, id: 2, digest: 'e'.repeat(64), approvals: [] }],
  verified: [
    verifiedRow(8),
    verifiedRow(101, { verdict: 'absent', sources: [] }),
    verifiedRow(102, { verdict: 'twice', cancellable: ['b'], sources: [nameless] }),
    verifiedRow(103, { verdict: 'twice', sources: [keptSource('a'), keptSource('b')] }),
    verifiedRow(104, { verdict: 'other' }),
    verifiedRow(108, { verdict: 'unreadable' }),
  ],
  sample: 7,
}

/** What a value of a ledger cannot give. */
export const MORE: Partial<ReportFacts> = {
  changedWhileReading: true,
  // The longest sentences of all.
  notSent: (Object.keys(RULES) as RuleId[])
    .toSorted((a, b) => RULES[b].message.length - RULES[a].message.length)
    .slice(0, 6)
    .map((rule) => ({ state: 'conflict' as const, rule, count: 7 })),
  proposals: 2,
  sentByApproval: [
    { approval: null, rows: 364 },
    { approval: 1, rows: 9 },
  ],
  leftByChoice: 1_234,
  problemCounts: (Object.keys(RULES) as RuleId[]).map((rule, at) => ({
    rule,
    severity: at % 2 === 0 ? ('error' as const) : ('warning' as const),
    count: 1_000 + at,
  })),
  refusalCounts: Array.from({ length: 30 }, (__, at) => ({
    status: at === 0 ? null : 422,
    serviceCode: null,
    field: at === 1 ? 'iban' : null,
    message: null,
    count: at + 1,
  })),
}
