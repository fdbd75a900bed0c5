import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { renderManifest, renderSummary } from '../../../src/report/files/manifest.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { factsOf } from '../facts-value.js'
import {
  IBAN,
  NO_RECORDS,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'

const FACTS = factsOf({
  ...NO_RECORDS,
  sources: [sourceOf({ records: 4, resubmitted: 1 })],
  rows: [
    registeredRow(1),
    rowOf(2, { state: 'written_off' }),
    rowOf(3, { state: 'superseded', supersededBy: 4, countedIn: null }),
    rowOf(4, { corrects: 3 }),
  ],
  runs: [runOf({ settings: { concurrency: 8 } })],
})

describe('summary.json', () => {
  it('says of every row in which file it is, or that it is in none', async () => {
    const summary = JSON.parse(renderSummary(await FACTS)) as {
      files: Record<string, { rows: number }>
      inNoFile: Record<string, number>
      totals: Record<string, number>
      balanced: boolean
    }
    expect(summary.files).toMatchObject({
      'registered.csv': { rows: 1 },
      'not-sent.csv': { rows: 1 },
      'refused.csv': { rows: 0 },
    })
    expect(summary.inNoFile).toEqual({ superseded: 0, writtenOff: 1 })
    expect(summary.totals).toMatchObject({ read: 3, resubmitted: 1 })
    expect(summary.balanced).toBe(true)
  })

  it('names plans and approvals, as the manifest does', async () => {
    const document = planOf()
    const { digest, plannedAt, plannedBy, plannedAs } = document
    const approval = {
      id: 1,
      approvedAt: '2026-06-15T09:00:00.000Z',
      approvedBy: 'Grace',
      recordedAs: 'ada',
      expiresAt: '2026-06-18T09:00:00.000Z',
      reference: null,
      signature: 'x',
      key: 'ab'.repeat(32),
    }
    const plan = { id: 1, digest, plannedAt, plannedBy, plannedAs, lastDecision: 0, document, text: '' }
    const facts = await factsOf({ ...NO_RECORDS, plans: [{ ...plan, approvals: [approval] }] })
    const { plans } = JSON.parse(renderSummary(facts)) as { plans: object[] }
    expect(plans).toMatchObject([{ digest, rows: document.rows, approvals: [{ approvedBy: 'Grace' }] }])
    const written = {
      files: [],
      decisions: { count: 0, head: '0'.repeat(64) },
      language: 'en',
      absentAfterMs: 0,
    } as const
    expect((JSON.parse(renderManifest(facts, written)) as { plans: object[] }).plans).toEqual(plans)
  })

  it('says how many registered rows were proven at the service, and nothing where nobody asked', async () => {
    const verificationIn = async (value: LedgerValue) => {
      const { verification, files } = JSON.parse(renderSummary(await factsOf(value))) as Record<
        'verification' | 'files',
        object | null
      >
      return { verification, rows: (files as Record<string, object>)['verification.csv'] }
    }
    const value = { ...NO_RECORDS, sources: [sourceOf({ records: 2 })] }
    const rows = [registeredRow(1), registeredRow(2)]
    expect(await verificationIn({ ...value, rows })).toEqual({ verification: null, rows: undefined })
    expect(await verificationIn({ ...value, rows, verified: [verifiedRow(1)], sample: 1 })).toEqual({
      verification: {
        registered: 2,
        missing: 0,
        twice: 0,
        different: 0,
        unreadable: 0,
        proven: 1,
        notAsked: 1,
        firstAt: '2026-06-15T11:00:00.000Z',
        lastAt: '2026-06-15T11:00:00.000Z',
        sample: 1,
      },
      rows: { rows: 1 },
    })
  })

  it('has hash totals under the name of every state, those of no row included, and says how they are made', async () => {
    const { hashTotals, definitions, totals } = JSON.parse(renderSummary(await FACTS)) as Record<
      string,
      object
    >
    const states = Object.keys(totals ?? {}).filter((name) => name !== 'read' && name !== 'resubmitted')
    expect(states).toHaveLength(ROW_STATES.length)
    expect(Object.keys(hashTotals ?? {}).sort()).toEqual(['read', ...states].sort())
    expect(definitions).toHaveProperty('pairDigest')
  })

  it('of two reports of an unchanged ledger is the same, byte by byte, and holds no account', async () => {
    const facts = await FACTS
    expect(renderSummary(facts)).toBe(renderSummary(facts))
    expect(renderSummary(facts)).not.toContain(IBAN)
    expect(renderSummary(facts).endsWith('}\n')).toBe(true)
  })
})
