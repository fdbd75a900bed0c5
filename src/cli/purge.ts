import { exitStatusOf, openLedger, UsageError } from '../index.js'
import { actorOf, ownText, type Command, type Context } from './command.js'
import { SHARED } from './options.js'
import { totalsLines } from './output.js'
import { askText, canAsk } from './prompt.js'
import { emptyResult, type CommandResult } from './result.js'

export const purgeCommand: Command = {
  usage: 'purge',
  summary: 'after sign-off: remove the account numbers and original cells that are still held',
  options: [...SHARED, 'yes'],
  own: [
    ['--reason <text>', 'why, kept in the ledger (default: signed off)'],
    ['--by <name>', 'who decided (default: the user)'],
  ],
  epilogue: [
    'Totals, references and history stay. Refused while rows are ready or in doubt. It cannot be undone.',
    'Files written before (refused.csv, not-sent.csv, in-doubt.csv) are yours to delete.',
  ],
  run: purge,
}

async function purge(context: Context): Promise<CommandResult> {
  const { world, settings } = context
  if (!(settings.get('yes') ?? false)) await confirm(context)
  const ledger = openLedger({ file: settings.ledger, clock: world.clock, create: false, pid: world.pid })
  try {
    const report = ledger.purge({
      by: ownText(context, 'by') ?? actorOf(context),
      reason: ownText(context, 'reason') ?? 'signed off',
    })
    const totals = ledger.totals()
    return {
      ...emptyResult,
      exitCode: exitStatusOf(totals, null, null),
      campaign: { ledger: settings.ledger, baseUrl: null },
      totals,
      warnings: report.isErased
        ? []
        : ['Another program is reading the ledger, so old pages may still hold account numbers. Purge again'],
      lines: [
        `Removed what was still held of ${report.rows} rows; totals, references and history stay.`,
        ...report.removedBackups.map((file) => `Removed the old copy ${file}`),
        ...totalsLines(totals),
        'Next: delete refused.csv, not-sent.csv and in-doubt.csv of earlier reports, and the exports themselves',
      ],
      details: { purge: report },
    }
  } finally {
    ledger.close()
  }
}

async function confirm({ world, settings }: Context): Promise<void> {
  if (!canAsk(world))
    throw new UsageError('Purging needs a confirmation, and there is no terminal to ask on', 'Pass --yes')
  const answer = await askText(world, `Type "purge" to remove personal data from ${settings.ledger} for good`)
  if (answer !== 'purge')
    throw new UsageError('Not confirmed; nothing was removed', 'Run again and type "purge"')
}
