import { type Command, type Context, lookInto, decideIn } from '../command.js'
import { decidedResult } from '../closing.js'
import { totalsLines, assertTyped, canAsk } from '../terminal/world.js'
import { listsIn, lossLines, remainLines, remainsOf, removeOwn } from './remains.js'
import { SHARED, EXITS } from '../settings/declared.js'
import { plural } from '../../domain/text/text.js'

export const purgeCommand: Command = {
  usage: 'purge',
  summary: 'after sign-off: remove the personal data still held',
  examples: ['sepa-migrate purge', 'sepa-migrate purge --remove-files --reason "signed off by finance"'],
  options: [...SHARED, 'yes'],
  own: [
    ['--reason <text>', 'why, kept in the ledger (default: signed off)'],
    ['--by <name>', 'who decided (default: the user)'],
    ['--with-open-rows', 'purge although invalid, conflicting or refused rows can never be corrected then'],
    [
      '--remove-files',
      'delete the result files that hold original cells, problems.csv and decisions.csv, too',
    ],
  ],
  epilogue: [
    'States, totals, references and times stay. Refused while rows are ready or in doubt. It cannot be undone.',
    'It ends with a list of what remains and why. Leftovers of reports that were killed are removed.',
    '--remove-files deletes what a manifest or the mark in each line proves to be of this ledger, and follows no link.',
  ],
  exits: EXITS.standing,
  run: purge,
}

async function purge(context: Context) {
  const { world, settings } = context
  const withFiles = context.flag('removeFiles')
  if (!(settings.get('yes') ?? false)) {
    const { read: rows } = await lookInto(settings, (reader) => reader.totals())
    if (canAsk(world)) for (const line of lossLines(context, { rows, withFiles })) context.progress.note(line)
    await assertTyped(world, {
      what: 'Purging',
      typed: 'purge',
      to: `remove personal data from ${settings.ledger} for good`,
      nothing: 'nothing was removed',
    })
  }
  return decideIn(context, async (ledger) => {
    const report = ledger.purge({
      by: context.actor(),
      reason: context.text('reason') ?? 'signed off',
      withOpenRows: context.flag('withOpenRows'),
    })
    const totals = ledger.totals()
    const campaign = ledger.view.campaign()
    const found = remainsOf(context, campaign)
    const lists = withFiles
      ? await removeOwn(listsIn(found), { ledger: settings.ledger, campaign })
      : { removed: [], left: [] }
    const removed = [...report.removedFiles, ...found.removed, ...lists.removed]
    const remains = remainsOf(context, campaign)
    return {
      ...decidedResult(context, ledger.view),
      warnings: report.isErased
        ? []
        : ['Another program is reading the ledger, so old pages may still hold account numbers. Purge again'],
      lines: [
        `Removed the account numbers and cells that were still held of ${plural(report.rows, 'row', 'rows')}, the values that problems`,
        'quoted, the words of the service and the reasons that people gave.',
        ...removed.map((file) => `Removed ${file}`),
        ...lists.left.map(({ file, why }) => `Left ${file}: ${why}`),
        ...totalsLines(totals),
        ...remainLines(settings.ledger, remains),
      ],
      details: { purge: { ...report, removedFiles: removed, leftFiles: lists.left, remaining: remains } },
    }
  })
}
