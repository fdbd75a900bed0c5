import { describe, expect, it, onTestFinished } from 'vitest'
import { LedgerError } from '../../../src/errors.js'
import { openForWriting } from '../../../src/ledger/file/connection.js'
import { createStorage } from '../../../src/ledger/file/storage.js'
import { open } from '../campaign-setup.js'

function storageOf() {
  const ledger = open()
  ledger.close()
  const connection = openForWriting(ledger.file)
  onTestFinished(() => void connection.close())
  connection.exec('create table note (text text not null)')
  const storage = createStorage(connection, ledger.file)
  const add = (text: string) => void connection.prepare('insert into note values (?)').run(text)
  const count = () => connection.prepare('select count(*) from note').pluck().get()
  return { connection, storage, add, count }
}

describe('a write', () => {
  it('is all or nothing', () => {
    const { storage, add, count } = storageOf()
    expect(() =>
      storage.write(() => {
        add('one')
        throw new Error('A bug')
      }),
    ).toThrow('A bug')
    expect(count()).toBe(0)
  })

  it('that failed for another reason than the disk does not end the ledger', () => {
    const { storage, add, count } = storageOf()
    expect(() =>
      storage.write(() => {
        throw new Error('A bug')
      }),
    ).toThrow('A bug')
    storage.write(() => add('one'))
    expect(count()).toBe(1)
  })

  it('is refused inside an admission, where it would not be durable', () => {
    const { connection, storage, add } = storageOf()
    connection.exec('begin')
    expect(() => storage.write(() => add('one'))).toThrow('while an admission is open')
    connection.exec('rollback')
  })
})

describe('once the disk failed', () => {
  it('nothing is written any more, and everybody is told the first fault', () => {
    const { connection, storage, add, count } = storageOf()
    const pages = connection.pragma('page_count', { simple: true })
    connection.pragma(`max_page_count = ${String(pages)}`)
    const full = () => storage.write(() => add('x'.repeat(1_000_000)))
    expect(full).toThrow(LedgerError)
    connection.pragma('max_page_count = 1000000')
    expect(() => storage.write(() => add('one'))).toThrow(LedgerError)
    expect(() => storage.assertSound()).toThrow(LedgerError)
    expect(count()).toBe(0)
  })
})

describe('a write that somebody may act on', () => {
  it('ends the ledger whatever it throws', () => {
    const { storage, add, count } = storageOf()
    expect(() =>
      storage.writeOrBreak(() => {
        throw new Error('A bug')
      }),
    ).toThrow('A bug')
    expect(() => storage.write(() => add('one'))).toThrow('A bug')
    expect(() => storage.guard(count)).toThrow('A bug')
  })
})
