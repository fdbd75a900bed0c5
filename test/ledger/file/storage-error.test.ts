import { describe, expect, it } from 'vitest'
import { LedgerError, UsageError } from '../../../src/errors.js'
import { explaining, explainStorageError } from '../../../src/ledger/file/storage.js'
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
