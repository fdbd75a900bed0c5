import type { BillogramEvent, BillogramRequest } from '../../contract/billogram.js'
import { HIDDEN_SIGN_KEY, sumsOf, type BillogramRecord, type PlainFields } from './billogram-record.js'
import type { Choices } from '../choices.js'
import { eventUuid } from '../identifiers.js'
import { done, refuseField, type Reply } from '../refusal.js'
import { remindersAfter } from './reminders.js'

/** What an update may depend on beside the billogram itself. */
interface UpdateContext {
  readonly choices: Choices
  readonly seed: number
  /** ISO 8601, UTC. */
  readonly now: string
  /** The stored spelling of an offer's id, null for an unknown offer. */
  readonly findOfferId: (offerId: string) => string | null
  /** Whether another billogram than this one holds the value, without regard to case. */
  readonly isValueTaken: (value: string | number) => boolean
}

/** Amounts above this lose their cents in a JSON number. */
const LARGEST_SUM = 1e13

/** The billogram after an update, or why it cannot be updated. */
export function updateBillogram(
  current: BillogramRecord,
  request: BillogramRequest,
  context: UpdateContext,
): Reply<BillogramRecord> {
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
  const keeps = context.choices.omittedFields === 'keep'
  const base = keeps ? current : cleared(current)
  const fields = withKnownOffers(withStoredSignKey({ ...base.fields, ...sent }, current), context)
  const payments = registered_payments?.payments ?? []
  const next: BillogramRecord = {
    ...base,
    fields,
    creditorUniqueValue: uniqueValue === undefined ? base.creditorUniqueValue : uniqueValue,
    reminders: remindersAfter(base.reminders, { automatic_reminders, automatic_reminders_settings }),
    attachment: attachment === undefined ? base.attachment : attachment,
    paidSum: payments.reduce((sum, payment) => sum + payment.payment_amount, current.paidSum),
    updatedAt: context.now,
  }
  return (
    refusalOf(request, next, context) ??
    done(
      withEvents(
        next,
        context,
        payments.map((payment) => ({ type: 'Payment', data: { ...payment } })),
      ),
    )
  )
}

/** A billogram with further events, each with its own UUID. */
export function withEvents(
  record: BillogramRecord,
  context: { readonly seed: number; readonly now: string },
  happened: readonly Pick<BillogramEvent, 'type' | 'data'>[],
): BillogramRecord {
  const events = happened.map(({ type, data }, index) => ({
    type,
    created_at: context.now,
    event_uuid: eventUuid(context.seed, record.id, record.events.length + index),
    billogram_id: record.id,
    data,
  }))
  return { ...record, events: [...record.events, ...events] }
}

const cleared = (current: BillogramRecord): BillogramRecord => ({
  ...current,
  fields: { customer: {}, items: [] },
  creditorUniqueValue: null,
  reminders: { automatic: true, settings: null },
  attachment: null,
})

/** A client that sends back what it read must not turn the placeholder into the key. */
function withStoredSignKey(fields: PlainFields, current: BillogramRecord): PlainFields {
  const stored = current.fields.callbacks?.sign_key
  if (stored === undefined || fields.callbacks?.sign_key !== HIDDEN_SIGN_KEY) return fields
  return { ...fields, callbacks: { ...fields.callbacks, sign_key: stored } }
}

const withKnownOffers = (fields: PlainFields, { findOfferId }: UpdateContext): PlainFields =>
  fields.offers === undefined
    ? fields
    : {
        ...fields,
        offers: fields.offers.map(({ offer_id }) => ({ offer_id: findOfferId(offer_id) ?? offer_id })),
      }

function refusalOf(request: BillogramRequest, next: BillogramRecord, context: UpdateContext) {
  const { accountCurrency } = context.choices
  if (request.currency !== undefined && accountCurrency !== null && request.currency !== accountCurrency) {
    return refuseField(['currency'], `must be ${accountCurrency}, the currency of the creditor's country`)
  }
  const unknown = (request.offers ?? []).findIndex(({ offer_id }) => context.findOfferId(offer_id) === null)
  if (unknown >= 0) return refuseField(['offers', unknown, 'offer_id'], 'does not name an existing offer')
  if (next.creditorUniqueValue !== null && context.isValueTaken(next.creditorUniqueValue)) {
    return refuseField(['creditor_unique_value'], 'is the value of another billogram')
  }
  const tooLarge = Object.values(sumsOf(next)).some((sum) => !(Math.abs(sum) <= LARGEST_SUM))
  return tooLarge ? refuseField(['items'], 'give a sum that is too large') : null
}
