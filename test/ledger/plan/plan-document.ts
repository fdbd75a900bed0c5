import { createHash } from 'node:crypto'
import { textOfPlan, type PlanDocument } from '../../../src/domain/plan/plan.js'
import { totalsOf } from '../../../src/domain/row/row-state.js'

/** Settings of a plan that names these approvers. */
export const approvedBy = (approvers: Readonly<Record<string, string>>): Pick<PlanDocument, 'settings'> => ({
  settings: { concurrency: 8, rate: 5, proxy: null, approvers },
})

/** A plan of one source and three rows, with what the test says. */
export function planOf(more: Partial<PlanDocument> = {}): PlanDocument {
  const document: PlanDocument = {
    digest: '',
    kind: 'sepa-migrate-plan',
    schemaVersion: 1,
    ledgerId: '7f3b7c1e',
    plannedAt: '2026-06-15T08:00:00.000Z',
    plannedBy: 'Ada',
    plannedAs: 'ada',
    version: '0.1.0',
    target: { baseUrl: 'https://billing.example/', username: 'acme' },
    sources: [{ name: 'export.csv', sha256: 'ab'.repeat(32), bytes: 240, records: 4 }],
    totals: totalsOf(
      4,
      new Map([
        ['ready', 3],
        ['invalid', 1],
      ]),
    ),
    rows: { count: 3, digest: 'cd'.repeat(32) },
    limit: null,
    retriesRefused: false,
    choice: null,
    creditors: [{ creditorIdentifier: 'DE98ZZZ09999999999', count: 3 }],
    warnings: [{ rule: 'IBAN_SHARED', count: 2 }],
    staysBehind: [{ state: 'invalid', rule: 'IBAN_CHECKSUM', count: 1 }],
    corrections: { rows: 0, fields: [], first: [] },
    treatedAsActive: [],
    readAs: [],
    sharedFiles: [],
    asOf: '2026-06-15',
    ...approvedBy({}),
    changedSettings: ['rate'],
    expectedMs: 600,
    ...more,
  }
  const { digest: _, ...body } = document
  return { ...document, digest: more.digest ?? createHash('sha256').update(textOfPlan(body)).digest('hex') }
}
