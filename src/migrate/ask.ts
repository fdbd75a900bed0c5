import { randomUUID } from 'node:crypto'
import { timeOf } from '../domain/mandate/date.js'
import {
  evidenceOf,
  type ReadBackEvidence,
  beforeSending,
  heldBackBecause,
  matchSources,
} from '../domain/proof/match-sources.js'
import { NOTHING_LEFT, type Halt, type Outcome } from '../domain/row/row-state.js'
import { requireDriver } from '../driver.js'
import { UsageError, HaltError, refuse } from '../errors.js'
import { openLedger } from '../ledger/file/open-ledger.js'
import type { Attempt, HeardAnswer, HeldRow, HeldRows, Resolution } from '../ledger/ledger.js'
import type { Ledger, ReadBacks } from '../ledger/file/writer.js'
import type { Scope } from '../ledger/schema/schema.js'
import { thisMachine, type Machine } from '../machine.js'
import {
  askCustomers,
  type AskEvent,
  createAnswerBatch,
  type CustomerAnswer,
  keptOf,
  mustStopAsking,
  noteHeard,
  startAskBrake,
} from '../run/ask/ask-customers.js'
import type { Send } from '../run/deliver.js'
import type { PaceLimits } from '../run/pace.js'
import { checkService, type Credentials } from '../service/checked-service.js'
import type { NotRead, SourcesSeen } from '../service/classify.js'
import { connectReader, type SourceReader } from '../service/client.js'
import { type Stop, INTERRUPTED } from '../run/brake.js'
import { refuseStreams } from './options.js'
import type { AskedFirst, AskingEvent, MigrateOptions, ValidatedOptions } from './options.js'
import { isStranger, maskName, whoIs } from '../domain/who/names.js'
import type { SeverityOverrides } from '../domain/rule/verdict.js'
import type { WhoList, WhoVerbs } from '../ledger/prove/asked.js'
import type { RunRegister } from '../register/campaign-register.js'
import { bringIn } from '../run/campaign.js'

export interface ReadBackOptions extends Pick<
  MigrateOptions,
  'service' | 'ledger' | 'sharedFolder' | 'machine'
> {
  /** Whose customers are asked about. */
  readonly scope: Scope
  /** Rows drawn at random; null for all. */
  readonly sample: number | null
  /** Once aborted, nothing further is asked. */
  readonly signal: AbortSignal
  /** Once aborted too, what is under way is given up. */
  readonly giveUp: AbortSignal
  readonly watch: (event: ReadBackEvent) => void
}

export type ReadBackEvent =
  AskEvent | { readonly kind: 'asking'; readonly customers: number; readonly isContinued: boolean }

export type ReadBackEnd = Awaited<ReturnType<typeof askAbout>>

/**
 * Asks the service what it holds of the customers of these rows, and records every answer as evidence. What was to be sent,
 * and is there, becomes in doubt; no other state changes, and no row is sent because of it. One that was broken off within the last day is gone on with.
 * @throws {UsageError} for an address or credentials that cannot be used, and for a ledger of which nothing was sent yet or is in doubt
 * @throws {LedgerError} `locked` by a run, `other_campaign`, `unwritable` once it was purged, …
 */
export async function readBack(options: ReadBackOptions): Promise<ReadBackEnd> {
  requireDriver()
  const { machine = thisMachine() } = options
  const service = checkService(options.service, machine.env)
  const reader = connectReader(service, options.service, machine)
  try {
    const { clock, pid, user } = machine
    const { ledger: file, sharedFolder = false } = options
    const ledger = openLedger({ file, clock, pid, user, create: false, sharedFolder })
    try {
      // What another ledger began is in doubt here before anything was sent.
      if (ledger.view.campaign().baseUrl === null && ledger.totals().inDoubt === 0)
        throw new UsageError(
          `Nothing of the ledger "${options.ledger}" was sent anywhere yet, so there is nothing to ask about`,
          'Send first (sepa-migrate run FILE)',
        )
      const { rate = null, username } = options.service
      ledger.bind({ baseUrl: service.baseUrl.href, username })
      const policy = { concurrency: service.concurrency, rate }
      return await askAbout({ ...options, ledger, reader, machine, policy })
    } finally {
      ledger.close()
    }
  } finally {
    await reader.close()
  }
}

/** A read-back of an open ledger. */
export async function askAbout(
  asking: Pick<ReadBackOptions, 'scope' | 'sample' | 'signal' | 'giveUp' | 'watch'> & {
    readonly ledger: Pick<Ledger, 'readBacks' | 'totals'>
    readonly reader: Pick<SourceReader, 'listPaymentSources'>
    readonly machine: Pick<Machine, 'version' | 'host' | 'pid' | 'clock' | 'after' | 'random'>
    readonly policy: PaceLimits
  },
) {
  const { ledger, reader, machine, policy, scope, sample, signal, giveUp, watch } = asking
  const { version, host, pid } = machine
  const start = ledger.readBacks.start({ scope, sample, version, host, pid, settings: { ...policy } })
  const { inDoubt: before } = ledger.totals()
  watch({ kind: 'asking', ...start })
  /** Customers whose answer was recorded, and those of them about whom no list came. */
  let [asked, unanswered] = [0, 0]
  const stop = await askCustomers({
    ...{ ...machine, policy, drain: signal, abort: giveUp, watch },
    nextCustomers: ledger.readBacks.next,
    ask: (customerNo, requestId, signal) => reader.listPaymentSources(customerNo, { requestId, signal }),
    record: (answers) => {
      ledger.readBacks.record(
        start.id,
        answers.map((answer) => heard(answer, ledger.readBacks.rowsOf)),
      )
      asked += answers.length
      unanswered += answers.filter(({ seen }) => seen.kind === 'not_read').length
    },
  })
  ledger.readBacks.end(start.id, stop?.kind ?? null)
  const totals = ledger.totals()
  return { ...start, asked, unanswered, doubted: totals.inDoubt - before, stop, totals }
}

/** Rows of one customer are matched together, those that nobody asked about too. */
function heard(
  { seen, ...answer }: CustomerAnswer,
  rowsOf: (customerNo: number) => readonly HeldRow[],
): HeardAnswer {
  const rows = rowsOf(answer.customerNo)
  const verdicts = matchSources(rows, seen)
  return {
    ...answer,
    ...keptOf(seen),
    proofs: rows.flatMap(({ rowId, attempts }, at) => {
      const verdict = verdicts[at]
      return verdict === undefined ? [] : [{ rowId, attempts, evidence: evidenceOf(verdict) }]
    }),
  }
}

/** The asking was broken off: what was heard is kept, and the same command goes on with the others. */
class AskingStopped extends HaltError {
  readonly kind: string
  readonly exitCode: number

  constructor({ kind, why, next }: Stop) {
    super(`Who the customers are was not asked to the end: ${why}; nothing was sent`, next)
    this.kind = kind
    this.exitCode = kind === 'credentials' ? 6 : kind === 'signal' ? 130 : 5
  }
}

interface Asking extends Pick<ValidatedOptions, 'service' | 'machine' | 'drain' | 'abort'> {
  readonly who: WhoVerbs
  readonly credentials: Credentials
  readonly policy: PaceLimits
  readonly watch: (event: AskingEvent) => void
}

const EXAMPLES = 3

/**
 * @returns the first of those who are other people there, masked: no name is kept
 * @throws {HaltError} where it was broken off; what was heard is kept
 */
export async function askListed(asking: Asking, list: WhoList): Promise<readonly string[]> {
  const { who, service, credentials, machine, policy, drain, abort, watch } = asking
  const [customers, examples] = [[...list.keys()], [] as string[]]
  let [at, asked] = [0, 0]
  const judged = ({ customerNo, answeredAt, seen }: CustomerAnswer) =>
    (list.get(customerNo) ?? []).map((claim) => {
      const customer = seen.kind === 'listed' ? seen.customer : undefined
      const verdict = customer === undefined ? 'unreadable' : whoIs(claim, customer)
      if (isStranger(verdict) && examples.length < EXAMPLES)
        examples.push(
          `${customerNo}: the service ${customer == null ? 'knows nobody' : `says ${maskName(customer.names.find(Boolean) ?? '')}`}, the export ${maskName(claim.name) || 'no name'}`,
        )
      return { customerNo, key: claim.key, verdict, answeredAt }
    })
  const reader = connectReader(service, credentials, machine)
  try {
    const stop = await askCustomers({
      // A pilot of a few rows must not hide that the others are strangers.
      ...{ ...machine, policy: { ...policy, limit: null }, drain, abort, watch: () => undefined },
      nextCustomers: (limit) => customers.slice(at, (at += limit)),
      ask: (customerNo, requestId, signal) => reader.getCustomer(customerNo, { requestId, signal }),
      record: (answers) => {
        who.record(answers.flatMap(judged))
        asked += answers.length
        watch({ kind: 'asking_who', customers: customers.length, asked })
      },
    })
    if (stop !== null) throw new AskingStopped(stop)
    return examples
  } finally {
    await reader.close()
  }
}

/**
 * Asks who the customers are, where that is or was asked for: of all that may be sent, as a plan looks ahead at it, however
 * few rows a run takes. No file is admitted by it; the verdicts are kept, so that what was broken off goes on.
 * @returns what holds ready rows by what the service and other ledgers say of them; it throws as `holdStrangers` does
 * @throws {HaltError} where it was broken off
 */
export async function askAhead(
  request: ValidatedOptions,
  { ledger, register }: { readonly ledger: Ledger; readonly register: Pick<RunRegister, 'hold'> },
  decisions: readonly Resolution[],
): Promise<() => HeldRows> {
  const { service, drain, severities } = request
  const { who, view } = ledger
  const holdOthers = (): HeldRows => register.hold(severities)
  let examples: readonly string[] = []
  // Of a ledger that was purged nothing is left to ask about.
  if (request.who ?? (view.who() !== null && view.campaign().purgedAt === null)) {
    refuseStreams(request.inputs, 'ask who the customers are of')
    let list: WhoList = new Map()
    try {
      await bringIn({ ...request, spread: false, ledger, decisions, hold: holdOthers }, ({ choice }) => {
        list = who.list(service.baseUrl.href, choice)
        return false
      })
    } catch (error) {
      throw drain.aborted ? new AskingStopped(INTERRUPTED) : error
    }
    examples = await askListed({ ...request, who }, list)
  }
  return () => {
    holdStrangers(who, service.baseUrl.href, severities, examples)
    return holdOthers()
  }
}

/**
 * Holds what differs. A file of which too much does is refused: that is no moving or marrying.
 * @throws {SourceError} FILE_CUSTOMERS_DIFFER
 */
export function holdStrangers(
  who: Pick<WhoVerbs, 'hold'>,
  baseUrl: string,
  severities: SeverityOverrides,
  examples: readonly string[],
): void {
  const strangers = who.hold(baseUrl, severities)
  if (strangers === null) return
  const { source, rows, compared } = strangers
  const told = examples.length === 0 ? '' : ` (${examples.join('; ')})`
  throw refuse(
    source,
    'FILE_CUSTOMERS_DIFFER',
    `the service has other customers, or none, for ${rows} of ${compared} rows${told}. Usually a crosswalk is shifted by a line, or customer_no is mapped to a wrong column`,
  )
}

/**
 * Asks about each row between its intent and its request, and sends what the service does not show. It is a net and no
 * promise: what was registered a moment ago may not show yet. Every row is asked about by itself, since another row of
 * its customer may have been sent meanwhile; rows of one customer wait for each other, so that what this run has just
 * registered is told from what was there before.
 */
export function checkBeforeSend(
  { service, credentials, machine, policy, drain }: ValidatedOptions,
  readBacks: ReadBacks,
  send: Send,
) {
  const { version, host, pid, clock, after } = machine
  /** Its connections are its own. */
  const reader = connectReader(service, credentials, machine)
  const settings = { concurrency: policy.concurrency, rate: policy.rate }
  /** For each customer with a row under way, the end of the latest: its rows go one behind the other. */
  const turns = new Map<number, Promise<unknown>>()
  /** Rows that were not sent, since no answer about them could be read. */
  const unreadRows = new Set<number>()
  /** Begun with the first question: nothing is asked where nothing is ready. */
  let readBackId: number | null = null
  let brake = startAskBrake()
  /** Questions that were answered or may have been. */
  let asked = 0
  /** Rows that the service already holds: in doubt, and nothing of them was sent. */
  let heldBack = 0
  let failure: { readonly error: unknown } | null = null
  const batch = createAnswerBatch<HeardAnswer>(
    (answers) => {
      if (readBackId !== null) readBacks.record(readBackId, answers)
    },
    after,
    (error) => (failure = { error }),
  )

  function assertKept(): void {
    if (failure !== null) throw failure.error
  }

  /**
   * Null where the row may leave.
   * @throws {LedgerError} when an answer could not be kept: the run ends, and nothing of the row was sent
   */
  async function look(
    customerNo: number,
    { rowId, n }: Attempt,
    signal: AbortSignal,
  ): Promise<Outcome | null> {
    assertKept()
    readBackId ??= readBacks.startBeforeSending({ version, host, pid, settings })
    const requestId = randomUUID()
    const askedAt = timeOf(clock)
    const seen = await reader.listPaymentSources(customerNo, { requestId, signal })
    // Broken off by us: it says nothing of the service.
    if (signal.aborted && seen.kind === 'not_read') return outcomeOfInterruption(seen.durationMs)
    if (seen.kind === 'not_read' && !seen.started) return outcomeOfUnanswered(seen, null)
    asked += 1
    const answer = { customerNo, requestId, askedAt, answeredAt: timeOf(clock), tries: 1, seen }
    const { proofs, ...kept } = heard(answer, readBacks.rowsOf)
    const evidence = proofs.find((proof) => proof.rowId === rowId)?.evidence ?? NOT_KNOWN
    const then = beforeSending(evidence)
    // A verdict is kept only where nothing was sent: what was read before a request says nothing of what came of it.
    batch.add({ ...kept, proofs: then === 'hold_back' ? [{ rowId, attempts: n, evidence }] : [] })
    if (then === 'ask_again') {
      const unread = unreadOf(seen, evidence)
      unreadRows.add(rowId)
      brake = noteHeard(brake, unread)
      const stop = mustStopAsking(brake, unread, 0)?.kind ?? null
      return outcomeOfUnanswered(unread, stop === 'no_read_back' || stop === 'unanswered' ? stop : null)
    }
    unreadRows.delete(rowId)
    brake = noteHeard(brake, seen)
    if (then === 'hold_back') {
      heldBack += 1
      batch.flush() // evidence first, then the doubt that rests on it
      assertKept()
      return outcomeOfHeldBack(evidence, seen.durationMs)
    }
    return drain.aborted || signal.aborted ? outcomeOfInterruption(seen.durationMs) : null
  }

  /** What was heard is on disk then. @throws {LedgerError} when it cannot be kept */
  function end(): AskedFirst {
    batch.flush()
    assertKept()
    if (readBackId !== null) readBacks.end(readBackId, null)
    readBackId = null
    return { asked, heldBack, unread: unreadRows.size }
  }

  return {
    /** Sends the row, once the service was shown to hold nothing like it. Once `drain` is aborted, none is sent any more. */
    send: ((mandate, attempt, signal) =>
      inTurn(turns, mandate.customerNo, async () => {
        return (await look(mandate.customerNo, attempt, signal)) ?? send(mandate, attempt, signal)
      })) satisfies Send,
    end,
    /** Keeps what was heard where the run ended with an error, which counts before one of this; closes the connections. */
    close: async (): Promise<void> => {
      try {
        end()
      } catch {
        // It is the same ledger, and the first error is the one that counts.
      }
      await reader.close()
    },
  }
}

async function inTurn<Value>(
  turns: Map<number, Promise<unknown>>,
  customerNo: number,
  body: () => Promise<Value>,
): Promise<Value> {
  const before = turns.get(customerNo)
  const mine = before === undefined ? body() : before.then(body, body)
  turns.set(customerNo, mine)
  try {
    return await mine
  } finally {
    if (turns.get(customerNo) === mine) turns.delete(customerNo)
  }
}

const NOT_KNOWN = { verdict: 'unreadable', why: 'this row is not known to the ledger', sources: [] } as const

/** What says nothing of a row, as if no list had come. */
function unreadOf(seen: SourcesSeen, { why }: Pick<ReadBackEvidence, 'why'>): NotRead {
  if (seen.kind === 'not_read') return seen
  const reason = `The list of payment sources cannot be held against this mandate: ${why ?? ''}`
  const { status, durationMs } = seen
  const unread = { kind: 'not_read', started: true, cause: 'unreadable', canRepeat: true } as const
  return { ...unread, reason, retryAfterMs: null, halt: null, status, errorCode: null, durationMs }
}

/**
 * What a look at the service before sending makes of the row (run/README.md#asked-first). Nothing of the row has left in
 * any of them, so that only what the service already holds may be in doubt.
 */
export const outcomeOfHeldBack = (proof: ReadBackEvidence, durationMs: number): Outcome => ({
  kind: 'in_doubt',
  hint: 'may_exist',
  reason: heldBackBecause(proof),
  halt: null,
  evidence: { ...NOTHING_LEFT, durationMs },
})

/**
 * A question without an answer that says something of the row. Like the same answer to the row itself, but that one is
 * never in doubt for it: what did not reach the service was _not sent_, what it answered otherwise is _turned away_.
 * @param halt why the run must stop, where the question alone does not say so
 */
export function outcomeOfUnanswered(seen: NotRead, halt: Halt | null): Outcome {
  const { started, reason, status, errorCode, durationMs, retryAfterMs } = seen
  return {
    kind: started ? 'turned_away' : 'not_sent',
    reason: `Asked first what the service holds; the row was not sent. ${reason}`,
    halt: seen.halt ?? halt,
    evidence: { ...NOTHING_LEFT, status, errorCode, durationMs, retryAfterMs },
  }
}

/** The run ends: whatever the service said, nothing further is sent. */
export const outcomeOfInterruption = (durationMs: number): Outcome => ({
  kind: 'not_sent',
  reason: 'The run was interrupted while the service was asked; the row was not sent',
  halt: null,
  evidence: { ...NOTHING_LEFT, durationMs },
})
