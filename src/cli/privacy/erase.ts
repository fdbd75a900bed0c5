import { plural } from '../../domain/text/wording.js'
import { UsageError } from '../../errors.js'
import { actorOf, ownFlag, ownText, type Command, type Context } from '../command.js'
import { lookInto, openExisting } from '../existing-ledger.js'
import { EXITS } from '../settings/exit-statuses.js'
import { SHARED } from '../settings/options.js'
import { assertTyped } from '../terminal/prompt.js'
import { remainLines, remainsOf } from './remains.js'
import { standingAs, type CommandResult } from '../terminal/result.js'
import { customerOf } from './show.js'
import { ledgerMark } from '../../report/files/lists.js'

export const eraseCommand: Command = {
  usage: 'erase',
  summary:
    "a person's request: remove what is held on one customer, once none of their rows is ready or in doubt",
  examples: [
    'sepa-migrate show --customer 1001',
    'sepa-migrate erase --customer 1001 --reason "asked on 3 June"',
  ],
  options: [...SHARED, 'yes'],
  own: [
    ['--customer <n>', 'the customer number in the invoicing service'],
    ['--reason <text>', 'why, kept in the ledger'],
    ['--by <name>', 'who decided (default: the user)'],
    ['--with-open-rows', 'although invalid, conflicting or refused rows can never be corrected then'],
  ],
  epilogue: [
    'Goes: account number, original cells, quoted values, words of the service and of people about these rows, and the',
    'fingerprints of account and content, which random bytes replace.',
    'Stays, because the record of what was registered needs it: row and state, customer number, references, dates and',
    'the masked account. A later file that repeats such a mandate, or has another for this customer with the same date,',
    'waits for a person. What is registered of them is not read back any more, and a plan from before counts no more.',
    'Refused while the rows are ready, sending or in doubt. It cannot be undone.',
  ],
  exits: EXITS.standing,
  json: ['erasure'],
  run: erase,
}

async function erase(context: Context): Promise<CommandResult> {
  const { world, settings } = context
  const customerNo = customerOf(context)
  const reason = ownText(context, 'reason')?.trim() ?? ''
  if (reason === '')
    throw new UsageError(
      'There is no reason; nothing was removed',
      'Say with --reason who asked for it and when; it is kept',
    )
  if (!(settings.get('yes') ?? false))
    await assertTyped(world, {
      what: 'Erasing',
      typed: String(customerNo),
      question: `Type ${customerNo} to remove this customer's data from ${settings.ledger} for good`,
      again: 'Run again and type the customer number',
    })
  const rowIds = await lookInto(settings, (reader) => reader.rowsAbout(customerNo).map(({ id }) => id))
  const ledger = openExisting({ settings, world })
  try {
    const report = ledger.erase({
      customerNo,
      rowIds,
      by: actorOf(context),
      reason,
      withOpenRows: ownFlag(context, 'withOpenRows'),
    })
    const totals = ledger.totals()
    const remains = remainsOf(context, ledgerMark(ledger.view.campaign()))
    return {
      ...standingAs(settings.ledger, totals),
      warnings: [
        ...(report.isErased
          ? []
          : ['Another program is reading the ledger, so old pages may still hold the data. Erase again']),
      ],
      lines: [
        `Customer ${customerNo}: removed what was held of ${plural(rowIds.length, 'row', 'rows')}.`,
        'Kept: row, state, customer number, references, dates and masked account. The fingerprints of account and content are',
        'random bytes now: a later file with a mandate of this customer waits for a person. Plan again before a run under a plan.',
        `See it with: sepa-migrate show --customer ${customerNo}`,
        ...remainLines(settings.ledger, remains),
        'These files are not changed for one customer: write the report again, and delete what is not needed.',
      ],
      details: { erasure: { customerNo, rowIds, ...report, remaining: remains } },
    }
  } finally {
    ledger.close()
  }
}
