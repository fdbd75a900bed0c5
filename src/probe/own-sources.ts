import type { Mandate } from '../domain/mandate/mandate.js'
import { accountOf, fold, type ListedSource } from '../domain/proof/match-sources.js'
import type { SourcesSeen } from '../service/read-back/classify-sources.js'

/** What a list holds of a made-up mandate. */
export interface OwnSources {
  readonly own: readonly ListedSource[]
  /** There are sources that came since, and neither account nor reference tells whether they are of this mandate. */
  readonly isUnclear: boolean
}

/**
 * Pure. Its account is nobody else's, so either the account or an assigned reference tells, whatever the rest of a source
 * is like: how the rest is written is one of the questions.
 * @param before what the customer had before the mandate was sent
 * @param references those that the service assigned to it, as far as they are known
 */
export function ownSources(
  sources: readonly ListedSource[],
  before: readonly ListedSource[],
  { iban }: Pick<Mandate, 'iban'>,
  references: readonly string[],
): OwnSources {
  const known = new Set(before.flatMap(({ id }) => (id === null ? [] : [id])))
  const assigned = new Set(references.map(fold))
  const since = distinct(sources.filter(({ id }) => id === null || !known.has(id)))
  const isOwn = (source: ListedSource): boolean =>
    accountOf(source.iban) === iban || (source.reference !== null && assigned.has(fold(source.reference)))
  return {
    own: since.filter(isOwn),
    isUnclear: since.some((source) => !isOwn(source) && accountOf(source.iban) === null),
  }
}

/** What was listed; nothing where no list came. */
export const listedIn = (seen: SourcesSeen | null | undefined): readonly ListedSource[] =>
  seen?.kind === 'listed' ? seen.sources : []

/** One that is listed twice is one. */
function distinct(sources: readonly ListedSource[]): readonly ListedSource[] {
  const ids = sources.map(({ id }) => id)
  return sources.filter(({ id }, index) => id === null || ids.indexOf(id) === index)
}
