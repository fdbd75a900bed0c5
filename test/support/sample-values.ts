import { generate } from './chance.js'

/**
 * Invented values, the same on every machine. The check digits are computed here once more, by another way than in `src`,
 * so that both would have to be wrong in the same way to agree.
 */

export function seeded(seed: number) {
  const next = generate(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    digits: (count: number): string => Array.from({ length: count }, () => below(10)).join(''),
    pick: <Value>(values: readonly Value[]): Value => values[below(values.length)]!,
    /** A date from the first of January of one year to the 28th of December of another. */
    date: (from: number, to: number): string =>
      `${from + below(to - from + 1)}-${pad(1 + below(12))}-${pad(1 + below(28))}`,
  }
}

export type Seeded = ReturnType<typeof seeded>

const pad = (value: number): string => `${value}`.padStart(2, '0')

const asDigits = (text: string): string =>
  text.replaceAll(/[A-Z]/g, (letter) => `${letter.charCodeAt(0) - 55}`)

const remainder = (text: string): number => Number(BigInt(asDigits(text)) % 97n)

/** An IBAN with the right check digits for any BBAN. */
export const ibanOf = (country: string, bban: string): string =>
  `${country}${pad(98 - remainder(`${bban}${country}00`))}${bban}`

/** A creditor identifier with the right check digits; the business code plays no part in them. */
export const creditorIdentifierOf = (country: string, national: string, business = 'ZZZ'): string =>
  `${country}${pad(98 - remainder(`${national}${country}00`))}${business}${national}`

const weighted = (digits: string, weights: readonly number[]): number =>
  Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * weights[index]!, 0)

function spanishDigits(bank: string, account: string): string {
  const digit = (text: string, weights: readonly number[]): number => {
    const value = 11 - (weighted(text, weights) % 11)
    return value === 11 ? 0 : value === 10 ? 1 : value
  }
  const weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]
  return `${digit(`00${bank}`, weights)}${digit(account, weights)}`
}

/** The number whose weighted sum is a multiple of eleven. */
function czechNumber(random: Seeded, length: number): string {
  for (;;) {
    const digits = random.digits(length)
    if (weighted(digits, [6, 3, 7, 9, 10, 5, 8, 4, 2, 1].slice(-length)) % 11 === 0) return digits
  }
}

/** Account numbers with their national check digits where there are any. */
const BBANS: Readonly<Record<string, (random: Seeded) => string>> = {
  DE: (random) => random.digits(18),
  ES: (random) => {
    const [bank, account] = [random.digits(8), random.digits(10)]
    return bank + spanishDigits(bank, account) + account
  },
  CZ: (random) => random.digits(4) + czechNumber(random, 6) + czechNumber(random, 10),
  PT: (random) => {
    const digits = random.digits(19)
    return `${digits}${pad(98 - remainder(`${digits}00`))}`
  },
}

export const inventIban = (random: Seeded, country: string): string =>
  ibanOf(country, BBANS[country]!(random))
