import {
  type Billogram,
  type BillogramEvent,
  type BillogramRequest,
  billogramRequest,
  type Offer,
  offerRequest,
  RESPONSE_ONLY_FIELDS,
  type BillogramItem,
  type Reminder,
} from '../../contract/billogram.js'
import { readBody, refuse, refuseField } from '../refusal.js'
import type { OpenSandbox } from '../settings.js'
import { type BillogramRecord, eventUuid, type PlainFields, type Reminders, type Store } from '../store.js'
import starting from './starting-billograms.json' with { type: 'json' }

/** What answers show instead of a signing key (`callbacks`). Sent back, it leaves a stored key as it is. */
const HIDDEN_SIGN_KEY = '<SIGNING_SECRET>'

/** The business account's own, used where a billogram has none: choice 10 of sandbox/choices.md. */
const ACCOUNT_REMINDERS: readonly Reminder[] = [
  { delay_days: 14, message: 'Your invoice is overdue', type: 'Email' },
]

/** The billogram as an answer shows it. */
export function toBillogram(record: BillogramRecord): Billogram {
  const { callbacks, ...fields } = record.fields
  const { total_sum, ...sums } = sumsOf(record)
  return {
    id: record.id,
    ...fields,
    ...(callbacks === undefined ? {} : { callbacks: withoutSecret(callbacks) }),
    creditor_unique_value: record.creditorUniqueValue,
    automatic_reminders: record.reminders.automatic,
    automatic_reminders_settings: [...(record.reminders.settings ?? ACCOUNT_REMINDERS)],
    attachment: record.attachment,
    events: [...record.events],
    delivery_method: 'Email',
    state: record.paidSum > 0 && sums.remaining_sum <= 0 ? 'Paid' : 'Unpaid',
    url: null,
    recipient_url: null,
    recipient_overview_url: null,
    flags: [],
    interest_fee: 0,
    remaining_sum: sums.remaining_sum,
    total_sum,
    rounding_value: 0,
    reminder_count: 0,
    detailed_sums: { ...sums, regional_sweden: { rotavdrag_sum: 0 } },
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}

const withoutSecret = (callbacks: NonNullable<PlainFields['callbacks']>) =>
  callbacks.sign_key === undefined ? callbacks : { ...callbacks, sign_key: HIDDEN_SIGN_KEY }

const toCents = (amount: number): number => Math.round(amount * 100) / 100

const netOf = ({ count = 1, price = 0, discount = 0 }: BillogramItem): number =>
  toCents(count * price * (1 - discount / 100))

/** `total_sum` and `detailed_sums`. How the service computes them is not shown: choice 12 of sandbox/choices.md. */
function sumsOf({ fields, paidSum }: BillogramRecord) {
  const net = fields.items.reduce((sum, item) => sum + netOf(item), 0)
  const vat = fields.items.reduce((sum, item) => sum + toCents((netOf(item) * (item.vat ?? 0)) / 100), 0)
  const invoiceFee = fields.invoice_fee ?? 0
  const invoiceFeeVat = fields.invoice_fee_vat ?? 0
  const gross = toCents(net + vat)
  const total = toCents(gross + invoiceFee + invoiceFeeVat)
  return {
    total_sum: total,
    net_sum: toCents(net),
    vat_sum: toCents(vat),
    invoice_fee: invoiceFee,
    invoice_fee_vat: invoiceFeeVat,
    reminder_fee: fields.reminder_fee ?? 0,
    interest_fee: 0,
    rounding: 0,
    gross_sum: gross,
    credited_sum: 0,
    collector_paid_sum: 0,
    paid_sum: toCents(paidSum),
    remaining_sum: toCents(total - paidSum),
  }
}

type SubmittedReminders = Pick<BillogramRequest, 'automatic_reminders' | 'automatic_reminders_settings'>

/** The reminders after an update: the three rules of contract/README.md#billogram. */
function remindersAfter(current: Reminders, submitted: SubmittedReminders): Reminders {
  const { automatic_reminders: automatic, automatic_reminders_settings: settings } = submitted
  if (settings === undefined) return withFlagAlone(current, automatic)
  // Rule 2: the empty list switches reminders off, whatever the flag says.
  if (settings?.length === 0) return { automatic: false, settings }
  // Rule 1: settings without the flag switch them on. Rule 3: null stands for the account's settings.
  return { automatic: automatic ?? true, settings }
}

/** A flag of true cannot mean the empty list, so the account's settings take its place (choice 13). */
function withFlagAlone(current: Reminders, automatic: boolean | undefined): Reminders {
  if (automatic === undefined) return current
  return { automatic, settings: automatic && current.settings?.length === 0 ? null : current.settings }
}

/** The billograms a new sandbox starts from, since the interface has no operation that creates one. */
export const STARTING_BILLOGRAMS = starting as readonly BillogramRecord[]

/** Amounts above this lose their cents in a JSON number. */
const LARGEST_SUM = 1e13

/** The one that the creditor's country allows: choice 9 of sandbox/choices.md. */
const ACCOUNT_CURRENCY = 'EUR'

/** The billogram of an id. */
export function billogramOf(id: string, store: Store): BillogramRecord {
  const record = store.billogramById(id)
  if (record === null) throw refuse(404, 'NOT_FOUND', 'There is no billogram with this id')
  return record
}

/** Updates a billogram and keeps what happened. */
export function updateBillogram(body: unknown, id: string, parts: OpenSandbox): Billogram {
  const current = billogramOf(id, parts.store)
  const request = readBody(billogramRequest, body, RESPONSE_ONLY_FIELDS)
  const now = parts.now().toISOString()
  const next = recordAfter(current, request, now, parts.store)
  refuseUnfit(request, next, parts.store)
  const payments = request.registered_payments?.payments ?? []
  const happened = payments.map((payment) => ({ type: 'Payment', data: { ...payment } }))
  return keepBillogram(next, happened, now, parts)
}

function recordAfter(
  current: BillogramRecord,
  request: BillogramRequest,
  now: string,
  store: Store,
): BillogramRecord {
  const {
    creditor_unique_value: uniqueValue,
    automatic_reminders,
    automatic_reminders_settings,
    attachment,
    registered_payments,
    return_data: _selectsNothing,
    detailed_sums: _computed,
    ...sent
  } = request
  const payments = registered_payments?.payments ?? []
  return {
    ...current,
    fields: withKnownOffers(withStoredSignKey({ ...current.fields, ...sent }, current), store),
    creditorUniqueValue: uniqueValue === undefined ? current.creditorUniqueValue : uniqueValue,
    reminders: remindersAfter(current.reminders, { automatic_reminders, automatic_reminders_settings }),
    attachment: attachment === undefined ? current.attachment : attachment,
    paidSum: payments.reduce((sum, payment) => sum + payment.payment_amount, current.paidSum),
    updatedAt: now,
  }
}

/** Stores a billogram with what happened to it, each event with its own UUID. */
export function keepBillogram(
  record: BillogramRecord,
  happened: readonly Pick<BillogramEvent, 'type' | 'data'>[],
  now: string,
  parts: OpenSandbox,
): Billogram {
  const events = happened.map(({ type, data }, index) => ({
    type,
    created_at: now,
    event_uuid: eventUuid(parts.seed, record.id, record.events.length + index),
    billogram_id: record.id,
    data,
  }))
  const kept = { ...record, events: [...record.events, ...events] }
  parts.store.putBillogram(kept)
  return toBillogram(kept)
}

/** A client that sends back what it read must not turn the placeholder into the key. */
function withStoredSignKey(fields: PlainFields, current: BillogramRecord): PlainFields {
  const stored = current.fields.callbacks?.sign_key
  if (stored === undefined || fields.callbacks?.sign_key !== HIDDEN_SIGN_KEY) return fields
  return { ...fields, callbacks: { ...fields.callbacks, sign_key: stored } }
}

const withKnownOffers = (fields: PlainFields, store: Store): PlainFields =>
  fields.offers === undefined
    ? fields
    : {
        ...fields,
        offers: fields.offers.map(({ offer_id }) => ({
          offer_id: store.offerById(offer_id)?.offer_id ?? offer_id,
        })),
      }

function refuseUnfit(request: BillogramRequest, next: BillogramRecord, store: Store): void {
  if ((request.currency ?? ACCOUNT_CURRENCY) !== ACCOUNT_CURRENCY)
    throw refuseField(['currency'], `must be ${ACCOUNT_CURRENCY}, the currency of the creditor's country`)
  const unknown = (request.offers ?? []).findIndex(({ offer_id }) => store.offerById(offer_id) === null)
  if (unknown >= 0) throw refuseField(['offers', unknown, 'offer_id'], 'does not name an existing offer')
  const { creditorUniqueValue: value, id } = next
  if (value !== null && store.isUniqueValueTaken(value, id))
    throw refuseField(['creditor_unique_value'], 'is the value of another billogram')
  const tooLarge = Object.values(sumsOf(next)).some((sum) => !(Math.abs(sum) <= LARGEST_SUM))
  if (tooLarge) throw refuseField(['items'], 'give a sum that is too large')
}

/** Creates an offer; its id must be new, whatever its case. */
export function createOffer(body: unknown, { store, now }: OpenSandbox): Offer {
  const request = readBody(offerRequest, body)
  if (store.offerById(request.offer_id) !== null)
    throw refuseField(['offer_id'], 'must be unique: an offer with this id exists')
  const at = now().toISOString()
  const offer = { ...request, created_at: at, updated_at: at }
  store.addOffer(offer)
  return offer
}
