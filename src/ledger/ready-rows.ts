import type { CreditorIdentifier, Iban, LocalDate, MandateReference } from '../domain/mandate.js'
import type { Connection } from './connection.js'
import type { ReadyRow } from './ledger.js'

interface Stored {
  readonly id: number
  readonly attempts: number
  readonly customerNo: number
  readonly iban: string
  readonly signedDate: string
  readonly creditorIdentifier: string
  readonly mandateReference: string
}

/** Only checked values reach the state `ready`, and a guard keeps them as they were. */
const toReadyRow = (row: Stored): ReadyRow => ({
  id: row.id,
  attempts: row.attempts,
  mandate: {
    customerNo: row.customerNo,
    iban: row.iban as Iban,
    signedDate: row.signedDate as LocalDate,
    original: {
      creditorIdentifier: row.creditorIdentifier as CreditorIdentifier,
      mandateReference: row.mandateReference as MandateReference,
    },
  },
})

export function prepareReadyRows(connection: Connection): (after: number, limit: number) => ReadyRow[] {
  const page = connection.prepare<[number, number], Stored>(
    `select id, attempts, customer_no as customerNo, iban, signed_date as signedDate,
       original_creditor_identifier as creditorIdentifier, original_mandate_reference as mandateReference
     from row where state = 'ready' and id > ? order by id limit ?`,
  )
  return (after, limit) => page.all(after, limit).map(toReadyRow)
}
