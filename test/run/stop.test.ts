import { describe, expect, it } from 'vitest'
import type { Halt } from '../../src/domain/row/outcome.js'
import {
  DECLINED,
  INTERRUPTED,
  OUT_OF_TIME,
  outranks,
  PILOT_DONE,
  stopOfHalt,
  type Stop,
} from '../../src/run/brake.js'
const HALTS: readonly Halt[] = [
  'credentials',
  'certificate',
  'redirect',
  'echo_mismatch',
  'reference_repeated',
  'request_rejected_locally',
]
const ALL: readonly Stop[] = [...HALTS.map(stopOfHalt), INTERRUPTED, OUT_OF_TIME, PILOT_DONE, DECLINED]

describe('a stop', () => {
  it.each(ALL.map((stop) => [stop.kind, stop] as const))(
    '%s says what was seen and what to do',
    (_kind, stop) => {
      expect(stop.why).toMatch(/^[A-Z].*[^.]$/)
      expect(stop.next).toMatch(/^[A-Z].*[^.]$/)
    },
  )

  it('has a kind of its own', () => {
    expect(new Set(ALL.map(({ kind }) => kind)).size).toBe(ALL.length)
    for (const halt of HALTS) expect(stopOfHalt(halt).kind).toBe(halt)
  })
})

describe('two stops of one run', () => {
  const credentials = stopOfHalt('credentials')

  it('are told by the first', () => {
    for (const stop of ALL) expect(outranks(stop, null)).toBe(true)
    expect(outranks(OUT_OF_TIME, INTERRUPTED)).toBe(false)
    expect(outranks(stopOfHalt('redirect'), OUT_OF_TIME)).toBe(false)
  })

  it('are told by refused credentials, because nothing goes on without them', () => {
    expect(outranks(credentials, OUT_OF_TIME)).toBe(true)
    expect(outranks(credentials, credentials)).toBe(false)
    expect(outranks(OUT_OF_TIME, credentials)).toBe(false)
  })
})
