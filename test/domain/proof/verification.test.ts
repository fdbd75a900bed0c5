import { describe, expect, it } from 'vitest'
import { VERDICTS, type KeptSource } from '../../../src/domain/proof/match-sources.js'
import {
  cancellableOf,
  contradictedIn,
  contradictedText,
  unprovenIn,
  unprovenText,
  VERIFICATION_WORDS,
  VERIFIED_VERDICTS,
  verificationOf,
  verificationText,
  verificationWord,
  type VerdictCount,
} from '../../../src/domain/proof/verification.js'

const count = (verdict: VerdictCount['verdict'], number: number, hour = 10): VerdictCount => ({
  verdict,
  count: number,
  firstAt: `2026-06-15T${hour}:00:00.000Z`,
  lastAt: `2026-06-15T${hour}:30:00.000Z`,
})

describe('the words of a verification', () => {
  it('are one for each verdict, what must be looked at first before the others', () => {
    expect([...VERIFIED_VERDICTS].sort()).toEqual([...VERDICTS, 'decided'].sort())
    expect(VERIFIED_VERDICTS.map(verificationWord)).toEqual(VERIFICATION_WORDS)
    expect(VERIFICATION_WORDS.at(-1)).toBe('proven')
  })
})

describe('a verification', () => {
  it('is none where nobody asked', () => {
    expect(verificationOf(7, [])).toBeNull()
  })

  it('adds up to the registered rows, and takes its times from what was proven alone', () => {
    const verification = verificationOf(1_010, [
      count('absent', 1, 9),
      count('other', 3, 23),
      count('proven', 1_000, 10),
      count('twice', 2, 9),
      count('unreadable', 2, 9),
    ])
    expect(verification).toEqual({
      registered: 1_010,
      missing: 1,
      twice: 2,
      different: 3,
      unreadable: 2,
      decided: 0,
      proven: 1_000,
      notAsked: 2,
      firstAt: '2026-06-15T10:00:00.000Z',
      lastAt: '2026-06-15T10:30:00.000Z',
    })
    if (verification === null) throw new Error('Nothing was verified')
    expect(contradictedIn(verification)).toBe(6)
    expect(unprovenIn(verification)).toBe(8)
    expect(contradictedText(verification)).toBe('1 missing, 2 twice, 3 different')
    expect(unprovenText(verification)).toBe('1 missing, 2 twice, 3 different, 2 unreadable')
    expect(verificationText(verification)).toBe(
      '1,000 of 1,010 registered mandates proven at the service between 2026-06-15 10:00:00 UTC and ' +
        '2026-06-15 10:30:00 UTC; 1 missing, 2 twice, 3 different, 2 unreadable; 2 not asked.',
    )
  })

  it('names no time where nothing was proven, and nothing that is not there', () => {
    const none = verificationOf(1, [count('unreadable', 1)])
    expect(none && verificationText(none)).toBe(
      '0 of 1 registered mandate proven at the service; 1 unreadable; 0 not asked.',
    )
    const all = verificationOf(2, [count('proven', 2)])
    expect(all && verificationText(all)).toMatch(/^2 of 2 .* UTC; 0 not asked\.$/)
    expect(all && contradictedIn(all)).toBe(0)
    const decided = verificationOf(3, [count('decided', 1), count('proven', 2)])
    expect(decided && verificationText(decided)).toMatch(
      /^2 of 3 .* UTC; 1 cancelled or changed as decided; 0 not asked\.$/,
    )
    expect(decided && [contradictedIn(decided), unprovenIn(decided)]).toEqual([0, 0])
  })
})

const source = (id: string | null, reference: string | null): KeptSource => ({
  id,
  reference,
  status: 'PENDING',
  accountMasked: 'DE…3000',
  signedDate: '2020-02-29',
})

describe('what a person may cancel of a mandate that is there twice', () => {
  const owners = new Map([
    ['NEW-1', 1],
    ['NEW-2', 2],
  ])
  const ownerOf = (reference: string): number | null => owners.get(reference) ?? null
  const of = (sources: readonly KeptSource[], hasOpenSibling = false): readonly string[] =>
    cancellableOf({ rowId: 1, sources, hasOpenSibling }, ownerOf)

  it.each<[string, readonly KeptSource[], readonly string[]]>([
    ['all but the own', [source('a', 'NEW-1'), source('b', 'X'), source('c', 'Y')], ['b', 'c']],
    ['the second with the own reference', [source('a', 'new-1 '), source('b', 'NEW-1')], ['b']],
    ['never that of another row', [source('a', 'NEW-1'), source('b', 'NEW-2'), source('c', 'Y')], ['c']],
    ['nothing where the own is not among them', [source('b', 'X'), source('c', 'Y')], []],
    ['nothing without both', [source('a', 'NEW-1'), source('b', null), source(null, 'X')], []],
    ['nothing where the words are gone', [], []],
  ])('is %s', (_, sources, expected) => {
    expect(of(sources)).toEqual(expected)
  })

  it('is nothing while another row of the customer is open, whose mandate it could be', () => {
    expect(of([source('a', 'NEW-1'), source('b', 'X')], true)).toEqual([])
  })
})
