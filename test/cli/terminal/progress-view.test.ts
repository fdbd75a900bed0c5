import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainLine, type RunView, terminalLines } from '../../../src/cli/terminal/progress.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'
import { countText } from '../../../src/domain/text/text.js'

const USUAL = {
  total: 20_000,
  registered: 8_950,
  refused: 12,
  inDoubt: 3,
  settledBefore: 0,
  elapsedMs: 60_000,
}
const shown = (changes: Partial<RunView> = {}, columns = 80): string[] =>
  terminalLines({ ...USUAL, event: null, ...changes }, columns).map(wordsOf)

describe('the view of a run on a terminal', () => {
  it('says how far, what became of the rows, and how fast', () => {
    expect(shown()).toEqual([
      '█████████████░░░░░░░░░░░░░░░░░ 44 %  8,965 of 20,000',
      'registered 8,950 · refused 12 · in doubt 3',
      '149 a second · 74 s left',
    ])
  })

  it('cuts nothing but the event, at any width from 40 columns on', () => {
    const counts = fc.nat({ max: 9_999_999 })
    const drawn = { registered: counts, refused: counts, inDoubt: counts, elapsedMs: fc.nat() }
    const event = 'Waiting 2.0 s: the service answered 429 and a long story'
    fc.assert(
      fc.property(fc.record(drawn), counts, fc.integer({ min: 40, max: 200 }), (changes, rest, columns) => {
        const { registered, refused, inDoubt } = changes
        const lines = shown({ ...changes, total: registered + refused + inDoubt + rest, event }, columns)
        for (const line of lines) expect(line.length).toBeLessThan(columns)
        for (const [word, count] of Object.entries({ registered, refused, 'in doubt': inDoubt }))
          expect(lines.join('\n')).toContain(`${word} ${countText(count)}`)
      }),
    )
  })

  it('says 100 % only when nothing is left, and promises no time before the first answer', () => {
    const none = { registered: 0, refused: 0, inDoubt: 0 }
    expect(shown({ ...none, total: 10_000, registered: 9_999 })[0]).toContain('99 %')
    expect(shown({ ...none, total: 2, registered: 2 })[0]).toContain('100 %')
    expect(shown({ ...none, event: 'Waiting 2.0 s' })[2]).toBe('Waiting 2.0 s')
  })

  it('counts the pace from where it began to watch', () => {
    expect(shown({ settledBefore: 8_905 })[2]).toBe('1.0 a second · 3 h 4 min left')
  })
})

it('the view of a run in a file is one line', () => {
  expect(plainLine({ ...USUAL, event: 'Waiting 2.0 s' })).toBe(
    'Sent: 8,965 of 20,000; registered 8,950, refused 12, in doubt 3; 149 a second; 74 s left',
  )
})
