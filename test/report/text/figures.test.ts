import { describe, expect, it } from 'vitest'
import { figuresOf } from '../../../src/report/text/figures.js'

/** Zero is one here, as in French. */
const { count, plural, share, duration, width } = figuresOf({
  thousands: '_',
  point: ';',
  isOne: (number) => number < 2,
  units: {
    second: ['sec', 'secs'],
    minute: ['minu', 'minus'],
    hour: ['hou', 'hous'],
    day: ['jour', 'jours'],
  },
})

describe('the figures of a language', () => {
  it('groups thousands and counts as the language does', () => {
    expect([0, 999, 1000, 1_234_567].map(count)).toEqual(['0', '999', '1_000', '1_234_567'])
    expect([0, 1, 2, 2000].map((number) => plural(number, 'ligne', 'lignes'))).toEqual([
      '0 ligne',
      '1 ligne',
      '2 lignes',
      '2_000 lignes',
    ])
  })

  it('writes the decimals of a share, whose sign is not left alone on the next line', () => {
    expect([share(1, 3), share(1, 1_000_000), share(999_999, 1_000_000), share(0, 0)]).toEqual([
      '33;3\u00a0%',
      '<0;1\u00a0%',
      '>99;9\u00a0%',
      '',
    ])
  })

  it('names spans of time', () => {
    expect([400, 7_500_000, 86_400_000, 266_400_000].map(duration)).toEqual([
      '1 s',
      '2 h 5 min',
      '1 jour',
      '3 jours 2 h',
    ])
    expect([1000, 600_000, 3_600_000, 604_800_000].map(width)).toEqual(['sec', '10 minus', 'hou', '7 jours'])
  })
})
