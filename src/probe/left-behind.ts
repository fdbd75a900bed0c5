import type { Mandate } from '../domain/mandate/mandate.js'
import { maskIban } from '../domain/text/masking.js'
import type { Observations, Purpose } from './observations.js'
import { listedIn, ownSources } from './own-sources.js'

/** A made-up mandate that the service holds, or may hold, until a person cancels it there. */
export interface LeftBehind {
  readonly customerNo: number
  /** The one it was made up with. */
  readonly reference: string
  readonly accountMasked: string
  readonly purposes: readonly Purpose[]
  /** `registered`: the service said so. `listed`: it lists it, and an answer was lost. `may_be`: nobody knows. */
  readonly certainty: 'registered' | 'listed' | 'may_be'
  /** References that the service assigned, by its answers and its list. */
  readonly assigned: readonly string[]
  /** Ids of its payment sources; empty where nothing was listed. */
  readonly ids: readonly string[]
}

/** Pure: what a probe leaves in the test environment, in the order in which it was sent. */
export function leftBehind(seen: Observations): readonly LeftBehind[] {
  const mandates = new Set(seen.posted.map(({ mandate }) => mandate))
  return [...mandates].flatMap((mandate) => ofMandate(mandate, seen) ?? [])
}

function ofMandate(mandate: Mandate, { posted: all, before, after }: Observations): LeftBehind | null {
  const posted = all.filter((each) => each.mandate === mandate)
  const references = posted.flatMap(({ outcome }) =>
    outcome.kind === 'registered' ? [outcome.value.mandateReference] : [],
  )
  const listed = ownSources(
    listedIn(after.get(mandate.customerNo)),
    listedIn(before.get(mandate.customerNo)),
    mandate,
    references,
  ).own
  const isOpen = posted.some(({ outcome }) => outcome.kind === 'in_doubt')
  if (references.length === 0 && listed.length === 0 && !isOpen) return null
  // By value: what merely looks like an account may be an id, which has to be whole to be of use.
  const shown = (texts: readonly (string | null)[]): readonly string[] => [
    ...new Set(texts.flatMap((text) => text?.replaceAll(mandate.iban, maskIban(mandate.iban)) ?? [])),
  ]
  return {
    customerNo: mandate.customerNo,
    reference: mandate.original.mandateReference,
    accountMasked: maskIban(mandate.iban),
    purposes: [...new Set(posted.map(({ purpose }) => purpose))],
    certainty: references.length > 0 ? 'registered' : listed.length > 0 ? 'listed' : 'may_be',
    assigned: shown([...references, ...listed.map(({ reference }) => reference)]),
    ids: shown(listed.map(({ id }) => id)),
  }
}
