import { describe, expect, it } from 'vitest'
import { isBalanced, ROW_STATES } from '../../../src/domain/row/row-state.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import type { LedgerReader } from '../../../src/ledger/read/open-reader.js'
import type { RegisteredRow, RowRecord } from '../../../src/ledger/read/reader.js'
import {
  admit,
  decide,
  holding,
  open,
  played,
  running,
  runningAt,
  send,
  SETTINGS,
  stoppedClock,
} from '../campaign-setup.js'
import { inDoubt, refused, registered, turnedAway } from '../outcomes.js'
import { IBAN, mandates, OTHER_IBAN } from '../records.js'
import { byHand, forge, look } from '../ledger-views.js'

describe('a reader beside the writer', () => {
  it('sees what was committed, and nothing else', async () => {
    const ledger = running()
    const reader = openLedgerReader(ledger.file)
    expect(reader.totals()).toMatchObject({ read: 0, resubmitted: 0, ready: 0 })
    admit(ledger, mandates(2))
    expect(reader.totals()).toMatchObject({ read: 2, ready: 2 })
    const sent = send(ledger, registered('NEW-1'))
    expect(reader.totals()).toMatchObject({ ready: 2 })
    await sent
    expect(reader.totals()).toMatchObject({ ready: 1, registered: 1 })
    expect(isBalanced(reader.totals())).toBe(true)
    reader.close()
    expect(() => reader.totals()).toThrow('not open')
  })

  it('does not hold the writer up between its pages (scenario 60)', async () => {
    const ledger = running(mandates(30))
    const reader = openLedgerReader(ledger.file)
    const seen: number[] = []
    for (let after = 0; ; after = seen.at(-1)!) {
      const page = reader.rows(ROW_STATES, after, 10)
      if (page.length === 0) break
      seen.push(...page.map(({ id }) => id))
      await send(ledger, refused())
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => n + 1))
    // Nothing of the reader is open: the log can be emptied behind its back.
    expect(byHand(ledger.file, (db) => db.pragma('wal_checkpoint(TRUNCATE)'))).toMatchObject([{ busy: 0 }])
    reader.close()
  })
})

describe('rows', () => {
  it('come by state, in order of id, page by page', async () => {
    const invalid = { reference: 'M-7', customerNo: 7, verdict: 'invalid' } as const
    const outcomes = [refused(), registered('NEW-2'), refused(), inDoubt()]
    const ledger = await played([...mandates(6), invalid], ...outcomes)
    const page = (...args: Parameters<LedgerReader['rows']>) =>
      ledger.view.rows(...args).map(({ id, state }) => `${id} ${state}`)
    const states = ['refused', 'in_doubt', 'invalid'] as const
    expect(page(states, 0, 3)).toEqual(['1 refused', '3 refused', '4 in_doubt'])
    expect(page(states, 4, 3)).toEqual(['7 invalid'])
    expect(page(['refused', 'refused'], 0, 10)).toEqual(['1 refused', '3 refused'])
    expect(page([], 0, 10)).toEqual([])
  })

  it('show everything but the account number', () => {
    const ledger = open()
    admit(ledger, [{}], { name: 'march.csv' })
    expect(ledger.view.row(1)).toEqual({
      ...{ id: 1, sourceId: 1, source: 'march.csv', record: 1, line: 2, state: 'ready', rule: null },
      ...{ customerNo: 1000, ibanMasked: 'DE…3000', signedDate: '2020-01-31' },
      ...{ originalCreditorIdentifier: 'DE98ZZZ09999999999', originalMandateReference: 'M-1' },
      mandateKey: 'DE|09999999999|M-1',
      ...{ assignedCreditorIdentifier: null, assignedMandateReference: null, registeredAt: null },
      ...{ latestFirstDebit: null, vouchedOn: null, supersededBy: null, corrects: null, countedIn: 1 },
      ...{ attempts: 0, lastAttempt: null, formerDoubt: null },
      cells: ['1000', IBAN, '2020-01-31', 'DE98ZZZ09999999999', 'M-1'],
    })
    expect(ledger.view.row(2)).toBeNull()
  })

  it('are found by the reference that was assigned, and by customer', async () => {
    const rows = [{}, { reference: 'M-2' }, { reference: 'M-3', customerNo: 3 }]
    const { view } = await played(rows, registered('NEW-1'))
    expect(view.rowOfReference('new-1')?.id).toBe(1)
    expect(view.rowOfReference('NEW-2')).toBeNull()
    expect(view.rowsOfCustomer(1000).map(({ id }) => id)).toEqual([1, 2])
  })
})

/** Rows in most states, several attempts, a correction of a correction, and a mandate that was released. */
async function variedLedger(): Promise<Ledger> {
  const clock = stoppedClock()
  const ledger = runningAt(clock, [
    ...mandates(9),
    { reference: 'M-X', customerNo: 90, verdict: 'invalid' as const },
    { reference: 'M-Y', customerNo: 91, verdict: 'excluded' as const },
  ])
  const outcomes = [registered('N-1'), refused(), inDoubt(), registered('N-2'), turnedAway(), inDoubt()]
  for (const outcome of [...outcomes, registered('N-3')]) await send(ledger, outcome)
  clock.advance(60 * 60 * 1_000)
  decide(ledger, 3, 'resend')
  admit(ledger, [{ reference: 'M-NEW', customerNo: 2, corrects: 2 }], { name: 'corrections.csv' })
  admit(ledger, [{ reference: 'M-NEWER', customerNo: 2, corrects: 12 }], { name: 'again.csv' })
  admit(ledger, [{ reference: 'M-LAST', customerNo: 3, corrects: 3 }], { name: 'resent.csv' })
  return ledger
}

function walk(reader: LedgerReader, limit: number) {
  const [rows, brief, sizes]: [RowRecord[], RegisteredRow[], number[]] = [[], [], []]
  for (let after = 0; ;) {
    const page = reader.page(after, limit)
    if (page.last === null) return { rows, registered: brief, sizes }
    rows.push(...page.rows)
    brief.push(...page.registered)
    sizes.push(page.rows.length + page.registered.length)
    after = page.last
  }
}

describe('pages of rows', () => {
  it('hold every row once, as it is read alone, registered ones in brief, whatever their size', async () => {
    const { view } = await variedLedger()
    const alone = view.rows(ROW_STATES, 0, 1_000).map(({ id }) => view.row(id)!)
    expect(alone).toHaveLength(14)
    const expected = alone.filter(({ state }) => state === 'registered')
    expect(expected.length).toBeGreaterThan(2)
    for (let limit = 1; limit <= 15; limit += 1) {
      const { rows, registered: brief, sizes } = walk(view, limit)
      expect(rows).toEqual(alone.filter(({ state }) => state !== 'registered'))
      expect(brief.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      for (const [index, row] of brief.entries()) expect(expected[index]).toMatchObject(row)
      expect(brief[0]).not.toHaveProperty('lastAttempt')
      expect(Math.max(...sizes)).toBeLessThanOrEqual(limit)
      for (const { id, lastAttempt } of rows) expect(lastAttempt).toEqual(view.attempts(id).at(-1) ?? null)
    }
    expect(alone.some(({ attempts }) => attempts > 1)).toBe(true)
  })

  it('tell of a released doubt in its own row and in those that replaced it', async () => {
    const { view } = await variedLedger()
    const { requestId, startedAt, started } = view.attempts(3)[0]!
    const doubt = { rowId: 3, requestId, startedAt, started }
    const told = walk(view, 3).rows.filter(({ formerDoubt }) => formerDoubt !== null)
    expect(told.map(({ id, formerDoubt }) => ({ id, formerDoubt }))).toEqual(
      [3, 14].map((id) => ({ id, formerDoubt: doubt })),
    )
  })

  it('count a registered correction in the source of the row whose place it took', async () => {
    const ledger = await variedLedger()
    for (let more = ledger.countReady(); more > 0; more -= 1) await send(ledger, registered(`N-9${more}`))
    const corrected = walk(ledger.view, 100).registered.find(({ id }) => id === 13)
    expect(corrected).toMatchObject({ source: 'again.csv', sourceId: 3, countedIn: 1 })
  })
})

describe('counts', () => {
  it('group refusals by what the service said, the most frequent first', async () => {
    const ledger = await played(mandates(3), ...['unknown', 'closed', 'unknown'].map(refused))
    const cause = { status: 422, serviceCode: 'INVALID_PARAMETER', field: 'customer_no' }
    expect(ledger.view.refusalCounts()).toEqual([
      { ...cause, message: 'unknown', count: 2 },
      { ...cause, message: 'closed', count: 1 },
    ])
  })

  it('tell customers, mandates and accounts apart, with and without rows that have no place', async () => {
    const ledger = running()
    const counts = () => Object.values(ledger.view.distinctCounts())
    expect(ledger.view.distinctCounts()).toEqual({ customers: 0, mandates: 0, accounts: 0 })
    admit(ledger, [
      { reference: 'M-1', customerNo: 1 },
      { reference: 'M-2', customerNo: 1 },
      { reference: 'M-2', customerNo: 1 },
      { reference: 'M-3', customerNo: 3, iban: OTHER_IBAN, mandateKey: null, verdict: 'invalid' },
    ])
    expect(counts()).toEqual([2, 2, 2])
    await send(ledger, refused())
    admit(ledger, [{ reference: 'M-9', customerNo: 9, corrects: 1 }])
    expect(counts()).toEqual([3, 2, 2])
    await send(ledger, registered('NEW-1')) // whose account is gone
    expect(counts()).toEqual([3, 2, 2])
  })
})

describe('mandates', () => {
  const of = ({ view }: Ledger) => {
    const { total, ...byState } = view.mandates()
    expect(Object.values(byState).reduce((sum, count) => sum + count, 0)).toBe(total)
    return { total, ...Object.fromEntries(Object.entries(byState).filter(([, count]) => count > 0)) }
  }

  it('count once, by the record that counts', async () => {
    const ledger = running()
    expect(of(ledger)).toEqual({ total: 0 })
    admit(ledger, [
      ...mandates(3),
      { reference: 'M-1', customerNo: 1 },
      { reference: 'M-4', customerNo: 4 },
      { reference: 'M-4', customerNo: 5 },
      { reference: 'M-5', customerNo: 5, verdict: 'excluded' },
      { reference: 'M-6', customerNo: 6, mandateKey: null, verdict: 'invalid' },
      { reference: 'M-7', customerNo: 7, mandateKey: null, verdict: 'invalid' },
    ])
    expect(of(ledger)).toEqual({ total: 7, ready: 3, conflict: 1, excluded: 1, invalid: 2 })
    await send(ledger, registered('NEW-1'))
    await send(ledger, refused())
    await send(ledger, inDoubt())
    // What was sent counts, whatever a later export says of it; the same once more adds nothing.
    admit(ledger, [
      { reference: 'M-1', customerNo: 9 },
      { reference: 'M-2', customerNo: 2, verdict: 'excluded' },
      { reference: 'M-3', customerNo: 3 },
      { reference: 'M-8', customerNo: 8 },
    ])
    const expected = { registered: 1, refused: 1, inDoubt: 1, conflict: 1, excluded: 1, invalid: 2, ready: 1 }
    expect(of(ledger)).toEqual({ total: 8, ...expected })
    const conflict = { state: 'conflict', rule: 'CONFLICT_MANDATE', count: 1 }
    expect(ledger.view.mandateCounts()).toContainEqual(conflict)
  })

  it('count under the name that a correction gave them', () => {
    const ledger = holding([{}, { reference: 'M-2', customerNo: 2 }], [{ reference: 'M-9', corrects: 1 }])
    expect(of(ledger)).toEqual({ total: 2, ready: 2 })
    // A row that turns out to be another's mandate is none of its own.
    admit(ledger, [{ reference: 'M-2', customerNo: 2, corrects: 3 }])
    expect(of(ledger)).toEqual({ total: 1, ready: 1 })
  })
})

describe('control totals', () => {
  const ofSources = ({ view }: Ledger) => view.sources().map(({ totals }) => totals)

  it('show a row that was lost', () => {
    const ledger = holding(mandates(2))
    forge(ledger.file, 'delete from row where id = 2')
    expect(isBalanced(look(ledger.file, (reader) => reader.totals()))).toBe(false)
  })

  it('of a source count its records in the states of the rows that hold their places, of a later file too', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }, { reference: 'M-2', customerNo: 2 }],
      [{ corrects: 1 }, { reference: 'M-3', customerNo: 3 }],
      [],
    )
    expect(ofSources(ledger)).toMatchObject([
      { read: 2, resubmitted: 0, ready: 2, invalid: 0, superseded: 0 },
      { read: 1, resubmitted: 1, ready: 1 },
      { read: 0, ready: 0 },
    ])
    expect(ofSources(ledger).every(isBalanced)).toBe(true)
  })

  it('a row that a later export replaced is superseded there, and counted where it stands now', () => {
    const ledger = holding([{}])
    admit(ledger, [{ iban: OTHER_IBAN }], { isNewer: true })
    expect(ofSources(ledger)).toMatchObject([
      { read: 1, superseded: 1, ready: 0 },
      { read: 1, superseded: 0, ready: 1 },
    ])
  })
})

it('the date of the ledger moves with every kind of change', async () => {
  const clock = stoppedClock()
  const ledger = open({ clock })
  const dates = [ledger.view.campaign().changedAt]
  let run = 0
  const changes: (() => unknown)[] = [
    () => ledger.bind({ baseUrl: 'https://service.example', username: 'merchant' }),
    () => (run = ledger.startRun(SETTINGS)),
    () => admit(ledger, mandates(2)),
    () => send(ledger, refused()),
    () => ledger.retryRefused('Ada'),
    () => ledger.endRun(run, { stoppedBy: null, exitCode: 0 }),
  ]
  for (const change of changes) {
    clock.advance(1_000)
    await change()
    dates.push(ledger.view.campaign().changedAt)
  }
  expect([...new Set(dates)].sort()).toEqual(dates)
})

it('tells what people changed in rows that wait to be sent, and of no other', async () => {
  const rows = mandates(3).map((row) => ({ ...row, verdict: 'invalid' as const }))
  const ledger = running(rows)
  const given = rows.map((row, at) => ({ ...row, verdict: 'sendable' as const, corrects: at + 1 }))
  admit(ledger, [
    { ...given[0], signedDate: '2020-02-01' },
    { ...given[1], signedDate: '2020-02-07' },
    { ...given[2], verdict: 'invalid', signedDate: '2020-02-03' },
  ])
  const told = { by: 'operator', at: expect.any(String) as string, reason: 'no reason given' }
  expect(ledger.view.correctionsToSend(1)).toEqual({
    rows: 2,
    fields: [{ field: 'signed_date', count: 2 }],
    first: [{ ...told, row: 1, changes: 'signed_date "2020-01-31" → "2020-02-01"' }],
  })
  await send(ledger, registered('NEW-1'))
  expect(ledger.view.correctionsToSend(9)).toMatchObject({ rows: 1, first: [{ row: 2 }] })
})
