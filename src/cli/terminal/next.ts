import { NO_CUT_OVER, type OpenCutOver } from '../../domain/row/cut-over.js'
import { PILOT_DONE, type Stop } from '../../run/brake.js'
import { existsSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { readWritten } from '../../ledger/safety/side-files.js'
import {
  CUT_OVER_FILE,
  PLACE_OF_PART,
  TO_DO_WORKBOOK,
  findPack,
  pathInPack,
} from '../../report/pack/pack-folder.js'
import { flagName, flagsOf, OF_SERVICE, type OptionName, RUN_SETTINGS } from '../settings/declared.js'
import { camelCase, sameFlags, type Context } from '../command.js'
import { STANDARD_INPUT } from '../../source/bytes/input.js'
import { type Line, toned } from './world.js'
import { type Totals, contradictedIn, type Verification } from '../../domain/row/row-state.js'

const PLAIN = /^[\w./:=@%+,-]+$/

/** A word as a POSIX shell reads it back; a file whose name looks like a flag gets its folder in front. */
function quoted(word: string): string {
  if (PLAIN.test(word)) return word
  return `'${word.replaceAll("'", `'\\''`)}'`
}

const fileWord = (path: string): string =>
  path === STANDARD_INPUT ? 'FILE' : path.startsWith('-') && path !== '-' ? `./${path}` : path

/** Where the campaign is: what every command on a ledger has to be told again. */
const PLACE: readonly OptionName[] = ['config', 'ledger', 'out', 'logFile', 'sharedFolder']

/** What a command that asks the service what it holds has to be told again. */
const ASKING: readonly OptionName[] = [...PLACE, ...OF_SERVICE]

const SENDING: readonly OptionName[] = [
  ...PLACE,
  ...RUN_SETTINGS.filter((name) => name !== 'limit' && name !== 'retryRefused'),
  'readBack',
]

/** What was typed, as far as the next command repeats it. */
export type Typed = Pick<Context, 'settings' | 'own' | 'args'>

/** Flags of the command that was typed which count for the next one too; limits of a single run do not. */
const CARRIED = {
  init: [],
  check: ['config', 'ledger', 'out', 'asOf'],
  compare: [...PLACE, 'asOf'],
  run: [...SENDING, 'passwordFile', 'maxDuration'],
  plan: SENDING,
  approve: PLACE,
  'resolve --ask': ASKING,
  verify: ASKING,
  report: [...PLACE, 'signWith'],
  resolve: PLACE,
  'ledger adopt': PLACE,
  purge: PLACE,
  status: PLACE,
  'report verify': [],
} as const satisfies Record<string, readonly OptionName[]>

export interface NextCommand {
  readonly name: keyof typeof CARRIED
  readonly files?: readonly string[]
  /** Further words, flags and their values, as they are. */
  readonly words?: readonly string[]
  /** Flags that are not to be carried over. */
  readonly without?: readonly OptionName[]
  /** The path of the configuration that the files are read with, null for none; left out or empty, that of this command. */
  readonly readWith?: string | null | undefined
}

/** The command line to type next, which can be pasted into a shell in the same folder. */
export function commandLine(
  { settings, own }: Typed,
  { name, files = [], words = [], without = [], readWith }: NextCommand,
): string {
  const flagged = { ...settings.flags, config: configFlag(settings, readWith) }
  const carried: readonly OptionName[] = CARRIED[name]
  const flags = carried
    .filter((option) => !without.includes(option))
    .flatMap((option) => {
      const value = flagged[option]
      if (value === undefined) return []
      return flagsOf(option).includes('<')
        ? [`--${flagName(option)}`, fileWord(value)]
        : [`--${flagName(option)}`]
    })
  return [
    'sepa-migrate',
    ...name.split(' '),
    ...files.map(fileWord),
    ...ownFlags(name, own, files),
    ...flags,
    ...words,
  ]
    .map(quoted)
    .join(' ')
}

function configFlag(
  { flags, configuration: { file } }: Typed['settings'],
  readWith: string | null | undefined = '',
): string | undefined {
  if (readWith === null) return undefined
  return readWith === '' || readWith === resolve(file ?? '.') ? flags.config : shownPath(readWith)
}

/** Columns that were said not to count, and what was allowed for this campaign, hold for the next command as well. */
function ownFlags(name: string, own: Context['own'], files: readonly string[]): string[] {
  if (name === 'init') return sameFlags({ own }, ['sheet'])
  if (name === 'compare') return sameFlags({ own }, ['sheet', 'ignore-column'])
  if (name !== 'run' && name !== 'plan' && name !== 'check') return []
  const taken = name === 'plan' || own['plan'] !== undefined ? takeOver(own) : []
  const { evidence } = own
  return [
    ...sameFlags({ own }, ['sheet', 'ignore-column', ...taken, 'check-before-send', 'who']),
    // Without files the ledger has them already.
    ...(Array.isArray(evidence) && files.length > 0
      ? ['--evidence', ...evidence.map((file) => fileWord(String(file)))]
      : []),
  ]
}

/** A run under a plan takes the same ledgers' place as the plan; any other next run goes on with what it took. */
function takeOver(own: Context['own']): string[] {
  const flag = ['another-ledger', 'all-in-doubt'].find((name) => own[camelCase(name)] === true)
  return flag === undefined ? [] : [flag, 'reason', 'by']
}

/** What is known at the end of a command that decides what comes next. */
export interface CommandEnd {
  readonly totals: Totals
  readonly stop: Stop | null
  /** The campaign as its ledger has it. */
  readonly campaign: ReturnType<LedgerReader['campaign']>
  /** Folder of the pack that was written just now; null where none was. */
  readonly pack: string | null
  /** The service can be asked about rows in doubt, and was not yet. */
  readonly canBeAsked?: boolean
  /** Name of the list that was asked last, in the place of the service. */
  readonly askedList?: string | null
  /** It is an older copy of the ledger that was last used. */
  readonly isOlder?: boolean
  /** A run is writing to it now. */
  readonly isGoing?: boolean
  /** What was read back of the registered rows, where it is known. */
  readonly verification?: Verification | null
  readonly cutOver?: OpenCutOver
  /** Rows in doubt that the service was just shown to hold: a person may record them without a look. */
  readonly shown?: number
  /** All rows that the plan of this command is for were sent. */
  readonly isPlanUsedUp?: boolean
  /** Exports that are read again from the file alone, because the configuration has changed. */
  readonly toGive?: readonly string[]
  /** The path of the configuration that read what waits, where it is not that of this command. */
  readonly readWith?: string | undefined
  /** Files of the latest comparison that are read otherwise by now, because of what has changed. */
  readonly compareAgain?: readonly {
    readonly name: string
    readonly place: string | null
    readonly because: string
    /** It came in, so that a run reads again what was not sent of it. */
    readonly isTakenIn: boolean
  }[]
  /** Files of this command that did not get into the ledger. */
  readonly notAdmitted?: readonly string[]
}

/** Something to do before, in words, and the command to paste then. */
type Step = Readonly<{ words: readonly string[]; command: NextCommand | null }>

const step = (word: string, command: NextCommand | null = null): Step => ({ words: [word], command })

export const nextLine = (typed: Typed, command: NextCommand): Line => [
  toned('strong', 'Next'),
  `: ${commandLine(typed, command)}`,
]

/** The last lines of a command: what a person has to do first, if anything, and the command to type. */
export function nextLines(typed: Typed, status: CommandEnd): Line[] {
  const { words, command: found } = stepOf(typed, status)
  if (found === null) return [...words]
  const { toGive = [] } = status
  const isBare = found.name === 'run' && found.files === undefined
  const reading = { readWith: status.readWith, ...(toGive.length > 0 ? { files: toGive } : {}) }
  // What is gone cannot be given.
  const isGone = found.readWith != null && !existsSync(found.readWith)
  const command = { ...found, ...(isBare ? reading : isGone ? { readWith: '' } : {}) }
  return [...words, nextLine(typed, underPlan(typed, status, askingFirst(typed, status, command)))]
}

/** What is left of a plan goes on under it; anything else is planned first, where nothing may be sent without. */
function underPlan(
  { own, settings }: Typed,
  { notAdmitted, stop, isPlanUsedUp = false }: CommandEnd,
  command: NextCommand,
): NextCommand {
  if (command.name !== 'run') return command
  const { plan, only, country } = own
  // All that the plan chose was sent, where the run chose no less, or as many as it is for.
  const isOver = isPlanUsedUp || (stop?.kind === 'choice' && only === undefined && country === undefined)
  const isOfPlan = !isOver && (command.files === undefined || command.files === notAdmitted)
  if (typeof plan === 'string' && isOfPlan)
    return { ...command, words: [...(command.words ?? []), '--plan', plan] }
  return { ...command, name: typeof plan === 'string' ? 'plan' : sender({ settings }) }
}

/** What brings mandates in; where nothing may be sent without an approval, they are planned first. */
export const sender = ({ settings }: Pick<Typed, 'settings'>): 'run' | 'plan' =>
  settings.get('approval') === null ? 'run' : 'plan'

/** Once the service was asked before rows were sent, no later command may send the others unasked by itself. */
function askingFirst({ own, settings }: Typed, { campaign }: CommandEnd, command: NextCommand): NextCommand {
  if (command.name !== 'run' || !campaign.asksFirst || own['checkBeforeSend'] === true) return command
  const told = settings.flags.readBack === undefined ? ['--read-back'] : []
  return { ...command, words: [...(command.words ?? []), ...told, '--check-before-send'] }
}

/** After these the run goes on as it is; after any other a doubt is looked at first. */
const TO_RESUME: ReadonlySet<Stop['kind']> = new Set([
  'signal',
  'max_duration',
  'credentials',
  'certificate',
  'no_connection',
  'retry_after',
  'turned_away',
  'waited',
  'waiting',
])

function stepOf(typed: Typed, status: CommandEnd): Step {
  const { totals, stop, campaign, canBeAsked = false, isOlder = false, notAdmitted = [] } = status
  if (isOlder) return older(typed)
  if (status.isGoing === true) return GOING
  if (campaign.purgedAt !== null) return PURGED
  const words = stop === null || stop.kind === 'signal' ? [] : [`${stop.next}.`]
  const behind = (next: Step): Step => ({ ...next, words: [...words, ...next.words] })
  const same = sameChoice(typed, status)
  if (stop !== null && notAdmitted.length > 0)
    return { words, command: { name: 'run', files: notAdmitted, words: same } }
  const isOpen = totals.ready - (status.cutOver ?? NO_CUT_OVER).held + totals.sending > 0
  if (stop !== null && isOpen && (TO_RESUME.has(stop.kind) || totals.inDoubt === 0))
    return { words, command: { name: 'run', words: same } }
  if (totals.read === 0) return behind(step('Give the export to it: sepa-migrate run FILE'))
  if ((status.shown ?? 0) > 0) return behind(SHOWN)
  if (canBeAsked && totals.inDoubt > 0)
    return behind(step('Ask the service what it holds of the customers in doubt.', { name: 'resolve --ask' }))
  return behind(statusStep(typed, status, packOf(typed, status)))
}

/**
 * What was begun goes on with the same choice and as a pilot, also after another command than the run; once all that it
 * takes was sent, the others follow.
 */
function sameChoice({ own, settings }: Typed, { stop, campaign: { lastRun } }: CommandEnd): string[] {
  const { only = [], countries = [], limit, stoppedBy = null, plan } = lastRun ?? {}
  const ended = stop?.kind ?? stoppedBy
  if (ended === 'choice' || own['plan'] !== undefined) return []
  const typed = sameFlags({ own }, ['only', 'country'])
  const last = [
    ...only.flatMap(({ column, values }) => ['--only', `${column}=${values.join(',')}`]),
    ...(countries.length > 0 ? ['--country', countries.join(',')] : []),
  ]
  const isDone = ended === null || ended === PILOT_DONE.kind
  const pilot = settings.flags.limit ?? (plan === undefined ? limit : null)
  return [
    ...(typed.length > 0 || plan !== undefined ? typed : last),
    ...(isDone || pilot == null ? [] : ['--limit', String(pilot)]),
  ]
}

const older = (typed: Typed): Step =>
  step(
    `Put the newest copy of the ledger back, with its -wal. Only where there is none: ${commandLine(typed, { name: 'ledger adopt', words: ['--reason', '…'] })}`,
  )

const GOING = step('A run is going; what is left to do is known when it has ended.', {
  name: 'status',
  words: ['--watch'],
})

const PURGED = step(
  'What was held of persons is removed. Keep the signed page, registered.csv and the ledger.',
)

const SHOWN = step(
  'Look at what would be recorded of the rows that the service already holds, then record it.',
  { name: 'resolve --ask' },
)

function statusStep(typed: Typed, status: CommandEnd, pack: string | null): Step {
  const { settings } = typed
  const { totals, verification = null, cutOver = NO_CUT_OVER, askedList = null } = status
  const { unorderedExport, comparedExports, toCompareAgain, untakenExports, lastExports, readWith } =
    status.campaign
  const asTyped = (name: string): string => typed.args.find((path) => basename(path) === name) ?? name
  const { inDoubt, ready, sending, invalid, conflict, refused } = totals
  const { compareAgain = [] } = status
  const [otherwise] = compareAgain
  const again =
    otherwise &&
    step(
      `The last export was compared before ${otherwise.because} was changed: compare it again before anything is sent or signed.`,
      {
        name: 'compare',
        files: compareAgain.map((one) => asTyped(one.name)),
        readWith: otherwise.place,
      },
    )
  if (again !== undefined && compareAgain.some(({ isTakenIn }) => !isTakenIn)) return again
  // Without the last export a run would send what was changed in it.
  if (inDoubt === 0 && cutOver.untaken === 0 && ready - cutOver.held + sending > 0)
    return { words: [], command: { name: 'run', words: sameChoice(typed, status) } }
  if (again !== undefined) return again
  if (pack === null) return step('There is no up-to-date report.', { name: 'report' })
  const file = (name: string): string => shownPath(pathInPack(pack, name))
  const list = (name: string): string =>
    existsSync(pathInPack(pack, TO_DO_WORKBOOK)) ? file(TO_DO_WORKBOOK) : file(name)
  // What is not there yet cannot be pasted.
  const compare = (words: string, files: readonly string[], by: string | null = ''): Step =>
    files.length > 0 && files.every((path) => existsSync(path))
      ? step(words, { name: 'compare', files, readWith: by })
      : step(`${words} Meanwhile, what is reported so far can be proven:`, {
          name: 'report verify',
          words: [shownPath(pack), '--ledger', settings.ledger],
        })
  // Under a plan no decision comes in, the demo has no service any more, who decides with resolve goes on so, and a list that
  // is given to a run would send what a pilot or a choice left.
  const { plan, demo, from, only, country } = typed.own
  const isResolved =
    settings.get('approval') !== null ||
    [plan, demo, from, only, country, settings.flags.limit].some((flag) => flag !== undefined)
  const decideIn = (name: string): NextCommand =>
    isResolved || list(name) === file(name)
      ? { name: 'resolve', words: ['--from', list(name), '--dry-run'] }
      : { name: 'run', files: [list(name)], readWith: readWith.lists }
  if (inDoubt > 0)
    return step(
      `Ask the service about each row in doubt, fill in your decision and your reason in ${list(PLACE_OF_PART.inDoubt)}, and give it back.`,
      decideIn(PLACE_OF_PART.inDoubt),
    )
  if (verification !== null && contradictedIn(verification) > 0)
    return step(
      `Settle with the service what ${file('verification.csv')} names first, then ${askedList === null ? 'ask again' : `lay a new list of all its mandates beside the ledger (resolve --against)`}. What is right as the service shows it: sepa-migrate resolve --row N --as done --reason "…"; where only the reference is wrong here: --as registered once more, with both identifiers as the service shows them.`,
      askedList === null
        ? { name: 'verify' }
        : existsSync(askedList)
          ? { name: 'resolve', words: ['--against', askedList] }
          : null,
    )
  if (cutOver.open > 0)
    return step(
      `Act on each line of the cut-over in ${list(CUT_OVER_FILE)}, fill in your decision and your reason, and give it back.`,
      decideIn(CUT_OVER_FILE),
    )
  if (cutOver.untaken > 0 && untakenExports.length === 0)
    return step(
      'The last export has mandates that a run does not take from its file, which came in before: they are in no row here, as it was read otherwise then, or were written off as gone. Save it once more so that it is another file (a CSV with an empty line at its end), and give that to run, then to compare.',
    )
  if (cutOver.untaken > 0)
    return step(
      'Give the last export to a run: it has mandates that are new or changed. If a run took another copy of it, compare that one.',
      { name: 'run', files: untakenExports.map(asTyped), readWith: readWith.compared },
    )
  if (cutOver.uncompared > 0)
    return compare(
      `Since the last export was compared, mandates came in, were sent more than three days later, or a correction found them in it: ${toCompareAgain.length > 0 ? 'compare the newest' : 'export once more and compare that'}.`,
      toCompareAgain.map(asTyped),
      readWith.last,
    )
  if (cutOver.asReadBefore > 0)
    return compare(
      'Mandates were sent before their export was read again otherwise: compare the last export, which tells what differs.',
      (comparedExports.length > 0 ? comparedExports : lastExports).map(asTyped),
      comparedExports.length > 0 ? readWith.compared : readWith.last,
    )
  if (unorderedExport !== null)
    return step(
      `Exports differ about mandates, which wait for your word. Only if "${unorderedExport}" is newer than all that came in before it:`,
      {
        name: 'run',
        files: [asTyped(unorderedExport)],
        words: ['--newer'],
        readWith: readWith.unordered,
      },
    )
  const faulty =
    invalid + conflict > 0 ? PLACE_OF_PART.corrections : refused > 0 ? PLACE_OF_PART.refused : null
  const isRetried = settings.get('retryRefused') === true
  const asItIs = isRetried ? '' : `; what the service takes now as it is: ${sender(typed)} --retry-refused`
  if (faulty !== null)
    return step(
      `Correct ${list(faulty)} and give it back${faulty === PLACE_OF_PART.refused ? asItIs : ''}.`,
      { name: 'run', files: [list(faulty)], readWith: readWith.lists },
    )
  if (cutOver.unexpected > 0)
    return step(
      `Find out why the records are not as many as the former provider counts: ${file('report.html')} shows both. Where the number was wrong, give the right one to sepa-migrate report --expected-records.`,
    )
  if (cutOver.held > 0)
    return compare(
      'Rows that are ready are held back, since the last export says otherwise: export once more and compare that, or write them off (sepa-migrate resolve --row N --as written-off --reason "…").',
      [],
    )
  if (status.campaign.isComparedSince)
    return step(`Have finance sign ${file('report.html')} before the next command.`, { name: 'purge' })
  return compare(
    'Mandates may have ended since the export: export once more as final.csv and compare it before finance signs.',
    ['final.csv'],
  )
}

/** A path below this folder as one types it. */
export function shownPath(path: string): string {
  const short = relative('.', path)
  return short === '' ? '.' : short.startsWith('..') ? path : short
}

/** The pack that shows the ledger as it is now; null where every pack is older, or there is none. */
function packOf({ settings }: Typed, { campaign, pack }: CommandEnd): string | null {
  if (pack !== null) return pack
  const noted = readWritten(settings.ledger).flatMap(({ kind, path }) => (kind === 'report' ? [path] : []))
  return findPack([resolve(settings.out), ...noted], campaign)
}

/** The flags of `resolve` that say what is decided. */
const DECIDING =
  'row as from against of sample reason assigned-creditor-identifier assigned-mandate-reference by force yes-resend'

/** The `resolve` that was typed, without `--dry-run`. */
export const sameResolve = ({ own }: Pick<Context, 'own'>): NextCommand => ({
  name: own['ask'] === true ? 'resolve --ask' : 'resolve',
  words: sameFlags({ own }, DECIDING.split(' ')),
})
