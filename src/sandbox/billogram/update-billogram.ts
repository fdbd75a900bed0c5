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
import type { OpenSandbox } from '../settings.js'
import { createHmac, randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_CALLBACK, SIGNATURE_HEADER, signedBefore, TIMESTAMP_HEADER } from '../../contract/callback.js'
import { isLoopback } from '../../domain/text/text.js'
import { type Store, eventUuid } from '../store.js'

/** Amounts above this lose their cents in a JSON number. */
const LARGEST_SUM = 1e13

/** The one that the creditor's country allows: choice 9 of sandbox/choices.md. */
const ACCOUNT_CURRENCY = 'EUR'

/** Updates a billogram and posts what happened. */
export function updateBillogram(body: unknown, id: string, parts: OpenSandbox): Reply<Billogram> {
  const current = parts.store.billogramById(id)
  if (current === null) return refuse(404, 'NOT_FOUND', 'There is no billogram with this id')
  const request = readBody(billogramRequest, body, RESPONSE_ONLY_FIELDS)
  if (request.kind === 'refused') return request
  const now = parts.now().toISOString()
  const next = recordAfter(current, request.content, now, parts.store)
  const refusal = refusalOf(request.content, next, parts.store)
  if (refusal !== null) return refusal
  const payments = request.content.registered_payments?.payments ?? []
  const happened = payments.map((payment) => ({ type: 'Payment', data: { ...payment } }))
  return done(keepBillogram(next, happened, now, parts))
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

/** Stores a billogram with what happened to it, each event with its own UUID, and posts the events. */
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
  postCallbacks(kept.fields.callbacks, events, parts)
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

function refusalOf(request: BillogramRequest, next: BillogramRecord, store: Store) {
  if ((request.currency ?? ACCOUNT_CURRENCY) !== ACCOUNT_CURRENCY)
    return refuseField(['currency'], `must be ${ACCOUNT_CURRENCY}, the currency of the creditor's country`)
  const unknown = (request.offers ?? []).findIndex(({ offer_id }) => store.offerById(offer_id) === null)
  if (unknown >= 0) return refuseField(['offers', unknown, 'offer_id'], 'does not name an existing offer')
  const { creditorUniqueValue: value, id } = next
  if (value !== null && store.isUniqueValueTaken(value, id))
    return refuseField(['creditor_unique_value'], 'is the value of another billogram')
  const tooLarge = Object.values(sumsOf(next)).some((sum) => !(Math.abs(sum) <= LARGEST_SUM))
  return tooLarge ? refuseField(['items'], 'give a sum that is too large') : null
}

/** Creates an offer; its id must be new, whatever its case. */
export function createOffer(body: unknown, { store, now }: OpenSandbox): Reply<Offer> {
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
  { log, now, closing }: OpenSandbox,
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
