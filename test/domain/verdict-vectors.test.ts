import { describe, expect, test } from 'vitest'
import {
  checkCreditorIdentifier,
  checkCustomerNo,
  checkMandateReference,
} from '../../src/domain/value/identifiers.js'
import { DATE_FORMATS, type DateFormat, parseLocalDate } from '../../src/domain/mandate/date.js'
import { checkIban } from '../../src/domain/value/iban.js'
import vectors from './verdict-vectors.json' with { type: 'json' }
import { checkSignedDate } from '../../src/domain/value/check-mandate.js'
import type { Checked } from '../../src/domain/rule/verdict.js'

const today = parseLocalDate(vectors.today)!

/** Verdict and code as the vectors have them: the error, else the first warning. */
function judge({ usable, findings }: Checked<unknown>) {
  const error = findings.find(({ severity }) => severity === 'error')
  expect(usable).toBe(error === undefined)
  if (error !== undefined) return { verdict: 'reject', code: error.rule }
  const [warning] = findings
  return warning === undefined ? { verdict: 'accept', code: '' } : { verdict: 'warn', code: warning.rule }
}

const declared = (format: string): DateFormat => {
  const known = DATE_FORMATS.find((each) => each === format)
  if (known === undefined) throw new Error(`The vectors use an unknown date format "${format}"`)
  return known
}

describe('the agreed vectors', () => {
  test.each(vectors.iban)('IBAN $raw: $verdict $code ($why)', ({ raw, normalized, verdict, code }) => {
    const checked = checkIban(raw, {})
    expect(judge(checked)).toEqual({ verdict, code })
    // A rejected value has no cleaned form to send: the vectors repeat the raw text.
    expect(checked.usable ? checked.value : raw).toBe(normalized)
  })

  test.each(vectors.creditor_identifier)('CI $raw: $verdict $code ($why)', ({ raw, verdict, code }) => {
    expect(judge(checkCreditorIdentifier(raw, { constant: null, assigned: null }, {}))).toEqual({
      verdict,
      code,
    })
  })

  test.each(vectors.umr)('UMR $raw: $verdict $code ($why)', ({ raw, verdict, code }) => {
    expect(judge(checkMandateReference(raw, {}))).toEqual({ verdict, code })
  })

  test.each(vectors.signed_date)(
    'signed date $raw as $format: $verdict $code ($why)',
    ({ raw, format, iso, verdict, code }) => {
      const checked = checkSignedDate(raw, declared(format), today, {})
      expect(judge(checked)).toEqual({ verdict, code })
      expect(checked.value).toBe(iso)
    },
  )

  test.each(vectors.customer_no)(
    'customer number $raw: $verdict $code ($why)',
    ({ raw, value, verdict, code }) => {
      const checked = checkCustomerNo(raw, {})
      expect(judge(checked)).toEqual({ verdict, code })
      expect(checked.value).toBe(value)
    },
  )
})
