import { DORMANT_SOON_DAYS } from '../domain/value/check-mandate.js'
import { parseLocalDate, todayIn } from '../domain/mandate/date.js'
import type { WrittenPath } from '../ledger/safety/side-files.js'
import type { ChosenColumn } from '../domain/row/choice.js'
import type { ApprovalRecord, CampaignRecord, PlanRecord } from '../ledger/read/reader.js'
import { type Machine, thisMachine } from '../machine.js'
import { type CampaignEnd, type RunPreview, readChoice } from '../run/campaign.js'
import type { DeliveryEvent, DeliveryPolicy } from '../run/deliver.js'
import {
  type Credentials,
  type ServiceOptions,
  checkService,
  OF_SERVICE,
  type CheckedService,
  type BaseUrl,
  isAskedAbout,
} from '../service/checked-service.js'
import { isOwnList } from '../source/list.js'
import { isSourceInput, type SourceInput } from '../source/bytes/input.js'
import { type SourceOptionsInput, readSourceOptions } from '../source/options.js'
import { entryAt, sharedFiles } from '../trust/trusted-file.js'
import { maskAccounts } from '../domain/text/accounts.js'
import type { LocalDate } from '../domain/mandate/mandate.js'
import { NOBODY_NAMED, type Corrector } from '../domain/row/correction.js'
import type { Expected, Totals } from '../domain/row/row-state.js'
import { assertKind, assertKnown, onlyKnown, UsageError } from '../errors.js'
import { collectionOpeners, sourceOpeners } from '../run/admit-sources.js'
import { type ReadBy, type ReadingFlags, withFlags } from '../run/read-again.js'
import { USUAL_MAX_IN_DOUBT } from '../run/brake.js'
import { type TakeOver, openRunRegister, type RunRegister } from '../register/campaign-register.js'
import { asRegisterFolder } from '../register/register-file.js'
import { resolve } from 'node:path'
import type { Ledger } from '../ledger/file/writer.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import type { Resolution, Target } from '../ledger/ledger.js'
import type { SeverityOverrides } from '../domain/rule/verdict.js'
import { assertSeverities } from '../source/read-source.js'

/** What `migrate` is asked to do. Paths are relative to the working directory. */
export interface MigrateOptions {
  /**
   * Exports, and lists of an earlier report that somebody corrected or decided in: decisions are recorded first, all of them
   * with what comes in, or nothing. Those of one call have one rank: what they contradict
   * each other about waits for a person. Files that are in the ledger already add nothing, so a call can be repeated as it
   * is. Without files the campaign goes on with what the ledger holds.
   */
  readonly files?: readonly SourceInput[] | undefined
  /**
   * The exports among `files` are newer than all that came in before: what they say of a mandate that was not sent counts.
   * Without it a difference waits for a person. Kept with the run.
   */
  readonly newer?: boolean | undefined
  /**
   * Paths of collection files (pain.008) of the former creditor. Rows that they contradict are held for a person. What they
   * say stays in the ledger, for files of later calls too.
   */
  readonly evidence?: readonly string[] | undefined
  /** The address with what is known of the service, the user and the password. */
  readonly service: ServiceOptions & Credentials & ServicePace
  /** The SQLite file that remembers the campaign; made, for this user alone, where there is none and files are given. */
  readonly ledger: string
  /**
   * Asked once, when every file is checked and before anything is sent; only `true` sends. Until it answers, and after
   * any other answer, the ledger is as it was. Not asked where nothing is ready. Without it nothing is sent to a service on
   * another machine, or to a port of this one on which another user listens.
   */
  readonly confirm?: ((plan: MigrationPlan) => boolean | Promise<boolean>) | undefined
  /** Told of everything, in the order in which it happens. What it throws ends the run, once every answer is settled, but for a `warning`. */
  readonly watch?: ((event: MigrationEvent) => void) | undefined
  /** Once aborted, no new row is sent; what is under way is waited for and settled. */
  readonly signal?: AbortSignal | undefined
  /** Once aborted too, what is under way is given up: those rows are in doubt. */
  readonly giveUp?: AbortSignal | undefined
  /** The exit status once a signal came. Default 130 when `signal` is aborted. */
  readonly signalStatus?: (() => number | null) | undefined

  /** A pilot: so many rows are sent at most, from 1. */
  readonly limit?: number | null | undefined
  /**
   * Such a pilot is spread over countries, banks, patterns of references, creditors and warnings, in the place of the first
   * rows; `confirm` is told why each was taken. Kept with the run.
   */
  readonly spread?: boolean | undefined
  /** Milliseconds after which nothing further is sent. */
  readonly maxDurationMs?: number | null | undefined
  /** Rows of this run that may become in doubt; one more stops it. Default 10. */
  readonly maxInDoubt?: number | undefined
  /** Rows of this run that may be refused; a share counts from 50 answers on. */
  readonly maxRefused?: { readonly kind: 'count' | 'percent'; readonly value: number } | null | undefined
  /** What the former provider counts of an export, kept to be compared; null and undefined for nothing new. */
  readonly expected?: Expected | null | undefined
  /** Sends refused rows once more: the name of the person who decided that, which is kept. */
  readonly retryRefusedBy?: string | null | undefined

  /**
   * Who corrected the rows that files give back, and why, where their lines do not say so (`migration_by`,
   * `migration_reason`); kept with each change. Default: the user of the system, and that no reason was given.
   */
  readonly corrected?:
    { readonly by?: string | undefined; readonly reason?: string | null | undefined } | undefined

  /**
   * Of the ready rows those alone that have one of these values in each of these columns of their export. A name is
   * matched as the header of a file is, a value exactly, both without blanks around them. For this call alone; the others
   * stay ready.
   */
  readonly only?: readonly ChosenColumn[] | undefined
  /** The same by countries of the account, two letters each. */
  readonly countries?: readonly string[] | undefined

  /** How the files are read, as the sections of the same names in `sepa-migrate.yaml`. Found out where left out. */
  readonly reading?: SourceOptionsInput | undefined
  /**
   * How another configuration reads now that an earlier call read exports with, by its path: the command line knows. Where it
   * has changed since, and where nobody can tell of one that is still there, nothing of those exports is sent until a call with it.
   */
  readonly readWith?: ((configuration: string | null) => ReadBy | null) | undefined
  /** What holds besides for the files of this call, also when their records are read again by a call that does not say it. */
  readonly readingFlags?: ReadingFlags | undefined
  /** Severity of single rules. */
  readonly rules?: SeverityOverrides | undefined
  /** The "today" of the date rules, YYYY-MM-DD. Default: today in `zone`. */
  readonly asOf?: string | undefined
  /** IANA name of a time zone. Default: that of the machine. */
  readonly zone?: string | undefined
  /** Warn of a mandate that lapses within so many days. Default 60. */
  readonly dormantSoonDays?: number | undefined
  /** The new creditor's own identifier, so that a file which names it as the previous one is noticed. */
  readonly newCreditorIdentifier?: string | null | undefined

  /** The ledger may lie where others can write. */
  readonly sharedFolder?: boolean | undefined
  /**
   * Goes on in the place of other ledgers that claimed the same mandates and are lost: what they began to send comes in as
   * in doubt, the rest is ready, and they are refused from then on. Kept with every row that becomes in doubt by it.
   */
  readonly anotherLedger?: WhoAndWhy | null | undefined
  /** The same where nobody knows what was begun (another machine, a register that is lost): every row is in doubt. */
  readonly allInDoubt?: WhoAndWhy | null | undefined
  /**
   * Asks the service about each row before it is sent and holds back those that it already holds: in doubt, nothing sent.
   * For a campaign that somebody began by hand, or whose ledger was lost. The contract does not promise that a service
   * can be asked; one that cannot stops the run. This is a safety net, not a guarantee: what was registered a moment ago
   * may not show yet.
   */
  readonly checkBeforeSend?: boolean | undefined
  /**
   * Asks the service who the customers are that would be sent, before anything is, and holds rows whose names differ
   * (CUSTOMER_NAME_DIFFERS, CUSTOMER_UNKNOWN). Verdicts are kept, names never. Default: as the ledger was asked before. The
   * contract does not promise that customers can be read.
   */
  readonly who?: boolean | undefined
  /** A host that is a test environment, or several with commas: what is sent there is kept as a rehearsal, and bars no other ledger. */
  readonly testHost?: string | null | undefined
  /**
   * A plan that was made, recorded and approved: its path. An approval that was signed lies beside it. What it says is compared with what is about to happen, and
   * anything that differs is refused by name before a request leaves. At most its rows are sent, in as many calls as it
   * takes.
   */
  readonly plan?: string | null | undefined
  /** `required`: without an approved `plan` nothing is sent, also to a simulator. */
  readonly approval?: 'required' | null | undefined
  /** Whose approval counts: Ed25519 public keys in PEM by name. The first plan binds them to the ledger. */
  readonly approvers?: Readonly<Record<string, string>> | undefined
  /** Where the caller writes about this campaign; noted beside the ledger, so that a purge can name it. */
  readonly writes?: readonly WrittenPath[] | undefined
  /** Absolute path of the file that all this came from, kept with the run. */
  readonly configuration?: string | null | undefined
  /** For tests and simulations. */
  readonly machine?: Machine | undefined
}

interface WhoAndWhy {
  readonly by: string
  readonly reason: string
}

interface ServicePace {
  /** Requests per second at most. Default: no limit. */
  readonly rate?: number | null | undefined
}

/** What is about to be sent, for the one question before it. */
export interface MigrationPlan extends RunPreview {
  readonly service: Pick<BaseUrl, 'href' | 'host' | 'isLoopback' | 'isOthers'> & Pick<Credentials, 'username'>
  /** False for a ledger that has sent before, but not as this user on this machine: it may be an older copy. */
  readonly isLedgerKnown: boolean
  /** The approved plan that this is held to; nothing of it drifted. Left out where there is none. */
  readonly approved?: ApprovedPlan
}

type ApprovedPlan = Pick<PlanRecord, 'digest'> &
  Pick<ApprovalRecord, 'approvedBy' | 'approvedAt' | 'expiresAt' | 'key' | 'reference'>

/** Events of the delivery hold the mandate with its account number whole: no log may keep one as it is. */
export type MigrationEvent =
  | DeliveryEvent
  | Opened
  | { readonly kind: 'reading'; readonly source: string; readonly records: number }
  /** Told whenever verdicts on customers were kept. */
  | { readonly kind: 'asking_who'; readonly customers: number; readonly asked: number }
  /** What was agreed to, about to be committed; `warning`: the disk may be too small for it. */
  | { readonly kind: 'sending'; readonly rows: number; readonly warning: string | null }
  /** The last one, once the ledger was opened and also where `migrate` rejects. `totals` is null where it cannot be read. */
  | ({ readonly kind: 'closed'; readonly totals: Totals | null } & RunResult)

export type AskingEvent = Extract<MigrationEvent, { kind: 'asking_who' }>

interface Opened {
  readonly kind: 'opened'
  /** Rows that a dead process left under way; they are in doubt now. */
  readonly recovered: number
  /** What was allowed that is refused otherwise. */
  readonly allowed: readonly string[]
  /** Of `writes`, what could not be noted: a purge will not name it. */
  readonly notNoted: readonly WrittenPath[]
}

export interface RunResult {
  /** What was allowed that is refused otherwise, and that the disk may be too small. */
  readonly warnings: readonly string[]
  /** Another program reads the ledger, so account numbers of registered rows may still stand in its `-wal` file. */
  readonly holdsOldPages: boolean
}

/** What came of asking about rows before they were sent. */
export interface AskedFirst {
  /** Questions that were answered or may have been. */
  readonly asked: number
  /** Rows that the service already holds: in doubt, and nothing of them was sent. */
  readonly heldBack: number
  /** Rows that were not sent, since no answer about them could be read. */
  readonly unread: number
}

/** `exitCode` is what the command line ends with (cli/README.md#exit-status): 0 when everything is done and nothing open. */
export interface Migration extends CampaignEnd, RunResult {
  readonly campaign: CampaignRecord
  /** What came of `checkBeforeSend`; null where it was not asked for. */
  readonly askedFirst: AskedFirst | null
  /** All rows that its plan is for were sent. */
  readonly isPlanUsedUp: boolean
  /** Decisions in the lists among its files that were recorded, unless `confirm` said no. */
  readonly decided: number
}

/** A run as far as it is known before the ledger is opened: everything was refused that can be refused until then. */
export type ValidatedOptions = Readonly<ReturnType<typeof checkOptions>>

/** The one place where options get their defaults. @throws {UsageError} for what cannot work; nothing was opened or sent */
export function checkOptions(options: MigrateOptions) {
  const { ledger: ledgerFile, service: credentials, files: inputs = [], evidence: collections = [] } = options
  const {
    machine = thisMachine(),
    zone = machine.zone,
    rules: severities = {},
    configuration = null,
  } = options
  const { signal: drain = new AbortController().signal, giveUp: abort = new AbortController().signal } =
    options
  const { newCreditorIdentifier = null, dormantSoonDays = DORMANT_SOON_DAYS, readingFlags = {} } = options
  const { approval = null, approvers = {}, plan = null, testHost = null, who, writes = [] } = options
  const { sharedFolder = false, checkBeforeSend = false, newer: isNewer = false, spread = false } = options
  const { retryRefusedBy = null, watch = () => undefined } = options
  const said: (Partial<Expected> & Pick<Expected, 'records'>) | null = options.expected ?? null
  const expected = said === null ? null : { source: null, customerNoSum: null, ...said }
  assertPaths(options)
  for (const path of collections) assertKind('evidence of migrate, which is a list of paths', path, 'text')
  const service = checkService(credentials, machine.env)
  const { baseUrl } = service
  if (options.confirm === undefined && isAskedAbout(baseUrl, credentials.username))
    throw new UsageError(
      `Sending to "${baseUrl.host}" needs a confirmation, and there is nobody to ask; nothing was sent`,
      'Give confirm: it is shown once what is about to be sent, and nothing but true sends it',
    )
  assertPlanned(options, baseUrl)
  if (!baseUrl.isLoopback) asRegisterFolder(machine.stateFolder)
  const asOf = dayOf(options.asOf, zone, machine)
  const against = { today: asOf, zone, severities, newCreditorIdentifier, dormantSoonDays }
  const configured = readSourceOptions(options.reading ?? {})
  const reading = withFlags(configured, readingFlags)
  const takeOver = takeOverOf(options)
  const { clock, after, random } = machine
  return {
    ...{ ledgerFile, inputs, machine, clock, after, random, drain, abort, service, credentials, asOf, zone },
    ...{ severities, newCreditorIdentifier, dormantSoonDays, configuration, reading, expected },
    ...{ approval, approvers, plan, testHost, who, writes, sharedFolder, checkBeforeSend, isNewer, spread },
    ...{ retryRefusedBy, watch, takeOver, takesOver: takeOver !== null },
    testHosts: (testHost ?? '').split(',').map((host) => host.trim()),
    policy: policyOf(options, service),
    files: sourceOpeners(inputs, reading, against, drain),
    evidence: collectionOpeners(collections, configured),
    readBy: {
      ...{ options: configured, byFlag: readingFlags, against, ledger: ledgerFile, configuration },
      readWith: options.readWith,
    },
    choice: readChoice(options),
    /** A sentence for each file that decides about rows and that others can write. */
    sharedFiles: sharedFiles(
      [
        ...[configuration, ...inputs, ...collections],
        ...[configured.crosswalk, ...configured.join].map((second) => second?.file),
      ].filter((file) => typeof file === 'string'),
    ).map(maskAccounts),
    corrector: correctorOf(options, machine),
    confirm: (options.confirm ?? (() => true)) as (plan: MigrationPlan) => unknown,
    watchReading: (source: string, records: number): void => watch({ kind: 'reading', source, records }),
    signalStatus: options.signalStatus ?? (() => (drain.aborted ? 130 : null)),
  }
}

/** What people decided in lists of ours among the files, as `resolve --from` takes it. @throws {UsageError} as `readDecisions` */
export async function decisionsIn(
  { inputs, corrector }: Pick<ValidatedOptions, 'inputs' | 'corrector'>,
  { view }: { readonly view: LedgerReader },
): Promise<readonly Resolution[]> {
  const decided: Resolution[] = []
  for (const file of view.sources().length === 0 ? [] : inputs) {
    if (typeof file !== 'string' || !(await isOwnList(file))) continue
    const { readDecisions } = await import('../decisions/read-decisions.js')
    decided.push(...(await readDecisions(view, file, corrector.by, true)).resolutions)
  }
  return decided
}

/** What a plan holds was known before. */
export const decisionsUnderPlan = (what: string): UsageError =>
  new UsageError(
    `${what} records no decisions; nothing was sent`,
    'Record them first, then make a plan: sepa-migrate resolve --from',
  )

/** @throws {UsageError} for what cannot be read a second time */
export function refuseStreams(inputs: readonly SourceInput[], action: string): void {
  const stream = inputs.find((input) => typeof input !== 'string')
  if (stream === undefined) return
  throw new UsageError(
    `Cannot ${action} "${stream.name}": a stream cannot be read a second time by the run; nothing was sent`,
    'Give the file itself',
  )
}

/**
 * Where an approval is required, nothing is sent without a plan: what listens on this machine may be the end of a tunnel.
 * A ledger that is there is opened first, and remembers it.
 * @throws {UsageError} nothing was opened or sent
 */
export function assertPlanned(
  { approval = null, plan = null, ledger }: Pick<MigrateOptions, 'approval' | 'plan' | 'ledger'>,
  { host }: BaseUrl,
): void {
  const word: string | null = approval
  assertUsable('approval', word, word === null || word === 'required', '"required", or left out')
  assertUsable('plan', plan, plan === null || (typeof plan === 'string' && plan !== ''), 'the path of a plan')
  if (approval !== null && plan === null && entryAt(ledger) === null) throw planNeeded(noPlanFor(host))
}

export const noPlanFor = (host: string): string =>
  `Sending to "${host}" needs an approved plan, and none was given`

export const planNeeded = (why: string): UsageError =>
  new UsageError(
    `${why}; nothing was sent`,
    'Plan what is to be sent, have somebody else approve the plan, then run under it (sepa-migrate plan FILE --to plan.json; sepa-migrate approve plan.json --by NAME --key KEY.pem; sepa-migrate run FILE --plan plan.json)',
  )

/** @throws {UsageError} for both at once, and without a person and a reason */
function takeOverOf({ anotherLedger = null, allInDoubt = null }: MigrateOptions): TakeOver | null {
  const given = anotherLedger ?? allInDoubt
  if (given === null) return null
  if (anotherLedger !== null && allInDoubt !== null)
    throw new UsageError(
      'Cannot take the place of another ledger and put every row in doubt at once; nothing was sent',
      'Leave one of them out: the first where the register of this machine knows the other ledger, the second elsewhere',
    )
  const { by, reason }: WhoAndWhy = { ...{ by: '', reason: '' }, ...given }
  if (by.trim() === '' || reason.trim() === '')
    throw new UsageError(
      'A ledger takes the place of another one by the word of a person, and there is no name or no reason; nothing was sent',
      'Give both: they are kept with every row that becomes in doubt by it (--reason "…"; --by NAME)',
    )
  return { decision: anotherLedger === null ? 'all_in_doubt' : 'another_ledger', by, reason }
}

function correctorOf({ corrected = {} }: MigrateOptions, { user }: Machine): Corrector {
  const { by = user ?? NOBODY_NAMED.by, reason = null } = corrected
  assertUsable('corrected.by', by, by.trim() !== '', 'a name')
  return { by: by.trim(), reason: (reason ?? '').trim() || null }
}

function dayOf(text: string | undefined, zone: string, { clock }: Machine): LocalDate {
  try {
    const today = todayIn(zone, clock.now())
    const day = text === undefined ? today : parseLocalDate(text)
    if (day !== null) return day
  } catch (cause) {
    throw new UsageError(
      `The time zone "${zone}" is not known; nothing was sent`,
      'Give an IANA name such as Europe/Berlin',
      { cause },
    )
  }
  throw new UsageError(
    `"${text ?? ''}" is not a calendar date; nothing was sent`,
    'Give the day as YYYY-MM-DD',
  )
}

/** For programs without types: letters of one path must not be taken for files, nor the folder for a ledger. */
function assertPaths({ ledger, files = [] }: { readonly ledger?: unknown; readonly files?: unknown }): void {
  const areFiles = Array.isArray(files) && files.every((file) => isSourceInput(file))
  if (typeof ledger === 'string' && ledger !== '' && areFiles) return
  throw new UsageError(
    'Cannot use the ledger or the files: the ledger is a path, the files are a list; nothing was sent',
    'Give them as { ledger: "sepa-migrate.db", files: ["export.csv"] }',
  )
}

/** The options that are objects, or lists of such. */
const WITHIN = {
  service: `${OF_SERVICE} rate:number`,
  corrected: 'by:text reason:text',
  maxRefused: 'kind value:number',
  anotherLedger: 'by:text reason:text',
  allInDoubt: 'by:text reason:text',
  only: 'column values',
  writes: 'kind path',
  expected: 'source:text records:number customerNoSum:text',
} as const
const OPTIONS =
  'files newer:flag evidence:list ledger confirm:function watch:function signal:signal giveUp:signal signalStatus:function limit spread:flag maxDurationMs maxInDoubt retryRefusedBy:text countries reading:object readWith:function readingFlags:object rules:object asOf:text zone:text dormantSoonDays:number newCreditorIdentifier:text sharedFolder:flag checkBeforeSend:flag who:flag testHost:text plan approval:text approvers:object configuration:text machine:object service:object corrected:object maxRefused:object anotherLedger:object allInDoubt:object only:list writes:list expected:object'

/** For programs without types: an option that is passed over would send what was meant to be left. @returns those that are given */
export function knownOptions(given: MigrateOptions): MigrateOptions {
  const options = onlyKnown('migrate', given, OPTIONS)
  const { rules = {}, maxRefused, service } = options
  assertKind('service', service, 'object')
  const within = Object.entries(WITHIN).flatMap(([name, known]) => {
    const value: unknown = options[name as keyof typeof WITHIN]
    const parts = [value ?? []].flat().map((part) => onlyKnown(name, part, known))
    return value === undefined ? [] : [[name, Array.isArray(value) ? parts : parts[0]] as const]
  })
  if (maxRefused) assertKnown('There is no kind of maxRefused', maxRefused.kind, ['count', 'percent'])
  assertSeverities(rules)
  return { ...options, ...Object.fromEntries(within) }
}

function policyOf(options: MigrateOptions, { baseUrl, concurrency }: CheckedService): DeliveryPolicy {
  const { limit = null, maxDurationMs = null, maxInDoubt = USUAL_MAX_IN_DOUBT, maxRefused = null } = options
  const { rate = null } = options.service
  const isCount = (number: number): boolean => Number.isSafeInteger(number) && number >= 0
  const by = options.retryRefusedBy ?? null
  assertUsable('retryRefusedBy', by, by === null || by.trim() !== '', 'a name')
  assertUsable('rate', rate, rate === null || (rate > 0 && Number.isFinite(rate)), 'a number above 0')
  const isLimit = limit === null ? options.spread !== true : isCount(limit) && limit > 0
  assertUsable('limit', limit, isLimit, `a whole number from 1${limit === null ? ', as spread needs' : ''}`)
  assertUsable('maxDurationMs', maxDurationMs, maxDurationMs === null || maxDurationMs > 0, 'above 0')
  assertUsable('maxInDoubt', maxInDoubt, isCount(maxInDoubt), 'a whole number from 0')
  if (maxRefused !== null) {
    const { kind, value } = maxRefused
    const isUsable = kind === 'count' ? isCount(value) : value >= 0 && value <= 100
    assertUsable('maxRefused', value, isUsable, 'a whole number from 0, or a share of 0 to 100')
  }
  const stopAtCanaryDoubt = baseUrl.href.startsWith('https:')
  return { concurrency, rate, limit, maxDurationMs, maxInDoubt, maxRefused, stopAtCanaryDoubt }
}

function assertUsable(name: string, given: number | string | null, isUsable: boolean, wanted: string): void {
  if (isUsable) return
  throw new UsageError(
    `Cannot use ${name}: ${typeof given === 'string' ? JSON.stringify(given) : String(given)} is not ${wanted}; nothing was sent`,
    'Correct the value',
  )
}

/** @throws {LedgerError} `register` for one that cannot be used, unless the service is on this machine */
export const registerOf = (
  { ledgerFile, sharedFolder, machine, service: { baseUrl }, testHosts, takeOver }: ValidatedOptions,
  { claims }: Ledger,
): RunRegister => {
  const [folder, ledger] = [machine.stateFolder, resolve(ledgerFile)]
  const options = { folder, baseUrl: baseUrl.href, testHosts, ledger, claims, takeOver, sharedFolder }
  return openRunRegister(options, baseUrl)
}

/** Where it is sent, and as whom: a ledger is bound to it, and a plan is for it. */
export const targetOf = ({ service: { baseUrl }, credentials: { username } }: ValidatedOptions): Target => ({
  baseUrl: baseUrl.href,
  username,
})
