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

/** A German one. */
export const inventIban = (random: Seeded): string => ibanOf('DE', random.digits(18))
