import { z } from 'zod'
import { billogramEvent, failedDirectDebit } from './billogram.js'
import { parseJson } from '../domain/text/text.js'
import { tolerantObject, unreadable, type Content } from './envelope.js'
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The headers of a callback, in lower case (contract/README.md#callbacks). */
const TIMESTAMP_HEADER = 'billogram-request-timestamp'
const SIGNATURE_HEADER = 'billogram-signature'

/** As the service writes it. */
const callback = z.strictObject({
  callback_id: z.string(),
  callback_timestamp: z.union([z.string(), z.number()]),
  /** `BillogramEvent`, `PaymentRecalled`, `RecipientUpdated` and others. */
  callback_type: z.string(),
  /** As `callbacks.custom` of the billogram has it. */
  custom: z.string().nullable(),
  /** Of a `BillogramEvent`. */
  event: billogramEvent.optional(),
})

/** What may be missing or null does not fail a callback; fields that are not known stay as they came. */
export type Callback = Content<typeof callback, 'callback_type'>

const readObject = tolerantObject(callback, 'callback_type')
const looseFailure = failedDirectDebit.strip()

/** Reads a callback tolerantly, and proves nothing: verify it first. Never throws. */
export function readCallback(body: Uint8Array | string) {
  const json = parseJson(body)
  if (json === undefined) return unreadable('the body is not JSON')
  const reading = readObject(json)
  if (reading.kind === 'unreadable') return reading
  const { kind, content, leftOut } = reading
  return {
    kind,
    callback: content,
    /** Null unless the event is one; known by its two fields, since its type word is not published. */
    failedDirectDebit: looseFailure.safeParse(content.event?.data).data ?? null,
    /** Paths of documented fields that came in another shape and are missing from `callback`. */
    leftOut,
  }
}

/** A callback as it came in. */
interface CallbackRequest {
  /** Names in any case; of a `Request` of fetch give `Object.fromEntries(request.headers)`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As it was received: what a framework parsed and wrote anew has another signature. */
  readonly body: Uint8Array | string
}

/** Whether a callback was signed with `signKey`, the `callbacks.sign_key` of its billogram. Never throws. */
export function verifyCallback(request: CallbackRequest, signKey: string) {
  const { headers = {}, body } = Object(request) as Partial<CallbackRequest>
  // Anybody could sign with the empty key.
  if (signKey === '' || typeof signKey !== 'string') return refused('the signing key is empty')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return refused('the body is not what was received, bytes or text')
  const timestamp = oneHeader(headers, TIMESTAMP_HEADER)
  if (timestamp === null) return refused('it does not have one header Billogram-Request-Timestamp')
  const signature = digestIn(oneHeader(headers, SIGNATURE_HEADER) ?? '')
  if (signature === null) return refused('it does not have one header Billogram-Signature with a SHA-256')
  // The body as it was received stands behind the time.
  const expected = createHmac('sha256', signKey).update(`${timestamp}:`).update(body).digest()
  return timingSafeEqual(signature, expected)
    ? // Of the service, unchanged, and signed at that time. The service repeats, so know an event by its `event_uuid`.
      ({ kind: 'verified', timestamp } as const)
    : refused('its signature is not of this time, body and key')
}

/** Do not act on it. `reason` quotes neither header nor key. */
const refused = (reason: string) => ({ kind: 'refused', reason }) as const

function oneHeader(headers: CallbackRequest['headers'] | null, name: string): string | null {
  const values = Object.entries(headers ?? {}).flatMap(([key, value]) =>
    key.toLowerCase() === name ? value : [],
  )
  const [value] = values
  return values.length === 1 && value !== undefined && value !== '' ? value : null
}

/** How the service writes the 32 bytes is not published: in hex or base64 they are the same. */
function digestIn(text: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex')
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, 'base64') : null
}
