import { describe, expect, it } from 'vitest'
import { openForReading } from '../../../src/ledger/file/connection.js'
import { copyOf } from '../../../src/ledger/file/scratch.js'
import { holding, refused, registered, send, running } from '../campaign-setup.js'
import { byHand, look } from '../ledger-views.js'

const TABLES = ['campaign', 'source', 'row', 'run', 'attempt'] as const

async function busyLedger(): Promise<string> {
  const ledger = running([{}, {}, { verdict: 'invalid', reference: 'M-2', customerNo: 2 }])
  await send(ledger, refused())
  ledger.retryRefused('Ada')
  await send(ledger, registered('NEW-1'))
  return ledger.file
}

describe('a copy of a ledger', () => {
  it('holds every row that files are admitted beside, triggers notwithstanding, and nothing else', async () => {
    const file = await busyLedger()
    const original = openForReading(file)
    const copy = copyOf(original)
    for (const table of TABLES) {
      const all = `select * from ${table} order by 1`
      expect(copy.prepare(all).all(), table).toEqual(original.prepare(all).all())
    }
    expect(copy.pragma('foreign_key_check')).toEqual([])
    for (const table of ['problem', 'decision'])
      expect(copy.prepare(`select count(*) from ${table}`).pluck().get(), table).toBe(0)
    copy.close()
    original.close()
  })

  it('is guarded like a ledger, and what happens to it does not happen to the ledger', async () => {
    const file = await busyLedger()
    const original = openForReading(file)
    const copy = copyOf(original)
    expect(() => copy.exec(`update row set state = 'ready' where id = 1`)).toThrow()
    copy.exec(`insert into source (name, header, columns) values ('tried.csv', '[]', '{}')`)
    expect(look(file, (reader) => reader.sources())).toHaveLength(1)
    copy.close()
    original.close()
  })

  it('is taken while the ledger is held for writing, and sees committed rows only', () => {
    const ledger = holding([{}])
    const admission = ledger.admit({ severities: {} })
    const original = openForReading(ledger.file)
    const copy = copyOf(original)
    expect(copy.prepare('select count(*) from row').pluck().get()).toBe(1)
    copy.close()
    original.close()
    admission.rollback()
    expect(
      byHand(ledger.file, (connection) => connection.prepare('select count(*) from row').pluck().get()),
    ).toBe(1)
  })
})
