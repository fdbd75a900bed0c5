import {
  decideCorrection,
  LIVE_STATES,
  type CorrectionPlan,
  type RowState,
} from '../../domain/row/row-state.js'
import { REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { cleanCell, cleanIban, upperCase } from '../../domain/text/text.js'
import { type CheckedRecord, ruleOf } from '../../domain/rule/verdict.js'
import { contradict } from '../compare/contradicting.js'
import { isAbout, noteFormer } from '../correct/corrected-rows.js'
import { isTaking } from '../deliver/gate.js'
import { rowsById, sql, sqlWithJson, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import { prepareColumns, requiredCells } from './fingerprints.js'
import { replaceRows, writeNotice, type ProblemText, type Scope } from './problems.js'
import { readWhole } from '../../domain/row/resaved.js'

interface Candidate {
  readonly id: number
  readonly customerNo: number | null
  readonly reference: string | null
  readonly account: Buffer | null
}

const COLUMNS = `id, customer_no as customerNo, original_mandate_reference as reference, iban_key as account`

/** More than one of the three, less than two. */
const ITS_NUMBER = 1.5

const isAmong = (reference: string, numbers: ReadonlySet<number>): boolean => {
  const number = readWhole(reference)
  return number !== null && numbers.has(number)
}

/**
 * Finds the row that a line was meant to correct when its row number cannot be read or belongs to another line, or its
 * cells are shifted: the row must not be sent with the values that somebody has just corrected. A row is found by two
 * of customer, account and reference (which may have lost the zeros in front), or by one of them and its number, among
 * all cells of the line; of several, the one for which most speaks, or none.
 */
export function locate(
  { connection, fingerprints, first }: Pick<Scope, 'connection' | 'fingerprints' | 'first'>,
  cells: readonly string[],
): number | null {
  const candidates = (column: 'id' | 'customer_no') =>
    sql(connection)<Candidate>`
      select ${COLUMNS} from row where ${column} = ? and id < ? and state <> 'superseded' and counted_in is not null`
  const [byId, byCustomer] = [candidates('id'), candidates('customer_no')]
  const texts = new Set(cells.map((cell) => upperCase(cleanCell(cell))).filter((cell) => cell !== ''))
  const numbers = new Set([...texts].flatMap((text) => readWhole(text) ?? []))
  const accounts = [...texts].map((text) => fingerprints.account(cleanIban(text)))
  const shared = ({ customerNo, reference, account }: Candidate): number =>
    [
      customerNo !== null && numbers.has(customerNo),
      reference !== null && (texts.has(upperCase(reference)) || isAmong(reference, numbers)),
      account !== null && accounts.some((each) => each.equals(account)),
    ].filter(Boolean).length
  const weights = new Map<number, number>()
  const weigh = (row: Candidate, more: number, least: number): void => {
    const count = shared(row)
    if (count >= least) weights.set(row.id, Math.max(weights.get(row.id) ?? 0, count + more))
  }
  for (const number of numbers) {
    for (const row of byId.all(number, first)) weigh(row, ITS_NUMBER, 1)
    for (const row of byCustomer.all(number, first)) weigh(row, 0, 2)
  }
  const most = Math.max(...weights.values())
  const [only, ...others] = [...weights].filter(([, weight]) => weight === most)
  return only !== undefined && others.length === 0 ? only[0] : null
}

const PAGE = 500

const replaceRow = (connection: Connection, by: number, row: number): number =>
  replaceRows(connection, 'select :row as old, :by as new', { by, row })

/** A line that was given back beside the row that it names, and the row that counts in the place of that now. */
interface Line {
  readonly id: number
  readonly corrects: number
  readonly sourceId: number
  readonly cells: readonly string[]
  readonly isUnchanged: 0 | 1
  readonly namedSource: number
  readonly namedCells: readonly string[] | null
  /** In customer, reference or account. */
  readonly isAlike: 0 | 1
  /** Null where this ledger has no row of that number. */
  readonly current: number | null
  /** A repeated row is no mandate of its own: who corrects it corrects the row that it repeats. */
  readonly repeated: number | null
  readonly state: RowState
  readonly isSameMandate: 0 | 1
  readonly hasRivals: 0 | 1
  /** Anything in its place was sent since, so that a line of an old list which waits here opens no way for the next one. */
  readonly isOutdated: 0 | 1
  readonly isContested: 0 | 1
}

/** What the row holds now may be another row's: its key says nothing of its mandate then, and its state as a conflict has no rivals. */
const IS_SAME = `coalesce(row.mandate_key = current.mandate_key and not ${isTaking('current')}, 0)`

const LINE = `select row.id, row.corrects, row.source_id as sourceId, row.cells, is_unchanged as isUnchanged,
    named.source_id as namedSource, named.cells as namedCells, coalesce(row.customer_no = named.customer_no
      or upper(row.original_mandate_reference) = upper(named.original_mandate_reference) or row.iban_key = named.iban_key, 0) as isAlike,
    current.id as current, repeated.id as repeated, coalesce(repeated.state, current.state) as state, ${IS_SAME} as isSameMandate,
    current.state = 'conflict' and not ${isTaking('current')} as hasRivals,
    exists (select 1 from row as later where (later.id = named.heir or later.heir = named.heir)
      and later.id >= named.superseded_by and later.attempts > 0) as isOutdated,
    current.id >= :first and not ${IS_SAME} or row.corrects in (select corrects from temp.contested) as isContested
  from row join temp.given_back on given_back.id = row.id
    left join row as named on named.id = row.corrects and named.id < :first and (named.counted_in is not null or named.state = 'superseded')
    left join row as current on current.id = coalesce(named.heir, named.id)
    left join row as repeated on current.state = 'duplicate' and not ${IS_SAME} and repeated.id = (select min(live.id) from row as live
      where live.mandate_key = current.mandate_key and live.id < :first and live.state in (${sqlList(LIVE_STATES)}))
  where row.id = :id`

/** Keeps what a line that was given back says of itself until its source is closed. */
export const noteGivenBack = (
  connection: Connection,
  id: number,
  { isUnchanged, isDecided, said }: CheckedRecord,
): void =>
  void sql(connection)`insert into temp.given_back values (?, ?, ?, ?, ?)`.run(
    id,
    isUnchanged === true ? 1 : 0,
    isDecided === true ? 1 : 0,
    said?.reason ?? null,
    said?.by ?? null,
  )

/**
 * Newcomers that name the row they correct. Those of the same mandate are left to the rules for groups; the others
 * are decided here, before the groups, because the row they replace must no longer count there. A line that does not
 * say which row it corrects has its own error already.
 */
export function decideCorrections(scope: Scope, at: string): void {
  const { connection, first } = scope
  // Contested rows are gathered once: a whole file of corrections is compared in one pass.
  connection.exec(
    `create temp table if not exists rival (id integer primary key, row integer not null);
     create temp table if not exists contested (corrects integer primary key);
     create temp table if not exists correction
       (id integer primary key, former integer not null, base integer not null, from_state text not null);
     delete from temp.rival; delete from temp.contested; delete from temp.correction`,
  )
  sql(connection)`
    insert into temp.contested select corrects from row where id >= ? and corrects > 0
      group by corrects having count(distinct coalesce(mandate_key, '')) > 1`.run(first)
  const page = sql(connection)<{ id: number }>`
    select row.id from row join temp.given_back on given_back.id = row.id
      where row.id >= :first and row.id > :after and corrects > 0 order by row.id limit ${PAGE}`
  const read = sqlWithJson<Line>(connection, 'cells', 'namedCells')`${LINE}`
  const columnsOf = prepareColumns(connection)
  for (const { id } of rowsById((after) => page.all({ first, after }))) {
    // What earlier lines did to a row counts for the next ones.
    const line = read.get({ id, first })
    if (line !== undefined) apply(scope, line, planOf(line, columnsOf), at)
  }
  leaveOldConflicts(scope)
  const counting = sql(connection)<{ id: number; row: number }>`
    select rival.id, rival.row from temp.rival join row on row.id = rival.id where state <> 'duplicate'`
  for (const { id, row } of counting.all()) isAbout(connection, id, row)
}

/**
 * The row number of such a line is that of another one, so the column may be sorted apart. The row that the line shows
 * must not go out meanwhile with what somebody has corrected in it.
 */
function holdShown(scope: Scope, { id, cells }: Line): void {
  const { connection } = scope
  const shown = locate(scope, cells)
  if (shown !== null && replaceRow(connection, id, shown) > 0) isAbout(connection, id, shown)
}

/**
 * A row of a conflict that came back as it was changes nothing, or a part of a file would decide the conflict by
 * what it leaves out. It counts again where another row of that conflict was corrected, unless a person said which
 * row is right.
 */
function leaveOldConflicts({ connection, first }: Scope): void {
  sql(connection)`
    update row set state = 'duplicate', rule = 'DUPLICATE_MANDATE' where id in (select id from temp.rival) and (
         mandate_key is null
         or exists (select 1 from row as decided join temp.given_back on given_back.id = decided.id
           where decided.mandate_key = row.mandate_key and is_decided = 1)
         or not exists (select 1 from row as other where other.mandate_key = row.mandate_key and (
           (other.id >= :first and other.state <> 'duplicate' and other.id not in (select id from temp.rival)
             and (other.corrects is null or exists (select 1 from row as named
               where named.id = other.corrects and named.mandate_key = other.mandate_key)))
           or (other.id < :first and other.superseded_by >= :first))))`.run({ first })
}

function planOf(line: Line, columnsOf: ReturnType<typeof prepareColumns>): CorrectionPlan {
  if (line.current === null) return decideCorrection({ named: null, isContested: false })
  const named = {
    state: line.state,
    isSameMandate: line.isSameMandate === 1,
    isRelated: isRelated(line, columnsOf),
    isUnchanged: line.isUnchanged === 1,
    hasRivals: line.hasRivals === 1,
    isOutdated: line.isOutdated === 1,
  }
  return decideCorrection({ named, isContested: line.isContested === 1 })
}

/** Guards against a file that was written from another ledger: a row number alone proves nothing. */
function isRelated(line: Line, columnsOf: ReturnType<typeof prepareColumns>): boolean {
  if (line.isAlike === 1 || line.namedCells === null) return line.isAlike === 1
  const named = columnsOf(line.namedSource)
  const oldCells = line.namedCells.map(cleanCell)
  const cells = requiredCells(columnsOf(line.sourceId), line.cells)
  // Where the old record had too many or too few cells, its values may stand in any of them.
  const isShifted = oldCells.length !== named.header.length
  const required = requiredCells(named, oldCells)
  return REQUIRED_FIELDS.some((field, at) => {
    const isTelling = field === 'customer_no' || field === 'iban' || field === 'unique_mandate_reference'
    const cell = isTelling ? (cells[at] ?? '') : ''
    return cell !== '' && (isShifted ? oldCells.includes(cell) : required[at] === cell)
  })
}

function apply(scope: Scope, line: Line, plan: CorrectionPlan, at: string): void {
  const { connection } = scope
  const { id, current, repeated, corrects, state } = line
  const corrected = repeated ?? current
  if ((plan.kind === 'by_mandate' || plan.kind === 'supersede') && corrected !== null)
    noteFormer(connection, id, corrected, state)
  switch (plan.kind) {
    case 'by_mandate':
      if (current !== null) isAbout(connection, id, current)
      return
    case 'with_its_rivals':
      sql(connection)`insert into temp.rival values (?, ?)`.run(id, current)
      return
    case 'supersede':
      for (const row of [current, repeated])
        if (row !== null) {
          replaceRow(connection, id, row)
          isAbout(connection, id, row)
        }
      return
    case 'unchanged':
      sql(connection)`
        update row set state = 'duplicate', rule = 'DUPLICATE_MANDATE' where id = ?`.run(id)
      return
    case 'conflict':
      if (plan.because === 'protected' && corrected !== null && state !== 'written_off') {
        contradict(connection, { where: 'row.id = :id', values: { id }, sent: corrected, at })
        return
      }
      writeNotice(connection, conflict(plan.because, corrects, corrected), 'id = :id', { id })
      // A row that its own checks held back stays so; the notice says the rest.
      sql(connection)`
        update row set state = 'conflict', rule = 'CONFLICT_MANDATE' where id = ? and state = 'ready'`.run(id)
      if (plan.because === 'unrelated') holdShown(scope, line)
  }
}

function conflict(
  because: Extract<CorrectionPlan, { kind: 'conflict' }>['because'],
  row: number,
  other: number | null,
): ProblemText {
  const words = CONFLICTS[because](row)
  return { rule: 'CONFLICT_MANDATE', severity: 'error', field: 'unique_mandate_reference', other, ...words }
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
  outdated: (row: number) => ({
    message: `This list was written before row ${row} was corrected and sent. In its place stands {row}.`,
    remedy: 'Compare the values with that row. Correct them in the to-do list of the newest report.',
  }),
  protected: () => ({
    message: 'This cannot replace {row}.',
    remedy: `${ruleOf('CONFLICT_MANDATE').remedy} What was sent or closed stays as it is.`,
  }),
} as const
