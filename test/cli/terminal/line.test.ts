import { describe, expect, it } from 'vitest'
import { toned, wordsOf, writtenLine } from '../../../src/cli/terminal/world.js'
describe('a line for a person', () => {
  it('says the same with colour and without', () => {
    const line = ['  ', toned('bad', 'Error'), ': no'] as const
    expect(writtenLine(line, true)).toContain('\u001b[31mError')
    expect(writtenLine(line, true).replace(/\u001b\[\d+m/g, '')).toBe(wordsOf(line))
    expect(wordsOf(line)).toBe('  Error: no')
  })

  it('cannot be broken or coloured by what others wrote, also inside a toned part', () => {
    const hostile = 'x\u001b[32mgood\nNext: rm\u202e'
    for (const line of [hostile, [toned('bad', hostile)]]) {
      expect(wordsOf(line)).toBe('xgood Next: rm')
      expect(writtenLine(line, true)).not.toMatch(/\n|\u001b\[32m|\u202e/)
    }
  })
})
