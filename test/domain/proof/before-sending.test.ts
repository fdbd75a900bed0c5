import { describe, expect, it } from 'vitest'
import { evidenceOf, beforeSending, heldBackBecause } from '../../../src/domain/proof/evidence.js'
import type { ListedSource, SourceVerdict } from '../../../src/domain/proof/match-sources.js'
import { inDoubt, notSent, registered, turnedAway } from '../../run/outcome-samples.js'
import { isHeldBack } from '../../../src/domain/row/row-state.js'

const source: ListedSource = {
  id: 'ps-1',
  status: 'PENDING',
  scheme: 'SEPA_DIRECT_DEBIT',
  reference: 'NEW-1',
  iban: 'DE89370400440532013000',
  signedAt: '2024-03-01T00:00:00',
}
const other = (why: Extract<SourceVerdict, { kind: 'other' }>['why']): SourceVerdict => ({
  kind: 'other',
  why,
  sources: [source],
})
const twice: SourceVerdict = { kind: 'twice', sources: [source, { ...source, id: 'ps-2', reference: null }] }

describe('a row that the service was asked about before it is sent', () => {
  it.each<[string, SourceVerdict, string]>([
    ['nothing is there', { kind: 'absent' }, 'send'],
    ['others are there, and none is it', other('differs'), 'send'],
    ['it is there', { kind: 'proven', source }, 'hold_back'],
    ['it is there twice', twice, 'hold_back'],
    ['it was there and is cancelled', other('ended'), 'hold_back'],
    ['26.1 its account is there with another date', other('other_date'), 'hold_back'],
    ['it or its twin is there', other('ambiguous'), 'hold_back'],
    ['nobody can tell', { kind: 'unreadable', reason: 'cut' }, 'ask_again'],
  ])('%s', (_, verdict, then) => {
    expect(beforeSending(verdict)).toBe(then)
  })

  it('is held back with what the service shows, and no account number', () => {
    const verdicts: SourceVerdict[] = [{ kind: 'proven', source }, twice]
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
