import type { Clock } from '../domain/mandate/date.js'
import { randomUUID } from 'node:crypto'
import { evidenceOf, type Evidence, beforeSending, heldBackBecause } from '../domain/proof/evidence.js'
import { matchSources, type SourceVerdict } from '../domain/proof/match-sources.js'
import type { Attempt, HeardAnswer, ReadBackTerms } from '../ledger/ledger.js'
import type { ReadBacks } from '../ledger/file/writer.js'
import type { Send } from '../run/deliver.js'
import type { After } from '../run/engine.js'
import type { NotRead, SourcesSeen, SourceReader } from '../service/read-back.js'
import {
  keptOf,
  mustStopAsking,
  noteHeard,
  startAskBrake,
  type AskBrake,
  createAnswerBatch,
} from '../run/ask/ask-customers.js'
import { NOTHING_LEFT, type Halt, type Outcome } from '../domain/row/row-state.js'

/** What came of asking about rows before they were sent. */
export interface AskedFirst {
  /** Questions that were answered or may have been. */
  readonly asked: number
  /** Rows that the service already holds: in doubt, and nothing of them was sent. */
  readonly heldBack: number
  /** Rows that were not sent, since no answer about them could be read. */
  readonly unread: number
}

interface CheckBeforeSendParts {
  /** Sends the row, once the service was shown to hold nothing like it. */
  readonly send: Send
  /** Its connections are its own. */
  readonly reader: Pick<SourceReader, 'listPaymentSources' | 'close'>
  readonly readBacks: Pick<ReadBacks, 'startBeforeSending' | 'rowsOf' | 'record' | 'end'>
  readonly terms: Omit<ReadBackTerms, 'scope' | 'sample'>
  readonly clock: Clock
  readonly after: After
  /** Once aborted, no row is sent any more, whatever the service says of it. */
  readonly drain: AbortSignal
}

export interface CheckBeforeSend {
  readonly send: Send
  /** What was heard is on disk then. @throws {LedgerError} when it cannot be kept */
  readonly end: () => AskedFirst
  /** Keeps what was heard where the run ended with an error, which counts before one of this; closes the connections. */
  readonly close: () => Promise<void>
}

/** Asking beside a run. The functions below change it; nobody else sees it. */
interface Looking {
  readonly parts: CheckBeforeSendParts
  readonly batch: ReturnType<typeof createAnswerBatch<HeardAnswer>>
  /** For each customer with a row under way, the end of the latest: its rows go one behind the other. */
  readonly turns: Map<number, Promise<unknown>>
  readonly unread: Set<number>
  /** Begun with the first question: nothing is asked where nothing is ready. */
  readBackId: number | null
  brake: AskBrake
  asked: number
  heldBack: number
  failure: { readonly error: unknown } | null
}

/**
 * Asks about each row between its intent and its request, and sends what the service does not show. It is a net and no
 * promise: what was registered a moment ago may not show yet. Every row is asked about by itself, since another row of
 * its customer may have been sent meanwhile; rows of one customer wait for each other, so that what this run has just
 * registered is told from what was there before.
 */
export function checkBeforeSend(parts: CheckBeforeSendParts): CheckBeforeSend {
  const looking: Looking = {
    parts,
    batch: createAnswerBatch<HeardAnswer>((answers) => record(looking, answers), parts.after),
    turns: new Map(),
    unread: new Set(),
    readBackId: null,
    brake: startAskBrake(),
    asked: 0,
    heldBack: 0,
    failure: null,
  }
  return {
    send: (mandate, attempt, signal) =>
      inTurn(looking.turns, mandate.customerNo, async () => {
        const held = await look(looking, mandate.customerNo, attempt, signal)
        return held ?? parts.send(mandate, attempt, signal)
      }),
    end: () => end(looking),
    close: async () => {
      try {
        end(looking)
      } catch {
        // It is the same ledger, and the first error is the one that counts.
      }
      await parts.reader.close()
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

/**
 * Null where the row may leave.
 * @throws {LedgerError} when an answer could not be kept: the run ends, and nothing of the row was sent
 */
async function look(
  looking: Looking,
  customerNo: number,
  attempt: Attempt,
  signal: AbortSignal,
): Promise<Outcome | null> {
  const { clock, reader, drain, readBacks, terms } = looking.parts
  assertKept(looking)
  looking.readBackId ??= readBacks.startBeforeSending(terms)
  const requestId = randomUUID()
  const askedAt = timeOf(clock)
  const seen = await reader.listPaymentSources(customerNo, { requestId, signal })
  const isGivenUp = signal.aborted && seen.kind === 'not_read' // broken off by us: it says nothing of the service
  if (isGivenUp || (seen.kind === 'not_read' && !seen.started))
    return isGivenUp ? outcomeOfInterruption(seen.durationMs) : outcomeOfUnanswered(seen, null)
  looking.asked += 1
  const question = { customerNo, requestId, askedAt, answeredAt: timeOf(clock), tries: 1 }
  const { verdict, unread } = judge(looking, customerNo, attempt, seen)
  const next = verdict === null ? 'ask_again' : beforeSending(verdict)
  const proof = verdict !== null && next === 'hold_back' ? evidenceOf(verdict) : null
  const { rowId, n } = attempt
  looking.batch.add({
    ...question,
    ...keptOf(seen),
    // A verdict is kept only where nothing was sent: what was read before a request says nothing of what came of it.
    proofs: proof === null ? [] : [{ rowId, attempts: n, evidence: proof }],
  })
  if (unread === null) looking.unread.delete(rowId)
  else return turnedAway(looking, rowId, unread)
  if (proof !== null) return holdBack(looking, proof, seen.durationMs)
  looking.brake = noteHeard(looking.brake, seen)
  return drain.aborted || signal.aborted ? outcomeOfInterruption(seen.durationMs) : null
}

function holdBack(looking: Looking, proof: Evidence, durationMs: number): Outcome {
  looking.brake = { ...looking.brake, answered: looking.brake.answered + 1, unread: 0 }
  looking.heldBack += 1
  looking.batch.flush() // evidence first, then the doubt that rests on it
  assertKept(looking)
  return outcomeOfHeldBack(proof, durationMs)
}

function turnedAway(looking: Looking, rowId: number, unread: NotRead): Outcome {
  looking.unread.add(rowId)
  looking.brake = noteHeard(looking.brake, unread)
  const stop = mustStopAsking(looking.brake, unread, 0)
  return outcomeOfUnanswered(unread, STOPS[stop?.kind ?? ''] ?? null)
}

const STOPS: Readonly<Record<string, Halt>> = { no_read_back: 'no_read_back', unanswered: 'unanswered' }

/** A verdict, or why there is none. */
function judge(
  { parts: { readBacks } }: Looking,
  customerNo: number,
  { rowId }: Attempt,
  seen: SourcesSeen,
): { readonly verdict: SourceVerdict | null; readonly unread: NotRead | null } {
  if (seen.kind === 'not_read') return { verdict: null, unread: seen }
  const rows = readBacks.rowsOf(customerNo)
  const verdict = matchSources(rows, { kind: 'listed', sources: seen.sources })[
    rows.findIndex((row) => row.rowId === rowId)
  ]
  if (verdict !== undefined && verdict.kind !== 'unreadable') return { verdict, unread: null }
  const { status, durationMs } = seen
  const why = verdict?.reason ?? 'this row is not known to the ledger'
  const unread: NotRead = {
    kind: 'not_read',
    started: true,
    cause: 'unreadable',
    reason: `The list of payment sources cannot be held against this mandate: ${why}`,
    canRepeat: true,
    retryAfterMs: null,
    halt: null,
    status,
    errorCode: null,
    durationMs,
  }
  return { verdict: null, unread }
}

const timeOf = (clock: Clock): string => new Date(clock.now()).toISOString()

function record(looking: Looking, answers: readonly HeardAnswer[]): void {
  const { parts, readBackId, failure } = looking
  if (failure !== null || readBackId === null) return
  try {
    parts.readBacks.record(readBackId, answers)
  } catch (error) {
    looking.failure = { error } // thrown by whoever is next: a timer has nobody to throw to
  }
}

function assertKept({ failure }: Looking): void {
  if (failure !== null) throw failure.error
}

function end(looking: Looking): AskedFirst {
  const { asked, heldBack, unread, batch, parts, readBackId } = looking
  batch.flush()
  assertKept(looking)
  if (readBackId !== null) parts.readBacks.end(readBackId, null)
  looking.readBackId = null
  return { asked, heldBack, unread: unread.size }
}

/**
 * What a look at the service before sending makes of the row (run/README.md#asked-first). Nothing of the row has left in
 * any of them, so that only what the service already holds may be in doubt.
 */
export const outcomeOfHeldBack = (proof: Evidence, durationMs: number): Outcome => ({
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
