import { breaks, plainlyUsable, startCheck, unusable, usable, type Checked } from '../rule/finding.js'
import type { SeverityOverrides } from '../rule/rules.js'
import { cleanCell, isScientific } from '../text/text.js'

const PLAIN = /^[1-9][0-9]{0,14}$/
const ONLY_DIGITS = /^[0-9]+$/
const LEADING_ZEROS = /^0+/
const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER)
const MOST_DIGITS = HIGHEST.toString().length

/** On the text, because `Number` would round. `digits` has no leading zeros. */
const isOutOfRange = (digits: string): boolean =>
  digits === '' || digits.length > MOST_DIGITS || (digits.length === MOST_DIGITS && BigInt(digits) > HIGHEST)

/** Checks a customer number of the invoicing service (domain/rulebook.md#customer-number): 1 to 2^53-1. */
export function checkCustomerNo(raw: string, severities: SeverityOverrides = {}): Checked<number> {
  if (PLAIN.test(raw)) return plainlyUsable(Number(raw))
  const check = startCheck('customer_no', raw, severities)
  const text = cleanCell(raw)
  if (text === '') {
    breaks(check, 'CUST_EMPTY')
    return unusable(check, null)
  }
  if (isScientific(text) && breaks(check, 'EXCEL_SCIENTIFIC')) return unusable(check, null)
  if (!ONLY_DIGITS.test(text)) {
    breaks(check, 'CUST_FORMAT')
    return unusable(check, null)
  }
  const digits = text.replace(LEADING_ZEROS, '')
  if (isOutOfRange(digits)) {
    breaks(check, 'CUST_RANGE')
    return unusable(check, null)
  }
  const customerNo = Number(digits)
  const ended = text.startsWith('0') && breaks(check, 'CUST_LEADING_ZERO')
  return ended ? unusable(check, customerNo) : usable(check, customerNo)
}
