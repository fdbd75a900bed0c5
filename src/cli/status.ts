import { exitStatusOf, type LedgerReader, openLedgerReader } from '../index.js'
import type { Command, Context } from './command.js'
import { SHARED } from './options.js'
import { closingLines } from './pack.js'
import { emptyResult, type CommandResult } from './result.js'

const INTERVAL_MS = 2_000

export const statusCommand: Command = {
  usage: 'status',
  summary: 'where the campaign stands; works while a run is going',
  options: SHARED,
  own: [['--watch', 'show it again every two seconds until interrupted']],
  epilogue: ['Exit status: as for run, by what is open in the ledger.'],
  run: async (context) => {
    const reader = openLedgerReader(context.settings.ledger)
    try {
      if (context.own['watch'] === true) await watch(context, reader)
      return standing(context, reader)
    } finally {
      reader.close()
    }
  },
}

function standing({ settings }: Context, reader: LedgerReader): CommandResult {
  const campaign = reader.campaign()
  const totals = reader.totals()
  const lastRun = reader.runs().at(-1)
  return {
    ...emptyResult,
    exitCode: exitStatusOf(totals, null, null),
    campaign: { ledger: settings.ledger, baseUrl: campaign.baseUrl },
    totals,
    lines: [
      `Campaign: ${settings.ledger} for ${campaign.baseUrl ?? 'no service yet'}`,
      ...(lastRun === undefined
        ? ['No run yet.']
        : [
            `Last run: started ${lastRun.startedAt}, ${
              lastRun.endedAt === null ? 'still going or killed' : `ended ${lastRun.endedAt}`
            }${lastRun.stoppedBy === null ? '' : `, stopped by ${lastRun.stoppedBy}`}`,
          ]),
      ...closingLines({ totals, stop: null, files: {} }),
    ],
    details: { lastRun: lastRun ?? null },
  }
}

async function watch({ world, settings }: Context, reader: LedgerReader): Promise<void> {
  const { drain } = world.signals
  while (!drain.aborted) {
    const totals = reader.totals()
    const counts = Object.entries(totals).filter(([name, count]) => count > 0 || name === 'ready')
    if (!(settings.get('json') ?? false))
      world.stdout.write(
        `${new Date(world.clock.now()).toISOString()}  ${counts.map((pair) => pair.join(' ')).join(', ')}\n`,
      )
    await new Promise<void>((resolve) => {
      const cancel = world.after(INTERVAL_MS, resolve)
      drain.addEventListener('abort', () => {
        cancel()
        resolve()
      })
    })
  }
}
