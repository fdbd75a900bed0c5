import { createHmac, timingSafeEqual } from 'node:crypto'
import { SIGNATURE_HEADER, signedBefore, TIMESTAMP_HEADER } from '../contract/callback.js'

/** A callback as it came in. */
interface CallbackRequest {
  /** Names in any case; of a `Request` of fetch give `Object.fromEntries(request.headers)`. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** As it was received: what a framework parsed and wrote anew has another signature. */
  readonly body: Uint8Array | string
}

type CallbackVerdict =
  /** Of the service, unchanged. `timestamp` is what was signed; the service repeats, so know an event by its `event_uuid`. */
  | { readonly kind: 'verified'; readonly timestamp: string }
  /** Do not act on it. `reason` quotes neither header nor key. */
  | { readonly kind: 'refused'; readonly reason: string }

/** Whether a callback was signed with `signKey`, the `callbacks.sign_key` of its billogram. Never throws. */
export function verifyCallback(request: CallbackRequest, signKey: string): CallbackVerdict {
  const { headers = {}, body } = Object(request) as Partial<CallbackRequest>
  // Anybody could sign with the empty key.
  if (signKey === '' || typeof signKey !== 'string') return refused('the signing key is empty')
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    return refused('the body is not what was received, bytes or text')
  const timestamp = oneHeader(headers, TIMESTAMP_HEADER)
  if (timestamp === null) return refused('it does not have one header Billogram-Request-Timestamp')
  const signature = digestIn(oneHeader(headers, SIGNATURE_HEADER) ?? '')
  if (signature === null) return refused('it does not have one header Billogram-Signature with a SHA-256')
  const expected = createHmac('sha256', signKey).update(signedBefore(timestamp)).update(body).digest()
  return timingSafeEqual(signature, expected)
    ? { kind: 'verified', timestamp }
    : refused('its signature is not of this time, body and key')
}

const refused = (reason: string): CallbackVerdict => ({ kind: 'refused', reason })

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
