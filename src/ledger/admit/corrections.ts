import {
  decideCorrection,
  LIVE_STATES,
  REPLACEABLE_STATES,
  type CorrectionPlan,
  type RowState,
} from '../../domain/row/row-state.js'
import { REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import { ruleOf } from '../../domain/rule/rules.js'
import { cleanCell, cleanIban, upperCase } from '../../domain/text/text.js'
import type { CheckedRecord } from '../../domain/rule/verdict.js'
import { LATEST } from './earlier-rows.js'
import { prepareColumns, requiredCells, type HeaderColumns, type Fingerprints } from './fingerprints.js'
import { type Connection, pagesOf } from '../file/connection.js'
import { prepareNotices, type Notice, describeRow, type Scope } from './problems.js'
import { readWhole } from '../../domain/row/resaved.js'
import { type Places, IS_TAKING, prepareFormerRows } from '../correct/corrected-rows.js'

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
export function prepareLocating(
  connection: Connection,
  fingerprints: Fingerprints,
  first: number,
): (cells: readonly string[]) => number | null {
  const byId = connection.prepare<[number, number], Candidate>(
    `select ${COLUMNS} from row where id = ? and id < ? and state <> 'superseded' and place is not 0`,
  )
  const byCustomer = connection.prepare<[number, number], Candidate>(
    `select ${COLUMNS} from row where customer_no = ? and id < ? and state <> 'superseded' and place is not 0`,
  )
  return (cells) => {
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
}

const PAGE = 500
/** Of the five required cells: customer number, account and reference tell one mandate from another. */
const TELLING = REQUIRED_FIELDS.flatMap((field, at) =>
  field === 'signed_date' || field === 'sepa_creditor_identifier' ? [] : [at],
)

interface Newcomer {
  readonly id: number
  readonly corrects: number
  readonly isUnchanged: 0 | 1
  readonly mandateKey: string | null
  readonly customerNo: number | null
  readonly account: Buffer | null
  readonly reference: string | null
  readonly cells: string
}

interface Named extends Omit<Newcomer, 'corrects' | 'cells' | 'isUnchanged'> {
  readonly sourceId: number
  readonly cells: string | null
}

const VALUES = `row.id, mandate_key as mandateKey, customer_no as customerNo, iban_key as account,
  original_mandate_reference as reference, cells`

interface StandingRow {
  readonly id: number
  readonly state: RowState
  readonly mandateKey: string | null
  /** What it holds is another row's: its key says nothing of its mandate, and its state as a conflict has no rivals. */
  readonly isAnothers: 0 | 1
}

/** Keeps what a line that was given back says of itself until its source is closed. */
export function prepareGivenBack({ connection }: Pick<Scope, 'connection'>) {
  connection.exec(
    `create temp table if not exists given_back
       (id integer primary key, is_unchanged integer not null, is_decided integer not null, reason text, decided_by text)`,
  )
  connection.exec('delete from temp.given_back')
  const note = connection.prepare('insert into temp.given_back values (?, ?, ?, ?, ?)')
  return (id: number, { isUnchanged, isDecided, said }: CheckedRecord): void =>
    void note.run(
      id,
      isUnchanged === true ? 1 : 0,
      isDecided === true ? 1 : 0,
      said?.reason ?? null,
      said?.by ?? null,
    )
}

/**
 * Newcomers that name the row they correct. Those of the same mandate are left to the rules for groups; the others
 * are decided here, before the groups, because the row they replace must no longer count there. A line that does not
 * say which row it corrects has its own error already.
 */
export function decideCorrections(scope: Scope, places: Places): void {
  const { connection, first } = scope
  const page = connection.prepare<[{ first: number; after: number }], Newcomer>(
    `select ${VALUES}, corrects, is_unchanged as isUnchanged from row join temp.given_back on given_back.id = row.id
      where row.id >= :first and row.id > :after and corrects > 0 order by row.id limit ${PAGE}`,
  )
  connection.exec('create temp table if not exists rival (id integer primary key, row integer not null)')
  connection.exec('delete from temp.rival')
  const look = prepareLooking(scope)
  const apply = prepareApplying(scope, places)
  const holdShown = prepareHoldingShown(scope, places)
  const noteFormer = prepareFormerRows(connection)
  for (const newcomers of pagesOf(
    (after) => page.all({ first, after }),
    ({ id }) => id,
  ))
    for (const newcomer of newcomers) {
      const { facts, current, repeated } = look(newcomer)
      const plan = decideCorrection(facts)
      const corrected = repeated ?? current
      const takesItsPlace = plan.kind === 'by_mandate' || plan.kind === 'supersede'
      if (takesItsPlace && corrected !== null && facts.named !== null)
        noteFormer(newcomer.id, corrected, facts.named.state)
      apply(newcomer, plan.kind === 'conflict' ? corrected : current, plan)
      if (plan.kind === 'supersede' && repeated !== null) apply(newcomer, repeated, plan)
      if (plan.kind === 'conflict' && plan.because === 'unrelated') holdShown(newcomer)
    }
  leaveOldConflicts(scope)
  const counting = connection.prepare<[], { id: number; row: number }>(
    `select rival.id, rival.row from temp.rival join row on row.id = rival.id where state <> 'duplicate'`,
  )
  for (const { id, row } of counting.all()) places.isAbout(id, row)
}

/**
 * The row number of such a line is that of another one, so the column may be sorted apart. The row that the line shows
 * must not go out meanwhile with what somebody has corrected in it.
 */
function prepareHoldingShown({ connection, fingerprints, first }: Scope, places: Places) {
  const locate = prepareLocating(connection, fingerprints, first)
  const supersede = connection.prepare<[number, number]>(
    `update row set state = 'superseded', superseded_by = ? where id = ? and state in
       (${REPLACEABLE_STATES.map((state) => `'${state}'`).join(', ')})`,
  )
  return ({ id, cells }: Newcomer): void => {
    const shown = locate(JSON.parse(cells) as string[])
    if (shown !== null && supersede.run(id, shown).changes > 0) places.isAbout(id, shown)
  }
}

/**
 * A row of a conflict that came back as it was changes nothing, or a part of a file would decide the conflict by
 * what it leaves out. It counts again where another row of that conflict was corrected, unless a person said which
 * row is right.
 */
function leaveOldConflicts({ connection, first }: Scope): void {
  connection
    .prepare(
      `update row set state = 'duplicate', rule = 'DUPLICATE_MANDATE' where id in (select id from temp.rival) and (
         mandate_key is null
         or exists (select 1 from row as decided join temp.given_back on given_back.id = decided.id
           where decided.mandate_key = row.mandate_key and is_decided = 1)
         or not exists (select 1 from row as other where other.mandate_key = row.mandate_key and (
           (other.id >= :first and other.state <> 'duplicate' and other.id not in (select id from temp.rival))
           or (other.id < :first and other.superseded_by >= :first))))`,
    )
    .run({ first })
}

function prepareLooking(scope: Scope) {
  const { connection, first } = scope
  const named = connection.prepare<[number, number], Named>(
    `select ${VALUES}, source_id as sourceId from row
      where row.id = ? and row.id < ? and (place is not 0 or state = 'superseded')`,
  )
  const latest = connection.prepare<[number], number>(LATEST).pluck()
  const standing = connection.prepare<[number], StandingRow>(
    `select id, state, mandate_key as mandateKey, ${IS_TAKING} as isAnothers from row where id = ?`,
  )
  const liveOf = connection.prepare<[string | null, number], StandingRow>(
    `select id, state, mandate_key as mandateKey, 0 as isAnothers from row
      where mandate_key = ? and id < ? and state in
       (${LIVE_STATES.map((state) => `'${state}'`).join(', ')})`,
  )
  // Gathered once: a whole file of corrections is compared in one pass.
  connection.exec('create temp table if not exists contested (corrects integer primary key)')
  connection.exec('delete from temp.contested')
  connection
    .prepare<[number]>(
      `insert into temp.contested select corrects from row where id >= ? and corrects > 0
        group by corrects having count(distinct coalesce(mandate_key, '')) > 1`,
    )
    .run(first)
  const contested = connection.prepare<[number]>('select 1 from temp.contested where corrects = ?')
  const columnsOf = prepareColumns(connection)

  return (newcomer: Newcomer) => {
    const row = named.get(newcomer.corrects, first)
    const current = row === undefined ? undefined : standing.get(latest.get(row.id) ?? row.id)
    if (row === undefined || current === undefined) {
      return { facts: { named: null, isContested: false }, current: null, repeated: null }
    }
    const isSameMandate =
      newcomer.mandateKey !== null && newcomer.mandateKey === current.mandateKey && current.isAnothers === 0
    const isReplacedHere = current.id >= first && !isSameMandate
    // A repeated row is no mandate of its own: who corrects it corrects the row that it repeats.
    const repeated =
      current.state === 'duplicate' && !isSameMandate ? liveOf.get(current.mandateKey, first) : undefined
    return {
      facts: {
        named: {
          state: repeated?.state ?? current.state,
          isSameMandate,
          isRelated: isRelated(newcomer, row, scope, columnsOf(row.sourceId)),
          isUnchanged: newcomer.isUnchanged === 1,
          hasRivals: current.state === 'conflict' && current.isAnothers === 0,
        },
        isContested: isReplacedHere || contested.get(newcomer.corrects) !== undefined,
      },
      current: current.id,
      repeated: repeated?.id ?? null,
    }
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
  return TELLING.some((at) => {
    const cell = cells[at] ?? ''
    return cell !== '' && (isShifted ? oldCells.includes(cell) : required[at] === cell)
  })
}

function prepareApplying(scope: Scope, places: Places) {
  const { connection, first } = scope
  const notices = prepareNotices(connection, scope.columns)
  const nameOf = describeRow(connection, first)
  const give = connection.prepare<[string, string, number]>(`update row set state = ?, rule = ? where id = ?`)
  // A row that its own checks held back stays so; the notice says the rest.
  const holdBack = connection.prepare<[number]>(
    `update row set state = 'conflict', rule = 'CONFLICT_MANDATE' where id = ? and state = 'ready'`,
  )
  const supersede = connection.prepare<[number, number]>(
    `update row set state = 'superseded', superseded_by = ? where id = ?`,
  )
  const isRival = connection.prepare<[number, number]>('insert into temp.rival values (?, ?)')
  return ({ id, corrects }: Newcomer, current: number | null, plan: CorrectionPlan): void => {
    switch (plan.kind) {
      case 'by_mandate':
        if (current !== null) places.isAbout(id, current)
        return
      case 'with_its_rivals':
        if (current !== null) isRival.run(id, current)
        return
      case 'supersede':
        if (current === null) return
        supersede.run(id, current)
        places.isAbout(id, current)
        return
      case 'unchanged':
        give.run('duplicate', 'DUPLICATE_MANDATE', id)
        return
      case 'conflict':
        notices.write(conflict(plan.because, corrects, nameOf(current)), 'id = :id', { id })
        holdBack.run(id)
    }
  }
}

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
