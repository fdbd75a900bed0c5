import { type KeptSource, type VerdictKind, comparedReference } from './match-sources.js'
import { countText, plural, timeText } from '../text/text.js'

/** `decided`: cancelled or changed at the service, as a person closed its line of the cut-over. */
export type VerifiedVerdict = VerdictKind | 'decided'

/** What reading back says of a registered mandate, in the order in which a person looks at it. */
const WORD_OF = {
  absent: 'missing',
  twice: 'twice',
  other: 'different',
  unreadable: 'unreadable',
  decided: 'decided',
  proven: 'proven',
} as const satisfies Record<VerifiedVerdict, string>
type VerificationWord = (typeof WORD_OF)[VerifiedVerdict]
export const VERIFICATION_WORDS = Object.values(WORD_OF)

export const verificationWord = (verdict: VerifiedVerdict): VerificationWord => WORD_OF[verdict]

/** In the order of their words. */
export const VERIFIED_VERDICTS = Object.keys(WORD_OF) as readonly VerifiedVerdict[]

/** The service shows it as it should be. */
export const isAsItShouldBe = (verdict: VerifiedVerdict): boolean =>
  verdict === 'proven' || verdict === 'decided'

/** Registered rows of which the latest answer that counts says so. Times are ISO 8601. */
export interface VerdictCount {
  readonly verdict: VerifiedVerdict
  readonly count: number
  readonly firstAt: string
  readonly lastAt: string
}

/** How many registered rows were proven at the service, and what is said of the others: they add up to `registered`. */
export type Verification = NonNullable<ReturnType<typeof verificationOf>>

/** Null where nobody asked about a registered row. */
export function verificationOf(registered: number, counts: readonly VerdictCount[]) {
  if (counts.length === 0) return null
  const words = { missing: 0, twice: 0, different: 0, unreadable: 0, decided: 0, proven: 0 }
  for (const { verdict, count } of counts) words[verificationWord(verdict)] += count
  const asked = counts.reduce((sum, { count }) => sum + count, 0)
  const proven = counts.find(({ verdict }) => verdict === 'proven')
  return {
    registered,
    ...words,
    notAsked: Math.max(0, registered - asked),
    /** When the first and the last of those answers came that proved one; null where none did. */
    firstAt: proven?.firstAt ?? null,
    lastAt: proven?.lastAt ?? null,
  }
}

/** Rows whose registration the service contradicts; what could not be read contradicts nothing. */
export const contradictedIn = ({ missing, twice, different }: Verification): number =>
  missing + twice + different

/** Rows that were asked about and are not proven. */
export const unprovenIn = (verification: Verification): number =>
  contradictedIn(verification) + verification.unreadable

const countsText = (verification: Verification, words: readonly VerificationWord[]): string =>
  words
    .flatMap((word) => (verification[word] === 0 ? [] : [`${countText(verification[word])} ${word}`]))
    .join(', ')

/** `1 missing, 2 twice`; empty where nothing is contradicted. */
export const contradictedText = (verification: Verification): string =>
  countsText(verification, ['missing', 'twice', 'different'])

/** The same with what could not be read. */
export const unprovenText = (verification: Verification): string =>
  countsText(verification, ['missing', 'twice', 'different', 'unreadable'])

/** How many of how many were proven, between when and when, and how many were not asked, as one sentence. */
export function verificationText(verification: Verification): string {
  const { registered, proven, decided, notAsked, firstAt, lastAt } = verification
  const between = firstAt === null ? '' : ` between ${timeText(firstAt)} and ${timeText(lastAt)}`
  const unproven = unprovenText(verification)
  return (
    `${countText(proven)} of ${plural(registered, 'registered mandate', 'registered mandates')} proven at the service` +
    `${between}; ${unproven === '' ? '' : `${unproven}; `}` +
    `${decided === 0 ? '' : `${countText(decided)} cancelled or changed as decided; `}${countText(notAsked)} not asked.`
  )
}

/** A row whose mandate the service holds more than once, by its sources. */
export interface DoubledRow {
  readonly rowId: number
  readonly sources: readonly KeptSource[]
  /** Another row with its customer, account and date is in doubt or on its way: one of the sources may be its. */
  readonly hasOpenSibling: boolean
}

/**
 * Ids of the sources that a person may cancel: all that no other row has, and only where the row's own is among them.
 * None where another row could be meant.
 * @param ownerOf the row to which the service assigned a reference; null for none of the ledger
 */
export function cancellableOf(
  { rowId, sources, hasOpenSibling }: DoubledRow,
  ownerOf: (reference: string) => number | null,
): readonly string[] {
  const owned = sources.map(({ id, reference }) => ({
    id,
    owner: reference === null ? undefined : ownerOf(comparedReference(reference)),
  }))
  const own = owned.findIndex(({ owner }) => owner === rowId)
  if (hasOpenSibling || own === -1) return []
  return owned.flatMap(({ id, owner }, at) =>
    id !== null && at !== own && (owner === null || owner === rowId) ? [id] : [],
  )
}
