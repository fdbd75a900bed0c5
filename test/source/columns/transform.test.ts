import { expect, it } from 'vitest'
import { applyTransforms } from '../../../src/source/record-check.js'
const pad = { padLeft: { length: 5, with: '0' } } as const

it('changes a cell in the order of the configuration', () => {
  expect(applyTransforms('k-17', [{ stripPrefix: 'k-' }, pad])).toBe('00017')
  expect(applyTransforms('k-17', [pad, { stripPrefix: 'k-' }])).toBe('0k-17')
  expect(applyTransforms('k-17', ['upperCase', { stripPrefix: 'k-' }])).toBe('K-17')
})

it('sees a cell without outer blanks and text marker, so that a result file comes back as it went', () => {
  expect(applyTransforms('="K-17"', [{ stripPrefix: 'K-' }])).toBe('17')
  expect(applyTransforms('  K-17 ', [{ stripPrefix: 'K-' }, 'trim'])).toBe('17')
})

it('makes no value up where the cell is empty, or where the prefix was all of it', () => {
  expect(applyTransforms('  ', [pad])).toBe('')
  expect(applyTransforms('K-', [{ stripPrefix: 'K-' }, pad])).toBe('')
})

it('cuts nothing off that is longer than asked for', () => {
  expect(applyTransforms('123456', [pad])).toBe('123456')
})

it('takes zeros in front of a number away, and leaves one that is nothing else', () => {
  expect(applyTransforms('C-000123', [{ stripPrefix: 'C-' }, 'stripZeros'])).toBe('123')
  expect(applyTransforms('000', ['stripZeros'])).toBe('0')
  expect(applyTransforms('', ['stripZeros'])).toBe('')
})
