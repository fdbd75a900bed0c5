import { describe, expect, it } from 'vitest'
import { waitText, watchHours, type SendingHours } from '../../../src/run/pace/hours.js'
import { parseWindow } from '../../../src/run/pace/window.js'

const at = (text: string): number => Date.parse(text)

const hoursOf = (change: Partial<SendingHours> = {}): SendingHours => ({
  window: parseWindow('22:00-05:00'),
  text: '22:00-05:00',
  zone: 'Europe/Berlin',
  untilMs: null,
  outside: 'wait',
  ...change,
})

describe('the hours of a run', () => {
  it('are any where nobody said so', () => {
    expect(watchHours(null)(at('2026-01-15T12:00Z'))).toEqual({ kind: 'open', forMs: Infinity })
  })

  it('are open until a second before the window closes, so that what is begun leaves within it', () => {
    const look = watchHours(hoursOf())
    expect(look(at('2026-01-15T22:00:00Z'))).toEqual({ kind: 'open', forMs: 6 * 3_600_000 - 1_000 })
    expect(look(at('2026-01-16T03:59:58.999Z'))).toEqual({ kind: 'open', forMs: 1 })
    const opensAtMs = at('2026-01-16T21:00Z')
    expect(look(at('2026-01-16T03:59:59Z'))).toEqual({ kind: 'closed', opensAtMs })
    expect(look(at('2026-01-16T04:00:00Z'))).toEqual({ kind: 'closed', opensAtMs })
    expect(look(opensAtMs)).toMatchObject({ kind: 'open' })
  })

  it('follow a clock that is set, in either direction', () => {
    const look = watchHours(hoursOf())
    expect(look(at('2026-01-15T22:00Z'))).toMatchObject({ kind: 'open' })
    expect(look(at('2026-01-15T12:00Z'))).toMatchObject({ kind: 'closed' })
    expect(look(at('2026-01-20T23:00Z'))).toMatchObject({ kind: 'open' })
    expect(look(at('2026-01-15T20:59:59Z'))).toMatchObject({ kind: 'closed' })
  })

  it('that are to end outside of the window say when it opens', () => {
    const look = watchHours(hoursOf({ outside: 'end' }))
    expect(look(at('2026-01-15T12:00Z'))).toMatchObject({
      kind: 'over',
      stop: {
        kind: 'window',
        why: 'The window 22:00-05:00 (Europe/Berlin) is closed and opens at 2026-01-15 22:00',
      },
    })
    expect(look(at('2026-01-15T22:00Z'))).toMatchObject({ kind: 'open' })
  })

  it('end at a time, within the window or without one', () => {
    const untilMs = at('2026-01-15T23:30Z')
    for (const window of [parseWindow('22:00-05:00'), null]) {
      const look = watchHours(hoursOf({ window, untilMs }))
      expect(look(at('2026-01-15T23:29:58Z'))).toEqual({ kind: 'open', forMs: 1_000 })
      expect(look(at('2026-01-15T23:29:59Z'))).toMatchObject({ kind: 'over', stop: { kind: 'until' } })
      expect(look(at('2026-01-17T12:00Z'))).toMatchObject({ kind: 'over', stop: { kind: 'until' } })
    }
  })

  it('are over at once where the window does not open before that time', () => {
    const look = watchHours(hoursOf({ untilMs: at('2026-01-15T20:00Z') }))
    expect(look(at('2026-01-15T12:00Z'))).toMatchObject({
      kind: 'over',
      stop: {
        kind: 'until',
        why: 'Nothing is sent from 2026-01-15 21:00 (Europe/Berlin) on, as this run was told',
      },
    })
  })
})

describe('a run that waits', () => {
  it('says until when', () => {
    expect(waitText(hoursOf(), at('2026-01-15T21:00Z'), at('2026-01-15T12:00Z'))).toBe(
      'Waiting until 2026-01-15 22:00 (Europe/Berlin, 9 h): the window 22:00-05:00 is closed',
    )
  })
})
