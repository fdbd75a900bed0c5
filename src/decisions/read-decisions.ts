import { headersOf } from '../source/columns/header.js'
import { addDays, readingsOf } from '../domain/mandate/date.js'
import {
  checkCreditorIdentifier,
  checkCustomerNo,
  creditorOf,
  isSepaIban,
} from '../domain/value/identifiers.js'
import { DECIDING_COLUMNS, mergeColumns } from '../report/files/lists.js'
import { showValue } from '../domain/rule/verdict.js'
import { maskAccounts } from '../domain/text/accounts.js'
import { ENDED } from '../domain/proof/match-sources.js'
import { saysEnded } from '../domain/value/words.js'
import { isSameName, likenessOf, readWhole } from '../domain/row/correction.js'
import {
  cleanCell,
  fold,
  cleanCreditorIdentifier,
  cleanIban,
  isScientific,
  plural,
  said,
  upperCase,
} from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import { DECISION_WORDS, FOR_RUN, ledgerMark, readMark } from '../domain/row/list-columns.js'
import { DECISIONS, type Decision, type Resolution } from '../ledger/ledger.js'
import type { LedgerReader } from '../ledger/read/open-reader.js'
import type { RowRecord } from '../ledger/read/reader.js'
import { openLists, type ListRow } from '../source/list.js'
import { assertGiven, MOST_BYTES } from '../trust/trusted-file.js'
import type { Field, LocalDate } from '../domain/mandate/mandate.js'

const decisionOf = (text: string): Decision | undefined =>
  DECISIONS.find(
    (each) =>
      each ===
      text
        .trim()
        .toLowerCase()
        .replace(/[\s-]+/, '_'),
  )

/** As it is written on the command line. @throws {UsageError} for anything else */
export function readDecision(text: string): Decision {
  const decision = decisionOf(text)
  if (decision !== undefined) return decision
  throw new UsageError(
    `"${showValue(text)}" is not a decision`,
    'Use registered, refused, resend, written-off or, in cut-over.csv, done; nothing was recorded',
  )
}

/** What stands in a cell; empty also where there is no such column. */
const textIn = (line: ListRow, column: string): string => line.cell(column) ?? ''

/** The words that fit a line, by the list that it stands in. */
const wordsOf = (line: ListRow): readonly string[] =>
  line.cell('migration_class') !== null
    ? DECISION_WORDS.cutOver
    : line.cell('migration_assigned_mandate_reference') !== null
      ? DECISION_WORDS.inDoubt
      : DECISION_WORDS.corrections

/** A run reads it with the line. */
const isForRun = (line: ListRow): boolean =>
  fold(textIn(line, 'migration_decision')) === FOR_RUN && wordsOf(line).includes(FOR_RUN)

/**
 * Reads a result file that a person filled in; lines without a decision, or with one for `run`, are left open, so there
 * may be none. A row number alone proves nothing: columns are sorted apart and files are mixed up, so every line that
 * decides, and each of a list to decide in, must name this ledger and show the customer, the reference and the creditor
 * of its row, and no other account or date: what somebody corrected there would not be sent. What is on record already, or
 * closes what was replaced, needs nothing. Corrections in the sheets of a workbook, of rows that are as they were when it was
 * written, are counted: they are for a run.
 * @param isOfRun lines that a run reads are its own
 * @throws {SourceError} for a file that cannot be read
 * @throws {UsageError} that names every fault of the file and its cell; nothing of the file counts then
 */
export async function readDecisions(reader: LedgerReader, file: string, usualBy: string, isOfRun = false) {
  assertGiven(file, { what: 'decisions', nothing: 'nothing was recorded', mostBytes: MOST_BYTES.decisions })
  const tables = await openLists(() => file, DECIDING_COLUMNS)
  const { judge, isCorrection } = judgeLines(reader, usualBy, isOfRun)
  const resolutions: Resolution[] = []
  const corrections: { readonly sheet: string; readonly count: number }[] = []
  const faults: string[] = []
  let forRun = 0
  let evidence = ''
  for (const table of tables) {
    const { sheet } = table
    let count = 0
    for await (const line of table.rows(undefined, isOfRun)) {
      if (line.cell('migration_row') === null && line.cell('migration_decision') === null)
        throw new UsageError(
          `"${file}" is no list to decide in: it has no columns migration_row and migration_decision`,
          'Fill in to-do/to-do.xlsx of the report and give that; an export goes to run. Nothing was recorded',
        )
      if (isForRun(line)) forRun += 1
      if (!isOfRun && sheet !== undefined && isCorrection(line)) count += 1
      const judged = judge(line)
      if (Array.isArray(judged)) faults.push(...judged)
      else if (judged !== null) resolutions.push(judged)
    }
    if (sheet !== undefined && count > 0) corrections.push({ sheet, count })
    evidence = `${table.name} (SHA-256 ${table.sha256()})`
  }
  if (faults.length > 0) throw faulty(file, faults)
  if (resolutions.length === 0 && forRun > 0 && !isOfRun)
    throw new UsageError(
      `"${file}" holds no decision but "send" (${forRun} ${forRun === 1 ? 'line' : 'lines'}), which is a word for run`,
      'Give the file to a run; nothing was recorded (sepa-migrate run FILE)',
    )
  return { resolutions: resolutions.map((resolution) => ({ ...resolution, evidence })), corrections }
}

/** What is wrong with a line, its decision, or null where it has none, or one that needs nothing. */
function judgeLines(reader: LedgerReader, usualBy: string, isOfRun: boolean) {
  const columns = mergeColumns(reader.sources())
  const { ledgerId, adoption } = reader.campaign()
  const mark = fold(ledgerMark({ ledgerId, adoption }))

  /** In which cells a line is not the row that it names. */
  function differencesOf(line: ListRow, rowId: number, row: RowRecord | null, at: Fault): string[] {
    const ledger = line.cell('migration_ledger')
    if (ledger === null) return [at('migration_ledger', 'the file has no such column')]
    if (readMark(ledger).ledger !== mark)
      return [
        at(
          'migration_ledger',
          'the line is of another ledger, of none, or of before an older copy was adopted',
        ),
      ]
    if (row === null) return [at('migration_row', `there is no row ${rowId}`)]
    if (line.cell('migration_class') !== null && line.cell('migration_line') !== reader.markOfLine(rowId))
      return [at('migration_line', `the latest comparison says something else of row ${rowId}, or nothing`)]
    return columns.identityOf(row).flatMap(({ field, name, nth, value }) => {
      const found = line.cells(name)[nth]
      const isContent = field === 'iban' || field === 'signed_date'
      if (found === undefined) return isContent ? [] : [at(name, 'the file has no such column')]
      // A list in which nothing is corrected shows no account number, wherever it stands.
      if (value === null || isSameName(value, found) || isSameName(maskAccounts(value), found)) return []
      if (isContent && !isChanged(reader, row, field, cleanCell(found))) return []
      const shown = (cell: string): string => `"${showValue(cell, field === 'iban' ? field : null)}"`
      const [held, given] = [shown(value), shown(cleanCell(found))]
      return [
        at(
          name,
          `row ${row.id} has ${held}, the line has ${given === held ? 'another account that ends alike' : given}`,
          nth,
        ),
      ]
    })
  }

  function isCorrection(line: ListRow): boolean {
    const row = reader.row(readWhole(textIn(line, 'migration_row')) ?? 0)
    if (row === null || row.state !== line.cell('migration_state')) return false
    if (isForRun(line)) return true
    return (
      textIn(line, 'migration_decision') === '' &&
      wordsOf(line).includes(FOR_RUN) &&
      columns.plainCellsOf(row).some((cell, at) => {
        const name = columns.plainNames[at] ?? ''
        const nth = columns.plainNames.slice(0, at).filter((other) => fold(other) === fold(name)).length
        return likenessOf(cell, line.cells(name)[nth] ?? '') !== 'same'
      })
    )
  }

  function judge(line: ListRow): string[] | Resolution | null {
    const rowId = readWhole(textIn(line, 'migration_row'))
    const row = rowId === null ? null : reader.row(rowId)
    // A cell says little to somebody who looks for a customer.
    const whose =
      row === null
        ? ''
        : ` (customer ${row.customerNo ?? 'unknown'}, reference ${showValue(row.originalMandateReference ?? '')})`
    const at: Fault = (column, what, nth = 0) => `${line.placeOf(column, nth)}: ${what}${whose}`
    const isDecided = textIn(line, 'migration_decision') !== '' && !isForRun(line)
    // What differs without a decision is a correction, which is for a run to judge.
    const isToDecide = !isOfRun && line.cell('migration_assigned_mandate_reference') !== null
    if (isDecided && row !== null && isOnRecord(reader, line, row)) return null
    const different = rowId !== null && (isDecided || isToDecide) ? differencesOf(line, rowId, row, at) : []
    if (!isDecided) return different.length > 0 ? different : null
    const read = readLine(line, rowId, at, usualBy)
    if (Array.isArray(read) || different.length > 0)
      return [...different, ...(Array.isArray(read) ? read : [])]
    if (read.decision !== 'written_off' || row === null || !isOver(reader, row)) return read
    return read.isOfCutOver === true && row.state === 'written_off' && reader.isOpenLine(row.id)
      ? [
          at(
            'migration_decision',
            'the row is written off; look whether the service holds the mandate, then write done',
          ),
        ]
      : null
  }
  return { judge, isCorrection }
}

type Fault = (column: string, what: string, nth?: number) => string

/** What is closed, or was replaced by what is closed or registered, needs no word to close it. */
function isOver(reader: LedgerReader, row: RowRecord): boolean {
  let last: RowRecord | null = row
  while (last?.state === 'superseded' && last.supersededBy !== null) last = reader.row(last.supersededBy)
  return last?.state === 'written_off' || (last !== row && last?.state === 'registered')
}

/** The same was decided of this attempt, or of a line that is open no more: a copy of the list came in before, or the service was asked. */
function isOnRecord(reader: LedgerReader, line: ListRow, row: RowRecord): boolean {
  if (line.cell('migration_class') !== null && reader.isOpenLine(row.id)) return false
  const attempt = readWhole(textIn(line, 'migration_attempt'))
  const attemptId = attempt === null ? null : reader.attempts(row.id).find(({ n }) => n === attempt)?.id
  const decision = decisionOf(textIn(line, 'migration_decision'))
  const isAssigned =
    decision !== 'registered' ||
    (textIn(line, 'migration_assigned_creditor_identifier') === row.assignedCreditorIdentifier &&
      textIn(line, 'migration_assigned_mandate_reference') === row.assignedMandateReference)
  return (
    isAssigned &&
    reader
      .decisionsOfRow(row.id)
      .some((known) => known.attemptId === attemptId && known.decision === decision)
  )
}

function faulty(file: string, faults: readonly string[]): UsageError {
  return new UsageError(
    `"${file}" has ${plural(faults.length, 'fault', 'faults')}`,
    'Nothing of the file was taken, nothing was sent. Mend these cells. Where a line shows another row, somebody corrected a ' +
      'cell beside a decision (undo that: a row in doubt is decided before it is corrected), columns were sorted apart, or the ' +
      'file is of another ledger: write the report anew and fill in the new file, with columns as text (sepa-migrate report)',
    { faults },
  )
}

const LIKE_IBAN = /^[A-Z]{2}[0-9]{2}[A-Z0-9]{9,}$/

/** Whether somebody gave it another account or day: what a spreadsheet may have made of the cell does not count. */
function isChanged(reader: LedgerReader, row: RowRecord, field: 'iban' | 'signed_date', cell: string) {
  if (field === 'signed_date') return agreementOfDate(row.signedDate, cell) === 'differs'
  const agreement = agreementOfAccount(reader, row, cell)
  return agreement === 'differs' || (agreement === 'unknown' && LIKE_IBAN.test(cleanIban(cell)))
}

function readLine(line: ListRow, rowId: number | null, at: Fault, usualBy: string): string[] | Resolution {
  const word = textIn(line, 'migration_decision')
  const decision = decisionOf(word)
  const words = wordsOf(line)
  if (decision === undefined || !words.includes(decision.replace('_', '-')))
    return [
      at(
        'migration_decision',
        `"${showValue(word)}" is not a decision of this list; it takes ${words.join(', ')}`,
      ),
    ]
  const attemptCell = textIn(line, 'migration_attempt')
  const attempt = readWhole(attemptCell)
  const reason = textIn(line, 'migration_reason')
  // Only what leads to no request may be decided without having looked at the latest attempt.
  const mayLackAttempt = (decision === 'written_off' || decision === 'done') && attemptCell === ''
  const assigned = {
    creditorIdentifier: textIn(line, 'migration_assigned_creditor_identifier'),
    mandateReference: textIn(line, 'migration_assigned_mandate_reference'),
  }
  const faults = said([
    (rowId === null || (attempt === null && !mayLackAttempt)) &&
      at(
        rowId === null ? 'migration_row' : 'migration_attempt',
        'cannot read the number of the row or of its attempt, which stay as they were written',
      ),
    reason === '' && at('migration_reason', 'there is no reason: say how you know'),
  ])
  if (rowId === null || faults.length > 0) return faults
  return {
    rowId,
    decision,
    reason,
    by: textIn(line, 'migration_by') || usualBy,
    assigned: Object.values(assigned).every((text) => text === '') ? null : assigned,
    evidence: null,
    attempt,
    isOfCutOver: line.cell('migration_class') !== null,
    at: line.placeOf('migration_decision'),
  }
}

/** One mandate as the service's list shows it; null for a value that the list does not have. */
export type ListEntry = Readonly<ReturnType<typeof readListed>>

/** Names that a column has in exports, but for those of before. */
const usual = (field: Field): readonly string[] =>
  headersOf(field).filter((name) => !/^(?:original|old|previous)/.test(fold(name)))

/** Names of each column of a list, the best first. */
const WANTED = {
  customerNo: ['customer_no'],
  account: ['iban', 'iban_masked', 'details.iban', ...usual('iban')],
  signedDate: ['signed_date', 'signed_at', 'details.signed_at', ...usual('signed_date')],
  creditorIdentifier: ['assigned_creditor_identifier', 'sepa_creditor_identifier'],
  mandateReference: [
    ...['assigned_mandate_reference', 'unique_mandate_reference', 'details.reference', 'reference'],
  ],
  originalCreditorIdentifier: ['original_creditor_identifier', 'amendment.sepa_creditor_identifier'],
  originalMandateReference: ['original_mandate_reference', 'amendment.unique_mandate_reference'],
  /** Also under the names that it has in exports: a mandate that ended unseen would be called registered. */
  status: headersOf('status'),
  cancelledAt: ['cancelled_at', 'canceled_at', 'ended_at'],
} as const

/** Every name under which a list may show something. */
export const LIST_NAMES: readonly string[] = Object.values(WANTED).flat()

/**
 * A line of a list.
 * @throws {UsageError} for one without customer number or assigned reference
 */
export function readListed(row: ListRow, list: string) {
  const cellOf = (name: keyof typeof WANTED): string => row.cell(...WANTED[name]) ?? ''
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
    account: cellOf('account') || null,
    signedDate: cellOf('signedDate') || null,
    originalCreditorIdentifier: cellOf('originalCreditorIdentifier') || null,
    originalMandateReference: cellOf('originalMandateReference') || null,
    isEnded:
      cellOf('cancelledAt') !== '' || ENDED.has(upperCase(cellOf('status'))) || saysEnded(cellOf('status')),
  }
}

/** How a value of the list stands to that of a row: `fits` does not contradict it, and does not prove it either. */
type Agreement = 'same' | 'fits' | 'unknown' | 'differs'

export type Comparison = ReturnType<typeof compareWith>

/** Compares an entry with a row of any state. */
export function compareWith(reader: Pick<LedgerReader, 'isAccountOf'>, row: RowRecord, entry: ListEntry) {
  const account = agreementOfAccount(reader, row, entry.account)
  const reference = agreementOfReference(row.originalMandateReference, entry.originalMandateReference)
  const date = agreementOfDate(row.signedDate, entry.signedDate)
  const agreements: readonly (readonly [name: string, agreement: Agreement])[] = [
    ['customer_no', row.customerNo === entry.customerNo ? 'same' : 'differs'],
    ['iban', account],
    ['signed_date', date],
    ['original creditor', agreementOfCreditor(row, entry.originalCreditorIdentifier)],
    ['original reference', reference],
  ]
  return {
    /** What the list contradicts; empty where it could be the row. */
    differing: agreements.flatMap(([name, agreement]) => (agreement === 'differs' ? [name] : [])),
    /** The whole account or the original reference is the row's: more than a customer and four digits. */
    isSpecific: account === 'same' || reference === 'same',
    isWhole: account === 'same' && reference === 'same',
    /** Account, as far as it is shown, and date are the row's. */
    isAlike: [account, date].every((agreement) => agreement === 'same' || agreement === 'fits'),
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
  const readings = CENTURIES.flatMap((today) => readingsOf(text, today)).filter((read) => read.isLikely)
  return new Set(
    readings.flatMap(({ date, isNearMidnightUtc }) => [
      date,
      (isNearMidnightUtc ? addDays(date, 1) : null) ?? date,
    ]),
  )
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
