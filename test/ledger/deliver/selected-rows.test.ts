import { describe, expect, it } from 'vitest'
import type { SendingOrder, Wave } from '../../../src/domain/wave/wave.js'
import type { Ledger } from '../../../src/ledger/ledger.js'
import {
  admit,
  COLUMNS,
  HEADER,
  inDoubt,
  open,
  recordOf,
  refused,
  send,
  SETTINGS,
  stoppedClock,
  summaryOf,
} from '../campaign-setup.js'

/** Ready rows with these dates until when their first debit must run. */
function admitDated(ledger: Ledger, dates: readonly (string | null)[]): void {
  const admission = ledger.admit({ severities: {} })
  const source = admission.open({ name: 'export.csv', header: HEADER, columns: COLUMNS })
  source.add(
    dates.map((latestFirstDebit, index) => ({
      ...recordOf({ customerNo: index + 1, reference: `M-${index + 1}` }, index + 1),
      latestFirstDebit,
    })) as ReturnType<typeof recordOf>[],
  )
  source.close(summaryOf(dates.length))
  admission.commit()
}

/** Row ids by wave; what stands in none is the rest. */
function put(ledger: Ledger, waves: readonly Wave[], rows: readonly (readonly number[])[]): void {
  const admission = ledger.admit({ severities: {} })
  const declared = ledger.waves.declare(waves)
  for (const [index, ids] of rows.entries())
    for (const id of ids) ledger.waves.allot(id, declared[index]?.id ?? null)
  admission.commit()
}

function idsOf(
  ledger: Ledger,
  only: readonly string[] | null,
  order: SendingOrder = 'row',
  page = 2,
): number[] {
  const next = ledger.select({ only, order })
  const ids: number[] = []
  for (;;) {
    const rows = next(page)
    if (rows.length === 0) return ids
    expect(rows.length).toBeLessThanOrEqual(page)
    ids.push(...rows.map(({ id }) => id))
  }
}

const WAVES: Wave[] = [{ name: 'a' }, { name: 'b', held: true }, { name: 'c' }]

describe('the rows that a run selects', () => {
  it('come wave by wave, the rest last, and none of a wave that is held', () => {
    const ledger = open()
    admitDated(
      ledger,
      Array.from({ length: 8 }, () => null),
    )
    put(ledger, WAVES, [
      [5, 7],
      [1, 8],
      [2, 6],
    ])
    expect(idsOf(ledger, null)).toEqual([5, 7, 2, 6, 3, 4])
    expect(ledger.countSelected({ only: null, order: 'row' })).toBe(6)
    expect(idsOf(ledger, ['c', 'rest'])).toEqual([2, 6, 3, 4])
    expect(idsOf(ledger, ['rest'])).toEqual([3, 4])
    // Refused further up; here nothing of it is given out all the same.
    expect(idsOf(ledger, ['b'])).toEqual([])
    expect(ledger.countSelected({ only: ['b'], order: 'row' })).toBe(0)
  })

  it('go by the date until when they must be debited, within their wave; those without a date are in no hurry', () => {
    const ledger = open()
    admitDated(ledger, [null, '2027-01-01', '2026-12-01', '2026-12-01', '2025-01-01', null])
    put(ledger, [{ name: 'a' }], [[1, 2, 3]])
    expect(idsOf(ledger, null, 'first-debit-by')).toEqual([3, 2, 1, 5, 4, 6])
    expect(idsOf(ledger, null, 'row')).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('need no waves for an order', () => {
    const ledger = open()
    admitDated(ledger, ['2027-01-01', null, '2026-01-01'])
    expect(idsOf(ledger, null, 'first-debit-by', 1)).toEqual([3, 1, 2])
  })

  it('are those that are ready when their page is read', async () => {
    const ledger = open()
    admitDated(
      ledger,
      Array.from({ length: 4 }, () => null),
    )
    put(ledger, [{ name: 'a' }], [[3, 4]])
    const next = ledger.select({ only: null, order: 'row' })
    expect(next(1).map(({ id }) => id)).toEqual([3])
    ledger.startRun(SETTINGS)
    await send(ledger, refused())
    expect(next(10).map(({ id }) => id)).toEqual([4, 2])
  })

  it('leave out what may still arrive from an earlier request, until it cannot any more', async () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    admitDated(ledger, [null, null])
    ledger.startRun(SETTINGS)
    await send(ledger, inDoubt())
    clock.advance(60_000)
    const decided = { rowId: 1, by: 'Ada', reason: 'seen', assigned: null, evidence: null, attempt: null }
    const isApplied = ledger.resolve([{ ...decided, decision: 'resend' }], {
      dryRun: false,
      force: true,
    }).isApplied
    expect(isApplied).toBe(true)
    expect(idsOf(ledger, null, 'first-debit-by')).toEqual([1, 2])
  })

  it('that wait for an earlier request are neither counted nor given out', async () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    admit(ledger, [{}])
    ledger.startRun(SETTINGS)
    await send(ledger, inDoubt())
    clock.advance(16 * 60_000)
    const decided = { rowId: 1, by: 'Ada', reason: 'seen', assigned: null, evidence: null, attempt: null }
    ledger.resolve([{ ...decided, decision: 'refused' }], { dryRun: false })
    ledger.retryRefused('Ada')
    const selection = { only: null, order: 'first-debit-by' } as const
    expect(ledger.countSelected(selection)).toBe(ledger.countReady())
    expect(idsOf(ledger, null, 'first-debit-by')).toEqual(ledger.ready(0, 10).map(({ id }) => id))
  })

  it('of a wave that is not configured any more go with the rest', () => {
    const ledger = open()
    admitDated(ledger, [null, null, null])
    put(ledger, [{ name: 'old', held: true }], [[1, 3]])
    expect(idsOf(ledger, null)).toEqual([2])
    put(ledger, [{ name: 'new' }], [[3]])
    expect(idsOf(ledger, null)).toEqual([3, 1, 2])
    expect(idsOf(ledger, ['rest'])).toEqual([1, 2])
  })
})
