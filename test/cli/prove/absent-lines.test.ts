import { describe, expect, it } from 'vitest'
import type { LedgerReader } from '../../../src/ledger/read/open-reader.js'
import type { ShownDoubt } from '../../../src/ledger/read/reader.js'
import { absentLines, absentOf } from '../../../src/cli/closing.js'

const HOUR = 60 * 60_000
const SENT = Date.parse('2026-06-15T10:00:00.000Z')
const after = (hours: number): string => new Date(SENT + hours * HOUR).toISOString()

const absentRow = (rowId: number, asked: readonly number[], runId = 1): ShownDoubt => ({
  rowId,
  runId,
  sentAt: after(0),
  shown: {
    kind: 'nothing',
    firstAskedAt: after(asked[0] ?? 0),
    firstAnsweredAt: after(asked[0] ?? 0),
    lastAskedAt: after(asked.at(-1) ?? 0),
    questions: asked.length,
    present: runId === 1 ? 2 : 0,
  },
  wasEverShown: false,
})

const absentIn = (rows: readonly ShownDoubt[]) => {
  const reader: Pick<LedgerReader, 'shown'> = {
    shown: (from, limit) => rows.filter(({ rowId }) => rowId > from).slice(0, limit),
  }
  return absentOf(reader, { absentAfterMs: 24 * HOUR })
}

describe('rows that the service does not show', () => {
  it('are counted by what can be done about them', () => {
    const absent = absentIn([
      absentRow(1, [1]),
      absentRow(2, [1, 24]),
      absentRow(3, [30]),
      absentRow(4, [1, 24], 2),
      { ...absentRow(5, []), shown: { kind: 'something', verdict: 'other' } },
      { ...absentRow(6, []), shown: { kind: 'not_asked' } },
    ])
    expect(absent).toEqual({ proposed: 1, waiting: 2, askFrom: after(31), nothingPresent: 1 })
    expect(absentLines(absent)).toEqual([
      '1 row in doubt is absent for long enough: to-do/in-doubt.csv proposes resend with the evidence, for a person to decide.',
      '2 rows in doubt are absent so far: ask again from 2026-06-16 17:00:00 UTC (sepa-migrate resolve --ask).',
      '1 row in doubt is absent, and no registered row of that run was shown with it: sepa-migrate resolve --ask --of all shows whether this is the right place to ask.',
    ])
  })

  it('are not spoken of where there are none', () => {
    const absent = absentIn([])
    expect(absent).toEqual({ proposed: 0, waiting: 0, askFrom: null, nothingPresent: 0 })
    expect(absentLines(absent)).toEqual([])
  })
})
