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

describe('every group', () => {
  const contents = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 })
  const live = fc.option(
    fc.record({ state: fc.constantFrom(...LIVE_STATES), content: fc.constantFrom('a', 'b') }),
    {
      nil: undefined,
    },
  )
  const group = fc
    .record({ contents, live, heldBack: fc.nat(3), unchangedShare: fc.nat(3), conflictHolds: fc.boolean() })
    .map(({ unchangedShare, live: row, ...rest }) => ({
      ...rest,
      ...(row === undefined ? {} : { live: row }),
      unchanged: Math.min(unchangedShare, rest.heldBack),
    }))

  /** The states that the plan gives: those of the sendable newcomers in file order, then those held back. */
  function statesOf(facts: GroupFacts, input: { contents: readonly string[]; live?: { content: string } }) {
    const plan = decideGroup(facts)
    const sendable = input.contents.map((content, index) => {
      if (plan.sendable === 'first_goes') return index === 0 ? 'ready' : 'duplicate'
      if (plan.sendable === 'against_live') return content === input.live?.content ? 'duplicate' : 'conflict'
      return plan.sendable
    })
    const heldBack = Array.from({ length: facts.heldBack.count }, () =>
      plan.heldBack === 'duplicate' ? 'duplicate' : 'invalid',
    )
    return { plan, sendable, heldBack }
  }

  it('sends at most one row of a mandate, the old one included', () => {
    fc.assert(
      fc.property(group, (input) => {
        const facts = factsOf(input)
        const { plan, sendable } = statesOf(facts, input)
        const isLiveKept =
          facts.live !== null && (!plan.supersede || PROTECTED.some((state) => state === facts.live))
        const going = sendable.filter((state) => state === 'ready').length + (isLiveKept ? 1 : 0)
        expect(going).toBeLessThanOrEqual(1)
      }),
      { seed: 260_615 },
    )
  })

  it('replaces older rows only when a newcomer says something new', () => {
    fc.assert(
      fc.property(group, (input) => {
        const { plan, sendable, heldBack } = statesOf(factsOf(input), input)
        const saysNew = [...sendable, ...heldBack].some((state) => state !== 'duplicate')
        // A conflict rule that was lowered may leave a held-back row beside an unchanged one: then nothing is replaced.
        if (plan.supersede) expect(saysNew).toBe(true)
        else if (input.conflictHolds) expect(saysNew).toBe(false)
      }),
      { seed: 260_615 },
    )
  })

  it('never sends what contradicts another row of the same file', () => {
    fc.assert(
      fc.property(group, (input) => {
        const facts = factsOf({ ...input, conflictHolds: true })
        const { sendable } = statesOf(facts, input)
        const contradicts = !facts.sendable.agree || facts.heldBack.count > 0
        if (contradicts) expect(sendable).not.toContain('ready')
      }),
      { seed: 260_615 },
    )
  })
})

describe('the three relations of an older row', () => {
  it('replaces exactly the states that have an edge to superseded', () => {
    const replaceable = ROW_STATES.filter((state) => EDGES[state].superseded !== undefined)
    expect([...REPLACEABLE_STATES].sort()).toEqual([...replaceable].sort())
  })
})

describe('a row that names the row it corrects', () => {
  const named = { state: 'invalid', isSameMandate: false, isRelated: true, isUnchanged: false } as const
  const decideOn = (changes: Partial<NonNullable<CorrectionFacts['named']>>, isContested = false) =>
    decideCorrection({
      named: { ...named, hasRivals: (changes.state ?? named.state) === 'conflict', ...changes },
      isContested,
    })

  it.each([
    ['unknown', { named: null, isContested: false }],
    ['unrelated', { named: { ...named, hasRivals: false, isRelated: false }, isContested: false }],
    [
      'unrelated',
      { named: { ...named, hasRivals: false, isRelated: false, isSameMandate: true }, isContested: false },
    ],
    // Another row corrects the same one into another mandate.
    ['contested', { named: { ...named, hasRivals: false }, isContested: true }],
    ...PROTECTED.map(
      (state) => ['protected', { named: { ...named, state, hasRivals: false }, isContested: false }] as const,
    ),
  ] as const)('is a conflict: %s', (because, facts) => {
    expect(decideCorrection(facts)).toEqual({ kind: 'conflict', because })
  })

  it.each(ROW_STATES)('changes nothing where nothing was corrected (%s)', (state) => {
    const kind = state === 'conflict' ? 'with_its_rivals' : 'unchanged'
    expect(decideOn({ isUnchanged: true, state })).toEqual({ kind })
    expect(decideOn({ isUnchanged: true, isSameMandate: true, isRelated: false, state }, true)).toEqual({
      kind,
    })
  })

  it.each(ROW_STATES)('follows the rules for groups where both are of one mandate (%s)', (state) => {
    expect(decideOn({ state, isSameMandate: true })).toEqual({ kind: 'by_mandate' })
  })

  it.each(REPLACEABLE_STATES)('replaces a row of another mandate that is %s', (state) => {
    expect(decideOn({ state })).toEqual({ kind: 'supersede' })
  })
})
