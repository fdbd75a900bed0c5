/**
 * Numbers as text, bounded by a regular expression: a JSON Schema cannot compute, and a text must not mean one thing in
 * an editor and another in the program. Digits and a decimal point only, zeros in front allowed.
 */

/** A whole number from 0 to `most`. */
function upTo(most: number): string {
  const digits = String(most)
  if (/^9+$/.test(digits)) return `0*\\d{1,${digits.length}}`
  const smaller = Array.from(digits, (digit, at) => {
    const lower = digit === '1' ? '0' : `[0-${Number(digit) - 1}]`
    return digit === '0' ? [] : [`${digits.slice(0, at)}${lower}${anyDigits(digits.length - at - 1)}`]
  })
  const shorter = digits.length === 1 ? [] : [`\\d{1,${digits.length - 1}}`]
  return `0*(?:${[...shorter, ...smaller.flat(), digits].join('|')})`
}

const anyDigits = (count: number): string => (count < 2 ? '\\d'.repeat(count) : `\\d{${count}}`)

/** @param least 0 or 1 */
export const wholeText = (least: 0 | 1, most: number): string =>
  `${least === 0 ? '' : '(?!0+(?!\\d))'}${upTo(most)}`

/** @param least 0, or 0.001 for a number that may be small but not nothing */
export const decimalText = (least: 0 | 0.001, most: number): string =>
  `${least === 0 ? '' : '(?!0+(?:\\.(?:0{1,3}|0{3}\\d+))?(?![\\d.]))'}(?:${upTo(most - 1)}(?:\\.\\d+)?|0*${most}(?:\\.0+)?)`
