import type { Stop } from '../../../src/run/brake.js'
import { describe, expect, it } from 'vitest'
import { verificationOf, type VerdictCount } from '../../../src/domain/proof/verification.js'
import { type RowState, totalsOf } from '../../../src/domain/row/row-state.js'
import { standingWith } from '../../../src/cli/closing.js'

const stopped: Stop = { kind: 'unanswered', why: 'why', next: 'Wait' }
const interrupted: Stop = { kind: 'signal', why: 'why', next: 'Wait' }

describe('the status of a campaign that was verified', () => {
  const counts = (verdict: VerdictCount['verdict']) =>
    verificationOf(2, [{ verdict, count: 1, firstAt: '', lastAt: '' }])
  const totals = (state: RowState) =>
    totalsOf(
      2,
      new Map([
        ['registered', 1],
        [state, state === 'registered' ? 2 : 1],
      ]),
    )

  it.each<[number, VerdictCount['verdict'] | null, RowState, Stop | null]>([
    [0, null, 'registered', null],
    [0, 'proven', 'registered', null],
    [4, 'absent', 'registered', null],
    [4, 'twice', 'refused', null],
    [4, 'other', 'ready', null],
    [4, 'other', 'registered', stopped],
    [5, 'proven', 'registered', stopped],
    [5, 'unreadable', 'ready', null],
    [3, 'unreadable', 'refused', null],
    [4, 'proven', 'in_doubt', stopped],
    [130, 'absent', 'registered', interrupted],
  ])('is %i with %s, a row %s and %o', (status, verdict, state, stop) => {
    expect(standingWith(verdict === null ? null : counts(verdict), totals(state), stop)).toBe(status)
  })
})
