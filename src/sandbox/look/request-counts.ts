import { OPERATIONS, type Operation } from '../faults/faults.js'
import type { Occasion } from '../faults/fault-plan.js'

/** What `GET /_sandbox/requests` shows: everything since this sandbox started. */
export interface RequestCounts {
  /** Requests with right credentials and a readable body, by operation, whatever became of them. */
  readonly received: Readonly<Record<Operation, number>>
  /** Every request under /api, by the status that was answered; `none` where a fault left it without one. */
  readonly answered: Readonly<Record<string, number>>
  /** By kind of fault. */
  readonly faults: Readonly<Record<string, number>>
  /** Subjects that came more than once: customer numbers, offer ids, billogram ids, payment source ids. */
  readonly repeated: readonly { operation: Operation; subject: string; requests: number }[]
}

export interface RequestCounter {
  receive(operation: Operation, subject: string): Occasion
  answer(status: number | 'none'): void
  misbehave(kind: string): void
  counts(): RequestCounts
}

export function countRequests(): RequestCounter {
  const received: Record<Operation, number> = { migrate: 0, offer: 0, billogram: 0, read_back: 0, cancel: 0 }
  const subjects: Record<Operation, Map<string, number>> = {
    migrate: new Map(),
    offer: new Map(),
    billogram: new Map(),
    read_back: new Map(),
    cancel: new Map(),
  }
  const answered = new Map<string, number>()
  const faults = new Map<string, number>()
  return {
    receive(operation, subject) {
      received[operation] += 1
      const subjectOrdinal = countUp(subjects[operation], subject)
      return { operation, subject, ordinal: received[operation], subjectOrdinal }
    },
    answer: (status) => void countUp(answered, String(status)),
    misbehave: (kind) => void countUp(faults, kind),
    counts: () => ({
      received: { ...received },
      answered: Object.fromEntries(answered),
      faults: Object.fromEntries(faults),
      repeated: OPERATIONS.flatMap((operation) =>
        [...subjects[operation]]
          .filter(([subject, requests]) => requests > 1 && subject !== '')
          .map(([subject, requests]) => ({ operation, subject, requests })),
      ),
    }),
  }
}

function countUp(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return count
}
