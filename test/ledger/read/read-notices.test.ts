import { describe, expect, it } from 'vitest'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { admit, inDoubt, open, registered, send, SETTINGS, stoppedClock } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'
import { listed } from '../heard-answer.js'

const MADE = {
  by: 'Ada',
  version: '0',
  firstDebit: '2027-01-01',
  file: 'n.csv',
  sha256: 'x',
  bytes: 10,
  rows: 2,
}

async function campaign() {
  const clock = stoppedClock()
  const ledger = open({ clock, user: 'ada' })
  ledger.startRun(SETTINGS)
  admit(
    ledger,
    [1, 2, 3].map((n) => ({ customerNo: 1000 + n, reference: `M-${n}` })),
  )
  for (const outcome of [registered('NEW-1'), inDoubt(), registered('NEW-3')]) await send(ledger, outcome)
  return { ledger, clock }
}

describe('notified', () => {
  it('lists the registered rows alone, in pages, with the latest answer that counts', async () => {
    const { ledger, clock } = await campaign()
    clock.advance(60_000)
    const terms = {
      scope: 'registered',
      sample: null,
      version: '0',
      host: 'bench',
      pid: 1,
      settings: {},
    } as const
    const { id } = ledger.readBacks.start(terms)
    const evidence = { verdict: 'proven', why: null, sources: [] } as const
    ledger.readBacks.record(id, [listed(1001, [{ rowId: 1, attempts: 1, evidence }])])
    const all = ledger.view.notified(0, 10)
    expect(all).toMatchObject([
      { id: 1, record: 1, customerNo: 1001, assignedMandateReference: 'NEW-1', verdict: 'proven' },
      { id: 3, record: 3, customerNo: 1003, assignedMandateReference: 'NEW-3', verdict: null },
    ])
    expect(ledger.view.notified(0, 1)).toEqual(all.slice(0, 1))
    expect(ledger.view.notified(1, 1)).toEqual(all.slice(1))
    expect(ledger.view.notified(3, 1)).toEqual([])
  })
})

describe('notices', () => {
  it('are on record for good, with the user of the operating system', async () => {
    const { ledger } = await campaign()
    const before = ledger.view.campaign().changedAt
    ledger.noteNotices({ ...MADE, by: 'Ada DE89370400440532013000' })
    const reader = openLedgerReader(ledger.file)
    expect(reader.notices()).toEqual([
      {
        madeAt: before,
        madeBy: 'Ada DE…3000',
        madeAs: 'ada',
        version: '0',
        firstDebit: '2027-01-01',
        file: 'n.csv',
        sha256: 'x',
        bytes: 10,
        rows: 2,
      },
    ])
    reader.close()
    expect(() => byHand(ledger.file, (db) => db.exec('update notice set rows = 3'))).toThrow(
      'stays on record',
    )
    expect(() => byHand(ledger.file, (db) => db.exec('delete from notice'))).toThrow(
      'the ledger never deletes',
    )
  })

  it('are a change of the ledger, so that a report that does not name them is an old one', async () => {
    const { ledger, clock } = await campaign()
    clock.advance(1000)
    const before = ledger.view.campaign().changedAt
    ledger.noteNotices(MADE)
    expect(ledger.view.campaign().changedAt > before).toBe(true)
  })
})
