import { openLedgerReader } from '../../ledger/read/open-reader.js'
import type { Command } from '../command.js'
import { OLDER_STATUS, olderOf } from '../older.js'
import { EXITS } from '../settings/exit-statuses.js'
import { SHARED } from '../settings/options.js'
import { closingLines, writePack } from '../pack.js'
import { standingWith } from '../prove/unproven.js'
import { noteOutputs } from '../privacy/remains.js'
import { emptyResult } from '../terminal/result.js'

export const reportCommand: Command = {
  usage: 'report',
  summary:
    'write the reconciliation pack: report.html, reconciliation.xlsx, CSV files, summary.json, manifest.json',
  examples: ['sepa-migrate report', 'sepa-migrate report --ledger sepa-migrate.db --out signed'],
  options: SHARED,
  epilogue: ['Two reports of the same ledger are identical byte for byte.'],
  exits: EXITS.verified,
  json: [],
  run: async (context) => {
    const { settings } = context
    const reader = openLedgerReader(settings.ledger, settings)
    const totals = reader.totals()
    const older = olderOf(context.world, reader)
    const campaign = reader.campaign()
    reader.close()
    noteOutputs(context, settings.out)
    const { files, warnings, proposed, verification } = await writePack(settings)
    return {
      ...emptyResult,
      exitCode: older.isOlder ? OLDER_STATUS : standingWith(verification, totals),
      campaign: { ledger: settings.ledger, baseUrl: campaign.baseUrl },
      totals,
      files,
      warnings: [...older.warnings, ...warnings],
      lines: [
        ...Object.values(files).map((path) => `Wrote ${path}`),
        ...closingLines(context, {
          totals,
          stop: null,
          campaign,
          files,
          notes: proposed,
          isOlder: older.isOlder,
          verification,
        }),
      ],
    }
  },
}
