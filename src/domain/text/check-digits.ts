/** Country and check digits. */
const BEGINNING = 4
/** A smaller number takes two more digits and stays within 31 bits. */
const ROOM = 10_000_000

/**
 * Remainder modulo 97 of a text of A-Z and 0-9 read as digits with A=10 … Z=35 (ISO 7064).
 * @param start the text is read from here on, and then its country and check digits; from its beginning where left out
 * @returns -1 when another character occurs, which is never a valid remainder
 */
export function mod97(text: string, start = 0): number {
  const first = Math.max(0, text.length - start)
  const all = first + (start === 0 ? 0 : Math.min(BEGINNING, text.length))
  let remainder = 0
  for (let i = 0; i < all; i += 1) {
    const code = text.charCodeAt(i < first ? start + i : i - first)
    if (remainder >= ROOM) remainder %= 97
    if (code >= 48 && code <= 57) remainder = remainder * 10 + code - 48
    else if (code >= 65 && code <= 90) remainder = remainder * 100 + code - 55
    else return -1
  }
  return remainder % 97
}

/** 00, 01 and 99 are aliases of 97, 98 and 02: they leave the right remainder and still never occur. */
export const isImpossibleCheck = (digits: string): boolean =>
  digits === '00' || digits === '01' || digits === '99'
