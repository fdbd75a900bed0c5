import { describe, expect, it } from 'vitest'
import type { Database } from '../../../src/database.js'
import { openDatabase } from '../../../src/driver.js'
import {
  assertFullSync,
  configureForWriting,
  emptyLog,
  isSafeSqlite,
  openForReading,
  openForWriting,
} from '../../../src/ledger/file/connection.js'
import { freshFile, holding } from '../campaign-setup.js'
import { createPrivateFile } from '../../../src/ledger/safety/side-files.js'

function freshConnection() {
  const file = freshFile()
  createPrivateFile(file)
  const connection = openForWriting(file)
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
    configureForWriting(again)
    expect(setting(again, 'synchronous')).toBe(2)
    again.close()
  })

  it('refuses to go on where FULL was not accepted', () => {
    const { connection } = freshConnection()
    configureForWriting(connection)
    connection.pragma('synchronous = NORMAL')
    expect(() => assertFullSync(connection)).toThrow('SQLite did not accept synchronous=FULL')
    connection.close()
  })

  it('has the settings that make it durable', () => {
    const { connection } = freshConnection()
    configureForWriting(connection)
    expect(
      Object.fromEntries(
        [
          'journal_mode',
          'foreign_keys',
          'busy_timeout',
          'journal_size_limit',
          'wal_autocheckpoint',
          'trusted_schema',
          'cell_size_check',
          'secure_delete',
          'recursive_triggers',
        ].map((name) => [name, setting(connection, name)]),
      ),
    ).toEqual({
      journal_mode: 'wal',
      foreign_keys: 1,
      busy_timeout: 5_000,
      journal_size_limit: 67_108_864,
      wal_autocheckpoint: 1_000,
      trusted_schema: 0,
      cell_size_check: 1,
      secure_delete: 1,
      recursive_triggers: 1,
    })
    connection.close()
  })

  it('makes no database where there is no file', () => {
    expect(() => openForWriting(freshFile())).toThrow('unable to open database file')
  })
})

describe('the connection that reads', () => {
  it('cannot write', () => {
    const ledger = holding([{}])
    const connection = openForReading(ledger.file)
    expect(() => connection.exec(`update row set rule = 'x'`)).toThrow('readonly')
    connection.close()
  })
})

describe('emptyLog', () => {
  it('says when a reader kept some of the log, without waiting for it', () => {
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
    connection.close()
  })
})

describe('isSafeSqlite', () => {
  it.each([
    ['3.51.3', true],
    ['3.53.2', true],
    ['4.0.0', true],
    ['3.100.0', true],
    ['3.51.2', false],
    ['3.50.9', false],
    ['2.99.99', false],
    ['3.51', false],
  ])('judges %s as %s', (version, isSafe) => {
    expect(isSafeSqlite(version)).toBe(isSafe)
  })
})
