import { isBalanced, TOTAL_OF_STATE } from '../../domain/row/totals.js'
import type { PlanRecord, RunRecord, SourceRecord } from '../../ledger/read/reader.js'
import { FILE_OF_PART, type ReportFacts } from '../facts/facts.js'
import { DEFINITIONS } from '../facts/hash-totals.js'
import { VERIFICATION_FILE } from './verification-lines.js'

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** summary.json: the figures of the pack for programs. */
export const renderSummary = (facts: ReportFacts): string =>
  json({
    schemaVersion: 1,
    campaign: campaignIn(facts),
    balanced: facts.balanced,
    changedWhileReading: facts.changedWhileReading,
    totals: facts.totals,
    /** Lines that were given back and could not be taken: the rows they name stay as they were. */
    notTaken: facts.notTaken,
    sources: facts.sources.map(sourceIn),
    plans: plansIn(facts.plans),
    /** Ready rows that the latest run was not told to send; null where it was told to send all. */
    leftByChoice: facts.leftByChoice,
    runs: facts.runs.map(runIn),
    files: rowsOfFiles(facts),
    /** Closed rows that no result file repeats, because feeding them back would undo a decision. */
    inNoFile: { superseded: facts.totals.superseded, writtenOff: facts.totals.writtenOff },
    /** Registered rows by what the service showed; null where nobody asked. */
    verification: verificationIn(facts),
    distinct: facts.distinct,
    hashTotals: {
      read: facts.hashTotals.read,
      ...Object.fromEntries(
        [...facts.hashTotals.byState].map(([state, totals]) => [TOTAL_OF_STATE[state], totals]),
      ),
    },
    definitions: DEFINITIONS,
  })

const campaignIn = ({ ledger, campaign }: ReportFacts) => ({
  ledger,
  ledgerId: campaign.ledgerId,
  baseUrl: campaign.baseUrl,
  username: campaign.username,
  createdAt: campaign.createdAt,
  changedAt: campaign.changedAt,
  purgedAt: campaign.purgedAt,
})

const sourceIn = (source: SourceRecord) => ({
  name: source.name,
  sha256: source.sha256,
  bytes: source.bytes,
  records: source.records,
  resubmitted: source.resubmitted,
  blankLines: source.blankLines,
  admittedAt: source.admittedAt,
  balanced: isBalanced(source.totals),
  totals: source.totals,
})

const runIn = (run: RunRecord) => ({
  run: run.id,
  startedAt: run.startedAt,
  startedAs: run.startedAs,
  endedAt: run.endedAt,
  version: run.version,
  asOf: run.asOf,
  zone: run.zone,
  stoppedBy: run.stoppedBy,
  exitCode: run.exitCode,
  attempts: run.attempts,
  settings: run.settings,
})

/** What was planned and who approved it, as programs read it; the runs name the digest of their plan. */
export const plansIn = (plans: readonly PlanRecord[]) =>
  plans.map(({ digest, plannedAt, plannedBy, plannedAs, document, approvals }) => ({
    digest,
    plannedAt,
    plannedBy,
    plannedAs,
    rows: document.rows,
    limit: document.limit,
    settingsDigest: document.settingsDigest,
    approvals: approvals.map(({ id: _, ...approval }) => approval),
  }))

function verificationIn({ verification }: ReportFacts) {
  if (verification === null) return null
  const { unproven: _, ...figures } = verification
  return figures
}

const rowsOfFiles = ({ parts, problems, verification }: ReportFacts) => ({
  [FILE_OF_PART.registered]: { rows: parts.registered },
  [FILE_OF_PART.refused]: { rows: parts.refused },
  [FILE_OF_PART.corrections]: { rows: parts.corrections },
  [FILE_OF_PART.inDoubt]: { rows: parts.inDoubt },
  [FILE_OF_PART.notSent]: { rows: parts.notSent },
  'problems.csv': { rows: problems },
  ...(verification === null
    ? {}
    : { [VERIFICATION_FILE]: { rows: verification.registered - verification.notAsked } }),
})
