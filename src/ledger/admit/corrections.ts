import {
  decideCorrection,
  LIVE_STATES,
  type CorrectionPlan,
  type RowState,
} from '../../domain/row/row-state.js'
import { REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { cleanCell, cleanIban, upperCase } from '../../domain/text/text.js'
import { type CheckedRecord, ruleOf } from '../../domain/rule/verdict.js'
import { isAbout, noteFormer } from '../correct/corrected-rows.js'
import { IS_TAKING } from '../deliver/gate.js'
import { rowsById, sql, type Connection } from '../file/connection.js'
import { sqlList } from '../schema/schema.js'
import { latestOf } from './earlier-rows.js'
import { prepareColumns, requiredCells, type HeaderColumns } from './fingerprints.js'
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
      select ${COLUMNS} from row where ${column} = ? and id < ? and state <> 'superseded' and place is not 0`
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

interface Newcomer {
  readonly id: number
  readonly corrects: number
  readonly isUnchanged: 0 | 1
  readonly mandateKey: string | null
  readonly customerNo: number | null
  readonly account: Buffer | null
  readonly reference: string | null
  readonly cells: string
  readonly sourceId: number
}

interface Named extends Omit<Newcomer, 'corrects' | 'cells' | 'isUnchanged'> {
  readonly cells: string | null
}

/** Any of them, so that a line of an old list which waits here opens no way for the next one. */
const WAS_SENT_SINCE = `select 1 from row join row as later on later.id = row.heir or later.heir = row.heir
  where row.id = ? and later.id >= row.superseded_by and later.attempts > 0`

const VALUES = `row.id, source_id as sourceId, mandate_key as mandateKey, customer_no as customerNo, iban_key as account,
  original_mandate_reference as reference, cells`

interface StandingRow {
  readonly id: number
  readonly state: RowState
  readonly mandateKey: string | null
  /** What it holds is another row's: its key says nothing of its mandate, and its state as a conflict has no rivals. */
  readonly isAnothers: 0 | 1
}

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
export function decideCorrections(scope: Scope): void {
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
  const page = sql(connection)<Newcomer>`
    select ${VALUES}, corrects, is_unchanged as isUnchanged from row join temp.given_back on given_back.id = row.id
      where row.id >= :first and row.id > :after and corrects > 0 order by row.id limit ${PAGE}`
  const columnsOf = prepareColumns(connection)
  for (const newcomer of rowsById((after) => page.all({ first, after }))) {
    const { facts, current, repeated } = look(scope, newcomer, columnsOf)
    const plan = decideCorrection(facts)
    const corrected = repeated ?? current
    const takesItsPlace = plan.kind === 'by_mandate' || plan.kind === 'supersede'
    if (takesItsPlace && corrected !== null && facts.named !== null)
      noteFormer(connection, newcomer.id, corrected, facts.named.state)
    apply(scope, newcomer, plan.kind === 'conflict' ? corrected : current, plan)
    if (plan.kind === 'supersede' && repeated !== null) apply(scope, newcomer, repeated, plan)
    if (plan.kind === 'conflict' && plan.because === 'unrelated') holdShown(scope, newcomer)
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
function holdShown(scope: Scope, { id, cells }: Newcomer): void {
  const { connection } = scope
  const shown = locate(scope, JSON.parse(cells) as string[])
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

function look(scope: Scope, newcomer: Newcomer, columnsOf: ReturnType<typeof prepareColumns>) {
  const { connection, first } = scope
  const row = sql(connection)<Named>`
    select ${VALUES} from row
      where row.id = ? and row.id < ? and (place is not 0 or state = 'superseded')`.get(
    newcomer.corrects,
    first,
  )
  const standing = sql(connection)<StandingRow>`
    select id, state, mandate_key as mandateKey, ${IS_TAKING} as isAnothers from row where id = ?`
  const current = row === undefined ? undefined : standing.get(latestOf(connection, row.id))
  if (row === undefined || current === undefined)
    return { facts: { named: null, isContested: false }, current: null, repeated: null }
  const isSameMandate =
    newcomer.mandateKey !== null && newcomer.mandateKey === current.mandateKey && current.isAnothers === 0
  const isReplacedHere = current.id >= first && !isSameMandate
  // A repeated row is no mandate of its own: who corrects it corrects the row that it repeats.
  const liveOf = sql(connection)<Pick<StandingRow, 'id' | 'state'>>`
    select id, state from row where mandate_key = ? and id < ? and state in (${sqlList(LIVE_STATES)})`
  const repeated =
    current.state === 'duplicate' && !isSameMandate ? liveOf.get(current.mandateKey, first) : undefined
  const contested = sql(connection)`select 1 from temp.contested where corrects = ?`
  return {
    facts: {
      named: {
        state: repeated?.state ?? current.state,
        isSameMandate,
        isRelated: isRelated(newcomer, row, columnsOf(newcomer.sourceId), columnsOf(row.sourceId)),
        isUnchanged: newcomer.isUnchanged === 1,
        hasRivals: current.state === 'conflict' && current.isAnothers === 0,
        isOutdated: sql(connection)`${WAS_SENT_SINCE}`.get(row.id) !== undefined,
      },
      isContested: isReplacedHere || contested.get(newcomer.corrects) !== undefined,
    },
    current: current.id,
    repeated: repeated?.id ?? null,
  }
}

/** Guards against a file that was written from another ledger: a row number alone proves nothing. */
function isRelated(
  newcomer: Newcomer,
  named: Named,
  columns: HeaderColumns,
  namedColumns: HeaderColumns,
): boolean {
  const { customerNo, reference, account } = newcomer
  if (customerNo !== null && customerNo === named.customerNo) return true
  if (reference !== null && reference.toUpperCase() === named.reference?.toUpperCase()) return true
  if (account !== null && named.account !== null && account.equals(named.account)) return true
  if (named.cells === null) return false
  const oldCells = (JSON.parse(named.cells) as string[]).map(cleanCell)
  const cells = requiredCells(columns, JSON.parse(newcomer.cells) as string[])
  // Where the old record had too many or too few cells, its values may stand in any of them.
  const isShifted = oldCells.length !== namedColumns.header.length
  const required = requiredCells(namedColumns, oldCells)
  return REQUIRED_FIELDS.some((field, at) => {
    const isTelling = field === 'customer_no' || field === 'iban' || field === 'unique_mandate_reference'
    const cell = isTelling ? (cells[at] ?? '') : ''
    return cell !== '' && (isShifted ? oldCells.includes(cell) : required[at] === cell)
  })
}

function apply(scope: Scope, { id, corrects }: Newcomer, current: number | null, plan: CorrectionPlan): void {
  const { connection } = scope
  switch (plan.kind) {
    case 'by_mandate':
      if (current !== null) isAbout(connection, id, current)
      return
    case 'with_its_rivals':
      if (current !== null) sql(connection)`insert into temp.rival values (?, ?)`.run(id, current)
      return
    case 'supersede':
      if (current === null) return
      replaceRow(connection, id, current)
      isAbout(connection, id, current)
      return
    case 'unchanged':
      sql(connection)`
        update row set state = 'duplicate', rule = 'DUPLICATE_MANDATE' where id = ?`.run(id)
      return
    case 'conflict':
      writeNotice(connection, conflict(plan.because, corrects, current), 'id = :id', { id })
      // A row that its own checks held back stays so; the notice says the rest.
      sql(connection)`
        update row set state = 'conflict', rule = 'CONFLICT_MANDATE' where id = ? and state = 'ready'`.run(id)
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
