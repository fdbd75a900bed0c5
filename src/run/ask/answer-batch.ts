import type { After } from '../deliver.js'
import type { CustomerAnswer } from './judge-answer.js'

/** Gathers answers, so that the ledger commits many at once and a crash costs a second's questions at most. */
export interface AnswerBatch {
  readonly add: (answer: CustomerAnswer) => void
  /** Records what was gathered; leaves no timer behind. */
  readonly flush: () => void
}

const RECORD_AT_ONCE = 100
const AT_LATEST_MS = 1_000

/** `record` is called with one answer at least, and must not throw. */
export function createAnswerBatch(
  record: (answers: readonly CustomerAnswer[]) => void,
  after: After,
): AnswerBatch {
  let gathered: CustomerAnswer[] = []
  let cancelTimer = (): void => undefined

  function flush(): void {
    if (gathered.length === 0) return
    cancelTimer()
    const answers = gathered
    gathered = []
    record(answers)
  }

  return {
    add: (answer) => {
      if (gathered.length === 0) cancelTimer = after(AT_LATEST_MS, flush)
      gathered.push(answer)
      if (gathered.length >= RECORD_AT_ONCE) flush()
    },
    flush,
  }
}
