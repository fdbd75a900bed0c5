import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SEPA_COUNTRIES } from '../../../src/domain/text/countries.js'
import { checkIban } from '../../../src/domain/value/iban.js'
import { isPlainAccount, PLAIN_ACCOUNT_COUNTRIES } from '../../../src/source/survey/plain-accounts.js'
import { IBAN_EXAMPLES } from '../../domain/iban-examples.js'
import { ibanOf } from '../../support/sample-values.js'

const isPlain = (iban: string): boolean => isPlainAccount(Buffer.from(`,${iban},`), 1, iban.length + 1)

/** Nothing is said of it, and it is sent as it stands. */
const isClean = (iban: string): boolean => {
  const { usable, value, findings } = checkIban(iban, {})
  return usable && value === iban && findings.length === 0
}

const SEED = 20_261_121

const bbanOf = (country: string): fc.Arbitrary<string> => {
  const { bban } = SEPA_COUNTRIES.get(country)!
  return fc.stringMatching(bban).filter((text) => bban.test(text))
}

describe('12 accounts that are checked as bytes', () => {
  it.each(PLAIN_ACCOUNT_COUNTRIES)('12 %s: the example is plain', (country) => {
    expect(isPlain(IBAN_EXAMPLES[country]!)).toBe(true)
  })

  it.each(PLAIN_ACCOUNT_COUNTRIES)(
    `12 %s: no rule says anything of a plain account (seed ${SEED})`,
    (country) => {
      let plain = 0
      const cells = fc.tuple(
        bbanOf(country),
        fc.integer({ min: 0, max: 100 }),
        fc.integer({ min: 0, max: 30 }),
      )
      fc.assert(
        fc.property(cells, ([bban, check, at]) => {
          const right = ibanOf(country, bban)
          const wrong = `${country}${String(check).padStart(2, '0')}${bban}`
          for (const iban of [right, wrong, right.slice(0, at), right.replace(right.charAt(at), 'X')])
            if (isPlain(iban)) {
              plain += 1
              expect(isClean(iban), iban).toBe(true)
            }
        }),
        { seed: SEED, numRuns: 500 },
      )
      expect(plain).toBeGreaterThan(300)
    },
  )

  it('12 no example is plain that a rule says anything of', () => {
    for (const iban of Object.values(IBAN_EXAMPLES)) if (isPlain(iban)) expect(isClean(iban), iban).toBe(true)
  })

  it('12 check digits that never occur, hidden digits, small letters and blanks are not plain', () => {
    for (let n = 0; n < 2_000; n += 1) {
      const bban = `37040044${String(n).padStart(10, '0')}`
      for (const check of ['00', '01', '99']) expect(isPlain(`DE${check}${bban}`)).toBe(false)
    }
    expect(isPlain(ibanOf('NL', 'XXXX0417164300'))).toBe(false)
    expect(isPlain('de89370400440532013000')).toBe(false)
    expect(isPlain('DE89 3704 0044 0532 0130 00')).toBe(false)
    expect(isPlain('')).toBe(false)
  })
})
