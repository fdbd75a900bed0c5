import { expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { REPORT_ORDER } from '../../../src/report/facts/facts.js'
it('a report shows every state once: one that is missing would hide its rows', () => {
  expect([...REPORT_ORDER].sort()).toEqual([...ROW_STATES].sort())
})
