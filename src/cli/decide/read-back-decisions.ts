import { decideFromReadBack, type ReadBackDecisions } from '../../decisions/from-read-back.js'
import { countText, plural } from '../../domain/text/wording.js'
import { checkCreditorIdentifier } from '../../domain/value/identifiers.js'
import { UsageError } from '../../errors.js'
import { actorOf, ownText, ownTexts, type Context } from '../command.js'
import { lookInto } from '../existing-ledger.js'

const MOST_SHOWN = 20

/** @throws {UsageError} beside another way to decide, and without a reason */
export async function decidedByReadBack(context: Context): Promise<ReadBackDecisions> {
  const others = ['from', 'as', 'assignedMandateReference']
  if (ownTexts(context, 'row').length > 0 || others.some((name) => ownText(context, name) !== null))
    throw new UsageError(
      'With --from-read-back the evidence in the ledger decides',
      'Give only --reason, --by, --dry-run and --assigned-creditor-identifier beside it; nothing was recorded',
    )
  const reason = ownText(context, 'reason')?.trim() ?? ''
  if (reason === '')
    throw new UsageError(
      'There is no reason',
      'Say with --reason why the read-back is trusted; it is kept with each decision. Nothing was recorded',
    )
  const creditor = ownText(context, 'assignedCreditorIdentifier')?.trim() ?? null
  if (creditor !== null && !checkCreditorIdentifier(creditor).usable)
    throw new UsageError(
      `"${creditor}" is no creditor identifier`,
      'Give the one that the service assigned, as registered.csv of any earlier report shows it; nothing was recorded',
    )
  const decider = { by: actorOf(context), reason }
  return lookInto(context.settings, (reader) =>
    decideFromReadBack(reader, decider, context.settings.absentAfterMs, creditor),
  )
}

/** What stays in doubt, and why; the first of them row by row. */
export function leftOpenLines({ leftOpen, notAsked }: ReadBackDecisions): string[] {
  const more = leftOpen.length - MOST_SHOWN
  return [
    ...leftOpen.slice(0, MOST_SHOWN).map(({ rowId, why }) => `Row ${rowId} stays in doubt: ${why}.`),
    ...(more > 0 ? [`${countText(more)} more stay in doubt.`] : []),
    ...(notAsked > 0
      ? [
          `${plural(notAsked, 'row', 'rows')} in doubt ${notAsked === 1 ? 'was' : 'were'} not read back since the last request: sepa-migrate read-back asks.`,
        ]
      : []),
  ]
}
