import { upperCase } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import type { ResolutionReport } from '../../ledger/ledger.js'
import type { LedgerReader } from '../../ledger/read/reader.js'
import { ownTexts, type Context } from '../command.js'
import { askText, canAsk } from '../terminal/prompt.js'

/**
 * Has the reference typed of each row that would go out once more while its earlier request may still arrive.
 * @throws {UsageError} where one is missing; nothing was recorded
 */
export async function confirmForced(
  context: Context,
  view: Pick<LedgerReader, 'row'>,
  { results }: ResolutionReport,
): Promise<void> {
  const given = new Set(ownTexts(context, 'yesResend').map(upperCase))
  for (const result of results) {
    if (result.kind !== 'rejected' || result.isEarlyResend !== true) continue
    const row = view.row(result.rowId)
    if (row === null) throw new Error(`Row ${result.rowId} is not there`)
    const reference = upperCase(row.originalMandateReference ?? '')
    if (given.has(reference)) continue
    const { customerNo, ibanMasked, signedDate } = row
    const typed = canAsk(context.world)
      ? await askText(
          context.world,
          `Row ${result.rowId} (customer ${customerNo ?? ''}, ${ibanMasked ?? ''}, signed ${signedDate ?? ''}) may be registered twice: its request can still arrive. Type its mandate reference to send it again`,
        )
      : null
    if (typed === null || upperCase(typed) !== reference)
      throw new UsageError(
        `Row ${result.rowId} is not sent again within 15 minutes of its request unless its mandate reference is typed`,
        'Wait and look again whether the service has the mandate; or pass --yes-resend with the reference of each such row. Nothing was recorded',
      )
  }
}
