import { describe, expect, it } from 'vitest'
import { countWords } from '../../../src/source/guess/word-counter.js'

const count = (cells: readonly string[], most = 3) => {
  const counter = countWords(most)
  for (const cell of cells) counter.note(cell)
  const counts = counter.counts()
  return counts === null ? null : Object.fromEntries(counts)
}

describe('words of a column', () => {
  it('are counted in all their spellings, under the first one', () => {
    expect(count(['Aktiv', 'aktiv', ' AKTIV ', 'Aktiv', 'ended'])).toEqual({ Aktiv: 4, ended: 1 })
  })

  it('are the same with a date behind them', () => {
    expect(count(['gekündigt zum 31.12.2025', 'gekündigt (2024)', 'gekündigt'])).toEqual({ gekündigt: 3 })
  })

  it('empty cells are no word', () => {
    expect(count(['', '  ', 'x'])).toEqual({ x: 1 })
  })

  it('signs are words by themselves, apart from each other', () => {
    expect(count(['-', '+', '-'])).toEqual({ '-': 2, '+': 1 })
  })

  it('are none where there are too many of them, or one is a sentence', () => {
    expect(count(['a', 'b', 'c'])).toEqual({ a: 1, b: 1, c: 1 })
    expect(count(['a', 'b', 'c', 'd'])).toBeNull()
    expect(count(['a', 'x'.repeat(41)])).toBeNull()
  })

  it('stay none, whatever comes later', () => {
    expect(count(['a', 'b', 'c', 'd', ...Array.from({ length: 50 }, () => 'a')])).toBeNull()
  })

  it('are exact when a column has more spellings than are remembered', () => {
    const cells = Array.from({ length: 2_000 }, (_, index) => `ended ${1000 + (index % 500)}`)
    expect(count(cells)).toEqual({ ended: 2_000 })
  })
})
