import { isValidIBAN } from 'ibantools'
import { maskAccounts, maskIban } from '../text/masking.js'
import { accountOf, datePartOf, type ListedSource, type SourceVerdict } from './match-sources.js'

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
