import { describe, expect, it } from 'vitest'
import { isNamed, namedValues } from '../../../src/domain/text/named-values.js'

describe('named values', () => {
  it.each([
    ['gekündigt', true],
    ['GEKUENDIGT', false],
    ['Gekundigt', true],
    ['7', true],
    ['', false],
    ['-', true],
    ['--', false],
  ])('%o is one of them: %o', (cell, isOne) => {
    expect(isNamed(namedValues([' gekündigt ', 7, '-']), cell)).toBe(isOne)
  })
})
