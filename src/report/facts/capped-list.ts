import type { Capped } from './facts.js'

export interface CappedList<Entry> {
  readonly add: (entry: Entry) => void
  /** Counts an entry of which no more is kept. @throws while there is room for it */
  readonly count: () => void
  readonly isFull: () => boolean
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
    count: () => {
      if (first.length < limit) throw new Error('Cannot leave out an entry that the list has room for')
      total += 1
    },
    isFull: () => first.length >= limit,
    result: () => ({ total, first }),
  }
}
