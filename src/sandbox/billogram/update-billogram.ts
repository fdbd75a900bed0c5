import {
  type Billogram,
  type BillogramEvent,
  type BillogramRequest,
  billogramRequest,
  type Offer,
  offerRequest,
  RESPONSE_ONLY_FIELDS,
} from '../../contract/billogram.js'
import {
  HIDDEN_SIGN_KEY,
  sumsOf,
  type BillogramRecord,
  type PlainFields,
  remindersAfter,
  toBillogram,
} from './billogram-record.js'
import { done, readBody, refuse, refuseField, type Reply } from '../refusal.js'
import type { Opened } from '../settings.js'
import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord, memberOf } from '../../contract/envelope.js'
import { EVENT_CALLBACK, SIGNATURE_HEADER, signedBefore, TIMESTAMP_HEADER } from '../../contract/callback.js'
import { isLoopback } from '../../domain/text/text.js'
import { z } from 'zod'
import { type Store, eventUuid } from '../store.js'

/** Amounts above this lose their cents in a JSON number. */
const LARGEST_SUM = 1e13

/** Updates a billogram and posts what happened. */
export function updateBillogram(body: unknown, id: string, parts: Opened): Reply<Billogram> {
  const { store, choices } = parts
  const current = store.billogramById(id)
  if (current === null) return refuse(404, 'NOT_FOUND', 'There is no billogram with this id')
  const sent = choices.nullParts === 'keep' ? withStoredParts(billogramRequest, body, current.fields) : body
  const request = readBody(billogramRequest, sent, RESPONSE_ONLY_FIELDS)
  if (request.kind === 'refused') return request
  const now = parts.now().toISOString()
  const next = recordAfter(current, request.content, now, parts)
  const refusal = refusalOf(request.content, next, parts)
  if (refusal !== null) return refusal
  const payments = request.content.registered_payments?.payments ?? []
  const happened = payments.map((payment) => ({ type: 'Payment', data: { ...payment } }))
  return done(keepBillogram(next, happened, now, parts))
}

function recordAfter(
  current: BillogramRecord,
  request: BillogramRequest,
  now: string,
  { choices, store }: Opened,
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
  const base = choices.omittedFields === 'keep' ? current : cleared(current)
  const payments = registered_payments?.payments ?? []
  return {
    ...base,
    fields: withKnownOffers(withStoredSignKey({ ...base.fields, ...sent }, current), store),
    creditorUniqueValue: uniqueValue === undefined ? base.creditorUniqueValue : uniqueValue,
    reminders: remindersAfter(base.reminders, { automatic_reminders, automatic_reminders_settings }),
    attachment: attachment === undefined ? base.attachment : attachment,
    paidSum: payments.reduce((sum, payment) => sum + payment.payment_amount, current.paidSum),
    updatedAt: now,
  }
}

/** Stores a billogram with what happened to it, each event with its own UUID, and posts the events. */
export function keepBillogram(
  record: BillogramRecord,
  happened: readonly Pick<BillogramEvent, 'type' | 'data'>[],
  now: string,
  parts: Opened,
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
  postCallbacks(kept.fields.callbacks, events, parts)
  return toBillogram(kept, parts.choices)
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

const withKnownOffers = (fields: PlainFields, store: Store): PlainFields =>
  fields.offers === undefined
    ? fields
    : {
        ...fields,
        offers: fields.offers.map(({ offer_id }) => ({
          offer_id: store.offerById(offer_id)?.offer_id ?? offer_id,
        })),
      }

function refusalOf(request: BillogramRequest, next: BillogramRecord, { choices, store }: Opened) {
  const { accountCurrency } = choices
  if (request.currency !== undefined && accountCurrency !== null && request.currency !== accountCurrency)
    return refuseField(['currency'], `must be ${accountCurrency}, the currency of the creditor's country`)
  const unknown = (request.offers ?? []).findIndex(({ offer_id }) => store.offerById(offer_id) === null)
  if (unknown >= 0) return refuseField(['offers', unknown, 'offer_id'], 'does not name an existing offer')
  const { creditorUniqueValue: value, id } = next
  if (value !== null && store.isUniqueValueTaken(value, id))
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
      const [field, kept] = [fields[name], memberOf(stored, name)]
      if (field === undefined) return [name, value]
      return [name, value === null && isPart(field) ? kept : withStoredParts(field, value, kept)]
    }),
  )
}

function isPart(schema: z.core.$ZodType): boolean {
  const part = schema instanceof z.ZodOptional ? schema.unwrap() : null
  return part instanceof z.ZodObject || part instanceof z.ZodArray
}

/** Creates an offer; its id must be new, whatever its case. */
export function createOffer(body: unknown, { store, now }: Opened): Reply<Offer> {
  const request = readBody(offerRequest, body)
  if (request.kind === 'refused') return request
  if (store.offerById(request.content.offer_id) !== null)
    return refuseField(['offer_id'], 'must be unique: an offer with this id exists')
  const at = now().toISOString()
  const offer = { ...request.content, created_at: at, updated_at: at }
  store.addOffer(offer)
  return done(offer)
}

const TIMEOUT_MS = 5_000

/** A callback that was not answered with success is repeated after so long (choice 15). */
const REPEATED_AFTER_MS = [1_000, 10_000]

/**
 * Posts events to `callbacks.url` without making anybody wait. The log gets one line per try; it names the event, never
 * the URL or a key.
 */
function postCallbacks(
  callbacks: PlainFields['callbacks'],
  events: readonly BillogramEvent[],
  { log, now, closing }: Opened,
): void {
  if (callbacks?.url === undefined) return
  const target = loopbackTarget(callbacks.url)
  for (const event of events) {
    const report = (end: string) => log(`callback ${event.type} of billogram ${event.billogram_id}: ${end}`)
    if (target === null) report('not sent, only loopback addresses over http are called')
    else void deliver(signed(callbacks, event, now()), target, report, closing)
  }
}

/** As published (contract/README.md#callbacks); without a key it goes unsigned. */
function signed(
  { custom, sign_key }: NonNullable<PlainFields['callbacks']>,
  event: BillogramEvent,
  now: Date,
) {
  const timestamp = now.toISOString()
  const body = JSON.stringify({
    callback_id: randomUUID(),
    callback_timestamp: timestamp,
    callback_type: EVENT_CALLBACK,
    custom: custom ?? null,
    event,
  })
  const signature = (key: string) =>
    createHmac('sha256', key)
      .update(signedBefore(timestamp) + body)
      .digest('hex')
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    [TIMESTAMP_HEADER]: timestamp,
    ...(sign_key === undefined ? {} : { [SIGNATURE_HEADER]: signature(sign_key) }),
  }
  return { headers, body }
}

/** A callback never leaves this computer. `localhost` is taken literally, so that no resolver is asked. */
function loopbackTarget(text: string): URL | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  if (url.hostname === 'localhost') url.hostname = '127.0.0.1'
  const isPlain = url.protocol === 'http:' && url.username === '' && url.password === ''
  return isPlain && isLoopback(url.hostname) ? url : null
}

async function deliver(
  callback: ReturnType<typeof signed>,
  target: URL,
  report: (end: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const waitMs of [0, ...REPEATED_AFTER_MS]) {
    try {
      if (waitMs > 0) await sleep(waitMs, undefined, { signal })
      const status = await send(callback, target, signal)
      report(`answered ${status}`)
      if (status >= 200 && status < 300) return
    } catch (error) {
      if (signal.aborted) return
      report(error instanceof Error ? error.message : 'unknown error')
    }
  }
}

const send = (
  { headers, body }: ReturnType<typeof signed>,
  target: URL,
  signal: AbortSignal,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const outgoing = request(target, { method: 'POST', headers, agent: false, signal })
    outgoing
      .setTimeout(TIMEOUT_MS, () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)))
      .on('response', (answer) => {
        answer.on('error', () => undefined).resume()
        resolve(answer.statusCode ?? 0)
      })
      .on('error', reject)
      .end(body)
  })
