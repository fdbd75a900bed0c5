import type { Capped } from './facts.js'

export interface CappedList<Entry> {
  readonly add: (entry: Entry) => void
  readonly result: () => Capped<Entry>
}

/** Keeps the first entries and counts them all. */
export function cappedList<Entry>(limit: number): CappedList<Entry> {
  const first: Entry[] = []
  let total = 0
  return {
    add: (entry) => {
      total += 1
      if (first.length < limit) first.push(entry)
    },
    result: () => ({ total, first }),
  }
}
