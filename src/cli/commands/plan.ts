import {
  textOfPlan,
  type PlanDocument,
  approversIn,
  approversText,
  isByPlanner,
  type ApprovalStatement,
  textOfStatement,
} from '../../domain/plan/plan.js'
import {
  planMigration,
  approvalPath,
  findPlan,
  isFile,
  readApproval,
  readPlan,
  readPlanFile,
  textOfApproval,
  changedSettingsOf,
} from '../../migrate/plan.js'
import { type Command, type Context, lookInto, namedFiles, sameFlags, decideIn } from '../command.js'
import { readAskedService, RUN_FLAGS, runOptions } from '../before-sending.js'
import { readUsername, assertReadBackTold, readTarget, readSigningKey } from '../settings/settings.js'
import { commandLine, nextLine, shownPath } from '../terminal/next.js'
import { type Line, toned, assertTyped, canAsk, type World } from '../terminal/world.js'
import { planSections, renderPlanPage, type Section } from '../../report/plan/plan-sections.js'
import { leftAsRead, tellNotNoted } from '../closing.js'
import { noteWritten } from '../../ledger/safety/side-files.js'
import { SHARED, EXITS, usual, RUN_SETTINGS, EXIT_STATUSES, flagName } from '../settings/declared.js'
import { randomBytes } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseJson, said, timeText } from '../../domain/text/text.js'
import { UsageError } from '../../errors.js'
import { entryAt, assertNotTaken, createTrusted } from '../../trust/trusted-file.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { signingKey } from '../../ledger/plan/plans.js'
import { signText } from '../../trust/signature.js'
import { TO_DO } from '../../report/pack/pack-folder.js'

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
  const asUser = { ...target.options, username: readUsername(settings) }
  const options = runOptions(context, target)
  const service = options.who === true ? (await readAskedService(context)).options : asUser
  const paths = planPaths(context.text('to') ?? FILE)
  const given = namedFiles({ ...context, own: { ...context.own, to: null } }, null)
  await assertReplaceable(paths, settings, given)
  const left = await leftAsRead(context, 'plan')
  const { document, evidence } = await planMigration({
    ...options,
    service,
    signal: world.signals.drain,
    giveUp: world.signals.abort,
    by: context.text('by') ?? context.actor(),
    watch: (event) => {
      if (event.kind === 'reading') progress.reading(event.source, event.records)
    },
  })
  const text = textOfPlan(document)
  // Of what is on record: what has no value is not there.
  const page = await renderPlanPage(parseJson(text) as PlanDocument)
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
      ...sectionLines(planSections(document)),
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
  settings: Pick<Context['settings'], 'ledger' | 'sharedFolder'>,
  forbidden: readonly string[],
): Promise<void> {
  for (const path of Object.values(paths)) {
    const entry = entryAt(path)
    assertNotTaken(path, { what: 'plan', forbidden }, entry)
    if (entry === null) continue
    const text = readPlanFile(path, { nothing: 'nothing was planned', noLink: true })
    const recorded = existsSync(settings.ledger) ? await lookInto(settings, (reader) => reader.plans()) : []
    const ours = recorded.map(async ({ document, text }) =>
      path === paths.json ? text : renderPlanPage(document),
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

export const approveCommand: Command = {
  usage: 'approve <plan>',
  summary: 'a second person approves a plan; nothing is sent',
  examples: [
    'sepa-migrate approve plan.json --by NAME --key approver.pem',
    'sepa-migrate approve plan.json --by NAME --reference "mail of 12 June"',
  ],
  options: [...SHARED, 'yes'],
  own: [
    ['--by <name>', 'who approves'],
    [
      '--key <file>',
      'Ed25519 private key (PEM) of the approver, readable by its owner only, to sign the approval with',
    ],
    [
      '--reference <text>',
      'without a key: where the approval is found; kept in the ledger as recorded, not proven',
    ],
  ],
  epilogue: [
    'It shows what is approved, and asks on a terminal. With --key the approval is written beside the plan (plan.approval.json), by whoever',
    'has the key and anywhere: it needs no ledger. Laid beside the plan again, run --plan checks it and puts it on record. "approvers" in the configuration names',
    'whose public keys count; where it does, nothing counts without one of them. An approval ends after 72 hours, or as',
    'approvalValidFor says where it is given. "openssl genpkey -algorithm ed25519 -out KEY.pem" makes a key.',
  ],
  exits: { ...EXITS.plain, 2: 'nothing was recorded', 8: EXIT_STATUSES[8] },
  run: approve,
}

const NOTHING = 'nothing was recorded'

async function approve(context: Context) {
  const { args, settings, world } = context
  const file = args[0] ?? ''
  const given = (name: string): string => context.text(name)?.trim() ?? ''
  const [by, key, reference] = [given('by'), given('key'), given('reference')]
  if (by === '' || (key === '') === (reference === '') || maskAccounts(by) !== by)
    throw new UsageError(
      `The approval needs a person, without an account number, and either a key or a reference; ${NOTHING}`,
      'Give --by NAME, and --key FILE or --reference "mail of …"',
    )
  const document = readPlan(file, world.version)
  const { derived, sections } = derive(file, document, world)
  for (const line of sectionLines(sections)) context.progress.note(line)
  const nowMs = world.clock.now()
  const statement = {
    plan: document.digest,
    approvedBy: by,
    approvedAt: new Date(nowMs).toISOString(),
    expiresAt: new Date(nowMs + settings.get('approvalValidFor') * 1000).toISOString(),
  }
  assertAnother(context, { ...statement, key: null, recordedAs: world.user }, document)
  // Without a terminal the key, or the ledger, is given on purpose.
  if (!(settings.get('yes') ?? false) && canAsk(world))
    await assertTyped(world, {
      what: 'Approving',
      typed: 'approve',
      to: `approve what is shown, as ${by}`,
      nothing: NOTHING,
    })
  const what = { file, document: derived, statement }
  return key === '' ? record(context, what, reference) : sign(context, what, key)
}

type Approval = Readonly<{ file: string; document: PlanDocument; statement: ApprovalStatement }>

/** @throws {UsageError} where the planner approves and an approval is required; it is said where it is not */
function assertAnother(
  { progress }: Context,
  approval: Parameters<typeof isByPlanner>[0],
  document: PlanDocument,
): void {
  if (!isByPlanner(approval, document)) return
  const told = `${document.plannedBy} planned this, and the same person or user approves it`
  if (document.settings['approval'] === 'required')
    throw new UsageError(
      `${told}; ${NOTHING}`,
      'Have somebody else approve it, as a user and with a key of their own',
    )
  progress.note([toned('open', 'Warning'), `: ${told}`])
}

/**
 * Which settings are not usual is found out here, not believed. The usual time zone is that of the approver's machine.
 */
function derive(file: string, document: PlanDocument, machine: World) {
  try {
    const { settings, target } = document
    const changedSettings = changedSettingsOf(settings, { baseUrl: target.baseUrl, machine })
    const derived: PlanDocument = { ...document, changedSettings }
    return { derived, sections: planSections(derived) }
  } catch (cause) {
    const message = `"${file}" cannot be shown: it is no plan of this program; ${NOTHING}`
    throw new UsageError(message, 'Plan again', { cause })
  }
}

/** Without the ledger, which is not for the approver. */
function sign(context: Context, { file, document, statement }: Approval, keyFile: string) {
  const signature = signText(textOfStatement(statement), readSigningKey(keyFile, NOTHING))
  const path = approvalPath(file)
  // The one of an earlier plan lies there; anything else does not go.
  const isOurs = entryAt(path)?.isFile() === true && readApproval(path, NOTHING) !== null
  if (isOurs) rmSync(path)
  createTrusted(path, 'approval', textOfApproval({ ...statement, signature }))
  const key = signingKey(statement, signature)
  const named = approversIn(document)
  return {
    files: { 'approval.json': path },
    lines: said([
      `Approved by ${statement.approvedBy} in ${path}, until ${timeText(statement.expiresAt)}, with the key ${key ?? ''}. Nothing was sent.`,
      // Whoever signs sees whether their key is among those that count.
      named.length > 0 && `Whose key counts: ${approversText(named)}`,
      `Give ${path} to ${document.plannedBy}, who lays it beside the plan and runs with its settings.`,
      runLine(context, file, document),
    ]),
    details: { plan: document, approval: { ...statement, key, reference: null } },
  }
}

/** Where to and how fast, as it was planned: a run that is told something else is refused. */
function flagsOfPlan({ target, limit, retriesRefused, settings, changedSettings }: PlanDocument): string[] {
  const { kind, value } = (settings['maxRefused'] ?? {}) as Record<string, unknown>
  const given = {
    ...settings,
    maxRefused: `${String(value)}${kind === 'percent' ? '%' : ''}`,
    timeout: Number(settings['timeoutMs']) / 1_000,
    connectTimeout: Number(settings['connectTimeoutMs']) / 1_000,
  } as Readonly<Record<string, unknown>>
  const changed = (
    ['concurrency', 'rate', 'maxInDoubt', 'maxRefused', 'timeout', 'connectTimeout'] as const
  ).filter((name) => changedSettings.includes(name) || changedSettings.includes(`${name}Ms`))
  return [
    ...(retriesRefused ? ['--retry-refused'] : []),
    ...['--base-url', target.baseUrl],
    ...(limit === null ? [] : ['--limit', String(limit)]),
    ...(settings['who'] === true ? ['--who'] : []),
    ...changed.flatMap((name) => [`--${flagName(name)}`, String(given[name])]),
  ]
}

/** The command for the run; only of files, or lists of the report, that lie where it would find them it can be pasted. */
function runLine(context: Context, file: string, plan: PlanDocument, sources = plan.sources): Line {
  // A list that several configurations read is a source of each.
  const files = [...new Set(sources.filter(isFile).map(({ name }) => name))].map(
    (name) =>
      [name, join(dirname(file), name), shownPath(join(context.settings.out, TO_DO, name))].find((path) =>
        existsSync(path),
      ) ?? name,
  )
  const readWith = plan.settings['configuration'] as string | null
  const command = { name: 'run', files, readWith, words: ['--plan', file, ...flagsOfPlan(plan)] } as const
  return files.every((path) => existsSync(path))
    ? nextLine(context, command)
    : `Then: ${commandLine(context, command)}   (each file with the path where it lies)`
}

function record(context: Context, { file, document, statement }: Approval, reference: string) {
  return decideIn(context, (ledger) => {
    findPlan(ledger.view, file)
    const recordedAs = context.world.user
    ledger.plans.approve({ ...statement, recordedAs, reference, signature: null })
    const known = new Set(ledger.view.sources().map(({ sha256 }) => sha256))
    const sources = document.sources.filter(({ sha256 }) => !known.has(sha256))
    return {
      campaign: { ledger: context.settings.ledger, baseUrl: document.target.baseUrl },
      totals: ledger.totals(),
      lines: [
        `Approved by ${statement.approvedBy} until ${timeText(statement.expiresAt)}: recorded, not proven (${reference}). Nothing was sent.`,
        'The run must be given the settings of the plan, and the files that are not in the ledger yet.',
        runLine(context, file, document, sources),
      ],
      details: { plan: document, approval: { ...statement, key: null, reference } },
    }
  })
}
