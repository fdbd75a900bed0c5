import { headersOf } from '../source/columns/header.js'
import { DATE_FORMATS, readDate, addDays } from '../domain/mandate/date.js'
import { checkCreditorIdentifier, checkCustomerNo, creditorOf } from '../domain/value/identifiers.js'
import { DECIDING_COLUMNS, ledgerMark } from '../report/files/lists.js'
import { mergeColumns, type OriginalColumns } from '../report/files/cells.js'
import { showValue } from '../domain/rule/verdict.js'
import { maskAccounts } from '../domain/text/masking.js'
import { isSameName, likenessOf, readWhole } from '../domain/row/resaved.js'
import {
  cleanCell,
  fold,
  cleanCreditorIdentifier,
  cleanIban,
  isScientific,
  upperCase,
} from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import { DECISIONS, type Decision, type Resolution } from '../ledger/ledger.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import type { RowRecord } from '../ledger/read/reader.js'
import { openLists, type ListRow } from '../source/list.js'
import { assertGiven, MOST_BYTES } from '../trust/given-file.js'
import { isSepaIban } from '../domain/value/iban.js'
import type { Field, LocalDate } from '../domain/mandate/mandate.js'

/** As it is written on the command line and in the in-doubt file. @throws {UsageError} for anything else */
export function readDecision(text: string): Decision {
  const decision = DECISIONS.find((each) => each === text.trim().toLowerCase().replace('-', '_'))
  if (decision !== undefined) return decision
  throw new UsageError(
    `"${showValue(text)}" is not a decision`,
    'Use registered, refused, resend, written-off or, in cut-over.csv, done; nothing was recorded',
  )
}

/** The word of corrections.csv that `run` reads: this row is right as it stands. */
const isForRun = (decision: string): boolean => fold(decision) === 'send'

const MOST_SHOWN = 5

/**
 * Reads a result file that a person filled in; lines without a decision, or with one for `run`, are left open, so there
 * may be none. A row number alone proves nothing: columns are sorted apart and files are mixed up, so every line that
 * decides, and each of a list to decide in, must name this ledger and show the customer, the reference and the creditor
 * of its row, and no other account or date: what somebody corrected there would not be sent.
 * @throws {SourceError} for a file that cannot be read
 * @throws {UsageError} for a line that is not the row's, or a decision that cannot be read; nothing of the file
 * counts then
 */
export async function readDecisions(
  reader: LedgerReader,
  file: string,
  usualBy: string,
  isForRunToo = false,
): Promise<readonly Resolution[]> {
  assertGiven(file, { what: 'decisions', nothing: 'nothing was recorded', mostBytes: MOST_BYTES.decisions })
  const tables = await openLists(() => file, DECIDING_COLUMNS)
  const differencesOf = compareLines(reader)
  const resolutions: Resolution[] = []
  const differences: string[] = []
  let forRun = 0
  let evidence = ''
  for (const table of tables) {
    const inSheet = table.sheet === undefined ? '' : `sheet ${table.sheet}, `
    for await (const row of table.rows()) {
      const rowId = readWhole(row.cell('migration_row') ?? '')
      const decided = row.cell('migration_decision')
      if (rowId === null && decided === null) throw noList(file)
      const decision = decided ?? ''
      const isDecided = decision !== '' && !isForRun(decision)
      // In a list to correct in, what differs is a correction, which is for `run` to judge.
      const isToDecide = row.cell('migration_assigned_mandate_reference') !== null
      if (rowId !== null && (isDecided || isToDecide))
        differences.push(...differencesOf(row, rowId).map((text) => inSheet + text))
      if (isForRun(decision)) forRun += 1
      else if (isDecided)
        resolutions.push(readLine(row, rowId, `in ${inSheet}line ${row.line} of "${file}"`, usualBy))
    }
    evidence = `${table.name} (SHA-256 ${table.sha256()})`
  }
  if (differences.length > 0) throw notTheRows(file, differences)
  if (resolutions.length === 0 && forRun > 0 && !isForRunToo)
    throw new UsageError(
      `"${file}" holds no decision but "send" (${forRun} ${forRun === 1 ? 'line' : 'lines'}), which is a word for run`,
      'Give the file to a run; nothing was recorded',
      { suggestions: ['run_file'] },
    )
  return resolutions.map((resolution) => ({ ...resolution, evidence }))
}

/**
 * Either command takes its part of a workbook alone, and tells what the other part holds. Of rows that are as they were
 * when it was written; none of any other file.
 * @throws {SourceError} for a file that cannot be read again
 */
export async function waitingIn(
  reader: LedgerReader,
  file: string,
): Promise<{ readonly sheet: string; readonly decisions: number; readonly corrections: number }[]> {
  const { plainNames, plainCellsOf } = mergeColumns(reader.sources())
  const isCorrected = (line: ListRow, row: RowRecord): boolean =>
    plainCellsOf(row).some((cell, at) => {
      const name = plainNames[at] ?? ''
      const nth = plainNames.slice(0, at).filter((other) => fold(other) === fold(name)).length
      return likenessOf(cell, line.cells(name)[nth] ?? '') !== 'same'
    })
  const waiting: Awaited<ReturnType<typeof waitingIn>> = []
  for (const table of await openLists(() => file, DECIDING_COLUMNS)) {
    if (table.sheet === undefined) return []
    const count = { decisions: 0, corrections: 0 }
    for await (const line of table.rows()) {
      const row = reader.row(readWhole(line.cell('migration_row') ?? '') ?? 0)
      if (row === null || row.state !== line.cell('migration_state')) continue
      const decision = line.cell('migration_decision') ?? ''
      if (decision !== '' && !isForRun(decision)) count.decisions += 1
      else if (
        row.state !== 'in_doubt' &&
        line.cell('migration_class') === null &&
        (decision !== '' || isCorrected(line, row))
      )
        count.corrections += 1
    }
    waiting.push({ sheet: table.sheet, ...count })
  }
  return waiting
}

const noList = (file: string): UsageError =>
  new UsageError(
    `"${file}" is no list to decide in: it has no columns migration_row and migration_decision`,
    'Fill in to-do/in-doubt.csv of the report and give that; an export goes to run. Nothing was recorded',
  )

function notTheRows(file: string, differences: readonly string[]): UsageError {
  const shown = differences.slice(0, MOST_SHOWN).join('; ')
  const rest = differences.length > MOST_SHOWN ? `; and ${differences.length - MOST_SHOWN} more` : ''
  return new UsageError(
    `"${file}" does not show the rows of this ledger as they are: ${shown}${rest}`,
    'Nothing of the file was recorded. If somebody corrected a cell, undo that: a decision is about the row as it stands, ' +
      'and a row in doubt is resolved before it is corrected (once it is "refused", in to-do/refused.csv). Otherwise the ' +
      'columns may be sorted apart, or the file was written from another ledger: write the report anew and fill in the ' +
      'new file, with columns as text',
    { suggestions: ['report'] },
  )
}

/** Says of a line in which cells it is not the row that it names. */
function compareLines(reader: LedgerReader): (line: ListRow, rowId: number) => readonly string[] {
  const columns = mergeColumns(reader.sources())
  const mark = fold(ledgerMark(reader.campaign()))
  return (line, rowId) => {
    const at = (column: string, what: string): string => `line ${line.line}, column ${column}: ${what}`
    const ledger = line.cell('migration_ledger')
    if (ledger === null) return [at('migration_ledger', 'the file has no such column')]
    if (fold(ledger) !== mark) return [at('migration_ledger', 'the line names another ledger, or none')]
    const row = reader.row(rowId)
    if (row === null) return [at('migration_row', `there is no row ${rowId}`)]
    if (line.cell('migration_class') !== null && line.cell('migration_line') !== reader.markOfLine(rowId))
      return [at('migration_line', `the latest comparison says something else of row ${rowId}, or nothing`)]
    return columns.identityOf(row).flatMap((cell) => differenceIn(reader, line, row, cell, at))
  }
}

function differenceIn(
  reader: LedgerReader,
  line: ListRow,
  row: RowRecord,
  { field, name, nth, value }: ReturnType<OriginalColumns['identityOf']>[number],
  at: (column: string, what: string) => string,
): string[] {
  const found = line.cells(name)[nth]
  const column = `"${showValue(name)}"`
  const isContent = field === 'iban' || field === 'signed_date'
  if (found === undefined) return isContent ? [] : [at(column, 'the file has no such column')]
  // A list in which nothing is corrected shows no account number, wherever it stands.
  if (value === null || isSameName(value, found) || isSameName(maskAccounts(value), found)) return []
  if (isContent && !isChanged(reader, row, field, cleanCell(found))) return []
  const shown = (cell: string): string => `"${showValue(cell, field === 'iban' ? field : null)}"`
  return [at(column, `row ${row.id} has ${shown(value)}, the line has ${shown(cleanCell(found))}`)]
}

const LIKE_IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{9,}$/

/** Whether somebody gave it another account or day: what a spreadsheet may have made of the cell does not count. */
function isChanged(reader: LedgerReader, row: RowRecord, field: 'iban' | 'signed_date', cell: string) {
  if (field === 'signed_date') return agreementOfDate(row.signedDate, cell) === 'differs'
  const agreement = agreementOfAccount(reader, row, cell)
  return agreement === 'differs' || (agreement === 'unknown' && LIKE_IBAN.test(cleanIban(cell)))
}

function readLine(row: ListRow, rowId: number | null, at: string, usualBy: string): Resolution {
  const decision = readDecision(row.cell('migration_decision') ?? '')
  const attemptCell = row.cell('migration_attempt') ?? ''
  const attempt = readWhole(attemptCell)
  const reason = row.cell('migration_reason') ?? ''
  // Only what leads to no request may be decided without having looked at the latest attempt.
  const mayLackAttempt = (decision === 'written_off' || decision === 'done') && attemptCell === ''
  if (rowId === null || (attempt === null && !mayLackAttempt))
    throw new UsageError(
      `Cannot read the number of the row or of its attempt ${at}`,
      'Leave migration_row and migration_attempt as they were; nothing was recorded',
    )
  if (reason === '')
    throw new UsageError(
      `There is no reason ${at}`,
      'Say in migration_reason how you know; nothing was recorded',
    )
  const creditorIdentifier = row.cell('migration_assigned_creditor_identifier') ?? ''
  const mandateReference = row.cell('migration_assigned_mandate_reference') ?? ''
  const isAssigned = creditorIdentifier !== '' || mandateReference !== ''
  return {
    rowId,
    decision,
    reason,
    by: row.cell('migration_by') || usualBy,
    assigned: isAssigned ? { creditorIdentifier, mandateReference } : null,
    evidence: null,
    attempt,
    isOfCutOver: row.cell('migration_class') !== null,
  }
}

/** One mandate as the service's list shows it; null for a value that the list does not have. */
export type ListEntry = Readonly<ReturnType<ReturnType<typeof readListed>>>

/** Without the account, which is compared and never shown. */
export type Listed = Omit<ListEntry, 'account'>

interface Wanted {
  /** Names that can mean nothing else, the best first. */
  readonly own: readonly string[]
  /** Names that mean it in a list of the service, where the file has only one of them. */
  readonly usual: readonly string[]
}

const isOfBefore = (name: string): boolean => /^(?:original|old|previous)/.test(fold(name))
const usual = (field: Field): readonly string[] => headersOf(field).filter((name) => !isOfBefore(name))

const WANTED = {
  customerNo: { own: ['customer_no'], usual: [] },
  account: { own: ['iban', 'iban_masked', 'details.iban'], usual: usual('iban') },
  signedDate: { own: ['signed_date', 'signed_at', 'details.signed_at'], usual: usual('signed_date') },
  creditorIdentifier: {
    own: ['assigned_creditor_identifier', 'sepa_creditor_identifier'],
    usual: usual('sepa_creditor_identifier'),
  },
  mandateReference: {
    own: ['assigned_mandate_reference', 'unique_mandate_reference', 'details.reference', 'reference'],
    usual: usual('unique_mandate_reference'),
  },
  originalCreditorIdentifier: {
    own: ['original_creditor_identifier', 'amendment.sepa_creditor_identifier'],
    usual: [],
  },
  originalMandateReference: {
    own: ['original_mandate_reference', 'amendment.unique_mandate_reference'],
    usual: [],
  },
} as const satisfies Record<string, Wanted>

type ListColumn = keyof typeof WANTED

/** Every name under which a list may show something. */
export const LIST_NAMES: readonly string[] = [
  ...new Set(Object.values<Wanted>(WANTED).flatMap(({ own, usual: names }) => [...own, ...names])),
]

/**
 * Reads the lines of one list.
 * @throws {UsageError} for a line without customer number or assigned reference, and for columns that could both be one
 */
export function readListed(list: string) {
  let columns: ReadonlyMap<ListColumn, string> | null = null
  return (row: ListRow) => {
    columns ??= findColumns(row, list)
    const found = columns
    const cellOf = (column: ListColumn): string => cleanCell(row.cell(found.get(column) ?? '') ?? '')
    const orNull = (column: ListColumn): string | null => cellOf(column) || null
    const customer = cellOf('customerNo')
    const customerNo = readWhole(customer) ?? checkCustomerNo(customer, {}).value
    const mandateReference = cellOf('mandateReference')
    if (customerNo === null || mandateReference === '')
      throw new UsageError(
        `Line ${row.line} of "${list}" has no customer_no or no assigned mandate reference`,
        'Export the list with customer_no, sepa_creditor_identifier and unique_mandate_reference; nothing was recorded',
      )
    return {
      line: row.line,
      customerNo,
      mandateReference,
      creditorIdentifier: cellOf('creditorIdentifier'),
      /** As it stands there, whole or masked. */
      account: orNull('account'),
      signedDate: orNull('signedDate'),
      originalCreditorIdentifier: orNull('originalCreditorIdentifier'),
      originalMandateReference: orNull('originalMandateReference'),
    }
  }
}

function findColumns(row: ListRow, list: string): ReadonlyMap<ListColumn, string> {
  const found = new Map<ListColumn, string>()
  for (const [column, wanted] of Object.entries<Wanted>(WANTED) as [ListColumn, Wanted][]) {
    const hasColumn = (name: string): boolean => row.cells(name).length > 0
    const usualNames = [...new Map(wanted.usual.map((name) => [fold(name), name])).values()].filter(hasColumn)
    const name = wanted.own.find(hasColumn) ?? usualNames[0]
    if (name === undefined) continue
    if (!wanted.own.includes(name) && usualNames.length > 1)
      throw new UsageError(
        `The columns ${usualNames.map((each) => `"${each}"`).join(' and ')} of "${list}" could both be the ${wanted.own[0] ?? name}`,
        `Name the right one ${wanted.own[0] ?? name}; nothing was recorded`,
      )
    found.set(column, name)
  }
  return found
}

/** How a value of the list stands to that of a row: `fits` does not contradict it, and does not prove it either. */
type Agreement = 'same' | 'fits' | 'unknown' | 'differs'

export type Comparison = ReturnType<typeof compareWith>

/** Compares an entry with a row of any state. */
export function compareWith(reader: Pick<LedgerReader, 'isAccountOf'>, row: RowRecord, entry: ListEntry) {
  const account = agreementOfAccount(reader, row, entry.account)
  const reference = agreementOfReference(row.originalMandateReference, entry.originalMandateReference)
  const agreements: readonly (readonly [name: string, agreement: Agreement])[] = [
    ['customer_no', row.customerNo === entry.customerNo ? 'same' : 'differs'],
    ['iban', account],
    ['signed_date', agreementOfDate(row.signedDate, entry.signedDate)],
    ['original creditor', agreementOfCreditor(row, entry.originalCreditorIdentifier)],
    ['original reference', reference],
  ]
  return {
    /** What the list contradicts; empty where it could be the row. */
    differing: agreements.flatMap(([name, agreement]) => (agreement === 'differs' ? [name] : [])),
    /** The whole account or the original reference is the row's: more than a customer and four digits. */
    isSpecific: account === 'same' || reference === 'same',
  }
}

const MASK = '[*\\u2022\\u25CF\\u2026#.]'
const MASKED = new RegExp(`^([A-Z0-9]*?)(?:${MASK}|X{2,})+([A-Z0-9]*)$`)
const FEW_DIGITS = /^[0-9]{3,6}$/

function agreementOfAccount(
  { isAccountOf }: Pick<LedgerReader, 'isAccountOf'>,
  { id, ibanMasked }: RowRecord,
  cell: string | null,
): Agreement {
  const text = cell === null ? '' : cleanIban(cell)
  if (text === '' || ibanMasked === null) return 'unknown'
  const isWhole = isSepaIban(text)
  const isAccount = isWhole ? isAccountOf(id, text) : null
  if (isAccount !== null) return isAccount ? 'same' : 'differs'
  const [country = '', last = ''] = ibanMasked.split('…')
  const [, head, tail] = isWhole
    ? [text, text.slice(0, 2), text.slice(-4)]
    : FEW_DIGITS.test(text)
      ? [text, '', text]
      : (MASKED.exec(text) ?? [])
  if (head === undefined || tail === undefined) return 'unknown'
  if (/^[A-Z]{2}/.test(head) && head.slice(0, 2) !== country) return 'differs'
  const shown = Math.min(tail.length, last.length)
  if (shown === 0) return 'unknown'
  return tail.slice(-shown) === last.slice(-shown) ? 'fits' : 'differs'
}

const CENTURIES = ['1999-12-31', '2999-12-31'] as LocalDate[]

/** Every date that the text may stand for, in whatever notation: which one a list uses is nowhere declared. */
function possibleDates(text: string): ReadonlySet<string> {
  const dates = new Set<string>()
  for (const format of DATE_FORMATS)
    for (const today of CENTURIES) {
      const read = readDate(text, format, today)
      if (read.kind !== 'date') continue
      dates.add(read.date)
      const next = read.isNearMidnightUtc ? addDays(read.date, 1) : null
      if (next !== null) dates.add(next)
    }
  return dates
}

function agreementOfDate(ofRow: string | null, cell: string | null): Agreement {
  if (ofRow === null || cell === null) return 'unknown'
  const dates = possibleDates(cell)
  if (dates.size === 0) return 'unknown'
  if (!dates.has(ofRow)) return 'differs'
  return dates.size === 1 ? 'same' : 'fits'
}

function agreementOfReference(ofRow: string | null, cell: string | null): Agreement {
  if (ofRow === null || cell === null || isScientific(cell)) return 'unknown'
  if (upperCase(cleanCell(ofRow)) === upperCase(cell)) return 'same'
  return isSameName(ofRow, cell) ? 'fits' : 'differs'
}

function agreementOfCreditor({ originalCreditorIdentifier }: RowRecord, cell: string | null): Agreement {
  if (originalCreditorIdentifier === null || cell === null) return 'unknown'
  const found = cleanCreditorIdentifier(cell)
  if (!checkCreditorIdentifier(found, { constant: null, assigned: null }, {}).usable) return 'unknown'
  return creditorOf(found) === creditorOf(originalCreditorIdentifier) ? 'same' : 'differs'
}
