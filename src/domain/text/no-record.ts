import { fold } from './text.js'
import type { Field } from '../mandate/mandate.js'
import totals from './totals.json' with { type: 'json' }

/** What stands among the records of a table and is none (source/README.md#formats). */

/** Of hyphens, boxes and what tables are ruled with otherwise. */
const RULED = /^[-=_+|*~:\s\u2010-\u2015\u2500-\u257F]*$/
const RULE = /([-=_*~\u2010-\u2015\u2500-\u257F])\1{2}/

/** `-----;----`, `---+---`, `├───┼───┤`: every cell is ruled, and one of them is a rule. */
export const isRuleLine = (cells: readonly string[]): boolean =>
  cells.every((cell) => RULED.test(cell)) && cells.some((cell) => RULE.test(cell))

/** A letter or a digit of ASCII, with which no rule begins. */
export const isPlainStart = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)

/** How databases and their tools write that there is no value. */
const NULLS: ReadonlySet<string> = new Set(
  String.raw`NULL null \N (null) (NULL) [NULL] <null> <NULL>`.split(' '),
)

export function isNull(cell: string): boolean {
  const { length } = cell
  return (length === 2 || length === 4 || length === 6) && NULLS.has(cell)
}

/** A date, an account or a number, as every mandate has one and few names do. */
const VALUE = /[0-9]{4}|^[0-9]+$/

/** Words that all differ, as names of columns do, and none of what every mandate has. */
export const mayBeNames = (cells: readonly string[]): boolean =>
  new Set(cells).size === cells.length && !cells.some((cell) => VALUE.test(cell))

/**
 * Whether a record is the header once more; `other` where it has other columns, or has them in another order.
 * @param meaningOf what a name means in any language; null where it is no usual one
 */
export function judgeHeaders(headerCells: readonly string[], meaningOf: (name: string) => string | null) {
  const names = headerCells.map(fold)
  const known = new Set(names.filter((name) => name !== ''))
  const numbered = new Set([...known].filter((name) => /[0-9]/.test(name)))
  const isValue = (cell: string): boolean =>
    VALUE.test(cell) && (numbered.size === 0 || !numbered.has(fold(cell)))
  return (cells: readonly string[]): 'same' | 'other' | null => {
    if (cells.some(isValue)) return null
    const found = cells
      .map((cell, place) => ({ name: fold(cell), place, meaning: meaningOf(cell) }))
      .filter(({ name }) => name !== '')
    const hits = found.filter(({ name, meaning }) => known.has(name) || meaning !== null).length
    if (hits < Math.min(2, known.size) || hits * 2 < found.length) return null
    const isSame = found.every(
      ({ name, place, meaning }) =>
        names[place] === name || (meaning !== null && meaning === meaningOf(headerCells[place] ?? '')),
    )
    return isSame ? 'same' : 'other'
  }
}

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
