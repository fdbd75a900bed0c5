import type { AssignedIdentity } from '../mandate/mandate.js'
import type { VerdictKind } from '../proof/match-sources.js'
import type { RuleId } from '../rule/verdict.js'
import { plural } from '../text/text.js'
import { NO_CUT_OVER, type OpenCutOver } from './cut-over.js'

/** Why a run must stop because of one exchange: what was seen, and what the operator does before running again. */
export const HALTS = {
  /** 401, 403, 407: exit 6. */
  credentials: {
    why: 'The service, or a proxy in front of it, refused the credentials or the permission',
    next: 'Check the user name, the password and what the account may do, or those of the proxy where the row names it, then run the same command again',
  },
  certificate: {
    why: 'The certificate or the proxy in front of the service cannot be trusted as it is set up',
    next: 'Check the address, the certificate authority and the proxy, then run the same command again',
  },
  redirect: {
    why: 'The service answered with a redirect, which is never followed',
    next: 'Check the base URL with the service, and resolve what is in doubt (sepa-migrate help doubts)',
  },
  echo_mismatch: {
    why: 'An answer named another mandate than its request; answers may be shifted by one',
    next: 'Ask the service what it registered before anything else is sent, then resolve the rows in doubt',
  },
  reference_repeated: {
    why: 'The service gave one mandate reference to two rows',
    next: 'Ask the service which row the reference belongs to, then resolve the row in doubt',
  },
  /** Undici refused our arguments: a bug of ours. */
  request_rejected_locally: {
    why: 'The request could not be built; nothing was sent',
    next: 'Please report this with the log; it is a fault of this program or of a setting',
  },
  no_read_back: {
    why: 'The service could not be asked what it holds: it answered as if it had no read-back, or knew none of the first customers',
    next: 'Nothing was sent for these rows. Ask the service whether it can be asked; only where nothing can be there yet, run without asking first',
  },
  unanswered: {
    why: 'The service was asked what it holds before sending, and could not be read for many rows in a row',
    next: 'Nothing was sent for these rows. Ask the service, or wait, then run the same command again',
  },
}
export type Halt = keyof typeof HALTS

/** What a request that never left has left behind. */
export const NOTHING_LEFT = {
  /** True once the first byte of the request may have been handed to the socket. */
  started: false,
  /** HTTP status, where a status line arrived. */
  status: null as number | null,
  /** The error code of the transport, where there was one (`ECONNRESET`, `UND_ERR_…`). */
  errorCode: null as string | null,
  /** The envelope's `status` word, such as INVALID_PARAMETER, a hint only. */
  serviceCode: null as string | null,
  /** The field the service blames; a list of path parts is joined with dots. */
  field: null as string | null,
  message: null as string | null,
  /** At most 2 KiB of the answer, account numbers masked. */
  answer: null as string | null,
  /** Wall time of the exchange in milliseconds, from a monotonic clock. */
  durationMs: 0,
  /** How long the service asked us to wait, in milliseconds, whatever the status. */
  retryAfterMs: null as number | null,
}

/** Everything an exchange left behind, masked and bounded; kept with the attempt. */
export type ExchangeEvidence = Readonly<typeof NOTHING_LEFT>

interface SeenExchange {
  readonly evidence: ExchangeEvidence
  /** One sentence for the operator. */
  readonly reason: string
  /** Set when the whole run must stop, whatever becomes of the row. */
  readonly halt: Halt | null
}

/**
 * What a doubt leans to. `probably_registered`: a 2xx was seen that names no other mandate. `may_exist`: the service
 * refused because of the state of an object of its own, which this very mandate may be.
 */
export const DOUBT_HINTS = ['probably_registered', 'may_exist', 'unknown'] as const
export type DoubtHint = (typeof DOUBT_HINTS)[number]

/** What one HTTP exchange proved (service/README.md#outcomes). A send never throws: it always ends in one of these. */
export type Outcome<Value = AssignedIdentity> =
  /** A definite yes. `notes` are the RESPONSE_* rules that were seen. */
  | (SeenExchange & { readonly kind: 'registered'; readonly value: Value; readonly notes: readonly RuleId[] })
  /** A definite no. */
  | (SeenExchange & { readonly kind: 'refused' })
  /** Answered "not now" without processing: ready again. */
  | (SeenExchange & { readonly kind: 'turned_away' })
  /** No byte was handed to the socket: ready again. */
  | (SeenExchange & { readonly kind: 'not_sent' })
  /** May have been applied. Never sent again. */
  | (SeenExchange & { readonly kind: 'in_doubt'; readonly hint: DoubtHint })

/** In doubt although no byte of its request left: the service holds it already. */
export const isHeldBack = ({ kind, evidence }: Pick<Outcome, 'kind' | 'evidence'>): boolean =>
  kind === 'in_doubt' && !evidence.started

/** A request that left may still arrive and be applied for this long, in milliseconds. */
export const LATE_REQUEST_MS = 15 * 60 * 1_000

/** What a decision says that let a row go out while its earlier request could still arrive; `ms` after that left. */
export const forcedText = (ms: number): string =>
  `forced, ${plural(Math.max(0, Math.floor(ms / 60_000)), 'minute', 'minutes')} after the attempt`

const FORCED = /^forced, \d+ minutes? after the attempt/

/** True for the evidence of such a decision. */
export const isForced = (evidence: string | null): boolean => evidence !== null && FORCED.test(evidence)

/**
 * Control totals. They count mandates of the campaign: `read` is the records of the exports and equals the sum of the
 * states, always. A correction takes the place of the row it corrects instead of adding one, so `resubmitted`, the
 * records that were given back, stands beside the equation.
 */
export type Totals = Readonly<Record<'read' | 'resubmitted' | (typeof TOTAL_OF_STATE)[RowState], number>>

/** The JSON name of each state. */
export const TOTAL_OF_STATE = {
  invalid: 'invalid',
  duplicate: 'duplicate',
  conflict: 'conflict',
  excluded: 'excluded',
  superseded: 'superseded',
  ready: 'ready',
  sending: 'sending',
  registered: 'registered',
  refused: 'refused',
  in_doubt: 'inDoubt',
  written_off: 'writtenOff',
} as const

/** A record that repeats or was replaced has no mandate of its own. */
type MandateState = Exclude<RowState, 'duplicate' | 'superseded'>

/** Mandates by their state; `total` is their sum. */
export type MandateTotals = Readonly<Record<'total' | (typeof TOTAL_OF_STATE)[MandateState], number>>

/** What counts of a mandate of which several records say something: what was or may be sent, then what a person must look at. */
export const MANDATE_STATES = [
  'sending',
  'in_doubt',
  'registered',
  'refused',
  'conflict',
  'ready',
  'invalid',
  'excluded',
  'written_off',
] as const satisfies readonly MandateState[]

export interface MandateCount {
  readonly state: MandateState
  /** The rule or reason that decided the state; null where none did. */
  readonly rule: string | null
  readonly count: number
}

export function mandateTotalsOf(counts: readonly Pick<MandateCount, 'state' | 'count'>[]): MandateTotals {
  const sumOf = (of: typeof counts): number => of.reduce((sum, { count }) => sum + count, 0)
  const each = MANDATE_STATES.map(
    (state) => [TOTAL_OF_STATE[state], sumOf(counts.filter((count) => count.state === state))] as const,
  )
  return { total: sumOf(counts), ...(Object.fromEntries(each) as Record<(typeof each)[number][0], number>) }
}

/** Those of which nothing was sent that may count. Of what was written off a request may have left. */
export const notSentOf = ({
  total,
  registered,
  inDoubt,
  sending,
  refused,
  writtenOff,
}: MandateTotals): number => total - registered - inDoubt - sending - refused - writtenOff

/** `decided`: cancelled or changed at the service, as a person closed its line of the cut-over. */
export type VerifiedVerdict = VerdictKind | 'decided'

/** What reading back says of a registered mandate, in the order in which a person looks at it. */
const WORD_OF = {
  absent: 'missing',
  twice: 'twice',
  other: 'different',
  unreadable: 'unreadable',
  decided: 'decided',
  proven: 'proven',
} as const satisfies Record<VerifiedVerdict, string>
export type VerificationWord = (typeof WORD_OF)[VerifiedVerdict]
export const VERIFICATION_WORDS = Object.values(WORD_OF)

export const verificationWord = (verdict: VerifiedVerdict): VerificationWord => WORD_OF[verdict]

/** In the order of their words. */
export const VERIFIED_VERDICTS = Object.keys(WORD_OF) as readonly VerifiedVerdict[]

/** The service shows it as it should be. */
export const isAsItShouldBe = (verdict: VerifiedVerdict): boolean =>
  verdict === 'proven' || verdict === 'decided'

/** Registered rows of which the latest answer that counts says so. Times are ISO 8601. */
export interface VerdictCount {
  readonly verdict: VerifiedVerdict
  readonly count: number
  readonly firstAt: string
  readonly lastAt: string
}

/** How many registered rows were proven at the service, and what is said of the others: they add up to `registered`. */
export type Verification = NonNullable<ReturnType<typeof verificationOf>>

/** Null where nobody asked about a registered row. */
export function verificationOf(registered: number, counts: readonly VerdictCount[]) {
  if (counts.length === 0) return null
  const words = { missing: 0, twice: 0, different: 0, unreadable: 0, decided: 0, proven: 0 }
  for (const { verdict, count } of counts) words[verificationWord(verdict)] += count
  const asked = counts.reduce((sum, { count }) => sum + count, 0)
  const proven = counts.find(({ verdict }) => verdict === 'proven')
  return {
    registered,
    ...words,
    notAsked: Math.max(0, registered - asked),
    /** When the first and the last of those answers came that proved one; null where none did. */
    firstAt: proven?.firstAt ?? null,
    lastAt: proven?.lastAt ?? null,
  }
}

/** Rows whose registration the service contradicts; what could not be read contradicts nothing. */
export const contradictedIn = ({ missing, twice, different }: Verification): number =>
  missing + twice + different

/** Rows that were asked about and are not proven. */
export const unprovenIn = (verification: Verification): number =>
  contradictedIn(verification) + verification.unreadable

/** What somebody still has to act on, in the order in which a person looks at it. */
export type OpenPoint = ReturnType<typeof openPointsOf>[number][0]

/** Mandates, and lines and totals that wait for a person; what is not open is left out. */
export function openPointsOf(
  mandates: MandateTotals,
  { ready }: Pick<Totals, 'ready'>,
  cutOver: OpenCutOver,
  verification: Verification | null,
) {
  const points = [
    ['contradicted', verification === null ? 0 : contradictedIn(verification)],
    ['unexpected', cutOver.unexpected],
    ['in_doubt', mandates.inDoubt],
    ['sending', mandates.sending],
    // Of a mandate one row at most is ready; one that is held may be counted as what another record made of it.
    ['ready', ready - cutOver.held],
    ['held', cutOver.held],
    ['cutOver', cutOver.open],
    ['untaken', cutOver.untaken],
    ['uncompared', cutOver.uncompared],
    ['asReadBefore', cutOver.asReadBefore],
    ['refused', mandates.refused],
    ['conflict', mandates.conflict],
    ['invalid', mandates.invalid],
  ] as const
  return points.filter(([, count]) => count > 0)
}

/** `read` comes from the reader's own count, not from the states, so that a lost row shows. */
export const totalsOf = (read: number, byState: ReadonlyMap<RowState, number>, resubmitted = 0): Totals => ({
  read,
  resubmitted,
  ...(Object.fromEntries(
    ROW_STATES.map((state) => [TOTAL_OF_STATE[state], byState.get(state) ?? 0]),
  ) as Record<(typeof TOTAL_OF_STATE)[RowState], number>),
})

export const isBalanced = (totals: Totals): boolean =>
  totals.read === ROW_STATES.reduce((sum, state) => sum + totals[TOTAL_OF_STATE[state]], 0)

/** Rows are invalid, in conflict or refused, a correction could not be taken, or something of the cut-over is open. */
export const SOME_LEFT = 3

/** The exit status of a campaign as it stands (cli/README.md#exit-status); the first that applies counts. */
export function exitStatusOf(
  totals: Totals,
  stop: { readonly kind: string } | null,
  signalStatus: number | null,
  { held, ...others }: OpenCutOver = NO_CUT_OVER,
  verification: Verification | null = null,
): number {
  const contradicted = verification === null ? 0 : contradictedIn(verification)
  if (!isBalanced(totals)) return 1
  if (stop?.kind === 'declined') return 2
  if (stop?.kind === 'signal' || signalStatus !== null) return signalStatus ?? 130
  if (stop?.kind === 'credentials') return 6
  if (totals.inDoubt + totals.sending + contradicted > 0) return 4
  if (totals.ready > held) return 5
  const left = [totals.invalid, totals.conflict, totals.refused, held, ...Object.values<number>(others)]
  return left.some((count) => count > 0) ? SOME_LEFT : 0
}

/**
 * The life of a row.
 *
 *   (admission) → invalid | duplicate | conflict | excluded        never sent
 *   (admission) → ready → sending → registered | refused | in_doubt | ready again
 *   in_doubt leaves only by a person: registered | refused | ready (resend) | written_off
 *   a person may also send a refused row again, or write off what is ready, refused, invalid, in conflict or excluded
 *   what was in doubt when a person wrote it off, and is shown by the service: written_off → registered
 *   what may not be sent unless somebody says so is held back for a person: ready → conflict
 *   what contradicts a mandate that was sent repeats it once a person has done something about it: conflict → duplicate
 *   a later file may replace what is ready, refused or was never sendable → superseded
 *
 * `in_doubt → ready` is the only edge that can deliver what the service may already hold.
 * The ledger's triggers repeat this table.
 */
export type RowState = keyof typeof TOTAL_OF_STATE
export const ROW_STATES = Object.keys(TOTAL_OF_STATE) as readonly RowState[]

const SUPERSEDED = { superseded: 'superseded' } as const
const WRITTEN_OFF = { resolved_written_off: 'written_off' } as const

const STATES_AFTER = {
  invalid: { ...WRITTEN_OFF, ...SUPERSEDED },
  duplicate: SUPERSEDED,
  conflict: { answered: 'duplicate', ...WRITTEN_OFF, ...SUPERSEDED },
  excluded: { ...WRITTEN_OFF, ...SUPERSEDED },
  superseded: {},
  ready: { intent: 'sending', held: 'conflict', ...WRITTEN_OFF, ...SUPERSEDED },
  sending: {
    registered: 'registered',
    refused: 'refused',
    turned_away: 'ready',
    not_sent: 'ready',
    in_doubt: 'in_doubt',
  },
  registered: {},
  refused: { retry_refused: 'ready', ...WRITTEN_OFF, ...SUPERSEDED },
  in_doubt: {
    resolved_registered: 'registered',
    resolved_refused: 'refused',
    resolved_resend: 'ready',
    resolved_written_off: 'written_off',
  },
  written_off: { shown: 'registered' },
} as const satisfies Record<RowState, Readonly<Record<string, RowState>>>

export type RowEvent = { [State in RowState]: keyof (typeof STATES_AFTER)[State] }[RowState]

/** Every edge there is. What is not here must not happen. */
export const EDGES: Readonly<Record<RowState, Readonly<Partial<Record<RowEvent, RowState>>>>> = STATES_AFTER

/** @throws {Error} for an edge that does not exist: a bug, never an operator's mistake. */
export function transition(state: RowState, event: RowEvent): RowState {
  const next = EDGES[state][event]
  if (next === undefined) throw new Error(`No edge leaves the state "${state}" by "${event}"`)
  return next
}

/** What people read of a state on the screen; what it means on a page that is signed stands in `report/text/`. */
export const STATE_MEANS: Readonly<Record<RowState, string>> = {
  invalid: 'a value is wrong; not sent',
  duplicate: 'another record of the mandate counts; not sent again',
  conflict: 'held until a person decides; not sent',
  excluded: 'must not be migrated; not sent',
  superseded: 'replaced by a correction, a decision or a later export',
  ready: 'waiting to be sent',
  sending: 'under way',
  registered: 'the service confirmed it',
  refused: 'the service said no',
  in_doubt: 'may be registered; needs your decision',
  written_off: 'closed by a person',
}

/** `in doubt`, `written off`. */
export const stateName = (state: RowState): string => state.replace('_', ' ')

/**
 * An older row stands in one of three relations to a newcomer:
 *
 *   protected    it was sent and may live at the service, or a person closed it: nothing replaces it
 *   replaceable  it was not sent, was refused, or never could be sent: a newer file counts
 *   superseded   it was replaced before: it says nothing any more
 */
const PROTECTED = ['sending', 'registered', 'in_doubt', 'written_off'] as const satisfies readonly RowState[]
const UNSENT = ['ready', 'refused'] as const satisfies readonly RowState[]
const HELD_BACK = ['invalid', 'excluded', 'conflict', 'duplicate'] as const satisfies readonly RowState[]

/**
 * States of rows that were or may be sent, or that a person closed. The ledger never holds two rows of one mandate in
 * them, save for rows that were closed without ever being sent.
 */
export const LIVE_STATES = [...UNSENT, ...PROTECTED] as const
export const REPLACEABLE_STATES = [...UNSENT, ...HELD_BACK] as const

const isProtected = (state: RowState): boolean => PROTECTED.some((name) => name === state)

/** A newcomer that says which older row it corrects (`migration_row`). */
export interface CorrectionFacts {
  /** The older row, or the one that replaced it since; null where this ledger has none of that number. */
  readonly named: {
    readonly state: RowState
    readonly isSameMandate: boolean
    /** The row it named first holds the same customer, account or reference. */
    readonly isRelated: boolean
    /** It is what the row was, and nobody wrote beside it that it shall be sent. */
    readonly isUnchanged: boolean
    /** It is held back beside other rows of its mandate. */
    readonly hasRivals: boolean
    /** What took its place was sent since: the list is older than what the service said of that. */
    readonly isOutdated: boolean
  } | null
  /** Another row of the same source corrects the same row into another mandate. */
  readonly isContested: boolean
}

export type CorrectionPlan = ReturnType<typeof decideCorrection>

export function decideCorrection({ named, isContested }: CorrectionFacts) {
  const conflict = <Why extends string>(because: Why) => ({ kind: 'conflict', because }) as const
  if (named === null) return conflict('unknown')
  // With its rivals it counts again once another row of its conflict changed.
  if (named.isUnchanged) return { kind: named.hasRivals ? 'with_its_rivals' : 'unchanged' } as const
  if (!named.isRelated) return conflict('unrelated')
  if (isContested) return conflict('contested')
  if (named.isOutdated && !isProtected(named.state)) return conflict('outdated')
  if (named.isSameMandate) return { kind: 'by_mandate' } as const // by the rules for rows of one mandate
  return isProtected(named.state) ? conflict('protected') : ({ kind: 'supersede' } as const)
}

/** What the former provider counts of an export. */
export interface Expected {
  /** The name of the export; null for the one that counts as newest. */
  readonly source: string | null
  readonly records: number
  /** Sum of the customer numbers, in decimal; null where none was given. */
  readonly customerNoSum: string | null
}

/** The same beside what was read. */
export interface ComparedTotals extends Expected {
  /** The names of the exports that it is about. */
  readonly names: string
  readonly read: Readonly<Record<'records', number> & Record<'customerNoSum', string>>
}

export const isAsExpected = ({ records, customerNoSum, read }: ComparedTotals): boolean =>
  records === read.records && (customerNoSum ?? read.customerNoSum) === read.customerNoSum
