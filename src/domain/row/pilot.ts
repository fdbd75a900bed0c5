import { bankOf } from '../value/iban.js'

/** A row that a pilot may take, as the ledger holds it. */
export interface PilotCandidate {
  readonly id: number
  readonly customerNo: number
  readonly iban: string
  readonly creditorIdentifier: string
  readonly mandateReference: string
  /** Rules that warn of it, with commas between them; null for none. */
  readonly warnings: string | null
}

/** A row of the pilot that shows something which none before it does: that is why it was taken. */
export interface PilotRow extends Pick<PilotCandidate, 'id' | 'customerNo'> {
  readonly because: readonly string[]
}

/** Banks and patterns may be as many as rows are; beyond this nobody would look at what is new. */
const MOST_VALUES = 10_000

/** Letters and digits as far as they say how it is made, so that no account number is left of it. */
const patternOf = (reference: string): string => reference.replace(/\p{L}+/gu, 'A').replace(/\p{N}+/gu, '9')

const valuesOf = (row: Omit<PilotCandidate, 'id' | 'customerNo'>): string[] => [
  `country ${row.iban.slice(0, 2)}`,
  `bank ${row.iban.slice(0, 2)} ${bankOf(row.iban)}`,
  `references as ${patternOf(row.mandateReference)}`,
  `previous creditor ${row.creditorIdentifier}`,
  ...(row.warnings?.split(',').map((rule) => `warning ${rule}`) ?? []),
]

/**
 * Pure: of rows in order so many that show as much as they can. First the one with most that is new, again and again; once
 * nothing is new, the first of the others. It goes through the rows once, and keeps of most their number alone.
 */
export function spreadPilot(candidates: Iterable<PilotCandidate>, limit: number) {
  const [known, shown, told] = [new Set<string>(), new Set<string>(), [] as PilotRow[]]
  const [telling, others] = [[] as PilotRow[], [] as number[]]
  for (const { id, customerNo, ...row } of candidates) {
    const because = known.size < MOST_VALUES ? valuesOf(row) : []
    if (because.some((value) => !known.has(value))) telling.push({ id, customerNo, because })
    else if (others.length < limit) others.push(id)
    for (const value of because) known.add(value)
  }
  // What a row has that is new only becomes less, so that one pass for each number of new values is enough.
  for (let least = Math.max(0, ...telling.map(({ because }) => because.length)); least > 0; least -= 1)
    for (const row of telling) {
      const because = row.because.filter((value) => !shown.has(value))
      if (because.length < least || told.length === limit) continue
      told.push({ ...row, because })
      for (const value of because) shown.add(value)
    }
  const first = new Set(told.map(({ id }) => id))
  const rest = [...telling.map(({ id }) => id), ...others].filter((id) => !first.has(id))
  const inOrder = (one: number, other: number): number => one - other
  const rows = [...first, ...rest.sort(inOrder).slice(0, limit - first.size)].sort(inOrder)
  return { rows, told }
}
