import { z } from 'zod'
import type { Mandate } from '../domain/mandate/mandate.js'
import { API_PREFIX, envelopeOf, looseEnvelopeOf, unreadableBy, wireDate } from './envelope.js'

/** Registers a migrated mandate (contract/README.md#mandate). */
export const MIGRATE_PATH = `${API_PREFIX}/sepa_dd_mandate/migrate`

/** The mandate at the previous creditor. */
const amendment = z.strictObject({
  sepa_creditor_identifier: z.string(),
  unique_mandate_reference: z.string(),
})

const echoed = { customer_no: z.int().min(1), iban: z.string(), signed_date: wireDate }

/** The request body: every field is required, no other is known. */
export const migrateRequest = z.strictObject({ ...echoed, amendment })
export type MigrateRequest = z.infer<typeof migrateRequest>

/** `data` of the answer. The two identifiers are the assigned ones. */
const migratedMandate = z.strictObject({
  ...echoed,
  sepa_creditor_identifier: z.string(),
  unique_mandate_reference: z.string(),
})
export type MigratedMandate = z.infer<typeof migratedMandate>

/** The whole answer, as the service must write it. */
export const migrateResponse = envelopeOf(migratedMandate)

/** The request for one mandate: the five values and nothing else. */
export const toMigrateRequest = (mandate: Mandate): MigrateRequest => ({
  customer_no: mandate.customerNo,
  iban: mandate.iban,
  signed_date: mandate.signedDate,
  amendment: {
    sepa_creditor_identifier: mandate.original.creditorIdentifier,
    unique_mandate_reference: mandate.original.mandateReference,
  },
})

const visibleText = z.string().regex(/\S/, 'is blank')

/** The five fields as they came; the identifiers are the assigned ones, whose form is not checked. */
const readableMandate = z.object({
  /** A JSON integer, or text of digits (RESPONSE_CUSTOMER_TEXT). */
  customer_no: z.union([z.int(), z.string().regex(/^\d+$/, 'is not a number')], 'is not a customer number'),
  iban: visibleText,
  /** Compared as text, never parsed. */
  signed_date: visibleText,
  sepa_creditor_identifier: visibleText,
  unique_mandate_reference: visibleText,
})
const looseMigrateResponse = looseEnvelopeOf(readableMandate)

/**
 * Reads the answer tolerantly: unknown fields are ignored, the five of `data` must be there. Whether the echo equals the
 * request is for the caller to decide. `status` is the envelope's word, `OK` when all is well; null when it is missing.
 */
export function readMigrateAnswer(json: unknown) {
  const parsed = looseMigrateResponse.safeParse(json)
  if (!parsed.success) return unreadableBy(parsed.error)
  const { status, data } = parsed.data
  return { kind: 'read' as const, status, data }
}
