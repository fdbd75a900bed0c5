import { describe, expect, it } from 'vitest'
import {
  beforeSending,
  evidenceOf,
  heldBackBecause,
  type ListedSource,
  type SourceVerdict,
} from '../../../src/domain/proof/match-sources.js'
import { isHeldBack } from '../../../src/domain/row/row-state.js'
import { inDoubt, notSent, registered, turnedAway } from '../../run/outcome-samples.js'

const IBAN = 'DE89370400440532013000'

const source = (values: Partial<ListedSource> = {}): ListedSource => ({
  id: 'ps-97e0mey93abcd0fghij',
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  reference: 'NEW-1',
  iban: IBAN,
  signedAt: '2020-01-31T00:00:00',
  ...values,
})

const judged = (
  verdict: SourceVerdict['verdict'],
  sources: readonly ListedSource[],
  why: string | null = null,
): SourceVerdict => ({ verdict, why, sources })

const KEPT = {
  id: 'ps-97e0mey93abcd0fghij',
  status: 'PENDING',
  reference: 'NEW-1',
  accountMasked: 'DE…3000',
  signedDate: '2020-01-31',
}

describe('evidence', () => {
  it.each([
    [judged('proven', [source()]), null, [KEPT]],
    [judged('twice', [source()]), null, [KEPT]],
    [judged('absent', []), null, []],
    [
      judged('other', [source({ status: 'CANCELLED' })], 'ended'),
      ...(['ended', [{ ...KEPT, status: 'CANCELLED' }]] as const),
    ],
    [
      judged('unreadable', [], `The service answered 500 (${IBAN})`),
      ...(['The service answered 500 (DE…3000)', []] as const),
    ],
  ] as const)('of %j is kept without an account number', (verdict, why, sources) => {
    expect(evidenceOf(verdict)).toEqual({ verdict: verdict.verdict, why, sources })
  })

  it('keeps an id whole that merely looks like an account, and masks the account itself wherever it stands', () => {
    const quoting = source({ reference: `REF-${IBAN}`, status: `seen with ${IBAN}` })
    const { sources } = evidenceOf(judged('proven', [quoting]))
    expect(sources).toEqual([{ ...KEPT, reference: 'REF-DE…3000', status: 'seen with DE…3000' }])
    expect(JSON.stringify(sources)).not.toContain(IBAN)
  })

  it('masks an account that another part quotes where the list shows a masked one', () => {
    const { sources } = evidenceOf(judged('twice', [source({ iban: 'DE…3000', id: IBAN })]))
    expect(JSON.stringify(sources)).not.toContain(IBAN)
  })

  it('keeps ten sources at most, and cuts what is no identifier', () => {
    const reference = 'X'.repeat(5_000)
    const sources = Array.from({ length: 11 }, (_, at) => source({ id: `${at}`, reference }))
    const kept = evidenceOf(judged('twice', sources))
    expect(kept.sources.map(({ id }) => id)).toEqual(Array.from('0123456789'))
    expect(kept.sources[0]?.reference).toHaveLength(140)
  })
})

const ONE = source({ id: 'ps-1' })
const other = (why: string): SourceVerdict => judged('other', [ONE], why)
const proven = judged('proven', [ONE])
const twice = judged('twice', [ONE, { ...ONE, id: 'ps-2', reference: null }])

describe('a row that the service was asked about before it is sent', () => {
  it.each<[string, SourceVerdict, string]>([
    ['nothing is there', judged('absent', []), 'send'],
    ['others are there, and none is it', other('differs'), 'send'],
    ['it is there', proven, 'hold_back'],
    ['it is there twice', twice, 'hold_back'],
    ['it was there and is cancelled', other('ended'), 'hold_back'],
    ['its account is there with another date', other('other_date'), 'hold_back'],
    ['it or its twin is there', other('ambiguous'), 'hold_back'],
    ['nobody can tell', judged('unreadable', [], 'cut'), 'ask_again'],
  ])('%s', (_, verdict, then) => {
    expect(beforeSending(verdict)).toBe(then)
  })

  it('is held back with what the service shows, and no account number', () => {
    const verdicts = [proven, twice]
    for (const why of ['ended', 'other_date', 'ambiguous'] as const) verdicts.push(other(why))
    const texts = verdicts.map((verdict) => heldBackBecause(evidenceOf(verdict)))
    const shown = ', so it was not sent: payment source ps-1, reference NEW-1, PENDING'
    expect(texts).toEqual([
      `The service already holds this mandate${shown}`,
      `The service already holds this mandate more than once${shown}; payment source ps-2, PENDING`,
      `The service holds this mandate as one that was cancelled${shown}`,
      `The service holds a mandate with this account and another date${shown}`,
      `The service holds a mandate that is this one or that of another row with the same account and date${shown}`,
    ])
    expect(texts.join()).not.toContain('0532013000')
  })

  it('is told from a doubt whose request left', () => {
    expect(isHeldBack(inDoubt({ started: false }))).toBe(true)
    for (const outcome of [inDoubt(), notSent(), turnedAway({ started: false }), registered()])
      expect(isHeldBack(outcome)).toBe(false)
  })
})
