import { describe, expect, it } from 'vitest'
import {
  bytesText,
  ageText,
  countText,
  durationText,
  plural,
  shareText,
  timeText,
} from '../../../src/domain/text/text.js'
describe('the wording of figures', () => {
  it('groups thousands', () => {
    expect([0, 999, 1000, 1234567].map(countText)).toEqual(['0', '999', '1,000', '1,234,567'])
    expect([plural(1, 'row', 'rows'), plural(2000, 'row', 'rows')]).toEqual(['1 row', '2,000 rows'])
  })

  it('never rounds what is there to nothing, nor what is missing to all', () => {
    expect(shareText(1, 1_000_000)).toBe('<0.1 %')
    expect(shareText(999_999, 1_000_000)).toBe('>99.9 %')
    expect([shareText(0, 5), shareText(5, 5), shareText(1, 3), shareText(0, 0)]).toEqual([
      '0.0 %',
      '100.0 %',
      '33.3 %',
      '',
    ])
  })

  it.each([
    [400, '1 s'],
    [89_000, '89 s'],
    [91_000, '2 min'],
    [3_600_000, '60 min'],
    [7_200_000, '2 h'],
    [7_500_000, '2 h 5 min'],
    [86_400_000, '1 day'],
    [266_400_000, '3 days 2 h'],
  ])('10.3.5 gives a duration of %i ms as %s', (ms, text) => expect(durationText(ms)).toBe(text))

  it('says how long ago something was', () => {
    expect(ageText('2026-06-15T10:00:00.000Z', '2026-06-15T12:05:00.000Z')).toBe('2 h 5 min')
    expect(ageText('2026-06-15T13:00:00.000Z', '2026-06-15T12:05:00.000Z')).toBe('')
  })

  it('names times', () => {
    expect(timeText('2026-06-15T10:00:00.123Z')).toBe('2026-06-15 10:00:00 UTC')
  })
})

describe('bytes', () => {
  it.each([
    [0, '0 bytes', '0 bytes'],
    [999, '999 bytes', '999 bytes'],
    [1_000, '1 kB', '1 kB'],
    [1_234, '1.3 kB', '1.2 kB'],
    [9_999, '10 kB', '9.9 kB'],
    [12_345_678, '13 MB', '12 MB'],
    [4.2e9, '4.2 GB', '4.2 GB'],
    [3e15, '3000 TB', '3000 TB'],
  ])('%i are %s needed and %s free', (bytes, needed, free) => {
    expect([bytesText(bytes), bytesText(bytes, 'down')]).toEqual([needed, free])
  })
})
