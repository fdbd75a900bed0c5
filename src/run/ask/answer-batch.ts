import type { After } from '../engine.js'

/** Gathers answers, so that the ledger commits many at once and a crash costs a second's questions at most. */
export interface AnswerBatch<Answer> {
  readonly add: (answer: Answer) => void
  /** Records what was gathered; leaves no timer behind. */
  readonly flush: () => void
}

const RECORD_AT_ONCE = 100
const AT_LATEST_MS = 1_000
const ENOUGH = 50
/**
 * Answers come in crowds. Recorded in the midst of one they hold up the questions that follow it; a moment later those
 * are on their way, and recording takes time in which the program would wait.
 */
const CROWD_MS = 4
const MOST = 1_000
const NOTHING = (): void => undefined

/** `record` is called with at least one answer and at most 100, and must not throw. */
export function createAnswerBatch<Answer>(
  record: (answers: readonly Answer[]) => void,
  after: After,
): AnswerBatch<Answer> {
  let gathered: Answer[] = []
  let cancelTimer = NOTHING

  function flush(): void {
    if (gathered.length === 0) return
    cancelTimer()
    cancelTimer = NOTHING
    const answers = gathered
    gathered = []
    for (let from = 0; from < answers.length; from += RECORD_AT_ONCE)
      record(answers.slice(from, from + RECORD_AT_ONCE))
  }

  function flushAfter(delayMs: number): void {
    cancelTimer()
    cancelTimer = after(delayMs, () => {
      cancelTimer = NOTHING
      flush()
    })
  }

  return {
    add: (answer) => {
      gathered.push(answer)
      if (gathered.length === 1) flushAfter(AT_LATEST_MS)
      if (gathered.length === ENOUGH) flushAfter(CROWD_MS)
      if (gathered.length >= MOST) flush()
    },
    flush,
  }
}
