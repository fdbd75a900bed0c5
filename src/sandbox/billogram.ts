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
} from '../contract/billogram.js'
import { z } from 'zod'
import { isRecord } from '../domain/text/text.js'
import { readBody, refuse, refuseField } from './refusal.js'
import type { OpenSandbox } from './settings.js'
import { eventUuid, type Store } from './store.js'
import starting from './starting-billograms.json' with { type: 'json' }

/** What stands instead of a signing key, which is kept nowhere: choice 16 of sandbox/choices.md. */
const HIDDEN_SIGN_KEY = '<SIGNING_SECRET>'

/** The business account's own, used where a billogram has none: choice 10 of sandbox/choices.md. */
const ACCOUNT_REMINDERS: Reminder[] = [{ delay_days: 14, message: 'Your invoice is overdue', type: 'Email' }]

/** What nothing was said of. */
const USUAL = {
  ...{ creditor_unique_value: null, attachment: null, automatic_reminders: true, delivery_method: 'Email' },
  automatic_reminders_settings: ACCOUNT_REMINDERS,
  ...{ url: null, recipient_url: null, recipient_overview_url: null },
  ...{ events: [], flags: [], interest_fee: 0, rounding_value: 0, reminder_count: 0 },
}

const toCents = (amount: number): number => Math.round(amount * 100) / 100

const netOf = ({ count = 1, price = 0, discount = 0 }: BillogramItem): number =>
  toCents(count * price * (1 - discount / 100))

type Priced = Pick<Billogram, 'items' | 'invoice_fee' | 'invoice_fee_vat' | 'reminder_fee'>

/** State and sums. How the service computes them is not shown: choice 12 of sandbox/choices.md. */
function sumsOf({ items, invoice_fee = 0, invoice_fee_vat = 0, reminder_fee = 0 }: Priced, paid: number) {
  const net = items.reduce((sum, item) => sum + netOf(item), 0)
  const vat = items.reduce((sum, item) => sum + toCents((netOf(item) * (item.vat ?? 0)) / 100), 0)
  const gross_sum = toCents(net + vat)
  const total_sum = toCents(gross_sum + invoice_fee + invoice_fee_vat)
  const remaining_sum = toCents(total_sum - paid)
  return {
    state: paid > 0 && remaining_sum <= 0 ? 'Paid' : 'Unpaid',
    ...{ total_sum, remaining_sum },
    detailed_sums: {
      ...{ net_sum: toCents(net), vat_sum: toCents(vat), invoice_fee, invoice_fee_vat, reminder_fee },
      ...{ interest_fee: 0, rounding: 0, gross_sum, credited_sum: 0, collector_paid_sum: 0 },
      ...{ paid_sum: toCents(paid), remaining_sum, regional_sweden: { rotavdrag_sum: 0 } },
    },
  }
}

type Reminders = Pick<Billogram, 'automatic_reminders' | 'automatic_reminders_settings'>
type SubmittedReminders = Pick<BillogramRequest, keyof Reminders>

/** The reminders after an update: the three rules of contract/README.md#billogram. */
function remindersAfter(current: Reminders, submitted: SubmittedReminders): Reminders {
  const { automatic_reminders: automatic, automatic_reminders_settings: settings } = submitted
  if (settings === undefined) return withFlagAlone(current, automatic)
  // Rule 2: the empty list switches reminders off, whatever the flag says.
  if (settings?.length === 0) return { automatic_reminders: false, automatic_reminders_settings: [] }
  // Rule 1: settings without the flag switch them on. Rule 3: null stands for the account's settings.
  return {
    automatic_reminders: automatic ?? true,
    automatic_reminders_settings: settings ?? ACCOUNT_REMINDERS,
  }
}

/** A flag of true cannot mean the empty list, so the account's settings take its place (choice 13). */
function withFlagAlone(current: Reminders, automatic = current.automatic_reminders): Reminders {
  const settings = current.automatic_reminders_settings
  const isEmpty = automatic === true && settings.length === 0
  return {
    automatic_reminders: automatic,
    automatic_reminders_settings: isEmpty ? ACCOUNT_REMINDERS : settings,
  }
}

/** The billograms a new sandbox starts from, since the interface has no operation that creates one. */
export const STARTING_BILLOGRAMS: readonly Billogram[] = (starting as Pick<Billogram, StartsWith>[]).map(
  (given) => ({ ...USUAL, ...given, ...sumsOf(given, 0) }),
)
type StartsWith = 'id' | 'customer' | 'items' | 'created_at' | 'updated_at'

/** Amounts above this lose their cents in a JSON number. */
const LARGEST_SUM = 1e13

/** The one that the creditor's country allows: choice 9 of sandbox/choices.md. */
const ACCOUNT_CURRENCY = 'EUR'

/** The billogram of an id. */
export function billogramOf(id: string, store: Store): Billogram {
  const billogram = store.billogramById(id)
  if (billogram === null) throw refuse(404, 'NOT_FOUND', 'There is no billogram with this id')
  return billogram
}

/** Without what may be left out, is an object or a list, and is null: it stays as it is stored (choice 34). */
function withoutNullParts(body: unknown): unknown {
  if (!isRecord(body)) return body
  const parts = Object.entries(billogramRequest.shape).flatMap(([name, field]) => {
    const part = field instanceof z.ZodOptional ? field.unwrap() : null
    return part instanceof z.ZodObject || part instanceof z.ZodArray ? [name] : []
  })
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== null || !parts.includes(name)),
  )
}

/** Updates a billogram and keeps what happened. */
export function updateBillogram(body: unknown, id: string, parts: OpenSandbox): Billogram {
  const { store } = parts
  const current = billogramOf(id, store)
  const given = parts.choices.nullParts === 'keep' ? withoutNullParts(body) : body
  const request = readBody(billogramRequest, given, RESPONSE_ONLY_FIELDS)
  const { return_data: _selectsNothing, registered_payments, detailed_sums: _computed, ...sent } = request
  const { creditor_unique_value, attachment, callbacks, offers } = { ...current, ...sent }
  const payments = registered_payments?.payments ?? []
  const already = current.detailed_sums?.paid_sum ?? 0
  const paid = payments.reduce((sum, payment) => sum + payment.payment_amount, already)
  const key = callbacks?.sign_key === undefined ? {} : { sign_key: HIDDEN_SIGN_KEY }
  const now = parts.now().toISOString()
  const next: Billogram = {
    ...{ ...current, ...sent, ...sumsOf({ ...current, ...sent }, paid), ...remindersAfter(current, sent) },
    creditor_unique_value: creditor_unique_value ?? null,
    attachment: attachment ?? null,
    callbacks: callbacks && { ...callbacks, ...key },
    // As they were created, whatever their letter case here.
    offers: offers?.map((offer) => ({
      offer_id: store.offerById(offer.offer_id)?.offer_id ?? offer.offer_id,
    })),
    updated_at: now,
  }
  refuseUnfit(request, next, store)
  const happened = payments.map((payment) => ({ type: 'Payment', data: { ...payment } }))
  return keepBillogram(next, happened, now, parts)
}

/** Stores a billogram with what happened to it, each event with its own UUID. */
export function keepBillogram(
  billogram: Billogram,
  happened: readonly Pick<BillogramEvent, 'type' | 'data'>[],
  now: string,
  { seed, store }: OpenSandbox,
): Billogram {
  const { id, events: earlier } = billogram
  const events = happened.map(({ type, data }, index) => {
    const event_uuid = eventUuid(seed, id, earlier.length + index)
    return { type, created_at: now, event_uuid, billogram_id: id, data }
  })
  const kept = { ...billogram, events: [...earlier, ...events] }
  store.putBillogram(kept)
  return kept
}

function refuseUnfit(request: BillogramRequest, next: Billogram, store: Store): void {
  if ((request.currency ?? ACCOUNT_CURRENCY) !== ACCOUNT_CURRENCY)
    throw refuseField(['currency'], `must be ${ACCOUNT_CURRENCY}, the currency of the creditor's country`)
  const unknown = (request.offers ?? []).findIndex(({ offer_id }) => store.offerById(offer_id) === null)
  if (unknown >= 0) throw refuseField(['offers', unknown, 'offer_id'], 'does not name an existing offer')
  const { creditor_unique_value: value, id, total_sum, detailed_sums } = next
  if (value !== null && store.isUniqueValueTaken(value, id))
    throw refuseField(['creditor_unique_value'], 'is the value of another billogram')
  const { regional_sweden: _none, ...sums } = { total_sum, ...detailed_sums }
  const tooLarge = Object.values(sums).some((sum = 0) => !(Math.abs(sum) <= LARGEST_SUM))
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
