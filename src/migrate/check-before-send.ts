import { timeOf } from '../domain/mandate/date.js'
import { randomUUID } from 'node:crypto'
import {
  evidenceOf,
  type ReadBackEvidence,
  beforeSending,
  heldBackBecause,
  matchSources,
  type SourceVerdict,
} from '../domain/proof/match-sources.js'
import type { Attempt, HeardAnswer, HeldRow, ReadBackTerms } from '../ledger/ledger.js'
import type { ReadBacks } from '../ledger/file/writer.js'
import type { Send } from '../run/deliver.js'
import type { EngineParts } from '../run/engine.js'
import type { SourceReader } from '../service/client.js'
import type { NotRead, SourcesSeen } from '../service/classify.js'
import {
  keptOf,
  mustStopAsking,
  noteHeard,
  startAskBrake,
  createAnswerBatch,
} from '../run/ask/ask-customers.js'
import { NOTHING_LEFT, type Halt, type Outcome } from '../domain/row/row-state.js'

/** Once `drain` is aborted, no row is sent any more, whatever the service says of it. */
interface CheckBeforeSendParts extends Pick<EngineParts<never>, 'clock' | 'after' | 'drain'> {
  /** Sends the row, once the service was shown to hold nothing like it. */
  readonly send: Send
  /** Its connections are its own. */
  readonly reader: Pick<SourceReader, 'listPaymentSources' | 'close'>
  readonly readBacks: Pick<ReadBacks, 'startBeforeSending' | 'rowsOf' | 'record' | 'end'>
  readonly terms: Omit<ReadBackTerms, 'scope' | 'sample'>
}

export type CheckBeforeSend = ReturnType<typeof checkBeforeSend>
/** What came of asking about rows before they were sent. */
export type AskedFirst = ReturnType<CheckBeforeSend['end']>

/**
 * Asks about each row between its intent and its request, and sends what the service does not show. It is a net and no
 * promise: what was registered a moment ago may not show yet. Every row is asked about by itself, since another row of
 * its customer may have been sent meanwhile; rows of one customer wait for each other, so that what this run has just
 * registered is told from what was there before.
 */
export function checkBeforeSend(parts: CheckBeforeSendParts) {
  const { send, reader, readBacks, terms, clock, after, drain } = parts
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
    readBackId ??= readBacks.startBeforeSending(terms)
    const requestId = randomUUID()
    const askedAt = timeOf(clock)
    const seen = await reader.listPaymentSources(customerNo, { requestId, signal })
    const isGivenUp = signal.aborted && seen.kind === 'not_read' // broken off by us: it says nothing of the service
    if (isGivenUp || (seen.kind === 'not_read' && !seen.started))
      return isGivenUp ? outcomeOfInterruption(seen.durationMs) : outcomeOfUnanswered(seen, null)
    asked += 1
    const question = { customerNo, requestId, askedAt, answeredAt: timeOf(clock), tries: 1 }
    const judged = judge(() => readBacks.rowsOf(customerNo), rowId, seen)
    const isUnread = 'kind' in judged
    const proof = !isUnread && beforeSending(judged) === 'hold_back' ? evidenceOf(judged) : null
    batch.add({
      ...question,
      ...keptOf(seen),
      // A verdict is kept only where nothing was sent: what was read before a request says nothing of what came of it.
      proofs: proof === null ? [] : [{ rowId, attempts: n, evidence: proof }],
    })
    if (isUnread) return turnedAway(rowId, judged)
    unreadRows.delete(rowId)
    if (proof !== null) return holdBack(proof, seen.durationMs)
    brake = noteHeard(brake, seen)
    return drain.aborted || signal.aborted ? outcomeOfInterruption(seen.durationMs) : null
  }

  function holdBack(proof: ReadBackEvidence, durationMs: number): Outcome {
    brake = { ...brake, answered: brake.answered + 1, unread: 0 }
    heldBack += 1
    batch.flush() // evidence first, then the doubt that rests on it
    assertKept()
    return outcomeOfHeldBack(proof, durationMs)
  }

  function turnedAway(rowId: number, unread: NotRead): Outcome {
    unreadRows.add(rowId)
    brake = noteHeard(brake, unread)
    const stop = mustStopAsking(brake, unread, 0)?.kind ?? null
    return outcomeOfUnanswered(unread, stop === 'no_read_back' || stop === 'unanswered' ? stop : null)
  }

  /** What was heard is on disk then. @throws {LedgerError} when it cannot be kept */
  function end() {
    batch.flush()
    assertKept()
    if (readBackId !== null) readBacks.end(readBackId, null)
    readBackId = null
    return { asked, heldBack, unread: unreadRows.size }
  }

  const checked: Send = (mandate, attempt, signal) =>
    inTurn(turns, mandate.customerNo, async () => {
      return (await look(mandate.customerNo, attempt, signal)) ?? send(mandate, attempt, signal)
    })

  return {
    send: checked,
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

/** A verdict, or why there is none. */
function judge(rowsOf: () => readonly HeldRow[], rowId: number, seen: SourcesSeen): SourceVerdict | NotRead {
  if (seen.kind === 'not_read') return seen
  const rows = rowsOf()
  const at = rows.findIndex((row) => row.rowId === rowId)
  const verdict = matchSources(rows, seen)[at]
  if (verdict !== undefined && verdict.verdict !== 'unreadable') return verdict
  const why = verdict?.why ?? 'this row is not known to the ledger'
  const reason = `The list of payment sources cannot be held against this mandate: ${why}`
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
