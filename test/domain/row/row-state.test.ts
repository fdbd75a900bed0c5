import { describe, expect, test } from 'vitest'
import {
  EDGES,
  ROW_STATES,
  transition,
  type RowEvent,
  type RowState,
} from '../../../src/domain/row/row-state.js'

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
  ...(['ready', 'refused', 'invalid', 'conflict', 'excluded'] as const).flatMap((state) => [
    [state, 'resolved_written_off', 'written_off'] as const,
    [state, 'superseded', 'superseded'] as const,
  ]),
  ['duplicate', 'superseded', 'superseded'],
]
const EVENTS = [...new Set(ALLOWED.map(([, event]) => event))]

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
})
