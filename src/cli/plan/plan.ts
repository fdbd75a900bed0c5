import { textOfPlan, type PlanDocument } from '../../domain/plan/plan.js'
import { planMigration } from '../../migrate/plan/make-plan.js'
import { type Command, type Context, lookInto, namedFiles, sameFlags } from '../command.js'
import { readAskedService, RUN_FLAGS, runOptions } from '../run-options.js'
import { readUsername, type Settings, assertReadBackTold, readTarget } from '../settings/settings.js'
import { commandLine } from '../terminal/next.js'
import { type Line, toned } from '../terminal/world.js'
import { renderPlanPage } from '../../report/plan/plan-page.js'
import { planSections, type Section } from '../../report/plan/plan-sections.js'
import { leftAsRead, tellNotNoted } from '../closing.js'
import { noteWritten } from '../../ledger/safety/side-files.js'
import { approvalPath } from '../../migrate/plan/hold-to-plan.js'
import { SHARED, EXITS, usual, RUN_SETTINGS } from '../settings/declared.js'
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { parseJson } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import { entryAt } from '../../trust/entry.js'
import { MOST_BYTES, readGivenText } from '../../trust/given-file.js'
import { assertNotTaken, createTrusted } from '../../trust/output.js'

const FILE = 'plan.json'

export const planCommand: Command = {
  usage: 'plan [files...]',
  summary: 'write down what run would do, for somebody else to approve',
  examples: [
    'sepa-migrate plan export.csv --to plan.json',
    'sepa-migrate plan export.csv --limit 10 --to pilot.json',
  ],
  options: [...SHARED, ...RUN_SETTINGS, 'readBack', 'yes'],
  own: [
    ...RUN_FLAGS,
    ['--to <file>', `the plan to write (default ${FILE}), with a page beside it`],
    ['--by <name>', 'who plans (default: the user)'],
  ],
  epilogue: [
    'A run under the plan must be given the same settings. --limit holds for all runs under it together.',
    'The plan holds no account number. It is put on record in the ledger, which is made where there is none.',
  ],
  exits: { ...EXITS.plain, 7: 'input unreadable, or run would refuse it', ...usual(8, 130, 143) },
  run: plan,
}

async function plan(context: Context) {
  const { world, settings, progress } = context
  if (context.flag('checkBeforeSend')) assertReadBackTold(settings)
  const target = readTarget(settings, world)
  const username = readUsername(settings)
  const options = runOptions(context, target)
  const credentials = options.who === true ? (await readAskedService(context)).credentials : { username }
  const paths = planPaths(context.text('to') ?? FILE)
  const given = namedFiles({ ...context, own: { ...context.own, to: null } }, null)
  await assertReplaceable(paths, settings, given)
  const left = await leftAsRead(context, 'plan')
  const { document, last, evidence } = await planMigration({
    ...options,
    service: { ...target.options, ...credentials, rate: settings.get('rate') },
    signal: world.signals.drain,
    giveUp: world.signals.abort,
    by: context.text('by') ?? context.actor(),
    watchReading: progress.reading,
  })
  const text = textOfPlan(document)
  // Of what is on record: what has no value is not there.
  const page = await renderPlanPage(parseJson(text) as PlanDocument, last)
  writePlanFiles(paths, { text, page })
  const notNoted = [...Object.values(paths), approvalPath(paths.json)]
    .map((path) => ({ kind: 'plan', path }) as const)
    .filter((file) => !noteWritten(settings.ledger, file))
  tellNotNoted(context, notNoted)
  return {
    campaign: { ledger: settings.ledger, baseUrl: document.target.baseUrl },
    totals: document.totals,
    files: { 'plan.json': paths.json, 'plan.html': paths.html },
    lines: [
      ...sectionLines(planSections(document, last)),
      '',
      `Plan: ${paths.json}, with a page for people: ${paths.html}. Nothing was sent, and no file was admitted.`,
      'Give both to somebody else, who looks through them and approves with a name and a key of their own:',
      `  ${commandLine(context, { name: 'approve', files: [paths.json], words: ['--by', 'NAME', '--key', 'KEY.pem'] })}`,
      'Save the approval file next to the plan. Then:',
      `  ${commandLine(context, { name: 'run', files: context.args, words: ['--plan', paths.json, ...sentBy(context)] })}`,
    ],
    warnings: left,
    details: { plan: document, evidence },
  }
}

/** What the run has to be told again, where it bears on which rows are there and the plan does not say it. */
const sentBy = (context: Context): string[] => [
  ...(context.settings.flags.retryRefused === undefined ? [] : ['--retry-refused']),
  ...sameFlags(context, [
    'newer',
    'another-ledger',
    'all-in-doubt',
    'reason',
    ...(context.text('reason') === null ? [] : ['by']),
  ]),
]

const MOST = 10

/** What is said of a plan, on a terminal: of each list the first, but all that nobody should pass over. */
export const sectionLines = (sections: readonly Section[]): Line[] =>
  sections.flatMap(({ title, lines, as }): Line[] => {
    if (as === 'detail') return []
    const shown = as === 'warning' ? lines : lines.slice(0, MOST)
    const more = lines.length > shown.length ? [`  and ${lines.length - shown.length} more`] : []
    return [
      [toned(as === 'warning' ? 'open' : 'strong', title)],
      ...shown.map((line) => `  ${line}`),
      ...more,
    ]
  })

type PlanPaths = ReturnType<typeof planPaths>

/** A plan and its page, beside each other. */
export const planPaths = (to: string) => ({ json: to, html: `${to.replace(/\.json$/, '')}.html` })

/**
 * Nothing is replaced but a plan that this ledger has on record, as it is, and the page that is made of one.
 * @throws {UsageError} that names the file that stands in the way; nothing was planned
 */
export async function assertReplaceable(
  paths: PlanPaths,
  settings: Pick<Settings, 'ledger' | 'sharedFolder'>,
  forbidden: readonly string[],
): Promise<void> {
  for (const path of Object.values(paths)) {
    const entry = entryAt(path)
    assertNotTaken(path, { what: 'plan', forbidden }, entry)
    if (entry === null) continue
    const given = { what: 'plan', nothing: 'nothing was planned', mostBytes: MOST_BYTES.plan, noLink: true }
    const text = readGivenText(path, given)
    const recorded = existsSync(settings.ledger) ? await lookInto(settings, (reader) => reader.plans()) : []
    const ours = recorded.map(async ({ document, text }, at) =>
      path === paths.json ? text : renderPlanPage(document, recorded[at - 1]?.document ?? null),
    )
    if ((await Promise.all(ours)).includes(text)) continue
    throw new UsageError(
      `"${path}" is no plan that this ledger has on record, and is not overwritten; nothing was planned`,
      'Rename it, or name another file with --to',
    )
  }
}

/** Both, 0600, each complete before it takes its place. */
export function writePlanFiles(paths: PlanPaths, { text, page }: { text: string; page: string }): void {
  replace(paths.json, text)
  replace(paths.html, page)
}

function replace(path: string, text: string): void {
  const partial = `${dirname(path)}/.${basename(path)}.${randomBytes(6).toString('hex')}`
  try {
    createTrusted(partial, 'plan', text)
    renameSync(partial, path)
  } catch (error) {
    if (entryAt(partial) !== null) rmSync(partial)
    throw error
  }
}
