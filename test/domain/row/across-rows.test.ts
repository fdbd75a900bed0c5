import { describe, expect, it } from 'vitest'
import {
  EDGES,
  ROW_STATES,
  decideCorrection,
  REPLACEABLE_STATES,
  type CorrectionFacts,
} from '../../../src/domain/row/row-state.js'

it('a newcomer replaces exactly the states that have an edge to superseded', () => {
  const replaceable = ROW_STATES.filter((state) => EDGES[state].superseded !== undefined)
  expect([...REPLACEABLE_STATES].sort()).toEqual([...replaceable].sort())
})

const PROTECTED = ['sending', 'registered', 'in_doubt', 'written_off'] as const

describe('a row that names the row it corrects', () => {
  const named = {
    state: 'invalid',
    isSameMandate: false,
    isRelated: true,
    isUnchanged: false,
    isOutdated: false,
  } as const
  const decideOn = (changes: Partial<NonNullable<CorrectionFacts['named']>>, isContested = false) =>
    decideCorrection({
      named: { ...named, hasRivals: (changes.state ?? named.state) === 'conflict', ...changes },
      isContested,
    })

  const related = { ...named, hasRivals: false }
  it.each<[string, CorrectionFacts]>([
    ['unknown', { named: null, isContested: false }],
    ['unrelated', { named: { ...related, isRelated: false }, isContested: false }],
    ['unrelated', { named: { ...related, isRelated: false, isSameMandate: true }, isContested: false }],
    // Another row corrects the same one into another mandate.
    ['contested', { named: related, isContested: true }],
    ['outdated', { named: { ...related, isOutdated: true, isSameMandate: true }, isContested: false }],
    ...PROTECTED.map((state): [string, CorrectionFacts] => [
      'protected',
      { named: { ...related, state }, isContested: false },
    ]),
  ])('is a conflict: %s', (because, facts) => {
    expect(decideCorrection(facts)).toEqual({ kind: 'conflict', because })
  })

  it.each(ROW_STATES)('changes nothing where nothing was corrected (%s)', (state) => {
    const kind = state === 'conflict' ? 'with_its_rivals' : 'unchanged'
    expect(decideOn({ isUnchanged: true, state })).toEqual({ kind })
    const same = { isUnchanged: true, isSameMandate: true, isRelated: false, state }
    expect(decideOn(same, true)).toEqual({ kind })
  })

  it.each(ROW_STATES)('follows the rules for groups where both are of one mandate (%s)', (state) => {
    expect(decideOn({ state, isSameMandate: true })).toEqual({ kind: 'by_mandate' })
  })

  it.each(REPLACEABLE_STATES)('replaces a row of another mandate that is %s', (state) => {
    expect(decideOn({ state })).toEqual({ kind: 'supersede' })
  })
})
