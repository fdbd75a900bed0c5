import { expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { REPORT_ORDER, STATE_NAMES } from '../../../src/report/page/state-names.js'

it('a report shows every state once: one that is missing would hide its rows', () => {
  expect([...REPORT_ORDER].sort()).toEqual([...ROW_STATES].sort())
})

it('no two states go by one name', () => {
  expect(new Set(Object.values(STATE_NAMES).map(({ name }) => name)).size).toBe(ROW_STATES.length)
})

it('what may still be at the service is never called unregistered', () => {
  for (const state of ['in_doubt', 'sending'] as const)
    expect(STATE_NAMES[state].meaning).not.toMatch(/nothing was registered|not registered/i)
})
