import { z } from 'zod'
import type { AssignedIdentity, Mandate } from '../domain/mandate/mandate.js'
import { API_PREFIX, envelopeOf, looseEnvelopeOf, wireDate } from './envelope.js'

/** Registers a migrated mandate (contract/README.md#mandate). */
export const MIGRATE_PATH = `${API_PREFIX}/sepa_dd_mandate/migrate`

/** The mandate at the previous creditor. */
const amendment = z.strictObject({
  sepa_creditor_identifier: z.string(),
  unique_mandate_reference: z.string(),
})

const echoed = {
  customer_no: z.int().min(1),
  iban: z.string(),
  signed_date: wireDate,
}

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
export function toMigrateRequest(mandate: Mandate): MigrateRequest {
  return {
    customer_no: mandate.customerNo,
    iban: mandate.iban,
    signed_date: mandate.signedDate,
    amendment: {
      sepa_creditor_identifier: mandate.original.creditorIdentifier,
      unique_mandate_reference: mandate.original.mandateReference,
    },
  }
}

/** A readable answer. Whether the echo equals the request is for the caller to decide. */
export interface MigrateAnswer {
  /** The envelope's word, `OK` when all is well; null when it is missing. */
  readonly status: string | null
  /** As it came: a JSON integer, or text of digits (RESPONSE_CUSTOMER_TEXT). */
  readonly customerNo: number | string
  readonly iban: string
  /** As it came; compared as text, never parsed. */
  readonly signedDate: string
  /** Both are present and not blank; their form is not checked. */
  readonly assigned: AssignedIdentity
}

export type MigrateReading =
  | { readonly kind: 'read'; readonly answer: MigrateAnswer }
  /** `reason` names the first field that is missing or unreadable and never quotes its value. */
  | { readonly kind: 'unreadable'; readonly reason: string }

const visibleText = z.string().regex(/\S/, 'is blank')

const looseMandate = z.looseObject({
  customer_no: z.union([z.int(), z.string().regex(/^\d+$/, 'is not a number')], 'is not a customer number'),
  iban: visibleText,
  signed_date: visibleText,
  sepa_creditor_identifier: visibleText,
  unique_mandate_reference: visibleText,
})
const looseMigrateResponse = looseEnvelopeOf(looseMandate)

/** Reads the answer tolerantly: unknown fields are ignored, the five of `data` must be there. */
export function readMigrateAnswer(json: unknown): MigrateReading {
  const parsed = looseMigrateResponse.safeParse(json)
  if (!parsed.success) return { kind: 'unreadable', reason: firstProblem(parsed.error) }
  const { status, data } = parsed.data
  return {
    kind: 'read',
    answer: {
      status,
      customerNo: data.customer_no,
      iban: data.iban,
      signedDate: data.signed_date,
      assigned: {
        creditorIdentifier: data.sepa_creditor_identifier,
        mandateReference: data.unique_mandate_reference,
      },
    },
  }
}

function firstProblem(error: z.ZodError): string {
  const issue = error.issues[0]
  const place = issue === undefined || issue.path.length === 0 ? 'the answer' : issue.path.join('.')
  return `${place}: ${issue?.message ?? 'is unreadable'}`
}
