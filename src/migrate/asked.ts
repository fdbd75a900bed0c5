import type { LocalDate } from '../domain/mandate/mandate.js'
import type { Choice } from '../domain/row/choice.js'
import { NOBODY_NAMED, type Corrector } from '../domain/row/correction.js'
import { isRuleId, type Severity, type SeverityOverrides } from '../domain/rule/rules.js'
import { UsageError } from '../errors.js'
import { thisMachine, type Machine } from '../machine.js'
import { type OpenNext, sourceOpeners } from '../run/admit-sources.js'
import { USUAL_MAX_IN_DOUBT } from '../run/brake.js'
import { readChoice } from '../run/choice.js'
import type { DeliveryPolicy } from '../run/deliver.js'
import type { BaseUrl } from '../service/base-url.js'
import type { TakeOver } from '../register/campaign-register.js'
import { checkService, type CheckedService } from '../service/checked-service.js'
import { readSourceOptions } from '../source/options.js'
import type { MigrateOptions, MigrationEvent, MigrationPlan } from './options.js'
import { parseLocalDate, todayIn } from '../domain/mandate/date.js'
import { DORMANT_SOON_DAYS } from '../domain/value/check-mandate.js'

/** What is left once everything was refused that can be refused before the ledger is opened. */
const SEVERITIES: readonly Severity[] = ['error', 'warning', 'off']

export interface Asked {
  readonly options: MigrateOptions
  readonly machine: Machine
  readonly service: CheckedService
  readonly policy: DeliveryPolicy
  readonly files: readonly OpenNext[]
  readonly asOf: LocalDate
  readonly zone: string
  /** Which of the ready rows are to be sent; null for all. */
  readonly choice: Choice | null
  readonly takeOver: TakeOver | null
  readonly corrector: Corrector
  readonly drain: AbortSignal
  readonly confirm: (plan: MigrationPlan) => unknown
  readonly watch: (event: MigrationEvent) => void
}

/** @throws {UsageError} for what cannot work; nothing was opened or sent */
export function checkOptions(options: MigrateOptions): Asked {
  const {
    machine = thisMachine(),
    zone = machine.zone,
    signal: drain = new AbortController().signal,
  } = options
  assertPaths(options)
  assertKnownName(options)
  const service = checkService(options.service, machine.env)
  const { baseUrl } = service
  if (options.confirm === undefined && !baseUrl.isLoopback)
    throw new UsageError(
      `Sending to "${baseUrl.host}" needs a confirmation, and there is nobody to ask; nothing was sent`,
      'Give confirm: it is shown once what is about to be sent, and nothing but true sends it',
    )
  assertPlanned(options, baseUrl)
  assertRules(options.rules ?? {})
  const asOf = dayOf(options.asOf, zone, machine)
  const { rules = {}, newCreditorIdentifier = null, dormantSoonDays = DORMANT_SOON_DAYS } = options
  const check = { today: asOf, severities: rules, newCreditorIdentifier, dormantSoonDays }
  return {
    options,
    machine,
    service,
    policy: policyOf(options, service),
    files: sourceOpeners(options.files ?? [], readSourceOptions(options.reading ?? {}), check, drain),
    asOf,
    zone,
    choice: readChoice(options),
    takeOver: takeOverOf(options),
    corrector: correctorOf(options, machine),
    drain,
    confirm: options.confirm ?? (() => true),
    watch: options.watch ?? (() => undefined),
  }
}

/**
 * Where an approval is required, nothing goes to another machine without a plan; what is on this one is asked later
 * whether it is the sandbox.
 * @throws {UsageError} nothing was opened or sent
 */
export function assertPlanned(
  { approval = null, plan = null }: Pick<MigrateOptions, 'approval' | 'plan'>,
  { host, isLoopback }: Pick<BaseUrl, 'host' | 'isLoopback'>,
): void {
  const word: string | null = approval
  assertUsable('approval', word, word === null || word === 'required', '"required", or left out')
  assertUsable('plan', plan, plan === null || (typeof plan === 'string' && plan !== ''), 'the path of a plan')
  if (approval === null || plan !== null || isLoopback) return
  throw new UsageError(
    `Sending to "${host}" needs an approved plan, and none was given; nothing was sent`,
    'Plan what is to be sent, have somebody else approve the plan, then run under it',
    { ways: ['plan', 'approve', 'run_plan'] },
  )
}

/** @throws {UsageError} for both at once, and without a person and a reason */
function takeOverOf({ anotherLedger = null, allInDoubt = null }: MigrateOptions): TakeOver | null {
  const given = anotherLedger ?? allInDoubt
  if (given === null) return null
  if (anotherLedger !== null && allInDoubt !== null)
    throw new UsageError(
      'Cannot take the place of another ledger and put every row in doubt at once; nothing was sent',
      'Leave one of them out: the first where the register of this machine knows the other ledger, the second elsewhere',
    )
  const { by, reason } = given
  if (by.trim() === '' || reason.trim() === '')
    throw new UsageError(
      'A ledger takes the place of another one by the word of a person, and there is no name or no reason; nothing was sent',
      'Give both: they are kept with every row that becomes in doubt by it',
      { ways: ['give_reason', 'name_person'] },
    )
  return { kind: anotherLedger === null ? 'all_in_doubt' : 'another_ledger', by, reason }
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
  const isUsable = typeof ledger === 'string' && ledger !== '' && Array.isArray(files)
  if (isUsable) return
  throw new UsageError(
    'Cannot use the ledger or the files: the ledger is a path, the files are a list; nothing was sent',
    'Give them as { ledger: "sepa-migrate.db", files: ["export.csv"] }',
  )
}

/** Passed over, an option by its former name would send what was meant to be asked about. */
function assertKnownName(options: object): void {
  if (!('readBackFirst' in options)) return
  throw new UsageError(
    'There is no option readBackFirst any more; nothing was sent',
    'Its name is checkBeforeSend now',
  )
}

function assertRules(rules: SeverityOverrides): void {
  const wrong = Object.entries(rules).find(
    ([id, severity]) => !isRuleId(id) || !SEVERITIES.includes(severity),
  )
  if (wrong === undefined) return
  throw new UsageError(
    `Cannot use rules: "${wrong[0]}: ${wrong[1]}" names no rule, or no severity; nothing was sent`,
    'Name a rule of the rulebook and give it error, warning or off',
  )
}

function policyOf(options: MigrateOptions, { baseUrl, concurrency }: CheckedService): DeliveryPolicy {
  const { limit = null, maxDurationMs = null, maxInDoubt = USUAL_MAX_IN_DOUBT, maxRefused = null } = options
  const { rate = null } = options.service
  const isCount = (number: number): boolean => Number.isSafeInteger(number) && number >= 0
  const by = options.retryRefusedBy ?? null
  assertUsable('retryRefusedBy', by, by === null || by.trim() !== '', 'a name')
  assertUsable('rate', rate, rate === null || (rate > 0 && Number.isFinite(rate)), 'a number above 0')
  assertUsable('limit', limit, limit === null || (isCount(limit) && limit > 0), 'a whole number from 1')
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
