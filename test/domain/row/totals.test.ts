import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ROW_STATES, isBalanced, totalsOf } from '../../../src/domain/row/row-state.js'
const counts = fc.tuple(...ROW_STATES.map(() => fc.nat({ max: 1_000_000 })))
const byState = (all: readonly number[]) => new Map(ROW_STATES.map((state, i) => [state, all[i] ?? 0]))
const sum = (all: readonly number[]) => all.reduce((total, count) => total + count, 0)

test('the names are those of the JSON document', () => {
  const totals = totalsOf(1, new Map([['in_doubt', 1]]))
  expect(totals).toEqual({
    read: 1,
    resubmitted: 0,
    invalid: 0,
    duplicate: 0,
    conflict: 0,
    excluded: 0,
    superseded: 0,
    ready: 0,
    sending: 0,
    registered: 0,
    refused: 0,
    inDoubt: 1,
    writtenOff: 0,
  })
})

test('totals balance exactly when every record read is in one state', () => {
  fc.assert(
    fc.property(counts, fc.integer({ min: -3, max: 3 }), (all, lost) => {
      expect(isBalanced(totalsOf(sum(all) + lost, byState(all)))).toBe(lost === 0)
    }),
  )
})

test('a row that moves from one state to another keeps the balance', () => {
  const before = totalsOf(2, new Map([['ready', 2]]))
  const after = totalsOf(
    2,
    new Map([
      ['ready', 1],
      ['sending', 1],
    ] as const),
  )
  expect([isBalanced(before), isBalanced(after)]).toEqual([true, true])
})
