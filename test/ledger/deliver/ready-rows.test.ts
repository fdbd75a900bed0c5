import { describe, expect, it } from 'vitest'
import { LedgerError } from '../../../src/errors.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { holding, IBAN, OTHER_IBAN, send, turnedAway, mandates, running } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'
const ids = (ledger: Ledger, after = 0, limit = 10): number[] =>
  ledger.ready(after, limit).map(({ id }) => id)

describe('the ready rows', () => {
  it('come page by page in the order of the file', () => {
    const ledger = holding([...mandates(4), { verdict: 'invalid', reference: 'M-9', customerNo: 9 }])
    expect(ids(ledger, 0, 3)).toEqual([1, 2, 3])
    expect(ids(ledger, 3, 3)).toEqual([4])
    expect(ids(ledger, 4, 3)).toEqual([])
    expect(ledger.countReady()).toBe(4)
  })

  it('a row that was turned away comes again at once, with its attempts', async () => {
    const ledger = running(mandates(1))
    await send(ledger, turnedAway())
    expect(ledger.ready(0, 1)).toMatchObject([{ id: 1, attempts: 1 }])
  })
})

describe('a row that does not hold what was admitted', () => {
  /** As any SQLite tool could, once the guards are gone. */
  function change(file: string, sql: string): void {
    byHand(file, (connection) => {
      for (const name of connection
        .prepare<[], string>(`select name from sqlite_schema where type = 'trigger'`)
        .pluck()
        .all())
        connection.exec(`drop trigger "${name}"`)
      connection.exec(sql)
    })
  }

  it.each([
    `update row set iban = '${OTHER_IBAN}' where id = 2`,
    `update row set customer_no = 77 where id = 2`,
    `update row set signed_date = '2020-01-30' where id = 2`,
    `update row set original_mandate_reference = 'M-3' where id = 2`,
    `update row set original_creditor_identifier = 'DE98ABC09999999999' where id = 2`,
  ])('is not given out, nor is its page: %s', (sql) => {
    const ledger = holding(mandates(3))
    change(ledger.file, sql)
    let error: unknown
    try {
      ledger.ready(0, 10)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toBeInstanceOf(LedgerError)
    expect(error).toMatchObject({ problem: 'damaged', exitCode: 8 })
    expect(String(error)).toContain('row 2')
    expect(String(error)).not.toMatch(new RegExp(`${IBAN}|${OTHER_IBAN}`))
  })

  it('28.6 a row whose fingerprint of all five values was taken away', () => {
    const ledger = holding(mandates(1))
    change(ledger.file, 'update row set content_key = null')
    expect(() => ids(ledger)).toThrow('no longer holds what was admitted')
  })
})
