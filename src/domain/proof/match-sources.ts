import { isValidIBAN } from 'ibantools'
import { SEPA_COUNTRIES } from '../text/countries.js'
import { maskIban, maskAccounts } from '../text/masking.js'
import { isSepaIban } from '../value/iban.js'
import { parseLocalDate } from '../mandate/date.js'

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
  /** As `maskIban` shows it. */
  readonly accountMasked: string
  /** YYYY-MM-DD. */
  readonly signedDate: string
  /** What the service assigned to a registered row; null for any other. */
  readonly reference: string | null
}

type SourcesAnswer =
  | { readonly kind: 'listed'; readonly sources: readonly ListedSource[] }
  | { readonly kind: 'not_read'; readonly reason: string }

export type SourceVerdict =
  /** Exactly one source is this row's. */
  | { readonly kind: 'proven'; readonly source: ListedSource }
  /** More than one could be: a person should cancel all but one. Its own by reference stands first. */
  | { readonly kind: 'twice'; readonly sources: readonly ListedSource[] }
  /** The customer has no source at all. */
  | { readonly kind: 'absent' }
  /**
   * There are sources, and none is certainly this row's. `differs`: none agrees. `ended`: what agrees was cancelled.
   * `other_date`: one has its account, and a date that no row of the customer has. `ambiguous`: another row of the
   * customer has the same account and date, and no reference tells them apart.
   */
  | {
      readonly kind: 'other'
      readonly why: 'differs' | 'ended' | 'other_date' | 'ambiguous'
      readonly sources: readonly ListedSource[]
    }
  /** The answer, or a source that could be this row's, cannot be read. */
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Which words the status can be is not published; these can only mean that a mandate is there no more. */
export const ENDED: ReadonlySet<string> = new Set(
  'CANCELLED CANCELED ENDED REVOKED REJECTED EXPIRED'.split(' '),
)

const SEPA_SCHEME = 'SEPA_DIRECT_DEBIT'

/** No other word is published; these can only mean something else. Any further word may be a new name of ours. */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(['CARD', 'AUTOGIRO', 'AVTALEGIRO', 'BETALINGSSERVICE'])

/**
 * @param rows all rows of one customer that the service may hold, since they are told apart from each other; those
 *   that nobody asks about too
 * @returns a verdict for each row, in their order
 */
export function matchSources(rows: readonly AskedRow[], answer: SourcesAnswer): readonly SourceVerdict[] {
  if (answer.kind === 'not_read') return rows.map(() => ({ kind: 'unreadable', reason: answer.reason }))
  const sources = distinct(answer.sources.map(toCompared))
  const claimed = new Set(
    rows.flatMap(({ reference }) => (reference === null ? [] : [comparedReference(reference)])),
  )
  const twins = countTwins(rows)
  return withoutShared(rows.map((row) => verdictOn(row, sources, { claimed, twins })))
}

/** Whatever the rows say of their accounts, one source is no proof for two of them. */
function withoutShared(verdicts: readonly SourceVerdict[]): readonly SourceVerdict[] {
  const uses = new Map<ListedSource, number>()
  for (const verdict of verdicts)
    if (verdict.kind === 'proven') uses.set(verdict.source, (uses.get(verdict.source) ?? 0) + 1)
  return verdicts.map((verdict) =>
    verdict.kind === 'proven' && (uses.get(verdict.source) ?? 0) > 1
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
    counts.set(twinKey(row), { all: all + 1, unreferenced: unreferenced + Number(row.reference === null) })
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
type ComparedSource = ReturnType<typeof toCompared>

const toCompared = (source: ListedSource) => ({
  source,
  scheme: schemeOf(source.scheme),
  iban: accountOf(source.iban),
  date: datePartOf(source.signedAt),
  reference: source.reference === null ? null : comparedReference(source.reference),
  isEnded: source.status !== null && ENDED.has(source.status.trim().toUpperCase()),
})

function schemeOf(word: string | null): 'sepa' | 'another' | null {
  const scheme = word?.trim().toUpperCase() ?? ''
  return scheme === SEPA_SCHEME ? 'sepa' : OTHER_SCHEMES.has(scheme) ? 'another' : null
}

/** One that is listed twice is one. Under one id two are the same only where all that is compared is. */
function distinct(sources: readonly ComparedSource[]): readonly ComparedSource[] {
  const seen = new Set<string>()
  return sources.filter(({ source: { id }, ...compared }) => {
    if (id === null) return true
    const { scheme, iban, date, reference, isEnded } = compared
    const key = JSON.stringify([id, scheme, iban, date, reference, isEnded])
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}

/** Banks compare references without regard to letter case; blanks at the ends come from printing. */
export const comparedReference = (reference: string): string => reference.trim().toUpperCase()

/** In one piece, where it has the form of an account number; that it is one, `isAccountNumber` tells. */
function accountOf(iban: string | null): string | null {
  const plain = iban?.replace(/\s/g, '').toUpperCase() ?? ''
  return /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(plain) ? plain : null
}

/** As it is written: a time zone would move it by a day. */
function datePartOf(signedAt: string | null): string | null {
  const [, date = null] = /^(\d{4}-\d{2}-\d{2})(?:[T ].*)?$/.exec(signedAt?.trim() ?? '') ?? []
  return date === null ? null : parseLocalDate(date)
}

/** Four are how lists hide digits; no bank has that many in a row. */
const HIDDEN = /X{4}/

const isAccountNumber = (iban: string): boolean =>
  !HIDDEN.test(iban) && (SEPA_COUNTRIES.has(iban.slice(0, 2)) ? isSepaIban(iban) : isValidIBAN(iban))

/**
 * Null for what nobody can tell: no form of masking is published, so whatever is no account number may be this one. So
 * may one that is shown like it: with its middle made zeros, one in a hundred still passes the check digits.
 */
function isOfAccount(iban: string | null, row: AskedRow): boolean | null {
  if (iban === null) return null
  if (row.isAccount(iban)) return true
  return isAccountNumber(iban) && maskIban(iban) !== row.accountMasked ? false : null
}

/** How a source stands to a row by scheme, account and date. `unclear`: it could be the row's, and cannot be compared. */
type SourceAgreement = 'same' | 'other_date' | 'unclear' | 'differs'

function agreementOf({ scheme, iban, date }: ComparedSource, row: AskedRow): SourceAgreement {
  const account = isOfAccount(iban, row)
  if (scheme === 'another') return account === true ? 'unclear' : 'differs'
  if (scheme === null || account === null) return 'unclear'
  if (!account) return 'differs'
  return date === null ? 'unclear' : date === row.signedDate ? 'same' : 'other_date'
}

/** What the other rows of a customer explain. */
interface Others {
  /** References of rows. */
  readonly claimed: ReadonlySet<string>
  readonly twins: ReadonlyMap<string, Twins>
}

function verdictOn(row: AskedRow, sources: readonly ComparedSource[], others: Others): SourceVerdict {
  if (sources.length === 0) return { kind: 'absent' }
  const own = row.reference === null ? null : comparedReference(row.reference)
  const those = agreementsOf(row, own, sources, others)
  const live = those('same').filter(({ isEnded }) => !isEnded)
  const isUnclear =
    those('unclear').some(({ isEnded }) => !isEnded || live.length === 0) ||
    (own !== null && live.some(({ reference }) => reference === null))
  if (isUnclear)
    return { kind: 'unreadable', reason: 'a source that could be this mandate lacks what is compared' }
  if (live.length === 0) return notLive(sources, those('other_date'), those('same'))
  const twins = othersLike(row, others.twins)
  return own === null ? ofUnknownReference(live, twins) : ofReference(live, own, twins)
}

/** Sources by how they stand to the row; those of other rows are none of its. */
function agreementsOf(
  row: AskedRow,
  own: string | null,
  sources: readonly ComparedSource[],
  { claimed, twins }: Others,
): (agreement: SourceAgreement) => readonly ComparedSource[] {
  const isOthers = ({ reference }: ComparedSource): boolean =>
    reference !== null && reference !== own && claimed.has(reference)
  const isDayOfOther = ({ date }: ComparedSource): boolean =>
    date !== null && twins.has(twinKey({ ...row, signedDate: date }))
  const agreements = sources
    .filter((each) => !isOthers(each))
    .map((each) => ({ each, agreement: agreementOf(each, row) }))
    .filter(({ each, agreement }) => agreement !== 'other_date' || !isDayOfOther(each))
  return (wanted) => agreements.flatMap(({ each, agreement }) => (agreement === wanted ? [each] : []))
}

/** The first kind that there is tells why, and what is shown. */
function notLive(
  all: readonly ComparedSource[],
  ofOtherDate: readonly ComparedSource[],
  ended: readonly ComparedSource[],
): SourceVerdict {
  const why = ofOtherDate.length > 0 ? 'other_date' : ended.length > 0 ? 'ended' : 'differs'
  const shown = { other_date: ofOtherDate, ended, differs: all }[why]
  return { kind: 'other', why, sources: shown.map(({ source }) => source) }
}

/** The account number and the date are all there is to go by. */
function ofUnknownReference(live: readonly ComparedSource[], twins: number): SourceVerdict {
  const sources = live.map(({ source }) => source)
  const [source] = sources
  if (twins > 0) return { kind: 'other', why: 'ambiguous', sources }
  return sources.length === 1 && source !== undefined
    ? { kind: 'proven', source }
    : { kind: 'twice', sources }
}

/** A second mandate of the same row has a reference of its own, so that all that agree are counted. */
function ofReference(live: readonly ComparedSource[], own: string, twins: number): SourceVerdict {
  const mine = live.filter(({ reference }) => reference === own).map(({ source }) => source)
  const more = live.filter(({ reference }) => reference !== own).map(({ source }) => source)
  const [source] = mine
  if (source === undefined) return { kind: 'other', why: 'differs', sources: more }
  // What rows without a reference may explain is theirs to look at.
  const isExplained = mine.length === 1 && more.length <= twins
  return isExplained ? { kind: 'proven', source } : { kind: 'twice', sources: [...mine, ...more] }
}

export const VERDICTS = ['proven', 'twice', 'absent', 'other', 'unreadable'] as const
export type VerdictKind = (typeof VERDICTS)[number]

/** A payment source as it is kept: never an account in full. */
export type KeptSource = ReturnType<typeof kept>

/** What a list of payment sources says about one row, as it is kept. */
export interface ReadBackEvidence {
  readonly verdict: VerdictKind
  /** For `other`: `differs`, `ended`, `other_date` or `ambiguous`; for `unreadable` a sentence; else null. */
  readonly why: string | null
  /** Those of the verdict, the row's own first; the first `MOST_KEPT` of them. */
  readonly sources: readonly KeptSource[]
}

/** A person looks at a few; a customer with more has them listed at the service. */
const MOST_KEPT = 10
/** The longest that an identifier of the interface can be, and a good deal more. */
const LONGEST = 140

export function evidenceOf(verdict: SourceVerdict): ReadBackEvidence {
  const { kind } = verdict
  if (kind === 'unreadable') return { verdict: kind, why: maskAccounts(verdict.reason), sources: [] }
  const sources = kind === 'proven' ? [verdict.source] : kind === 'absent' ? [] : verdict.sources
  const why = kind === 'other' ? verdict.why : null
  return { verdict: kind, why, sources: sources.slice(0, MOST_KEPT).map(kept) }
}

function kept({ id, status, reference, iban, signedAt }: ListedSource) {
  const account = accountOf(iban)
  // What merely looks like an account number may be an id, which is of use only whole.
  const shown = (text: string | null): string | null => {
    if (text === null) return null
    const named = accountOf(text)
    if (named !== null && isValidIBAN(named)) return maskIban(named)
    return (account === null ? text : text.replaceAll(account, maskIban(account))).slice(0, LONGEST)
  }
  return {
    /** Whole, since a person cancels by it. */
    id: shown(id),
    status: status === null ? null : maskAccounts(status).slice(0, LONGEST),
    reference: shown(reference),
    accountMasked: account === null ? null : maskIban(account),

    /** YYYY-MM-DD; null for what is no date. */
    signedDate: datePartOf(signedAt),
  }
}

/**
 * What becomes of a row that the service was asked about before it is sent. What may be there is held back for a person;
 * what cannot be told is asked again another time. Only a list that shows no such mandate lets a row leave, and even
 * that proves nothing: it is the same as if nobody had asked.
 */
export function beforeSending(verdict: SourceVerdict): 'send' | 'hold_back' | 'ask_again' {
  if (verdict.kind === 'unreadable') return 'ask_again'
  const isElsewhere = verdict.kind === 'other' && verdict.why === 'differs'
  return verdict.kind === 'absent' || isElsewhere ? 'send' : 'hold_back'
}

/** Why a row is held back, as one sentence for the operator. */
export function heldBackBecause({ verdict, why, sources }: ReadBackEvidence): string {
  const shown = sources.map(textOf).join('; ')
  return `${HELD_BACK.get(why ?? verdict) ?? HELD_ONCE}, so it was not sent: ${shown}`
}

/** What the service holds, as the beginning of that sentence. */
const HELD_ONCE = 'The service already holds this mandate'
const HELD_BACK: ReadonlyMap<string, string> = new Map(
  Object.entries({
    twice: 'The service already holds this mandate more than once',
    ended: 'The service holds this mandate as one that was cancelled',
    other_date: 'The service holds a mandate with this account and another date',
    ambiguous:
      'The service holds a mandate that is this one or that of another row with the same account and date',
  }),
)

const textOf = ({ id, status, reference }: KeptSource): string =>
  `payment source ${id ?? 'without an id'}${reference === null ? '' : `, reference ${reference}`}${status === null ? '' : `, ${status}`}`
