import { describe, expect, it } from 'vitest'
import { explain } from '../../../src/report/facts/facts.js'
import type { Decision, Resolution } from '../../../src/ledger/ledger.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import {
  admit,
  compareWith,
  open,
  played,
  readyRow,
  running,
  send,
  stoppedClock,
  runningAt,
  decide,
  resolutionOf,
  begin,
} from '../campaign-setup.js'
import { inDoubt, notSent, refused, registered } from '../outcomes.js'
import { IBAN, OTHER_IBAN, mandates } from '../records.js'
import { byHand, execute, query, rowsOf, statesOf } from '../ledger-views.js'
import { listed, readBack } from '../heard-answer.js'
import { isBalanced, LATE_REQUEST_MS } from '../../../src/domain/row/row-state.js'

const NEW_IDENTITY = { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: 'NEW-9' }

const resolution = (rowId: number, decision: Decision, more: Partial<Resolution> = {}): Resolution =>
  resolutionOf(rowId, decision, { assigned: decision === 'registered' ? NEW_IDENTITY : null, ...more })

/** Somebody saw this reference at the service. */
const assigning = (rowId: number, mandateReference: string): Resolution =>
  resolution(rowId, 'registered', { assigned: { ...NEW_IDENTITY, mandateReference } })

const PROVEN = { verdict: 'proven', why: null, sources: [] } as const

/** Row 1 in doubt, row 2 refused, row 3 registered as NEW-3, row 4 ready; the doubt is older than 15 minutes. */
async function campaign() {
  const clock = stoppedClock()
  const ledger = runningAt(clock, mandates(4))
  for (const outcome of [inDoubt(), refused(), registered('NEW-3')]) await send(ledger, outcome)
  clock.advance(LATE_REQUEST_MS)
  return { ledger, clock }
}

const record = (ledger: Ledger, ...resolutions: Resolution[]) =>
  ledger.resolve(resolutions, { dryRun: false })

const decisionsOf = (ledger: Ledger) => ledger.view.decisions(0, 100)

const expectRows = (ledger: Ledger, states: string): void =>
  expect(statesOf(ledger.file).join(' ')).toBe(states)

describe('a decision on a row in doubt (scenario 59)', () => {
  it.each([
    ['registered', 'registered'],
    ['refused', 'refused'],
    ['resend', 'ready'],
    ['written_off', 'written_off'],
  ] as const)('%s makes it %s, once, and a dry run only says so', async (decision, state) => {
    const { ledger } = await campaign()
    const results = [{ kind: 'resolved', rowId: 1, from: 'in_doubt', to: state }]
    expect(ledger.resolve([resolution(1, decision)], { dryRun: true })).toEqual({ isApplied: false, results })
    expectRows(ledger, 'in_doubt refused registered ready')
    expect(record(ledger, resolution(1, decision))).toEqual({ isApplied: true, results })
    expectRows(ledger, `${state} refused registered ready`)
    expect(isBalanced(ledger.totals())).toBe(true)
    const again = { isApplied: false, results: [{ kind: 'rejected' }] }
    expect(record(ledger, resolution(1, decision))).toMatchObject(again)
    const at = '2026-06-15T10:15:00.000Z'
    const said = { by: 'Ada', as: null, reason: 'looked up', evidence: null }
    expect(decisionsOf(ledger)).toEqual([
      { id: 1, rowId: 1, attemptId: 1, at, decision, from: 'in_doubt', to: state, ...said },
    ])
    expect(ledger.view.campaign().changedAt).toBe(at)
    // A run keeps counting as in doubt what a person settled later.
    expect(ledger.view.runs()[0]?.attempts).toMatchObject({ registered: 1, refused: 1, in_doubt: 1, open: 0 })
  })

  it('registered removes the account and keeps the identifiers, without what stands around them', async () => {
    const { ledger } = await campaign()
    const assigned = { ...NEW_IDENTITY, mandateReference: ' NEW-9 ' }
    record(ledger, resolution(1, 'registered', { assigned, evidence: 'list.csv sha256:ab' }))
    expect(rowsOf(ledger.file)[0]).toMatchObject({
      assignedCreditorIdentifier: 'SE97ZZZ5560000001',
      assignedMandateReference: 'NEW-9',
      registeredAt: '2026-06-15T10:15:00.000Z',
      cells: null,
      lastAttempt: { outcome: 'in_doubt' },
    })
    expect(query(ledger.file, 'select iban from private where row_id = 1')).toEqual([])
    expect(decisionsOf(ledger)[0]?.evidence).toBe('list.csv sha256:ab')
    expect(ledger.hasAssigned('new-9')).toBe(true)
  })

  it('resend is exactly one more delivery', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'resend'))
    const row = readyRow(ledger)
    expect(row).toMatchObject({ id: 1, attempts: 1, mandate: { iban: IBAN } })
    await ledger.settle(await begin(ledger, row), registered('NEW-1'))
    expect(ledger.view.attempts(1).map(({ outcome }) => outcome)).toEqual(['released', 'registered'])
    expect(record(ledger, resolution(1, 'resend')).isApplied).toBe(false)
  })

  it('resend is taken back before it left, where the service turns out to hold the mandate', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'resend'))
    expect(record(ledger, resolution(1, 'registered')).isApplied).toBe(true)
    expectRows(ledger, 'registered refused registered ready')
    expect(ledger.view.attempts(1).map(({ outcome }) => outcome)).toEqual(['released', 'in_doubt'])
    expect(decisionsOf(ledger).map(({ decision, from, to }) => [decision, from, to])).toEqual([
      ['resend', 'in_doubt', 'ready'],
      ['resend_taken_back', 'ready', 'in_doubt'],
      ['registered', 'in_doubt', 'registered'],
    ])
    // What was never in doubt is not called registered by a person.
    expect(record(ledger, resolution(4, 'registered')).isApplied).toBe(false)
  })

  it('registered puts right what was typed wrongly, as long as the service has not shown it', async () => {
    const { ledger } = await campaign()
    record(ledger, assigning(1, 'NEW-99'))
    const taken = record(ledger, assigning(1, 'new-3'))
    expect(JSON.stringify(taken.results)).toContain('resolve --row 3 --as registered')
    expect(record(ledger, assigning(1, 'NEW-9')).isApplied).toBe(true)
    expect(rowsOf(ledger.file)[0]).toMatchObject({ state: 'registered', assignedMandateReference: 'NEW-9' })
    expect(decisionsOf(ledger).at(-1)).toMatchObject({
      ...{ decision: 'registered', from: 'registered', to: 'registered' },
      evidence: 'instead of SE97ZZZ5560000001 NEW-99',
    })
    const set = `update row set assigned_mandate_reference = 'X' where id = `
    expect(() => execute(ledger.file, `${set}3`)).toThrow('what the service assigned never changes')
    // What the service said itself, or has shown since, was not typed.
    expect(record(ledger, assigning(3, 'NEW-10')).isApplied).toBe(false)
    readBack(ledger, [listed(1000, [{ rowId: 1, attempts: 1, evidence: PROVEN }])])
    expect(record(ledger, assigning(1, 'NEW-10')).isApplied).toBe(false)
  })

  it('registered puts right what the service gave in its answer, as the service was shown to hold it', async () => {
    const { ledger } = await campaign()
    const source = { id: 'ps-3', status: 'ACTIVE', accountMasked: 'DE…3000', signedDate: '2020-01-31' }
    const evidence = {
      ...({ verdict: 'other', why: 'differs' } as const),
      sources: [{ ...source, reference: 'REAL-3' }],
    }
    expect(record(ledger, assigning(3, 'REAL-3')).isApplied).toBe(false)
    readBack(ledger, [listed(1002, [{ rowId: 3, attempts: 1, evidence }])])
    expect(record(ledger, assigning(3, 'REAL-4')).isApplied).toBe(false)
    expect(record(ledger, assigning(3, 'real-3')).isApplied).toBe(true)
    expect(rowsOf(ledger.file)[2]).toMatchObject({ state: 'registered', assignedMandateReference: 'real-3' })
    const taken = record(ledger, assigning(1, 'REAL -3')).results
    expect(JSON.stringify(taken)).toContain('row 3 has it')
  })

  it.each(['resend', 'refused'] as const)(
    '%s is refused of what the service showed; only a resend can be forced',
    async (decision) => {
      const { ledger } = await campaign()
      readBack(ledger, [listed(1000, [{ rowId: 1, attempts: 1, evidence: PROVEN }])])
      const { results } = record(ledger, resolution(1, decision))
      expect(results).toMatchObject([{ kind: 'rejected' }])
      expect(JSON.stringify(results)).toContain(
        'the service showed it, or what may be it, when it was asked at ',
      )
      const forced = ledger.resolve([resolution(1, decision)], { dryRun: false, force: true })
      expect(forced.isApplied).toBe(decision === 'resend')
    },
  )

  it("registered puts several right at once, of which each has what is another one's", async () => {
    const ledger = running(mandates(3))
    for (const outcome of [inDoubt(), inDoubt(), inDoubt()]) await send(ledger, outcome)
    const list = (...references: string[]) => references.map((one, at) => assigning(at + 1, one))
    expect(record(ledger, ...list('B', 'C', 'A')).isApplied).toBe(true)
    expect(record(ledger, ...list('A', 'B', 'C')).isApplied).toBe(true)
    const given = rowsOf(ledger.file).map(({ assignedMandateReference }) => assignedMandateReference)
    expect(given).toEqual(['A', 'B', 'C'])
    expect(decisionsOf(ledger).at(-1)?.evidence).toBe('instead of SE97ZZZ5560000001 A')
    expect(record(ledger, ...list('A', 'C')).isApplied).toBe(false)
  })

  it('refused frees the mandate for a corrected row', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'refused'))
    admit(ledger, [{ reference: 'M-1', customerNo: 100 }], { isNewer: true })
    expectRows(ledger, 'refused refused registered ready conflict')
    admit(ledger, [{ reference: 'M-1', customerNo: 100, corrects: 5, isDecided: true }])
    expectRows(ledger, 'superseded refused registered ready superseded ready')
    expect(record(ledger, resolution(5, 'written_off')).results).toMatchObject([
      { message: 'Row 5 is superseded: row 6 took its place, and is ready' },
    ])
    await send(ledger, registered('NEW-4'))
    await send(ledger, registered('NEW-1'))
    expectRows(ledger, 'superseded refused registered registered superseded registered')
  })
})

describe('a decision that is rejected', () => {
  const named = (assigned: Partial<typeof NEW_IDENTITY> | null) =>
    resolution(1, 'registered', { assigned: assigned && { ...NEW_IDENTITY, ...assigned } })

  it.each<[string, Resolution, string]>([
    ['on a row that does not exist', resolution(99, 'refused'), 'There is no row 99'],
    ['on a registered row', resolution(3, 'written_off'), 'Row 3 is registered, not in doubt'],
    ['to refuse what is refused', resolution(2, 'refused'), 'Row 2 is refused, not in doubt'],
    ['to send a ready row again', resolution(4, 'resend'), 'Row 4 is ready, not in doubt'],
    ['on another attempt', resolution(1, 'refused', { attempt: 2 }), 'about attempt 2, the latest is 1'],
    ['without the identifiers', named(null), 'without both assigned identifiers'],
    ['with one identifier', named({ creditorIdentifier: ' ' }), 'without both assigned identifiers'],
    ['of refused with them', resolution(1, 'refused', { assigned: NEW_IDENTITY }), 'not called registered'],
    ['without a person', resolution(1, 'refused', { by: '  ' }), 'needs a person and a reason'],
    ['without a reason', resolution(1, 'refused', { reason: '' }), 'needs a person and a reason'],
  ])('%s', async (_, decision, message) => {
    const { ledger } = await campaign()
    const { isApplied, results } = record(ledger, decision)
    expect(isApplied).toBe(false)
    expect(results).toMatchObject([{ kind: 'rejected', next: expect.stringMatching(/./) as string }])
    expect(results[0]).toHaveProperty('message', expect.stringMatching(`${message}$`))
    expectRows(ledger, 'in_doubt refused registered ready')
  })

  it.each(['new-3', 'NEW-3 ', ' new-3', 'NEW-3\u00A0', '="NEW-3"'])(
    'with the reference that row 3 has: "%s"',
    async (mandateReference) => {
      const [result] = record((await campaign()).ledger, named({ mandateReference })).results
      expect(result).toHaveProperty('message', expect.stringMatching(/assigned reference .*: row 3 has it$/))
    },
  )

  it.each(['NEW\u200B-9', 'NEW\n9', 'NEW\u00A09', '1.23457E+15', 'N'.repeat(71)])(
    'with the reference %j',
    async (mandateReference) => {
      const [result] = record((await campaign()).ledger, named({ mandateReference })).results
      expect(result).toHaveProperty('message', expect.stringContaining('cannot have the assigned identifier'))
    },
  )

  it('with its own reference, unless a registered row kept its own too', async () => {
    const { ledger } = await campaign()
    const message = expect.stringMatching(/assigned reference "m-1": it is the original one/) as string
    const kept = named({ mandateReference: 'm-1' })
    expect(record(ledger, kept).results[0]).toMatchObject({ kind: 'rejected', message })
    await send(ledger, registered('M-4'))
    expect(record(ledger, kept).isApplied).toBe(true)
  })

  it('to send again beside a registered row that may be the same mandate, unless it is forced', async () => {
    const clock = stoppedClock()
    const ledger = runningAt(clock, [{}, { reference: 'M-1-B' }, { reference: 'M-2', customerNo: 2 }])
    for (const outcome of [inDoubt(), registered('NEW-2'), inDoubt()]) await send(ledger, outcome)
    clock.advance(LATE_REQUEST_MS)
    const others = [resolution(3, 'resend'), resolution(1, 'refused')]
    const resolved = { kind: 'resolved' }
    expect(ledger.resolve(others, { dryRun: true }).results).toMatchObject([resolved, resolved])
    const message =
      'Row 1 cannot be sent again: row 2 is registered with its customer, account and date of signature'
    expect(record(ledger, resolution(1, 'resend')).results).toMatchObject([{ message, isRiskyResend: true }])
    expect(ledger.resolve([resolution(1, 'resend')], { dryRun: false, force: true }).isApplied).toBe(true)
  })

  it('to send again what a lost ledger began for somebody else, unless it is forced', () => {
    const clock = stoppedClock()
    const ledger = runningAt(clock, mandates(2))
    const doubting = { decision: 'another_ledger', by: 'Ada', reason: 'the disk is lost' } as const
    ledger.claims.doubt([1, 2], doubting, [1])
    clock.advance(LATE_REQUEST_MS)
    expect(record(ledger, resolution(2, 'resend')).isApplied).toBe(true)
    const message =
      'Row 1 cannot be sent again: a lost ledger began its mandate for another customer or date than the row has'
    expect(record(ledger, resolution(1, 'resend')).results).toMatchObject([{ message, isRiskyResend: true }])
    expect(record(ledger, resolution(1, 'refused')).results).toMatchObject([{ isRiskyResend: true }])
    expectRows(ledger, 'in_doubt ready')
    expect(ledger.resolve([resolution(1, 'resend')], { dryRun: false, force: true }).isApplied).toBe(true)
  })

  it('says how refused rows are sent again', async () => {
    const { ledger } = await campaign()
    const next = 'Refused rows are sent again by a run that is told so (sepa-migrate run --retry-refused)'
    expect(record(ledger, resolution(2, 'resend')).results[0]).toHaveProperty('next', next)
  })

  it('is forced where it had to wait, and says so with how long after the attempt; else it is as any other', async () => {
    for (const [backMs, evidence] of [
      [3 * 60_000, 'forced, 12 minutes after the attempt; list.csv'],
      [0, 'list.csv'],
    ] as const) {
      const { ledger, clock } = await campaign()
      clock.advance(-backMs)
      decide(ledger, 1, 'resend', { evidence: 'list.csv', force: true })
      expect(decisionsOf(ledger)).toMatchObject([{ rowId: 1, evidence }])
    }
  })

  it('to send again when the clock was set back', async () => {
    const { ledger, clock } = await campaign()
    clock.advance(-24 * 60 * 60 * 1_000)
    expect(record(ledger, resolution(1, 'resend')).isApplied).toBe(false)
  })

  it('takes the whole list with it, and each row is told', async () => {
    const { ledger } = await campaign()
    const report = record(ledger, ...[4, 3, 4].map((row) => resolution(row, 'written_off')))
    expect(report.isApplied).toBe(false)
    const told = report.results.map((result) => (result.kind === 'rejected' ? result.message : result.to))
    expect(told).toEqual(['written_off', 'Row 3 is registered, not in doubt', 'Row 4 is in the list twice'])
    expectRows(ledger, 'in_doubt refused registered ready')
    expect(decisionsOf(ledger)).toEqual([])
  })

  it('gives one reference to two rows of a list', async () => {
    const ledger = await played(mandates(2), inDoubt(), inDoubt())
    const report = record(ledger, named({ mandateReference: 'new-9' }), resolution(2, 'registered'))
    expect(report).toMatchObject({ isApplied: false, results: [{ kind: 'resolved' }, { kind: 'rejected' }] })
    const message = /^Row 2 cannot have the assigned reference .*another row of the list has it/
    expect(report.results[1]).toHaveProperty('message', expect.stringMatching(message))
  })
})

describe('retryRefused', () => {
  it('makes every refused row ready again, each as a decision', async () => {
    const { ledger } = await campaign()
    expect(ledger.retryRefused('Ada')).toBe(1)
    expectRows(ledger, 'in_doubt ready registered ready')
    const decision = { rowId: 2, attemptId: 2, by: 'Ada', decision: 'retry_refused' }
    expect(decisionsOf(ledger)).toMatchObject([decision])
    expect(ledger.retryRefused('Ada')).toBe(0)
    await send(ledger, refused())
    expect(ledger.retryRefused('Ada')).toBe(1)
    expect(ledger.view.attempts(2)).toHaveLength(2)
  })

  it('leaves a row that a later file has corrected, until somebody resolves that', async () => {
    const { ledger } = await campaign()
    admit(ledger, [{ reference: 'M-1', customerNo: 1, iban: OTHER_IBAN }])
    record(ledger, resolution(1, 'refused'))
    expectRows(ledger, 'refused refused registered ready conflict')
    expect(ledger.retryRefused('Ada')).toBe(1)
    expectRows(ledger, 'refused ready registered ready conflict')
    // What the file says takes its place once it is given again, or the old one goes once that is closed.
    record(ledger, resolution(5, 'written_off'))
    expect(ledger.retryRefused('Ada')).toBe(1)
    expectRows(ledger, 'ready ready registered ready written_off')
  })

  it('leaves a row whose reference a later file has corrected, also once that was closed: it may be at the service', async () => {
    const { ledger } = await campaign()
    admit(ledger, [{ reference: 'M-2-CORRECTED', customerNo: 2 }])
    expect(ledger.retryRefused('Ada')).toBe(0)
    record(ledger, resolution(5, 'written_off'))
    expect(ledger.retryRefused('Ada')).toBe(0)
    const { ledger: sent } = await campaign()
    admit(sent, [{ reference: 'M-2-CORRECTED', customerNo: 2 }])
    for (const reference of ['NEW-4', 'NEW-5']) await send(sent, registered(reference))
    expectRows(sent, 'in_doubt refused registered registered registered')
    expect(sent.retryRefused('Ada')).toBe(0)
  })

  it('takes the later one of two that were refused under two references', async () => {
    const { ledger } = await campaign()
    admit(ledger, [{ reference: 'M-2-CORRECTED', customerNo: 2 }])
    await send(ledger, registered('NEW-4'))
    await send(ledger, refused())
    expect(ledger.retryRefused('Ada')).toBe(1)
    expectRows(ledger, 'in_doubt refused registered registered ready')
  })

  it.each([
    ['leaves', 'a correction alone', false, 0],
    ['takes', 'that person wrote "send"', true, 1],
  ] as const)(
    '%s one whose like was sent by a word, where %s came for it since',
    async (_, __, isDecided, count) => {
      const like = { reference: 'M1', iban: OTHER_IBAN }
      const steps = [[{}], [like], [{ ...like, corrects: 2, isDecided: true }], refused()]
      const ledger = await played(...steps, [{ signedDate: '2020-02-01', corrects: 1, isDecided }], refused())
      expectRows(ledger, 'superseded superseded refused refused')
      expect(ledger.retryRefused('Ada')).toBe(count)
    },
  )

  it('takes a row whose like came in the same file, or is of another date', async () => {
    const later = { reference: 'M-LATER', signedDate: '2020-02-01' }
    const ledger = await played([{}, { reference: 'M-TWIN' }], refused(), registered('NEW-1'), [later])
    expect(ledger.retryRefused('Ada')).toBe(1)
  })
})

describe('what was in doubt keeps its waiting time, whatever it is called', () => {
  /** Row 1 in doubt since just now. */
  async function justNow() {
    const clock = stoppedClock()
    const ledger = runningAt(clock, [{}])
    await send(ledger, inDoubt())
    return { ledger, clock }
  }
  const UNTIL = '2026-06-15T10:15:00.000Z'

  /** Row 1 was called refused too early: by a clock that ran ahead, or by a version that allowed it. */
  async function refusedTooEarly() {
    const { ledger, clock } = await justNow()
    callRefused(ledger, clock)
    return { ledger, clock }
  }

  function callRefused(ledger: Ledger, clock: ReturnType<typeof stoppedClock>): void {
    clock.advance(LATE_REQUEST_MS)
    expect(record(ledger, resolution(1, 'refused')).isApplied).toBe(true)
    clock.advance(-LATE_REQUEST_MS)
  }

  it.each([
    ['resend', 'sent again', ''],
    ['refused', 'called refused', ''],
    ['refused', 'called refused', '; only a resend can be forced'],
  ] as const)(
    '%s: it cannot be %s before a late request can no longer arrive%s',
    async (decision, words, forced) => {
      const { ledger, clock } = await justNow()
      const given = { dryRun: false, force: forced !== '' }
      clock.advance(LATE_REQUEST_MS - 1)
      expect(ledger.resolve([resolution(1, decision)], given)).toEqual({
        isApplied: false,
        results: [
          {
            kind: 'rejected',
            rowId: 1,
            message: `Row 1 cannot be ${words} yet: its request left less than 15 minutes ago and may still arrive`,
            next: `After 2026-06-15 10:15:00 UTC look again whether the service has the mandate, then decide${forced}`,
            ...(decision === 'resend' ? { isRiskyResend: true } : {}),
          },
        ],
      })
      expectRows(ledger, 'in_doubt')
      expect(ledger.retryRefused('Ada')).toBe(0)
      clock.advance(1)
      expect(ledger.resolve([resolution(1, decision)], given).isApplied).toBe(true)
    },
  )

  it('refused and then --retry-refused', async () => {
    const { ledger, clock } = await refusedTooEarly()
    expect(ledger.retryRefused('Ada')).toBe(1)
    admit(ledger, [{ reference: 'M-2', customerNo: 2 }]) // which does not wait for it
    expect(ledger.totals()).toMatchObject({ ready: 2 })
    expect(ledger.countReady()).toBe(1)
    expect(ledger.waiting()).toEqual({ count: 1, until: UNTIL })
    const DAY_MS = 24 * 60 * 60 * 1_000
    for (const [passMs, ids] of [
      [0, [2]],
      [-DAY_MS, [2]], // a clock that was set back shortens nothing
      [DAY_MS + LATE_REQUEST_MS - 1, [2]],
      [1, [1, 2]],
    ] as const) {
      clock.advance(passMs)
      expect(ledger.ready(0, 10).map(({ id }) => id)).toEqual(ids)
    }
    expect(ledger.waiting()).toEqual({ count: 0, until: null })
    await send(ledger, registered('NEW-1'))
  })

  it('refused and then corrected by a later file, of the same mandate or of another', async () => {
    const { ledger, clock } = await refusedTooEarly()
    admit(ledger, [{ customerNo: 1001, corrects: 1 }])
    expectRows(ledger, 'superseded ready')
    expect(ledger.ready(0, 10)).toEqual([])
    admit(ledger, [{ reference: 'M-1-CORRECTED', corrects: 2, customerNo: 1001 }])
    expectRows(ledger, 'superseded superseded ready')
    expect(ledger.ready(0, 10)).toEqual([])
    expect(ledger.waiting()).toEqual({ count: 1, until: UNTIL })
    clock.advance(LATE_REQUEST_MS)
    expect(ledger.ready(0, 10)).toMatchObject([{ id: 3 }])
  })

  it('the ledger itself refuses the intent, also for a hand on the file', async () => {
    const { ledger } = await refusedTooEarly()
    ledger.retryRefused('Ada')
    const insert = `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at)
      select id, 2, 1, mandate_key, 'r', '2026-06-15T10:14:59.999Z' from row where id = 1`
    byHand(ledger.file, (db) => {
      expect(() => db.exec(insert)).toThrow('an earlier request of the mandate may still arrive')
      db.exec(insert.replace('10:14:59.999', '10:15:00.000'))
    })
  })

  it('save for a resend that a person forced for that very attempt', async () => {
    const { ledger, clock } = await justNow()
    decide(ledger, 1, 'resend', { force: true })
    expect(ledger.ready(0, 10)).toMatchObject([{ id: 1 }])
    await send(ledger, inDoubt())
    callRefused(ledger, clock)
    ledger.retryRefused('Ada')
    expect(ledger.ready(0, 10)).toEqual([])
  })

  it('says no more of the request than is known: none left, or nobody knows', async () => {
    const heldBack = inDoubt()
    const ledger = running([{ reference: 'M-1' }, { reference: 'M-2' }])
    await send(ledger, { ...heldBack, evidence: { ...heldBack.evidence, started: false } })
    await begin(ledger, readyRow(ledger))
    ledger.close()
    const later = open({ file: ledger.file })
    for (const row of [1, 2]) record(later, resolution(row, 'written_off'))
    const [first, second] = rowsOf(ledger.file).map(
      (row) => explain(row, { problems: [], decision: null, compared: null }).message,
    )
    expect(first).toContain('It was in doubt: the service held it already, and nothing was sent ')
    expect(first).not.toContain('applied')
    expect(second).toContain('It was in doubt: its request may have left ')
    expect(second).toContain('and may have been applied.')
  })
})

describe('a person closes what was never sent', () => {
  /** Row 1 invalid, 2 excluded, 3 and 4 in conflict, 5 refused, 6 turned back before it left. */
  const open6 = () =>
    played(
      [
        { reference: 'M-1', customerNo: 1, verdict: 'invalid' },
        { reference: 'M-2', customerNo: 2, verdict: 'excluded' },
        { reference: 'M-3', customerNo: 3 },
        { reference: 'M-3', customerNo: 33 },
        { reference: 'M-5', customerNo: 5 },
        { reference: 'M-6', customerNo: 6 },
      ],
      refused(),
      notSent(),
    )

  it('every open row, with name and reason, so that nothing is open any more', async () => {
    const ledger = await open6()
    expectRows(ledger, 'invalid excluded conflict conflict refused ready')
    const all = [1, 2, 3, 4, 5, 6].map((id) => resolution(id, 'written_off'))
    expect(record(ledger, ...all).isApplied).toBe(true)
    expect(ledger.totals()).toMatchObject({ read: 6, writtenOff: 6 })
    expect(isBalanced(ledger.totals())).toBe(true)
    const decided = decisionsOf(ledger).map(({ rowId, by, attemptId }) => [rowId, by, attemptId])
    expect(decided).toEqual([1, 2, 3, 4, 5, 6].map((row) => [row, 'Ada', row < 5 ? null : row - 4]))
  })

  it.each(['registered', 'refused', 'resend'] as const)('but none of them becomes %s', async (decision) => {
    const ledger = await open6()
    for (const id of [1, 2, 3, 5]) {
      const report = record(ledger, resolution(id, decision))
      expect(report).toMatchObject({ isApplied: false, results: [{ kind: 'rejected' }] })
    }
  })

  it('one of two rows in conflict, of which the other waits until a person says that it is sent', async () => {
    const ledger = await open6()
    expect(record(ledger, resolution(3, 'written_off')).results).toMatchObject([{ to: 'written_off' }])
    const right = { reference: 'M-3', customerNo: 33 }
    // No word of a person on it: a later file, one that somebody calls newer, the last export, the line as it was.
    admit(ledger, [right])
    admit(ledger, [right, { reference: 'M-4' }], { isNewer: true })
    compareWith(ledger, [right, { reference: 'M-4' }, { reference: 'M-6', customerNo: 6 }])
    admit(ledger, [{ ...right, corrects: 4 }])
    expectRows(
      ledger,
      `invalid excluded written_off conflict refused ready ${'duplicate '.repeat(2)}ready conflict`,
    )
    const sendable = () => ledger.ready(0, 9).map(({ id }) => id)
    expect(sendable()).toEqual([6, 9])
    admit(ledger, [{ ...right, corrects: 4, isDecided: true }])
    expect(statesOf(ledger.file)[3]).toBe('superseded')
    expect(sendable()).toEqual([6, 9, 11])
  })

  it('a conflict with a registered row can be closed, and later files still meet the registered row', async () => {
    const ledger = await played([{}], registered('NEW-1'), [{ customerNo: 77 }])
    expect(record(ledger, resolution(2, 'written_off')).isApplied).toBe(true)
    admit(ledger, [{}])
    expectRows(ledger, 'registered written_off duplicate')
  })

  it('a closed row that is given again as it was stays closed; changed, it is a conflict', async () => {
    const ledger = await open6()
    record(ledger, resolution(1, 'written_off'))
    admit(ledger, [{ reference: 'M-1', customerNo: 1, verdict: 'invalid' }])
    expect(statesOf(ledger.file)[6]).toBe('duplicate')
    admit(ledger, [{ reference: 'M-1', customerNo: 11 }])
    expect(statesOf(ledger.file)[7]).toBe('conflict')
  })
})

describe('a row and its line of the cut-over, decided in one list', () => {
  /** As `campaign`, and nothing but row 4 is in the last export. */
  async function compared() {
    const { ledger } = await campaign()
    compareWith(ledger, mandates(1, 4))
    return ledger
  }
  const openLines = (ledger: Ledger): string =>
    ledger.view
      .comparedLines(0, 10)
      .flatMap(({ id, isOpen }) => (isOpen === 1 ? [id] : []))
      .join(' ')
  const ofLine = (rowId: number, decision: Decision) =>
    resolution(rowId, decision, { assigned: null, reason: 'asked them', isOfCutOver: true })

  it.each<[number, Decision, Decision, state: string, open: string]>([
    [1, 'registered', 'done', 'registered', '2 3'],
    [1, 'refused', 'written_off', 'written_off', '2 3'],
    [1, 'written_off', 'done', 'written_off', '2 3'],
    // It may be at the service, where something is to be done then.
    [1, 'written_off', 'written_off', 'written_off', '1 2 3'],
    [2, 'written_off', 'written_off', 'written_off', '1 3'],
  ])('row %i is %s, and its line %s: both are recorded', async (row, ofRow, line, state, open) => {
    for (const isReversed of [false, true]) {
      const ledger = await compared()
      expect(openLines(ledger)).toBe('1 2 3')
      const list = [resolution(row, ofRow), ofLine(row, line)]
      expect(record(ledger, ...(isReversed ? list.reverse() : list))).toMatchObject({ isApplied: true })
      expect(statesOf(ledger.file)[row - 1]).toBe(state)
      expect(decisionsOf(ledger).map(({ decision, reason }) => `${decision} ${reason}`)).toEqual([
        `${ofRow} looked up`,
        `${line} asked them`,
      ])
      expect(openLines(ledger)).toBe(open)
    }
  })

  it.each<[number, Decision, Decision]>([
    [1, 'registered', 'written_off'],
    [1, 'refused', 'done'],
    [1, 'resend', 'written_off'],
    [1, 'resend', 'done'],
    [1, 'registered', 'registered'],
    [2, 'written_off', 'done'],
  ])('row %i is %s, and its line %s: they contradict each other', async (row, ofRow, line) => {
    const ledger = await compared()
    const report = record(ledger, ofLine(row, line), resolution(row, ofRow))
    expect(report).toMatchObject({ isApplied: false, results: [{ kind: 'resolved' }, { kind: 'rejected' }] })
    expect(report.results[1]).toHaveProperty('message', expect.stringContaining('contradict'))
    expectRows(ledger, 'in_doubt refused registered ready')
    expect(decisionsOf(ledger)).toEqual([])
  })

  it('what a lost ledger began is done by no other word: it may be at the service', () => {
    const ledger = running([{ verdict: 'invalid' }])
    expect(ledger.claims.tellBegun([1])).toBe(1)
    expect(record(ledger, resolution(1, 'written_off')).isApplied).toBe(true)
    expect(openLines(ledger)).toBe('1')
    expect(record(ledger, ofLine(1, 'done')).isApplied).toBe(true)
    expect(openLines(ledger)).toBe('')
  })

  it('no line is decided twice', async () => {
    const ledger = await compared()
    const report = record(ledger, resolution(1, 'registered'), ofLine(1, 'done'), ofLine(1, 'done'))
    expect(report.results[2]).toHaveProperty('message', 'Row 1 is in the list twice')
  })
})
