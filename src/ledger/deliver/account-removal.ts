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
  /** False where it is known that no other row holds the account; then none is looked for. */
  readonly hasCopies: boolean
}

/** SQL that is true for a row whose account other rows hold for certain: what `prepareRegistration` removes besides. */
export const HAS_COPIES = `(exists (select 1 from row as replaced where replaced.superseded_by = row.id)
  or exists (select 1 from row as copy
    where copy.mandate_key = row.mandate_key and +copy.state in ('duplicate', 'superseded')))`

/**
 * The account number and the cells of a registered mandate go with the commit that records it, and
 * those of every row that holds the same account for certain: its duplicates, and the rows it replaced.
 * @returns (of what is prepared) false where the row was not in the expected state; nothing changed then
 */
export function prepareRegistration(connection: Connection): (registration: Registration) => boolean {
  const register = connection.prepare<[string, string, string, number, RowState]>(
    `update row set state = 'registered', assigned_creditor_identifier = ?, assigned_mandate_reference = ?,
       registered_at = ?, iban = null, cells = null
     where id = ? and state = ?`,
  )
  const removeFromCopies = prepareRemovalFromCopies(connection)
  return ({ rowId, from, assigned: { creditorIdentifier, mandateReference }, at, hasCopies }) => {
    if (register.run(creditorIdentifier, mandateReference, at, rowId, from).changes === 0) return false
    if (hasCopies) removeFromCopies(rowId)
    return true
  }
}

function prepareRemovalFromCopies(connection: Connection): (rowId: number) => void {
  const keyOf = connection
    .prepare<[number], string | null>('select mandate_key from row where id = ?')
    .pluck()
  const removeOfMandate = prepareRemovalOfMandate(connection)
  const removeOfReplaced = connection.prepare<[number]>(
    `${REMOVE_CELLS} id in (
       with recursive earlier (id) as (
         select id from row where superseded_by = ?
         union select row.id from row join earlier on row.superseded_by = earlier.id)
       select id from earlier)`,
  )
  return (rowId) => {
    const key = keyOf.get(rowId) ?? null
    if (key !== null) removeOfMandate(key)
    removeOfReplaced.run(rowId)
  }
}
