import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  localTimeText,
  nextTimeOfDay,
  parseTimeOfDay,
  parseWindow,
  windowAt,
  type DailyWindow,
} from '../../../src/run/pace/window.js'

const BERLIN = 'Europe/Berlin'
const at = (text: string): number => Date.parse(text)
const windowOf = (text: string): DailyWindow => {
  const window = parseWindow(text)
  if (window === null) throw new Error(`"${text}" is no window`)
  return window
}

/** The spans in which the window is open, as UTC, between two moments. */
function openSpans(text: string, zone: string, from: string, to: string): string[] {
  const spans: string[] = []
  let nowMs = at(from)
  while (nowMs < at(to)) {
    const { isOpen, changesAtMs } = windowAt(windowOf(text), zone, nowMs)
    const endMs = Math.min(changesAtMs ?? Infinity, at(to))
    if (isOpen) spans.push(`${shown(nowMs)} to ${shown(endMs)}`)
    nowMs = endMs
  }
  return spans
}
const shown = (ms: number): string => new Date(ms).toISOString().slice(5, 16)

describe('a window as it is written', () => {
  it('is two times of the day', () => {
    expect(parseWindow('22:00-05:00')).toEqual({ from: 1320, to: 300 })
    expect(parseWindow('00:00-23:59')).toEqual({ from: 0, to: 1439 })
    expect(parseTimeOfDay('07:05')).toBe(425)
  })

  it.each(['22-05', '22:00', '22:00-24:00', '22:00-22:00', '22:00-05:00-06:00', '7:00-8:00', '-', ''])(
    'is refused as %o',
    (text) => expect(parseWindow(text)).toBeNull(),
  )
})

describe('a window on an ordinary day', () => {
  it('opens and closes as the clock of its zone shows', () => {
    expect(openSpans('09:00-17:00', BERLIN, '2026-01-15T00:00Z', '2026-01-16T00:00Z')).toEqual([
      '01-15T08:00 to 01-15T16:00',
    ])
    expect(openSpans('09:00-17:00', BERLIN, '2026-07-15T00:00Z', '2026-07-16T00:00Z')).toEqual([
      '07-15T07:00 to 07-15T15:00',
    ])
  })

  it('goes over midnight', () => {
    expect(openSpans('22:00-05:00', BERLIN, '2026-01-15T12:00Z', '2026-01-17T12:00Z')).toEqual([
      '01-15T21:00 to 01-16T04:00',
      '01-16T21:00 to 01-17T04:00',
    ])
  })

  it('is read off a clock that is half an hour, or three quarters, beside the full hour', () => {
    expect(openSpans('22:00-05:00', 'Asia/Kolkata', '2026-01-15T12:00Z', '2026-01-16T12:00Z')).toEqual([
      '01-15T16:30 to 01-15T23:30',
    ])
    expect(openSpans('00:00-01:00', 'Asia/Kathmandu', '2026-01-15T12:00Z', '2026-01-16T12:00Z')).toEqual([
      '01-15T18:15 to 01-15T19:15',
    ])
  })

  it('is open at the first millisecond and closed at the last', () => {
    const window = windowOf('22:00-05:00')
    const open = (text: string): boolean => windowAt(window, 'UTC', at(text)).isOpen
    expect(open('2026-01-15T21:59:59.999Z')).toBe(false)
    expect(open('2026-01-15T22:00:00.000Z')).toBe(true)
    expect(open('2026-01-16T04:59:59.999Z')).toBe(true)
    expect(open('2026-01-16T05:00:00.000Z')).toBe(false)
  })
})

describe('when the clock is set ahead, 2026-03-29 in Berlin, 02:00 to 03:00', () => {
  const spans = (text: string): string[] => openSpans(text, BERLIN, '2026-03-28T12:00Z', '2026-03-29T12:00Z')

  it('a night is an hour shorter', () => {
    expect(spans('22:00-05:00')).toEqual(['03-28T21:00 to 03-29T03:00'])
  })

  it('a window that begins or ends in the hour that is left out does so when that is leapt over', () => {
    expect(spans('02:30-05:00')).toEqual(['03-29T01:00 to 03-29T03:00'])
    expect(spans('22:00-02:30')).toEqual(['03-28T21:00 to 03-29T01:00'])
  })

  it('a window within that hour is left out that night', () => {
    expect(spans('02:15-02:45')).toEqual([])
    const { isOpen, changesAtMs } = windowAt(windowOf('02:15-02:45'), BERLIN, at('2026-03-28T12:00Z'))
    expect(isOpen).toBe(false)
    expect(shown(changesAtMs ?? 0)).toBe('03-30T00:15')
  })
})

describe('when the clock is set back, 2026-10-25 in Berlin, 03:00 to 02:00', () => {
  const spans = (text: string): string[] => openSpans(text, BERLIN, '2026-10-24T12:00Z', '2026-10-25T12:00Z')

  it('a night is an hour longer', () => {
    expect(spans('22:00-05:00')).toEqual(['10-24T20:00 to 10-25T04:00'])
  })

  it('a window that ends in the hour that comes twice ends the first time, and does not open again', () => {
    expect(spans('22:00-02:30')).toEqual(['10-24T20:00 to 10-25T00:30'])
    expect(spans('02:15-02:45')).toEqual(['10-25T00:15 to 10-25T00:45'])
  })

  it('a window that ends when that hour is over ends the second time', () => {
    expect(spans('22:00-03:00')).toEqual(['10-24T20:00 to 10-25T02:00'])
  })

  it('a window that begins in that hour is open while the clock shows a time within it', () => {
    expect(spans('02:30-05:00')).toEqual(['10-25T00:30 to 10-25T01:00', '10-25T01:30 to 10-25T04:00'])
  })

  it('holds where the clock is set back by half an hour', () => {
    // Lord Howe, 2026-04-05 at 02:00 summer time (UTC+11) to 01:30 (UTC+10:30).
    expect(openSpans('22:00-05:00', 'Australia/Lord_Howe', '2026-04-04T06:00Z', '2026-04-05T06:00Z')).toEqual(
      ['04-04T11:00 to 04-04T18:30'],
    )
    expect(openSpans('22:00-01:45', 'Australia/Lord_Howe', '2026-04-04T06:00Z', '2026-04-05T06:00Z')).toEqual(
      ['04-04T11:00 to 04-04T14:45'],
    )
  })
})

describe('any window at any moment', () => {
  const zones = ['UTC', BERLIN, 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia']

  it('is open only where the clock shows a time within it, and changes exactly when it says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.nat(1439),
        fc.nat(1439),
        fc.integer({ min: at('2026-01-01T00:00Z') / 60_000, max: at('2026-12-31T00:00Z') / 60_000 }),
        (zone, from, to, minute) => {
          fc.pre(from !== to)
          const nowMs = minute * 60_000
          const window = { from, to }
          const { isOpen, changesAtMs } = windowAt(window, zone, nowMs)
          const local = parseTimeOfDay(localTimeText(nowMs, zone).slice(11)) ?? -1
          const isWithin = from < to ? local >= from && local < to : local >= from || local < to
          if (isOpen) expect(isWithin).toBe(true)
          if (changesAtMs === null) return
          expect(windowAt(window, zone, changesAtMs).isOpen).toBe(!isOpen)
          expect(windowAt(window, zone, changesAtMs - 1).isOpen).toBe(isOpen)
        },
      ),
      { numRuns: 60 },
    )
  })
})

describe('the next time that a clock shows', () => {
  const next = (text: string, now: string, zone = BERLIN): string =>
    shown(nextTimeOfDay(parseTimeOfDay(text) ?? -1, zone, at(now)))

  it.each([
    ['05:00', '2026-01-15T12:00Z', '01-16T04:00'],
    ['13:01', '2026-01-15T12:00Z', '01-15T12:01'],
    ['13:00', '2026-01-15T12:00Z', '01-16T12:00'],
    ['00:00', '2026-01-15T12:00Z', '01-15T23:00'],
    // Left out: when it is leapt over. Shown twice: the first time.
    ['02:30', '2026-03-28T12:00Z', '03-29T01:00'],
    ['02:30', '2026-10-24T12:00Z', '10-25T00:30'],
    ['02:30', '2026-10-25T00:45Z', '10-25T01:30'],
  ])('%s after %s is at %s', (text, now, expected) => expect(next(text, now)).toBe(expected))
})
