import { describe, expect, it } from 'vitest'
import { explain } from '../../../src/report/facts/explanation.js'
import type { Decision, Resolution } from '../../../src/ledger/ledger.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import {
  admit,
  IBAN,
  inDoubt,
  notSent,
  open,
  OTHER_IBAN,
  readyRow,
  refused,
  registered,
  running,
  send,
  stoppedClock,
  runningAt,
  mandates,
  decide,
  resolutionOf,
} from '../campaign-setup.js'
import { byHand, rowsOf, statesOf } from '../ledger-views.js'
import { isBalanced } from '../../../src/domain/row/row-state.js'

const NEW_IDENTITY = { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: 'NEW-9' }
const QUARTER_MS = 15 * 60 * 1_000

const resolution = (rowId: number, decision: Decision, more: Partial<Resolution> = {}): Resolution =>
  resolutionOf(rowId, decision, { assigned: decision === 'registered' ? NEW_IDENTITY : null, ...more })

/** Row 1 in doubt, row 2 refused, row 3 registered as NEW-3, row 4 ready; the doubt is older than 15 minutes. */
async function campaign() {
  const clock = stoppedClock()
  const ledger = runningAt(clock, mandates(4))
  await send(ledger, inDoubt())
  await send(ledger, refused())
  await send(ledger, registered('NEW-3'))
  clock.advance(QUARTER_MS)
  return { ledger, clock }
}

const record = (ledger: Ledger, ...resolutions: Resolution[]) =>
  ledger.resolve(resolutions, { dryRun: false })

const decisionsOf = (ledger: Ledger) => ledger.view.decisions(0, 100)

describe('a decision on a row in doubt (scenario 59)', () => {
  it.each([
    ['registered', 'registered'],
    ['refused', 'refused'],
    ['resend', 'ready'],
    ['written_off', 'written_off'],
  ] as const)('%s makes it %s, once', async (decision, state) => {
    const { ledger } = await campaign()
    expect(record(ledger, resolution(1, decision))).toEqual({
      isApplied: true,
      results: [{ kind: 'resolved', rowId: 1, from: 'in_doubt', to: state }],
    })
    expect(statesOf(ledger.file)[0]).toBe(state)
    expect(isBalanced(ledger.totals())).toBe(true)
    expect(record(ledger, resolution(1, decision))).toMatchObject({
      isApplied: false,
      results: [{ kind: 'rejected' }],
    })
    expect(decisionsOf(ledger)).toEqual([
      {
        id: 1,
        rowId: 1,
        attemptId: 1,
        at: '2026-06-15T10:15:00.000Z',
        by: 'Ada',
        as: null,
        decision,
        from: 'in_doubt',
        to: state,
        reason: 'looked up',
        evidence: null,
      },
    ])
    expect(ledger.view.campaign().changedAt).toBe('2026-06-15T10:15:00.000Z')
  })

  it('registered removes the account and keeps the identifiers', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'registered', { evidence: 'list.csv sha256:ab' }))
    expect(rowsOf(ledger.file)[0]).toMatchObject({
      assignedCreditorIdentifier: 'SE97ZZZ5560000001',
      assignedMandateReference: 'NEW-9',
      registeredAt: '2026-06-15T10:15:00.000Z',
      cells: null,
      lastAttempt: { outcome: 'in_doubt' },
    })
    expect(byHand(ledger.file, (db) => db.prepare('select iban from row where id = 1').get())).toEqual({
      iban: null,
    })
    expect(decisionsOf(ledger)[0]?.evidence).toBe('list.csv sha256:ab')
    expect(ledger.hasAssigned('new-9')).toBe(true)
  })

  it('resend is exactly one more delivery', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'resend'))
    const row = readyRow(ledger)
    expect(row).toMatchObject({ id: 1, attempts: 1, mandate: { iban: IBAN } })
    await ledger.settle(await ledger.begin(row), registered('NEW-1'))
    expect(ledger.view.attempts(1).map(({ n, outcome }) => [n, outcome])).toEqual([
      [1, 'released'],
      [2, 'registered'],
    ])
    expect(record(ledger, resolution(1, 'resend')).isApplied).toBe(false)
  })

  it('refused frees the mandate for a corrected row', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'refused'))
    admit(ledger, [{ reference: 'M-1', customerNo: 100 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'refused', 'registered', 'ready', 'ready'])
    const corrected = ledger.ready(4, 1)[0]!
    await ledger.settle(await ledger.begin(corrected), registered('NEW-1'))
    expect(statesOf(ledger.file)[4]).toBe('registered')
  })

  it('a run keeps counting as in doubt what a person settled later', async () => {
    const { ledger } = await campaign()
    record(ledger, resolution(1, 'resend'))
    expect(ledger.view.runs()[0]?.attempts).toEqual({
      registered: 1,
      refused: 1,
      turned_away: 0,
      not_sent: 0,
      in_doubt: 1,
      open: 0,
    })
  })
})

describe('a decision that is rejected', () => {
  const rejected: [string, Resolution, RegExp][] = [
    ['on a row that does not exist', resolution(99, 'refused'), /^There is no row 99$/],
    ['on a registered row', resolution(3, 'written_off'), /^Row 3 is registered, not in doubt$/],
    ['to refuse what is refused', resolution(2, 'refused'), /^Row 2 is refused, not in doubt$/],
    ['to send a ready row again', resolution(4, 'resend'), /^Row 4 is ready, not in doubt$/],
    ['on an older attempt', resolution(1, 'refused', { attempt: 2 }), /about attempt 2, the latest is 1$/],
    [
      'without the identifiers',
      resolution(1, 'registered', { assigned: null }),
      /without both assigned identifiers$/,
    ],
    [
      'with one identifier',
      resolution(1, 'registered', { assigned: { ...NEW_IDENTITY, creditorIdentifier: ' ' } }),
      /without both assigned identifiers$/,
    ],
    [
      'with a reference that another row has',
      resolution(1, 'registered', { assigned: { ...NEW_IDENTITY, mandateReference: 'new-3' } }),
      /cannot have the assigned reference "new-3": row 3 has it$/,
    ],
    [
      'that says refused and names identifiers',
      resolution(1, 'refused', { assigned: NEW_IDENTITY }),
      /not called registered$/,
    ],
    ['without a person', resolution(1, 'refused', { by: '  ' }), /needs a person and a reason$/],
    ['without a reason', resolution(1, 'refused', { reason: '' }), /needs a person and a reason$/],
  ]

  it.each(rejected)('%s', async (_, decision, message) => {
    const { ledger } = await campaign()
    const before = statesOf(ledger.file)
    const { isApplied, results } = record(ledger, decision)
    expect(isApplied).toBe(false)
    expect(results).toMatchObject([{ kind: 'rejected', message: expect.stringMatching(message) as string }])
    expect(results[0]).toHaveProperty('next', expect.stringMatching(/./) as string)
    expect(statesOf(ledger.file)).toEqual(before)
  })

  it('says how refused rows are sent again', async () => {
    const { ledger } = await campaign()
    expect(record(ledger, resolution(2, 'resend')).results[0]).toHaveProperty(
      'next',
      'Refused rows are sent again by a run that is told so',
    )
  })

  it('26.2 is forced where it had to wait, and says so with how long after the attempt; else it is as any other', async () => {
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
    const report = record(
      ledger,
      resolution(4, 'written_off'),
      resolution(3, 'refused'),
      resolution(4, 'written_off'),
    )
    expect(report.isApplied).toBe(false)
    expect(report.results.map((result) => (result.kind === 'rejected' ? result.message : result.to))).toEqual(
      ['written_off', 'Row 3 is registered, not in doubt', 'Row 4 is in the list twice'],
    )
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'refused', 'registered', 'ready'])
    expect(decisionsOf(ledger)).toEqual([])
  })

  it('gives one reference to two rows of a list', async () => {
    const ledger = running(mandates(2))
    await send(ledger, inDoubt())
    await send(ledger, inDoubt())
    const second = { ...NEW_IDENTITY, mandateReference: 'new-9' }
    expect(
      record(ledger, resolution(1, 'registered'), resolution(2, 'registered', { assigned: second })),
    ).toMatchObject({
      isApplied: false,
      results: [
        { kind: 'resolved' },
        { message: expect.stringContaining('another row of the list has it') as string },
      ],
    })
  })
})

describe('a dry run', () => {
  it('says what would be recorded and records nothing', async () => {
    const { ledger } = await campaign()
    expect(ledger.resolve([resolution(1, 'registered')], { dryRun: true })).toEqual({
      isApplied: false,
      results: [{ kind: 'resolved', rowId: 1, from: 'in_doubt', to: 'registered' }],
    })
    expect(statesOf(ledger.file)[0]).toBe('in_doubt')
    expect(decisionsOf(ledger)).toEqual([])
  })
})

describe('rows that were never in doubt', () => {
  it('can be written off when they are ready or refused', async () => {
    const { ledger } = await campaign()
    expect(record(ledger, resolution(2, 'written_off'), resolution(4, 'written_off')).isApplied).toBe(true)
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'written_off', 'registered', 'written_off'])
    expect(decisionsOf(ledger).map(({ rowId, attemptId }) => [rowId, attemptId])).toEqual([
      [2, 2],
      [4, null],
    ])
  })

  it('can be written off after they could not be sent', async () => {
    const ledger = running([{}])
    await send(ledger, notSent())
    expect(record(ledger, resolution(1, 'written_off')).isApplied).toBe(true)
  })
})

describe('retryRefused', () => {
  it('makes every refused row ready again, each as a decision', async () => {
    const { ledger } = await campaign()
    expect(ledger.retryRefused('Ada')).toBe(1)
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'ready', 'registered', 'ready'])
    expect(decisionsOf(ledger)).toMatchObject([
      { rowId: 2, attemptId: 2, by: 'Ada', decision: 'retry_refused' },
    ])
    expect(ledger.retryRefused('Ada')).toBe(0)
    await send(ledger, refused())
    expect(ledger.retryRefused('Ada')).toBe(1)
    expect(ledger.view.attempts(2)).toHaveLength(2)
  })

  it('leaves a row that a later file has corrected, until somebody resolves that', async () => {
    const { ledger } = await campaign()
    admit(ledger, [{ reference: 'M-1', customerNo: 1, iban: OTHER_IBAN }])
    expect(record(ledger, resolution(1, 'refused')).isApplied).toBe(true)
    expect(statesOf(ledger.file)).toEqual(['refused', 'refused', 'registered', 'ready', 'conflict'])
    expect(ledger.retryRefused('Ada')).toBe(1)
    expect(statesOf(ledger.file)).toEqual(['refused', 'ready', 'registered', 'ready', 'conflict'])
    // What the file says takes its place once it is given again, or the old one goes once that is closed.
    expect(record(ledger, resolution(5, 'written_off')).isApplied).toBe(true)
    expect(ledger.retryRefused('Ada')).toBe(1)
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready', 'registered', 'ready', 'written_off'])
  })

  it('8.3.5 leaves a row whose reference a later file has corrected: the mandate would be sent twice', async () => {
    const { ledger } = await campaign()
    admit(ledger, [{ reference: 'M-2-CORRECTED', customerNo: 2 }])
    expect(ledger.retryRefused('Ada')).toBe(0)
    await send(ledger, registered('NEW-4'))
    await send(ledger, registered('NEW-5'))
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'refused', 'registered', 'registered', 'registered'])
    expect(ledger.retryRefused('Ada')).toBe(0)
  })

  it('8.3.5 takes the later one of two that were refused under two references', async () => {
    const { ledger } = await campaign()
    admit(ledger, [{ reference: 'M-2-CORRECTED', customerNo: 2 }])
    await send(ledger, registered('NEW-4'))
    await send(ledger, refused())
    expect(ledger.retryRefused('Ada')).toBe(1)
    expect(statesOf(ledger.file)).toEqual(['in_doubt', 'refused', 'registered', 'registered', 'ready'])
  })

  it('takes a row whose like came in the same file, or is of another date', async () => {
    const ledger = running([{}, { reference: 'M-TWIN' }])
    await send(ledger, refused())
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ reference: 'M-LATER', signedDate: '2020-02-01' }])
    expect(ledger.retryRefused('Ada')).toBe(1)
  })
})

describe('8.2.4 what was in doubt keeps its waiting time, whatever it is called', () => {
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
    clock.advance(QUARTER_MS)
    expect(record(ledger, resolution(1, 'refused')).isApplied).toBe(true)
    clock.advance(-QUARTER_MS)
  }

  it.each([
    ['resend', 'sent again', ''],
    ['refused', 'called refused', ''],
    ['refused', 'called refused', '; only a resend can be forced'],
  ] as const)(
    '8.2.4 %s: it cannot be %s before a late request can no longer arrive%s',
    async (decision, words, forced) => {
      const { ledger, clock } = await justNow()
      const given = { dryRun: false, force: forced !== '' }
      clock.advance(QUARTER_MS - 1)
      expect(ledger.resolve([resolution(1, decision)], given)).toEqual({
        isApplied: false,
        results: [
          {
            kind: 'rejected',
            rowId: 1,
            message: `Row 1 cannot be ${words} yet: its request left less than 15 minutes ago and may still arrive`,
            next: `After 2026-06-15 10:15:00 UTC look again whether the service has the mandate, then decide${forced}`,
            ...(decision === 'resend' ? { isEarlyResend: true } : {}),
          },
        ],
      })
      expect(statesOf(ledger.file)).toEqual(['in_doubt'])
      expect(ledger.retryRefused('Ada')).toBe(0)
      clock.advance(1)
      expect(ledger.resolve([resolution(1, decision)], given).isApplied).toBe(true)
    },
  )

  it('8.2.4 refused and then --retry-refused', async () => {
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
      [DAY_MS + QUARTER_MS - 1, [2]],
      [1, [1, 2]],
    ] as const) {
      clock.advance(passMs)
      expect(ledger.ready(0, 10).map(({ id }) => id)).toEqual(ids)
    }
    expect(ledger.waiting()).toEqual({ count: 0, until: null })
    await send(ledger, registered('NEW-1'))
  })

  it('8.2.4 refused and then corrected by a later file, of the same mandate or of another', async () => {
    const { ledger, clock } = await refusedTooEarly()
    admit(ledger, [{ customerNo: 1001 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
    expect(ledger.ready(0, 10)).toEqual([])
    admit(ledger, [{ reference: 'M-1-CORRECTED', corrects: 2, customerNo: 1001 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready'])
    expect(ledger.ready(0, 10)).toEqual([])
    expect(ledger.waiting()).toEqual({ count: 1, until: UNTIL })
    clock.advance(QUARTER_MS)
    expect(ledger.ready(0, 10)).toMatchObject([{ id: 3 }])
  })

  it('8.2.4 the ledger itself refuses the intent, also for a hand on the file', async () => {
    const { ledger } = await refusedTooEarly()
    ledger.retryRefused('Ada')
    const insert = `insert into attempt (row_id, n, run_id, mandate_key, request_id, started_at)
      select id, 2, 1, mandate_key, 'r', '2026-06-15T10:14:59.999Z' from row where id = 1`
    byHand(ledger.file, (db) => {
      expect(() => db.exec(insert)).toThrow('an earlier request of the mandate may still arrive')
      db.exec(insert.replace('10:14:59.999', '10:15:00.000'))
    })
  })

  it('8.2.4 save for a resend that a person forced for that very attempt', async () => {
    const { ledger, clock } = await justNow()
    ledger.resolve([resolution(1, 'resend')], { dryRun: false, force: true })
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
    await ledger.begin(readyRow(ledger))
    ledger.close()
    const later = open({ file: ledger.file })
    for (const row of [1, 2]) record(later, resolution(row, 'written_off'))
    const [first, second] = rowsOf(ledger.file).map(
      (row) => explain(row, { problems: [], decision: null }).message,
    )
    expect(first).toContain('It was in doubt: the service held it already, and nothing was sent ')
    expect(first).not.toContain('applied')
    expect(second).toContain('It was in doubt: its request may have left ')
    expect(second).toContain('and may have been applied.')
  })
})

describe('8.2.6 assigned identifiers', () => {
  it.each(['NEW-3 ', ' new-3', 'NEW-3\u00A0', '="NEW-3"'])(
    '8.2.6 "%s" is the reference that row 3 has',
    async (mandateReference) => {
      const { ledger } = await campaign()
      const assigned = { ...NEW_IDENTITY, mandateReference }
      expect(record(ledger, resolution(1, 'registered', { assigned })).results).toMatchObject([
        { kind: 'rejected', message: expect.stringMatching(/row 3 has it$/) as string },
      ])
    },
  )

  it('8.2.6 are recorded without what stands around them, and two rows cannot differ by that', async () => {
    const { ledger } = await campaign()
    record(
      ledger,
      resolution(1, 'registered', { assigned: { ...NEW_IDENTITY, mandateReference: ' NEW-9 ' } }),
    )
    expect(rowsOf(ledger.file)[0]).toMatchObject({ assignedMandateReference: 'NEW-9' })
    expect(ledger.hasAssigned('NEW-9')).toBe(true)
  })

  it.each(['NEW\u200B-9', 'NEW\n9', 'NEW\u00A09', '1.23457E+15', 'N'.repeat(71)])(
    '8.2.6 %j is refused',
    async (mandateReference) => {
      const { ledger } = await campaign()
      const assigned = { ...NEW_IDENTITY, mandateReference }
      expect(record(ledger, resolution(1, 'registered', { assigned })).results).toMatchObject([
        {
          kind: 'rejected',
          message: expect.stringContaining('cannot have the assigned identifier') as string,
        },
      ])
    },
  )
})

describe('9.1.6 a person closes what was never sent', () => {
  /** Row 1 invalid, 2 excluded, 3 and 4 in conflict, 5 refused, 6 ready. */
  async function open6() {
    const ledger = running([
      { reference: 'M-1', customerNo: 1, verdict: 'invalid' },
      { reference: 'M-2', customerNo: 2, verdict: 'excluded' },
      { reference: 'M-3', customerNo: 3 },
      { reference: 'M-3', customerNo: 33 },
      { reference: 'M-5', customerNo: 5 },
      { reference: 'M-6', customerNo: 6 },
    ])
    await send(ledger, refused())
    return ledger
  }

  it('9.1.6 every open row, with name and reason, so that nothing is open any more', async () => {
    const ledger = await open6()
    expect(statesOf(ledger.file)).toEqual(['invalid', 'excluded', 'conflict', 'conflict', 'refused', 'ready'])
    const all = [1, 2, 3, 4, 5, 6].map((id) => resolution(id, 'written_off'))
    expect(record(ledger, ...all).isApplied).toBe(true)
    expect(ledger.totals()).toMatchObject({ read: 6, writtenOff: 6 })
    expect(isBalanced(ledger.totals())).toBe(true)
    expect(decisionsOf(ledger).map(({ rowId, by }) => [rowId, by])).toEqual(
      [1, 2, 3, 4, 5, 6].map((id) => [id, 'Ada']),
    )
  })

  it.each(['registered', 'refused', 'resend'] as const)(
    '9.1.6 but none of them becomes %s',
    async (decision) => {
      const ledger = await open6()
      for (const id of [1, 2, 3, 5]) {
        const report = record(ledger, resolution(id, decision))
        expect(report).toMatchObject({ isApplied: false, results: [{ kind: 'rejected' }] })
      }
    },
  )

  it('9.1.6 not one of two rows in conflict, which would close the mandate for the right one too', async () => {
    const ledger = await open6()
    expect(record(ledger, resolution(3, 'written_off')).results).toMatchObject([
      {
        message: 'Row 3 cannot be written off alone: row 4 is in conflict with it over the same mandate',
        next: 'Write off all of them, or give the right one back in a file: it takes the place of the others',
      },
    ])
  })

  it('9.1.6 a conflict with a registered row can be closed, and later files still meet the registered row', async () => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ customerNo: 77 }])
    expect(record(ledger, resolution(2, 'written_off')).isApplied).toBe(true)
    admit(ledger, [{}])
    expect(statesOf(ledger.file)).toEqual(['registered', 'written_off', 'duplicate'])
  })

  it('9.1.6 a closed row that is given again as it was stays closed; changed, it is a conflict', async () => {
    const ledger = await open6()
    record(ledger, resolution(1, 'written_off'))
    admit(ledger, [{ reference: 'M-1', customerNo: 1, verdict: 'invalid' }])
    expect(statesOf(ledger.file)[6]).toBe('duplicate')
    admit(ledger, [{ reference: 'M-1', customerNo: 11 }])
    expect(statesOf(ledger.file)[7]).toBe('conflict')
  })
})
