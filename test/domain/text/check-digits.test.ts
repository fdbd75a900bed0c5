import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isImpossibleCheck, mod97 } from '../../../src/domain/text/countries.js'
/** The definition itself: letters as two digits, one big number. */
const byDefinition = (text: string): number =>
  Number(BigInt(Array.from(text, (character) => parseInt(character, 36)).join('') || '0') % 97n)

test('the remainder agrees with the definition', () => {
  const characters = fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'))
  fc.assert(
    fc.property(fc.array(characters, { maxLength: 60 }), (all) => {
      expect(mod97(all.join(''))).toBe(byDefinition(all.join('')))
    }),
  )
})

test.each(['a', '1a', '-', ' ', 'É', '１', '1/2'])('%j has no remainder', (text) => {
  expect(mod97(text)).toBe(-1)
})

test('exactly the three aliases are impossible', () => {
  const all = Array.from({ length: 100 }, (_, i) => String(i).padStart(2, '0'))
  expect(all.filter(isImpossibleCheck)).toEqual(['00', '01', '99'])
})
