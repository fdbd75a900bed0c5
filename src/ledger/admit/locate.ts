import { readWhole } from '../../domain/row/resaved.js'
import { cleanCell, cleanIban, upperCase } from '../../domain/text/text.js'
import type { Fingerprints } from './fingerprints.js'
import type { Connection } from '../file/connection.js'

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
