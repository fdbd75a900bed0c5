import { isValidIBAN } from 'ibantools'
import { SEPA_COUNTRIES, maskIban, maskAccounts } from '../text/accounts.js'
import { isSepaIban } from '../value/identifiers.js'
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

export const VERDICTS = ['proven', 'twice', 'absent', 'other', 'unreadable'] as const
export type VerdictKind = (typeof VERDICTS)[number]

/**
 * `proven`: exactly one source is the row's. `twice`: more than one could be, and a person should cancel all but one.
 * `absent`: the customer has no source at all. `other`: there are sources, and none is certainly the row's. `unreadable`:
 * the answer, or a source that could be the row's, cannot be read.
 */
interface JudgedBy<Source> {
  readonly verdict: VerdictKind
  /**
   * For `other`: `differs` where none agrees; `ended` where what agrees was cancelled; `other_date` where one has its
   * account, and a date that no row of the customer has; `ambiguous` where another row of the customer has the same account
   * and date, and no reference tells them apart. For `unreadable` a sentence; else null.
   */
  readonly why: string | null
  /** Those of the verdict, the row's own by reference first. */
  readonly sources: readonly Source[]
}
export type SourceVerdict = JudgedBy<ListedSource>
/** The same as it is kept: of the sources no more than `MOST_KEPT`. */
export type ReadBackEvidence = JudgedBy<KeptSource>

/** Which words the status can be is not published; these can only mean that a mandate is there no more. */
export const ENDED: ReadonlySet<string> = new Set(
  'CANCELLED CANCELED ENDED REVOKED REJECTED EXPIRED'.split(' '),
)

/** The one scheme that a migrated mandate has; others are listed beside it. */
export const SEPA_SCHEME = 'SEPA_DIRECT_DEBIT'

/** No other word is published; these can only mean something else. Any further word may be a new name of ours. */
const OTHER_SCHEMES: ReadonlySet<string> = new Set(['CARD', 'AUTOGIRO', 'AVTALEGIRO', 'BETALINGSSERVICE'])

/**
 * @param rows all rows of one customer that the service may hold, since they are told apart from each other; those
 *   that nobody asks about too
 * @returns a verdict for each row, in their order
 */
export function matchSources(rows: readonly AskedRow[], answer: SourcesAnswer): readonly SourceVerdict[] {
  if (answer.kind === 'not_read') return rows.map(() => judged('unreadable', [], answer.reason))
  const sources = distinct(answer.sources.map(toCompared))
  const claimed = new Set(
    rows.flatMap(({ reference }) => (reference === null ? [] : [comparedReference(reference)])),
  )
  const verdicts = rows.map((row) => verdictOn(row, rows, sources, claimed))
  // Whatever the rows say of their accounts, one source is no proof for two of them.
  const proofs = verdicts.flatMap(({ verdict, sources: [proof] }) => (verdict === 'proven' ? [proof] : []))
  const shared = new Set(proofs.filter((proof, at) => proofs.indexOf(proof) !== at))
  return verdicts.map((each) =>
    each.verdict === 'proven' && shared.has(each.sources[0])
      ? { ...each, verdict: 'other', why: 'ambiguous' }
      : each,
  )
}

const judged = (
  verdict: VerdictKind,
  sources: readonly ComparedSource[] = [],
  why: string | null = null,
): SourceVerdict => ({ verdict, why, sources: sources.map(({ source }) => source) })

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
    const key = JSON.stringify({ id, ...compared })
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

/** @param claimed references of rows of the customer: the sources of other rows are none of this one's */
function verdictOn(
  row: AskedRow,
  rows: readonly AskedRow[],
  sources: readonly ComparedSource[],
  claimed: ReadonlySet<string>,
): SourceVerdict {
  if (sources.length === 0) return judged('absent')
  const own = row.reference === null ? null : comparedReference(row.reference)
  const ofAccount = rows.filter(({ accountKey }) => accountKey === row.accountKey)
  const days = new Set<string | null>(ofAccount.map(({ signedDate }) => signedDate))
  const those: Record<SourceAgreement, ComparedSource[]> = {
    same: [],
    other_date: [],
    unclear: [],
    differs: [],
  }
  for (const each of sources) {
    if (each.reference !== null && each.reference !== own && claimed.has(each.reference)) continue
    const agreement = agreementOf(each, row)
    if (agreement !== 'other_date' || !days.has(each.date)) those[agreement].push(each)
  }
  const live = those.same.filter(({ isEnded }) => !isEnded)
  const isUnclear =
    those.unclear.some(({ isEnded }) => !isEnded || live.length === 0) ||
    (own !== null && live.some(({ reference }) => reference === null))
  if (isUnclear) return judged('unreadable', [], 'a source that could be this mandate lacks what is compared')
  if (live.length === 0) {
    if (those.other_date.length > 0) return judged('other', those.other_date, 'other_date')
    return those.same.length > 0 ? judged('other', those.same, 'ended') : judged('other', sources, 'differs')
  }
  const twins = ofAccount.filter(({ signedDate }) => signedDate === row.signedDate)
  if (own === null) {
    // The account number and the date are all there is to go by. A second mandate of a registered row has a reference that
    // nobody knows, so its registered twins count too.
    if (twins.length > 1) return judged('other', live, 'ambiguous')
    return judged(live.length === 1 ? 'proven' : 'twice', live)
  }
  // A second mandate of the same row has a reference of its own, so that all that agree are counted.
  const mine = live.filter(({ reference }) => reference === own)
  const more = live.filter(({ reference }) => reference !== own)
  if (mine.length === 0) return judged('other', more, 'differs')
  // What rows without a reference may explain is theirs to look at.
  const unreferenced = twins.filter(({ reference }) => reference === null)
  const isExplained = mine.length === 1 && more.length <= unreferenced.length
  return isExplained ? judged('proven', mine) : judged('twice', [...mine, ...more])
}

/** A payment source as it is kept: never an account in full. */
export type KeptSource = ReturnType<typeof kept>

/** A person looks at a few; a customer with more has them listed at the service. */
const MOST_KEPT = 10
/** The longest that an identifier of the interface can be, and a good deal more. */
const LONGEST = 140

export const evidenceOf = ({ verdict, why, sources }: SourceVerdict): ReadBackEvidence => ({
  verdict,
  why: why === null ? null : maskAccounts(why),
  sources: sources.slice(0, MOST_KEPT).map(kept),
})

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
export function beforeSending({
  verdict,
  why,
}: Pick<SourceVerdict, 'verdict' | 'why'>): 'send' | 'hold_back' | 'ask_again' {
  if (verdict === 'unreadable') return 'ask_again'
  return verdict === 'absent' || (verdict === 'other' && why === 'differs') ? 'send' : 'hold_back'
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
