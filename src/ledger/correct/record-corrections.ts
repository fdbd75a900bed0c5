import {
  CORRECTED,
  changesText,
  NO_REASON,
  type Corrector,
  type FieldChange,
} from '../../domain/row/correction.js'
import { REQUIRED_FIELDS, type RequiredField } from '../../domain/mandate/mandate.js'
import { cleanCell } from '../../domain/text/text.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { prepareColumns } from '../admit/corrections.js'
import { requiredCells } from '../admit/fingerprints.js'
import type { Scope } from '../admit/scope.js'
import type { Connection } from '../file/connection.js'
import { pagesOf } from '../read/pages.js'
import { showValue } from '../../domain/rule/verdict.js'

const PAGE = 500

interface Taken {
  readonly id: number
  readonly base: number
  readonly from: string
  readonly to: string
  readonly isDecided: 0 | 1
  readonly reason: string | null
  readonly by: string | null
}

interface Stored {
  readonly sourceId: number
  readonly customerNo: number | null
  readonly ibanMasked: string | null
  readonly account: Buffer | null
  readonly signedDate: string | null
  readonly creditorIdentifier: string | null
  readonly mandateReference: string | null
  readonly cells: string | null
}

const VALUE_OF: Readonly<Record<RequiredField, (row: Stored) => string | null>> = {
  customer_no: ({ customerNo }) => (customerNo === null ? null : String(customerNo)),
  iban: ({ account }) => account?.toString('hex') ?? null,
  signed_date: ({ signedDate }) => signedDate,
  sepa_creditor_identifier: ({ creditorIdentifier }) => creditorIdentifier,
  unique_mandate_reference: ({ mandateReference }) => mandateReference,
}

/**
 * Puts each correction that took the place of a row on record as what it is: a decision of a person, with the fields that
 * it changed. It is on the new row, so that what is erased of a customer is erased there too.
 */
export function recordCorrections({ connection }: Scope, corrector: Corrector, at: string): void {
  const page = connection.prepare<[number, number], Taken>(
    `select row.id, base, from_state as "from", state as "to", is_decided as isDecided,
       given_back.reason, decided_by as "by"
       from temp.correction join row on row.id = correction.id join temp.given_back on given_back.id = row.id
      where row.id > ? and place > 0 and state <> 'duplicate' order by row.id limit ?`,
  )
  const insert = connection.prepare(
    `insert into decision (row_id, decided_at, decided_by, decision, from_state, to_state, reason, evidence)
     values (:id, :at, :by, '${CORRECTED}', :from, :to, :reason, :evidence)`,
  )
  const changesOf = prepareChanges(connection)
  for (const rows of pagesOf(
    (after) => page.all(after, PAGE),
    ({ id }) => id,
  ))
    for (const { id, base, from, to, isDecided, reason, by } of rows) {
      const changes = [...changesOf(base, id), ...(isDecided === 1 ? [SENT_BY_WORD] : [])]
      // A row that was kept back as excluded goes out by a cell that feeds none of the fields.
      if (changes.length === 0 && from !== 'excluded') continue
      insert.run({
        id,
        at,
        by: maskAccounts(by ?? corrector.by),
        from,
        to,
        reason: maskAccounts(reason ?? corrector.reason ?? NO_REASON),
        evidence: changes.length === 0 ? null : changesText(changes),
      })
    }
}

const SENT_BY_WORD: FieldChange = { field: 'migration_decision', before: '', after: 'send' }

/**
 * What differs is what was read. Where nothing could be read before or after, the cells say whether somebody changed
 * them: a changed configuration reads the same cell in another way.
 */
function prepareChanges(connection: Connection): (before: number, after: number) => FieldChange[] {
  const read = connection.prepare<[number], Stored>(
    `select source_id as sourceId, customer_no as customerNo, iban_masked as ibanMasked, iban_key as account,
       signed_date as signedDate, original_creditor_identifier as creditorIdentifier,
       original_mandate_reference as mandateReference, cells from row where id = ?`,
  )
  const columnsOf = prepareColumns(connection)
  const cellsOf = (row: Stored): readonly string[] =>
    row.cells === null ? [] : requiredCells(columnsOf(row.sourceId), JSON.parse(row.cells) as string[])
  return (before, after) => {
    const [old, now] = [read.get(before), read.get(after)]
    if (old === undefined || now === undefined) return []
    const [oldCells, cells] = [cellsOf(old), cellsOf(now)]
    return REQUIRED_FIELDS.flatMap((field, index): FieldChange[] => {
      const [was, is] = [VALUE_OF[field](old), VALUE_OF[field](now)]
      const [oldCell, cell] = [oldCells[index] ?? '', cells[index] ?? '']
      const isSame = was !== null && is !== null ? was === is : cleanCell(oldCell) === cleanCell(cell)
      if (isSame) return []
      return [{ field, before: shownValue(field, old, oldCell), after: shownValue(field, now, cell) }]
    })
  }
}

const shownValue = (field: RequiredField, row: Stored, cell: string): string =>
  field === 'iban' ? (row.ibanMasked ?? showValue(cell, field)) : showValue(VALUE_OF[field](row) ?? cell)
