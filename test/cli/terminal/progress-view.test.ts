import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainLine, type RunView, terminalLines as linesOf } from '../../../src/cli/terminal/progress.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'
import { countText } from '../../../src/domain/text/text.js'

const terminalLines = (shown: RunView, columns: number): string[] => linesOf(shown, columns).map(wordsOf)

const view = (changes: Partial<RunView> = {}): RunView => ({
  total: 20_000,
  registered: 8_950,
  refused: 12,
  inDoubt: 3,
  settledBefore: 0,
  elapsedMs: 60_000,
  event: null,
  ...changes,
})

describe('the view of a run on a terminal', () => {
  it('says how far, what became of the rows, and how fast', () => {
    expect(terminalLines(view(), 80)).toEqual([
      '█████████████░░░░░░░░░░░░░░░░░ 44 %  8,965 of 20,000',
      'registered 8,950 · refused 12 · in doubt 3',
      '149 a second · 74 s left',
    ])
  })

  it('moves the first count up where the terminal is too narrow for all of them', () => {
    expect(terminalLines(view({ registered: 189_500, total: 2_000_000 }), 40)).toEqual([
      '█░░░░░░░░░░░░░░ 9 %  registered 189,500',
      'refused 12 · in doubt 3',
      '3,159 a second · 10 min left',
    ])
  })

  it('cuts nothing but the event, at any width from 40 columns on', () => {
    const counts = fc.nat({ max: 9_999_999 })
    fc.assert(
      fc.property(
        fc.record({ registered: counts, refused: counts, inDoubt: counts, elapsedMs: fc.nat() }),
        fc.nat({ max: 9_999_999 }),
        fc.integer({ min: 40, max: 200 }),
        (drawn, rest, columns) => {
          const { registered, refused, inDoubt } = drawn
          const total = registered + refused + inDoubt + rest
          const shown = terminalLines(
            view({ ...drawn, total, event: 'Waiting 2.0 s: the service answered 429 and a long story' }),
            columns,
          )
          for (const line of shown) expect(line.length).toBeLessThan(columns)
          const text = shown.join('\n')
          for (const part of [
            `registered ${countText(registered)}`,
            `refused ${countText(refused)}`,
            `in doubt ${countText(inDoubt)}`,
          ])
            expect(text).toContain(part)
        },
      ),
    )
  })

  it('says 100 % only when nothing is left, and promises no time before the first answer', () => {
    expect(
      terminalLines(view({ total: 10_000, registered: 9_999, refused: 0, inDoubt: 0 }), 80)[0],
    ).toContain('99 %')
    expect(terminalLines(view({ total: 2, registered: 2, refused: 0, inDoubt: 0 }), 80)[0]).toContain('100 %')
    const none = view({ registered: 0, refused: 0, inDoubt: 0, event: 'Waiting 2.0 s' })
    expect(terminalLines(none, 80)[2]).toBe('Waiting 2.0 s')
  })

  it('counts the pace from where it began to watch', () => {
    expect(terminalLines(view({ settledBefore: 8_905 }), 80)[2]).toBe(
      '1 a second · 3 h 4 min left'.replace('1 a', '1.0 a'),
    )
  })
})

describe('the view of a run in a file', () => {
  it('is one line', () => {
    expect(plainLine(view({ event: 'Waiting 2.0 s' }))).toBe(
      'Sent: 8,965 of 20,000; registered 8,950, refused 12, in doubt 3; 149 a second; 74 s left',
    )
  })
})
