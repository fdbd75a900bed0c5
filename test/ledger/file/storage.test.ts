import { describe, expect, it, onTestFinished } from 'vitest'
import { LedgerError, UsageError } from '../../../src/errors.js'
import { openForWriting } from '../../../src/ledger/file/connection.js'
import { createStorage, explaining, explainStorageError } from '../../../src/ledger/file/storage.js'
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

const systemError = (code: string) => Object.assign(new Error(code), { code })
const sqliteError = (message: string, code: string) =>
  Object.assign(new Error(message), { name: 'SqliteError', code })
const explain = (error: unknown) => explainStorageError(error, 'write', 'march.db')

describe('explainStorageError', () => {
  it.each([
    ['SQLITE_NOTADB', 'foreign', 'not an SQLite database'],
    ['SQLITE_CORRUPT', 'damaged', 'damaged'],
    ['SQLITE_CORRUPT_INDEX', 'damaged', 'damaged'],
    ['SQLITE_FULL', 'unwritable', 'the disk is full'],
    ['SQLITE_BUSY', 'locked', 'another program writes to it'],
    ['SQLITE_BUSY_SNAPSHOT', 'locked', 'another program writes to it'],
    ['SQLITE_READONLY', 'unwritable', 'cannot be opened for writing'],
    ['SQLITE_READONLY_DIRECTORY', 'unwritable', 'cannot be opened for writing'],
    ['SQLITE_CANTOPEN', 'unwritable', 'cannot be opened for writing'],
    ['SQLITE_IOERR_WRITE', 'unwritable', 'the disk reports an error (SQLITE_IOERR_WRITE)'],
    ['SQLITE_IOERR_FSYNC', 'unwritable', 'SQLITE_IOERR_FSYNC'],
  ])('says what %s means', (code, problem, text) => {
    const error = explain(sqliteError('cryptic', code))
    expect(error).toBeInstanceOf(LedgerError)
    expect(error).toMatchObject({ problem, exitCode: 8 })
    expect((error as LedgerError).message).toContain('Cannot write the ledger "march.db": ')
    expect((error as LedgerError).message).toContain(text)
    expect((error as LedgerError).next).not.toBe('')
  })

  it.each(['ENOSPC', 'EACCES', 'EROFS', 'ENOTDIR', 'ENOENT'])('says what %s of the system means', (code) => {
    expect(explain(systemError(code))).toMatchObject({ problem: 'unwritable' })
  })

  it('leaves what is no fault of the storage as it is', () => {
    const refused = sqliteError('CHECK constraint failed', 'SQLITE_CONSTRAINT_CHECK')
    expect(explain(refused)).toBe(refused)
    const usage = new UsageError('wrong', 'right')
    expect(explain(usage)).toBe(usage)
    const explained = explain(sqliteError('x', 'SQLITE_FULL'))
    expect(explain(explained)).toBe(explained)
  })

  it('keeps the cause', () => {
    const cause = sqliteError('database or disk is full', 'SQLITE_FULL')
    expect(() =>
      explaining('write', 'march.db', () => {
        throw cause
      }),
    ).toThrow(expect.objectContaining({ cause }))
  })
})
