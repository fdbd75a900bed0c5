/** How often each value was met. */
export interface ValueCounts {
  /** Most frequent first, then in the order of the values. */
  readonly values: readonly { readonly value: string; readonly count: number }[]
  /** How often values were met beyond those that are kept. */
  readonly others: number
}

export interface ValueTally {
  readonly add: (value: string) => void
  readonly result: () => ValueCounts
}

/** Counts values of which there should be few, and keeps no more than `limit` different ones. */
export function tallyValues(limit: number): ValueTally {
  const counts = new Map<string, number>()
  let others = 0
  return {
    add: (value) => {
      const count = counts.get(value)
      if (count !== undefined) counts.set(value, count + 1)
      else if (counts.size < limit) counts.set(value, 1)
      else others += 1
    },
    result: () => ({
      values: [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1)),
      others,
    }),
  }
}
