import { contradict } from '../compare/contradicting.js'
import {
  CORRECTED,
  changesText,
  NO_REASON,
  type Corrector,
  type FieldChange,
  readWhole,
} from '../../domain/row/correction.js'
import {
  decideCorrection,
  LIVE_STATES,
  type CorrectionPlan,
  type RowState,
} from '../../domain/row/row-state.js'
import { addDays, parseLocalDate } from '../../domain/mandate/date.js'
import { type Field, FIELDS } from '../../domain/mandate/mandate.js'
import { type CheckedRecord, showValue, type RuleId, ruleOf } from '../../domain/rule/verdict.js'
import { CUSTOMER_COLUMN } from '../../domain/row/list-columns.js'
import { STRANGERS } from '../../domain/who/names.js'
import { cleanCell, cleanIban, upperCase } from '../../domain/text/text.js'
import { maskAccounts } from '../../domain/text/accounts.js'
import { type HeaderColumns, prepareColumns, requiredCells } from '../admit/stored-row.js'
import {
  holdWith,
  isErased,
  NAMES_ROW,
  noticeOf,
  recordDecision,
  replaceRows,
  writeNotice,
  type Scope,
} from '../admit/problems.js'
import { formerOf, IS_LATEST, isTaking } from '../deliver/gate.js'
import {
  emptyTables,
  privateOf,
  rowsOf,
  sql,
  sqlValue,
  sqlWithJson,
  type Connection,
} from '../file/connection.js'
import { sqlList } from '../schema/schema.js'

type Candidate = Readonly<{
  id: number
  customerNo: number | null
  reference: string | null
  account: Buffer | null
}>

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
  const texts = new Set(cells.map((cell) => upperCase(cleanCell(cell))).filter((cell) => cell !== ''))
  const numbers = new Set([...texts].flatMap((text) => readWhole(text) ?? []))
  const accounts = [...texts].map((text) => fingerprints.account(cleanIban(text)))
  const shared = ({ customerNo, reference, account }: Candidate): number =>
    [
      customerNo !== null && numbers.has(customerNo),
      reference !== null && (texts.has(upperCase(reference)) || isAmong(reference, numbers)),
      account !== null && accounts.some((each) => each.equals(account)),
    ].filter(Boolean).length
  const weights = sql(connection)<Candidate>`
    select id, customer_no as customerNo, original_mandate_reference as reference, iban_key as account from row
     where (id in (select value from json_each(:numbers)) or customer_no in (select value from json_each(:numbers)))
       and id < :first and state <> 'superseded' and counted_in is not null`
    .all({ numbers: JSON.stringify([...numbers]), first })
    .map((row) => ({ id: row.id, weight: shared(row) + (numbers.has(row.id) ? ITS_NUMBER : 0) }))
    .filter(({ weight }) => weight >= 2)
  const most = Math.max(...weights.map(({ weight }) => weight))
  const [only, ...others] = weights.filter(({ weight }) => weight === most)
  return only !== undefined && others.length === 0 ? only.id : null
}

const replaceRow = (connection: Connection, by: number, row: number): number =>
  replaceRows(connection, 'select :row as old, :by as new', { by, row })

/**
 * A line that was given back, with the row that it names.
 *
 *   current      the row that counts in the place of the named one now; null where this ledger has no row of that number
 *   repeated     where that is a duplicate, the row that it repeats: correcting the one corrects the other
 *   isAlike      line and named row share customer, reference or account
 *   isOutdated   the list is too old to decide: what replaced the row was sent since, an export said something else since, the
 *                line would undo a later correction, or its list was written before the comparison that holds the row
 *   news         a row of the mandate, or of kin, of which something was found after the list was written
 *   isMute       the line is invalid by its own checks, and does not say "send"
 */
type Line = Readonly<
  Record<'id' | 'corrects' | 'sourceId' | 'namedSource', number> &
    Record<'current' | 'repeated' | 'news', number | null> &
    Record<
      'isUnchanged' | 'isMute' | 'isAlike' | 'isSameMandate' | 'hasRivals' | 'isOutdated' | 'isContested',
      0 | 1
    > & { state: RowState; cells: readonly string[]; namedCells: readonly string[] | null }
>

/** SQL: line and current row are of one mandate. Not where the current row waits with the reference of another mandate. */
const IS_SAME = `coalesce(row.mandate_key = current.mandate_key and not ${isTaking('current')}, 0)`

/** SQL: the line would undo a correction that was made since, or has another value than one that can be sent already. */
const WOULD_UNDO = `(${'$.customer_no $.iban_key $.signed_date $.original_creditor_identifier upper($.original_mandate_reference)'
  .split(' ')
  .map((value) => (row: string) => value.replace('$', row))
  .map(
    (of) => `${of('current')} is not ${of('named')} and ${of('row')} is not ${of('current')}
      and (current.content_key is not null or ${of('row')} is ${of('named')})`,
  )
  .join(' or ')})`

/** The export that a row is of, also where it was read again. */
const exportOf = (row: string): string => `(select origin from source where source.id = ${row}.source_id)`
const IS_OF_LATER_EXPORT = `row.content_key is not current.content_key
  and (select kind from source where source.id = ${exportOf('current')}) = 'export' and ${exportOf('current')} <> ${exportOf('named')}`

const IS_BEHIND_COMPARISON = `exists (select 1 from compared where ${IS_LATEST} and met_by is null
  and comparison_id > given_back.comparison and (row_id in ${formerOf('current.id')}
    or row_id in (select id from row as same where same.mandate_key = current.mandate_key)))`

/**
 * SQL: fills `temp.told` with what was found, since the oldest of the lists was written, of rows that count: what holds them, or
 * that they have ended. It is noted for the mandate of the row and for its kin. What a reading says again of a row is no news.
 * Lines of lists (`is_line`) are news only to lines with "send", as other corrections are checked against them anyway.
 */
const TOLD = `
  with news (id, key, is_line, problem) as materialized (select row.id, mandate_key, kind = 'list', max(problem.id)
      from problem cross join row on row.id = row_id join source on source.id = row.source_id
     where problem.id > (select min(told) from temp.given_back) and row.id < :first and state not in ('duplicate', 'superseded')
       and (severity = 'error' or state = 'excluded') and not exists (select 1 from row as former join problem as known on known.row_id = former.id
         where former.heir = row.id and known.rule = problem.rule and known.id <= (select min(told) from temp.given_back))
     group by row.id),
    link (own, other) as (select row_id, other_id from kin where separated is null
      union all select other_id, row_id from kin where separated is null)
  insert into temp.told
    select coalesce(key, id), is_line, max(problem), id from (select * from news
      union all select news.id, theirs.mandate_key, is_line, problem from link cross join row as mine on mine.id = own
        join news on news.key = mine.mandate_key join row as theirs on theirs.id = other) group by 1, 2`

const NEWS = `(select told.row from temp.told where key = coalesce(current.mandate_key, current.id)
  and problem > given_back.told and is_line <= is_decided order by problem desc limit 1)`

const LINE = `select row.id, row.corrects, row.source_id as sourceId, ${privateOf('row', 'cells')} as cells, is_unchanged as isUnchanged,
    not is_decided and row.state = 'invalid' as isMute, named.source_id as namedSource, ${privateOf('named', 'cells')} as namedCells, coalesce(row.customer_no = named.customer_no
      or upper(row.original_mandate_reference) = upper(named.original_mandate_reference) or row.iban_key = named.iban_key, 0) as isAlike,
    current.id as current, repeated.id as repeated, coalesce(repeated.state, current.state) as state, ${IS_SAME} as isSameMandate,
    current.state = 'conflict' and not ${isTaking('current')} as hasRivals,
    exists (select 1 from row as later where (later.id = named.heir or later.heir = named.heir)
      and later.id >= named.superseded_by and later.attempts > 0)
      or current.id <> named.id and (not ${isTaking('current')} and ${WOULD_UNDO} or ${IS_OF_LATER_EXPORT}) or ${IS_BEHIND_COMPARISON} or ${isErased('named')} or ${isErased('current')} as isOutdated,
    ${NEWS} as news, current.id >= :first and not ${IS_SAME} or row.corrects in (select corrects from temp.contested) as isContested
  from row join temp.given_back on given_back.id = row.id
    left join row as named on named.id = row.corrects and named.id < :first and (named.counted_in is not null or named.state = 'superseded')
    left join row as current on current.id = coalesce(named.heir, named.id)
    left join row as repeated on current.state = 'duplicate' and not ${IS_SAME} and repeated.id = (select min(live.id) from row as live
      where live.mandate_key = current.mandate_key and live.id < :first and live.state in (${sqlList(LIVE_STATES)}))
  where row.id = :id`

/**
 * Lines that were given back. `former`: the row that the line corrects; `base`: the row with whose values it is compared, since
 * corrections that only waited were never agreed to; `about`: the row whose place it takes; `rival`: the row in conflict that it
 * gives back unchanged; `told`, `comparison`: the latest problem and comparison that its list knows of.
 */
export const GIVEN_BACK = {
  given_back: `id integer primary key, is_unchanged integer not null, is_decided integer not null, reason text, decided_by text,
    is_typed integer not null, comparison integer not null, told integer not null,
    former integer, base integer, from_state text, about integer, rival integer`,
}

export const noteGivenBack = (
  connection: Connection,
  id: number,
  { isUnchanged, isDecided, said, cells }: CheckedRecord,
  header: readonly string[],
): void =>
  void sql(connection)`
    insert into temp.given_back (id, is_unchanged, is_decided, reason, decided_by, is_typed, comparison, told) values (?, ?, ?, ?, ?, ?, ?, ?)`.run(
    ...[
      id,
      Number(isUnchanged === true),
      Number(isDecided === true),
      said?.reason,
      said?.by,
      Number(cleanCell(cells[header.indexOf(CUSTOMER_COLUMN)] ?? '') !== ''),
      said?.comparison ?? 0,
      said?.problem ?? Number.MAX_SAFE_INTEGER,
    ],
  )

/**
 * Newcomers that name the row they correct. Those of the same mandate are left to the rules for groups; the others
 * are decided here, before the groups, because the row they replace must no longer count there. A line that does not
 * say which row it corrects has its own error already.
 */
export function decideCorrections(scope: Scope, at: string): void {
  const { connection, first } = scope
  // Contested rows are gathered once: a whole file of corrections is compared in one pass.
  emptyTables(connection, {
    contested: 'corrects integer primary key',
    told: 'key, is_line integer, problem integer not null, row integer not null, primary key (key, is_line)',
  })
  sql(connection)`${TOLD}`.run({ first })
  sql(connection)`
    insert into temp.contested select corrects from row join temp.given_back using (id)
      where id >= ? and corrects > 0 and not is_unchanged
      group by corrects having count(distinct coalesce(mandate_key, '')) > 1`.run(first)
  const page = sql(connection)<{ id: number }>`
    select row.id from row join temp.given_back on given_back.id = row.id
      where row.id >= :first and row.id > :after and corrects > 0 order by row.id limit :limit`
  const read = sqlWithJson<Line>(connection, 'cells', 'namedCells')`${LINE}`
  const columnsOf = prepareColumns(connection)
  for (const { id } of rowsOf(page, { first })) {
    // What earlier lines did to a row counts for the next ones.
    const line = read.get({ id, first })
    if (line !== undefined) apply(scope, line, planOf(line, columnsOf), at)
  }
  leaveOldConflicts(scope)
  connection.exec(`update temp.given_back set about = rival
    where rival is not null and (select state from row where row.id = given_back.id) <> 'duplicate'`)
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

const RIVALS = '(select id from temp.given_back where rival is not null)'

/**
 * A row of a conflict that came back as it was changes nothing, or a part of a file would decide the conflict by
 * what it leaves out. It counts again where another row of that conflict was corrected, unless a person said which
 * row is right.
 */
function leaveOldConflicts({ connection, first }: Scope): void {
  sql(connection)`
    update row set state = 'duplicate', rule = 'DUPLICATE_MANDATE' where id in ${RIVALS} and (
         mandate_key is null
         or exists (select 1 from row as decided join temp.given_back on given_back.id = decided.id
           where decided.mandate_key = row.mandate_key and is_decided = 1)
         or not exists (select 1 from row as other where other.mandate_key = row.mandate_key and (
           (other.id >= :first and other.state <> 'duplicate' and other.id not in ${RIVALS}
             and (other.corrects is null or exists (select 1 from row as named
               where named.id = other.corrects and named.mandate_key = other.mandate_key)))
           or (other.id < :first and other.superseded_by >= :first))))`.run({ first })
}

function planOf(line: Line, columnsOf: ReturnType<typeof prepareColumns>): CorrectionPlan {
  if (line.current === null) return decideCorrection({ named: null, isContested: false })
  const isOutdated = line.isOutdated === 1 || line.news !== null
  const named = {
    state: line.state,
    isSameMandate: line.isSameMandate === 1,
    isRelated: isRelated(line, columnsOf),
    isUnchanged: line.isUnchanged === 1 || (isOutdated && line.isMute === 1 && isAsWritten(line, columnsOf)),
    hasRivals: line.hasRivals === 1,
    isOutdated,
  }
  return decideCorrection({ named, isContested: line.isContested === 1 })
}

/** Nobody typed anything: what it says otherwise, the configuration does, by which its row was read again. */
function isAsWritten(line: Line, columnsOf: ReturnType<typeof prepareColumns>): boolean {
  const cellsOf =
    ({ header }: HeaderColumns, cells: readonly string[]) =>
    (name: string) =>
      cleanCell(cells[header.indexOf(name)] ?? '')
  const [own, named] = [columnsOf(line.sourceId), columnsOf(line.namedSource)]
  const [now, then] = [cellsOf(own, line.cells), cellsOf(named, line.namedCells ?? [])]
  return (
    line.namedCells !== null && [...own.header, ...named.header].every((name) => now(name) === then(name))
  )
}

/** Guards against a file that was written from another ledger: a row number alone proves nothing. */
function isRelated(line: Line, columnsOf: ReturnType<typeof prepareColumns>): boolean {
  if (line.isAlike === 1 || line.namedCells === null) return line.isAlike === 1
  const named = columnsOf(line.namedSource)
  const oldCells = line.namedCells.map(cleanCell)
  // Where the old record had too many or too few cells, its values may stand in any of them.
  const isShifted = oldCells.length !== named.header.length
  const required = requiredCells(named, oldCells, TELLING)
  return requiredCells(columnsOf(line.sourceId), line.cells, TELLING).some(
    (cell, at) => cell !== '' && (isShifted ? oldCells.includes(cell) : required[at] === cell),
  )
}

const TELLING: readonly Field[] = ['customer_no', 'iban', 'unique_mandate_reference']

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
      sql(connection)`update temp.given_back set rival = ? where id = ?`.run(current, id)
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
      writeNotice(
        connection,
        noticeOf('CONFLICT_MANDATE', { other: line.news ?? corrected, ...CONFLICTS[plan.because](corrects) }),
        'id = :id',
        { id },
      )
      // A row that its own checks held back stays so; the notice says the rest.
      sql(connection)`
        update row set state = 'conflict', rule = 'CONFLICT_MANDATE' where id = ? and state = 'ready'`.run(id)
      if (plan.because !== 'outdated') isAbout(connection, id, OF_NO_ROW)
      if (plan.because === 'unrelated') holdShown(scope, line)
      if (plan.because === 'outdated' && state === 'ready' && corrected !== null && line.isSameMandate === 0)
        holdWith(connection, noticeOf('CONFLICT_MANDATE', { other: id, ...OLDER_LIST }), corrected, at)
      if (plan.because === 'outdated') answerNothing(connection, line)
  }
}

/** What "send" in an older list answers is not what holds the row by now, which the next list has to say. */
function answerNothing(connection: Connection, { id, current, news }: Line): void {
  sql(connection)`update temp.given_back set is_decided = 2 where id = ? and is_decided`.run(id)
  const where = `id = :current and id <> :news and state in ('conflict', 'invalid')`
  writeNotice(connection, noticeOf('CONFLICT_MANDATE', { other: news, ...SINCE }), where, { current, news })
}

const OLDER_LIST = {
  message: 'A list that is older than this row says something else of it: {row}.',
  remedy:
    'Compare the two. Correct the line, or write "send" into migration_decision, in the to-do list of the newest report.',
}

const SINCE = {
  message:
    'Since the list was written that said to send this row, more is known of its mandate: look at {row}.',
  remedy: OLDER_LIST.remedy,
}

const AS_IT_STANDS =
  'Use the files that were written from this ledger. If the line is right as it stands, empty its migration_row cell and give it back.'

const CONFLICTS = {
  unknown: (row: number) => ({
    message: `${NAMES_ROW} ${row}, but this ledger had no such row.`,
    remedy: AS_IT_STANDS,
  }),
  unrelated: (row: number) => ({
    message: `${NAMES_ROW} ${row}, but customer, account and reference all differ from it. The column may be sorted apart, or the file come from another ledger.`,
    remedy: AS_IT_STANDS,
  }),
  contested: (row: number) => ({
    message: `Several rows of the file say that they correct row ${row}, and they name different mandates.`,
    remedy: 'Keep the one correct row.',
  }),
  outdated: (row: number) => ({
    message: `This list is older than what is known of row ${row} by now: look at {row}.`,
    remedy: OLDER_LIST.remedy,
  }),
  protected: () => ({
    message: 'This cannot replace {row}.',
    remedy: `${ruleOf('CONFLICT_MANDATE').remedy} What was sent or closed stays as it is.`,
  }),
} as const

/** Hold a correction back that has what belongs to another row. */
const TAKES_REFERENCE = 'CORRECTION_TAKES_REFERENCE'
const TAKES_ACCOUNT = 'CORRECTION_TAKES_ACCOUNT'
const TAKES_CUSTOMER = 'CORRECTION_TAKES_CUSTOMER'
const TAKES_DATE = 'CORRECTION_TAKES_DATE'
const TAKEN = {
  [TAKES_REFERENCE]: 'unique_mandate_reference',
  [TAKES_ACCOUNT]: 'iban',
  [TAKES_CUSTOMER]: 'customer_no',
  [TAKES_DATE]: 'signed_date',
} as const satisfies Partial<Record<RuleId, Field>>

interface Found extends Readonly<{ id: number; former: number; isDecided: 0 | 1 }> {
  readonly rule: keyof typeof TAKEN
  /** Null where it is not known whose it is. */
  readonly other: number | null
}

/**
 * A column that moved by a line gives each row what belongs to its neighbour. So a reference that any other row of the
 * ledger ever had, an account that another customer has, or a customer number or date that another line of the file had and
 * lost waits for a person. Beside their word only a row that still claims the very mandate counts: one of both must be wrong.
 * Where two lines show that the accounts moved, those of the others are their neighbours', which the ledger need not know.
 */
export function holdAnothersValues(scope: Scope, at: string): void {
  if (!gatherBearers(scope)) return
  for (const found of sql(scope.connection)<Found>`${FOUND}`.all()) hold(scope, found, at)
}

const SHORTEST_IBAN = 15
const digitsOf = (row: string): string =>
  `(select digits_of(${row}.source_id, cells, iban) from private where row_id = ${row}.id)`

/** The value and one more: of a day the next day, of a reference its last figures. */
function nextOf(value: unknown): string | null {
  const day = parseLocalDate(String(value))
  const counted = (figures: string): string => String(BigInt(figures) + 1n).padStart(figures.length, '0')
  return day === null ? String(value).replace(/(?<!\d)\d+$/, counted) : addDays(day, 1)
}

/** A row with the reference of before a correction stands under the key of after it (admit/again.ts): that one it may take. */
const HAS_SAME_REFERENCE = `(upper(now.original_mandate_reference) is upper(base.original_mandate_reference)
  and (base.mandate_key is null or instr(base.mandate_key || '|', '|' || upper(base.original_mandate_reference) || '|') > 0)
  or now.mandate_key = base.mandate_key)`

/**
 * Accounts that cannot be read are compared without their check digits, which are what is usually wrong.
 * @returns false where none of the values was changed
 */
function gatherBearers({ connection, first }: Scope): boolean {
  const columns =
    'id integer primary key, reference text, spelling integer, account blob, digits text, customer_no integer'
  emptyTables(connection, {
    changed: `${columns}, signed_date text, was_customer_no integer, was_signed_date text`,
    bearer: `${columns}, last integer, former integer`,
    listed: 'id integer primary key, file text not null, record integer not null, unique (file, record)',
    slipped: 'file text primary key',
  })
  // Lines of one file may be a source for each configuration.
  connection.exec(`insert into temp.listed select row.id, source.sha256, row.record
    from temp.given_back join row using (id) join source on source.id = source_id`)
  for (const column of ['digits', 'reference', 'spelling', 'account'])
    connection.exec(`create index if not exists temp.bearer_${column} on bearer (${column})`)
  const columnsOf = prepareColumns(connection)
  // While a statement runs, nothing else can be asked.
  for (const source of sqlValue(connection)<number>`select id from source`.all()) columnsOf(source)
  connection.function('digits_of', (source, cells, iban) => {
    const [cell = ''] =
      typeof iban === 'string'
        ? [iban]
        : requiredCells(columnsOf(Number(source)), JSON.parse(String(cells)) as string[], ['iban'])
    const account = cleanIban(cell)
    return account.length < SHORTEST_IBAN ? null : account.slice(0, 2) + account.slice(4)
  })
  connection.function('next_of', nextOf)
  const changed = sql(connection)`
    insert into temp.changed
       select now.id,
              iif(${HAS_SAME_REFERENCE}, null, upper(now.original_mandate_reference)),
              iif(now.spelling is base.spelling, null, now.spelling),
              iif(now.iban_key is base.iban_key, null, now.iban_key),
              nullif(${digitsOf('now')}, ${digitsOf('base')}),
              now.customer_no, now.signed_date, base.customer_no, base.signed_date
         from temp.given_back join row as now on now.id = given_back.id join row as base on base.id = given_back.base
        where not ${HAS_SAME_REFERENCE} or now.iban_key is not base.iban_key or now.customer_no is not base.customer_no or now.signed_date is not base.signed_date`.run()
    .changes
  if (changed === 0) return false
  noteSlipped(connection)
  // One walk over all rows. What was given back and not taken is no row of the campaign.
  sql(connection)`
    insert into temp.bearer
       select id, upper(original_mandate_reference), spelling, iban_key,
           iif(content_key is null, ${digitsOf('row')}, null), customer_no, coalesce(heir, id), former
         from row left join temp.given_back using (id)
        where (upper(original_mandate_reference) in (select reference from temp.changed)
            or spelling in (select spelling from temp.changed)
            or iban_key in (select account from temp.changed)
            or content_key is null and ${digitsOf('row')} in (select digits from temp.changed))
          and not (counted_in is null and state <> 'superseded' and id < ?) and state <> 'duplicate'`.run(
    first,
  )
  return true
}

/** The text, and the text without any one of its characters: two that share one of these differ by one character at most. */
const formsOf = (text: string): string[] => [
  text,
  ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1)),
]

/** Notes files in which an account completes what stood in another line, and is not like what stood in its own. */
function noteSlipped(connection: Connection): void {
  const lines = sql(connection)<Record<'file' | 'now' | 'was', string>>`
    select file, digits as now, ${digitsOf('base')} as was from temp.changed join temp.listed using (id)
      join temp.given_back using (id) join row as base on base.id = given_back.base
     where digits is not null and base.content_key is null and was is not null`.all()
  const broken = new Set(lines.flatMap(({ file, was }) => formsOf(was).map((form) => file + form)))
  for (const { file, now, was } of lines) {
    const [forms, own] = [formsOf(now), new Set(formsOf(was))]
    if (forms.some((form) => broken.has(file + form)) && !forms.some((form) => own.has(form)))
      sql(connection)`insert or ignore into temp.slipped values (?)`.run(file)
  }
}

/**
 * "send" answers what the list showed beside the row: one of these rules, and with the value that the line still has. What only
 * this file shows, such as a column that moved, it says nothing of.
 */
const SAID = `select line.id, held.rule from temp.given_back as line join row as now using (id) join row as held on held.id = line.former
  where is_decided = 1 and case held.rule when '${TAKES_REFERENCE}' then upper(held.original_mandate_reference) is upper(now.original_mandate_reference)
    when '${TAKES_ACCOUNT}' then held.iban_key is now.iban_key when '${TAKES_CUSTOMER}' then held.customer_no is now.customer_no
    when '${TAKES_DATE}' then held.signed_date is now.signed_date end`
const isSaid = (line: string, rule: Found['rule']): string =>
  `(${line}, '${rule}') in (select id, rule from said)`

/** A spreadsheet takes zeros in front away, which leaves the spelling. */
const MAY_TAKE_REFERENCE = `(not ${isSaid('line.id', TAKES_REFERENCE)} or other.mandate_key = now.mandate_key and other.state not in ('superseded', 'written_off'))`
const MAY_TAKE_ACCOUNT = `(bearer.customer_no is not changed.customer_no or changed.customer_no is not was_customer_no)`

/**
 * SQL over a line that changed a value: the first other row that has it in one of the columns, and that stands for no row which the
 * line corrects. A column at a time, in order: thousands of rows may have one account, and the first of them will do.
 */
function bearerOf(such: string, ...columns: readonly string[]): string {
  const firstBy = (
    column: string,
  ): string => `select * from (select bearer.id from temp.bearer cross join row as other using (id)
    where bearer.${column} = changed.${column} and ${such} and bearer.id <> changed.id and (other.content_key is null or other.content_key is not now.content_key)
      and last not in (changed.id, line.former) and bearer.former is not line.former order by bearer.id limit 1)`
  return `(select min(id) from (${columns.map(firstBy).join(' union all ')}))`
}

/** SQL of the lines above and below a line in its file. */
const BESIDE = `(select own.id as line, own.file, beside.id, beside.corrects, beside.iban_key, beside.customer_no
  from temp.listed as own join temp.listed as next on next.file = own.file and next.record in (own.record - 1, own.record + 1)
  join row as beside on beside.id = next.id) as beside`

/** Accounts of files that slipped, or with two lines beside each other that have one account, new in one, and nobody said that this is right. */
const MOVED_ACCOUNTS = `select changed.id, '${TAKES_ACCOUNT}' as rule, null as other from temp.changed join temp.listed using (id)
  where account is not null and (file in temp.slipped or file in (select beside.file from temp.changed join ${BESIDE} on line = changed.id
    where beside.iban_key = changed.account and beside.customer_no is not changed.customer_no
      and not ${isSaid('changed.id', TAKES_ACCOUNT)} and not ${isSaid('beside.id', TAKES_ACCOUNT)}))`

/**
 * Lines with a customer number, or a date, that another line of their file lost; beside those, lines with that of the next one,
 * and of a file with several of them all that changed. And one that was held before.
 */
const movedIn = (column: 'customer_no' | 'signed_date', rule: Found['rule']): string => `
  with line as materialized (select changed.id, file, base, former, changed.${column}, was_${column}
      from temp.changed join temp.listed using (id) join temp.given_back using (id) where changed.${column} is not was_${column}),
    moved as materialized (select line.id, line.file, min(other.base) as other from line
      join line as other on other.was_${column} = line.${column} and other.file = line.file and other.id <> line.id
      group by 1),
    near as materialized (select line.id, min(named.id) as other from line join ${BESIDE} on beside.line = line.id
      join row as named on named.id = beside.corrects and named.${column} = line.${column} group by 1)
  select line.id, '${rule}' as rule, coalesce(moved.other, near.other) as other
    from line left join moved using (id) left join near using (id) join row as held on held.id = former
   where moved.id is not null or near.id is not null and line.file in (select file from moved)
     or line.file in (select file from moved group by file having count(*) > 1)
     or held.rule = '${rule}' and held.${column} = line.${column}`

/**
 * Two or more lines below each other whose values count up and did not before: a spreadsheet fills cells so where somebody drags
 * the corner of one.
 */
const filledIn = ([rule, column]: readonly [Found['rule'], string]): string => `
  select id, '${rule}' as rule, null as other from (
    select id, isNext, lag(isNext, 1, 0) over file + lead(isNext, 1, 0) over file as beside from (
      select listed.*, coalesce(now.${column} <> base.${column} and cast(now.${column} as text) = next_of(lag(now.${column}) over file)
          and cast(base.${column} as text) is not next_of(lag(base.${column}) over file), 0) as isNext
        from temp.listed join row as now using (id) join temp.given_back using (id) left join row as base on base.id = given_back.base
        window file as (partition by file order by listed.record))
      window file as (partition by file order by record))
   where isNext and beside`
const FILLED: readonly (readonly [Found['rule'], string])[] = [
  [TAKES_REFERENCE, 'original_mandate_reference'],
  [TAKES_CUSTOMER, TAKEN[TAKES_CUSTOMER]],
  [TAKES_DATE, TAKEN[TAKES_DATE]],
]

/** What a crosswalk or an export says of the customer, and nobody doubted, is not typed over without a word. */
const TYPED_CUSTOMERS = `select changed.id, '${TAKES_CUSTOMER}' as rule, null as other from temp.changed
    join temp.given_back using (id) join row as held on held.id = former
  where is_typed and changed.customer_no <> was_customer_no and coalesce(held.rule, '') not in (${sqlList(Object.values(STRANGERS))})`

/** Of each line the first thing found of which nobody said that it is right; two rows that claim one mandate are no matter of a word. */
const FOUND = `
  with said as materialized (${SAID}), looked as materialized (
    select changed.id, line.former, ${bearerOf(MAY_TAKE_REFERENCE, 'reference', 'spelling')} as reference, ${bearerOf(MAY_TAKE_ACCOUNT, 'account', 'digits')} as account
      from temp.changed join temp.given_back as line using (id) join row as now using (id)),
    found (id, rule, other, place) as (
      select id, '${TAKES_REFERENCE}', reference, 1 from looked where reference is not null
      union all select id, '${TAKES_ACCOUNT}', account, 2 from looked where account is not null
      union all select *, 3 from (${MOVED_ACCOUNTS})
      union all select *, 4 from (${movedIn('customer_no', TAKES_CUSTOMER)})
      union all select *, 5 from (${movedIn('signed_date', TAKES_DATE)})
      union all select *, 6 from (${TYPED_CUSTOMERS})
      ${FILLED.map((one) => `union all select *, 7 from (${filledIn(one)})`).join(' ')})
  select id, former, (id, rule) in (select id, rule from said) as isDecided, rule, other, min(place) from looked join found using (id)
   where place = 1 or (id, rule) not in (select id, rule from said) group by id order by id`

function hold(scope: Scope, { id, former, isDecided, rule, other }: Found, at: string): void {
  const { connection } = scope
  // The row number may be that of another mandate of the customer, and the account the new one of this.
  const shown = sqlValue(connection)<number>`
    select other.id from row as now join row as other on other.mandate_key = now.mandate_key
      where now.id = ? and other.id < now.id and other.id <> ? and other.customer_no = now.customer_no
        and other.state = 'ready' and other.attempts = 0`
  for (const row of shown.all(id, former)) {
    const message = `A line that was given back shows this mandate and names row ${former}. It may be meant for either row.`
    const remedy = 'Give the line back with this row in migration_row, and the other row as it should be.'
    holdWith(connection, noticeOf('CONFLICT_MANDATE', { message, remedy }), row, at)
  }
  const { message, remedy } = ruleOf(rule)
  const notice = noticeOf(rule, {
    field: TAKEN[rule],
    message: other !== null ? `${message} It is that of {row}.` : OF_NOBODY[rule],
    remedy: isDecided === 1 ? BOTH_CLAIM_IT : remedy,
    other,
  })
  const give = sql(connection)`
    update row set rule = ?, state = iif(state = 'ready', 'conflict', state)
      where id = ? and state in ('ready', 'invalid', 'excluded')`
  if (give.run(rule, id).changes > 0) writeNotice(connection, notice, 'id = :id', { id })
}

/** Where nobody knows whose it is. */
const OF_NOBODY: Readonly<Record<Found['rule'], string>> = {
  [TAKES_REFERENCE]:
    'The reference may belong to no mandate: with those of the lines beside it, it counts up, as a spreadsheet fills cells.',
  [TAKES_ACCOUNT]:
    'Other lines of the file give one account to two customers, or complete the account of another line. The column may have moved, and this account may be that of a neighbour.',
  [TAKES_CUSTOMER]:
    'It may be the customer number of another line, or of nobody: it was put over one that nobody doubted, counts up with the lines beside it, as a spreadsheet fills cells, or waited for that before.',
  [TAKES_DATE]:
    'It may be the date of another line, or of none: those of several lines of the file moved, it counts up with the lines beside it, as a spreadsheet fills cells, or it waited for that before.',
}

const BOTH_CLAIM_IT =
  'Two rows claim one mandate, and only one of them can be sent. Correct the other row or write it off, then give this line back with "send" in migration_decision.'

function noteFormer(connection: Connection, id: number, former: number, state: string): void {
  const before = sqlValue(connection)<number | null>`
    select (select max(older.id) from row as older where older.heir = coalesce(row.heir, row.id) and older.superseded_by = row.id)
       from row where id = ? and ${isTaking('row')}`
  let base = former
  for (let next = before.get(base); typeof next === 'number'; next = before.get(base)) base = next
  sql(connection)`update temp.given_back set former = ?, base = ?, from_state = ? where id = ?`.run(
    ...[former, base, state, id],
  )
}

/** The row that a line is about, where it is not the one that it names. */
const OF_NO_ROW = 0

const isAbout = (connection: Connection, line: number, row: number): void =>
  void sql(connection)`update temp.given_back set about = ? where id = ?`.run(row, line)

/**
 * Control totals count mandates of the campaign. Every record of an export counts in its source, and a correction in the
 * place of the row that it replaces, in whose source it counts from then on. What is left over counts nowhere. Once all
 * rules across rows have spoken.
 */
export function decidePlaces({ connection, first }: Scope): void {
  emptyTables(connection, {
    place: 'row integer primary key, newcomer integer not null, source integer not null',
  })
  // All that is read again, of which there may be a million, comes before what somebody gave back.
  sql(connection)`
    insert or ignore into temp.place select former.id, row.id, former.counted_in
      from source join row on row.source_id = source.id join row as former on former.id = row.corrects
     where kind = 'again' and row.id >= ? and row.state <> 'duplicate' and row.counted_in is null
       and former.state = 'superseded' and former.counted_in is not null order by row.id`.run(first)
  sql(connection)`update row set counted_in = null where id in (select row from temp.place)`.run()
  sql(connection)`
    update row set counted_in = place.source from temp.place where row.id = place.newcomer`.run()
  const pairs = sql(connection)<{ newcomer: number; row: number }>`
    select newcomer, row from (
      select id as newcomer, about as row, 0 as isReplaced, state = 'duplicate' as isRepeat, id as n
        from temp.given_back join row using (id) where about is not null
      union all select row.id, corrects, 0, 1, row.id from row join source on source.id = source_id
        where row.id >= :first and kind = 'again' and corrects > 0 and state = 'duplicate'
      union all select superseded_by, id, 1, 0, id from row where heir >= :first and superseded_by >= :first
        and (counted_in is not null or id >= :first)
        and (select corrects from row as newcomer where newcomer.id = row.superseded_by) is not null)
     order by isReplaced, isRepeat, n`
  const placeOf = sqlValue(connection)<number | null>`
    select counted_in from row where id = :row and state = 'superseded'
      and (select counted_in from row where id = :newcomer) is null`
  const count = sql(connection)`update row set counted_in = ? where id = ?`
  for (const { newcomer, row } of pairs.all({ first })) {
    const place = placeOf.get({ newcomer, row })
    if (typeof place !== 'number') continue
    count.run(null, row)
    count.run(place, newcomer)
  }
  countForThemselves(connection)
  const lost = sqlValue(connection)<number>`
    select count(*) from row where id >= ? and counted_in is null and state = 'ready'`
  if (lost.get(first) !== 0) throw new Error('A correction would be sent that no total counts')
}

/** A line that is not about the row that it names may be all that there is of its mandate: then it is a record of its own, which waits. */
function countForThemselves(connection: Connection): void {
  sql(connection)`
    update row set counted_in = source_id from temp.given_back as line
     where line.id = row.id and (about = ${OF_NO_ROW} or corrects = 0) and counted_in is null
       and state not in ('ready', 'duplicate', 'superseded') and not exists (
         select 1 from row as other where other.mandate_key = row.mandate_key and other.counted_in is not null)`.run()
  sql(connection)`
    update source set resubmitted = resubmitted - own.count from (select counted_in, count(*) as count from row
      join temp.given_back using (id) where counted_in = source_id group by 1) as own
     where source.id = own.counted_in and admitted_at is null`.run()
}

type Taken = Readonly<
  Record<'id' | 'base', number> &
    Record<'from' | 'to', string> &
    Record<'reason' | 'by', string | null> & { isDecided: 0 | 1 }
>

/** The five values under the names of their fields, an account as its fingerprint. */
interface Stored extends Readonly<Partial<Record<Field, string | null>>> {
  readonly sourceId: number
  readonly ibanMasked: string | null
  readonly cells: string | null
}

/**
 * Puts each correction that took the place of a row on record as what it is: a decision of a person, with the fields that
 * it changed. It is on the new row, so that what is erased of a customer is erased there too.
 */
export function recordCorrections({ connection }: Scope, corrector: Corrector, at: string): void {
  const page = sql(connection)<Taken>`
    select row.id, base, from_state as "from", state as "to", is_decided as isDecided,
       given_back.reason, decided_by as "by"
       from temp.given_back join row using (id)
      where former is not null and row.id > :after and counted_in is not null order by row.id limit :limit`
  const changesOf = prepareChanges(connection)
  for (const { id, base, from, to, isDecided, reason, by } of rowsOf(page)) {
    const changes = [...changesOf(base, id), ...(isDecided === 1 ? [SENT_BY_WORD] : [])]
    // A row that was kept back as excluded goes out by a cell that feeds none of the fields.
    if (changes.length === 0 && from !== 'excluded') continue
    recordDecision(connection, {
      ...{ row: id, at, by: maskAccounts(by ?? corrector.by), decision: CORRECTED, from, to },
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
  const read = sql(connection)<Stored>`
    select source_id as sourceId, ${privateOf('row', 'cells')} as cells, iban_masked as ibanMasked, cast(customer_no as text) as customer_no,
       iif(iban_key is null, null, hex(iban_key)) as iban, signed_date,
       original_creditor_identifier as sepa_creditor_identifier,
       original_mandate_reference as unique_mandate_reference from row where id = ?`
  const columnsOf = prepareColumns(connection)
  const cellsOf = (row: Stored, fields: readonly Field[]): readonly string[] =>
    row.cells === null
      ? []
      : requiredCells(columnsOf(row.sourceId), JSON.parse(row.cells) as string[], fields)
  return (before, after) => {
    const [old, now] = [read.get(before), read.get(after)]
    if (old === undefined || now === undefined) return []
    // A word that was read only before, or only after, may have stood there all the time.
    const isRead = (field: Field): boolean =>
      [old, now].every(({ sourceId, cells }) => cells !== null && field in columnsOf(sourceId).columns)
    const fields = FIELDS.filter((field) => field in now || isRead(field))
    const [oldCells, cells] = [cellsOf(old, fields), cellsOf(now, fields)]
    return fields.flatMap((field, index): FieldChange[] => {
      const [was = null, is = null] = [old[field], now[field]]
      const [oldCell = '', cell = ''] = [oldCells[index], cells[index]]
      const isSame = was !== null && is !== null ? was === is : cleanCell(oldCell) === cleanCell(cell)
      if (isSame) return []
      return [{ field, before: shownValue(field, old, oldCell), after: shownValue(field, now, cell) }]
    })
  }
}

const shownValue = (field: Field, row: Stored, cell: string): string =>
  field === 'iban' ? (row.ibanMasked ?? showValue(cell, field)) : showValue(row[field] ?? cell)
