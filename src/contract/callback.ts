import { z } from 'zod'
import { billogramEvent, failedDirectDebit } from './billogram.js'
import { parseJson } from '../domain/text/text.js'
import { tolerantObject, unreadable, type Content } from './envelope.js'
/** The headers of a callback, in lower case (contract/README.md#callbacks). */
export const TIMESTAMP_HEADER = 'billogram-request-timestamp'
export const SIGNATURE_HEADER = 'billogram-signature'

/** What is signed: these bytes, then those of the body as they were received. */
export const signedBefore = (timestamp: string): string => `${timestamp}:`

/** The callback type that carries an event of a billogram. */
export const EVENT_CALLBACK = 'BillogramEvent'

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
