import { readBillogramAnswer } from '../contract/billogram.js'
import { readMigrateAnswer, type MigrateAnswer } from '../contract/migrate-mandate.js'
import { readOfferAnswer } from '../contract/offer.js'
import type { AssignedIdentity, Mandate } from '../domain/mandate/mandate.js'
import type { RuleId } from '../domain/rule/rules.js'
import { cleanCell, cleanIban } from '../domain/text/text.js'
import { noteAssigned, whyUnusable } from '../domain/value/identifiers.js'

/** What the JSON of a complete 2xx proves. */
export type Proof<Value> =
  | { readonly kind: 'proven'; readonly value: Value; readonly notes: readonly RuleId[] }
  | { readonly kind: 'unreadable'; readonly reason: string }
  /** The answer belongs to another request; `field` is the first one that differs. */
  | { readonly kind: 'mismatch'; readonly field: string }

type Read<Reader extends (json: unknown) => { readonly kind: string }> = Extract<
  ReturnType<Reader>,
  { readonly kind: 'read' }
>

/** A created offer, or an updated billogram, as the service described it. */
interface Described<Content> {
  readonly content: Content
  /** Paths of documented fields that came in an undocumented shape and are missing from `content`. */
  readonly leftOut: readonly string[]
}
export type OfferAnswer = Described<Read<typeof readOfferAnswer>['content']>
export type BillogramAnswer = Described<Read<typeof readBillogramAnswer>['content']>

/** Registered only if the answer is whole and names this very mandate (service/README.md#outcomes). */
export function proveRegistration(json: unknown, mandate: Mandate): Proof<AssignedIdentity> {
  const reading = readMigrateAnswer(json)
  if (reading.kind === 'unreadable') return reading
  const { answer } = reading
  const field = differingField(answer, mandate)
  if (field !== null) return { kind: 'mismatch', field }
  const reason = unusableIdentifier(answer.assigned)
  if (reason !== null) return { kind: 'unreadable', reason }
  const notes = [
    ...noteStatusWord(answer.status),
    ...(typeof answer.customerNo === 'string' ? (['RESPONSE_CUSTOMER_TEXT'] as const) : []),
    ...noteAssigned(mandate, answer.assigned),
  ]
  return { kind: 'proven', value: answer.assigned, notes }
}

function unusableIdentifier({ creditorIdentifier, mandateReference }: AssignedIdentity): string | null {
  const ofCreditor = whyUnusable(creditorIdentifier)
  if (ofCreditor !== null) return `sepa_creditor_identifier: ${ofCreditor}`
  const ofMandate = whyUnusable(mandateReference)
  return ofMandate === null ? null : `unique_mandate_reference: ${ofMandate}`
}

function differingField(answer: MigrateAnswer, mandate: Mandate): string | null {
  if (String(answer.customerNo) !== String(mandate.customerNo)) return 'customer_no'
  if (cleanIban(cleanCell(answer.iban)) !== mandate.iban) return 'iban'
  if (answer.signedDate !== mandate.signedDate) return 'signed_date'
  return null
}

/** Offer ids are compared without regard to case, as the service compares them. */
export function proveOffer(json: unknown, offerId: string): Proof<OfferAnswer> {
  const reading = readOfferAnswer(json)
  if (reading.kind === 'unreadable') return reading
  const { status, content, leftOut } = reading
  if (content.offer_id.toLowerCase() !== offerId.toLowerCase()) return { kind: 'mismatch', field: 'offer_id' }
  return { kind: 'proven', value: { content, leftOut }, notes: noteStatusWord(status) }
}

export function proveUpdate(json: unknown, id: string): Proof<BillogramAnswer> {
  const reading = readBillogramAnswer(json)
  if (reading.kind === 'unreadable') return reading
  const { status, content, leftOut } = reading
  if (content.id !== id) return { kind: 'mismatch', field: 'id' }
  return { kind: 'proven', value: { content, leftOut }, notes: noteStatusWord(status) }
}

const noteStatusWord = (status: string | null): RuleId[] => (status === 'OK' ? [] : ['RESPONSE_STATUS_WORD'])
