import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { totalsOf } from '../../../src/domain/row/totals.js'
import {
  areWavesBalanced,
  heldReady,
  isFormer,
  isWaveBalanced,
  REST,
  type WaveRecord,
  type WaveRecords,
} from '../../../src/domain/wave/wave.js'

function waveOf(
  name: string,
  counts: Readonly<Record<string, number>>,
  more: Partial<WaveRecord> = {},
): WaveRecord {
  const byState = new Map(ROW_STATES.map((state) => [state, counts[state] ?? 0]))
  const { resubmitted: _, ...totals } = totalsOf(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    byState,
  )
  return { name, position: 1, isHeld: false, filter: {}, totals, ...more }
}

const recordsOf = (...waves: WaveRecord[]): WaveRecords => {
  const byState = new Map(
    ROW_STATES.map((state) => {
      const key = state === 'in_doubt' ? 'inDoubt' : state === 'written_off' ? 'writtenOff' : state
      return [state, waves.reduce((sum, { totals }) => sum + totals[key], 0)]
    }),
  )
  return {
    waves,
    totals: totalsOf(
      waves.reduce((sum, { totals }) => sum + totals.read, 0),
      byState,
      3,
    ),
  }
}

describe('waves beside the control totals', () => {
  it('balance where each adds up and all of them are the campaign, in any states', () => {
    const counts = fc.dictionary(fc.constantFrom(...ROW_STATES), fc.nat(1_000))
    fc.assert(
      fc.property(fc.array(counts, { minLength: 1, maxLength: 5 }), (all) => {
        const records = recordsOf(...all.map((one, index) => waveOf(`w${index}`, one)))
        expect(areWavesBalanced(records)).toBe(true)
      }),
    )
  })

  it.each([
    ['a wave that lost a record', 0, { read: 11 }],
    ['a row that is counted twice', 1, { read: 6, ready: 6 }],
    ['a row that stands in another state', 1, { ready: 4, registered: 1 }],
  ])('do not with %s', (_name, index, wrong) => {
    const records = recordsOf(waveOf('a', { registered: 10 }), waveOf('b', { ready: 5 }))
    const waves = records.waves.map((wave, at) =>
      at === index ? { ...wave, totals: { ...wave.totals, ...wrong } } : wave,
    )
    expect(areWavesBalanced({ ...records, waves })).toBe(false)
  })

  it('tells a wave that does not add up in itself', () => {
    const { totals } = waveOf('a', { ready: 2 })
    expect(isWaveBalanced(totals)).toBe(true)
    expect(isWaveBalanced({ ...totals, read: 3 })).toBe(false)
  })
})

describe('what is held', () => {
  it('is the ready rows of held waves alone', () => {
    const held = waveOf('b', { ready: 5, refused: 2 }, { isHeld: true })
    expect(heldReady(recordsOf(waveOf('a', { ready: 7 }), held))).toBe(5)
    expect(heldReady(null)).toBe(0)
  })
})

describe('a wave of an earlier run', () => {
  it('has a name and no place; the rest is none', () => {
    expect(isFormer(waveOf('old', {}, { position: null }))).toBe(true)
    expect(isFormer(waveOf('new', {}))).toBe(false)
    expect(isFormer(waveOf(REST, {}, { position: null }))).toBe(false)
  })
})
