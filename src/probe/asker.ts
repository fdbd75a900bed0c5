import type { Mandate } from '../domain/mandate/mandate.js'
import type { Halt, Outcome } from '../domain/row/outcome.js'
import type { Machine } from '../machine.js'
import type { ServiceClient } from '../service/client.js'
import type { NotRead, SourcesSeen } from '../service/read-back/classify-sources.js'
import type { SourceReader } from '../service/read-back/source-reader.js'

/**
 * Why nothing further is asked. `signal`: a person stopped it; `no_connection`: the service could not be
 * reached, however often it was tried.
 */
export type Ended = Halt | 'signal' | 'no_connection'

export interface AskerParts extends Pick<Machine, 'clock' | 'after'> {
  readonly client: Pick<ServiceClient, 'migrateMandate'>
  readonly reader: Pick<SourceReader, 'listPaymentSources'>
  /** Begins nothing further once it is aborted. */
  readonly signal: AbortSignal
  /** Gives up what is under way too. */
  readonly giveUp: AbortSignal
  readonly newRequestId: () => string
}

/** Asks the service one thing after the other. Nothing rejects; null is what was not asked any more. */
export interface Asker {
  /** Sent again only where the service turned it away or no byte left: it was not processed then. */
  readonly post: (mandate: Mandate) => Promise<Outcome | null>
  /** A read may be repeated, and is while that may help. */
  readonly list: (customerNo: number) => Promise<SourcesSeen | null>
  /** The same without a repeat. */
  readonly listOnce: (customerNo: number) => Promise<SourcesSeen | null>
  /** Ends early at a signal. */
  readonly pause: (ms: number) => Promise<void>
  readonly ended: () => Ended | null
  /** Requests for a mandate that were answered "too many". */
  readonly throttledPosts: () => number
}

const TIMES = 5
const FIRST_WAIT_MS = 1_000
/** Whoever asks for more is not waited for. */
const LONGEST_WAIT_MS = 60_000
const TOO_MANY = 429
/** On a read it may mean that this user may not read back, and says nothing of the credentials. */
const FORBIDDEN = 403

/** Asking that is under way. The functions below change it; nobody else sees it. */
interface Asking {
  readonly parts: AskerParts
  ended: Ended | null
  throttledPosts: number
}

export function startAsking(parts: AskerParts): Asker {
  const asking: Asking = { parts, ended: null, throttledPosts: 0 }
  return {
    post: (mandate) => post(asking, mandate),
    list: (customerNo) => list(asking, customerNo),
    listOnce: (customerNo) => listOnce(asking, customerNo),
    pause: (ms) => pause(parts, ms),
    ended: () => whyEnded(asking),
    throttledPosts: () => asking.throttledPosts,
  }
}

const whyEnded = ({ parts, ended }: Asking): Ended | null => ended ?? (parts.signal.aborted ? 'signal' : null)

async function post(asking: Asking, mandate: Mandate): Promise<Outcome | null> {
  const { parts } = asking
  if (whyEnded(asking) !== null) return null
  for (let n = 1; ; n += 1) {
    const options = { requestId: parts.newRequestId(), signal: parts.giveUp }
    const outcome = await parts.client.migrateMandate(mandate, options)
    const { status, retryAfterMs } = outcome.evidence
    if (status === TOO_MANY) asking.throttledPosts += 1
    asking.ended ??= outcome.halt
    if (outcome.kind !== 'turned_away' && outcome.kind !== 'not_sent') return outcome
    if (await mayRepeat(asking, n, retryAfterMs)) continue
    if (outcome.kind === 'not_sent' && !parts.signal.aborted) asking.ended ??= 'no_connection'
    return outcome
  }
}

async function list(asking: Asking, customerNo: number): Promise<SourcesSeen | null> {
  for (let n = 1; ; n += 1) {
    const seen = await listOnce(asking, customerNo)
    if (seen === null || seen.kind === 'listed' || !seen.canRepeat) return seen
    if (!(await mayRepeat(asking, n, seen.retryAfterMs))) return seen
  }
}

async function listOnce(asking: Asking, customerNo: number): Promise<SourcesSeen | null> {
  const { reader, newRequestId, giveUp } = asking.parts
  if (whyEnded(asking) !== null) return null
  const seen = await reader.listPaymentSources(customerNo, { requestId: newRequestId(), signal: giveUp })
  if (seen.kind === 'not_read') asking.ended ??= haltOf(seen)
  return seen
}

const haltOf = ({ halt, status }: NotRead): Halt | null => (status === FORBIDDEN ? null : halt)

/** Waits before the next attempt; false where there is none. */
async function mayRepeat(asking: Asking, n: number, retryAfterMs: number | null): Promise<boolean> {
  const waitMs = Math.max(retryAfterMs ?? 0, FIRST_WAIT_MS * 2 ** (n - 1))
  if (n === TIMES || waitMs > LONGEST_WAIT_MS || whyEnded(asking) !== null) return false
  await pause(asking.parts, waitMs)
  return whyEnded(asking) === null
}

function pause({ after, signal }: AskerParts, ms: number): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signal.aborted) {
      resolve()
      return
    }
    const stop = (): void => {
      cancel()
      resolve()
    }
    const cancel = after(ms, () => {
      signal.removeEventListener('abort', stop)
      resolve()
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}
