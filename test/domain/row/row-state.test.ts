import { describe, expect, test } from 'vitest'
import {
  EDGES,
  ROW_STATES,
  transition,
  type RowEvent,
  type RowState,
} from '../../../src/domain/row/row-state.js'

const EVENTS: readonly RowEvent[] = [
  'intent',
  'registered',
  'refused',
  'turned_away',
  'not_sent',
  'in_doubt',
  'resolved_registered',
  'resolved_refused',
  'resolved_resend',
  'resolved_written_off',
  'retry_refused',
  'superseded',
]

// Typed edge by edge.
const ALLOWED: readonly (readonly [RowState, RowEvent, RowState])[] = [
  ['ready', 'intent', 'sending'],
  ['sending', 'registered', 'registered'],
  ['sending', 'refused', 'refused'],
  ['sending', 'in_doubt', 'in_doubt'],
  ['sending', 'turned_away', 'ready'],
  ['sending', 'not_sent', 'ready'],
  ['in_doubt', 'resolved_registered', 'registered'],
  ['in_doubt', 'resolved_refused', 'refused'],
  ['in_doubt', 'resolved_resend', 'ready'],
  ['in_doubt', 'resolved_written_off', 'written_off'],
  ['refused', 'retry_refused', 'ready'],
  ['ready', 'resolved_written_off', 'written_off'],
  ['refused', 'resolved_written_off', 'written_off'],
  ['invalid', 'resolved_written_off', 'written_off'],
  ['conflict', 'resolved_written_off', 'written_off'],
  ['excluded', 'resolved_written_off', 'written_off'],
  ['ready', 'superseded', 'superseded'],
  ['refused', 'superseded', 'superseded'],
  ['invalid', 'superseded', 'superseded'],
  ['duplicate', 'superseded', 'superseded'],
  ['conflict', 'superseded', 'superseded'],
  ['excluded', 'superseded', 'superseded'],
]

describe('the life of a row', () => {
  test.each(ALLOWED)('%s by %s becomes %s', (state, event, next) => {
    expect(transition(state, event)).toBe(next)
  })

  test('no other edge exists', () => {
    for (const state of ROW_STATES)
      for (const event of EVENTS) {
        if (ALLOWED.some(([from, by]) => from === state && by === event)) continue
        expect(() => transition(state, event), `${state} by ${event}`).toThrow(
          `No edge leaves the state "${state}"`,
        )
      }
  })

  test('a registered row, a written-off one and a superseded one never move again', () => {
    for (const state of ['registered', 'written_off', 'superseded'] as const) expect(EDGES[state]).toEqual({})
  })

  test('nothing but a person sends a row again that may have been applied', () => {
    const waysToReady = ROW_STATES.flatMap((state) =>
      EVENTS.filter((event) => EDGES[state][event] === 'ready').map((event) => `${state} by ${event}`),
    )
    expect(waysToReady).toEqual([
      'sending by turned_away',
      'sending by not_sent',
      'refused by retry_refused',
      'in_doubt by resolved_resend',
    ])
  })

  test('only a row with a recorded intent can have an outcome', () => {
    for (const event of ['registered', 'refused', 'in_doubt', 'turned_away', 'not_sent'] as const)
      expect(ROW_STATES.filter((state) => EDGES[state][event] !== undefined)).toEqual(['sending'])
  })
})
