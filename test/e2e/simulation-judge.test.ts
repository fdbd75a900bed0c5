import { describe, expect, it } from 'vitest'
import { type RowState, totalsOf, type Totals } from '../../src/domain/row/row-state.js'
import { startJudge } from './simulation-judge.js'
import type { ReceivedRequest } from './simulation-service.js'

/** One registered row, as both sides should see it; a test breaks one thing. */
function scene(mayRepeat = true) {
  const row = {
    ...{ id: 1, state: 'registered' as RowState, original: 'OLD-1', attempts: 1, reference: 'NEW-1' },
    ...{ iban: null as string | null, cells: null as string | null },
  }
  const parts = {
    row,
    rows: [row],
    attempts: [{ rowId: 1, runId: 1, requestId: 'r1', outcome: 'registered' }],
    decisions: [] as { rowId: number; fromState: RowState; toState: RowState }[],
    integrity: 'ok',
    requests: [{ customerNo: 1, requestId: 'r1' }] as ReceivedRequest[],
    applications: [{ reference: 'NEW-1' }],
    totals: totalsOf(1, new Map([['registered', 1]])),
  }
  const read = (sql: string): unknown[] => {
    if (sql.includes('integrity_check')) return [{ integrity_check: parts.integrity }]
    if (sql.includes('from attempt')) return parts.attempts
    return sql.includes('from decision') ? parts.decisions : parts.rows
  }
  const judge = startJudge(
    1,
    { read: read as <Value>(sql: string) => Value[] },
    {
      get requests() {
        return parts.requests
      },
      applicationsOf: () => parts.applications,
    },
    mayRepeat,
  )
  return { parts, judge }
}

function violationsAfter(change: (parts: ReturnType<typeof scene>['parts']) => void, mayRepeat = true) {
  const { parts, judge } = scene(mayRepeat)
  change(parts)
  judge.atTheEnd(parts.totals)
  return judge.violations
}

/** A row that the service does not hold and that the program calls by this state. */
function unsent(parts: ReturnType<typeof scene>['parts'], state: RowState): void {
  Object.assign(parts.row, { state, reference: null, iban: 'DE89370400440532013000', cells: '[]' })
  parts.totals = totalsOf(1, new Map([[state, 1]]))
}

describe('the judge', () => {
  it('finds nothing where both sides agree', () => {
    expect(violationsAfter(() => undefined)).toEqual([])
  })

  it.each<[string, (parts: ReturnType<typeof scene>['parts']) => void]>([
    ['I1', ({ applications }) => applications.push({ reference: 'NEW-2' })],
    ['I2', (parts) => (parts.totals = { ...parts.totals, read: 2 } satisfies Totals)],
    ['I2', (parts) => (parts.totals = totalsOf(2, new Map([['registered', 2]])))],
    ['I2', ({ rows }) => rows.pop()],
    ['I2', ({ row }) => (row.attempts = 2)],
    ['I4', ({ row }) => (row.reference = 'NEW-9')],
    ['I4', ({ applications }) => applications.pop()],
    ['I4', (parts) => unsent(parts, 'refused')],
    ['I4', (parts) => unsent(parts, 'ready')],
    ['I4', (parts) => unsent(parts, 'duplicate')],
    ['I5', ({ row }) => (row.iban = 'DE89370400440532013000')],
    ['I5', ({ row }) => (row.cells = '[]')],
    ['I7', (parts) => (parts.integrity = 'row 3 missing from index')],
    ['intent', ({ requests }) => requests.push({ customerNo: 1, requestId: 'r2' })],
    ['intent', ({ attempts }) => (attempts[0]!.outcome = 'not_sent')],
    [
      'bound',
      (parts) => {
        const own = { rowId: 1, runId: 1, outcome: 'turned_away' }
        parts.attempts = Array.from({ length: 9 }, (_, n) => ({ ...own, requestId: `r${n + 1}` }))
        parts.row.attempts = 9
      },
    ],
  ])('finds a breach of %s', (invariant, change) => {
    const violations = violationsAfter(change)
    expect(violations).toHaveLength(1)
    expect(violations[0]?.startsWith(invariant)).toBe(true)
  })

  it('lets a second application pass that a person approved, unless what was read back told better', () => {
    const approve =
      (fromState: RowState) =>
      ({ applications, decisions }: ReturnType<typeof scene>['parts']): void => {
        applications.push({ reference: 'NEW-2' })
        decisions.push({ rowId: 1, fromState, toState: 'ready' })
      }
    expect(violationsAfter(approve('in_doubt'))).toEqual([])
    expect(violationsAfter(approve('in_doubt'), false)).toHaveLength(1)
    expect(violationsAfter(approve('refused')), 'a retry is no approval').toHaveLength(1)
  })

  it('counts the rows in doubt after a death against the slots, and finds rows left under way', () => {
    const { parts, judge } = scene()
    judge.afterStart({ recovered: 4, totals: () => parts.totals }, 4)
    expect(judge.violations).toEqual([])
    judge.afterStart({ recovered: 5, totals: () => parts.totals }, 4)
    expect(judge.violations).toHaveLength(1)
    expect(judge.violations[0]).toMatch(/^I3/)
    const sending = totalsOf(1, new Map([['sending', 1]]))
    judge.afterStart({ recovered: 0, totals: () => sending }, 4)
    expect(judge.violations.at(-1)).toMatch(/^recovery/)
  })

  it('remembers what was registered', () => {
    const { parts, judge } = scene()
    judge.look('first', parts.totals)
    unsent(parts, 'in_doubt')
    judge.look('later', parts.totals)
    expect(judge.violations).toEqual(['I4 later: row 1 was registered and has changed'])
  })
})
