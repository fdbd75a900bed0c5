import { checkCreditorIdentifier, creditorOf, checkCustomerNo } from '../domain/value/identifiers.js'
import { DATE_FORMATS, readDate, addDays } from '../domain/mandate/date.js'
import { isSepaIban } from '../domain/value/iban.js'
import type { LocalDate } from '../domain/mandate/mandate.js'
import { isSameName, readWhole } from '../domain/row/resaved.js'
import {
  cleanCell,
  cleanCreditorIdentifier,
  cleanIban,
  fold,
  isScientific,
  upperCase,
} from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import type { LedgerReader, RowRecord } from '../ledger/read/reader.js'
import type { ListRow } from '../source/list.js'
import { FIELD_HEADERS } from '../source/columns/header.js'

/** One mandate as the service's list shows it; null for a value that the list does not have. */
export interface Listed {
  readonly line: number
  readonly customerNo: number
  readonly mandateReference: string
  readonly creditorIdentifier: string
  readonly signedDate: string | null
  readonly originalCreditorIdentifier: string | null
  readonly originalMandateReference: string | null
}

/** With the account as it stands there, whole or masked; it is compared and never shown. */
export interface ListEntry extends Listed {
  readonly account: string | null
}

interface Wanted {
  /** Names that can mean nothing else, the best first. */
  readonly own: readonly string[]
  /** Names that mean it in a list of the service, where the file has only one of them. */
  readonly usual: readonly string[]
}

const isOfBefore = (name: string): boolean => /^(?:original|old|previous)/.test(fold(name))
const usual = (field: keyof typeof FIELD_HEADERS): readonly string[] =>
  FIELD_HEADERS[field].filter((name) => !isOfBefore(name))

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
export function readListed(list: string): (row: ListRow) => ListEntry {
  let columns: ReadonlyMap<ListColumn, string> | null = null
  return (row) => {
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

export interface Comparison {
  /** What the list contradicts; empty where it could be the row. */
  readonly differing: readonly string[]
  /** The whole account or the original reference is the row's: more than a customer and four digits. */
  readonly isSpecific: boolean
}

/** Compares an entry with a row of any state. */
export function compareWith(
  reader: Pick<LedgerReader, 'isAccountOf'>,
  row: RowRecord,
  entry: ListEntry,
): Comparison {
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
    differing: agreements.flatMap(([name, agreement]) => (agreement === 'differs' ? [name] : [])),
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
