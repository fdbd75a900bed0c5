import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/domain/rule/verdict.js'
import { textOfPlan } from '../../../src/domain/plan/plan.js'
import type { ApprovalGiven, Ledger } from '../../../src/ledger/ledger.js'
import { admit, inDoubt, open, refused, registered, send, SETTINGS, stoppedClock } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'
import { planOf } from './plan-document.js'

const PLAN = planOf()

const approval = (more: Partial<ApprovalGiven> = {}): ApprovalGiven => ({
  digest: PLAN.digest,
  by: 'Grace',
  as: 'grace',
  reason: 'compared',
  expiresAt: '2026-06-18T10:00:00.000Z',
  evidence: null,
  ...more,
})

const error = (rule: Finding['rule']): Finding => ({
  rule,
  severity: 'error',
  field: 'iban',
  value: '',
  message: 'm',
  remedy: 'r',
})

const under = (digest: string) => ({ ...SETTINGS, settings: { concurrency: 8, plan: digest } })

/** Customers 1001 to 1004, ready. */
function campaign(): Ledger {
  const ledger = open({ clock: stoppedClock() })
  admit(
    ledger,
    [1, 2, 3, 4].map((n) => ({ customerNo: 1000 + n, reference: `M-${n}` })),
  )
  return ledger
}

describe('plans and approvals on record', () => {
  it('come back as they were given, a plan once', () => {
    const ledger = campaign()
    ledger.plans.record(PLAN)
    ledger.plans.record(PLAN)
    expect(ledger.plans.approve(approval({ evidence: 'approval.json (SHA-256 12)' }))).toBe(false)
    expect(ledger.view.plans()).toEqual([
      {
        id: 1,
        digest: PLAN.digest,
        plannedAt: PLAN.plannedAt,
        plannedBy: 'Ada',
        plannedAs: 'ada',
        lastDecision: 0,
        document: PLAN,
        text: textOfPlan(PLAN),
        approvals: [
          {
            id: 1,
            approvedAt: '2026-06-15T10:00:00.000Z',
            approvedBy: 'Grace',
            approvedAs: 'grace',
            reason: 'compared',
            isSamePerson: false,
            expiresAt: '2026-06-18T10:00:00.000Z',
            evidence: 'approval.json (SHA-256 12)',
          },
        ],
      },
    ])
  })

  it.each([
    ['the name', { by: ' ada ' }],
    ['the user of the system', { as: 'ada' }],
  ])('need a second person: %s is that of the planner', (_, more) => {
    const ledger = campaign()
    ledger.plans.record(PLAN)
    expect(() => ledger.plans.approve(approval(more))).toThrow(
      /The plan needs a second person: .*nothing was/,
    )
    expect(ledger.view.plans()[0]?.approvals).toEqual([])
    expect(ledger.plans.approve(approval({ ...more, allowsSamePerson: true }))).toBe(true)
    expect(ledger.view.plans()[0]?.approvals).toMatchObject([{ isSamePerson: true }])
  })

  it('are not called the same person where they are two, though it was allowed', () => {
    const ledger = campaign()
    ledger.plans.record(PLAN)
    expect(ledger.plans.approve(approval({ allowsSamePerson: true }))).toBe(false)
  })

  it.each([
    ['a plan that it did not record', { digest: 'f'.repeat(64) }, 'did not record that plan'],
    ['nobody', { by: ' ' }, 'needs a person and a reason'],
    ['no reason', { reason: '' }, 'needs a person and a reason'],
  ])('are refused for %s', (_, more, message) => {
    const ledger = campaign()
    ledger.plans.record(PLAN)
    expect(() => ledger.plans.approve(approval(more))).toThrow(message)
  })

  it('hold no account number that somebody typed', () => {
    const ledger = campaign()
    ledger.plans.record(PLAN)
    ledger.plans.approve(approval({ reason: 'DE89370400440532013000 looked at' }))
    expect(ledger.view.plans()[0]?.approvals[0]?.reason).not.toContain('0532013000')
  })

  it.each([
    ['update plan set document = 1', 'a plan never changes'],
    ['update approval set expires_at = 9', 'an approval never changes'],
    [`update approval set reason = 'other'`, 'an approval never changes'],
    ['delete from approval', 'the ledger never deletes'],
    ['delete from plan', 'the ledger never deletes'],
    [insertApproval({ digest: 'f'.repeat(64) }), 'an approval names the digest of its plan'],
    [insertApproval({ by: 'ADA' }), 'who planned approves only as the same person'],
    [insertApproval({ as: 'ada' }), 'who planned approves only as the same person'],
  ])('are held by the file itself: %s', (sql, message) => {
    const ledger = campaign()
    ledger.plans.record(PLAN)
    ledger.plans.approve(approval())
    expect(() => byHand(ledger.file, (db) => db.exec(sql))).toThrow(message)
  })
})

describe('a purge', () => {
  it('takes what the approver typed, and no more', () => {
    const ledger = open({ clock: stoppedClock() })
    ledger.plans.record(PLAN)
    const hash = `SHA-256 ${'1'.repeat(64)}`
    ledger.plans.approve(approval({ reason: 'asked Mrs Smith', evidence: `smith.json (${hash})` }))
    const [before] = ledger.view.plans()
    ledger.purge({ by: 'Ada', reason: 'signed off' })
    expect(ledger.view.plans()).toEqual([
      {
        ...before,
        approvals: [{ ...before?.approvals[0], reason: 'removed with the personal data', evidence: hash }],
      },
    ])
  })
})

function insertApproval({ digest = PLAN.digest, by = 'Grace', as = 'grace' }): string {
  return `insert into approval (plan_id, digest, approved_at, approved_by, approved_as, reason, same_person, expires_at)
    values (1, '${digest}', '2026', '${by}', '${as}', 'why', 0, '2027')`
}

describe('the rows of a plan', () => {
  it('are those that are ready, and stay the same set while they are sent', async () => {
    const ledger = campaign()
    const rows = ledger.view.plannedRows(null)
    expect(rows.count).toBe(4)
    ledger.startRun(under(PLAN.digest))
    expect(ledger.view.plannedRows(PLAN.digest)).toEqual(rows)
    for (const outcome of [registered('NEW-1'), refused(), inDoubt()]) await send(ledger, outcome)
    expect(ledger.view.plannedRows(PLAN.digest)).toEqual(rows)
    expect(ledger.view.plannedRows(null).count).toBe(1)
    expect(ledger.view.sentUnder(PLAN.digest)).toBe(3)
    expect(ledger.view.plannedRows('another')).toEqual(ledger.view.plannedRows(null))
  })

  it('are others where one more came in, or one was closed', () => {
    const ledger = campaign()
    const rows = ledger.view.plannedRows(null)
    admit(ledger, [{ customerNo: 2000, reference: 'M-9' }])
    const more = ledger.view.plannedRows(null)
    expect(more.count).toBe(5)
    expect(more.digest).not.toBe(rows.digest)
  })

  it('are told from those that a person sends once more, but for refused ones that were planned', async () => {
    const ledger = campaign()
    ledger.startRun(SETTINGS)
    await send(ledger, refused())
    const plain = { digest: PLAN.digest, lastDecision: 0, document: PLAN }
    const retrying = { ...plain, document: planOf({ retriesRefused: true }) }
    expect(ledger.view.readyAgainSince(plain)).toBe(0)
    ledger.retryRefused('Ada')
    expect(ledger.view.readyAgainSince(plain)).toBe(1)
    expect(ledger.view.readyAgainSince({ ...plain, lastDecision: 1 })).toBe(0)
    expect(ledger.view.readyAgainSince(retrying)).toBe(0)
    ledger.startRun(under(PLAN.digest))
    await send(ledger, refused())
    ledger.retryRefused('Ada') // one that the plan itself had sent
    expect(ledger.view.readyAgainSince(retrying)).toBe(1)
  })

  it('leave behind what cannot be sent, by state and rule', () => {
    const ledger = campaign()
    admit(ledger, [
      {
        customerNo: 1,
        reference: 'X-1',
        verdict: 'invalid',
        findings: [error('CUST_EMPTY'), error('CUST_FORMAT')],
      },
      { customerNo: 2, reference: 'X-2', verdict: 'excluded' },
      { customerNo: 3, reference: 'X-3', verdict: 'excluded' },
    ])
    expect(ledger.view.staysBehind()).toEqual([
      { state: 'excluded', rule: 'STATUS_NOT_ACTIVE', count: 2 },
      { state: 'invalid', rule: 'CUST_EMPTY', count: 1 },
    ])
  })
})
