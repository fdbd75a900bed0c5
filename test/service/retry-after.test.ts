import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRetryAfterMs } from '../../src/service/checked-service.js'
/** Sun, 06 Nov 1994 08:49:37 GMT */
const RECEIVED = Date.UTC(1994, 10, 6, 8, 49, 37)
const HOUR = 3_600_000

const read = (retryAfter: string | undefined, date?: string, receivedAtMs = RECEIVED) =>
  readRetryAfterMs(retryAfter, { date, receivedAtMs })

describe('Retry-After in seconds', () => {
  it.each([
    ['0', 0],
    ['2', 2_000],
    [' 120 ', 120_000],
    ['007', 7_000],
    ['86400', 86_400_000],
    ['9'.repeat(30), Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s is %d ms', (text, waitMs) => {
    expect(read(text)).toBe(waitMs)
  })
})

describe('Retry-After as a date', () => {
  it.each([
    ['Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['Sunday, 06-Nov-94 08:50:07 GMT', 30_000],
    ['Sun Nov  6 08:50:07 1994', 30_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Mon, 07 Nov 1994 08:49:37 GMT', 24 * HOUR],
    ['Wed Nov 16 08:49:37 1994', 240 * HOUR],
    ['Sat, 31 Dec 1994 23:59:60 GMT', Date.UTC(1995, 0, 1) - RECEIVED],
    ['Fri, 01 Jan 2100 00:00:00 GMT', Date.UTC(2100, 0, 1) - RECEIVED],
    ['Wed, 29 Feb 2040 00:00:00 GMT', Date.UTC(2040, 1, 29) - RECEIVED],
  ])('%s is %d ms from the moment it arrived', (text, waitMs) => {
    expect(read(text)).toBe(waitMs)
  })

  it('counts from the Date of the answer when that is an hour fast', () => {
    expect(read('Sun, 06 Nov 1994 09:50:07 GMT', 'Sun, 06 Nov 1994 09:49:37 GMT')).toBe(30_000)
  })

  it('counts from the Date of the answer when that is an hour slow', () => {
    expect(read('Sun, 06 Nov 1994 07:50:07 GMT', ' Sun, 06 Nov 1994 07:49:37 GMT ')).toBe(30_000)
  })

  it('counts from the moment of arrival when the Date of the answer is unreadable', () => {
    expect(read('Sun, 06 Nov 1994 08:50:07 GMT', 'yesterday')).toBe(30_000)
  })

  it('reads a two-digit year within fifty years ahead, otherwise in the past', () => {
    expect(read('Sunday, 06-Nov-44 08:49:37 GMT')).toBe(Date.UTC(2044, 10, 6, 8, 49, 37) - RECEIVED)
    expect(read('Sunday, 06-Nov-45 08:49:37 GMT')).toBeNull()
    const inTheNineties = Date.UTC(2026, 0, 1)
    expect(read('Sunday, 06-Nov-77 08:49:37 GMT', undefined, inTheNineties)).toBeNull()
    expect(read('Thursday, 01-Jan-76 00:00:01 GMT', undefined, inTheNineties)).toBe(
      Date.UTC(2076, 0, 1, 0, 0, 1) - inTheNineties,
    )
  })
})

describe('Retry-After that says nothing', () => {
  it.each([
    [undefined],
    [''],
    ['-5'],
    ['+5'],
    ['1.5'],
    ['1e3'],
    ['5s'],
    ['5, 10'],
    ['soon'],
    ['2026'.concat('-01-01')],
    ['1994-11-06T08:50:07Z'],
    ['Sun, 06 Nov 1994 08:50:07 UTC'],
    ['Sun, 06 Nov 1994 08:50:07'],
    ['Sun, 06 Nov 1994 08:50:07 GMT extra'],
    ['x Sun, 06 Nov 1994 08:50:07 GMT'],
    ['Sun, 06 Foo 1994 08:50:07 GMT'],
    ['Sun, 00 Nov 1994 08:50:07 GMT'],
    ['Sun, 31 Nov 1994 08:50:07 GMT'],
    ['Sun, 32 Dec 1994 08:50:07 GMT'],
    ['Wed, 29 Feb 2041 00:00:00 GMT'],
    ['Sun, 06 Nov 1994 24:00:00 GMT'],
    ['Sun, 06 Nov 1994 08:60:07 GMT'],
    ['Sun, 06 Nov 1994 08:50:61 GMT'],
    ['Sun Nov  6 08:50:07 1994 GMT'],
    ['x Sunday, 06-Nov-94 08:50:07 GMT'],
    ['Sunday, 06-Nov-94 08:50:07 GMT x'],
    ['x Sun Nov  6 08:50:07 1994'],
    ['12 a'],
    ['a 12'],
  ])('%s', (text) => {
    expect(read(text)).toBeNull()
  })

  it('nor does it at the beginning of time', () => {
    expect(read('soon', undefined, 0)).toBeNull()
  })

  it('a date that has passed', () => {
    expect(read('Sun, 06 Nov 1994 08:49:36 GMT')).toBeNull()
  })
})

it('is null or a wait of zero or more for any text', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.option(fc.string(), { nil: undefined }),
      fc.nat(),
      (text, date, receivedAtMs) => {
        const waitMs = readRetryAfterMs(text, { date, receivedAtMs })
        expect(waitMs === null || waitMs >= 0).toBe(true)
      },
    ),
    { seed: 20250101 },
  )
})

it('reads every date of this century as JavaScript writes it', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000
        expect(read(date.toUTCString(), undefined, seconds)).toBe(0)
        expect(read(date.toUTCString(), new Date(seconds - 5000).toUTCString(), 0)).toBe(5000)
      },
    ),
    { seed: 20250102 },
  )
})
