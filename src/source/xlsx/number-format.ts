import {
  addDays,
  dayOfSerial,
  EXCEL_1904_EPOCH,
  EXCEL_EPOCH,
  FIRST_SERIAL,
} from '../../domain/mandate/date.js'
import { isTrue, type XmlHandlers } from '../bytes/xml.js'

/** How the numbers of a cell format are shown: as a day, with as many digits as zeros, or plainly. */
export type NumberFormat =
  { readonly kind: 'day' } | { readonly kind: 'digits'; readonly shape: string } | null

/** Formats that need not be written in a workbook (ECMA-376, 18.8.30, also those of East Asia). */
const isBuiltInDay = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)

/** Quoted and escaped text, fillers, and conditions, colours or locales in brackets. */
const LITERAL = /"[^"]*"|\\.|_.|\*.|\[[^[\]]*\]/g

/** What a format code shows of a positive number. */
function readFormat(code: string): NumberFormat {
  const [positive = ''] = /^(?:[^;"]|"[^"]*")*/.exec(code) ?? []
  const first = positive.replace(LITERAL, (literal) => (/^["\\]/.test(literal) ? literal : ''))
  const bare = first.replace(LITERAL, '')
  if (/^general$/i.test(bare)) return null
  // A month alone stands beside a day or a year; beside hours and seconds the letter means minutes.
  if (/[dy]/i.test(bare) || (/m/i.test(bare) && !/[hs]/i.test(bare))) return { kind: 'day' }
  if (!/^(?=[\s/()-]*0)[0\s/()-]*$/.test(bare)) return null
  return {
    kind: 'digits',
    shape: first.replace(/"([^"]*)"|\\(.)/g, (_, quoted?: string, one?: string) => hide(quoted ?? one ?? '')),
  }
}

/** A zero of a literal text is no place for a digit. */
const hide = (text: string): string => text.replaceAll('0', '\u0000')

/** The styles of a workbook: what is known of a cell by the number that it gives as its style. */
export async function readStyles(read: (handlers: XmlHandlers) => Promise<void>) {
  const codes = new Map<number, NumberFormat>()
  const fonts: { readonly isStruck: boolean }[] = []
  let isFont = false
  const styles: { readonly id: number; readonly font: number }[] = []
  const open: XmlHandlers['open'] = (name, given, parent) => {
    const { numFmtId = '0', formatCode = '', fontId = '0', val = '1' } = given
    if (name === 'numFmt' && parent === 'numFmts') codes.set(Number(numFmtId), readFormat(formatCode))
    if (name === 'font') isFont = parent === 'fonts'
    if (name === 'font' && isFont) fonts.push({ isStruck: false })
    if (name === 'strike' && isFont) fonts.splice(-1, 1, { isStruck: isTrue(val) })
    if (name === 'xf' && parent === 'cellXfs') styles.push({ id: Number(numFmtId), font: Number(fontId) })
  }
  await read({ open, close: () => undefined })
  const formats = styles.map(
    ({ id }): NumberFormat => codes.get(id) ?? (isBuiltInDay(id) ? { kind: 'day' } : null),
  )
  return {
    formatOf: (style: number): NumberFormat => formats[style] ?? null,
    /** A line is drawn through its text. */
    isStruck: (style: number): boolean => fonts[styles[style]?.font ?? 0]?.isStruck === true,
  }
}

/** Below it, days of 1900 are one off: Excel counts a 29 February 1900 that never was. */
const FIRST_DAY = addDays(EXCEL_EPOCH, FIRST_SERIAL) ?? EXCEL_EPOCH
/** Numbers have 15 digits; what Excel was given beyond them is lost. */
const BEYOND_DIGITS = 1e15

/** With the time behind it, where there is one: the day alone may be that of another zone. */
function dayOf(serial: number, is1904: boolean): string | null {
  const { day, time } = dayOfSerial(serial, is1904 ? EXCEL_1904_EPOCH : EXCEL_EPOCH)
  if (day === null || day < (is1904 ? EXCEL_1904_EPOCH : FIRST_DAY)) return null
  return time === 0 ? day : `${day} ${new Date(time * 1000).toISOString().slice(11, 19)}`
}

/** The digits at the places of the zeros, from the right; those that are left stand at the first. */
function shapeDigits(digits: string, shape: string): string {
  const zeros = shape.split('0').length - 1
  const rest = Array.from(digits.padStart(zeros, '0'))
  let first = rest.length - zeros + 1
  const take = (): string => {
    const taken = rest.splice(0, first).join('')
    first = 1
    return taken
  }
  return shape.replaceAll('0', take).replaceAll('\u0000', '0')
}

/**
 * A number as a person sees it in the sheet, as far as that tells it: a day as `YYYY-MM-DD`, leading zeros, whole digits.
 * What has more than 15 digits is written with an exponent, since its last digits are lost (EXCEL_SCIENTIFIC).
 */
export function showNumber(written: string, format: NumberFormat, is1904: boolean): string {
  const value = Number(written)
  if (written.trim() === '' || !Number.isFinite(value)) return written
  if (format?.kind === 'day') {
    const day = dayOf(value, is1904)
    if (day !== null) return day
  }
  if (!Number.isInteger(value)) return String(Number(value.toPrecision(15)))
  if (Math.abs(value) >= BEYOND_DIGITS) return value.toExponential()
  return format?.kind === 'digits' && value >= 0 ? shapeDigits(String(value), format.shape) : String(value)
}
