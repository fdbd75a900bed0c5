import type { AssignedIdentity } from '../../domain/mandate/mandate.js'
import type { RowState } from '../../domain/row/row-state.js'
import type { Connection } from '../file/connection.js'

/** Takes account and cells from rows that still hold them; what comes behind says from which. */
export const REMOVE_CELLS =
  'update row set iban = null, cells = null where (iban is not null or cells is not null) and '

/** The account of a mandate that is registered, in the rows that hold the same one for certain. */
export function prepareRemovalOfMandate(connection: Connection): (mandateKey: string) => void {
  const remove = connection.prepare<[string]>(
    `${REMOVE_CELLS} mandate_key = ? and state in ('duplicate', 'superseded')`,
  )
  return (mandateKey) => void remove.run(mandateKey)
}

export interface Registration {
  readonly rowId: number
  /** The state that the row must be in. */
  readonly from: RowState
  readonly assigned: AssignedIdentity
  readonly at: string
}

/**
 * The account number and the cells of a registered mandate go with the commit that records it, and
 * those of every row that holds the same account for certain: its duplicates, and the rows it replaced.
 * @returns (of what is prepared) false where the row was not in the expected state; nothing changed then
 */
export function prepareRegistration(connection: Connection): (registration: Registration) => boolean {
  const register = connection
    .prepare<
      [{ rowId: number; from: RowState; creditor: string; reference: string; at: string }],
      string | null
    >(
      `update row set state = 'registered', assigned_creditor_identifier = :creditor,
       assigned_mandate_reference = :reference, registered_at = :at, iban = null, cells = null
     where id = :rowId and state = :from returning mandate_key`,
    )
    .pluck()
  const removeOfMandate = prepareRemovalOfMandate(connection)
  const removeOfReplaced = connection.prepare<[number]>(
    `${REMOVE_CELLS} id in (
       with recursive earlier (id) as (
         select id from row where superseded_by = ?
         union select row.id from row join earlier on row.superseded_by = earlier.id)
       select id from earlier)`,
  )
  return ({ rowId, from, assigned, at }) => {
    const { creditorIdentifier: creditor, mandateReference: reference } = assigned
    const key = register.get({ rowId, from, creditor, reference, at })
    if (key === undefined) return false
    if (key !== null) removeOfMandate(key)
    removeOfReplaced.run(rowId)
    return true
  }
}
