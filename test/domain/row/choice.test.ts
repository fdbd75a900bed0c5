import { describe, expect, it } from 'vitest'
import { type Choice, choiceLine, choiceText, narrowed } from '../../../src/domain/row/choice.js'

const SEGMENT = { column: 'Segment', values: ['A', 'B'] }
const TIER = { column: 'Tier', values: ['1'] }

describe('a choice', () => {
  it('is told in words, with what it leaves', () => {
    const choice = { only: [SEGMENT, TIER], countries: ['AT', 'DE'] }
    expect(choiceText(choice)).toBe('Segment: A or B; Tier: 1; country: AT or DE')
    expect(choiceText({ only: [], countries: [] })).toBe('country: none')
    expect(choiceLine({ ...choice, left: 1 })).toBe(
      'Of the ready rows only Segment: A or B; Tier: 1; country: AT or DE; 1 other row stays ready',
    )
  })

  it.each<[Choice | null, Choice | null, Choice | null]>([
    [null, null, null],
    [{ only: [SEGMENT], countries: null }, null, { only: [SEGMENT], countries: null }],
    [null, { only: [], countries: ['AT'] }, { only: [], countries: ['AT'] }],
    [
      { only: [SEGMENT], countries: ['AT', 'DE'] },
      { only: [TIER], countries: ['DE', 'FR'] },
      { only: [SEGMENT, TIER], countries: ['DE'] },
    ],
    [
      { only: [], countries: ['AT'] },
      { only: [], countries: ['DE'] },
      { only: [], countries: [] },
    ],
    [
      { only: [], countries: ['AT'] },
      { only: [TIER], countries: null },
      { only: [TIER], countries: ['AT'] },
    ],
  ])('narrowed by another takes what both take: %j and %j', (wide, narrow, both) => {
    expect(narrowed(wide, narrow)).toEqual(both)
  })
})
