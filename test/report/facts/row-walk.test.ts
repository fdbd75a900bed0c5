import { describe, expect, it } from 'vitest'
import { USUAL_ABSENT_AFTER_MS, type Absence } from '../../../src/domain/proof/absence.js'
import type { RowState } from '../../../src/domain/row/row-state.js'
import type { Explanation } from '../../../src/report/facts/explanation.js'
import { walkLedger } from '../../../src/report/facts/row-walk.js'
import { factsOf } from '../facts-value.js'
import {
  attemptOf,
  decisionOf,
  NO_RECORDS,
  problemOf,
  readerOf,
  registeredRow,
  rowOf,
  sourceOf,
  type LedgerValue,
} from '../ledger-value.js'

const TERMS = { absentAfterMs: USUAL_ABSENT_AFTER_MS }

const valueOf = (rows: LedgerValue['rows'], change: Partial<LedgerValue> = {}): LedgerValue => ({
  ...NO_RECORDS,
  sources: [sourceOf({ records: rows.length })],
  rows,
  ...change,
})

describe('one walk over the ledger', () => {
  it('puts every row into exactly one part, and counts it in one state', async () => {
    const states: readonly RowState[] = ['refused', 'in_doubt', 'sending', 'invalid', 'conflict', 'excluded']
    const rows = [registeredRow(1), ...states.map((state, index) => rowOf(index + 2, { state }))]
    const facts = await factsOf(valueOf(rows))
    const listed = Object.values(facts.parts).reduce((sum, rows) => sum + rows, 0)
    expect(listed).toBe(rows.length)
    expect(facts.balanced).toBe(true)
    expect(facts.parts.inDoubt).toBe(2)
  })

  it('leaves the rows of a source that a run admits meanwhile for the next report', async () => {
    const value = valueOf([rowOf(1), rowOf(2, { sourceId: 2, countedIn: 2 })], {
      sources: [sourceOf({ records: 1 })],
    })
    const facts = await factsOf(value)
    expect(facts.totals).toMatchObject({ read: 1, ready: 1 })
    expect(facts.balanced).toBe(true)
  })

  it('a correction counts in the source of the row it corrects', async () => {
    const sources = [sourceOf({ records: 1 }), sourceOf({ id: 2, records: 1, resubmitted: 1 })]
    const rows = [
      rowOf(1, { state: 'superseded', supersededBy: 2, countedIn: null }),
      rowOf(2, { sourceId: 2, corrects: 1, countedIn: 1 }),
    ]
    const facts = await factsOf({ ...NO_RECORDS, sources, rows })
    expect(facts.totals).toMatchObject({ read: 1, resubmitted: 1, ready: 1, superseded: 0 })
    expect(facts.sources.map(({ totals }) => totals.ready)).toEqual([1, 0])
    expect(facts.balanced).toBe(true)
  })

  it('is not balanced where one source lost a row and another has one too many', async () => {
    const sources = [sourceOf({ records: 2 }), sourceOf({ id: 2, records: 0 })]
    const rows = [rowOf(1), rowOf(2, { sourceId: 2, countedIn: 2 })]
    const facts = await factsOf({ ...NO_RECORDS, sources, rows })
    expect(facts.totals).toMatchObject({ read: 2, ready: 2 })
    expect(facts.balanced).toBe(false)
  })

  it('keeps no cell of a row in doubt, and of many the first 50', async () => {
    const answer = '{"status":"maybe"}'
    const rows = Array.from({ length: 60 }, (_, index) =>
      rowOf(index + 1, { state: 'in_doubt', attempts: 1, lastAttempt: attemptOf({ answer }) }),
    )
    const { parts, inDoubt } = await factsOf(valueOf(rows))
    expect(inDoubt.first[0]?.row).toMatchObject({ cells: null, lastAttempt: { answer } })
    expect([parts.inDoubt, inDoubt.total, inDoubt.first.length, inDoubt.first.at(-1)?.row.id]).toEqual([
      60, 60, 50, 50,
    ])
  })

  it('shows the ten first debits that are due earliest, in order', async () => {
    const days = [20, 3, 17, 9, 28, 1, 14, 6, 25, 11, 2, 22]
    const rows = days.map((day, index) =>
      registeredRow(index + 1, { latestFirstDebit: `2026-07-${String(day).padStart(2, '0')}` }),
    )
    const never = [registeredRow(50), rowOf(51, { latestFirstDebit: '2026-01-01' })]
    const { firstDebits } = await factsOf(valueOf([...rows, ...never]))
    expect(firstDebits.map(({ latestFirstDebit }) => Number(latestFirstDebit?.slice(-2)))).toEqual([
      1, 2, 3, 6, 9, 11, 14, 17, 20, 22,
    ])
  })

  it('explains a row by the latest decision on it; a repeated refusal explains nothing', async () => {
    const decisions = [
      decisionOf({ attemptId: null, reason: 'the first' }),
      decisionOf({ id: 2, attemptId: null, reason: 'the second' }),
      decisionOf({ id: 3, attemptId: null, decision: 'retry_refused', reason: 'run --retry-refused' }),
    ]
    const reader = readerOf(valueOf([rowOf(1, { state: 'written_off' })], { decisions }))
    const messages: string[] = []
    const files = {
      registered: () => undefined,
      row: (_: unknown, { message }: Explanation) => void messages.push(message),
      problem: () => undefined,
      decision: () => undefined,
      verified: () => undefined,
      drain: () => Promise.resolve(),
    }
    const facts = await walkLedger(reader, reader.sources(), files, TERMS)
    expect(messages).toEqual([expect.stringContaining('the second')])
    expect(facts.decisions.total).toBe(3)
  })

  it('hands every row and problem to the files, page by page', async () => {
    const rows = Array.from({ length: 1_200 }, (_, index) => rowOf(index + 1))
    const value = valueOf(rows, { problems: [problemOf(), problemOf({ id: 2 })] })
    const reader = readerOf(value)
    const seen: number[] = []
    const sizes: number[] = []
    let problems = 0
    const files = {
      registered: ({ id }: { id: number }) => void seen.push(id),
      row: ({ id }: { id: number }) => void seen.push(id),
      problem: () => void (problems += 1),
      decision: () => undefined,
      verified: () => undefined,
      drain: () => Promise.resolve(void sizes.push(seen.length)),
    }
    await walkLedger(reader, reader.sources(), files, TERMS)
    expect(seen).toEqual(rows.map(({ id }) => id))
    expect(problems).toBe(2)
    expect(sizes.length).toBeGreaterThan(2)
  })

  it('says the same of registered rows that come without their requests, and hands all of them over', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) =>
      index % 7 === 3
        ? rowOf(index + 1, { state: 'refused', attempts: 1, lastAttempt: attemptOf({ status: 422 }) })
        : registeredRow(index + 1, { latestFirstDebit: `2026-0${1 + (index % 9)}-15` }),
    )
    const value = valueOf(rows)
    const walked = async (reader: ReturnType<typeof readerOf>) => {
      const handed: number[] = []
      const files = {
        registered: ({ id }: { id: number }) => void handed.push(id),
        row: ({ id }: { id: number }) => void handed.push(id),
        problem: () => undefined,
        decision: () => undefined,
        verified: () => undefined,
        drain: () => Promise.resolve(),
      }
      return {
        facts: await walkLedger(reader, reader.sources(), files, TERMS),
        handed: handed.sort((a, b) => a - b),
      }
    }
    const brief = await walked(readerOf(value))
    expect(brief.handed.length).toBe(3_000)
    expect(brief.facts.parts.registered).toBe(2_571)
  })

  it('hands each row in doubt over with what was shown of it, and counts the proposals', async () => {
    const SENT = '2026-06-15T10:00:00.000Z'
    const nothing = {
      kind: 'nothing',
      firstAskedAt: SENT,
      firstAnsweredAt: SENT,
      lastAskedAt: '2026-06-16T12:00:00.000Z',
      questions: 2,
      present: 3,
    } as const
    const doubt = { wasEverShown: false, runId: 1, sentAt: SENT }
    const value = valueOf(
      [
        rowOf(1),
        rowOf(2, { state: 'in_doubt' }),
        rowOf(3, { state: 'sending' }),
        rowOf(4, { state: 'in_doubt' }),
        rowOf(5, { state: 'in_doubt' }),
        rowOf(6, { state: 'refused' }),
        rowOf(7, { state: 'in_doubt' }),
      ],
      {
        shown: [
          { rowId: 2, ...doubt, shown: nothing },
          { rowId: 4, ...doubt, shown: { kind: 'something', verdict: 'other' } },
          { rowId: 6, ...doubt, shown: nothing }, // decided while the report was written
          { rowId: 7, ...doubt, runId: 2, shown: { ...nothing, present: 0 } },
        ],
      },
    )
    const handed: unknown[] = []
    const files = {
      registered: () => undefined,
      row: ({ id }: { id: number }, _: unknown, absence: Absence | null) =>
        void handed.push([id, absence?.kind ?? null]),
      problem: () => undefined,
      decision: () => undefined,
      verified: () => undefined,
      drain: () => Promise.resolve(),
    }
    const reader = readerOf(value)
    const facts = await walkLedger(reader, reader.sources(), files, TERMS)
    expect(handed).toEqual([
      [1, null],
      [2, 'resend'],
      [3, null],
      [4, 'something'],
      [5, null],
      [6, null],
      [7, 'nothing_present'],
    ])
    expect(facts.proposals).toBe(1)
    const later = { absentAfterMs: 48 * 60 * 60_000 }
    expect((await walkLedger(reader, reader.sources(), files, later)).proposals).toBe(0)
  })

  it('ends at once when it is told to', async () => {
    const reader = readerOf(valueOf([rowOf(1)]))
    const files = {
      registered: () => undefined,
      row: () => undefined,
      problem: () => undefined,
      decision: () => undefined,
      verified: () => undefined,
      drain: () => Promise.resolve(),
    }
    const walk = walkLedger(reader, reader.sources(), files, { ...TERMS, signal: AbortSignal.abort() })
    await expect(walk).rejects.toMatchObject({ name: 'AbortError' })
  })
})
