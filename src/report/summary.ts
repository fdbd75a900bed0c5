import { isBalanced, TOTAL_OF_STATE } from '../domain/totals.js'
import { FILE_OF_PART, type ReportFacts } from './facts.js'
import { DEFINITIONS } from './hash-totals.js'
import type { PackFile } from './earlier-pack.js'

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** summary.json: the figures of the pack for programs. */
export function renderSummary(facts: ReportFacts): string {
  const { campaign, parts } = facts
  return json({
    schemaVersion: 1,
    campaign: {
      ledger: facts.ledger,
      ledgerId: campaign.ledgerId,
      baseUrl: campaign.baseUrl,
      username: campaign.username,
      createdAt: campaign.createdAt,
      changedAt: campaign.changedAt,
      purgedAt: campaign.purgedAt,
    },
    balanced: facts.balanced,
    changedWhileReading: facts.changedWhileReading,
    totals: facts.totals,
    /** Lines that were given back and could not be taken: the rows they name stay as they were. */
    notTaken: facts.notTaken,
    sources: facts.sources.map((source) => ({
      name: source.name,
      sha256: source.sha256,
      bytes: source.bytes,
      records: source.records,
      resubmitted: source.resubmitted,
      blankLines: source.blankLines,
      admittedAt: source.admittedAt,
      balanced: isBalanced(source.totals),
      totals: source.totals,
    })),
    runs: facts.runs.map((run) => ({
      run: run.id,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      version: run.version,
      asOf: run.asOf,
      zone: run.zone,
      stoppedBy: run.stoppedBy,
      exitCode: run.exitCode,
      attempts: run.attempts,
      settings: run.settings,
    })),
    files: {
      [FILE_OF_PART.registered]: { rows: parts.registered.total },
      [FILE_OF_PART.refused]: { rows: parts.refused.total },
      [FILE_OF_PART.corrections]: { rows: parts.corrections.total },
      [FILE_OF_PART.inDoubt]: { rows: parts.inDoubt.total },
      [FILE_OF_PART.notSent]: { rows: parts.notSent.total },
      'problems.csv': { rows: facts.problems.total },
    },
    /** Closed rows that no result file repeats, because feeding them back would undo a decision. */
    inNoFile: { superseded: facts.totals.superseded, writtenOff: facts.totals.writtenOff },
    distinct: facts.distinct,
    hashTotals: {
      read: facts.hashTotals.read,
      ...Object.fromEntries(
        [...facts.hashTotals.byState].map(([state, totals]) => [TOTAL_OF_STATE[state], totals]),
      ),
    },
    definitions: DEFINITIONS,
  })
}

/** manifest.json: what belongs to the pack and what it was made from. It cannot list itself. */
export const renderManifest = (facts: ReportFacts, files: readonly PackFile[]): string =>
  json({
    schemaVersion: 1,
    ledgerId: facts.campaign.ledgerId,
    changedAt: facts.campaign.changedAt,
    files,
    sources: facts.sources.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 })),
  })
