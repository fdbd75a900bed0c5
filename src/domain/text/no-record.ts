import { fold } from './text.js'

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

/** Cells in which a name of the header is looked for, before all of them are. */
const LOOKED_AT = 3

/**
 * Whether a record is the header once more; `other` where it has other columns, or has them in another order.
 * @param first where the first cell stands that holds anything
 */
export function judgeHeaders(headerCells: readonly string[]) {
  const names = headerCells.map(fold)
  const known = new Set(names.filter((name) => name !== ''))
  const initials = Array.from({ length: 128 }, () => false)
  for (const name of known) initials[name.charCodeAt(0)] = true
  const isAnyNumbered = [...known].some((name) => /[0-9]/.test(name))
  /** Most cells are told from a name by their first letter, or by a digit. */
  const isName = (cell: string): boolean => {
    const code = cell.charCodeAt(0)
    if (isPlainStart(code) && initials[code | 0x20] !== true) return false
    return (isAnyNumbered || !/[0-9]/.test(cell)) && known.has(fold(cell))
  }
  return (cells: readonly string[], first: number): 'same' | 'other' | null => {
    let at = first
    while (at < first + LOOKED_AT && !isName(cells[at] ?? '')) at += 1
    if (at === first + LOOKED_AT) return null
    const found = cells.map((cell, place) => ({ name: fold(cell), place })).filter(({ name }) => name !== '')
    const hits = found.filter(({ name }) => known.has(name)).length
    if (hits < Math.min(2, known.size) || hits * 2 < found.length) return null
    return found.every(({ name, place }) => names[place] === name) ? 'same' : 'other'
  }
}
