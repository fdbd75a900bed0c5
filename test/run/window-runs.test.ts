import { describe, expect, it } from 'vitest'
import type { SendingHours } from '../../src/run/pace/hours.js'
import { readHours, type HoursInput } from '../../src/run/pace/read-hours.js'
import { allRegistered, openDeliveryWorld, registeredAs, type DeliveryWorld } from './delivery-world.js'
import { turnedAway } from './outcome-samples.js'

const BERLIN = 'Europe/Berlin'
const HOUR_MS = 3_600_000

const hoursOf = (given: HoursInput, world: DeliveryWorld): SendingHours => {
  const hours = readHours(given, BERLIN, world.time.clock.now())
  if (hours === null) throw new Error('The test gave no hours')
  return hours
}

/** When requests left, as UTC. The clock of the world begins at 2026-04-01T08:00Z, which is 10:00 in Berlin. */
const leftAt = ({ requests }: DeliveryWorld): string[] =>
  requests.map(({ atMs }) => new Date(Date.UTC(2026, 3, 1, 8) + atMs).toISOString().slice(8, 19))

const closings = ({ events }: DeliveryWorld): string[] =>
  events.flatMap((event) => (event.kind === 'closed_window' ? [event.opensAt] : []))

describe('a run with a window', () => {
  it('that waits begins when it opens, with one row alone, and says once until when it waits', async () => {
    const world = openDeliveryWorld(5)
    const hours = hoursOf({ between: '22:00-05:00', outside: 'wait' }, world)
    expect(await world.deliver(allRegistered, { hours })).toBeNull()
    expect(closings(world)).toEqual(['2026-04-01T20:00:00.000Z'])
    expect(leftAt(world)[0]).toBe('01T20:00:00')
    expect(world.requests[1]?.atMs).toBeGreaterThan(world.requests[0]?.atMs ?? 0)
    expect(world.totals()).toMatchObject({ registered: 5, ready: 0 })
  })

  it('that ends outside of it sends nothing, and leaves all ready', async () => {
    const world = openDeliveryWorld(5)
    const hours = hoursOf({ between: '22:00-05:00' }, world)
    expect(await world.deliver(allRegistered, { hours })).toMatchObject({ kind: 'window' })
    expect(world.requests).toEqual([])
    expect(world.totals()).toMatchObject({ ready: 5 })
  })

  it('begins nothing once it closes, and what is under way finishes', async () => {
    const world = openDeliveryWorld(40)
    // Each answer takes 20 s; the window closes after a minute.
    const script = (request: Parameters<typeof registeredAs>[0]) => ({
      outcome: registeredAs(request),
      tookMs: 20_000,
    })
    const hours = hoursOf({ between: '09:00-10:01' }, world)
    expect(await world.deliver(script, { hours, policy: { concurrency: 2 } })).toMatchObject({
      kind: 'window',
    })
    expect(leftAt(world).at(-1)).toBe('01T08:00:40')
    expect(world.totals()).toMatchObject({ registered: world.requests.length, sending: 0, inDoubt: 0 })
    expect(world.totals().ready).toBe(40 - world.requests.length)
  })

  it('goes on over several nights, each with a first row alone', async () => {
    const world = openDeliveryWorld(30)
    const script = (request: Parameters<typeof registeredAs>[0]) => ({
      outcome: registeredAs(request),
      tookMs: 20 * 60_000,
    })
    const hours = hoursOf({ between: '22:00-23:00', outside: 'wait' }, world)
    expect(await world.deliver(script, { hours, policy: { concurrency: 8 } })).toBeNull()
    // 1, 2 and 4 rows a night.
    expect(closings(world)).toEqual(
      ['01', '02', '03', '04', '05'].map((day) => `2026-04-${day}T20:00:00.000Z`),
    )
    for (const { atMs } of world.requests) {
      const hour = new Date(Date.UTC(2026, 3, 1, 8) + atMs).getUTCHours()
      expect(hour).toBe(20)
    }
    for (const day of ['01', '02', '03', '04', '05'])
      expect(leftAt(world).filter((time) => time === `${day}T20:00:00`)).toHaveLength(1)
    expect(world.totals()).toMatchObject({ registered: 30 })
  })

  it('that waits ends at once with the first signal, and has nothing open meanwhile', async () => {
    const world = openDeliveryWorld(5)
    const hours = hoursOf({ between: '22:00-05:00', outside: 'wait' }, world)
    world.time.after(HOUR_MS, () => {
      // A transaction of its own can be begun, so none is open.
      world.ledger.admit({ severities: {} }).rollback()
      world.drain.abort()
    })
    expect(await world.deliver(allRegistered, { hours })).toMatchObject({ kind: 'signal' })
    expect(world.time.clock.monotonic()).toBe(HOUR_MS)
    expect(world.requests).toEqual([])
  })

  it('ends where it may last no longer, also while it waits', async () => {
    const world = openDeliveryWorld(5)
    const hours = hoursOf({ between: '22:00-05:00', outside: 'wait' }, world)
    const stop = await world.deliver(allRegistered, { hours, policy: { maxDurationMs: 2 * HOUR_MS } })
    expect(stop).toMatchObject({ kind: 'max_duration' })
    expect(world.time.clock.monotonic()).toBe(2 * HOUR_MS)
  })

  it('does not wait for a repeat beyond its end', async () => {
    const world = openDeliveryWorld(1)
    const hours = hoursOf({ between: '09:00-10:05' }, world)
    const stop = await world.deliver(() => ({ outcome: turnedAway({ retryAfterMs: 10 * 60_000 }) }), {
      hours,
    })
    expect(stop).toMatchObject({ kind: 'window' })
    expect(world.time.clock.monotonic()).toBe(5 * 60_000 - 1_000)
    expect(world.totals()).toMatchObject({ ready: 1 })
  })
})

describe('a run until a time', () => {
  it('ends then with the rest ready', async () => {
    const world = openDeliveryWorld(100)
    const script = (request: Parameters<typeof registeredAs>[0]) => ({
      outcome: registeredAs(request),
      tookMs: 10_000,
    })
    const hours = hoursOf({ until: '10:02' }, world)
    expect(await world.deliver(script, { hours, policy: { concurrency: 1 } })).toMatchObject({
      kind: 'until',
    })
    expect(leftAt(world).at(-1)).toBe('01T08:01:50')
    expect(world.totals().ready).toBe(100 - world.requests.length)
  })
})
