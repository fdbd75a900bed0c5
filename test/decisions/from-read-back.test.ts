import { describe, expect, it } from 'vitest'
import type { ReadBackEvidence } from '../../src/domain/proof/match-sources.js'
import { send, stoppedClock, runningAt } from '../ledger/campaign-setup.js'
import { inDoubt, registered } from '../ledger/outcomes.js'
import { mandates } from '../ledger/records.js'
import { listed, startReadBack } from '../ledger/heard-answer.js'
import { decideFromReadBack } from '../../src/decisions/reconcile.js'
import type { Outcome } from '../../src/domain/row/row-state.js'

const BY = { by: 'Ada', reason: 'read back at night' }

const source = (reference: string | null, id = 'ps-1') => ({
  ...{ id, status: 'PENDING', reference, accountMasked: 'DE…3000', signedDate: '2020-01-31' },
})

const ABSENT = { verdict: 'absent', why: null, sources: [] } as const

const proven = (reference: string | null = 'NEW-1'): ReadBackEvidence => ({
  verdict: 'proven',
  why: null,
  sources: [source(reference)],
})

/** Row 1 in doubt; the rows after it as given. `read` records evidence about row 1. */
async function campaign(others: readonly Outcome[] = [registered('NEW-9')], clock = stoppedClock()) {
  const ledger = runningAt(clock, mandates(1 + others.length, 1001))
  for (const outcome of [inDoubt(), ...others]) await send(ledger, outcome)
  const { id } = startReadBack(ledger, 'in_doubt')
  const read = (evidence: ReadBackEvidence, attempts = 1): void =>
    ledger.readBacks.record(id, [listed(1001, [{ rowId: 1, attempts, evidence }])])
  return { ledger, reader: ledger.view, read, id }
}

describe('decisions from a read-back', () => {
  it('call registered what is proven, with the evidence in the decision, and the ledger takes them', async () => {
    const { ledger, reader, read, id } = await campaign([registered('NEW-8'), registered('NEW-9')])
    read(proven())
    const { resolutions, leftOpen, notAsked } = decideFromReadBack(reader, BY)
    expect({ leftOpen, notAsked }).toEqual({ leftOpen: [], notAsked: 0 })
    expect(resolutions).toEqual([
      {
        ...BY,
        rowId: 1,
        decision: 'registered',
        assigned: { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: 'NEW-1' },
        evidence: `read back at 2026-06-15T10:00:01.000Z (read-back ${id}, question read-1001): payment source ps-1; creditor identifier as of all registered rows`,
        attempt: 1,
      },
    ])
    expect(ledger.resolve(resolutions, { dryRun: false })).toMatchObject({ isApplied: true })
    expect(ledger.view.row(1)).toMatchObject({ state: 'registered', assignedMandateReference: 'NEW-1' })
    expect(ledger.view.decisionsOfRow(1)).toMatchObject([{ reason: BY.reason, by: 'Ada' }])
    expect(decideFromReadBack(reader, BY).resolutions).toEqual([])
  })

  it('leave open what may be another mandate: one that a row has here, or that another ledger claimed', async () => {
    const { reader, read } = await campaign()
    read(proven('new-9'))
    const why = (of: typeof reader): string | undefined => {
      const { resolutions, leftOpen } = decideFromReadBack(of, BY)
      return resolutions.length === 0 ? leftOpen[0]?.why : undefined
    }
    expect(why(reader)).toContain('the service holds it as "new-9", which row 2 has here')
    const beside = runningAt(stoppedClock(), mandates(2, 1001))
    beside.claims.hold([{ row: 1, place: 'b.db', alike: 1 }], { MANDATE_RESEMBLES_SENT: 'warning' })
    for (const outcome of [inDoubt(), registered('NEW-9')]) await send(beside, outcome)
    const { id } = startReadBack(beside, 'in_doubt')
    beside.readBacks.record(id, [listed(1001, [{ rowId: 1, attempts: 1, evidence: proven() }])])
    expect(why(beside.view)).toContain('another ledger claimed a mandate')
  })

  it.each([
    ['no row is registered', [], 'no row of this campaign is registered'],
    [
      'registered rows have different creditor identifiers',
      [registered('NEW-8'), registered('NEW-9', 'DE98ZZZ09999999999')],
      'different creditor identifiers',
    ],
  ] as const)('leave a proven row open where %s, with its reference', async (_, others, why) => {
    const { reader, read } = await campaign(others)
    read(proven())
    const { resolutions, leftOpen } = decideFromReadBack(reader, BY)
    expect(resolutions).toEqual([])
    expect(leftOpen).toMatchObject([{ rowId: 1 }])
    expect(leftOpen[0]?.why).toContain('the service holds it as "NEW-1"')
    expect(leftOpen[0]?.why).toContain(why)
  })

  it.each([
    [ABSENT, 'no payment source'],
    [{ verdict: 'twice', why: null, sources: [source('A', 'ps-1'), source('B', 'ps-2')] }, 'more than once'],
    [{ verdict: 'other', why: 'ended', sources: [source('A')] }, 'none of which is certainly this mandate'],
    [{ verdict: 'unreadable', why: 'a source lacks what is compared', sources: [] }, 'cannot be compared'],
    [proven(null), 'does not show its reference'],
  ] as const)('never follow from %j', async (evidence, why) => {
    const { reader, read } = await campaign()
    read(evidence)
    const { resolutions, leftOpen } = decideFromReadBack(reader, BY)
    expect(resolutions).toEqual([])
    expect(leftOpen).toMatchObject([{ rowId: 1, why: expect.stringContaining(why) as string }])
  })

  it('never follow from absence either, and say what is missing, or that it is proposed', async () => {
    const clock = stoppedClock('2026-06-14T09:00:00.000Z')
    const { ledger, reader, id } = await campaign([registered('NEW-9')], clock)
    const hear = (rowId: number, verdict: 'absent' | 'proven', at: string): void => {
      const proofs = [{ rowId, attempts: 1, evidence: { verdict, why: null, sources: [] } }]
      ledger.readBacks.record(id, [{ ...listed(1000 + rowId, proofs), askedAt: at, answeredAt: at }])
    }
    const whyOf = () => {
      const { resolutions, leftOpen } = decideFromReadBack(reader, BY)
      expect(resolutions).toEqual([])
      return leftOpen[0]?.why
    }
    hear(1, 'absent', '2026-06-14T10:00:00.000Z')
    expect(whyOf()).toBe(
      'asked once, 2026-06-14 10:00:00 UTC: no payment source of the customer; ask again from 2026-06-15 09:00:00 UTC',
    )
    hear(1, 'absent', '2026-06-15T10:00:00.000Z')
    expect(whyOf()).toContain('the same read-backs showed no registered row,')
    hear(2, 'proven', '2026-06-15T10:00:00.000Z')
    expect(whyOf()).toMatch(/^asked 2 times .*1 registered row .*; to-do\/in-doubt\.csv proposes resend$/)
    expect(decideFromReadBack(reader, BY, 26 * 60 * 60_000).leftOpen[0]?.why).toContain('; ask again from')
  })

  it('rest on the latest evidence, and on none from before the latest request', async () => {
    const { reader, read } = await campaign()
    expect(decideFromReadBack(reader, BY)).toEqual({ resolutions: [], leftOpen: [], notAsked: 1 })
    read(proven(), 0)
    expect(decideFromReadBack(reader, BY)).toEqual({ resolutions: [], leftOpen: [], notAsked: 1 })
    read(ABSENT)
    read(proven())
    expect(decideFromReadBack(reader, BY).resolutions).toHaveLength(1)
    read(ABSENT)
    expect(decideFromReadBack(reader, BY).resolutions).toEqual([])
  })

  it('hold many rows apart, page by page', async () => {
    const many = Array.from({ length: 1_100 }, () => inDoubt())
    const { ledger, reader } = await campaign(many.slice(1))
    const { id } = startReadBack(ledger)
    for (const row of [1, 600, 1_100])
      ledger.readBacks.record(id, [
        listed(1_000 + row, [{ rowId: row, attempts: 1, evidence: proven(`NEW-${row}`) }]),
      ])
    const { leftOpen, notAsked } = decideFromReadBack(reader, BY)
    expect(leftOpen.map(({ rowId }) => rowId)).toEqual([1, 600, 1_100])
    expect(notAsked).toBe(1_097)
  })
})
