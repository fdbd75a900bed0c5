import { describe, expect, it } from 'vitest'
import { findingsOf, openIn, type Findings } from '../../src/probe/findings.js'
import type { Observations, Shown } from '../../src/probe/observations.js'
import type { NotRead } from '../../src/service/read-back/classify-sources.js'
import { observed, pairOf, postedAs } from './outcomes.js'

const found = (more: Partial<Observations> = {}): Findings => findingsOf(observed(more))

const notRead = (cause: NotRead['cause'], status: number | null): NotRead => ({
  kind: 'not_read',
  cause,
  reason: 'No',
  canRepeat: false,
  halt: null,
  limits: {},
  started: true,
  retryAfterMs: null,
  status,
  errorCode: null,
  durationMs: 1,
})

describe('a duplicate', () => {
  it.each([
    [{ status: 200, reference: 'NEW-2' }, 2, 'second_mandate', 'two'],
    [{ status: 200, reference: 'NEW-1' }, 1, 'same_reference', 'one'],
    [{ status: 200, reference: 'new-1' }, 1, 'same_reference', 'one'],
    [{ status: 400, code: 'INVALID_OBJECT_STATE' }, 1, 'exists', 'one'],
    [{ status: 409 }, 2, 'conflict', 'two'],
    [{ status: 422 }, 0, 'refused', 'none'],
    [{ status: 409 }, 3, 'conflict', 'more'],
    [{ status: 409 }, null, 'conflict', 'not_known'],
    [{ status: 500 }, null, 'not_known', 'not_known'],
    [null, null, 'not_known', 'not_known'],
  ] as const)('answered %j with %j listed is %s, %s', (duplicate, held, finding, heldWord) => {
    expect(found({ pairs: [pairOf({ duplicate, held })] }).duplicate).toMatchObject({
      finding,
      held: heldWord,
    })
  })

  it('that was answered in several ways varies; what was not answered counts for neither', () => {
    const pairs = [pairOf(), pairOf({ duplicate: null, held: null }), pairOf()]
    expect(found({ pairs }).duplicate).toMatchObject({ finding: 'conflict', held: 'one', answered: 2 })
    const mixed = found({ pairs: [...pairs, pairOf({ duplicate: { status: 422 }, held: 2 })] })
    expect(mixed.duplicate).toMatchObject({ finding: 'varies', held: 'varies', answered: 3 })
    const sameWord = [pairOf({ duplicate: { status: 422 } }), pairOf({ duplicate: { status: 400 } })]
    expect(found({ pairs: sameWord }).duplicate.finding).toBe('varies')
  })

  it('that was not sent was not asked', () => {
    const pairs = [{ ...pairOf({ first: { status: 404 }, listed: null }), duplicate: null }]
    expect(found({ pairs }).duplicate).toMatchObject({
      finding: 'not_asked',
      held: 'not_asked',
      status: null,
    })
  })
})

const REFUSED = { status: 400, code: 'INVALID_PARAMETER' } as const

describe('a wrong account', () => {
  const asked = (
    given: Parameters<typeof postedAs>[1],
    control: Parameters<typeof postedAs>[1] | undefined,
  ) =>
    found({
      wrongAccount: postedAs('wrong_account', given),
      controls: control === undefined ? [] : [postedAs('second_mandate', control)],
    }).wrongAccount.finding

  it.each([
    ['registered', { status: 200, reference: 'NEW-3' }, undefined, 'registered'],
    ['refused, a good one registered', REFUSED, { status: 200, reference: 'NEW-2' }, 'refused'],
    ['refused, a good one otherwise', REFUSED, { status: 400, code: 'INVALID_OBJECT_STATE' }, 'refused'],
    ['refused with another field', { ...REFUSED, field: 'iban' }, REFUSED, 'refused'],
    ['refused like a good one', REFUSED, REFUSED, 'not_known'],
    ['refused, no good one', REFUSED, undefined, 'not_known'],
    ['refused, a good one lost', REFUSED, null, 'not_known'],
    ['lost', null, { status: 200, reference: 'NEW-2' }, 'not_known'],
  ] as const)('%s', (_what, given, control, finding) => {
    expect(asked(given, control)).toBe(finding)
  })

  it('asked again after a lost answer counts where a second mandate is answered otherwise', () => {
    const lost = postedAs('wrong_account', null)
    const wrongAccount = postedAs('wrong_account', { status: 400, code: 'INVALID_OBJECT_STATE' })
    const controls = [postedAs('first', { status: 200, reference: 'NEW-1' })]
    const again = (second: Parameters<typeof postedAs>[1] | undefined) =>
      found({
        wrongAccount,
        controls,
        posted: [lost, wrongAccount],
        secondMandate: second === undefined ? null : postedAs('second_mandate', second),
      }).wrongAccount.finding
    expect(again({ status: 200, reference: 'NEW-2' })).toBe('exists')
    expect(again({ status: 400, code: 'INVALID_OBJECT_STATE' })).toBe('not_known')
    expect(again(undefined)).toBe('not_known')
  })
})

describe('an unknown customer', () => {
  it('refused like every known one is not known', () => {
    const unknownCustomer = postedAs('unknown_customer', { status: 404 })
    const refusedToo = [{ ...pairOf({ first: { status: 404 }, listed: null }), duplicate: null }]
    expect(found({ unknownCustomer, pairs: refusedToo }).unknownCustomer.finding).toBe('not_known')
    expect(found({ unknownCustomer }).unknownCustomer).toMatchObject({ finding: 'refused', status: 404 })
    expect(found({ unknownCustomer: null }).unknownCustomer.finding).toBe('not_asked')
  })
})

describe('what is listed', () => {
  it.each([
    [{}, 'same', 'same', 'same', 'proven'],
    [{ signedAt: '2025-06-30T22:00:00Z' }, 'differs', 'same', 'same', 'other'],
    [{ signedAt: null }, 'missing', 'same', 'same', 'unreadable'],
    [{ signedAt: '01.07.2025' }, 'missing', 'same', 'same', 'unreadable'],
    [{ iban: null }, 'same', 'missing', 'same', 'unreadable'],
    [{ iban: 'DE**0001' }, 'same', 'masked', 'same', 'unreadable'],
    [{ iban: 'DE89370400440532013000' }, 'same', 'differs', 'same', 'other'],
    [{ reference: 'new-1' }, 'same', 'same', 'other_case', 'proven'],
    [{ reference: null }, 'same', 'same', 'missing', 'unreadable'],
    [{ reference: 'OLD-1' }, 'same', 'same', 'differs', 'other'],
    [{ status: 'CANCELLED' }, 'same', 'same', 'same', 'other'],
    [{ scheme: 'SEPA_B2B' }, 'same', 'same', 'same', 'other'],
  ])('as %j', (listed, date, account, reference, verdict) => {
    const { readBack } = found({ pairs: [pairOf({ listed })] })
    expect(readBack).toMatchObject({ finding: 'available', date, account, reference, verdict })
  })

  it('in several ways is not known, and all words are named once', () => {
    const pairs = [pairOf(), pairOf({ listed: { status: 'ACTIVE', signedAt: null } }), pairOf()]
    expect(found({ pairs }).readBack).toMatchObject({ date: 'not_known', statusWords: ['ACTIVE', 'PENDING'] })
  })
})

describe('reading back', () => {
  const without = (shown: Shown, lists = false): Partial<Observations> => {
    const missing = notRead('missing', 404)
    const listed = { kind: 'listed', sources: [], limits: {}, status: 204, durationMs: 1 } as const
    return {
      pairs: [{ ...pairOf({ held: null }), shown }],
      before: new Map([
        [1, lists ? listed : missing],
        [9, missing],
      ]),
      after: new Map(),
      burst: null,
    }
  }

  it.each([
    ['404', notRead('missing', 404), false, 'missing'],
    ['403', notRead('refused', 403), false, 'refused'],
    ['500', notRead('not_now', 500), false, 'not_known'],
    ['nothing', notRead('no_answer', null), false, 'not_known'],
    ['no list', notRead('unreadable', 200), false, 'not_known'],
    ['404 where there was a list before', notRead('missing', 404), true, 'not_known'],
  ] as const)('answered %s', (_what, seen, lists, finding) => {
    const { readBack } = found(without({ kind: 'not_read', seen }, lists))
    expect(readBack).toMatchObject({ finding, status: seen.status, date: 'not_asked' })
    expect(readBack.unknownCustomer).toBe(lists ? 'missing' : 'not_asked')
  })

  it('without any mandate that was registered is not asked, even where a list came', () => {
    const pairs = [{ ...pairOf({ first: { status: 404 }, listed: null }), duplicate: null }]
    expect(found({ pairs }).readBack.finding).toBe('not_asked')
  })
})

describe('the delay', () => {
  const after = (...times: { notYetMs: number | null; askedMs: number; shownMs: number }[]) =>
    found({ pairs: times.map((each) => pairOf({ times: each })) }).delay

  it.each([
    ['at the first look', [{ notYetMs: null, askedMs: 3, shownMs: 40 }], 'at_once'],
    ['at a first look that took long', [{ notYetMs: null, askedMs: 3, shownMs: 4_000 }], 'at_once'],
    ['at a first look that came late', [{ notYetMs: null, askedMs: 7_000, shownMs: 7_040 }], 'not_known'],
    ['later', [{ notYetMs: 500, askedMs: 1_000, shownMs: 1_040 }], 'delayed'],
    [
      'once at once, once later',
      [
        { notYetMs: null, askedMs: 3, shownMs: 40 },
        { notYetMs: 500, askedMs: 1_000, shownMs: 1_040 },
      ],
      'delayed',
    ],
  ])('%s', (_what, times, finding) => {
    expect(after(...times)).toMatchObject({
      finding,
      notYetMs: times.at(-1)?.notYetMs,
      shownMs: times.at(-1)?.shownMs,
    })
  })

  it('of one that never showed is the time that was waited', () => {
    const pairs = [
      pairOf(),
      { ...pairOf({ held: null }), shown: { kind: 'not_within', waitedMs: 60_000 } as const },
    ]
    expect(found({ pairs }).delay).toEqual({ finding: 'not_within', notYetMs: 60_000, shownMs: 20 })
  })
})

describe('open questions', () => {
  it('are none of a service that answers everything', () => {
    expect(openIn(found())).toEqual([])
  })

  it('are not those that a service without reading back cannot have', () => {
    const seen = notRead('missing', 404)
    const pairs = [{ ...pairOf({ held: null }), shown: { kind: 'not_read', seen } as const }]
    const nothing = { before: new Map(), after: new Map(), burst: null, pairs }
    expect(openIn(found(nothing))).toEqual([])
  })

  it('are named', () => {
    const nothing = {
      pairs: [],
      secondMandate: null,
      unknownCustomer: null,
      wrongAccount: null,
      controls: [],
      burst: null,
      posted: [],
    }
    expect(openIn(found(nothing))).toEqual([
      'duplicate',
      'secondMandate',
      'unknownCustomer',
      'wrongAccount',
      'readBack',
      'delay',
      'limits',
    ])
  })
})

it('limits are met by a mandate too', () => {
  expect(found().limits).toMatchObject({ finding: 'not_met', reads: 50 })
  expect(found({ throttledPosts: 1, burst: null }).limits).toMatchObject({
    finding: 'met',
    throttledAt: null,
  })
})
