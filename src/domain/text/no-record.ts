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
