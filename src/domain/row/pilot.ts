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

/** There are more banks than anything else, so that a row that only shows another bank comes last. */
const weightOf = ({ because }: PilotRow): number =>
  because.filter((value) => !value.startsWith('bank ')).length

/**
 * Pure: of rows in order so many that show as much as they can. Each value counts for the first row that has it; rows with
 * most of them are taken first, then the first of those that show nothing new. It goes through the rows once, and keeps of
 * most their number alone.
 */
export function spreadPilot(candidates: Iterable<PilotCandidate>, limit: number) {
  const known = new Set<string>()
  const [telling, others] = [[] as PilotRow[], [] as number[]]
  for (const { id, customerNo, ...row } of candidates) {
    const because = known.size < MOST_VALUES ? valuesOf(row).filter((value) => !known.has(value)) : []
    if (because.length > 0) telling.push({ id, customerNo, because })
    else if (others.length < limit) others.push(id)
    for (const value of because) known.add(value)
  }
  const told = telling.toSorted((one, other) => weightOf(other) - weightOf(one)).slice(0, limit)
  return { rows: [...told.map(({ id }) => id), ...others.slice(0, limit - told.length)], told }
}
