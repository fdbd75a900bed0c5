import type { Field } from '../../domain/mandate/mandate.js'
import { fold } from '../../domain/text/text.js'

/**
 * Headers of known exports (domain/rulebook.md#header-folding). An explicit mapping in the configuration always wins
 * over them.
 */

export const FIELD_HEADERS: Readonly<Record<Field, readonly string[]>> = {
  customer_no: ['customer_no'],
  iban: [
    'IBAN',
    'MIBAN',
    'Kontonummer bzw. IBAN',
    'Beg/Zahlpfl KontoNr bzw. IBAN',
    'bank_account.iban',
    'debtor iban',
    'dbtr iban',
    'DbtrAcct/Id/IBAN',
    'consumerAccount',
    'rekeningnummer',
    'account number',
    'bank_account.account_number',
  ],
  unique_mandate_reference: [
    'Mandatsreferenz',
    'Mandatsreferenznummer',
    'SEPA-Mandatsreferenz',
    'Mandat-ID',
    'Mandats-ID',
    'SEPA-Mandats-ID',
    'Mandat-Nr.',
    'Mandats-Nr.',
    'Mandatnummer',
    'Mandatsnummer',
    'SEPA-Mandatsnummer',
    'Mandatsref.',
    'SEPA-Mandatsreferenznummer',
    'Mandatskennung',
    'Mandat',
    'mandate reference',
    'mandate_reference',
    'mandateReference',
    'mandate id',
    'MndtId',
    'mandateNumber',
    'unique_mandate_reference',
    'UMR',
    'RUM',
    'ID_MANDAT',
    'machtigingskenmerk',
    'mandaatnummer',
    'mandaat-id',
    'mandaatkenmerk',
    'mandaatreferentie',
    'machtigingsnummer',
    'machtigings-ID',
    'référence mandat',
    'référence du mandat',
    'référence unique de mandat',
    'référence unique du mandat',
    'identifiant mandat',
    'riferimento mandato',
    'ID mandato',
    'referencia del mandato',
    'mandatreferens',
    'mandatreference',
    'referencia de mandato',
  ],
  signed_date: [
    'Mandatsdatum',
    'Mandat-Datum',
    'Mandatdatum',
    'Unterschriftsdatum',
    'Erstelldatum',
    'signature_date',
    'signatureDate',
    'signed_at',
    'signed_date',
    'signDate',
    'date of signature',
    'DtOfSgntr',
    'DATE_SIGNATURE_MANDAT',
    'datum ondertekening',
  ],
  sepa_creditor_identifier: [
    'Gläubiger-ID',
    'Glaeubiger-ID',
    'Gläubiger ID',
    'Gläubiger-Identifikationsnummer',
    'AG Gläubiger-ID',
    'creditor identifier',
    'creditor_id',
    'sepa_creditor_identifier',
    'original_creditor_id',
    'CdtrSchmeId',
    'CID',
    'CI',
    'ICS',
    'NUMERO_CREANCIER',
    'incassant-id',
  ],
  last_collection_date: ['last_collection_date', 'last_debit_date', 'Mandatausfuehrung'],
  status: [
    'status',
    'state',
    'mandate status',
    'mandate state',
    'Mandatsstatus',
    'Mandatstatus',
    'Status Mandat',
    'machtigingsstatus',
    'status machtiging',
    'statut',
    'statut du mandat',
    'statut mandat',
    'stato mandato',
    'stato del mandato',
    'estado del mandato',
    'estado mandato',
    'mandatets status',
    'status mandatu',
  ],
  sequence: [
    'sequence',
    'sequence type',
    'SeqTp',
    'Sequenz',
    'recurrent_sequence_type',
    'type',
    'Sequenztyp',
    'Lastschriftsequenz',
    'sequentietype',
    'type de séquence',
    'tipo sequenza',
    'tipo di sequenza',
    'tipo de secuencia',
    'sekvenstyp',
    'sekvenstype',
    'typ sekwencji',
  ],
  scheme: [
    'scheme',
    'FirmenMandat',
    'SEPA scheme',
    'SDD scheme',
    'local instrument',
    'LclInstrm',
    'Lastschriftverfahren',
    'SEPA-Verfahren',
  ],
}

const LAST = /letzt|laatst|dernier|ultim|senast|sista|sidste|ostatni|last(?!schrift|name)/
const OTHER_LAST =
  /aender|ander|modif|mutat|wijzig|bearbeit|edit|chang|updat|login|anmeld|kontakt|contact|mahn|ruck|rueck|export|sync|seen|zmian|ndring|andring|name|nom/

/** A header that names the last collection; none of the last change or the last contact. */
export function namesLastCollection(header: string): boolean {
  const folded = fold(header)
  return LAST.test(folded) && !OTHER_LAST.test(folded)
}

const END =
  /kundig|opgezegd|opzeg|resili|revoc|widerruf|cancel|beend|beeindig|einddat|endedat|endedon|enddat|datefin|findate|datumende|terminat|storno|uppsag|opsig|opsagt|wypowied|anulo|datafine|baja|disdett|austritt|erlosch|withdraw|closedat|closedon|deactivated|geloscht|deletedat|slutdat|ablaufdat|expir|vervaldat|gultigbis|validuntil|validto|geldigtot/

/** A header that names the day on which a mandate ended. */
export const namesEnd = (header: string): boolean => END.test(fold(header))

/** Keys of the previous system: for a crosswalk only, never mapped by themselves. */
export const OLD_KEY_HEADERS: readonly string[] = [
  'customerNumber',
  'contractNumber',
  'customer.metadata.custom_reference',
  'custom_reference',
  'User-Id',
  'Kundennummer',
]

/** A second key that guards a crosswalk against shifted lines. */
export const SECOND_KEY_HEADERS: readonly string[] = [
  'account holder',
  'Kontoinhaber',
  'bank_account.account_holder_name',
  'consumerName',
]

/** Columns that are known and have no use here. */
export const UNUSED_HEADERS: readonly string[] = [
  'BIC',
  'MBIC',
  'PaymentTyp',
  'bank_account.branch_code',
  'bank_account.bank_code',
  'customer.given_name',
  'customer.family_name',
  'customer.company_name',
  'customer.email',
  'customer.language',
  'Vorname',
  'Nachname',
]

export type HeaderMeaning =
  | { readonly kind: 'field'; readonly field: Field }
  | { readonly kind: 'old_key' }
  | { readonly kind: 'second_key' }
  | { readonly kind: 'unused' }
  | { readonly kind: 'unknown' }

const meaningsOf = (headers: readonly string[], meaning: HeaderMeaning): [string, HeaderMeaning][] =>
  headers.map((header) => [fold(header), meaning])

const fieldEntries = Object.entries(FIELD_HEADERS) as [Field, readonly string[]][]

const MEANINGS: ReadonlyMap<string, HeaderMeaning> = new Map([
  ...fieldEntries.flatMap(([field, headers]) => meaningsOf(headers, { kind: 'field', field })),
  ...meaningsOf(OLD_KEY_HEADERS, { kind: 'old_key' }),
  ...meaningsOf(SECOND_KEY_HEADERS, { kind: 'second_key' }),
  ...meaningsOf(UNUSED_HEADERS, { kind: 'unused' }),
])

const UNKNOWN: HeaderMeaning = { kind: 'unknown' }

/** What a header of an export stands for. */
export const meaningOfHeader = (header: string): HeaderMeaning => MEANINGS.get(fold(header)) ?? UNKNOWN

const FIRMEN_MANDAT = fold('FirmenMandat')

/** A scheme column of this name says only whether the mandate is business-to-business. */
export const isFirmenMandat = (header: string): boolean => fold(header) === FIRMEN_MANDAT
