import { describe, expect, it } from 'vitest'
import { escapedJson, oneLine, plainLines } from '../../../src/domain/text/text.js'
describe('one line', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jtext', 'text'],
    ['a\r\nb\u2028c\u0000d', 'a b c d'],
    ['pay\u202egnihton', 'paygnihton'],
    ['zero\u200bwidth', 'zerowidth'],
    ['tag\u{E0041}ged', 'tagged'],
  ])('%j shows what it holds', (text, shown) => {
    expect(oneLine(text)).toBe(shown)
  })

  it('a title that is never ended hides no text behind it', () => {
    expect(oneLine('\u001b]0;Error: two rows are missing')).toContain('Error: two rows are missing')
  })

  it('letters of every language stay', () => {
    for (const text of ['Müller-Öztürk', 'Łódź', 'Ἀθῆναι', '東京', 'e\u0301'])
      expect(oneLine(text)).toBe(text)
  })
})

it('of several lines each is one', () => {
  expect(plainLines('a\u001b[2J\nb\rc')).toBe('a\nb c')
})

it('JSON gives a program every character back, and shows a terminal none that hides', () => {
  const value = { text: 'a\u202eb\u2028\u{E0041}\u009b' }
  const text = escapedJson(JSON.stringify(value))
  expect(text).toMatch(/^[\u0020-\u007e]*$/)
  expect(JSON.parse(text)).toEqual(value)
})
