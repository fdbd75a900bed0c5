import { describe, expect, it } from 'vitest'
import {
  departuresOf,
  noteAnswer,
  noteDeparture,
  pauseUntil,
  startPace,
  type Pace,
} from '../../../src/run/pace/pace.js'
import { notSent, registered } from '../outcome-samples.js'

const LIMITS = { concurrency: 8, rate: 10 }

describe('the pace of a run', () => {
  it('lets one row leave at once', () => {
    const pace = startPace(LIMITS, 1_000)
    expect(pace.ramp.slots).toBe(1)
    expect(departuresOf(pace, 1_000)).toEqual({ anyFromMs: 1_000, repeatFromMs: 1_000 })
  })

  it('makes the next row wait for its token', () => {
    const pace = noteDeparture(startPace(LIMITS, 1_000), false, 1_000)
    expect(departuresOf(pace, 1_000)).toEqual({ anyFromMs: 1_100, repeatFromMs: 1_000 })
  })

  it('waits for the later of pause and token', () => {
    const empty = noteDeparture(startPace(LIMITS, 0), false, 0)
    expect(departuresOf(pauseUntil(empty, 50), 0).anyFromMs).toBe(100)
    expect(departuresOf(pauseUntil(empty, 500), 0).anyFromMs).toBe(500)
  })

  it('holds back repeats alone when their share is used up', () => {
    let pace: Pace = startPace({ ...LIMITS, rate: null }, 0)
    for (let n = 0; n < 12; n += 1) pace = noteDeparture(pace, true, 0)
    expect(departuresOf(pace, 0)).toEqual({ anyFromMs: 0, repeatFromMs: 120_000 })
  })

  it('is never shortened by a later pause', () => {
    const paused = pauseUntil(startPace(LIMITS, 0), 5_000)
    expect(pauseUntil(paused, 4_000)).toBe(paused)
    expect(pauseUntil(paused, 5_000)).toBe(paused)
    expect(pauseUntil(paused, 6_000).pausedUntilMs).toBe(6_000)
  })

  it('grows with answers and falls back to one row after a connection failure', () => {
    const at = { beganMs: 0, nowMs: 10, underWay: 1 }
    const grown = noteAnswer(startPace(LIMITS, 0), registered(), at)
    expect(grown.ramp.slots).toBe(2)
    expect(noteAnswer(grown, notSent(), at).ramp.slots).toBe(1)
  })
})
