import { describe, expect, it, onTestFinished } from 'vitest'
import { LedgerError, UsageError } from '../../../src/errors.js'
import {
  openForWriting,
  assertFullSync,
  configureForWriting,
  emptyLog,
  openForReading,
  createStorage,
  explaining,
  explainStorageError,
} from '../../../src/ledger/file/connection.js'
import { open, freshFile, holding } from '../campaign-setup.js'
import { type Database, openDatabase } from '../../../src/driver.js'
import { createPrivateFile } from '../../../src/ledger/safety/side-files.js'

function freshConnection() {
  const file = freshFile()
  createPrivateFile(file)
  const connection = openForWriting(file)
  onTestFinished(() => void connection.close())
  return { file, connection }
}

const setting = (connection: Database, name: string) => connection.pragma(name, { simple: true })

describe('the connection that writes', () => {
  it('flushes every commit', () => {
    const { connection, file } = freshConnection()
    configureForWriting(connection)
    connection.exec('create table t (n integer) strict; insert into t values (1)')
    expect(setting(connection, 'synchronous')).toBe(2)
    connection.close()
    const again = openForWriting(file)
    // What this build opens such a file with, and why the setting is made at every open.
    again.prepare('select count(*) from t').get()
    expect(setting(again, 'synchronous')).toBe(1)
    expect(() => assertFullSync(again)).toThrow('SQLite did not accept synchronous=FULL')
    configureForWriting(again)
    expect(setting(again, 'synchronous')).toBe(2)
    again.close()
  })

  it('has the settings that make it durable', () => {
    const { connection } = freshConnection()
    configureForWriting(connection)
    const settings = {
      ...{ journal_mode: 'wal', foreign_keys: 1, busy_timeout: 5_000, journal_size_limit: 67_108_864 },
      ...{ wal_autocheckpoint: 1_000, trusted_schema: 0, cell_size_check: 1, secure_delete: 1 },
      recursive_triggers: 1,
    }
    for (const [name, value] of Object.entries(settings)) expect(setting(connection, name), name).toBe(value)
    connection.close()
  })

  it('makes no database where there is no file', () => {
    expect(() => openForWriting(freshFile())).toThrow('unable to open database file')
  })
})

it('the connection that reads cannot write', () => {
  const connection = openForReading(holding([{}]).file)
  expect(() => connection.exec(`update row set rule = 'x'`)).toThrow('readonly')
  connection.close()
})

it('emptyLog says when a reader kept some of the log, without waiting for it', () => {
  const { file, connection } = freshConnection()
  configureForWriting(connection)
  connection.exec('create table t (n integer) strict; insert into t values (1)')
  const reader = openDatabase(file, { readonly: true })
  reader.exec('begin')
  reader.prepare('select * from t').all()
  connection.exec('insert into t values (2)')
  expect(emptyLog(connection)).toBe(false)
  reader.exec('commit')
  expect(emptyLog(connection)).toBe(true)
  expect(setting(connection, 'busy_timeout')).toBe(5_000)
  reader.close()
})

it('the pinned SQLite does not let two connections corrupt the file, as it did up to 3.51.2', () => {
  const { connection } = freshConnection()
  const version = connection.prepare<[], string>('select sqlite_version()').pluck().get() ?? ''
  expect(version.localeCompare('3.51.3', 'en', { numeric: true })).toBeGreaterThanOrEqual(0)
})

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
    storage.write(() => add('one')) // a fault that is not the disk's does not end the ledger
    expect(count()).toBe(1)
  })

  it('is refused inside an admission, where it would not be durable', () => {
    const { connection, storage, add } = storageOf()
    connection.exec('begin')
    expect(() => storage.write(() => add('one'))).toThrow('while an admission is open')
    connection.exec('rollback')
  })
})

it('once the disk failed nothing is written any more, and everybody is told the first fault', () => {
  const { connection, storage, add, count } = storageOf()
  connection.pragma(`max_page_count = ${String(setting(connection, 'page_count'))}`)
  const full = () => storage.write(() => add('x'.repeat(1_000_000)))
  expect(full).toThrow(LedgerError)
  connection.pragma('max_page_count = 1000000')
  expect(() => storage.write(() => add('one'))).toThrow(LedgerError)
  expect(() => storage.assertSound()).toThrow(LedgerError)
  expect(count()).toBe(0)
})

it('a write that somebody may act on ends the ledger whatever it throws', () => {
  const { storage, add, count } = storageOf()
  const failing = () => {
    throw new Error('A bug')
  }
  expect(() => storage.writeOrBreak(failing)).toThrow('A bug')
  expect(() => storage.write(() => add('one'))).toThrow('A bug')
  expect(() => storage.guard(count)).toThrow('A bug')
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
    ['SQLITE_IOERR_SHMSIZE', 'unwritable', 'the disk is full'],
    ['SQLITE_BUSY', 'locked', 'another program writes to it'],
    ['SQLITE_BUSY_SNAPSHOT', 'locked', 'another program writes to it'],
    ['SQLITE_READONLY', 'unwritable', 'cannot be opened for writing'],
    ['SQLITE_READONLY_DIRECTORY', 'unwritable', 'cannot be opened for writing'],
    ['SQLITE_CANTOPEN', 'unwritable', 'cannot be opened for writing'],
    ['SQLITE_IOERR_WRITE', 'unwritable', 'the disk reports an error (SQLITE_IOERR_WRITE)'],
    ['SQLITE_IOERR_FSYNC', 'unwritable', 'SQLITE_IOERR_FSYNC'],
  ])('says what %s means', (code, problem, text) => {
    const error = explain(sqliteError('cryptic', code)) as LedgerError
    expect(error).toMatchObject({ problem, exitCode: 8, next: expect.stringMatching(/./) as string })
    expect(error.message).toContain('Cannot write the ledger "march.db": ')
    expect(error.message).toContain(text)
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
