import { reconcile, type Difference, type Reconciliation } from '../../decisions/reconcile.js'
import type { ResolutionReport } from '../../ledger/ledger.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { closingAt, olderOf, oldPages } from '../closing.js'
import { inputOf, decideIn, lookInto, sameFlags, type Context } from '../command.js'
import { nextLine } from '../terminal/next.js'
import {
  nextText,
  resultOfError,
  statusResult,
  type CommandResult,
  type WholeResult,
} from '../terminal/result.js'
import { plural, said } from '../../domain/text/text.js'
const SHOWN = 50

/** `resolve --against`: the ledger beside a list that was exported from the service. */
export const compareWith = (context: Context, list: string): Promise<CommandResult> =>
  lookInto(context.settings, async (reader) => {
    const { signals } = context.world
    try {
      const found = await reconcile(reader, inputOf(context, list), context.actor(), signals.drain)
      const isAsked = context.flag('apply') && found.proposals.length > 0
      if (!isAsked) return conclude(context, found, null, reader)
      const { report, warnings } = await apply(context, found)
      const result = conclude(context, found, report, reader)
      return { ...result, warnings: [...result.warnings, ...warnings] }
    } catch (error) {
      return { ...resultOfError(error, signals.exitStatus()), totals: reader.totals() }
    }
  })

/** All proposals or none; a row that moved on since is told as an error. */
async function apply(context: Context, { proposals }: Reconciliation) {
  const { ledger, report } = await decideIn(context, (ledger) => ({
    ledger,
    report: ledger.resolve(proposals, { dryRun: false }),
  }))
  return { report, warnings: oldPages(ledger) }
}

function conclude(
  context: Context,
  { listed, matched, differences, proposals }: Reconciliation,
  applied: ResolutionReport | null,
  reader: LedgerReader,
) {
  const isApplied = applied?.isApplied ?? false
  const errors = rejectionsOf(applied)
  const standing = statusResult(context.settings.ledger, reader)
  const count = (kind: Difference['kind']): number =>
    differences.filter((found) => found.kind === kind).length
  const counts = {
    listed,
    matched,
    missingThere: count('missing_there'),
    unknownHere: count('unknown_here'),
    differs: count('differs'),
    proposals: proposals.length,
    stillInDoubt: count('still_in_doubt'),
  }
  const again = [...sameFlags(context, ['against', 'by']), '--apply']
  const isDifferent = counts.missingThere + counts.unknownHere + counts.differs > 0
  return {
    ...standing,
    exitCode: errors.length > 0 ? 2 : standing.exitCode === 0 && isDifferent ? 3 : standing.exitCode,
    errors,
    warnings: olderOf(context.world, reader).warnings,
    lines: said([
      `The list has ${plural(listed, 'mandate', 'mandates')}: ${matched} as here, ${counts.differs} different, ${counts.unknownHere} unknown here.`,
      `Missing there: ${plural(counts.missingThere, 'registered row', 'registered rows')}.`,
      ...proposals.map(
        ({ rowId, reason }) =>
          `Row ${rowId}: registered${isApplied ? ', recorded' : ' (proposed)'}. ${reason}`,
      ),
      ...differences.slice(0, SHOWN).map(describe),
      differences.length > SHOWN && `… and ${differences.length - SHOWN} more (all of them with --json)`,
      proposals.length > 0 &&
        !isApplied &&
        (applied === null
          ? 'Nothing was recorded.'
          : 'Nothing was recorded, because at least one proposal cannot be taken.'),
      ...(proposals.length > 0 && applied === null
        ? [nextLine(context, { name: 'resolve', words: again })]
        : closingAt(context, reader)),
    ]),
    details: {
      reconciliation: { ...counts, isApplied, differences: differences.map(detailOf), proposed: proposals },
    },
  }
}

function describe(found: Difference): string {
  switch (found.kind) {
    case 'missing_there':
      return `Missing there: row ${found.row.id}, customer ${found.row.customerNo ?? '?'}, reference ${found.row.assignedMandateReference ?? '?'}`
    case 'unknown_here':
      return `Unknown here: line ${found.listed.line}, customer ${found.listed.customerNo}, reference ${found.listed.mandateReference}`
    case 'differs':
      return `Differs: line ${found.listed.line} and row ${found.row.id}: ${found.detail}`
    case 'still_in_doubt':
      return `Still in doubt: row ${found.row.id}: ${found.detail}`
  }
}

/** For the JSON document: no cells, no account numbers. */
const detailOf = (found: Difference): Readonly<Record<string, unknown>> => ({
  kind: found.kind,
  row: 'row' in found ? found.row.id : null,
  line: 'listed' in found ? found.listed.line : null,
  detail: 'detail' in found ? found.detail : null,
})

/** What could not be recorded and why; each message names its row. */
export const rejectionsOf = (report: ResolutionReport | null): WholeResult['errors'] =>
  (report?.results ?? []).flatMap((result) =>
    result.kind === 'rejected' ? [{ kind: 'decision', message: result.message, next: nextText(result) }] : [],
  )
