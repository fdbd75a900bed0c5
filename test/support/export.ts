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
