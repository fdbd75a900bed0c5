import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/domain/rule/verdict.js'
import { textOfPlan } from '../../../src/domain/plan/plan.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { admit, holding, open, send, SETTINGS } from '../campaign-setup.js'
import { inDoubt, refused, registered, turnedAway } from '../outcomes.js'
import { mandates } from '../records.js'
import { byHand } from '../ledger-views.js'
import { newKey, recorded, signed } from './approvals.js'
import { approvedBy, planOf } from './plan-document.js'

const [GRACE, EVE] = [newKey(), newKey()]
/** Without approvers, and with one. */
const [BARE, PLAN] = [planOf(), planOf(approvedBy({ Grace: GRACE.key }))]

const error = (rule: Finding['rule']): Finding => ({
  ...{ rule, severity: 'error', field: 'iban', value: '', message: 'm', remedy: 'r' },
})

const under = (digest: string) => ({ ...SETTINGS, settings: { concurrency: 8, plan: digest } })

/** A ledger with the plan on record. */
function planned(plan = BARE): Ledger {
  const ledger = open()
  ledger.plans.record(plan)
  return ledger
}

describe('plans and approvals on record', () => {
  it('come back as they were given, each once', () => {
    const ledger = planned(PLAN)
    ledger.plans.record(PLAN)
    const given = signed(PLAN.digest, GRACE)
    expect(ledger.plans.approve(given)).toBe(1)
    const { plan: _, ...kept } = given
    expect(ledger.view.approvers()).toEqual([{ name: 'Grace', key: GRACE.key }])
    expect(ledger.view.plans()).toEqual([
      {
        ...{ id: 1, digest: PLAN.digest, lastDecision: 0 },
        ...{ document: PLAN, text: textOfPlan(PLAN), approvals: [{ id: 1, ...kept, key: GRACE.key }] },
      },
    ])
  })

  it.each([
    ['a plan that it did not record', recorded('f'.repeat(64)), 'FOREIGN KEY constraint failed'],
    ['nobody', recorded(BARE.digest, { approvedBy: '' }), 'CHECK constraint failed: approved_by'],
    ['no reference', recorded(BARE.digest, { reference: '' }), 'CHECK constraint failed: reference'],
  ])('are refused for %s', (_, given, message) => {
    const ledger = planned()
    expect(() => ledger.plans.approve(given)).toThrow(message)
    expect(ledger.view.plans()[0]?.approvals).toEqual([])
  })

  it.each([
    ["another's key", signed(PLAN.digest, EVE)],
    ['no key', recorded(PLAN.digest)],
  ])('count with the key of an approver alone, where these are bound: not with %s', (_, given) => {
    const ledger = planned(PLAN)
    expect(() => ledger.plans.approve(given)).toThrow(
      `with the key of an approver alone: Grace (key ${GRACE.key})`,
    )
  })

  it('are bound to the approvers of the first plan', () => {
    const bound = planned(PLAN)
    const refused = 'not those that this ledger was bound to with its first plan; nothing was planned'
    const others = { Grace: GRACE.key, Eve: EVE.key }
    for (const named of [{ Grace: EVE.key }, { Eve: GRACE.key }, {}, others])
      expect(() => bound.plans.record(planOf(approvedBy(named)))).toThrow(refused)
    expect(() => planned().plans.record(PLAN)).toThrow(refused)
    expect(bound.view.plans()).toHaveLength(1)
  })

  it('show no key for a signature that was put there by hand', () => {
    const ledger = planned(PLAN)
    const { signature } = signed(PLAN.digest, GRACE, { approvedBy: 'Linus' })
    byHand(ledger.file, (db) => void db.exec(insertApproval({ signature: `'${signature ?? ''}'` })))
    expect(ledger.view.plans()[0]?.approvals).toMatchObject([{ signature, key: null }])
  })

  it('are of the plan whose bytes were signed, whatever a hand on the file made of it', () => {
    const ledger = planned(PLAN)
    const other = planOf({ ...approvedBy({ Grace: GRACE.key }), limit: 40 })
    ledger.plans.record(other)
    ledger.plans.approve(signed(PLAN.digest, GRACE))
    const [guards, by] = [['plan_stays', 'approval_stays'], ledger.view]
    const hand = (sql: string): void =>
      byHand(
        ledger.file,
        (db) => void db.exec([...guards.map((name) => `drop trigger if exists ${name}`), sql].join(';')),
      )
    // The approval of the one given to the other.
    hand('update approval set digest = (select digest from plan where id = 2)')
    expect(by.plans().map(({ approvals }) => approvals.map(({ key }) => key))).toEqual([[], [null]])
    hand(`update approval set digest = '${PLAN.digest}'`)
    expect(by.plans().map(({ digest, approvals }) => [digest, approvals.length])).toEqual([
      [PLAN.digest, 1],
      [other.digest, 0],
    ])
    // Another document under the digest that was signed.
    hand(`update plan set document = (select document from plan where id = 2) where id = 1`)
    expect(by.plans().map(({ digest, approvals }) => [digest, approvals.length])).toEqual([
      [other.digest, 0],
      [other.digest, 0],
    ])
  })

  it('name the approver that the key is bound to, whoever the signature says', () => {
    const ledger = planned(PLAN)
    ledger.plans.approve(signed(PLAN.digest, GRACE, { approvedBy: 'Linus' }))
    expect(ledger.view.plans()[0]?.approvals).toMatchObject([{ approvedBy: 'Grace', key: GRACE.key }])
  })

  it.each([
    ['update plan set document = 1', 'a plan never changes'],
    ['update approval set expires_at = 9', 'an approval never changes'],
    [`update approval set reference = 'other'`, 'an approval never changes'],
    ['delete from approval', 'the ledger never deletes'],
    ['delete from plan', 'the ledger never deletes'],
    [insertApproval({ digest: 'f'.repeat(64) }), 'FOREIGN KEY constraint failed'],
    [insertApproval({ signature: 'null' }), 'an approval is signed where approvers are bound'],
  ])('are held by the file itself: %s', (sql, message) => {
    const ledger = planned(PLAN)
    ledger.plans.approve(signed(PLAN.digest, GRACE))
    expect(() => byHand(ledger.file, (db) => db.exec(sql))).toThrow(message)
  })
})

it('a purge takes what the approver typed, masked before, and no more', () => {
  const ledger = planned()
  ledger.plans.approve(recorded(BARE.digest, { reference: 'mail of Mrs Smith, DE89370400440532013000' }))
  const [before] = ledger.view.plans()
  expect(before?.approvals[0]?.reference).toBe('mail of Mrs Smith, DE…3000')
  ledger.purge({ by: 'Ada', reason: 'signed off' })
  const approvals = [{ ...before?.approvals[0], reference: 'removed with the personal data' }]
  expect(ledger.view.plans()).toEqual([{ ...before, approvals }])
})

function insertApproval({ digest = PLAN.digest, signature = `'x'` }): string {
  const reference = signature === 'null' ? `'mail'` : 'null'
  return `insert into approval (digest, approved_at, approved_by, expires_at, reference, signature)
    values ('${digest}', '2026', 'Grace', '2027', ${reference}, ${signature})`
}

it('rows that left are counted by the approval of their run, and those under none', async () => {
  const ledger = holding(mandates(4))
  ledger.plans.record(BARE)
  const approval = ledger.plans.approve(recorded(BARE.digest))
  ledger.startRun({ ...SETTINGS, settings: { plan: BARE.digest, approval } })
  for (const outcome of [registered('NEW-1'), turnedAway(), inDoubt()]) await send(ledger, outcome)
  ledger.startRun(SETTINGS)
  await send(ledger, refused())
  expect(ledger.view.sentByApproval()).toEqual([
    { approval: null, rows: 1 },
    { approval, rows: 2 },
  ])
})

describe('the rows of a plan', () => {
  it('are those that are ready, and stay the same set while they are sent', async () => {
    const ledger = holding(mandates(4))
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
    const ledger = holding(mandates(4))
    const rows = ledger.view.plannedRows(null)
    admit(ledger, [{ customerNo: 2000, reference: 'M-9' }])
    const more = ledger.view.plannedRows(null)
    expect(more.count).toBe(5)
    expect(more.digest).not.toBe(rows.digest)
  })

  it('are told from those that a person sends once more, but for refused ones that were planned', async () => {
    const ledger = holding(mandates(4))
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
    const ledger = holding(mandates(4))
    const findings = [error('CUST_EMPTY'), error('CUST_FORMAT')]
    admit(ledger, [
      { customerNo: 1, reference: 'X-1', verdict: 'invalid', findings },
      { customerNo: 2, reference: 'X-2', signedDate: '2021-02-01', verdict: 'excluded' },
      { customerNo: 3, reference: 'X-3', signedDate: '2021-02-01', verdict: 'excluded' },
    ])
    expect(ledger.view.staysBehind()).toEqual([
      { state: 'excluded', rule: 'STATUS_NOT_ACTIVE', count: 2 },
      { state: 'invalid', rule: 'CUST_EMPTY', count: 1 },
    ])
  })
})
