import type { Choices } from '../choices.js'
import type { BillogramEvent, BillogramRequest, Offer, OfferRequest } from '../../contract/billogram.js'
import {
  HIDDEN_SIGN_KEY,
  sumsOf,
  type BillogramRecord,
  type PlainFields,
  remindersAfter,
} from './billogram-record.js'
import { done, refuseField, type Reply } from '../refusal.js'
import { z } from 'zod'
import { type Store, eventUuid } from '../store.js'

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
  if (request.currency !== undefined && accountCurrency !== null && request.currency !== accountCurrency)
    return refuseField(['currency'], `must be ${accountCurrency}, the currency of the creditor's country`)
  const unknown = (request.offers ?? []).findIndex(({ offer_id }) => context.findOfferId(offer_id) === null)
  if (unknown >= 0) return refuseField(['offers', unknown, 'offer_id'], 'does not name an existing offer')
  if (next.creditorUniqueValue !== null && context.isValueTaken(next.creditorUniqueValue))
    return refuseField(['creditor_unique_value'], 'is the value of another billogram')
  const tooLarge = Object.values(sumsOf(next)).some((sum) => !(Math.abs(sum) <= LARGEST_SUM))
  return tooLarge ? refuseField(['items'], 'give a sum that is too large') : null
}

/**
 * An update with what is stored in the place of every optional object or list that is null (choice 34). A null that
 * the schema allows, or that stands for anything else, stays for the schema to judge.
 */
export function withStoredParts(schema: z.core.$ZodType, sent: unknown, stored: unknown): unknown {
  const part = schema instanceof z.ZodOptional ? schema.unwrap() : schema
  if (part instanceof z.ZodArray && Array.isArray(sent))
    // A list replaces the stored one, so that no element has a stored one.
    return sent.map((element) => withStoredParts(part.element, element, undefined))
  if (!(part instanceof z.ZodObject) || !isRecord(sent)) return sent
  const fields = part.shape as Readonly<Record<string, z.core.$ZodType | undefined>>
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const [field, kept] = [fields[name], isRecord(stored) ? stored[name] : undefined]
      if (field === undefined) return [name, value]
      return [name, value === null && isPart(field) ? kept : withStoredParts(field, value, kept)]
    }),
  )
}

function isPart(schema: z.core.$ZodType): boolean {
  const part = schema instanceof z.ZodOptional ? schema.unwrap() : null
  return part instanceof z.ZodObject || part instanceof z.ZodArray
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Creates an offer; its id must be new, whatever its case. */
export function createOffer(
  request: OfferRequest,
  { store, now }: { readonly store: Store; readonly now: string },
): Reply<Offer> {
  if (store.offerById(request.offer_id) !== null)
    return refuseField(['offer_id'], 'must be unique: an offer with this id exists')
  const offer: Offer = { ...request, created_at: now, updated_at: now }
  store.addOffer(offer)
  return done(offer)
}
