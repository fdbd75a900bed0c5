import { textOfPlan, type PlanDocument } from '../../domain/plan/plan.js'
import { planMigration } from '../../migrate/plan/make-plan.js'
import { type Command, type Context, namedFiles, sameFlags, type CommandResult } from '../command.js'
import { RUN_FLAGS, runOptions } from '../run-options.js'
import {
  readUsername,
  type Settings,
  assertReadBackTold,
  readCredentials,
  readTarget,
} from '../settings/settings.js'
import { commandLine } from '../terminal/next.js'
import { type Line, toned } from '../terminal/world.js'
import { planSections, type Section } from '../../report/plan/plan-sections.js'
import { leftAsRead, tellNotNoted } from '../closing.js'
import { noteWritten } from '../../ledger/safety/side-files.js'
import { approvalPath } from '../../migrate/plan/hold-to-plan.js'
import { SHARED, EXITS, usual, RUN_SETTINGS } from '../settings/declared.js'
import { hash, randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { UsageError } from '../../errors.js'
import { openLedgerReader } from '../../ledger/read/open-reader.js'
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
  exits: { ...EXITS.plain, 7: 'input unreadable, or run would refuse it', ...usual(8, 130, 143) },
  run: plan,
}

async function plan(context: Context) {
  const { world, settings, progress } = context
  if (context.flag('checkBeforeSend')) assertReadBackTold(settings)
  const target = readTarget(settings, world)
  const username = readUsername(settings)
  const options = runOptions(context, target)
  const credentials = options.who === true ? await readCredentials(settings, world) : { username }
  const paths = planPaths(context.text('to') ?? FILE)
  const given = namedFiles({ ...context, own: { ...context.own, to: null } }, null)
  assertReplaceable(paths, settings, given)
  const left = await leftAsRead(context, 'plan')
  const { document, last, evidence } = await planMigration({
    ...options,
    service: { ...target.options, ...credentials, rate: settings.get('rate') },
    signal: world.signals.drain,
    giveUp: world.signals.abort,
    by: context.text('by') ?? context.actor(),
    watchReading: progress.reading,
  })
  const { renderPlanPage } = await import('../../report/plan/plan-page.js')
  writePlanFiles(paths, { text: textOfPlan(document), page: await renderPlanPage(document, last) })
  const notNoted = [...Object.values(paths), approvalPath(paths.json)]
    .map((path) => ({ kind: 'plan', path }) as const)
    .filter((file) => !noteWritten(settings.ledger, file))
  tellNotNoted(context, notNoted)
  const result = concluded(context, planSections(document, last), document, paths)
  return { ...result, warnings: left, details: { ...result.details, evidence } }
}

function concluded(
  context: Context,
  sections: readonly Section[],
  document: PlanDocument,
  { json, html }: PlanPaths,
): CommandResult {
  const { settings } = context
  return {
    campaign: { ledger: settings.ledger, baseUrl: document.target.baseUrl },
    totals: document.totals,
    files: { 'plan.json': json, 'plan.html': html },
    lines: [
      ...sectionLines(sections),
      '',
      `Plan: ${json}, with a page for people: ${html}. Nothing was sent, and no file was admitted.`,
      'Give both to somebody else, who looks through them and approves with a name and a key of their own:',
      `  ${commandLine(context, { name: 'approve', files: [json], words: ['--by', 'NAME', '--key', 'KEY.pem'] })}`,
      'Save the approval file next to the plan. Then:',
      `  ${commandLine(context, { name: 'run', files: context.args, words: ['--plan', json, ...sentBy(context)] })}`,
    ],
    details: { plan: document },
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
 * Nothing is replaced but what this program wrote: a plan of this ledger as it is on record, and a page as it was made.
 * @throws {UsageError} that names the file that stands in the way; nothing was planned
 */
export function assertReplaceable(
  paths: PlanPaths,
  settings: Pick<Settings, 'ledger' | 'sharedFolder'>,
  forbidden: readonly string[],
): void {
  assertOurs(paths.json, forbidden, (text) => isRecorded(text, settings))
  assertOurs(paths.html, forbidden, isOurPage)
}

function assertOurs(path: string, forbidden: readonly string[], isOurs: (text: string) => boolean): void {
  const entry = entryAt(path)
  assertNotTaken(path, { what: 'plan', forbidden }, entry)
  if (entry === null) return
  const given = { what: 'plan', nothing: 'nothing was planned', mostBytes: MOST_BYTES.plan, noLink: true }
  if (isOurs(readGivenText(path, given))) return
  throw new UsageError(
    `"${path}" is no plan that this ledger has on record, and is not overwritten; nothing was planned`,
    'Rename it, or name another file with --to',
  )
}

function isRecorded(
  text: string,
  { ledger, sharedFolder }: Pick<Settings, 'ledger' | 'sharedFolder'>,
): boolean {
  if (!existsSync(ledger)) return false
  const reader = openLedgerReader(ledger, { sharedFolder })
  try {
    return reader.plans().some((plan) => plan.text === text)
  } finally {
    reader.close()
  }
}

const MARK = /^<!-- sepa-migrate ([0-9a-f]{64}) -->\n/

/** The page with its hash in front, by which it is known again. */
const marked = (page: string): string => `<!-- sepa-migrate ${hash('sha256', page)} -->\n${page}`

const isOurPage = (text: string): boolean => MARK.exec(text)?.[1] === hash('sha256', text.replace(MARK, ''))

/** Both, 0600, each complete before it takes its place. */
export function writePlanFiles(paths: PlanPaths, { text, page }: { text: string; page: string }): void {
  replace(paths.json, text)
  replace(paths.html, marked(page))
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
