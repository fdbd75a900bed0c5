import { plainText } from '../page/plain-text.js'

/** In UTF-16 code units; a spreadsheet takes no more than 32,767 in a cell. */
const LONGEST_CELL = 32_000

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** `_x0041_` would be read as the character of that number (ISO/IEC 29500-1, 22.9.2.19). */
const CHARACTER_NUMBER = /_(?=x[0-9A-Fa-f]{4}_)/g

/** Anything in a short text that makes it another one as XML. */
const SPECIAL = /[^ -%'-;=?-~]|_x|^ | $/

const ASCII = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  return ENTITIES[character] ?? character
})
const REPLACEMENT = 0xfffd

/** What no XML may hold (XML 1.0, 2.2); controls are gone from plain text. */
const isForbidden = (code: number): boolean => (code >= 0xd800 && code <= 0xdfff) || (code | 1) === 0xffff

/**
 * As text or the value of an attribute, other characters by their number. One of them as it is would keep a page of rows
 * in two bytes a character, which takes half as long again, and the dots stand in each row.
 */
export function inAscii(text: string): string {
  let xml = ''
  for (let at = 0; at < text.length; at += 1) {
    const code = text.codePointAt(at) ?? REPLACEMENT
    if (code > 0xffff) at += 1
    xml += ASCII[code] ?? `&#${isForbidden(code) ? REPLACEMENT : code};`
  }
  return xml
}

/** A masked account, which stands in each row. */
const MASKED = /^[A-Z]{2}…[0-9A-Z]{4}$/
/** The same for a masked account. V8 keeps two characters by themselves in one byte each. */
const maskedInAscii = (text: string): string =>
  `${text.slice(0, 2)}&#8230;${text.slice(3, 5)}${text.slice(5)}`

/** What a cell shows of a text of others, as XML: one plain line, cut where a cell ends. */
export function cellText(text: string): string {
  if (text.length <= LONGEST_CELL && !SPECIAL.test(text)) return text
  if (MASKED.test(text)) return maskedInAscii(text)
  return inAscii(plainText(text).slice(0, LONGEST_CELL).replace(CHARACTER_NUMBER, '_x005F_'))
}
