import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { openScratchLedger } from '../../../src/ledger/file/scratch.js'
import { admit, open, stoppedClock, type Values } from '../campaign-setup.js'
import { problemsOf, statesOf } from '../ledger-views.js'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'

const ROWS: Values[] = [
  {},
  {},
  { reference: 'M-2', customerNo: 2 },
  { reference: 'M-2', customerNo: 3 },
  { reference: 'M 3', customerNo: 4 },
  { reference: 'M3', customerNo: 4 },
  { reference: 'M-4', verdict: 'excluded' },
]

it('decides as a real ledger does', () => {
  const real = open()
  admit(real, ROWS)
  const scratch = openScratchLedger(stoppedClock())
  admit(scratch, ROWS)
  expect(scratch.reader.rows(ROW_STATES, 0, 100).map(({ state }) => state)).toEqual(statesOf(real.file))
  expect(scratch.reader.problems(0, 100)).toEqual(problemsOf(real.file))
  expect(scratch.reader.totals()).toEqual(real.totals())
  scratch.close()
})

it('reads the same file twice as one', () => {
  const scratch = openScratchLedger(stoppedClock())
  expect(admit(scratch, ROWS, { sha256: 'same' })).toBe('admitted')
  expect(admit(scratch, ROWS, { sha256: 'same' })).toBe('known')
  expect(scratch.reader.totals().read).toBe(ROWS.length)
  scratch.close()
})

it('leaves no file behind that has a name', () => {
  const named = () => readdirSync(tmpdir()).filter((name) => name.startsWith('etilqs_'))
  const before = named()
  const scratch = openScratchLedger(stoppedClock())
  admit(
    scratch,
    Array.from({ length: 2_000 }, (_, n) => ({ reference: `M-${n}`, customerNo: n + 1 })),
  )
  expect(named()).toEqual(before)
  scratch.close()
})
