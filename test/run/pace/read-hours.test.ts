import { describe, expect, it } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { readHours, type HoursInput } from '../../../src/run/pace/read-hours.js'

const NOW = Date.parse('2026-01-15T12:00:00Z')
const BERLIN = 'Europe/Berlin'
const read = (given: HoursInput, now = NOW) => readHours(given, BERLIN, now)
const untilOf = (until: string, now = NOW): string =>
  new Date(read({ until }, now)?.untilMs ?? 0).toISOString().slice(0, 19)

describe('the hours of a run as they are written', () => {
  it('are none where nothing was said, and end outside of the window unless told otherwise', () => {
    expect(read({})).toBeNull()
    expect(read({ outside: 'wait' })).toBeNull()
    expect(read({ between: '22:00-05:00' })).toEqual({
      window: { from: 1320, to: 300 },
      text: '22:00-05:00',
      zone: BERLIN,
      untilMs: null,
      outside: 'end',
    })
  })

  it.each([
    ['05:00', '2026-01-16T04:00:00'],
    ['23:30', '2026-01-15T22:30:00'],
    ['2026-01-16T05:00', '2026-01-16T04:00:00'],
    ['2026-01-16T05:00:30', '2026-01-16T04:00:30'],
    ['2026-01-16T05:00Z', '2026-01-16T05:00:00'],
    ['2026-01-16T05:00:00+05:30', '2026-01-15T23:30:00'],
    ['2026-07-01T00:00', '2026-06-30T22:00:00'],
    // Left out, and shown twice.
    ['2026-03-29T02:30', '2026-03-29T01:00:00'],
    ['2026-10-25T02:30', '2026-10-25T00:30:00'],
  ])('until %s is %s in UTC', (text, expected) => expect(untilOf(text)).toBe(expected))

  it.each<[HoursInput, string]>([
    [{ between: '22-5' }, 'Cannot use between: "22-5" is not two different times of the day'],
    [{ between: '22:00-22:00' }, 'is not two different times'],
    [{ until: 'tomorrow' }, 'Cannot use until: "tomorrow" is not a time of the day'],
    [{ until: '2026-02-30T05:00' }, 'is not a time of the day'],
    [{ until: '25:00' }, 'is not a time of the day'],
    [{ until: '2026-01-15T12:59' }, 'is not a time that is still to come'],
    [{ outside: 'stay' as 'wait' }, 'Cannot use outside: "stay" is not one of end, wait'],
  ])('are refused as %o', (given, message) => {
    expect(() => read(given)).toThrow(UsageError)
    expect(() => read(given)).toThrow(message)
    expect(() => read(given)).toThrow('nothing was sent')
  })
})
