import { describe, expect, it } from 'vitest'
import { VERDICTS, type KeptSource, type VerdictKind } from '../../../src/domain/proof/match-sources.js'
import {
  contradictedIn,
  unprovenIn,
  VERIFICATION_WORDS,
  verificationOf,
  verificationWord,
  VERIFIED_VERDICTS,
} from '../../../src/domain/row/row-state.js'
import type { VerdictCount } from '../../../src/domain/row/row-state.js'
import {
  cancellableOf,
  contradictedText,
  unprovenText,
  verificationText,
  absenceOf,
  absenceText,
  mayShow,
  shownOf,
  USUAL_ABSENT_AFTER_MS,
  type AbsenceFacts,
  type Heard,
} from '../../../src/domain/proof/read-back.js'

const count = (verdict: VerdictCount['verdict'], number: number, hour = 10): VerdictCount => ({
  verdict,
  count: number,
  firstAt: `2026-06-15T${hour}:00:00.000Z`,
  lastAt: `2026-06-15T${hour}:30:00.000Z`,
})

it('the words of a verification are one for each verdict, what must be looked at first before the others', () => {
  expect([...VERIFIED_VERDICTS].sort()).toEqual([...VERDICTS, 'decided'].sort())
  expect(VERIFIED_VERDICTS.map(verificationWord)).toEqual(VERIFICATION_WORDS)
  expect(VERIFICATION_WORDS.at(-1)).toBe('proven')
})

describe('a verification', () => {
  it('is none where nobody asked', () => expect(verificationOf(7, [])).toBeNull())

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
    expect(none && verificationText(none)).toMatch(/^0 of 1 registered mandate proven at the service; 1 un/)
    const all = verificationOf(2, [count('proven', 2)])
    expect(all && verificationText(all)).toMatch(/^2 of 2 .* UTC; 0 not asked\.$/)
    expect(all && contradictedIn(all)).toBe(0)
    const decided = verificationOf(3, [count('decided', 1), count('proven', 2)])
    expect(decided && verificationText(decided)).toMatch(/^2 of 3 .* UTC; 1 cancelled or changed/)
    expect(decided && [contradictedIn(decided), unprovenIn(decided)]).toEqual([0, 0])
  })
})

const source = (id: string | null, reference: string | null): KeptSource => ({
  ...{ id, reference, status: 'PENDING', accountMasked: 'DE…3000', signedDate: '2020-02-29' },
})

describe('what a person may cancel of a mandate that is there twice', () => {
  const owners = new Map(Object.entries({ 'NEW-1': 1, 'NEW-2': 2 }))
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
  ])('is %s', (_, sources, expected) => expect(of(sources)).toEqual(expected))

  it('is nothing while another row of the customer is open, whose mandate it could be', () => {
    expect(of([source('a', 'NEW-1'), source('b', 'X')], true)).toEqual([])
  })
})

const SENT = '2026-06-15T10:00:00.000Z'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const day = 24 * HOUR

const after = (ms: number): string => new Date(Date.parse(SENT) + ms).toISOString()

/** Answered a second after it was asked. */
const heard = (ms: number, verdict: VerdictKind = 'absent', isListed = true): Heard => ({
  askedAt: after(ms),
  answeredAt: after(ms + 1_000),
  verdict,
  isListed,
  present: 1,
})
const noList = (ms: number): Heard => heard(ms, 'unreadable', false)

const decided = (
  questions: readonly Heard[],
  present = 1,
  absentAfterMs = day,
  { wasEverShown = false, begunFor = 'this' }: Partial<AbsenceFacts> = {},
) =>
  absenceOf(
    { sentAt: SENT, shown: shownOf(questions.map((each) => ({ ...each, present }))), wasEverShown, begunFor },
    absentAfterMs,
  )

describe('a row in doubt that the service does not show', () => {
  it('is proposed to be sent again once all that is asked for is there', () => {
    expect(USUAL_ABSENT_AFTER_MS).toBe(day)
    const absence = decided([heard(MINUTE), heard(HOUR), heard(day)], 12)
    const [firstAskedAt, lastAskedAt] = [after(MINUTE), after(day)]
    const series = { firstAskedAt, lastAskedAt, questions: 3 }
    expect(absence).toEqual({ kind: 'resend', ...series, present: 12, begunFor: 'this' })
    expect(absenceText(absence)).toBe(
      'asked 3 times from 2026-06-15 10:01:00 UTC to 2026-06-16 10:00:00 UTC, each time no payment source of the customer; 12 registered rows were shown by the same read-back',
    )
  })

  it('is never proposed where a lost ledger began it for somebody else, and is told where nobody knows', () => {
    const another = decided([heard(0), heard(day)], 12, day, { begunFor: 'another' })
    expect(another).toMatchObject({ kind: 'begun_otherwise', questions: 2 })
    expect(absenceText(another)).toMatch(
      /, each time no payment source of the customer; it was begun for another customer or date than this row has, so ask the service about that one$/,
    )
    expect(decided([heard(MINUTE)], 12, day, { begunFor: 'another' }).kind).toBe('begun_otherwise')
    const unknown = decided([heard(0), heard(day)], 12, day, { begunFor: 'unknown' })
    expect(absenceText(unknown)).toMatch(/ of this export, and it may have been sent for another one; 12 /)
  })

  it.each<readonly [title: string, questions: readonly Heard[], kind: string, from: number | null]>([
    ['asked never', [], 'not_asked', null],
    ['asked in vain', [noList(day), noList(day + HOUR)], 'not_answered', null],
    ['asked just before the day is over', [heard(0), heard(day - 1)], 'too_early', day],
    ['asked just as the day is over', [heard(0), heard(day)], 'resend', null],
    ['asked once early', [heard(MINUTE)], 'too_early', day],
    ['asked once late', [heard(day)], 'too_early', day + 1_000 + HOUR],
    ['asked first near the end of the day', [heard(day - MINUTE)], 'too_early', day - MINUTE + 1_000 + HOUR],
    ['asked again within the hour', [heard(day), heard(day + HOUR + 999)], 'too_early', day + 1_000 + HOUR],
    ['asked again as the hour is over', [heard(day), heard(day + HOUR + 1_000)], 'resend', null],
    ['shown at last', [heard(0), heard(day), heard(day + HOUR, 'proven')], 'something', null],
    ['shown and once absent', [heard(0), heard(HOUR, 'proven'), heard(day)], 'too_early', day + 1_000 + HOUR],
    ['shown and absent twice', [heard(0), heard(HOUR, 'other'), heard(2 * HOUR), heard(day)], 'resend', null],
    ['without a list at times', [heard(0), noList(HOUR), heard(day), noList(day + HOUR)], 'resend', null],
    ['without a second list', [heard(day), noList(day + 2 * HOUR)], 'too_early', day + 1_000 + HOUR],
    ['asked by a clock set back', [heard(day + HOUR), heard(HOUR)], 'too_early', day + 2 * HOUR + 1_000],
  ])('and was %s', (_title, questions, kind, from) => {
    const absence = decided(questions)
    expect(absence).toMatchObject(from === null ? { kind } : { kind, from: after(from) })
    if (from !== null) expect(absenceText(absence)).toContain('; ask again from 2026-06-16 1')
  })

  it('counts a question only where the same read-back showed a registered row of its run', () => {
    const asked = (...present: number[]) => {
      const shown = shownOf(present.map((count, n) => ({ ...heard((n + 1) * day), present: count })))
      return absenceOf({ sentAt: SENT, shown, wasEverShown: false, begunFor: 'this' }, day)
    }
    const none = asked(0, 0)
    expect(none).toMatchObject({ kind: 'nothing_present', questions: 2 })
    expect(absenceText(none)).toMatch(/each time .*; the same read-backs showed no registered row,/)
    expect(asked(0, 1)).toMatchObject({ kind: 'too_early', questions: 1 })
    expect(asked(1, 0)).toMatchObject({ kind: 'too_early', questions: 1 })
    expect(asked(2, 0, 1)).toMatchObject({ kind: 'resend', questions: 2, present: 1 })
  })

  it('is never proposed once it was shown', () => {
    const absence = decided([heard(0), heard(day)], 1, day, { wasEverShown: true })
    expect(absence.kind).toBe('shown_before')
    expect(absenceText(absence)).toContain('an earlier question showed what could be it')
  })

  it.each([
    ['proven', null, true, true],
    ['twice', null, true, true],
    ['unreadable', 'lacks', true, true],
    ['unreadable', 'no list', false, false],
    ['other', 'ended', true, true],
    ['other', 'other_date', true, true],
    ['other', 'differs', true, false],
    ['absent', null, true, false],
  ] as const)('%s (%s, listed: %s): %s', (verdict, why, isListed, shows) =>
    expect(mayShow(verdict, why, isListed)).toBe(shows),
  )

  it('keeps the hour where the time of the configuration is shorter', () => {
    expect(decided([heard(0), heard(HOUR)], 1, 1_000).kind).toBe('too_early')
    expect(decided([heard(0), heard(HOUR + 1_000)], 1, 1_000).kind).toBe('resend')
  })
})

describe('the sentence', () => {
  const SHOWN = 'not absent: the service shows payment sources of the customer'
  it.each([
    [{ kind: 'not_asked' }, ''],
    [{ kind: 'not_answered' }, 'asked, and no list came; ask again'],
    [{ kind: 'something', verdict: 'proven' }, 'not absent: the service shows it'],
    [{ kind: 'something', verdict: 'twice' }, 'not absent: the service shows it more than once'],
    [{ kind: 'something', verdict: 'other' }, `${SHOWN}, none of which is certainly this mandate`],
    [{ kind: 'something', verdict: 'unreadable' }, `${SHOWN} that cannot be compared with it`],
  ] as const)('%# says what was shown', (absence, text) => expect(absenceText(absence)).toBe(text))

  it('names a second at which nothing is too early any more', () => {
    const questions = [{ ...heard(day), answeredAt: after(day + 1) }]
    expect(absenceText(decided(questions))).toMatch(/customer; ask again from 2026-06-16 11:00:01 UTC$/)
  })
})
