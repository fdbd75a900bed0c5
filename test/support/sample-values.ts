import { generate } from './chance.js'

/**
 * Invented values for the samples. The check digits are computed here once more, by another way than in `src`, so
 * that both would have to be wrong in the same way to agree.
 */

/** The samples must be the same bytes on every machine. */
export function seeded(seed: number) {
  const next = generate(seed)
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    digits: (count: number): string => Array.from({ length: count }, () => below(10)).join(''),
    letters: (count: number): string =>
      Array.from({ length: count }, () => String.fromCharCode(65 + below(26))).join(''),
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

const luhn = (digits: string): number => {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return (10 - (sum % 10)) % 10
}

const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

function italianLetter(digits: string): string {
  const sum = Array.from(digits).reduce(
    (total, digit, index) => total + (index % 2 === 0 ? ODD[Number(digit)]! : Number(digit)),
    0,
  )
  return String.fromCharCode(65 + (sum % 26))
}

function spanishDigits(bank: string, account: string): string {
  const digit = (text: string, weights: readonly number[]): number => {
    const value = 11 - (weighted(text, weights) % 11)
    return value === 11 ? 0 : value === 10 ? 1 : value
  }
  const weights = [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]
  return `${digit(`00${bank}`, weights)}${digit(account, weights)}`
}

export const frenchKey = (bank: string, branch: string, account: string): string =>
  pad(Number(97n - ((89n * BigInt(bank) + 15n * BigInt(branch) + 3n * BigInt(account)) % 97n)))

/** Account numbers of ten countries, with their national check digits where there are any. */
const BBANS: Readonly<Record<string, (random: Seeded) => string>> = {
  DE: (random) => random.digits(18),
  AT: (random) => random.digits(16),
  NL: (random) => random.letters(4) + random.digits(10),
  BE: (random) => {
    const digits = random.digits(10)
    return digits + pad(Number(BigInt(digits) % 97n) || 97)
  },
  FR: (random) => {
    const [bank, branch, account] = [random.digits(5), random.digits(5), random.digits(11)]
    return bank + branch + account + frenchKey(bank, branch, account)
  },
  ES: (random) => {
    const [bank, account] = [random.digits(8), random.digits(10)]
    return bank + spanishDigits(bank, account) + account
  },
  IT: (random) => {
    const digits = random.digits(22)
    return italianLetter(digits) + digits
  },
  FI: (random) => {
    const digits = random.digits(13)
    return `${digits}${luhn(digits)}`
  },
  IE: (random) => random.letters(4) + random.digits(14),
  LU: (random) => random.digits(16),
}

export const COUNTRIES = Object.keys(BBANS)

/** The number whose weighted sum is a multiple of eleven. */
function czechNumber(random: Seeded, length: number): string {
  for (;;) {
    const digits = random.digits(length)
    if (weighted(digits, [6, 3, 7, 9, 10, 5, 8, 4, 2, 1].slice(-length)) % 11 === 0) return digits
  }
}

/** Not among those of the samples. */
const OTHER_BBANS: typeof BBANS = {
  CZ: (random) => random.digits(4) + czechNumber(random, 6) + czechNumber(random, 10),
  PT: (random) => {
    const digits = random.digits(19)
    return `${digits}${pad(98 - remainder(`${digits}00`))}`
  },
}

export const inventIban = (random: Seeded, country: string): string =>
  ibanOf(country, (BBANS[country] ?? OTHER_BBANS[country]!)(random))

/** In groups of four, as people write it. */
export const grouped = (iban: string, gap = ' '): string => iban.replaceAll(/(.{4})(?=.)/g, `$1${gap}`)

export const FIRST_NAMES = [
  ...['Anna', 'Björn', 'Chloé', 'David', 'Elif', 'Françoise', 'Günther', 'Helena', 'Ísak', 'Jürgen', 'Käthe'],
  ...['Luís', 'María', 'Noël', 'Oğuz', 'Päivi', 'Quentin', 'Renée', 'Søren', 'Tomáš', 'Ursula', 'Zoë'],
]
export const LAST_NAMES = [
  ...['Müller', 'Weiß', 'Øvergård', "O'Neill", 'de Vries', 'García', 'Lefèvre', 'Rossi', 'Virtanen', 'Kovač'],
  ...['Schröder', 'Jäger', 'van den Berg', 'Peeters', 'Muñoz', 'Gruber', 'Lindström', 'Moreau', 'Huber'],
]
/** Names that Windows-1252 can write. */
export const WESTERN = (name: string): boolean =>
  Array.from(name).every((letter) => letter.charCodeAt(0) < 256)

/** The previous creditor of most samples: the example that the German central bank publishes. */
export const CREDITOR = 'DE98ZZZ09999999999'

/** One CSV line; cells are quoted where they must be. */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  cells
    .map((cell) =>
      cell.includes(delimiter) || /["\r\n]/.test(cell) || cell !== cell.trim()
        ? `"${cell.replaceAll('"', '""')}"`
        : cell,
    )
    .join(delimiter)
