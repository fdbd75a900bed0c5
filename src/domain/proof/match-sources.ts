/**
 * What a list of payment sources proves about the rows of one customer. Pure; it decides nothing: presence is proof,
 * absence is evidence for a person, and no row is sent because of either.
 */

/** A payment source as it was read; null is what was missing or unreadable. */
export interface ListedSource {
  readonly id: string | null
  readonly status: string | null
  readonly scheme: string | null
  /** The assigned mandate reference. */
  readonly reference: string | null
  readonly iban: string | null
  /** A time or a date; its date part counts, as it is written. */
  readonly signedAt: string | null
}

/** A row that the list is asked about. */
export interface AskedRow {
  readonly rowId: number
  /** Whether this account is the row's: by its number, or by the fingerprint where the number is gone. */
  readonly isAccount: (iban: string) => boolean
  /** The same for rows with the same account, and for them alone: its fingerprint, for one. */
  readonly accountKey: string
  /** YYYY-MM-DD. */
  readonly signedDate: string
  /** What the service assigned to a registered row; null for any other. */
  readonly reference: string | null
}

export type SourcesAnswer =
  | { readonly kind: 'listed'; readonly sources: readonly ListedSource[] }
  | { readonly kind: 'unreadable'; readonly reason: string }

export type Verdict =
  /** Exactly one source is this row's. */
  | { readonly kind: 'proven'; readonly source: ListedSource }
  /** More than one could be: a person should cancel all but one. Its own by reference stands first. */
  | { readonly kind: 'twice'; readonly sources: readonly ListedSource[] }
  /** The customer has no source at all. */
  | { readonly kind: 'absent' }
  /**
   * There are sources, and none is certainly this row's. `differs`: none agrees. `ended`: what agrees was cancelled.
   * `ambiguous`: another row of the customer has the same account and date, and no reference tells them apart.
   */
  | {
      readonly kind: 'other'
      readonly why: 'differs' | 'ended' | 'ambiguous'
      readonly sources: readonly ListedSource[]
    }
  /** The answer, or a source that could be this row's, cannot be read. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Which words the status can be is not published; these can only mean that a mandate is there no more. */
const ENDED: ReadonlySet<string> = new Set([
  'CANCELLED',
  'CANCELED',
  'ENDED',
  'REVOKED',
  'REJECTED',
  'EXPIRED',
])

const SEPA_SCHEME = 'SEPA_DIRECT_DEBIT'

/**
 * @param rows all rows of one customer that the service may hold, since they are told apart from each other; those
 *   that nobody asks about too
 * @returns a verdict for each row, in their order
 */
export function matchSources(rows: readonly AskedRow[], answer: SourcesAnswer): readonly Verdict[] {
  if (answer.kind === 'unreadable') return rows.map(() => answer)
  const sources = distinct(answer.sources).map(toCompared)
  const claimed = new Set(rows.flatMap(({ reference }) => (reference === null ? [] : [fold(reference)])))
  const twins = countTwins(rows)
  return withoutShared(rows.map((row) => verdictOn(row, sources, claimed, othersLike(row, twins))))
}

/** Whatever the rows say of their accounts, one source is no proof for two of them. */
function withoutShared(verdicts: readonly Verdict[]): readonly Verdict[] {
  const given = new Map<ListedSource, number>()
  for (const verdict of verdicts)
    if (verdict.kind === 'proven') given.set(verdict.source, (given.get(verdict.source) ?? 0) + 1)
  return verdicts.map((verdict) =>
    verdict.kind === 'proven' && (given.get(verdict.source) ?? 0) > 1
      ? { kind: 'other', why: 'ambiguous', sources: [verdict.source] }
      : verdict,
  )
}

const twinKey = ({ accountKey, signedDate }: AskedRow): string => `${signedDate} ${accountKey}`

/** How many rows have one account and date, in all and without a reference. */
interface Twins {
  readonly all: number
  readonly unreferenced: number
}

function countTwins(rows: readonly AskedRow[]): ReadonlyMap<string, Twins> {
  const counts = new Map<string, Twins>()
  for (const row of rows) {
    const { all, unreferenced } = counts.get(twinKey(row)) ?? { all: 0, unreferenced: 0 }
    const isUnreferenced = row.reference === null
    counts.set(twinKey(row), { all: all + 1, unreferenced: unreferenced + (isUnreferenced ? 1 : 0) })
  }
  return counts
}

/**
 * Rows that a source with this account and date may also be of. A second mandate of a registered row has a reference
 * that nobody knows, so for a row without one its registered twins count too.
 */
function othersLike(row: AskedRow, twins: ReadonlyMap<string, Twins>): number {
  const { all, unreferenced } = twins.get(twinKey(row)) ?? { all: 1, unreferenced: 0 }
  return row.reference === null ? all - 1 : unreferenced
}

/** A source with what is compared made ready; null cannot be told. */
interface Compared {
  readonly source: ListedSource
  readonly isSepa: boolean | null
  readonly iban: string | null
  readonly date: string | null
  readonly reference: string | null
  readonly isEnded: boolean
}

const toCompared = (source: ListedSource): Compared => ({
  source,
  isSepa: source.scheme === null ? null : source.scheme.trim().toUpperCase() === SEPA_SCHEME,
  iban: accountOf(source.iban),
  date: datePartOf(source.signedAt),
  reference: source.reference === null ? null : fold(source.reference),
  isEnded: source.status !== null && ENDED.has(source.status.trim().toUpperCase()),
})

/** One that is listed twice is one. */
function distinct(sources: readonly ListedSource[]): readonly ListedSource[] {
  const seen = new Set<string>()
  return sources.filter(({ id }) => {
    if (id === null) return true
    const isNew = !seen.has(id)
    seen.add(id)
    return isNew
  })
}

/** Banks compare references without regard to letter case; blanks at the ends come from printing. */
export const fold = (reference: string): string => reference.trim().toUpperCase()

/** Null for what is masked, or no account number at all. */
export function accountOf(iban: string | null): string | null {
  const plain = iban?.replace(/\s/g, '').toUpperCase() ?? ''
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(plain) ? plain : null
}

/** As it is written: a time zone would move it by a day. */
export function datePartOf(signedAt: string | null): string | null {
  const [, date = null] = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/.exec(signedAt?.trim() ?? '') ?? []
  return date
}

/** Whether scheme, account and date agree: no where one of them differs, null where one that could agree is unreadable. */
function agrees({ isSepa, iban, date }: Compared, row: AskedRow): boolean | null {
  const parts = [
    isSepa,
    iban === null ? null : row.isAccount(iban),
    date === null ? null : date === row.signedDate,
  ]
  if (parts.includes(false)) return false
  return parts.includes(null) ? null : true
}

/** @param twins other rows that a source may be of */
function verdictOn(
  row: AskedRow,
  sources: readonly Compared[],
  claimed: ReadonlySet<string>,
  twins: number,
): Verdict {
  if (sources.length === 0) return { kind: 'absent' }
  const own = row.reference === null ? null : fold(row.reference)
  const isOthers = ({ reference }: Compared): boolean =>
    reference !== null && reference !== own && claimed.has(reference)
  const possible = sources.filter((each) => !isOthers(each) && agrees(each, row) !== false)
  const live = possible.filter(({ isEnded }) => !isEnded)
  if (live.some((each) => agrees(each, row) === null || (own !== null && each.reference === null)))
    return { kind: 'unreadable', reason: 'a source that could be this mandate lacks what is compared' }
  const listed = live.map(({ source }) => source)
  if (live.length === 0) {
    const why = possible.length > 0 ? 'ended' : 'differs'
    const shown = possible.length > 0 ? possible : sources
    return { kind: 'other', why, sources: shown.map(({ source }) => source) }
  }
  return own === null ? ofUnknownReference(listed, twins) : ofReference(live, own, twins)
}

/** The account number and the date are all there is to go by. */
function ofUnknownReference(sources: readonly ListedSource[], twins: number): Verdict {
  const [source] = sources
  if (twins > 0) return { kind: 'other', why: 'ambiguous', sources }
  return sources.length === 1 && source !== undefined
    ? { kind: 'proven', source }
    : { kind: 'twice', sources }
}

/** A second mandate of the same row has a reference of its own, so that all that agree are counted. */
function ofReference(live: readonly Compared[], own: string, twins: number): Verdict {
  const mine = live.filter(({ reference }) => reference === own).map(({ source }) => source)
  const more = live.filter(({ reference }) => reference !== own).map(({ source }) => source)
  const [source] = mine
  if (source === undefined) return { kind: 'other', why: 'differs', sources: more }
  // What rows without a reference may explain is theirs to look at.
  const isExplained = mine.length === 1 && more.length <= twins
  return isExplained ? { kind: 'proven', source } : { kind: 'twice', sources: [...mine, ...more] }
}
