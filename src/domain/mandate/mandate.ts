declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** A cleaned account number that passed every check that was set to error. */
export type Iban = Branded<'Iban'>
/** A cleaned creditor identifier, business code as written. */
export type CreditorIdentifier = Branded<'CreditorIdentifier'>
/** A mandate reference exactly as the debtor's bank knows it. */
export type MandateReference = Branded<'MandateReference'>
/** A calendar date as `YYYY-MM-DD`, never a point in time (domain/rulebook.md#today). */
export type LocalDate = Branded<'LocalDate'>

/** A mandate's identity at one creditor. The wire uses the same two names for both sides; our types never do. */
interface MandateIdentity {
  readonly creditorIdentifier: CreditorIdentifier
  readonly mandateReference: MandateReference
}

/** What the service gave back. Kept as it came: a malformed identifier never fails a row. */
export interface AssignedIdentity {
  readonly creditorIdentifier: string
  readonly mandateReference: string
}

/** One mandate as it will be sent (contract/README.md#mandate). `customerNo` is 1 to 2^53-1. */
export interface Mandate {
  readonly customerNo: number
  readonly iban: Iban
  readonly signedDate: LocalDate
  readonly original: MandateIdentity
}

/** That a mandate had another key until that day, by the keys before and since. */
export interface Amendment {
  readonly former: string
  readonly successor: string
  readonly day: LocalDate
}

/** What was collected of a mandate on one day. Null: nothing that can be compared was said. */
export interface CollectedMandate {
  readonly mandateKey: string
  readonly creditorIdentifier: string
  readonly mandateReference: string
  readonly iban: string | null
  readonly signedDate: string | null
  readonly day: LocalDate
  /** By a final or a one-off collection. */
  readonly endedOn: LocalDate | null
  readonly amendment: Amendment | null
}

/** The five values every row must have, by their names on the wire. */
export const REQUIRED_FIELDS = [
  'customer_no',
  'iban',
  'signed_date',
  'sepa_creditor_identifier',
  'unique_mandate_reference',
] as const
/** Columns that are checked when they are mapped. */
export const OPTIONAL_FIELDS = ['last_collection_date', 'status', 'sequence', 'scheme'] as const

/** Columns that say who pays: never sent, never checked, and kept among the cells alone. */
export const PAYER_FIELDS = ['payer_name', 'payer_org_no'] as const

export type RequiredField = (typeof REQUIRED_FIELDS)[number]
export type OptionalField = (typeof OPTIONAL_FIELDS)[number]
export type Field = RequiredField | OptionalField
/** What a column of an export may be for. */
export type ColumnField = Field | (typeof PAYER_FIELDS)[number]
export const FIELDS: readonly Field[] = [...REQUIRED_FIELDS, ...OPTIONAL_FIELDS]
