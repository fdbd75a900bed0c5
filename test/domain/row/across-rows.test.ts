import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  EDGES,
  ROW_STATES,
  decideCorrection,
  decideGroup,
  LIVE_STATES,
  REPLACEABLE_STATES,
  type CorrectionFacts,
  type GroupFacts,
  type LiveState,
} from '../../../src/domain/row/row-state.js'

const PROTECTED = ['sending', 'registered', 'in_doubt', 'written_off'] as const

/** Facts about newcomers given by their contents, in file order; `live` is the content of the older row. */
function factsOf(group: {
  contents?: readonly string[]
  live?: { state: LiveState; content: string }
  heldBack?: number
  unchanged?: number
  conflictHolds?: boolean
}): GroupFacts {
  const { contents = [], live } = group
  return {
    sendable: {
      count: contents.length,
      agree: new Set(contents).size < 2,
      likeLive: contents.filter((content) => content === live?.content).length,
      firstIsLikeLive: contents.length > 0 && contents[0] === live?.content,
    },
    heldBack: { count: group.heldBack ?? 0, unchanged: group.unchanged ?? 0 },
    live: live?.state ?? null,
    conflictHolds: group.conflictHolds ?? true,
  }
}

type Group = Parameters<typeof factsOf>[0]
const lowered = { conflictHolds: false }
const beside = (state: LiveState): Group => ({ live: { state, content: 'a' } })

/** What is decided: of rows that could be sent, of those held back, and whether the older row gives way. */
function decided(group: Group): string {
  const { sendable, heldBack, supersede } = decideGroup(factsOf(group))
  return `${sendable}, ${heldBack}${supersede ? ', supersede' : ''}`
}

describe('rows of one file that share a mandate', () => {
  it.each<[string, Group, string]>([
    ['the first of identical rows goes', { contents: ['a', 'a', 'a'] }, 'first_goes, keep, supersede'],
    ['none goes where they differ', { contents: ['a', 'a', 'b'] }, 'conflict, keep, supersede'],
    ['nor where another is held back', { contents: ['a'], heldBack: 1 }, 'conflict, keep, supersede'],
    ['lowered, the first goes', { contents: ['a', 'b'], ...lowered }, 'first_goes, keep, supersede'],
    ['so it does', { contents: ['a'], heldBack: 1, ...lowered }, 'first_goes, keep, supersede'],
    ['checks hold back', { heldBack: 2 }, 'first_goes, keep, supersede'],
    ['for the same values', { heldBack: 2, unchanged: 2 }, 'first_goes, duplicate'],
    ['for some new ones', { heldBack: 2, unchanged: 1 }, 'first_goes, keep, supersede'],
  ])('%s: %j', (_, group, expected) => {
    expect(decided(group)).toBe(expected)
  })
})

describe('rows whose mandate the ledger holds', () => {
  it.each(PROTECTED)('never replace a row that is %s', (state) => {
    expect(decided({ contents: ['a'], ...beside(state) })).toBe('against_live, duplicate')
    for (const contents of [['b'], ['a', 'b']])
      expect(decided({ contents, ...beside(state), ...lowered })).toBe('against_live, duplicate, supersede')
    expect(decided({ contents: ['a'], heldBack: 2, unchanged: 1, ...beside(state) })).toBe(
      'against_live, keep, supersede',
    )
  })

  it.each(['ready', 'refused'] as const)('replace one that is %s where they say something new', (state) => {
    expect(decided({ contents: ['a', 'a'], ...beside(state) })).toBe('duplicate, duplicate')
    expect(decided({ contents: ['b'], ...beside(state) })).toBe('first_goes, keep, supersede')
    expect(decided({ contents: ['a', 'b'], ...beside(state) })).toBe('conflict, keep, supersede')
    expect(decided({ heldBack: 1, ...beside(state) })).toBe('first_goes, keep, supersede')
    // Where the conflict rule was lowered, the first row alone counts.
    expect(decided({ contents: ['a'], heldBack: 1, ...beside(state), ...lowered })).toBe('duplicate, keep')
    expect(decided({ contents: ['a', 'b'], ...beside(state), ...lowered })).toBe('duplicate, duplicate')
    expect(decided({ contents: ['b', 'a'], ...beside(state), ...lowered })).toBe(
      'first_goes, keep, supersede',
    )
  })
})

it('of every group at most one row is sent, the old one included; what contradicts is not, and what says nothing new replaces nothing', () => {
  const contents = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })
  const row = fc.record({ state: fc.constantFrom(...LIVE_STATES), content: fc.constantFrom('a', 'b') })
  const live = fc.option(row, { nil: undefined })
  const group = fc
    .record({ contents, live, heldBack: fc.nat(3), unchangedShare: fc.nat(3), conflictHolds: fc.boolean() })
    .map(({ unchangedShare, live: older, ...rest }) => ({
      ...rest,
      ...(older === undefined ? {} : { live: older }),
      unchanged: Math.min(unchangedShare, rest.heldBack),
    }))
  fc.assert(
    fc.property(group, (input) => {
      const facts = factsOf(input)
      const plan = decideGroup(facts)
      const sendable = input.contents.map((content, index) => {
        if (plan.sendable === 'first_goes') return index === 0 ? 'ready' : 'duplicate'
        if (plan.sendable === 'against_live')
          return content === input.live?.content ? 'duplicate' : 'conflict'
        return plan.sendable
      })
      const going = sendable.filter((state) => state === 'ready').length
      const isLiveKept =
        facts.live !== null && (!plan.supersede || PROTECTED.some((state) => state === facts.live))
      expect(going + (isLiveKept ? 1 : 0)).toBeLessThanOrEqual(1)
      const contradicts = !facts.sendable.agree || facts.heldBack.count > 0
      if (contradicts && input.conflictHolds) expect(going).toBe(0)
      const keepsHeldBack = plan.heldBack !== 'duplicate' && facts.heldBack.count > 0
      const saysNew = keepsHeldBack || sendable.some((state) => state !== 'duplicate')
      // A conflict rule that was lowered may leave a held-back row beside an unchanged one: then nothing is replaced.
      if (plan.supersede) expect(saysNew).toBe(true)
      else if (input.conflictHolds) expect(saysNew).toBe(false)
    }),
    { seed: 260_615, numRuns: 300 },
  )
})

it('a newcomer replaces exactly the states that have an edge to superseded', () => {
  const replaceable = ROW_STATES.filter((state) => EDGES[state].superseded !== undefined)
  expect([...REPLACEABLE_STATES].sort()).toEqual([...replaceable].sort())
})

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
