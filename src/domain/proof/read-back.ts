import { type KeptSource, type VerdictKind, comparedReference } from './match-sources.js'
import type { Verification, VerificationWord } from '../row/row-state.js'
import { countText, plural, timeText } from '../text/text.js'

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

/**
 * When absence is enough evidence to propose that a person has a row in doubt sent again. Pure, and the same whenever it
 * is asked: it knows what was heard and when, and no present time. It decides nothing: a person does.
 */

/** After this long since a request, in milliseconds, a mandate that was registered by it is expected to show. */
export const USUAL_ABSENT_AFTER_MS = 24 * 60 * 60 * 1_000

/** The first and the last question lie at least so far apart, in milliseconds: one bad hour of a service is no proof. */
const APART_MS = 60 * 60 * 1_000

/** What came of one question about a row. Times are ISO 8601 in UTC. */
export interface Heard {
  readonly askedAt: string
  readonly answeredAt: string
  readonly verdict: VerdictKind
  /** False where no list came, which says nothing of the row. */
  readonly isListed: boolean
  /** Registered rows that the same read-back showed, of any run: one ledger is of one service, so that they vouch for the place. */
  readonly present: number
}

/** What the service has shown of a row since its latest request. */
type Shown = ReturnType<typeof shownOf>

export interface AbsenceFacts {
  /** When its latest request was begun. */
  readonly sentAt: string
  readonly shown: Shown
  /** Any read-back, whenever it was, showed what could be it. */
  readonly wasEverShown: boolean
  /** Of what a lost ledger began: for the customer and date of the row, for others, or nobody knows. */
  readonly begunFor: 'this' | 'another' | 'unknown'
}

/** An answer of which something could be the row itself: one that showed others alone is not. */
export const mayShow = (verdict: VerdictKind, why: string | null, isListed: boolean): boolean =>
  isListed && verdict !== 'absent' && !(verdict === 'other' && why === 'differs')

/** What absence says of a row, by what was shown of it. */
export type Absence = ReturnType<typeof absenceOf>

/** @param heard of one row since its latest request ended, in the order in which it was heard */
export function shownOf(heard: readonly Heard[]) {
  if (heard.length === 0) return { kind: 'not_asked' } as const
  const lists = heard.filter(({ isListed }) => isListed)
  const last = lists.at(-1)
  // It was asked, and no list came.
  if (last === undefined) return { kind: 'not_answered' } as const
  // The latest list held something of the customer.
  if (last.verdict !== 'absent') return { kind: 'something', verdict: last.verdict } as const
  const empty = lists.slice(lists.findLastIndex(({ verdict }) => verdict !== 'absent') + 1)
  const vouched = empty.filter(({ present }) => present > 0)
  const counted = vouched.length > 0 ? vouched : empty
  const first = counted[0] ?? last
  const latest = counted.at(-1) ?? last
  return {
    /** Since whatever else it showed, every list was empty. */
    kind: 'nothing' as const,
    firstAskedAt: first.askedAt,
    firstAnsweredAt: first.answeredAt,
    lastAskedAt: latest.askedAt,
    questions: counted.length,
    /** Registered rows that the last read-back of these showed; 0 where none was, in none of them. */
    present: latest.present,
  }
}

/** Whether sending the row again is proposed, and else what is missing. */
export function absenceOf({ sentAt, shown, wasEverShown, begunFor }: AbsenceFacts, absentAfterMs: number) {
  if (shown.kind !== 'nothing') return shown
  const { firstAskedAt, firstAnsweredAt, lastAskedAt, questions, present } = shown
  const series = { firstAskedAt, lastAskedAt, questions }
  // It was shown once, so that its absence says nothing of its request.
  if (wasEverShown) return { kind: 'shown_before', ...series } as const
  // A lost ledger began it for another customer or date, about whom nothing was asked.
  if (begunFor === 'another') return { kind: 'begun_otherwise', ...series } as const
  const lastMs = Date.parse(lastAskedAt)
  // A list is as old as its question, at the most; the first is as young as its answer.
  const apartFromMs = Date.parse(firstAnsweredAt) + APART_MS
  const lateFromMs = Date.parse(sentAt) + absentAfterMs
  const from = wholeSecond(Math.max(apartFromMs, lateFromMs))
  // One more question at `from` or later has to show the same.
  if (questions === 1 || lastMs < Math.max(lateFromMs, apartFromMs))
    return { kind: 'too_early', ...series, from } as const
  // The same read-backs showed no registered row: it may be the wrong place, or a service that shows none.
  if (present === 0) return { kind: 'nothing_present', ...series } as const
  return { kind: 'resend', ...series, present, begunFor } as const
}

/** Rounded up, since people read no more: a question within that second may be too early. */
const wholeSecond = (ms: number): string => new Date(Math.ceil(ms / 1_000) * 1_000).toISOString()

/** What an answer shows of a row. */
export const SHOWS: Readonly<Record<VerdictKind, string>> = {
  absent: 'the service shows no payment source of the customer',
  proven: 'the service shows it',
  twice: 'the service shows it more than once',
  other: 'the service shows payment sources of the customer, none of which is certainly this mandate',
  unreadable: 'the service shows payment sources of the customer that cannot be compared with it',
}

/** The evidence, or what is missing of it, as a sentence without its full stop; empty where nobody asked. */
export function absenceText(absence: Absence): string {
  switch (absence.kind) {
    case 'not_asked':
      return ''
    case 'not_answered':
      return 'asked, and no list came; ask again'
    case 'something':
      return `not absent: ${SHOWS[absence.verdict]}`
    case 'too_early':
      return `${seriesText(absence)}; ask again from ${timeText(absence.from)}`
    case 'shown_before':
      return `${seriesText(absence)}; an earlier question showed what could be it, so look at the service`
    case 'nothing_present':
      return `${seriesText(absence)}; the same read-backs showed no registered row, so it may be the wrong place to ask`
    case 'begun_otherwise':
      return `${seriesText(absence)}; it was begun for another customer or date than this row has, so ask the service about that one`
    case 'resend':
      return `${seriesText(absence)}${absence.begunFor === 'unknown' ? ' of this export, and it may have been sent for another one' : ''}; ${plural(absence.present, 'registered row was', 'registered rows were')} shown by the same read-back`
  }
}

type Series = Pick<Extract<Shown, { kind: 'nothing' }>, 'questions' | 'firstAskedAt' | 'lastAskedAt'>
const seriesText = ({ questions, firstAskedAt, lastAskedAt }: Series): string =>
  questions === 1
    ? `asked once, ${timeText(lastAskedAt)}: no payment source of the customer`
    : `asked ${countText(questions)} times from ${timeText(firstAskedAt)} to ${timeText(lastAskedAt)}, each time no payment source of the customer`
