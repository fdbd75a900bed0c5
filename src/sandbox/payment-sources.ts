import { SEPA_SCHEME, type PaymentSource } from '../contract/payment-source.js'
import type { Choices } from './choices.js'
import { paymentSourceId, referenceOfSource } from './identifiers.js'
import { done, refuse, type Reply } from './refusal.js'
import type { HeldMandate, Store } from './store.js'

interface SourceContext {
  readonly store: Store
  readonly choices: Choices
  readonly now: Date
  /** A mandate shows so long after it was registered. */
  readonly lagMs: number
}

/** What the sandbox truly holds of a customer, in the order of registration; empty becomes a 204. */
export const listSources = (customerNo: number, context: SourceContext): Reply<PaymentSource[]> =>
  done(
    context.store
      .mandatesOf(customerNo)
      .filter((mandate) => isShown(mandate, context))
      .map(toSource),
  )

/** Cancels a mandate; what was cancelled cannot be cancelled again. */
export function cancelSource(id: string, context: SourceContext): Reply<PaymentSource> {
  const reference = referenceOfSource(id)
  const mandate = reference === null ? null : context.store.mandateByReference(reference)
  if (mandate === null || !isShown(mandate, context))
    return refuse(404, 'NOT_FOUND', 'There is no payment source with this id')
  if (mandate.cancelled_at !== null)
    return refuse(400, 'INVALID_OBJECT_STATE', 'This payment source is cancelled already')
  const cancelledAt = context.now.toISOString()
  context.store.cancel(mandate.unique_mandate_reference, cancelledAt)
  return done(toSource({ ...mandate, cancelled_at: cancelledAt }))
}

function isShown(mandate: HeldMandate, { choices, now, lagMs }: SourceContext): boolean {
  if (mandate.cancelled_at !== null && choices.cancelledSources === 'gone') return false
  return Date.parse(mandate.registered_at) + lagMs <= now.getTime()
}

const toSource = (mandate: HeldMandate): PaymentSource => ({
  id: paymentSourceId(mandate.unique_mandate_reference),
  status: mandate.cancelled_at !== null ? 'CANCELLED' : mandate.finalised ? 'ACTIVE' : 'PENDING',
  scheme: SEPA_SCHEME,
  details: {
    reference: mandate.unique_mandate_reference,
    iban: mandate.iban,
    signed_at: `${mandate.signed_date}T00:00:00`,
  },
})
