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

describe('rows of one file that share a mandate', () => {
  it('lets the first of identical rows go', () => {
    expect(decideGroup(factsOf({ contents: ['a', 'a', 'a'] }))).toEqual({
      sendable: 'first_goes',
      heldBack: 'keep',
      supersede: true,
    })
  })

  it('lets none go where their data differ', () => {
    expect(decideGroup(factsOf({ contents: ['a', 'a', 'b'] })).sendable).toBe('conflict')
  })

  it('lets none go where another row of the mandate was held back', () => {
    const plan = decideGroup(factsOf({ contents: ['a'], heldBack: 1 }))
    expect(plan).toEqual({ sendable: 'conflict', heldBack: 'keep', supersede: true })
  })

  it('still lets only the first go where the conflict rule was lowered', () => {
    const lowered = { conflictHolds: false }
    expect(decideGroup(factsOf({ contents: ['a', 'b'], ...lowered })).sendable).toBe('first_goes')
    expect(decideGroup(factsOf({ contents: ['a'], heldBack: 1, ...lowered })).sendable).toBe('first_goes')
  })

  it('keeps the state of rows that were held back by their own checks', () => {
    expect(decideGroup(factsOf({ heldBack: 2 })).heldBack).toBe('keep')
  })
})

describe('rows whose mandate the ledger holds', () => {
  it.each(PROTECTED)('never replaces a row that is %s', (state) => {
    const same = decideGroup(factsOf({ contents: ['a'], live: { state, content: 'a' } }))
    const other = decideGroup(factsOf({ contents: ['b'], live: { state, content: 'a' } }))
    expect(same).toEqual({ sendable: 'against_live', heldBack: 'duplicate', supersede: false })
    expect(other).toEqual({ sendable: 'against_live', heldBack: 'duplicate', supersede: true })
  })

  it.each(PROTECTED)(
    'decides each row on its own where a row is %s, even with the conflict rule lowered',
    (state) => {
      const facts = factsOf({ contents: ['a', 'b'], live: { state, content: 'a' }, conflictHolds: false })
      expect(decideGroup(facts)).toMatchObject({ sendable: 'against_live', supersede: true })
    },
  )

  it.each(['ready', 'refused'] as const)('recognises an unchanged row where one is %s', (state) => {
    expect(decideGroup(factsOf({ contents: ['a', 'a'], live: { state, content: 'a' } }))).toEqual({
      sendable: 'duplicate',
      heldBack: 'duplicate',
      supersede: false,
    })
  })

  it.each(['ready', 'refused'] as const)('lets a changed row replace one that is %s', (state) => {
    expect(decideGroup(factsOf({ contents: ['b'], live: { state, content: 'a' } }))).toEqual({
      sendable: 'first_goes',
      heldBack: 'keep',
      supersede: true,
    })
  })

  it.each(['ready', 'refused'] as const)(
    'takes a row that is %s out when the newer file contradicts itself',
    (state) => {
      expect(decideGroup(factsOf({ contents: ['a', 'b'], live: { state, content: 'a' } }))).toEqual({
        sendable: 'conflict',
        heldBack: 'keep',
        supersede: true,
      })
    },
  )

  it('takes a ready row out when the newer file holds the mandate back', () => {
    const plan = decideGroup(factsOf({ heldBack: 1, live: { state: 'ready', content: 'a' } }))
    expect(plan).toMatchObject({ heldBack: 'keep', supersede: true })
  })

  it('recognises rows that are held back for the same values as before', () => {
    expect(decideGroup(factsOf({ heldBack: 2, unchanged: 2 }))).toMatchObject({
      heldBack: 'duplicate',
      supersede: false,
    })
    expect(decideGroup(factsOf({ heldBack: 2, unchanged: 1 }))).toMatchObject({
      heldBack: 'keep',
      supersede: true,
    })
  })

  it('keeps the state of rows that are held back for new values, whatever the ledger holds', () => {
    const live = { content: 'a', state: 'registered' } as const
    expect(decideGroup(factsOf({ contents: ['a'], live, heldBack: 2, unchanged: 1 }))).toEqual({
      sendable: 'against_live',
      heldBack: 'keep',
      supersede: true,
    })
    const ready = { ...live, state: 'ready' } as const
    const lowered = factsOf({ contents: ['a'], live: ready, heldBack: 1, conflictHolds: false })
    expect(decideGroup(lowered)).toEqual({ sendable: 'duplicate', heldBack: 'keep', supersede: false })
    expect(decideGroup(factsOf({ heldBack: 1 })).sendable).toBe('first_goes')
  })

  it('looks at the first row alone where the conflict rule was lowered', () => {
    const live = { state: 'ready', content: 'a' } as const
    const first = decideGroup(factsOf({ contents: ['a', 'b'], live, conflictHolds: false }))
    const second = decideGroup(factsOf({ contents: ['b', 'a'], live, conflictHolds: false }))
    expect(first).toMatchObject({ sendable: 'duplicate', supersede: false })
    expect(second).toMatchObject({ sendable: 'first_goes', supersede: true })
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

  it('is a conflict where the ledger has no such row', () => {
    expect(decideCorrection({ named: null, isContested: false })).toEqual({
      kind: 'conflict',
      because: 'unknown',
    })
  })

  it('is a conflict where the two have nothing in common', () => {
    expect(decideOn({ isRelated: false })).toEqual({ kind: 'conflict', because: 'unrelated' })
    expect(decideOn({ isRelated: false, isSameMandate: true })).toMatchObject({ because: 'unrelated' })
  })

  it('is a conflict where another row corrects the same one into another mandate', () => {
    expect(decideOn({}, true)).toEqual({ kind: 'conflict', because: 'contested' })
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

  it.each(PROTECTED)('is a conflict where a row of another mandate is %s', (state) => {
    expect(decideOn({ state })).toEqual({ kind: 'conflict', because: 'protected' })
  })
})
