import type { Mandate } from '../domain/mandate/mandate.js'
import type { SourcesSeen } from '../service/read-back/classify-sources.js'
import { answerOf, isAnswered } from './answers.js'
import type { Asker } from './asker.js'
import type { MadeUpMandates } from './made-up-mandates.js'
import type { Burst, Held, Observations, Pair, Posted, Purpose, Shown } from './observations.js'
import { listedIn, ownSources } from './own-sources.js'

export interface ObserveParts {
  readonly asker: Asker
  readonly mandates: MadeUpMandates
  /** Existing test customers, one at least. */
  readonly customers: readonly number[]
  /** A customer that the service does not have. */
  readonly unknownCustomer: number
  /** How long a mandate is looked for that does not show. */
  readonly waitMs: number
  /** Reads of the burst under way at most. */
  readonly atOnce: number
  readonly monotonic: () => number
  readonly watch: (event: ProbeEvent) => void
}

/** What goes on, as it happens. */
export type ProbeEvent =
  | { readonly kind: 'reading'; readonly customerNo: number }
  | { readonly kind: 'posting'; readonly purpose: Purpose; readonly mandate: Mandate }
  | { readonly kind: 'posted'; readonly posted: Posted }
  | { readonly kind: 'waiting'; readonly delayMs: number }
  | { readonly kind: 'burst'; readonly reads: number }

/** A lost answer is no answer: the question is asked again with another mandate, so often in all. */
export const TRIES = 3
const FIRST_LOOK_MS = 500
const LONGEST_LOOK_MS = 16_000
const SHORTEST_SETTLING_MS = 1_000
/** A second mandate shows as late as the first did, or a little later. */
const SETTLING = 1.5
export const BURST_READS = 50
const TOO_MANY = 429
/** No such operation, or no mandate yet: only time tells. */
const NOT_FOUND = 404

/** A probe that is under way. The functions below change it; nobody else sees it. */
interface Observing {
  readonly parts: ObserveParts
  readonly posted: Posted[]
  readonly before: Map<number, SourcesSeen | null>
  /** What is left of `waitMs` for the next mandate: once one has not shown in time, the next ones are looked for once. */
  patienceMs: number
}

/** Asks everything, in one order, each mandate for one customer after the other. Never rejects. */
export async function observe(parts: ObserveParts): Promise<Observations> {
  const { customers, unknownCustomer, asker } = parts
  const observing: Observing = { parts, posted: [], before: new Map(), patienceMs: parts.waitMs }
  for (const customerNo of [...customers, unknownCustomer])
    observing.before.set(customerNo, await look(observing, customerNo))
  const asked = await askForMandates(observing)
  const burst = await askOften(observing, customers[0] ?? unknownCustomer)
  return {
    ...asked,
    before: observing.before,
    unknownCustomerNo: unknownCustomer,
    burst,
    throttledPosts: asker.throttledPosts(),
    posted: observing.posted,
    after: await lookAtAll(observing, asked.pairs),
    ended: asker.ended(),
  }
}

/** At the end, once the last mandates have had as long to show as those before them. */
async function lookAtAll(observing: Observing, pairs: readonly Pair[]): Promise<Observations['after']> {
  const delays = pairs.flatMap(({ shown }) =>
    shown.kind === 'shown' && shown.notYetMs !== null ? [SETTLING * shown.shownMs] : [],
  )
  const delayMs = Math.max(0, ...delays)
  if (delayMs > 0) await wait(observing, delayMs)
  const after = new Map<number, SourcesSeen | null>()
  for (const customerNo of new Set(observing.posted.map(({ mandate }) => mandate.customerNo)))
    after.set(customerNo, await look(observing, customerNo))
  return after
}

function wait({ parts: { asker, watch } }: Observing, delayMs: number): Promise<void> {
  if (asker.ended() === null) watch({ kind: 'waiting', delayMs })
  return asker.pause(delayMs)
}

type Asked = Pick<Observations, 'pairs' | 'secondMandate' | 'unknownCustomer' | 'wrongAccount' | 'controls'>

/**
 * A wrong account goes to a customer who has no made-up mandate yet, where there is one: behind a good mandate nobody
 * could tell whether the account is refused or any second mandate.
 */
async function askForMandates(observing: Observing): Promise<Asked> {
  const { customers, unknownCustomer } = observing.parts
  const [one = unknownCustomer] = customers
  const last = customers.at(-1) ?? one
  const isSpare = last !== one
  const wrongAtSpare = isSpare ? await askOne(observing, 'wrong_account', last) : null
  const pairs: Pair[] = []
  for (const customerNo of customers) pairs.push(...(await askPairs(observing, customerNo)))
  const holder = pairs.find(({ first }) => first.outcome.kind === 'registered')?.customerNo ?? null
  const secondMandate = holder === null ? null : await askOne(observing, 'second_mandate', holder)
  const wrongAccount = isSpare ? wrongAtSpare : await askOne(observing, 'wrong_account', one)
  const isUnknown = listedIn(observing.before.get(unknownCustomer)).length === 0
  return {
    pairs,
    secondMandate,
    wrongAccount,
    controls: isSpare
      ? pairs.filter(({ customerNo }) => customerNo === last).map(({ first }) => first)
      : secondMandate === null
        ? []
        : [secondMandate],
    unknownCustomer: isUnknown ? await askOne(observing, 'unknown_customer', unknownCustomer) : null,
  }
}

function look({ parts: { asker, watch } }: Observing, customerNo: number): Promise<SourcesSeen | null> {
  if (asker.ended() === null) watch({ kind: 'reading', customerNo })
  return asker.list(customerNo)
}

/** @returns null where nothing further is asked */
async function send(observing: Observing, purpose: Purpose, mandate: Mandate): Promise<Posted | null> {
  const { asker, watch } = observing.parts
  if (asker.ended() !== null) return null
  watch({ kind: 'posting', purpose, mandate })
  const outcome = await asker.post(mandate)
  if (outcome === null) return null
  const posted = { purpose, mandate, outcome }
  observing.posted.push(posted)
  watch({ kind: 'posted', posted })
  return posted
}

const hasAnswer = ({ outcome }: Posted): boolean => isAnswered(answerOf(outcome))

/** @returns the request that was answered, or the last one; null where none was made */
async function askOne(
  observing: Observing,
  purpose: 'second_mandate' | 'unknown_customer' | 'wrong_account',
  customerNo: number,
): Promise<Posted | null> {
  const { mandates } = observing.parts
  let last: Posted | null = null
  for (let n = 1; n <= TRIES; n += 1) {
    const mandate = purpose === 'wrong_account' ? mandates.nextWrong(customerNo) : mandates.next(customerNo)
    const posted = await send(observing, purpose, mandate)
    last = posted ?? last
    if (posted === null || hasAnswer(posted)) break
  }
  return last
}

/** All that were tried; the last one is answered twice, or none is. */
async function askPairs(observing: Observing, customerNo: number): Promise<Pair[]> {
  const pairs: Pair[] = []
  for (let n = 1; n <= TRIES; n += 1) {
    const first = await send(observing, 'first', observing.parts.mandates.next(customerNo))
    if (first === null) break
    const pair = await askTwice(observing, customerNo, first)
    pairs.push(pair)
    if (pair.duplicate === null ? hasAnswer(first) : hasAnswer(pair.duplicate)) break
  }
  return pairs
}

async function askTwice(observing: Observing, customerNo: number, first: Posted): Promise<Pair> {
  const pair = { customerNo, first, shown: { kind: 'not_asked' }, duplicate: null, held: NOT_KNOWN } as const
  const { outcome, mandate } = first
  if (outcome.kind !== 'registered') return pair
  const reference = outcome.value.mandateReference
  const shown = await waitUntilShown(observing, mandate, reference)
  const duplicate = await send(observing, 'duplicate', mandate)
  if (duplicate === null || !hasAnswer(duplicate) || shown.kind !== 'shown')
    return { ...pair, shown, duplicate }
  const again = duplicate.outcome.kind === 'registered' ? duplicate.outcome.value.mandateReference : reference
  const references = [...new Set([reference, again])]
  return { ...pair, shown, duplicate, held: await countHeld(observing, mandate, references, shown) }
}

const NOT_KNOWN: Held = { kind: 'not_known' }

const ownIn = (
  { before }: Observing,
  seen: SourcesSeen & { kind: 'listed' },
  mandate: Mandate,
  references: readonly string[],
) => ownSources(seen.sources, listedIn(before.get(mandate.customerNo)), mandate, references)

async function waitUntilShown(observing: Observing, mandate: Mandate, reference: string): Promise<Shown> {
  const { asker, monotonic } = observing.parts
  const begunMs = monotonic()
  let notYetMs: number | null = null
  for (let delayMs = FIRST_LOOK_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_LOOK_MS)) {
    const seen = await asker.list(mandate.customerNo)
    if (seen === null) return { kind: 'not_asked' }
    const waitedMs = Math.round(monotonic() - begunMs)
    if (seen.kind === 'listed') {
      const [source] = ownIn(observing, seen, mandate, [reference]).own
      const askedMs = waitedMs - seen.durationMs
      if (source !== undefined)
        return { kind: 'shown', source, sources: seen.sources, notYetMs, askedMs, shownMs: waitedMs }
    } else if (seen.status !== NOT_FOUND) return { kind: 'not_read', seen }
    notYetMs = waitedMs
    const leftMs = observing.patienceMs - waitedMs
    if (leftMs <= 0) {
      observing.patienceMs = 0
      return seen.kind === 'listed' ? { kind: 'not_within', waitedMs } : { kind: 'not_read', seen }
    }
    await wait(observing, Math.min(delayMs, leftMs))
  }
}

/**
 * How many there are once a second one had time to show; where the service says that it made one, it is waited for as
 * long as for any other.
 */
async function countHeld(
  observing: Observing,
  mandate: Mandate,
  references: readonly string[],
  shown: Shown & { kind: 'shown' },
): Promise<Held> {
  const { asker, monotonic } = observing.parts
  const begunMs = monotonic()
  const settlingMs = Math.max(SHORTEST_SETTLING_MS, SETTLING * shown.shownMs)
  for (let delayMs = settlingMs; ; delayMs = Math.min(2 * delayMs, LONGEST_LOOK_MS)) {
    await wait(observing, delayMs)
    const seen = await asker.list(mandate.customerNo)
    if (seen?.kind !== 'listed') return NOT_KNOWN
    const { own, isUnclear } = ownIn(observing, seen, mandate, references)
    if (isUnclear) return NOT_KNOWN
    const afterMs = Math.round(monotonic() - begunMs)
    if (own.length >= references.length || afterMs >= observing.patienceMs)
      return { kind: 'counted', count: own.length, afterMs }
  }
}

/** A short and bounded burst of reads: it ends at the first that is too many. */
async function askOften(observing: Observing, customerNo: number): Promise<Burst | null> {
  const { asker, atOnce, monotonic, watch } = observing.parts
  const seen = await look(observing, customerNo)
  if (seen?.kind !== 'listed') return null
  watch({ kind: 'burst', reads: BURST_READS })
  const begunMs = monotonic()
  const met = {
    asked: 0,
    listed: 0,
    headers: seen.limits,
    throttledAt: NONE,
    retryAfterMs: NONE,
    isOver: false,
  }
  const ask = async (): Promise<void> => {
    while (met.asked < BURST_READS && met.throttledAt === null && !met.isOver) {
      const at = (met.asked += 1)
      const answer = await asker.listOnce(customerNo)
      if (answer === null) met.isOver = true
      else if (answer.kind === 'listed') met.listed += 1
      else if (answer.status === TOO_MANY) {
        met.throttledAt ??= at
        met.retryAfterMs ??= answer.retryAfterMs
      }
      met.headers = { ...met.headers, ...answer?.limits }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  const { isOver: _isOver, ...burst } = met
  return { ...burst, durationMs: Math.round(monotonic() - begunMs) }
}

const NONE = null as number | null
