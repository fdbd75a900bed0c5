import { readDate } from '../../domain/mandate/date-format.js'
import { creditorOf } from '../../domain/mandate/mandate-key.js'
import { REQUIRED_FIELDS } from '../../domain/mandate/mandate.js'
import type { CheckedRecord } from '../../domain/rule/verdict.js'
import type { CheckOptions } from '../../domain/value/check-mandate.js'
import { upperCase } from '../../domain/text/text.js'
import { checkIban } from '../../domain/value/iban.js'
import { checkSignedDate } from '../../domain/value/signed-date.js'
import type { MappedColumn } from '../columns/mapping.js'
import type { Frame } from './framing.js'
import {
  accountSeed,
  customerA,
  customerB,
  customerSeed,
  lanesOf,
  mandateSeed,
  spread,
  stepA,
  stepB,
  type CompareKeys,
  type KeyHashes,
} from './key-lanes.js'
import { isPlainAccount } from './plain-accounts.js'
import { isPlainReference, LOWER, OTHER, REFERENCE_KINDS } from './plain-references.js'
import { countPlainDates, type PlainDates } from './plain-dates.js'

export const PLAIN = 0
export const NOT_PLAIN = 1
/** Its creditor was not seen before; once it was learned, the record may be plain. */
export const NEW = 2

/** The five required cells of records, as bytes. */
export interface PlainCells {
  /**
   * PLAIN where no rule says anything about them and nothing of them is cleaned; what stands there is kept until the
   * next call. NOT_PLAIN and NEW say nothing about the record.
   */
  readonly judge: (bytes: Buffer, frame: Frame) => number
  /** Counts the record that was judged last, and hands over its keys. */
  readonly take: (row: number, compare: CompareKeys) => void
  /** Remembers the creditor of a record that the rules say nothing about. @param cell null where a constant stands in */
  readonly learn: (cell: string | null, checked: CheckedRecord) => void
  readonly dates: PlainDates
  /** The number of the date of the record that was judged last. */
  readonly dateNumber: () => number
  /** The customer number of the record that was judged last. */
  readonly customerNo: () => number
  /** The creditor of the record that was judged last, or null where none is known. */
  readonly creditor: () => PlainCreditor | null
  /** The mandate of a record that was judged before to be plain. */
  readonly mandateOf: (bytes: Buffer, frame: Frame) => PlainMandate
  /** Every reference so far is the customer number. */
  readonly allAreCustomers: () => boolean
}

export interface PlainMandate {
  readonly mandateKey: string
  readonly mandateReference: string
}

/** A creditor that was learned from a record that was read in full. */
interface PlainCreditor {
  /** As it is sent. */
  readonly value: string
  /** `country|national part|`, with which a mandate key begins. */
  readonly prefix: string
}

interface Creditor extends PlainCreditor {
  readonly cell: Buffer
  /** Of the cell. */
  readonly hash: number
  readonly a: number
  readonly b: number
}

const MOST_CREDITORS = 64
const MOST_DIGITS = 15
const COMPACT = /^[A-Z0-9]+$/
const ZERO = 0x30
const SPACE = 0x20

export function judgeRequired(
  fields: readonly MappedColumn[],
  check: CheckOptions,
  { seed, hasAccount }: KeyHashes,
): PlainCells {
  const [customerAt = -1, ibanAt = -1, dateAt = -1, creditorAt = -1, referenceAt = -1] =
    requiredPositions(fields)
  const dates = countPlainDates((cell) => plainDate(cell, check))
  const creditors = knownCreditors(mandateSeed(seed))
  const accounts = accountJudge(check, accountSeed(seed))
  const references = referenceJudge(check)
  const ofCustomer = customerSeed(seed)
  let customerNo = 0
  let dateNumber = -1
  let isCustomer = false
  let allAreCustomers = true

  function judge(bytes: Buffer, { starts, ends }: Frame): number {
    customerNo = wholeNumber(bytes, starts[customerAt] ?? 0, ends[customerAt] ?? 0)
    if (customerNo < 0) return NOT_PLAIN
    dateNumber = dates.numberOf(bytes, starts[dateAt] ?? 0, ends[dateAt] ?? 0)
    if (dateNumber < 0) return NOT_PLAIN
    if (!accounts.isPlain(bytes, starts[ibanAt] ?? 0, ends[ibanAt] ?? 0)) return NOT_PLAIN
    const creditor = creditorOfRecord(bytes, starts, ends)
    if (creditor === null) return NEW
    const start = starts[referenceAt] ?? 0
    const end = ends[referenceAt] ?? 0
    if (!references.isPlain(bytes, start, end, creditor)) return NOT_PLAIN
    isCustomer =
      allAreCustomers && isSameBytes(bytes, start, end, starts[customerAt] ?? 0, ends[customerAt] ?? 0)
    return PLAIN
  }

  const creditorOfRecord = (bytes: Buffer, starts: Int32Array, ends: Int32Array): Creditor | null =>
    creditorAt < 0
      ? creditors.latest()
      : creditors.find(bytes, starts[creditorAt] ?? 0, ends[creditorAt] ?? 0)

  return {
    judge,
    take: (row, compare) => {
      dates.note(dateNumber, row)
      allAreCustomers = isCustomer
      const a = customerA(ofCustomer, customerNo)
      // Of two rows of one mandate all five cells are the same, or this is not but by chance.
      const said = spread(spread(accounts.hash() ^ references.spelling()) ^ a)
      references.hand(row, compare, spread(said ^ dates.hashOf(dateNumber)) || 1)
      if (hasAccount) accounts.hand(row, compare)
      compare.other(row, a, customerB(ofCustomer, customerNo))
    },
    learn: creditors.learn,
    dates,
    dateNumber: () => dateNumber,
    customerNo: () => customerNo,
    creditor: creditors.latest,
    mandateOf: (bytes, { starts, ends }) => {
      const mandateReference = bytes.toString('latin1', starts[referenceAt] ?? 0, ends[referenceAt] ?? 0)
      const prefix = creditorOfRecord(bytes, starts, ends)?.prefix ?? ''
      return { mandateKey: prefix + upperCase(mandateReference), mandateReference }
    },
    allAreCustomers: () => allAreCustomers,
  }
}

/** Where the required cells stand, in the order of the contract; -1 for a constant. */
export const requiredPositions = (fields: readonly MappedColumn[]): number[] =>
  REQUIRED_FIELDS.map((wanted) => fields.find(({ field }) => field === wanted)?.position ?? -1)

/** Creditors of records that were read in full: what is said of one is said of all its records, or once for the file. */
function knownCreditors(ofMandate: number) {
  const known: Creditor[] = []
  let latest: Creditor | null = null
  return {
    latest: (): Creditor | null => latest,
    find: (bytes: Buffer, start: number, end: number): Creditor | null => {
      if (latest !== null && isSame(bytes, start, end, latest.cell)) return latest
      const found = known.find(({ cell }) => isSame(bytes, start, end, cell)) ?? null
      latest = found ?? latest
      return found
    },
    learn: (cell: string | null, { values, findings }: CheckedRecord): void => {
      const value = values.creditorIdentifier
      if (value === null || known.length >= MOST_CREDITORS) return
      // The constant fills empty cells; any other spelling of the value was cleaned, which is counted.
      const isFilled = cell === null || cell === ''
      if (!isFilled && cell !== value) return
      if (findings.some(({ field }) => field === 'sepa_creditor_identifier')) return
      const bytes = Buffer.from(cell ?? '')
      if (known.some((other) => other.cell.equals(bytes))) return
      const prefix = `${creditorOf(value)}|`
      const [a, b] = lanesOf(prefix, ofMandate)
      const [hash] = lanesOf(cell ?? '', ofMandate)
      latest = { cell: bytes, hash, value, prefix, a, b }
      known.push(latest)
    },
  }
}

function accountJudge({ severities }: CheckOptions, seed: number) {
  let a = 0
  let b = 0
  return {
    isPlain: (bytes: Buffer, start: number, end: number): boolean => {
      if (!isPlainAccount(bytes, start, end)) {
        const text = bytes.toString('latin1', start, end)
        if (!COMPACT.test(text)) return false
        const { usable, value, findings } = checkIban(text, severities)
        if (!usable || value !== text || findings.length > 0) return false
      }
      a = seed
      b = ~seed
      for (let p = start; p < end; p += 1) {
        a = stepA(a, bytes[p] ?? 0)
        b = stepB(b, bytes[p] ?? 0)
      }
      return true
    },
    hash: (): number => a,
    hand: (row: number, compare: CompareKeys): void => compare.other(row, spread(a), spread(b)),
  }
}

function referenceJudge({ severities }: CheckOptions) {
  let a = 0
  let b = 0
  let spelling = 0
  return {
    isPlain: (bytes: Buffer, start: number, end: number, creditor: Creditor): boolean => {
      let kinds = 0
      a = creditor.a
      b = creditor.b
      spelling = creditor.hash
      for (let p = start; p < end; p += 1) {
        const byte = bytes[p] ?? 0
        const kind = REFERENCE_KINDS[byte] ?? OTHER
        kinds |= kind
        if (kind === LOWER || byte === SPACE)
          spelling = stepB(spelling, 2 * (p - start) + (byte === SPACE ? 1 : 2))
        if (byte === SPACE) continue
        // A letter from a to z as its capital.
        const code = kind === LOWER ? byte - 0x20 : byte
        a = stepA(a, code)
        b = stepB(b, code)
      }
      return isPlainReference(bytes, start, end, kinds, severities)
    },
    /** A hash of what the key does not tell: the cell of the creditor, and where blanks and small letters are. */
    spelling: (): number => spelling,
    hand: (row: number, compare: CompareKeys, content: number): void =>
      compare.mandate(row, spread(a), spread(b), content),
  }
}

/** A usable date that nothing is said of. @returns null for any other cell */
function plainDate(cell: string, { signedDateFormat, today, severities }: CheckOptions) {
  const { usable, value, findings } = checkSignedDate(cell, signedDateFormat, today, severities)
  return usable && findings.length === 0 && readDate(cell, signedDateFormat, today).kind === 'date'
    ? value
    : null
}

/** The number of a cell of 1 to 15 digits without a zero in front, else -1. */
function wholeNumber(bytes: Buffer, start: number, end: number): number {
  if (end - start > MOST_DIGITS || end === start || bytes[start] === ZERO) return -1
  let number = 0
  for (let p = start; p < end; p += 1) {
    const digit = (bytes[p] ?? 0) - ZERO
    if (digit < 0 || digit > 9) return -1
    number = number * 10 + digit
  }
  return number
}

function isSame(bytes: Buffer, start: number, end: number, known: Buffer): boolean {
  if (end - start !== known.length) return false
  for (let p = 0; p < known.length; p += 1) if (bytes[start + p] !== known[p]) return false
  return true
}

function isSameBytes(bytes: Buffer, start: number, end: number, other: number, otherEnd: number): boolean {
  if (end - start !== otherEnd - other) return false
  for (let p = 0; p < end - start; p += 1) if (bytes[start + p] !== bytes[other + p]) return false
  return true
}
