import { describe, expect, test, it } from 'vitest'
import {
  EDGES,
  ROW_STATES,
  transition,
  type RowEvent,
  type RowState,
  isBalanced,
  totalsOf,
  forcedText,
  isForced,
  isHeldBack,
  NOTHING_LEFT,
  STATE_MEANS,
  stateName,
  decideCorrection,
  REPLACEABLE_STATES,
  type CorrectionFacts,
} from '../../../src/domain/row/row-state.js'
import fc from 'fast-check'
import { readFileSync } from 'node:fs'

// Typed edge by edge.
const ALLOWED: readonly (readonly [RowState, RowEvent, RowState])[] = [
  ['ready', 'intent', 'sending'],
  ['ready', 'held', 'conflict'],
  ['sending', 'registered', 'registered'],
  ['sending', 'refused', 'refused'],
  ['sending', 'in_doubt', 'in_doubt'],
  ['sending', 'turned_away', 'ready'],
  ['sending', 'not_sent', 'ready'],
  ['in_doubt', 'resolved_registered', 'registered'],
  ['in_doubt', 'resolved_refused', 'refused'],
  ['in_doubt', 'resolved_resend', 'ready'],
  ['in_doubt', 'resolved_written_off', 'written_off'],
  ['written_off', 'shown', 'registered'],
  ['refused', 'retry_refused', 'ready'],
  ...(['ready', 'refused', 'invalid', 'conflict', 'excluded'] as const).flatMap((state) => [
    [state, 'resolved_written_off', 'written_off'] as const,
    [state, 'superseded', 'superseded'] as const,
  ]),
  ['duplicate', 'superseded', 'superseded'],
]
const EVENTS = [...new Set(ALLOWED.map(([, event]) => event))]

describe('the life of a row', () => {
  test.each(ALLOWED)('%s by %s becomes %s', (state, by, next) => expect(transition(state, by)).toBe(next))

  test('no other edge exists', () => {
    for (const state of ROW_STATES)
      for (const event of EVENTS) {
        if (ALLOWED.some(([from, by]) => from === state && by === event)) continue
        expect(() => transition(state, event), `${state} by ${event}`).toThrow(
          `No edge leaves the state "${state}`,
        )
      }
  })
})

const counts = fc.tuple(...ROW_STATES.map(() => fc.nat({ max: 1_000_000 })))
const byState = (all: readonly number[]) => new Map(ROW_STATES.map((state, i) => [state, all[i] ?? 0]))
const sum = (all: readonly number[]) => all.reduce((total, count) => total + count, 0)

test('totals balance exactly when every record read is in one state', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: -3, max: 3 }), (all, lost) => {
      expect(isBalanced(totalsOf(sum(all) + lost, byState(all)))).toBe(lost === 0)
    }),
  )
})

it.each([
  [-5, 'forced, 0 minutes after the attempt'],
  [119_999, 'forced, 1 minute after the attempt'],
  [120_000, 'forced, 2 minutes after the attempt'],
  [720_000, 'forced, 12 minutes after the attempt'],
])('a resend %i ms after its attempt is told as forced', (ms, text) => {
  expect(forcedText(ms)).toBe(text)
  expect(isForced(`${text}; filled-in.csv`)).toBe(true)
})

it('no other evidence is taken for that of a forced one', () => {
  for (const evidence of [null, 'forced, by phone', 'list.csv: forced, 3 minutes after the attempt'])
    expect(isForced(evidence)).toBe(false)
})

it('a row is held back where it is in doubt and nothing of its request left', () => {
  const started = { ...NOTHING_LEFT, started: true }
  expect(isHeldBack({ kind: 'in_doubt', evidence: NOTHING_LEFT })).toBe(true)
  expect(isHeldBack({ kind: 'in_doubt', evidence: started })).toBe(false)
  expect(isHeldBack({ kind: 'not_sent', evidence: NOTHING_LEFT })).toBe(false)
})

it('each state is told in words, and in the README; none that may be at the service as unregistered', () => {
  expect(new Set(Object.values(STATE_MEANS).filter((text) => text.length > 8)).size).toBe(ROW_STATES.length)
  for (const state of ['in_doubt', 'sending'] as const)
    expect(STATE_MEANS[state]).not.toMatch(/nothing was registered|not registered/i)
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')
  const section = /## Row states\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? ''
  const named = [...section.matchAll(/^\| \**([a-z ]+?)\** +\|/gm)].map(([, name]) => name)
  expect(named.slice(1).sort()).toEqual(ROW_STATES.map(stateName).sort())
})

it('a newcomer replaces exactly the states that have an edge to superseded', () => {
  const replaceable = ROW_STATES.filter((state) => EDGES[state].superseded !== undefined)
  expect([...REPLACEABLE_STATES].sort()).toEqual([...replaceable].sort())
})

const PROTECTED = ['sending', 'registered', 'in_doubt', 'written_off'] as const

describe('a row that names the row it corrects', () => {
  const NOT = { isSameMandate: false, isUnchanged: false, isOutdated: false }
  const named = { state: 'invalid', isRelated: true, ...NOT } as const
  const decideOn = (changes: Partial<NonNullable<CorrectionFacts['named']>>, isContested = false) => {
    const hasRivals = (changes.state ?? named.state) === 'conflict'
    return decideCorrection({ named: { ...named, hasRivals, ...changes }, isContested })
  }

  const related = { ...named, hasRivals: false }
  it.each<[string, CorrectionFacts['named'], boolean?]>([
    ['unknown', null],
    ['unrelated', { ...related, isRelated: false }],
    ['unrelated', { ...related, isRelated: false, isSameMandate: true }],
    // Another row corrects the same one into another mandate.
    ['contested', related, true],
    ['outdated', { ...related, isOutdated: true, isSameMandate: true }],
    ...PROTECTED.map((state) => ['protected', { ...related, state }] as [string, CorrectionFacts['named']]),
  ])('is a conflict: %s', (because, named, isContested = false) =>
    expect(decideCorrection({ named, isContested })).toEqual({ kind: 'conflict', because }),
  )

  it.each(ROW_STATES)('changes nothing where nothing was corrected (%s)', (state) => {
    const kind = state === 'conflict' ? 'with_its_rivals' : 'unchanged'
    expect(decideOn({ isUnchanged: true, state })).toEqual({ kind })
    const same = { isUnchanged: true, isSameMandate: true, isRelated: false, state }
    expect(decideOn(same, true)).toEqual({ kind })
  })

  it.each(ROW_STATES)('follows the rules for groups where both are of one mandate (%s)', (state) =>
    expect(decideOn({ state, isSameMandate: true })).toEqual({ kind: 'by_mandate' }),
  )

  it.each(REPLACEABLE_STATES)('replaces a row of another mandate that is %s', (state) =>
    expect(decideOn({ state })).toEqual({ kind: 'supersede' }),
  )
})
