import { describe, expect, it } from 'vitest'
import { whenSeen, type Says, type Sighted, type Standing } from '../../../src/domain/row/sightings.js'

const SAYS: readonly Says[] = ['lives', 'ended', 'unreadable', 'unclear', 'contradictory']
const STANDINGS: readonly Standing[] = [
  ...([
    'none',
    'sent',
    'written_off',
    'arrived',
    'corrected',
    'unreadable',
    'unreadable_end',
    'ended',
    'unsent',
  ] as const),
]
const sighted = (more: Partial<Sighted> = {}): Sighted => ({
  says: 'lives',
  isKnown: false,
  isNewer: false,
  tellsEnds: true,
  differs: false,
  ...more,
})
/** What becomes of it in a word or two. */
const then = (standing: Standing, more?: Partial<Sighted>): string => {
  const found = whenSeen(standing, sighted(more))
  if (found.kind === 'counts') return found.replaces ? 'replaces' : 'counts'
  return found.kind === 'waits' ? found.rule : found.kind
}

describe('a mandate that an export names', () => {
  it('counts as it is where nothing is known of it, and repeats what is known', () => {
    for (const says of SAYS)
      for (const isNewer of [true, false]) {
        expect(then('none', { says, isNewer })).toBe('counts')
        for (const standing of STANDINGS.slice(1))
          expect(then(standing, { says, isNewer, isKnown: true })).toBe('repeats')
      }
  })

  it('is a line of the cut-over where it was sent, whatever is newer', () => {
    for (const says of SAYS)
      for (const isNewer of [true, false]) expect(then('sent', { says, isNewer })).toBe('contradicts')
  })

  it.each(['written_off', 'corrected', 'arrived'] as const)(
    'waits where a person has spoken (%s), whatever is newer',
    (standing) => {
      for (const says of SAYS)
        for (const isNewer of [true, false])
          expect(then(standing, { says, isNewer })).toBe('CONFLICT_MANDATE')
    },
  )

  it('takes the place of what could not be read, without a question', () => {
    for (const says of SAYS) expect(then('unreadable', { says })).toBe('replaces')
    for (const says of SAYS.slice(1)) {
      if (says !== 'unreadable') expect(then('unreadable', { says, differs: true })).toBe('replaces')
      expect(then('unreadable_end', { says })).toBe('replaces')
    }
    // Of two that cannot be read, the one with the former account may be given later.
    expect(then('unreadable', { says: 'unreadable', differs: true })).toBe('CONFLICT_MANDATE')
    expect(then('unreadable', { says: 'unreadable', differs: true, isNewer: true })).toBe('replaces')
  })

  it('waits where nobody said which export is the newer one', () => {
    for (const says of ['lives', 'ended', 'unclear', 'contradictory'] as const) {
      expect(then('unsent', { says })).toBe('EXPORT_ORDER_UNKNOWN')
      expect(then('unsent', { says, isNewer: true })).toBe('replaces')
    }
    expect(then('unreadable', { differs: true })).toBe('EXPORT_ORDER_UNKNOWN')
    expect(then('unreadable', { differs: true, isNewer: true })).toBe('replaces')
    for (const standing of ['ended', 'unreadable_end'] as const) {
      expect(then(standing)).toBe('MANDATE_ENDED_ELSEWHERE')
      expect(then(standing, { isNewer: true })).toBe('replaces')
    }
  })

  it('is not replaced by what cannot be read, and waits meanwhile', () => {
    for (const isNewer of [true, false]) {
      expect(then('unsent', { says: 'unreadable', isNewer })).toBe('CONFLICT_MANDATE')
      expect(then('ended', { says: 'unreadable', isNewer })).toBe('CONFLICT_MANDATE')
    }
  })

  it.each(['ended', 'unsent', 'unreadable', 'unreadable_end'] as const)(
    'is not revived by an export that cannot say that it ended (%s)',
    (standing) => expect(then(standing, { isNewer: true, tellsEnds: false })).toBe('MANDATE_ENDED_ELSEWHERE'),
  )
})
