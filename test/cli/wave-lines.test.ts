import { describe, expect, it } from 'vitest'
import { emptyHeldNotes, waveLines, wavesIn } from '../../src/cli/wave-lines.js'
import { wordsOf } from '../../src/cli/terminal/line.js'
import { totalsOf } from '../../src/domain/row/totals.js'
import type { RowState } from '../../src/domain/row/row-state.js'
import type { WaveRecord, WaveRecords } from '../../src/domain/wave/wave.js'

function waveOf(
  name: string,
  counts: readonly [RowState, number][],
  more: Partial<WaveRecord> = {},
): WaveRecord {
  const { resubmitted: _, ...totals } = totalsOf(
    counts.reduce((sum, [, count]) => sum + count, 0),
    new Map(counts),
  )
  return { name, position: 1, isHeld: false, filter: {}, totals, ...more }
}

const RECORDS: WaveRecords = {
  totals: totalsOf(
    1_010,
    new Map<RowState, number>([
      ['registered', 1_000],
      ['ready', 10],
    ]),
  ),
  waves: [
    waveOf('pilot', [['registered', 1_000]]),
    waveOf('south', [['ready', 10]], { position: 2, isHeld: true }),
    waveOf('rest', [], { position: null, filter: null }),
  ],
}

describe('the lines of the waves', () => {
  it('are one each, with what is held told first', () => {
    expect(waveLines(RECORDS).map((line) => wordsOf(line))).toEqual([
      'Waves',
      '  pilot  1,000 read: 1,000 registered',
      '  south  held: 10 read: 10 ready',
      '  rest   0 read',
      '  balanced: each wave, and all of them with the control totals',
    ])
  })

  it('are none without waves', () => {
    expect(waveLines(null)).toEqual([])
    expect(wavesIn(null)).toBeNull()
    expect(emptyHeldNotes(null)).toEqual([])
  })

  it('say where the waves do not add up', () => {
    const lost = { ...RECORDS, waves: RECORDS.waves.slice(1) }
    expect(wordsOf(waveLines(lost).at(-1) ?? '')).toContain('NOT BALANCED')
    expect(wavesIn(lost)).toMatchObject({ balanced: false })
    expect(wavesIn(RECORDS)).toMatchObject({
      balanced: true,
      waves: [{ name: 'pilot', held: false }, { held: true }, {}],
    })
  })

  it('name a wave of an earlier run as one, and mask an account number in a name', () => {
    const former = waveOf('DE89370400440532013000', [['registered', 1_010]], { position: null })
    const words = waveLines({ ...RECORDS, waves: [former] }).map((line) => wordsOf(line))
    expect(words[1]).toContain('1,010 read: 1,010 registered (of an earlier run)')
    expect(words.join()).not.toContain('DE89370400440532013000')
  })
})

describe('a wave that is held and takes no row', () => {
  it('is told: it may be misspelt', () => {
    const waves = [waveOf('south', [], { isHeld: true }), waveOf('north', [])]
    expect(emptyHeldNotes({ ...RECORDS, waves })).toEqual([
      'The wave "south" is held and takes no row: where a value in it is misspelt, the rows that were meant are sent with another wave',
    ])
  })
})
