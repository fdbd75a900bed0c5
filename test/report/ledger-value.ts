import { USUAL_ABSENT_AFTER_MS } from '../../src/domain/proof/read-back.js'
import type { KeptSource } from '../../src/domain/proof/match-sources.js'
import { openScratchLedger } from '../../src/ledger/file/writer.js'
import type {
  ApprovalRecord,
  AttemptRecord,
  DecisionRecord,
  PlanRecord,
  ProblemRecord,
  RowRecord,
  RunRecord,
  ShownDoubt,
  SourceRecord,
  VerifiedRow,
} from '../../src/ledger/read/reader.js'
import type { LedgerReader } from '../../src/ledger/read/open-reader.js'
import { NOTHING_TOLD } from '../../src/report/pack/pack-folder.js'
import { walkLedger } from '../../src/report/facts/facts.js'
import {
  EDGES,
  MANDATE_STATES,
  type MandateCount,
  totalsOf,
  type VerdictCount,
} from '../../src/domain/row/row-state.js'
import { planOf } from '../ledger/plan/plan-document.js'

/** Rows, sources and the rest as arrays, read as a ledger is: for renderers, where no writer is needed. */
export interface LedgerValue {
  /** Where nothing is said, one of all rows. */
  readonly sources?: readonly SourceRecord[]
  readonly rows?: readonly RowRecord[]
  readonly problems?: readonly ProblemRecord[]
  readonly decisions?: readonly DecisionRecord[]
  readonly runs?: readonly RunRecord[]
  readonly shown?: readonly ShownDoubt[]
  readonly plans?: readonly PlanRecord[]
  /** Of registered rows; the latest answer about each. */
  readonly verified?: readonly VerifiedRow[]
  readonly sample?: number
}

/** `count` of something, made of the numbers from 1. */
export const many = <Of>(count: number, of: (n: number) => Of): Of[] =>
  Array.from({ length: count }, (_, index) => of(index + 1))

/** What a report shows of these records; `terms`: the files that are handed each of them, and what else there is. */
export function factsOf(value: LedgerValue, terms: Partial<Parameters<typeof walkLedger>[2]> = {}) {
  const reader = readerOf(value)
  const usual = { files: [], absentAfterMs: USUAL_ABSENT_AFTER_MS, told: NOTHING_TOLD }
  return walkLedger(reader, reader.sources(), { ...usual, ...terms })
}

/** A page without tags, blanks folded. */
export const textOf = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')

/** What stands for these characters in markup, as these characters. */
export const asText = (markup: string): string =>
  Object.entries({ lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", amp: '&' }).reduce(
    (text, [name, character]) => text.replaceAll(`&${name};`, character),
    markup,
  )

const VALUES = 'customer_no iban signed_date sepa_creditor_identifier unique_mandate_reference'
export const HEADER = VALUES.split(' ')

const page = <Entry extends { readonly id: number }>(
  entries: readonly Entry[],
  after: number,
  limit: number,
): Entry[] => entries.filter((entry) => entry.id > after).slice(0, limit)

/** What no value says is that of a ledger that nothing came into. */
const EMPTY = openScratchLedger({ now: () => 0, monotonic: () => 0 }).reader
const CAMPAIGN = {
  ...EMPTY.campaign(),
  ledgerId: '7f3b7c1e',
  baseUrl: 'https://billing.example',
  username: 'migration',
  changedAt: '2026-06-15T12:00:00.000Z',
}

export function readerOf(value: LedgerValue): LedgerReader {
  const { rows = [], problems = [], decisions = [], shown = [], verified = [] } = value
  const { sources = rows.length === 0 ? [] : [sourceOf({ records: rows.length })] } = value
  return {
    ...EMPTY,
    file: 'campaign.db',
    campaign: () => CAMPAIGN,
    sources: () => [...sources],
    runs: () => [...(value.runs ?? [])],
    plans: () => [...(value.plans ?? [])],
    page: (after, limit) => {
      const read = page(rows, after, limit)
      const isRegistration = (row: RowRecord): boolean => row.state === 'registered' && row.countedIn !== null
      const others = read.filter((row) => !isRegistration(row))
      return { rows: others, registered: read.filter(isRegistration), last: read.at(-1)?.id ?? null }
    },
    mandateCounts: () => mandateCountsOf(rows),
    problems: (after, limit) => page(problems, after, limit),
    problemsOfRow: (rowId) => problems.filter((problem) => problem.rowId === rowId),
    decisions: (after, limit) => page(decisions, after, limit),
    shown: (after, limit) => shown.filter(({ rowId }) => rowId > after).slice(0, limit),
    verificationCounts: () => countsOf(verified),
    verifiedRows: (verdict, after, limit) =>
      page(
        verified.filter((row) => row.verdict === verdict),
        after,
        limit,
      ),
    latestSample: () => value.sample ?? null,
  }
}

function mandateCountsOf(rows: readonly RowRecord[]): MandateCount[] {
  const counts = new Map<string, MandateCount>()
  for (const row of rows) {
    const state = MANDATE_STATES.find((each) => each === row.state && row.countedIn !== null)
    const kind = `${row.state} ${row.rule ?? ''}`
    if (state !== undefined)
      counts.set(kind, { state, rule: row.rule, count: (counts.get(kind)?.count ?? 0) + 1 })
  }
  const all = [...counts.values()]
  return all.sort((a, b) => b.count - a.count || ((a.rule ?? '') < (b.rule ?? '') ? -1 : 1))
}

const countsOf = (rows: readonly VerifiedRow[]): VerdictCount[] =>
  [...new Set(rows.map(({ verdict }) => verdict))].map((verdict) => {
    const times = rows.flatMap((row) => (row.verdict === verdict ? [row.answeredAt] : [])).sort()
    return { verdict, count: times.length, firstAt: times[0] ?? '', lastAt: times.at(-1) ?? '' }
  })

export function sourceOf(change: Partial<SourceRecord> = {}): SourceRecord {
  const records = change.records ?? 0
  const header = change.header ?? HEADER
  return {
    id: 1,
    name: 'export.csv',
    sha256: 'a'.repeat(64),
    bytes: 1234,
    records,
    origin: change.id ?? 1,
    resubmitted: 0,
    blankLines: 0,
    admittedAt: '2026-06-15T09:00:00.000Z',
    header,
    columns: Object.fromEntries(header.filter((name) => HEADER.includes(name)).map((name) => [name, name])),
    reading: {
      encoding: { encoding: 'utf-8', by: 'strict UTF-8' },
      delimiter: { delimiter: ',', by: 'header line' },
    },
    totals: totalsOf(records, new Map()),
    ...change,
  }
}

export const IBAN = 'DE89370400440532013000'

/** Row number `id`, ready, of a mandate of its own. */
export function rowOf(id: number, change: Partial<RowRecord> = {}): RowRecord {
  const reference = `M-${id}`
  return {
    id,
    sourceId: 1,
    source: 'export.csv',
    record: id,
    line: id + 1,
    state: 'ready',
    rule: null,
    customerNo: 1000 + id,
    ibanMasked: 'DE…3000',
    signedDate: '2020-02-29',
    originalCreditorIdentifier: 'DE98ZZZ09999999999',
    originalMandateReference: reference,
    mandateKey: `DE|09999999999|${reference}`,
    assignedCreditorIdentifier: null,
    assignedMandateReference: null,
    registeredAt: null,
    latestFirstDebit: null,
    vouchedOn: null,
    supersededBy: null,
    corrects: null,
    countedIn: change.sourceId ?? 1,
    attempts: 0,
    lastAttempt: null,
    formerDoubt: null,
    cells: [String(1000 + id), IBAN, '2020-02-29', 'DE98ZZZ09999999999', reference],
    ...change,
  }
}

export function registeredRow(id: number, change: Partial<RowRecord> = {}): RowRecord {
  return rowOf(id, {
    state: 'registered',
    assignedCreditorIdentifier: 'SE97ZZZ5560000001',
    assignedMandateReference: `NEW-${id}`,
    registeredAt: '2026-06-15T10:00:00.000Z',
    attempts: 1,
    lastAttempt: attemptOf({ outcome: 'registered', status: 200 }),
    cells: null,
    ...change,
  })
}

/** Proven, with a source of its own, unless something else is said. */
export function verifiedRow(id: number, change: Partial<VerifiedRow> = {}): VerifiedRow {
  return {
    id,
    customerNo: 1000 + id,
    ibanMasked: 'DE…3000',
    signedDate: '2020-02-29',
    assignedCreditorIdentifier: 'SE97ZZZ5560000001',
    assignedMandateReference: `NEW-${id}`,
    verdict: 'proven',
    why: null,
    answeredAt: '2026-06-15T11:00:00.000Z',
    sources: [keptSource(`ps-${id}`, { reference: `NEW-${id}` })],
    cancellable: [],
    ...change,
  }
}

export const keptSource = (id: string, change: Partial<KeptSource> = {}): KeptSource => ({
  id,
  status: 'PENDING',
  reference: null,
  accountMasked: 'DE…3000',
  signedDate: '2020-02-29',
  ...change,
})

export function attemptOf(change: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    id: 77,
    n: 1,
    runId: 1,
    requestId: 'b1c9d5f0-0000-4000-8000-000000000001',
    startedAt: '2026-06-15T10:00:00.000Z',
    endedAt: '2026-06-15T10:00:00.120Z',
    durationMs: 120,
    started: true,
    outcome: null,
    hint: null,
    reason: null,
    status: null,
    errorCode: null,
    serviceCode: null,
    field: null,
    message: null,
    answer: null,
    ...change,
  }
}

export function problemOf(change: Partial<ProblemRecord> = {}): ProblemRecord {
  return {
    id: 1,
    source: 'export.csv',
    rowId: 1,
    record: 1,
    line: 2,
    column: 'iban',
    rule: 'IBAN_CHECKSUM',
    severity: 'error',
    field: 'iban',
    value: 'DE…3001',
    message: 'The IBAN has a typing error.',
    remedy: 'Compare it with the source document.',
    ...change,
  }
}

export function decisionOf(change: Partial<DecisionRecord> = {}): DecisionRecord {
  return {
    id: 1,
    rowId: 1,
    attemptId: 77,
    at: '2026-06-15T11:30:00.000Z',
    by: 'A. Reviewer',
    as: 'reviewer',
    decision: 'refused',
    from: 'in_doubt',
    to: 'refused',
    reason: 'Not in the list of the service',
    evidence: null,
    ...change,
  }
}

export function runOf(change: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 1,
    startedAt: '2026-06-15T10:00:00.000Z',
    startedAs: 'nora',
    endedAt: '2026-06-15T10:03:00.000Z',
    version: '0.1.0',
    host: 'bench',
    asOf: '2026-06-15',
    zone: 'Europe/Berlin',
    settings: {},
    stoppedBy: null,
    exitCode: 0,
    attempts: { registered: 1, refused: 0, in_doubt: 0, turned_away: 0, not_sent: 0, open: 0 },
    ...change,
  }
}

/** How the exchanges of a run ended, each with a count of its own; an outcome that is not shown would be missed. */
export const ATTEMPTS = Object.fromEntries(
  [...Object.keys(EDGES.sending), 'open'].map((outcome, index) => [outcome, 41 + index]),
) as RunRecord['attempts']

export const approvalOf = (change: Partial<ApprovalRecord> = {}): ApprovalRecord => ({
  id: 1,
  approvedAt: '2026-06-15T09:00:00.000Z',
  approvedBy: 'Grace',
  recordedAs: 'ada',
  expiresAt: '2026-06-18T09:00:00.000Z',
  reference: null,
  signature: 'x',
  key: 'ab'.repeat(32),
  ...change,
})

/** Without a key, by the word of somebody. */
export const MAILED = { key: null, signature: null, reference: `mail of ${IBAN}` }

export function plannedOf(change: Partial<PlanRecord> = {}): PlanRecord {
  const document = planOf()
  const plan = { id: 1, digest: document.digest, lastDecision: 0, document, text: '' }
  return { ...plan, approvals: [approvalOf()], ...change }
}
