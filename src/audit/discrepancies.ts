/** What of a pack does not hold, by what it is. */
type DiscrepancyKind =
  | 'manifest_changed'
  | 'not_named'
  | 'missing'
  | 'changed'
  | 'worked_in'
  | 'unreadable'
  | 'other_ledger'
  | 'not_balanced'
  | 'totals_differ'
  | 'hash_totals_differ'
  | 'row_twice'
  | 'chain_broken'
  | 'signature_missing'
  | 'signature_changed'
  | 'signature_of_another_key'
  | 'ledger_differs'

export interface Discrepancy {
  readonly kind: DiscrepancyKind
  /** Name in the folder; null where it is about the pack as a whole. */
  readonly file: string | null
  /** What was found and what it means, without account numbers. */
  readonly message: string
  readonly next: string
}

export type Tell = (discrepancy: Discrepancy) => void

export interface Discrepancies {
  readonly tell: Tell
  /** Those of one kind in one file, the first of them; the last one says how many more there are. */
  readonly list: () => readonly Discrepancy[]
  readonly count: () => number
}

const MOST_TOLD = 5

/** Keeps a few of each kind and file, however many there are. */
export function gatherDiscrepancies(): Discrepancies {
  const groups = new Map<string, { readonly first: Discrepancy[]; count: number }>()
  return {
    tell: (discrepancy) => {
      const key = `${discrepancy.kind} ${discrepancy.file ?? ''}`
      const group = groups.get(key) ?? { first: [], count: 0 }
      group.count += 1
      if (group.first.length < MOST_TOLD) group.first.push(discrepancy)
      groups.set(key, group)
    },
    list: () =>
      [...groups.values()].flatMap(({ first, count }) => {
        const last = first.at(-1)
        if (last === undefined || count === first.length) return first
        const more = `${last.message} (and ${count - first.length} more of this kind)`
        return [...first.slice(0, -1), { ...last, message: more }]
      }),
    count: () => [...groups.values()].reduce((sum, group) => sum + group.count, 0),
  }
}
