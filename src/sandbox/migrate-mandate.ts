import {
  type MigratedMandate,
  migrateRequest,
  type MigrateRequest,
  customerNoQuery,
  type PaymentSource,
  type Customer,
} from '../contract/mandates.js'
import { readBody, refuse, refuseField } from './refusal.js'
import type { OpenSandbox } from './settings.js'
import { ASSIGNED_CREDITOR_IDENTIFIER, assignedReference, type HeldMandate } from './store.js'
import { mod97 } from '../domain/text/accounts.js'
import { SEPA_SCHEME } from '../domain/proof/match-sources.js'

/** Whether an account number has the ISO 13616 form and right check digits. Nothing national is checked. */
const isIban = (text: string): boolean =>
  /^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$/.test(text) && mod97(text, 4) === 1

const SOURCE_PREFIX = 'ps-'

/** The assigned reference behind an id, or null for what is no such id. */
const referenceOfSource = (id: string): string | null =>
  id.startsWith(SOURCE_PREFIX) ? id.slice(SOURCE_PREFIX.length).toUpperCase() : null

/** Registers a mandate. Unless a choice forbids it, the same request twice registers two. */
export function migrateMandate(body: unknown, requestId: string | null, parts: OpenSandbox): MigratedMandate {
  const { store, seed, now } = parts
  const request = readBody(migrateRequest, body)
  refuseUnfit(request, parts)
  const { amendment: _original, ...echoed } = request
  const assigned = {
    sepa_creditor_identifier: ASSIGNED_CREDITOR_IDENTIFIER,
    unique_mandate_reference: assignedReference(seed, store.nextMandateNumber()),
  }
  store.addMandate({
    ...request,
    ...assigned,
    registered_at: now().toISOString(),
    request_id: requestId,
    finalised: false,
    finalised_at: null,
    cancelled_at: null,
  })
  return { ...echoed, ...assigned }
}

function refuseUnfit({ iban, amendment }: MigrateRequest, { store, choices }: OpenSandbox): void {
  if (!isIban(iban)) throw refuseField(['iban'], 'is not a valid account number')
  const blank = (['sepa_creditor_identifier', 'unique_mandate_reference'] as const).find(
    (name) => amendment[name].trim() === '',
  )
  if (blank !== undefined) throw refuseField(['amendment', blank], 'must not be blank')
  if (
    choices.repeatedMandate !== 'register' &&
    store.holdsOriginal(amendment.sepa_creditor_identifier, amendment.unique_mandate_reference)
  ) {
    const [status, code] =
      choices.repeatedMandate === 'refuse'
        ? ([400, 'INVALID_OBJECT_STATE'] as const)
        : ([409, 'CONFLICT'] as const)
    throw refuse(status, code, 'This mandate is already registered', ['amendment'])
  }
}

function customerNoIn(text: string): number {
  const customerNo = customerNoQuery.safeParse(text)
  if (!customerNo.success) throw refuseField(['customer_no'], 'must be an integer from 1')
  return customerNo.data
}

/** What the sandbox truly holds of a customer, in the order of registration; empty becomes a 204. */
export const listSources = (text: string, parts: OpenSandbox): PaymentSource[] =>
  parts.store
    .mandatesOf(customerNoIn(text))
    .filter((mandate) => isShown(mandate, parts))
    .map(toSource)

/** Cancels a mandate; what was cancelled cannot be cancelled again. */
export function cancelSource(id: string, parts: OpenSandbox): PaymentSource {
  const reference = referenceOfSource(id)
  const mandate = reference === null ? null : parts.store.mandateByReference(reference)
  if (mandate === null || !isShown(mandate, parts))
    throw refuse(404, 'NOT_FOUND', 'There is no payment source with this id')
  if (mandate.cancelled_at !== null)
    throw refuse(400, 'INVALID_OBJECT_STATE', 'This payment source is cancelled already')
  const cancelledAt = parts.now().toISOString()
  parts.store.cancel(mandate.unique_mandate_reference, cancelledAt)
  return toSource({ ...mandate, cancelled_at: cancelledAt })
}

function isShown(mandate: HeldMandate, { choices, now, readBackLagMs }: OpenSandbox): boolean {
  if (mandate.cancelled_at !== null && choices.cancelledSources === 'gone') return false
  return Date.parse(mandate.registered_at) + readBackLagMs <= now().getTime()
}

const toSource = (mandate: HeldMandate): PaymentSource => ({
  id: SOURCE_PREFIX + mandate.unique_mandate_reference.toLowerCase(),
  status: mandate.cancelled_at !== null ? 'CANCELLED' : mandate.finalised ? 'ACTIVE' : 'PENDING',
  scheme: SEPA_SCHEME,
  details: {
    reference: mandate.unique_mandate_reference,
    iban: mandate.iban,
    signed_at: `${mandate.signed_date}T00:00:00`,
  },
})

const MADE_AT = '2020-01-01T00:00:00Z'

/** Those of the file and nobody else; without a file everybody, with a name that the seed decides. */
export function findCustomer(text: string, { customers, seed }: OpenSandbox): Customer {
  const customerNo = customerNoIn(text)
  const made = { name: `Customer ${assignedReference(seed, customerNo).slice(0, 8)}` }
  const known = customers === null ? made : customers.get(customerNo)
  if (known === undefined) throw refuse(404, 'NOT_FOUND', 'There is no customer with this number')
  const { contact_name: name, ...own } = { contact_name: known.name, org_no: '', ...known }
  return {
    ...own,
    ...{ customer_no: customerNo, vat_no: '', language: 'en', company_type: 'individual', notes: '' },
    contact: { name, email: '', phone: '' },
    address: { address_line_1: '1 Sandbox Street', zipcode: '10000', city: 'Sandbox', country: 'DE' },
    ...{ payment_settings: {}, links: {}, created_at: MADE_AT, updated_at: MADE_AT },
  }
}
