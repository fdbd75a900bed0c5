import { join } from 'node:path'
import { UsageError } from '../../errors.js'
import { openScratchCopy, openScratchLedger, type ScratchLedger } from '../../ledger/file/writer.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import type { SourceRecord } from '../../ledger/read/reader.js'
import { admitSources, collectionOpeners, decide, type AdmittedSource } from '../../run/admit-sources.js'
import { withoutRowsAlone } from '../../run/rows-alone.js'
import {
  type Command,
  type Context,
  EVIDENCE,
  NEWER,
  IGNORE_COLUMN,
  SHEET,
  inputOf,
  openers,
  readByOf,
  resultOfError,
  sourceOptions,
} from '../command.js'
import { nextLine } from '../terminal/next.js'
import { totalsLines, type Line, toned } from '../terminal/world.js'
import { listRefusal, nextReading, waitingIn, waitingTexts, writeProblemList } from '../closing.js'
import {
  evidenceLine,
  howReadLines,
  readingLines,
  heldLines,
  readAskedService,
  WHO,
} from '../before-sending.js'
import { correctionLines, CORRECTIONS_SHOWN } from '../../domain/row/correction.js'
import { COMMON, EXITS, OF_SERVICE, usual } from '../settings/declared.js'
import { type AskingEvent, decisionsIn } from '../../migrate/options.js'
import { askListed, holdStrangers } from '../../migrate/ask.js'
import { checkService } from '../../service/checked-service.js'
import { givenLine, noteAsking, whoLine } from './run.js'
import { problemPages } from '../../report/facts/facts.js'
import { MANIFEST_FILE, readWrittenFiles } from '../../report/pack/pack-folder.js'
import { STILL_NOT_SENT, RULES, type RuleId } from '../../domain/rule/verdict.js'
import { plural, countText, said } from '../../domain/text/text.js'

export const checkCommand: Command = {
  usage: 'check <files...>',
  summary: 'validate whole files; sends nothing, and needs no network without --who',
  examples: [
    'sepa-migrate check export.csv --out checked',
    'sepa-migrate check --ledger sepa-migrate.db sepa-migrate-report/to-do/corrections.csv',
  ],
  options: [...OF_SERVICE, ...COMMON, 'asOf', 'yes'],
  own: [SHEET, IGNORE_COLUMN, EVIDENCE, NEWER, WHO],
  epilogue: [
    '--out writes every problem to problems.csv in that folder.',
    '--ledger compares the files with a campaign, as run would: above all corrections with the rows they name.',
    'Without it, files of this program that were filled in are checked on their own.',
  ],
  exits: {
    ...EXITS.plain,
    0: 'nothing is wrong',
    3: 'some rows are invalid or in conflict',
    7: 'input unreadable, or run would refuse it',
    ...usual(8, 130, 143),
  },
  run: check,
}

async function check(context: Context) {
  const { world, settings } = context
  assertNoReport(settings.get('out'))
  // That of a campaign only where it was asked for: a first check comes before any ledger.
  const campaign = settings.isNamed('ledger') ? settings.ledger : null
  const ledger =
    campaign === null ? openScratchLedger(world.clock) : openScratchCopy(campaign, world.clock, settings)
  try {
    return conclude(context, ledger.reader, await checkFiles(context, ledger, campaign))
  } catch (error) {
    const { files, warnings } = await listRefusal(context, error, settings.get('out'))
    return { ...resultOfError(error, world.signals.exitStatus()), files, warnings }
  } finally {
    ledger.close()
  }
}

/** Its list of problems is named in the manifest of a report. @throws {UsageError} */
function assertNoReport(out: string | null): void {
  if (out === null || readWrittenFiles(out, MANIFEST_FILE) === null) return
  throw new UsageError(
    `"${out}" holds a report, and the list of this check would replace its problems.csv: report verify would call the report changed; nothing was checked`,
    `Give the check a folder of its own (--out ${join(out, 'checked')})`,
  )
}

type CheckedFiles = Awaited<ReturnType<typeof checkFiles>>

/** @param campaign the ledger that the files are compared with */
async function checkFiles(context: Context, ledger: ScratchLedger, campaign: string | null) {
  const { reader } = ledger
  const admitted = await admitAll(context, ledger, campaign)
  if (context.flag('who')) await askWho(context, ledger)
  ledger.tellNew()
  /** Rows that a run would put in doubt before it sends anything. */
  const inDoubt = ledger.doubtAll()
  const written = await writeProblemList(context, allProblems(reader), context.settings.get('out'))
  const waiting = campaign === null ? [] : await waitingIn(context, reader)
  return {
    ...{ campaign, admitted, inDoubt, waiting, words: ledger.words() },
    ...{ files: written.files, warnings: written.warnings },
  }
}

/** Where nothing is compared with a campaign or collections, most records of most files need no row of their own. */
async function admitAll(
  context: Context,
  ledger: ScratchLedger,
  campaign: string | null,
): Promise<readonly AdmittedSource[]> {
  const files = openers(context)
  const evidence = collectionOpeners(context.texts('evidence'), sourceOptions(context))
  const options = {
    severities: context.settings.severities,
    corrector: { by: context.actor(), reason: null },
    isNewer: context.flag('newer'),
    signal: context.world.signals.drain,
    watch: context.progress.reading,
    ...(campaign === null ? { onTheirOwn: true } : { readBy: readByOf(context) }),
    evidence,
  }
  const lists = { ...options, inputs: context.args.map((file) => inputOf(context, file)) }
  const decisions = campaign === null ? [] : await decisionsIn(lists, { view: ledger.reader })
  const decided = {
    // As a run does: before the files come in, and in one transaction with them.
    admit: (given: Parameters<typeof ledger.admit>[0]) => {
      const admission = ledger.admit(given)
      decide(ledger, decisions)
      return admission
    },
  }
  const isAlone = campaign === null && evidence.length === 0 && !context.flag('who')
  return admitSources(decided, isAlone ? await withoutRowsAlone(files, options) : files, options)
}

/** Nothing is kept of it. @throws {HaltError} where it was broken off, and for a file that run would refuse */
async function askWho(context: Context, { who }: ScratchLedger): Promise<void> {
  const { world: machine, settings } = context
  const { options: credentials, baseUrl } = await readAskedService(context)
  const service = checkService(credentials, machine.env)
  const policy = { concurrency: service.concurrency, rate: credentials.rate }
  const asking = { who, service, credentials, machine, policy, ...machine.signals }
  const watch = (event: AskingEvent): void => noteAsking(context, event)
  const examples = await askListed({ ...asking, watch }, who.list(baseUrl.href, null))
  holdStrangers(who, baseUrl.href, settings.severities, examples)
}

function* allProblems(reader: LedgerReader) {
  for (const page of problemPages(reader)) yield* page
}

function conclude(context: Context, reader: LedgerReader, checked: CheckedFiles) {
  const { admitted, campaign, files, inDoubt } = checked
  const totals = reader.totals()
  const todos = todosOf(reader)
  const notTaken = admitted.reduce((sum, source) => sum + source.notTaken, 0)
  const isFaulty = totals.invalid + totals.conflict + notTaken > 0
  const undecided = todos.flatMap(({ rule, kind }) => (kind === 'error' ? (BEFORE_RUN.get(rule) ?? []) : []))
  const corrections = reader.correctionsToSend(CORRECTIONS_SHOWN)
  const evidence = reader.evidence()
  const isGiven = (source: SourceRecord): boolean =>
    admitted.some(
      ({ kind, name, ids }) => ids.includes(source.origin) || (kind === 'known' && name === source.name),
    )
  const sources = reader.sources().filter(isGiven)
  const latest = (id: number) => sources.findLast(({ origin }) => origin === id)?.reading
  return {
    exitCode: undecided.length > 0 ? 7 : isFaulty ? 3 : 0,
    campaign: { ledger: campaign, baseUrl: campaign === null ? null : reader.campaign().baseUrl },
    totals,
    files,
    warnings: said([
      ...(campaign === null ? ownFiles(admitted) : []),
      ...waitingTexts(context, checked.waiting),
      ...checked.warnings,
    ]),
    lines: said([
      ...admitted.flatMap((one) => (one.kind === 'empty' && checked.words.length > 0 ? [] : givenLine(one))),
      ...sources
        .filter(({ id, origin }) => id === origin)
        .map((source) => ({ ...source, reading: latest(source.id) ?? source.reading }))
        .flatMap((source) => [...howReadLines(source), ...readingLines(source)]),
      ...(todos.length > 0
        ? todoLines(reader, todos)
        : [[toned('good', isFaulty ? 'No new problems.' : 'No problems.')]]),
      ...Object.values(files).map((path) => `All of them: ${path}`),
      ...correctionLines(corrections),
      checked.words.length > 0 &&
        `Decisions, which a run records: ${checked.words.map(({ word, count }) => `${countText(count)} ${word}`).join(', ')}`,
      '',
      campaign !== null && `The campaign of ${campaign}, as it would be with these files:`,
      ...totalsLines(totals),
      ...heldLines({ inDoubt }),
      evidence !== null && evidenceLine(evidence),
      whoLine(reader),
      notTaken > 0 &&
        `  ${plural(notTaken, 'correction', 'corrections')} cannot be taken; what they name stays as it is`,
      '',
      ...nextLinesOf(context, checked, { undecided, isFaulty }),
    ]),
    details: { problems: todos, sources, notTaken, corrections, evidence, decisions: checked.words },
  }
}

const ownFiles = (admitted: readonly AdmittedSource[]): string[] =>
  admitted
    .filter(({ isResultFile, kind }) => isResultFile && kind !== 'empty')
    .map(
      ({ name }) =>
        `"${name}" holds corrections; it was checked on its own. check --ledger FILE compares it with the campaign`,
    )

const BEFORE_RUN: ReadonlyMap<string, string> = new Map([
  [
    'FILE_COLUMN_UNDECIDED',
    'Map or ignore each column named under FILE_COLUMN_UNDECIDED before you run this file.',
  ],
  ['FILE_ACCOUNT_DOMINANT', 'Map another column, or allow FILE_ACCOUNT_DOMINANT, before you run this file.'],
])

function nextLinesOf(
  context: Context,
  { campaign, files, waiting }: CheckedFiles,
  { undecided, isFaulty }: { undecided: readonly string[]; isFaulty: boolean },
): Line[] {
  const { settings, args } = context
  if (undecided.length > 0 && settings.configuration.file === null)
    return [...undecided, nextLine(context, { name: 'init', files: args.slice(0, 1) })]
  // A run would refuse what nobody decided about.
  if (undecided.length > 0) return [...undecided, nextLine(context, { name: 'check', files: args })]
  return said([
    isFaulty &&
      `Correct the export, or leave it: a run leaves rows with an error behind and lists them in to-do.xlsx, to be corrected there.${files['problems.csv'] === undefined ? ' With --out, a check lists every problem.' : ''}`,
    settings.get('baseUrl') === null &&
      campaign === null &&
      'Before a run: set SEPA_MIGRATE_BASE_URL (the test environment first), SEPA_MIGRATE_USERNAME and a password.',
    nextLine(context, {
      name: settings.get('approval') === null ? 'run' : 'plan',
      files: args,
      words: campaign === null ? ['--limit', '10'] : [],
      without: ['out'],
      readWith: nextReading(waiting).readWith,
    }),
  ])
}

const EXAMPLES = 3
/** Each column of a file wants a decision of its own. */
const MOST_OF_FILE = 20

type Todo = ReturnType<typeof todosOf>[number]

/** Every rule with findings: errors first, then warnings, then what the operator asked for; the most frequent first. */
function todosOf(reader: LedgerReader) {
  const todos = reader
    .problemCounts()
    .map(({ rule, severity, count }) => ({ rule, severity, count, kind: kindOf(rule, severity) }))
  return (['error', 'warning', 'asked'] as const).flatMap((kind) =>
    todos.filter((todo) => todo.kind === kind),
  )
}

/** `asked`: an excluded row stays behind on purpose, and of a duplicate the other row is sent, which is no fault. */
function kindOf(id: RuleId, severity: 'error' | 'warning'): keyof typeof HEADINGS {
  const rule = RULES[id]
  const isAsked = 'state' in rule && rule.state !== 'conflict'
  return severity === 'error' && isAsked ? 'asked' : severity
}

const HEADINGS = { error: 'error', warning: 'warning', asked: 'left out' } as const
const TONES = { error: 'bad', warning: 'open', asked: 'soft' } as const

/** The list for people: rule, count, what it says, three examples with their lines, remedy. */
function todoLines(reader: LedgerReader, todos: readonly Todo[]): Line[] {
  const hasSeveral = reader.sources().length > 1
  const ofKind = (kind: Todo['kind']): number => todos.filter((todo) => todo.kind === kind).length
  const counts = said([
    ofKind('error') > 0 && plural(ofKind('error'), 'rule is broken', 'rules are broken'),
    ofKind('warning') > 0 && plural(ofKind('warning'), 'warning', 'warnings'),
    ofKind('asked') > 0 && plural(ofKind('asked'), 'reason to leave rows out', 'reasons to leave rows out'),
  ])
  return [
    '',
    [toned('strong', 'To do'), `: ${counts.join(', ')}`],
    ...todos.flatMap((todo) => ['', ...linesOf(reader, todo, hasSeveral)]),
  ]
}

function linesOf(reader: LedgerReader, { rule, severity, kind, count }: Todo, hasSeveral: boolean): Line[] {
  const { message, remedy } = RULES[rule]
  const examples = reader.problemsOfRule(rule, severity, rule.startsWith('FILE_') ? MOST_OF_FILE : EXAMPLES)
  const isHeld = examples.some((example) => example.message.includes(STILL_NOT_SENT))
  const remedies = new Set(examples.map((example) => example.remedy))
  const [only = remedy] = remedies
  return said([
    [toned(TONES[kind], HEADINGS[kind].padEnd(8)), ` ${rule}, ${plural(count, 'time', 'times')}`],
    `  ${message}${isHeld ? ` ${STILL_NOT_SENT}` : ''}`,
    ...examples.map((example) => `    ${exampleText(example, message, hasSeveral)}`),
    count > examples.length && `    … and ${countText(count - examples.length)} more`,
    `  → ${remedies.size === 1 ? only : remedy}`,
  ])
}

/** Where it is, what was found there, and what the message says beyond the rule. */
function exampleText(
  { source, line, column, value, message }: ReturnType<LedgerReader['problemsOfRule']>[number],
  general: string,
  hasSeveral: boolean,
): string {
  const place = line === null ? [source] : said([hasSeveral && source, `line ${line}`])
  const detail = message.replace(general, '').replace(STILL_NOT_SENT, '').trim()
  const isSaid = value === '' || (line === null && detail.includes(value))
  const found = said([column !== '' && column, !isSaid && `"${value}"`]).join(' ')
  return said([said([...place, found !== '' && found]).join(', '), detail !== '' && detail]).join(': ')
}
