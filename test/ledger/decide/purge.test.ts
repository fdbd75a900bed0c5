import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/driver.js'
import { UsageError } from '../../../src/errors.js'
import type { AttemptRecord } from '../../../src/ledger/read/reader.js'
import {
  admit,
  IBAN,
  inDoubt,
  open,
  OTHER_IBAN,
  refused,
  registered,
  send,
  SETTINGS,
  stoppedClock,
} from '../campaign-setup.js'
import { byHand, look, rowsOf } from '../ledger-views.js'

const SIGN_OFF = { by: 'Ada Example', reason: 'signed off on 1 July', withOpenRows: true }

async function settledLedger() {
  const clock = stoppedClock()
  const ledger = open({ clock })
  ledger.startRun(SETTINGS)
  admit(ledger, [
    { reference: 'M-1' },
    { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN },
    { reference: 'M-3', customerNo: 3, verdict: 'invalid' },
    { reference: 'M-4', customerNo: 4 },
    { reference: 'M-4', customerNo: 5 },
  ])
  await send(ledger, registered('NEW-1'))
  await send(ledger, refused())
  return { ledger, clock }
}

/** Every file beside the ledger that holds one of the account numbers. */
const filesWithAccounts = (file: string): string[] =>
  readdirSync(dirname(file)).filter((name) => {
    const bytes = readFileSync(join(dirname(file), name))
    return bytes.includes(IBAN) || bytes.includes(OTHER_IBAN)
  })

const withoutWords = (attempt: AttemptRecord | null): AttemptRecord | null =>
  attempt === null
    ? null
    : {
        ...attempt,
        serviceCode: null,
        field: null,
        message: null,
        answer: null,
        reason: `The service answered ${String(attempt.status)}`,
      }

describe('a purge', () => {
  it('leaves no account number in any file, and keeps totals, references and history', async () => {
    const { ledger, clock } = await settledLedger()
    const [before, totals] = [rowsOf(ledger.file), ledger.totals()]
    expect(filesWithAccounts(ledger.file)).not.toEqual([])
    clock.advance(1_000)
    expect(ledger.purge(SIGN_OFF)).toEqual({ rows: 4, removedFiles: [], isErased: true })
    expect(filesWithAccounts(ledger.file)).toEqual([])
    expect(ledger.totals()).toEqual(totals)
    expect(rowsOf(ledger.file)).toEqual(
      before.map((row) => ({ ...row, cells: null, lastAttempt: withoutWords(row.lastAttempt) })),
    )
    expect(look(ledger.file, (reader) => reader.campaign())).toMatchObject({
      purgedAt: '2026-06-15T10:00:01.000Z',
      changedAt: '2026-06-15T10:00:01.000Z',
    })
    const kept = byHand(ledger.file, (db) =>
      db.prepare('select secret, purged_by, purge_reason from campaign').get(),
    )
    expect(kept).toEqual({ secret: null, purged_by: 'Ada Example', purge_reason: 'signed off on 1 July' })
  })

  it('takes no more files afterwards', async () => {
    const { ledger } = await settledLedger()
    ledger.purge(SIGN_OFF)
    expect(() => ledger.admit({ severities: {} })).toThrow('it was purged at 2026-06-15T10:00:00.000Z')
    ledger.close()
    expect(() => open({ file: ledger.file }).admit({ severities: {} })).toThrow('it was purged at')
  })

  it('waits until nothing is open', async () => {
    const { ledger } = await settledLedger()
    admit(ledger, [{ reference: 'M-6', customerNo: 6 }])
    expect(() => ledger.purge(SIGN_OFF)).toThrow('Cannot purge the ledger while rows are open: 1 ready')
    await send(ledger, inDoubt())
    expect(() => ledger.purge(SIGN_OFF)).toThrow(UsageError)
    expect(rowsOf(ledger.file).some(({ cells }) => cells !== null)).toBe(true)
    await expect(send(ledger, refused())).rejects.toThrow('expected a ready row')
  })

  it('says when a reader keeps old pages, and can be asked again', async () => {
    const { ledger, clock } = await settledLedger()
    const reader = openDatabase(ledger.file, { readonly: true })
    reader.exec('begin')
    reader.prepare('select count(*) from row').get()
    expect(ledger.purge(SIGN_OFF).isErased).toBe(false)
    reader.close()
    clock.advance(5_000)
    expect(ledger.purge(SIGN_OFF)).toEqual({ rows: 0, removedFiles: [], isErased: true })
    expect(filesWithAccounts(ledger.file)).toEqual([])
    expect(look(ledger.file, (view) => view.campaign().purgedAt)).toBe('2026-06-15T10:00:00.000Z')
  })

  it('does not send refused rows again: there is nothing left to send', async () => {
    const { ledger } = await settledLedger()
    ledger.purge(SIGN_OFF)
    expect(() => ledger.retryRefused('Ada Example')).toThrow('it was purged at')
    expect(ledger.totals()).toMatchObject({ refused: 1 })
  })
})
