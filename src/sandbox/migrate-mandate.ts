import type { Choices } from './choices.js'
import type { MigratedMandate, MigrateRequest } from '../contract/migrate-mandate.js'
import { done, refuse, refuseField, type Refusal, type Reply } from './refusal.js'
import {
  type HeldMandate,
  type Store,
  ASSIGNED_CREDITOR_IDENTIFIER,
  assignedReference,
  isIban,
  paymentSourceId,
  referenceOfSource,
} from './store.js'
import { SEPA_SCHEME, type PaymentSource } from '../contract/payment-source.js'

interface MigrateContext {
  readonly store: Store
  readonly choices: Choices
  readonly seed: number
  /** ISO 8601, UTC. */
  readonly now: string
  /** Header X-Request-Id, null where there was none. */
  readonly requestId: string | null
}

/** Registers a mandate. Unless a choice forbids it, the same request twice registers two. */
export function migrateMandate(request: MigrateRequest, context: MigrateContext): Reply<MigratedMandate> {
  const refusal = refusalOf(request, context)
  if (refusal !== null) return refusal
  const mandate: HeldMandate = {
    ...request,
    sepa_creditor_identifier: ASSIGNED_CREDITOR_IDENTIFIER,
    unique_mandate_reference: assignedReference(context.seed, context.store.nextMandateNumber()),
    registered_at: context.now,
    request_id: context.requestId,
    finalised: false,
    finalised_at: null,
    cancelled_at: null,
  }
  context.store.addMandate(mandate)
  return done(answerFor(mandate))
}

/** `data` of the answer. */
const answerFor = (mandate: HeldMandate): MigratedMandate => ({
  customer_no: mandate.customer_no,
  iban: mandate.iban,
  signed_date: mandate.signed_date,
  sepa_creditor_identifier: mandate.sepa_creditor_identifier,
  unique_mandate_reference: mandate.unique_mandate_reference,
})

function refusalOf(request: MigrateRequest, { store, choices }: MigrateContext): Refusal | null {
  const { iban, amendment, customer_no } = request
  if (choices.ibanCheck === 'checksum' && !isIban(iban))
    return refuseField(['iban'], 'is not a valid account number')
  const blank = (['sepa_creditor_identifier', 'unique_mandate_reference'] as const).find(
    (name) => amendment[name].trim() === '',
  )
  if (blank !== undefined) return refuseField(['amendment', blank], 'must not be blank')
  if (
    choices.repeatedMandate !== 'register' &&
    store.holdsOriginal(amendment.sepa_creditor_identifier, amendment.unique_mandate_reference)
  ) {
    const [status, code] =
      choices.repeatedMandate === 'refuse'
        ? ([400, 'INVALID_OBJECT_STATE'] as const)
        : ([409, 'CONFLICT'] as const)
    return refuse(status, code, 'This mandate is already registered', ['amendment'])
  }
  if (choices.secondMandateOfCustomer === 'refuse' && store.holdsMandateOf(customer_no))
    return refuse(400, 'INVALID_OBJECT_STATE', 'The customer already has a mandate', ['customer_no'])
  return null
}

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
