import { describe, expect, it } from 'vitest'
import type { ReadBackEvidence } from '../../../src/domain/proof/match-sources.js'
import type { HeardAnswer } from '../../../src/ledger/ledger.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { admit, send, stoppedClock, runningAt, decide } from '../campaign-setup.js'
import { inDoubt, refused, registered } from '../outcomes.js'
import { IBAN, OTHER_IBAN, mandates } from '../records.js'
import { listed, startReadBack } from '../heard-answer.js'
import { byHand } from '../ledger-views.js'

const SOURCE = { id: 'ps-1', status: 'PENDING', reference: 'NEW-1', accountMasked: 'DE…3000' }
const PROVEN: ReadBackEvidence = {
  ...({ verdict: 'proven', why: null } as const),
  sources: [{ ...SOURCE, signedDate: '2020-01-31' }],
}
const ABSENT: ReadBackEvidence = { verdict: 'absent', why: null, sources: [] }

const unanswered = (customerNo: number): HeardAnswer => ({
  ...listed(customerNo),
  answer: 'not_now',
  status: 503,
  reason: 'The service answered 503',
  sources: null,
})

/** Customers 1001 to 1006: 1001 and 1002 in doubt, 1003 registered, 1004 refused, 1005 and 1006 ready. */
async function campaign(clock = stoppedClock()): Promise<Ledger> {
  const ledger = runningAt(clock, mandates(6, 1001))
  for (const outcome of [inDoubt(), inDoubt(), registered('NEW-3'), refused()]) await send(ledger, outcome)
  return ledger
}

describe('the customers of a read-back', () => {
  it.each([
    ['in_doubt', [1002, 1001, 1003]],
    ['registered', [1003]],
    ['ready', [1005, 1006]],
    ['all', [1002, 1001, 1003, 1005, 1006]],
  ] as const)('of %s rows are each asked once, the newest doubt first', async (scope, customers) => {
    const ledger = await campaign()
    expect(startReadBack(ledger, scope)).toMatchObject({ isContinued: false, customers: customers.length })
    const pages = [2, 2, 2, 2].map((limit) => ledger.readBacks.next(limit))
    expect(pages.flat()).toEqual(customers)
  })

  it('stand once however many rows they have', async () => {
    const ledger = await campaign()
    admit(ledger, [
      { customerNo: 1005, reference: 'M-7', iban: OTHER_IBAN },
      { customerNo: 1001, reference: 'M-8', iban: OTHER_IBAN },
    ])
    startReadBack(ledger, 'all')
    expect(ledger.readBacks.next(100)).toEqual([1002, 1001, 1003, 1005, 1006])
  })

  it('of a sample are as many as asked for, and of these rows', async () => {
    const ledger = await campaign()
    expect(startReadBack(ledger, 'all', 2).customers).toBe(2)
    const drawn = ledger.readBacks.next(100)
    expect(drawn).toHaveLength(2)
    for (const customerNo of drawn) expect([1001, 1002, 1003, 1005, 1006]).toContain(customerNo)
  })
})

describe('a read-back that was broken off', () => {
  it('goes on with whoever gave no list yet, for a day', async () => {
    const clock = stoppedClock()
    const ledger = await campaign(clock)
    const first = startReadBack(ledger, 'all')
    ledger.readBacks.record(first.id, [listed(1002), unanswered(1003)])
    ledger.readBacks.end(first.id, 'signal')
    expect(startReadBack(ledger, 'all')).toEqual({ id: first.id, isContinued: true, customers: 4 })
    expect(ledger.readBacks.next(100)).toEqual([1001, 1003, 1005, 1006])
    expect(startReadBack(ledger, 'registered')).toMatchObject({ isContinued: false, customers: 1 })

    clock.advance(24 * 60 * 60_000)
    expect(startReadBack(ledger, 'all')).toMatchObject({ isContinued: false, customers: 5 })
  })

  it('is over once it has ended, and a sample is never gone on with', async () => {
    const ledger = await campaign()
    const whole = startReadBack(ledger, 'all')
    ledger.readBacks.record(whole.id, [listed(1001)])
    ledger.readBacks.end(whole.id, null)
    expect(startReadBack(ledger, 'all').isContinued).toBe(false)
    const drawn = startReadBack(ledger, 'in_doubt', 2)
    ledger.readBacks.record(drawn.id, [listed(1001)])
    expect(startReadBack(ledger, 'in_doubt', 2)).toMatchObject({ isContinued: false, customers: 2 })
    expect(startReadBack(ledger, 'in_doubt').isContinued).toBe(false)
  })
})

describe('rows that a list is held against', () => {
  it('are those that the service may hold or is yet to get, by account, date and reference', async () => {
    const ledger = await campaign()
    admit(ledger, [{ customerNo: 1003, reference: 'M-9', iban: OTHER_IBAN }])
    startReadBack(ledger, 'all')
    const rows = ledger.readBacks.rowsOf(1003)
    expect(rows).toMatchObject([
      { rowId: 3, attempts: 1, signedDate: '2020-01-31', reference: 'NEW-3' },
      { rowId: 7, attempts: 0, signedDate: '2020-01-31', reference: null },
    ])
    expect(rows.map(({ isAccount }) => isAccount(IBAN))).toEqual([true, false])
    expect(rows.map(({ isAccount }) => isAccount(OTHER_IBAN))).toEqual([false, true])
    expect(rows[0]?.accountKey).not.toBe(rows[1]?.accountKey)
  })

  it('are not what was refused, but are what a person called refused', async () => {
    const clock = stoppedClock()
    const ledger = await campaign(clock)
    startReadBack(ledger, 'all')
    expect(ledger.readBacks.rowsOf(1004)).toEqual([])
    clock.advance(16 * 60_000)
    decide(ledger, 1, 'refused')
    expect(ledger.readBacks.rowsOf(1001)).toMatchObject([{ rowId: 1 }])
  })
})

describe('what is to be sent, and turns out to be there', () => {
  it.each([
    ['proven', null, 'in_doubt'],
    ['other', 'ended', 'in_doubt'],
    ['other', 'differs', 'ready'],
    ['absent', null, 'ready'],
  ] as const)('%s (%s): the row is %s', async (verdict, why, state) => {
    const ledger = await campaign()
    const { id } = startReadBack(ledger, 'ready')
    ledger.readBacks.record(id, [
      listed(1005, [{ rowId: 5, attempts: 0, evidence: { ...PROVEN, verdict, why } }]),
    ])
    expect(ledger.view.row(5)).toMatchObject({ state, attempts: state === 'ready' ? 0 : 1 })
    expect(ledger.view.proofsOfRow(5)).toMatchObject([{ attempts: state === 'ready' ? 0 : 1 }])
  })

  it('is in doubt also where a person had called it refused, whose customer is asked about', async () => {
    const clock = stoppedClock()
    const ledger = await campaign(clock)
    clock.advance(16 * 60_000)
    decide(ledger, 1, 'refused')
    const { id } = startReadBack(ledger, 'ready')
    expect(ledger.readBacks.next(9)).toContain(1001)
    const answeredAt = '2026-06-15T10:30:00.000Z'
    const proofs = [{ rowId: 1, attempts: 1, evidence: PROVEN }]
    ledger.readBacks.record(id, [{ ...listed(1001, proofs), answeredAt }])
    expect(ledger.view.row(1)).toMatchObject({ state: 'in_doubt', attempts: 2 })
    expect(ledger.view.attempts(1).at(-1)).toMatchObject({ hint: 'may_exist', started: false })
  })
})

describe('evidence', () => {
  it('is kept with its question, changes no state of what was sent, and the latest about a row counts', async () => {
    const ledger = await campaign()
    const before = ledger.totals()
    const { id } = startReadBack(ledger, 'all')
    ledger.readBacks.record(id, [
      listed(1001, [{ rowId: 1, attempts: 1, evidence: ABSENT }]),
      listed(1003, [{ rowId: 3, attempts: 1, evidence: PROVEN }]),
    ])
    ledger.readBacks.end(id, null)
    const again = startReadBack(ledger, 'in_doubt')
    ledger.readBacks.record(again.id, [listed(1001, [{ rowId: 1, attempts: 1, evidence: PROVEN }])])
    expect(ledger.totals()).toEqual(before)

    const { view } = ledger
    expect(view.proofsOfRow(1).map(({ verdict }) => verdict)).toEqual(['absent', 'proven'])
    const at = '2026-06-15T10:00:01.000Z'
    expect(view.proofs('in_doubt', 0, 10)).toEqual([
      { rowId: 1, attempts: 1, answeredAt: at, requestId: 'read-1001', readBackId: again.id, ...PROVEN },
    ])
    expect(view.proofs('in_doubt', 1, 10)).toEqual([])
    const proven = { verdict: 'proven', count: 1, firstAt: at, lastAt: at }
    expect(view.proofCounts()).toEqual([
      { state: 'in_doubt', ...proven },
      { state: 'registered', ...proven },
    ])
    expect(view.assignedCreditors()).toEqual(['SE97ZZZ5560000001'])
    expect(view.readBacks()).toMatchObject([
      { id, scope: 'all', sample: null, questions: 2, unanswered: 0, stoppedBy: null },
      { id: again.id, scope: 'in_doubt', questions: 1, endedAt: null },
    ])
  })

  it('never changes, goes with the personal data, and its verdict stays', async () => {
    const ledger = await campaign()
    const { id } = startReadBack(ledger, 'all')
    const words: ReadBackEvidence = { verdict: 'unreadable', why: 'words', sources: [] }
    ledger.readBacks.record(id, [
      listed(1003, [{ rowId: 3, attempts: 1, evidence: PROVEN }]),
      { ...unanswered(1001), proofs: [{ rowId: 1, attempts: 1, evidence: words }] },
    ])
    ledger.readBacks.end(id, null)
    for (const sql of [
      `update proof set verdict = 'absent'`,
      `update proof set sources = null`,
      `update question set answer = 'missing'`,
      `update question set reason = null`,
      `update read_back set stopped_by = 'x'`,
      'delete from proof',
      'delete from question',
      'delete from read_back',
    ])
      expect(() => byHand(ledger.file, (db) => db.exec(sql)), sql).toThrow(/never/)

    const people = { by: 'Ada', reason: 'asked for', withOpenRows: true }
    ledger.erase({ ...people, customerNo: 1003, rowIds: [3] })
    const kept = () =>
      byHand(ledger.file, (db) => ({
        proofs: db.prepare('select verdict, why, sources from proof order by id').all(),
        reasons: db.prepare<[], string | null>('select reason from question order by id').pluck().all(),
      }))
    const gone = { why: null, sources: null }
    const [proven, unreadable] = ['proven', 'unreadable'].map((verdict) => ({ verdict, ...gone }))
    const reasons = [null, 'The service answered 503']
    expect(kept()).toEqual({ proofs: [proven, { ...unreadable, why: 'words' }], reasons })
    for (const rowId of [1, 2, 5, 6]) decide(ledger, rowId, 'written_off')
    ledger.purge(people)
    expect(kept()).toEqual({ proofs: [proven, unreadable], reasons: [null, null] })
    expect(() => startReadBack(ledger, 'all')).toThrow('Cannot read back the mandates of the ledger')
  })
})
