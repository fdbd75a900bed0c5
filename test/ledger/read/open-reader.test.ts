import { describe, expect, it } from 'vitest'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { ROW_STATES, isBalanced } from '../../../src/domain/row/row-state.js'
import {
  admit,
  IBAN,
  inDoubt,
  open,
  refused,
  registered,
  running,
  send,
  SETTINGS,
  stoppedClock,
  mandates,
} from '../campaign-setup.js'
import { byHand, look } from '../ledger-views.js'

describe('a reader beside the writer', () => {
  it('sees what was committed, and nothing else', async () => {
    const ledger = running()
    const reader = openLedgerReader(ledger.file)
    expect(reader.totals().read).toBe(0)
    admit(ledger, mandates(2))
    expect(reader.totals()).toMatchObject({ read: 2, ready: 2 })
    const sent = send(ledger, registered('NEW-1'))
    expect(reader.totals()).toMatchObject({ ready: 2 })
    await sent
    expect(reader.totals()).toMatchObject({ ready: 1, registered: 1 })
    expect(isBalanced(reader.totals())).toBe(true)
    reader.close()
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

  it('keeps nothing of the ledger open when it is closed', () => {
    const ledger = open()
    const reader = openLedgerReader(ledger.file)
    reader.close()
    expect(() => reader.totals()).toThrow('not open')
  })
})

describe('rows', () => {
  it('come by state, in order of id, page by page', async () => {
    const ledger = running([...mandates(6), { reference: 'M-7', customerNo: 7, verdict: 'invalid' }])
    for (const outcome of [refused(), registered('NEW-2'), refused(), inDoubt()]) await send(ledger, outcome)
    const pages = (...args: Parameters<ReturnType<typeof openLedgerReader>['rows']>) =>
      look(ledger.file, (reader) => reader.rows(...args).map(({ id, state }) => [id, state]))
    expect(pages(['refused', 'in_doubt', 'invalid'], 0, 3)).toEqual([
      [1, 'refused'],
      [3, 'refused'],
      [4, 'in_doubt'],
    ])
    expect(pages(['refused', 'in_doubt', 'invalid'], 4, 3)).toEqual([[7, 'invalid']])
    expect(pages(['refused', 'refused'], 0, 10)).toEqual([
      [1, 'refused'],
      [3, 'refused'],
    ])
    expect(pages([], 0, 10)).toEqual([])
  })

  it('show everything but the account number', () => {
    const ledger = open()
    admit(ledger, [{}], { name: 'march.csv' })
    const row = look(ledger.file, (reader) => reader.row(1))
    expect(row).toEqual({
      id: 1,
      sourceId: 1,
      source: 'march.csv',
      record: 1,
      line: 2,
      state: 'ready',
      rule: null,
      customerNo: 1000,
      ibanMasked: 'DE…3000',
      signedDate: '2020-01-31',
      originalCreditorIdentifier: 'DE98ZZZ09999999999',
      originalMandateReference: 'M-1',
      mandateKey: 'DE|09999999999|M-1',
      assignedCreditorIdentifier: null,
      assignedMandateReference: null,
      registeredAt: null,
      latestFirstDebit: null,
      supersededBy: null,
      corrects: null,
      countedIn: 1,
      attempts: 0,
      lastAttempt: null,
      formerDoubt: null,
      cells: ['1000', IBAN, '2020-01-31', 'DE98ZZZ09999999999', 'M-1'],
    })
    expect(look(ledger.file, (reader) => reader.row(2))).toBeNull()
  })

  it('are found by the reference that was assigned, and by customer', async () => {
    const ledger = running([{}, { reference: 'M-2' }, { reference: 'M-3', customerNo: 3 }])
    await send(ledger, registered('NEW-1'))
    expect(look(ledger.file, (reader) => reader.rowOfReference('new-1')?.id)).toBe(1)
    expect(look(ledger.file, (reader) => reader.rowOfReference('NEW-2'))).toBeNull()
    expect(look(ledger.file, (reader) => reader.rowsOfCustomer(1000).map(({ id }) => id))).toEqual([1, 2])
  })
})

describe('counts', () => {
  it('group refusals by what the service said, the most frequent first', async () => {
    const ledger = running(mandates(3))
    for (const message of ['unknown', 'closed', 'unknown']) await send(ledger, refused(message))
    const cause = { status: 422, serviceCode: 'INVALID_PARAMETER', field: 'customer_no' }
    expect(look(ledger.file, (reader) => reader.refusalCounts())).toEqual([
      { ...cause, message: 'unknown', count: 2 },
      { ...cause, message: 'closed', count: 1 },
    ])
  })
})

describe('the date of the ledger', () => {
  it('moves with every kind of change', async () => {
    const clock = stoppedClock()
    const ledger = open({ clock })
    const dates: string[] = []
    const note = () => {
      dates.push(look(ledger.file, (reader) => reader.campaign().changedAt))
      clock.advance(1_000)
    }
    note()
    ledger.bind({ baseUrl: 'https://service.example', username: 'merchant' })
    note()
    const run = ledger.startRun(SETTINGS)
    note()
    admit(ledger, mandates(2))
    note()
    await send(ledger, refused())
    note()
    ledger.retryRefused('Ada')
    note()
    ledger.endRun(run, { stoppedBy: null, exitCode: 0 })
    note()
    expect(new Set(dates).size).toBe(dates.length)
    expect([...dates].sort()).toEqual(dates)
  })
})
