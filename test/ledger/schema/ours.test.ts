import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../../src/driver.js'
import { makeSchema, assertOurs } from '../../../src/ledger/schema/schema.js'

describe('assertOurs', () => {
  it('takes an empty file for a ledger to be, and the file of another program for foreign', () => {
    const connection = openDatabase(':memory:')
    expect(assertOurs(connection, 'x.db')).toBe(true)
    connection.exec('create table theirs (n integer)')
    expect(() => assertOurs(connection, 'x.db')).toThrow('it is an SQLite file of another program')
    connection.close()
  })

  it('takes a ledger of this version', () => {
    const connection = openDatabase(':memory:')
    makeSchema(connection)
    expect(assertOurs(connection, 'x.db')).toBe(false)
    connection.close()
  })
})
