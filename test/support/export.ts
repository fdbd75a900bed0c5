/** Exports made on the spot: valid rows by the thousand, each with its own customer, account and reference. */

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'

/** A German account number with correct check digits. */
export function germanIban(account: number): string {
  const bban = `37040044${String(account).padStart(10, '0')}`
  const remainder = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - remainder).padStart(2, '0')}${bban}`
}

export const validLine = (n: number): string =>
  `${n},${germanIban(n)},2024-03-${String((n % 28) + 1).padStart(2, '0')},DE98ZZZ09999999999,MANDATE-${n}`

/** A CSV with so many valid rows; the n-th has customer_no n, counted from `first`. */
export function validExport(rows: number, first = 1): string {
  const lines = Array.from({ length: rows }, (_, index) => validLine(first + index))
  return `${[HEADER, ...lines].join('\n')}\n`
}

/** A line of a table by its columns. */
export type Row = Record<string, string>

/** Records of mandates as exports of several systems show them. */

/** The n-th mandate, but for what is given. */
export const mandate = (n: number, ...changes: readonly Row[]): Row =>
  Object.assign(
    {
      customer_no: String(n),
      iban: germanIban(n),
      signed_date: `2024-03-${String((n % 28) + 1).padStart(2, '0')}`,
      sepa_creditor_identifier: 'DE98ZZZ09999999999',
      unique_mandate_reference: `MND-${String(n).padStart(4, '0')}`,
    },
    ...changes,
  ) as Row

/** Several, as they are. */
export const mandates = (...numbers: readonly number[]): Row[] => numbers.map((n) => mandate(n))

export const account = (n: number): Row => ({ iban: germanIban(n) })
export const customer = (n: number): Row => ({ customer_no: String(n) })
export const named = (reference: string): Row => ({ unique_mandate_reference: reference })
export const DATE: Row = { signed_date: '2024-04-30' }
export const ENDED: Row = { Status: 'cancelled' }
/** Each with the check digits of none. */
export const TYPED_WRONG: Row = { iban: germanIban(1).replace(/^DE\d\d/, 'DE00') }

/** In an export that has a column for it. */
export const withStatus = (...all: readonly Row[]): Row[] =>
  all.map((row) => ({ ...row, Status: row['Status'] ?? 'active' }))

const VALUES = ['unique_mandate_reference', 'customer_no', 'iban', 'signed_date']
/** What makes a mandate, on one line each. */
export const linesOf = (all: readonly Row[]): string[] =>
  all.map((row) => VALUES.map((name) => row[name]).join(' ')).sort()
