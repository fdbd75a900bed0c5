import { describe, expect, it } from 'vitest'
import { planStanding, planStandingLine } from '../../../src/cli/plan/plan-lines.js'
import type { PlanRecord } from '../../../src/ledger/read/reader.js'
import { open, stoppedClock } from '../../ledger/campaign-setup.js'
import { recorded } from '../../ledger/plan/approvals.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'

/** The plan as the ledger gives it, with approvals that end at these times. */
function planned(expiries: readonly string[], limit: number | null = null): PlanRecord {
  const ledger = open({ clock: stoppedClock() })
  const document = planOf({ limit })
  const { digest } = document
  ledger.plans.record(document, [])
  expiries.forEach((expiresAt, at) =>
    ledger.plans.approve(recorded(digest, { approvedBy: `Approver ${at}`, expiresAt })),
  )
  const [record] = ledger.view.plans()
  if (record === undefined) throw new Error('The plan was not recorded')
  return record
}

const NOON = Date.parse('2026-06-16T12:00:00.000Z')
const text = (record: PlanRecord): string => wordsOf(planStandingLine(record, NOON))

describe('where the latest plan stands', () => {
  it('says by whom, of how many rows, and whether an approval counts now', () => {
    expect(text(planned([]))).toMatch(
      /^Latest plan: \w{12} by Ada, .* UTC, 3 rows; no approval on record yet$/,
    )
    expect(text(planned(['2026-06-16T12:00:01.000Z']))).toContain(
      'approved by Approver 0 until 2026-06-16 12:00:01 UTC',
    )
    expect(text(planned(['2026-06-16T12:00:00.000Z']))).toContain(
      'the approval by Approver 0 ended at 2026-06-16 12:00:00 UTC',
    )
  })

  it('takes the approval that counts longest, and a limit below the rows', () => {
    const record = planned(['2026-06-17T00:00:00.000Z', '2026-06-16T00:00:00.000Z'], 2)
    expect(planStanding(record)).toMatchObject({ rows: 2, approvedBy: 'Approver 0' })
    expect(text(record)).toContain(', 2 rows; approved by Approver 0 until 2026-06-17')
  })
})
