import { expect, it } from 'vitest'
import { forcedText, isForced } from '../../../src/domain/row/row-state.js'
it.each([
  [-5, 'forced, 0 minutes after the attempt'],
  [119_999, 'forced, 1 minute after the attempt'],
  [120_000, 'forced, 2 minutes after the attempt'],
])('26.2 a resend %i ms after its attempt is told as forced', (ms, text) => {
  expect(forcedText(ms)).toBe(text)
  expect(isForced(`${text}; filled-in.csv`)).toBe(true)
})

it('26.2 no other evidence is taken for that of a forced one', () => {
  for (const evidence of [null, 'forced, by phone', 'list.csv: forced, 3 minutes after the attempt'])
    expect(isForced(evidence)).toBe(false)
})
