import { isValidIBAN } from 'ibantools'
import { maskAccounts, maskIban } from '../text/masking.js'
import { accountOf, datePartOf, type ListedSource, type Verdict } from './match-sources.js'

export const VERDICTS = ['proven', 'twice', 'absent', 'other', 'unreadable'] as const
export type VerdictKind = (typeof VERDICTS)[number]

/** A payment source as it is kept: never an account in full. */
export interface KeptSource {
  /** Whole, since a person cancels by it. */
  readonly id: string | null
  readonly status: string | null
  readonly reference: string | null
  readonly accountMasked: string | null
  /** YYYY-MM-DD; null for what is no date. */
  readonly signedDate: string | null
}

/** What a list of payment sources says about one row, as it is kept. */
export interface Evidence {
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

export function evidenceOf(verdict: Verdict): Evidence {
  switch (verdict.kind) {
    case 'proven':
      return { verdict: 'proven', why: null, sources: [kept(verdict.source)] }
    case 'twice':
      return { verdict: 'twice', why: null, sources: keptOf(verdict.sources) }
    case 'absent':
      return { verdict: 'absent', why: null, sources: [] }
    case 'other':
      return { verdict: 'other', why: verdict.why, sources: keptOf(verdict.sources) }
    case 'unreadable':
      return { verdict: 'unreadable', why: maskAccounts(verdict.reason), sources: [] }
  }
}

const keptOf = (sources: readonly ListedSource[]): readonly KeptSource[] =>
  sources.slice(0, MOST_KEPT).map(kept)

function kept({ id, status, reference, iban, signedAt }: ListedSource): KeptSource {
  const account = accountOf(iban)
  // What merely looks like an account number may be an id, which is of use only whole.
  const shown = (text: string | null): string | null => {
    if (text === null) return null
    const named = accountOf(text)
    if (named !== null && isValidIBAN(named)) return maskIban(named)
    return (account === null ? text : text.replaceAll(account, maskIban(account))).slice(0, LONGEST)
  }
  return {
    id: shown(id),
    status: status === null ? null : maskAccounts(status).slice(0, LONGEST),
    reference: shown(reference),
    accountMasked: account === null ? null : maskIban(account),
    signedDate: datePartOf(signedAt),
  }
}
