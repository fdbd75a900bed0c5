import type { Field } from '../mandate/mandate.js'
import { fold } from './text.js'
import totals from './totals.json' with { type: 'json' }

/** Words that totals begin with, and what they count; folded. */
const BEGINNINGS: ReadonlySet<string> = new Set(totals.beginnings.split(' '))
const ALL_WORDS: ReadonlySet<string> = new Set([...BEGINNINGS, ...totals.counted.split(' ')])

const FIGURE = /^[0-9][0-9.,' ]{0,14}$/
const AMOUNTS: ReadonlySet<string> = new Set('eur euro chf sek dkk pln gbp'.split(' '))

/** `25`, `25 mandati`, `1.250,00 EUR`: a figure, and at most a word of what it counts. */
function isFigure(cell: string): boolean {
  const [word, ...others] = cell.match(/[\p{L}\p{M}]+/gu) ?? []
  if (others.length > 0) return false
  const isNamed = word === undefined || ALL_WORDS.has(fold(word)) || AMOUNTS.has(fold(word))
  const figure = cell.replace(word ?? '', '').replace('€', '')
  return isNamed && FIGURE.test(figure.trim())
}

/** A record with no more in these than the word and one figure could be no mandate. */
const TELLING = ['iban', 'unique_mandate_reference', 'signed_date', 'sepa_creditor_identifier'] as const

/**
 * True for a record such as `Summe;;;;20000`: its first cell that holds something says that totals follow, in words
 * of totals alone, and of account, reference, date and creditor no more than one is filled, by a figure that may say what it counts.
 */
export function isBareTotals(
  cells: readonly string[],
  fields: readonly { readonly field: Field; readonly position: number }[],
): boolean {
  const first = cells.findIndex((cell) => cell.trim() !== '')
  const told = fields
    .filter(({ field, position }) => position !== first && TELLING.some((telling) => telling === field))
    .map(({ position }) => (cells[position] ?? '').trim())
    .filter((cell) => cell !== '')
  if (told.length > 1 || !told.every(isFigure)) return false
  const words = (cells[first] ?? '').match(/[\p{L}\p{M}]+/gu)?.map(fold) ?? []
  const [beginning] = words
  return beginning !== undefined && BEGINNINGS.has(beginning) && words.every((word) => ALL_WORDS.has(word))
}

/** What a totals line of an export says, in the languages of the exports. */

const word = (texts: readonly string[]): string => String.raw`(?<!\p{L})(?:${texts.join('|')})(?!\p{L})`

const TOTALS_LINE = new RegExp(
  `${word([...totals.count, ...totals.records, ...totals.other, ...totals.made])}|^[*=-]{3}`,
  'iu',
)
const NUMBER = String.raw`\d(?:[\d.,'’\u00a0\u202f ]{0,24}\d)?`
// From the word to its number: at most into the next cell.
const BEHIND_WORD = new RegExp(
  String.raw`${word(totals.count)}([^\d;]{0,60};?[^\d;]{0,20})(${NUMBER})([^\d;]{0,8})`,
  'giu',
)
const NAMED = new RegExp(String.raw`${word(totals.records)}(\s*[:=;]\s*)(${NUMBER})([^\d;]{0,8})`, 'giu')
const BEFORE_WORD = new RegExp(String.raw`()(?<![\d.,'’])(${NUMBER})(\s*)${word(totals.records)}`, 'giu')
const OF_MONEY = new RegExp(`${word(totals.money)}|€`, 'iu')
const DATE = /\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d{1,2}:\d{2}(?::\d{2})?/g
const GROUPED = /^\d{1,3}(?:[.,'’\u00a0\u202f ]\d{3})+$/

/**
 * The number of rows that a database writes behind them: `(3 rows affected)`, `(2 Zeilen)` in brackets whatever the
 * language, `3 rows selected.` in words of rows. Null for any other cell.
 */
function rowsSaid(cell: string): number | null {
  const [, inner = ''] = /^\((.{3,60})\)$/.exec(cell.trim()) ?? []
  const said = inner.replace(/\([^()]*\)/g, '')
  const numbers = said.match(/\d+/g) ?? []
  if (numbers.length === 1 && /\p{L}/u.test(said)) return Number(numbers[0])
  return /^\d/.test(cell) ? (statedCounts([cell])[0] ?? null) : null
}

const PAGES = word(totals.pages)
const PAGE = new RegExp(
  String.raw`^(?:.{0,99}?(?:${DATE.source}).{0,99}?)?[^\p{L}\d]*(?:${PAGES}[^\p{L}\d]*\d{1,4}(?!\d)|\d{1,4}\W*${PAGES})|^[-–] ?\d{1,4} ?[-–]$`,
  'iu',
)

/** `Page 2 of 7`, `Stand: 25.11.2026;;;Seite 2`: a page is numbered, and no other number stands beside it but a day. */
export const isPageBreak = (cells: readonly string[]): boolean =>
  cells.some((cell) => PAGE.test(cell)) &&
  cells.every((cell) => !(PAGE.test(cell) ? /\d{5}/ : /\d{3}/).test(cell.replaceAll(DATE, '')))

/** A line that sums up, or ends, or dates the export: its first filled cell says so. */
export const isTotalsLine = (cells: readonly string[]): boolean =>
  TOTALS_LINE.test(cells.find((cell) => cell !== '') ?? '')

const MONEY = /^[€A-Z]{0,3} ?\d[\d.,' ]*[.,]\d{2}(?: ?[€A-Z]{1,3})?$/

/** The whole numbers that a line calls a count; none of sums of money and dates. */
export function statedCounts(cells: readonly string[]): readonly number[] {
  const text = cells.map((cell) => cell.replaceAll(';', ' ').replaceAll(DATE, ' ')).join(';')
  const found = [BEHIND_WORD, NAMED, BEFORE_WORD].flatMap((pattern) => [...text.matchAll(pattern)])
  return found.flatMap(([, before = '', number = '', after = '']) => {
    if (OF_MONEY.test(before) || OF_MONEY.test(after)) return []
    if (/^\d+$/.test(number)) return [Number(number)]
    return GROUPED.test(number) ? [Number(number.replaceAll(/\D/g, ''))] : []
  })
}

/**
 * What a line of few cells says of the rows above it: a database's count of them, or a sum that counts them rightly or is
 * of money. Null for any other line.
 */
export function sumIn(cells: readonly string[], records: number, sinceCount: number) {
  const said = cells.length === 1 ? rowsSaid(cells[0] ?? '') : null
  const stated = said === null ? statedCounts(cells) : [said]
  const isOfAll = said === null && (stated.includes(records) || MONEY.test(cells[1] ?? ''))
  const isRight = isOfAll || stated.includes(records) || stated.includes(sinceCount)
  const isSum = said !== null || (isRight && cells.length <= 2 && isBareTotals(cells, []))
  return isSum ? { isOfAll, isRight } : null
}
