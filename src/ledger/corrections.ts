import { decideCorrection, type CorrectionPlan } from '../domain/admission.js'
import { REQUIRED_FIELDS } from '../domain/mandate.js'
import { ruleOf } from '../domain/rules.js'
import { cleanCell } from '../domain/text.js'
import type { RowState } from '../domain/row-state.js'
import { requiredCells, type Layout } from './fingerprints.js'
import { prepareNotices, type Notice } from './problems.js'
import { describeRow } from './row-names.js'
import type { Scope } from './scope.js'

const PAGE = 500
/** Of the five required cells: customer number, account and reference tell one mandate from another. */
const TELLING = [0, 1, 4] as const
const ACCOUNT = REQUIRED_FIELDS.indexOf('iban')

interface Newcomer {
  readonly id: number
  readonly corrects: number
  readonly mandateKey: string | null
  readonly raw: Buffer | null
  readonly customerNo: number | null
  readonly account: Buffer | null
  readonly reference: string | null
  readonly signedDate: string | null
  readonly ibanMasked: string | null
  readonly cells: string
}

interface Named extends Omit<Newcomer, 'corrects' | 'cells'> {
  readonly sourceId: number
  readonly state: RowState
  readonly cells: string | null
}

const VALUES = `id, mandate_key as mandateKey, raw, customer_no as customerNo, iban_key as account,
  original_mandate_reference as reference, signed_date as signedDate, iban_masked as ibanMasked, cells`

/**
 * Newcomers that name the row they correct. Those of the same mandate are left to the rules for groups; the others
 * are settled here, before the groups, because the row they replace must no longer count there.
 */
export function settleCorrections(scope: Scope): void {
  const { connection, first } = scope
  const page = connection.prepare<[{ after: number; limit: number }], Newcomer>(
    `select ${VALUES}, corrects from row where id >= :after and corrects is not null order by id limit :limit`,
  )
  const look = prepareLooking(scope)
  const apply = prepareApplying(scope)
  for (let after = first; ;) {
    const newcomers = page.all({ after, limit: PAGE })
    for (const newcomer of newcomers) {
      const { facts, current } = look(newcomer)
      apply(newcomer, current, decideCorrection(facts))
    }
    const last = newcomers.at(-1)
    if (last === undefined) return
    after = last.id + 1
  }
}

function prepareLooking(scope: Scope) {
  const { connection, first } = scope
  const named = connection.prepare<[number, number], Named>(
    `select ${VALUES}, source_id as sourceId, state from row where id = ? and id < ?`,
  )
  const latest = connection.prepare<[number], { id: number; state: RowState; mandateKey: string | null }>(
    `with recursive replacement (id, next) as (
       select id, superseded_by from row where id = ?
       union all select row.id, row.superseded_by from row join replacement on row.id = replacement.next)
     select row.id, row.state, row.mandate_key as mandateKey
       from row join replacement on row.id = replacement.id where replacement.next is null`,
  )
  // Gathered once: a whole file of corrections is compared in one pass.
  connection.exec('create temp table if not exists contested (corrects integer primary key)')
  connection.exec('delete from temp.contested')
  connection
    .prepare<[number]>(
      `insert into temp.contested select corrects from row where id >= ? and corrects is not null
        group by corrects having count(distinct coalesce(mandate_key, '')) > 1`,
    )
    .run(first)
  const contested = connection.prepare<[number]>('select 1 from temp.contested where corrects = ?')
  const layoutOf = prepareLayouts(scope)

  return (newcomer: Newcomer) => {
    const row = named.get(newcomer.corrects, first)
    const current = row === undefined ? undefined : latest.get(row.id)
    if (row === undefined || current === undefined) {
      return { facts: { named: null, isContested: false }, current: null }
    }
    const isReplacedHere = current.id >= first
    return {
      facts: {
        named: {
          state: current.state,
          isSameMandate: newcomer.mandateKey !== null && newcomer.mandateKey === current.mandateKey,
          isRelated: isRelated(newcomer, row, scope, layoutOf(row.sourceId)),
          isUnchanged: isSameText(newcomer, row) || isMaskedCopy(newcomer, row, scope),
        },
        isContested: isReplacedHere || contested.get(newcomer.corrects) !== undefined,
      },
      current: current.id,
    }
  }
}

function prepareLayouts({ connection }: Scope): (sourceId: number) => Layout {
  const read = connection.prepare<[number], { header: string; columns: string }>(
    'select header, columns from source where id = ?',
  )
  const layouts = new Map<number, Layout>()
  return (sourceId) => {
    const seen = layouts.get(sourceId)
    if (seen !== undefined) return seen
    const row = read.get(sourceId)
    if (row === undefined) throw new Error(`The ledger has no source ${sourceId}`)
    const layout: Layout = {
      header: JSON.parse(row.header) as string[],
      columns: JSON.parse(row.columns) as Record<string, string>,
    }
    layouts.set(sourceId, layout)
    return layout
  }
}

const isSameText = (newcomer: Newcomer, named: Named): boolean =>
  newcomer.raw !== null && named.raw !== null && newcomer.raw.equals(named.raw)

/** Once an account number was removed, our own files show the row masked; given back, that is no correction. */
function isMaskedCopy(newcomer: Newcomer, named: Named, layout: Layout): boolean {
  if (named.cells !== null || named.ibanMasked === null) return false
  return (
    requiredCells(layout, JSON.parse(newcomer.cells) as string[])[ACCOUNT] === named.ibanMasked &&
    newcomer.customerNo === named.customerNo &&
    newcomer.signedDate === named.signedDate &&
    newcomer.mandateKey === named.mandateKey
  )
}

/** Guards against a file that was written from another ledger: a row number alone proves nothing. */
function isRelated(newcomer: Newcomer, named: Named, layout: Layout, namedLayout: Layout): boolean {
  const { customerNo, reference, account } = newcomer
  if (customerNo !== null && customerNo === named.customerNo) return true
  if (reference !== null && reference.toUpperCase() === named.reference?.toUpperCase()) return true
  if (account !== null && named.account !== null && account.equals(named.account)) return true
  if (named.cells === null) return false
  const oldCells = (JSON.parse(named.cells) as string[]).map(cleanCell)
  const cells = requiredCells(layout, JSON.parse(newcomer.cells) as string[])
  // Where the old record had too many or too few cells, its values may stand in any of them.
  const isShifted = oldCells.length !== namedLayout.header.length
  const required = requiredCells(namedLayout, oldCells)
  return TELLING.some((at) => {
    const cell = cells[at] ?? ''
    return cell !== '' && (isShifted ? oldCells.includes(cell) : required[at] === cell)
  })
}

function prepareApplying(scope: Scope) {
  const { connection, first } = scope
  const notices = prepareNotices(connection, scope.columns)
  const nameOf = describeRow(connection, first)
  const give = connection.prepare<[string, string, number]>(`update row set state = ?, rule = ? where id = ?`)
  const supersede = connection.prepare<[number, number]>(
    `update row set state = 'superseded', superseded_by = ? where id = ?`,
  )
  return (newcomer: Newcomer, current: number | null, plan: CorrectionPlan): void => {
    switch (plan.kind) {
      case 'by_mandate':
        return
      case 'supersede':
        if (current !== null) supersede.run(newcomer.id, current)
        return
      case 'duplicate':
        notices.write(unchanged(nameOf(newcomer.corrects)), 'id = :id', { id: newcomer.id })
        give.run('duplicate', 'DUPLICATE_MANDATE', newcomer.id)
        return
      case 'conflict':
        notices.write(conflict(plan.because, newcomer.corrects, nameOf(current)), 'id = :id', {
          id: newcomer.id,
        })
        give.run('conflict', 'CONFLICT_MANDATE', newcomer.id)
    }
  }
}

const unchanged = (name: string): Notice => ({
  rule: 'DUPLICATE_MANDATE',
  severity: 'error',
  field: 'unique_mandate_reference',
  message: `The row is what it was before: ${name}.`,
  remedy: 'Nothing to do, unless that row was wrong: then correct the values and give the file again.',
})

function conflict(
  because: Extract<CorrectionPlan, { kind: 'conflict' }>['because'],
  row: number,
  name: string,
): Notice {
  const { message, remedy } = CONFLICTS[because](row, name)
  return { rule: 'CONFLICT_MANDATE', severity: 'error', field: 'unique_mandate_reference', message, remedy }
}

const CONFLICTS = {
  unknown: (row: number) => ({
    message: `The migration_row column says that this corrects row ${row}, but this ledger had no such row.`,
    remedy: 'Use the files that were written from this ledger, or empty the migration_row cell.',
  }),
  unrelated: (row: number) => ({
    message: `The migration_row column says that this corrects row ${row}, but customer, account and reference all differ from it. The file may come from another ledger.`,
    remedy: 'Use the files that were written from this ledger, or empty the migration_row cell.',
  }),
  contested: (row: number) => ({
    message: `Several rows of the file say that they correct row ${row}, and they name different mandates.`,
    remedy: 'Keep the one correct row.',
  }),
  protected: (_row: number, name: string) => ({
    message: `This cannot replace ${name}.`,
    remedy: `${ruleOf('CONFLICT_MANDATE').remedy} What was sent or closed stays as it is.`,
  }),
} as const
