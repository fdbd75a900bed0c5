import { fold } from '../../domain/text/text.js'
import { undated } from '../../domain/value/words.js'

/** The words of a column and how often each occurs, by its first spelling; null where they are too many to be words. */
export type WordCounts = ReadonlyMap<string, number> | null

export interface WordCounter {
  readonly note: (cell: string) => void
  readonly counts: () => WordCounts
}

const LONGEST_WORD = 40
const MOST_SPELLINGS = 200

/** Counts in bounded memory: a column with more than `most` words is no column of words. */
export function countWords(most: number): WordCounter {
  const spellings = new Map<string, { readonly shown: string; count: number }>()
  let words: Map<string, { readonly shown: string; count: number }> | null = new Map()
  const enter = (cell: string): void => {
    const shown = undated(cell)
    if (shown === '' || words === null) return
    const folded = fold(shown)
    const key = folded === '' ? shown : folded
    const entry = words.get(key) ?? { shown, count: 0 }
    entry.count += 1
    words.set(key, entry)
    if (spellings.size < MOST_SPELLINGS) spellings.set(cell, entry)
    if (words.size <= most && shown.length <= LONGEST_WORD) return
    words = null
    spellings.clear()
  }
  return {
    note: (cell) => {
      if (words === null || cell === '') return
      const known = spellings.get(cell)
      if (known === undefined) enter(cell)
      else known.count += 1
    },
    counts: () =>
      words === null ? null : new Map([...words.values()].map(({ shown, count }) => [shown, count])),
  }
}
