import { textOfPlan, type PlanDocument } from '../../domain/plan/plan.js'
import { planMigration } from '../../migrate/plan/make-plan.js'
import { actorOf, ownFlag, ownText, type Command, type Context } from '../command.js'
import { RUN_FLAGS, RUN_SETTINGS, runOptions } from '../run-options.js'
import { EXIT_STATUSES, EXITS } from '../settings/exit-statuses.js'
import { namedFiles } from '../settings/named-files.js'
import { SHARED } from '../settings/options.js'
import { assertReadBackTold, readTarget } from '../settings/service.js'
import { readUsername } from '../settings/settings.js'
import { nextLine } from '../terminal/next.js'
import { emptyResult, type CommandResult } from '../terminal/result.js'
import { assertReplaceable, planPaths, writePlanFiles } from './plan-files.js'
import { planLines } from './plan-lines.js'

const FILE = 'plan.json'

export const planCommand: Command = {
  usage: 'plan [files...]',
  summary: 'write down what run would do, for somebody else to approve; sends nothing and admits nothing',
  examples: [
    'sepa-migrate plan export.csv --to plan.json',
    'sepa-migrate plan export.csv --limit 10 --to pilot.json',
  ],
  options: [...SHARED, ...RUN_SETTINGS, 'readBack'],
  own: [
    ...RUN_FLAGS,
    ['--to <file>', `the plan to write (default ${FILE}), with a page beside it`],
    ['--by <name>', 'who plans (default: the user)'],
  ],
  epilogue: [
    'A run under the plan must be given the same settings. --limit holds for all runs under it together.',
    'The plan holds no account number. It is put on record in the ledger, which is made where there is none.',
  ],
  exits: {
    ...EXITS.plain,
    7: 'input unreadable, or run would refuse it',
    8: EXIT_STATUSES[8],
    130: EXIT_STATUSES[130],
    143: EXIT_STATUSES[143],
  },
  json: ['plan'],
  run: plan,
}

async function plan(context: Context): Promise<CommandResult> {
  const { world, settings, progress } = context
  if (ownFlag(context, 'checkBeforeSend')) assertReadBackTold(settings)
  const target = readTarget(settings, world)
  const paths = planPaths(ownText(context, 'to') ?? FILE)
  const given = namedFiles({ ...context, own: { ...context.own, to: null } }, null)
  assertReplaceable(paths, settings, given)
  const { document, last } = await planMigration({
    ...runOptions(context, target),
    service: { ...target.options, username: readUsername(settings), rate: settings.get('rate') },
    signal: world.signals.drain,
    by: ownText(context, 'by') ?? actorOf(context),
    watchReading: progress.reading,
  })
  const { renderPlanPage } = await import('../../report/plan/plan-page.js')
  writePlanFiles(paths, { text: textOfPlan(document), page: await renderPlanPage(document, last) })
  return concluded(context, document, paths)
}

function concluded(
  context: Context,
  document: PlanDocument,
  { json, html }: ReturnType<typeof planPaths>,
): CommandResult {
  const { settings } = context
  return {
    ...emptyResult,
    campaign: { ledger: settings.ledger, baseUrl: document.target.baseUrl },
    totals: document.totals,
    files: { 'plan.json': json, 'plan.html': html },
    lines: [
      ...planLines(document),
      '',
      `Plan: ${json}, with a page for people: ${html}. Nothing was sent, and no file was admitted.`,
      'Have somebody else look through it and approve it, with a key of their own.',
      nextLine(context, { name: 'approve', files: [json], words: ['--by', 'NAME', '--key', 'KEY.pem'] }),
    ],
    details: { plan: document },
  }
}
