import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkMandateReference } from '../../../src/domain/value/mandate-reference.js'
import { cleanCell } from '../../../src/domain/text/text.js'
import { isPlainReference, REFERENCE_KINDS } from '../../../src/source/survey/plain-references.js'

const SEED = 20_261_121

function isPlain(text: string): boolean {
  const bytes = Buffer.from(text)
  const kinds = bytes.reduce((all, byte) => all | (REFERENCE_KINDS[byte] ?? 0), 0)
  return isPlainReference(bytes, 0, bytes.length, kinds, {})
}

function isClean(text: string): boolean {
  const { usable, value, findings } = checkMandateReference(text, {})
  return usable && value === text && findings.length === 0 && cleanCell(text) === text
}

const piece = fc.constantFrom(
  ...[
    'MND',
    'SEPT',
    'Jan',
    'DEC',
    '2020',
    '12',
    '1',
    '0',
    '000',
    '9',
    '31',
    '-',
    '-',
    '/',
    '.',
    "'",
    ' ',
    ':',
    '+',
    'E',
    'e',
  ],
  ...[
    'NONE',
    'N/A',
    'NA',
    'NULL',
    'x',
    'Z',
    'ü',
    '=',
    '"',
    '#',
    '(',
    ')',
    ',',
    '?',
    '123456789012345',
    '1,',
    '\u00a0',
  ],
)
const pieces = fc.array(piece, { maxLength: 8 }).map((texts) => texts.join(''))

describe('12 references that are checked as bytes', () => {
  it(`12 a reference is plain where no rule says anything of it, and nowhere else (seed ${SEED})`, () => {
    let plain = 0
    fc.assert(
      fc.property(pieces, (text) => {
        if (isPlain(text)) plain += 1
        expect(isPlain(text), text).toBe(isClean(text))
      }),
      { seed: SEED, numRuns: 20_000 },
    )
    expect(plain).toBeGreaterThan(2_000)
  })

  it('12 every placeholder, date, month and rounded number is looked at closer', () => {
    for (const text of [
      '0',
      '-',
      'NOTPROVIDED',
      'N/A',
      '12-12-2020',
      '2020-12-12',
      'SEPT-2020',
      '12-DEC',
      '1E-100',
    ])
      expect(isPlain(text), text).toBe(false)
    expect(isPlain('1234567890123450')).toBe(false)
    expect(isPlain('1'.repeat(36))).toBe(false)
  })
})
