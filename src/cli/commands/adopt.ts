import { resolve } from 'node:path'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { openRegister, type Register } from '../../register/campaign-register.js'
import { isKnownLatest } from '../../register/register-file.js'
import { UsageError } from '../../errors.js'
import { campaignStatus } from '../closing.js'
import { decideIn, sameFlags, type Command, type Context, type CommandResult } from '../command.js'
import { EXITS, SHARED } from '../settings/declared.js'
import { nextLine, type NextCommand } from '../terminal/next.js'
import { countText, said } from '../../domain/text/text.js'

export const adoptCommand: Command = {
  usage: 'ledger adopt',
  summary: 'go on with an older copy: all it would send is put in doubt',
  examples: [
    'sepa-migrate ledger adopt --reason "the disk is lost" --dry-run',
    'sepa-migrate ledger adopt --reason "the disk is lost" --by Ada',
  ],
  options: SHARED,
  own: [
    ['--reason <text>', 'why the newest copy cannot be had; kept for good'],
    ['--by <name>', 'who decided (default: the user)'],
    ['--dry-run', 'say what would be put in doubt; record nothing'],
  ],
  epilogue: ['It is the one way on with a ledger that is older than it was: sepa-migrate help ledger.'],
  exits: { ...EXITS.standing, 2: 'nothing was recorded' },
  run: async (context) => adopt(context),
}

function adopt(context: Context) {
  const { world, settings } = context
  const { version, host, pid } = world
  const { asOf, zone } = settings
  const reason = context.reason(
    'why the newest copy cannot be had; it is kept with the decision. Nothing was recorded',
  )
  return decideIn(context, (ledger) => {
    if (context.flag('dryRun')) {
      const { ready, refused } = ledger.claims.adoptable()
      const rows = [...ready, ...refused].sort((a, b) => a - b)
      return conclude(context, ledger.view, { rows, refused: refused.length, otherwise: [] }, true)
    }
    if (isKnownLatest(world.stateFolder, ledger.view))
      throw new UsageError(
        `The ledger "${settings.ledger}" is the newest copy of it that this machine knows: nothing is missing in it, and nothing was recorded`,
        'Name the one that is older (--ledger FILE), or go on with this one (sepa-migrate run)',
      )
    const register = openRegister({
      folder: world.stateFolder,
      baseUrl: ledger.view.campaign().baseUrl ?? '',
      testHosts: [],
      ledger: resolve(settings.ledger),
      claims: ledger.claims,
      guardsMandates: true,
      takeOver: null,
      sharedFolder: settings.sharedFolder,
    })
    const report = register.adopt({
      by: context.actor(),
      reason,
      run: { version, host, pid, asOf, zone, settings: { adoptedOlderCopy: true } },
    })
    register.close()
    return conclude(context, ledger.view, report, false)
  })
}

async function conclude(
  context: Context,
  view: LedgerReader,
  { rows, refused, otherwise }: ReturnType<Register['adopt']>,
  isDryRun: boolean,
): Promise<CommandResult> {
  const again: NextCommand = { name: 'ledger adopt', words: sameFlags(context, ['reason', 'by']) }
  const { decided, closing } = campaignStatus(context, view)
  return {
    ...decided,
    lines: said([
      `Rows that may have been sent since this copy was made: ${countText(rows.length)}, of which this copy calls ${countText(refused)} refused.`,
      rows.length > 0 && `Rows: ${rows.join(', ')}`,
      otherwise.length > 0 &&
        `Of these begun since for another customer or date than this copy has: ${otherwise.join(', ')}. Ask the service about those, too.`,
      isDryRun
        ? 'Dry run: nothing was recorded.'
        : 'All of them are in doubt now, by your decision; nothing of them is sent before somebody resolves it.',
      'Lists that were written before are not taken any more, since their row numbers may be those of other rows: correct the ones of the next report.',
      'Rows that came in after the copy was made are not in it: look them up before you give their files again. Where the lost part began to send one, the run is refused, and the same run with --another-ledger --reason "…" brings it in as in doubt. At a service on this machine nobody knows that: what corrects rows of this copy comes in as in doubt, and --all-in-doubt brings everything in so.',
      ...(isDryRun ? [nextLine(context, again)] : await closing()),
    ]),
    details: { adopted: { rows, refused, isApplied: !isDryRun } },
  }
}
