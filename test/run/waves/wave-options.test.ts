import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { readOnly, readWaves, type WavesInput } from '../../../src/run/waves/wave-options.js'

describe('the waves of a run', () => {
  it('come as they were written, with one name or several', () => {
    expect(
      readWaves([
        { name: 'pilot', sample: { rows: 10, seed: 'autumn' }, source: 'a.csv' },
        { name: 'south', country: ['AT', 'IT'], creditor: 'DE98ZZZ09999999999', held: true },
        { name: 'what is left' },
      ]),
    ).toEqual([
      { name: 'pilot', sample: { rows: 10, seed: 'autumn' }, source: ['a.csv'] },
      { name: 'south', country: ['AT', 'IT'], creditor: ['DE98ZZZ09999999999'], held: true },
      { name: 'what is left' },
    ])
  })

  it('are not known where nobody said so, and none where the list is empty', () => {
    expect(readWaves(undefined)).toBeNull()
    expect(readWaves([])).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['a name twice', [{ name: 'a' }, { name: 'a' }], 'the name "a" is given twice'],
    ['the name of the rest', [{ name: 'Rest' }], '"rest" is what rows that no wave takes are called'],
    ['a comma in a name', [{ name: 'a,b' }], 'waves.0.name: A name has 1 to 40 characters'],
    ['an unknown key', [{ name: 'a', size: 3 }], 'waves.0'],
    ['a small country', [{ name: 'a', country: 'de' }], 'waves.0.country'],
    ['a sample without a seed', [{ name: 'a', sample: { rows: 3 } }], 'Give { rows, seed }'],
    ['a share of nothing', [{ name: 'a', sample: { percent: 0, seed: 1 } }], 'waves.0.sample.percent'],
    ['no rows', [{ name: 'a', number: 0 }], 'waves.0.number'],
    [
      'a creditor with wrong check digits',
      [{ name: 'a', creditor: 'DE97ZZZ09999999999' }],
      '"DE97ZZZ09999999999" in the wave "a" is no creditor identifier',
    ],
  ])('are refused with %s', (_name, given, message) => {
    const read = (): unknown => readWaves(given as WavesInput)
    expect(read).toThrow(UsageError)
    expect(read).toThrow(message)
    expect(read).toThrow('nothing was sent')
  })
})

describe('the waves that are named for a run', () => {
  const waves = [{ name: 'pilot' }, { name: 'south', held: true }]

  it('are all where none is named, and each once', () => {
    expect(readOnly(undefined, waves)).toBeNull()
    expect(readOnly([], waves)).toBeNull()
    expect(readOnly(['rest', 'pilot', 'rest'], waves)).toEqual(['rest', 'pilot'])
  })

  it('are refused with the known names where one is unknown', () => {
    expect(() => readOnly(['pilto'], waves)).toThrow('there is none of that name; nothing was sent')
    try {
      readOnly(['pilto'], waves)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({ exitCode: 2, next: 'The waves are "pilot", "south", "rest"' })
    }
  })

  it('are refused with the line to change where one is held', () => {
    try {
      readOnly(['south'], waves)
      expect.unreachable()
    } catch (error) {
      expect(error).toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('it is held') as string,
        next: expect.stringContaining('take waves[1].held out of the configuration') as string,
      })
    }
  })

  it('are refused where there are none', () => {
    expect(() => readOnly(['pilot'], null)).toThrow('no waves are configured; nothing was sent')
    expect(() => readOnly(['rest'], [])).toThrow('no waves are configured; nothing was sent')
  })
})
