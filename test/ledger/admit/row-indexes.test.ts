import { describe, expect, it } from 'vitest'
import { openScratch, type Connection } from '../../../src/ledger/file/connection.js'
import { makeSchema } from '../../../src/ledger/schema/schema.js'
import { openDatabase } from '../../../src/driver.js'
import { holding } from '../campaign-setup.js'
import { withoutIndexes } from '../../../src/ledger/admit/admission.js'

const indexesOf = (connection: Connection): unknown[] =>
  connection
    .prepare(`select name, sql from sqlite_schema where type = 'index' and tbl_name = 'row' order by name`)
    .all()

function newLedger(): Connection {
  const connection = openScratch()
  makeSchema(connection)
  return connection
}

describe('12 the indexes of rows', () => {
  it('12 of all rows are gone while a first source is read, and then the very same again', () => {
    const connection = newLedger()
    const before = indexesOf(connection)
    expect(before.length).toBeGreaterThan(5)
    connection.exec('begin immediate')
    const make = withoutIndexes(connection, 0)
    const kept = indexesOf(connection)
    expect(before.length - kept.length).toBe(3)
    for (const index of kept) expect(index).toHaveProperty('sql', expect.stringContaining(' where '))
    make()
    expect(indexesOf(connection)).toEqual(before)
    connection.exec('commit')
    connection.close()
  })

  it('12 come back with what is rolled back, whether they were made again or not', () => {
    const connection = newLedger()
    const before = indexesOf(connection)
    connection.exec('begin immediate; savepoint source')
    withoutIndexes(connection, 0)
    connection.exec('rollback to source; release source')
    expect(indexesOf(connection)).toEqual(before)
    withoutIndexes(connection, 0)()
    connection.exec('rollback')
    expect(indexesOf(connection)).toEqual(before)
    connection.close()
  })

  it('12 stay where older rows are looked up by them', () => {
    const connection = newLedger()
    const before = indexesOf(connection)
    withoutIndexes(connection, 1_001)()
    expect(indexesOf(connection)).toEqual(before)
    connection.close()
  })

  it('12 hold every row of a ledger, and refuse a place that is given twice', () => {
    const ledger = holding([{}, { reference: 'M-2', customerNo: 2 }], [{ reference: 'M-3', customerNo: 3 }])
    const { file } = ledger
    ledger.close()
    const connection = openDatabase(file)
    connection.function('mask_accounts', String)
    expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
    const plan = connection.prepare('explain query plan select id from row where customer_no = 2').all()
    expect(JSON.stringify(plan)).toContain('row_customer')
    expect(() => connection.exec('insert into row select * from row where id = 1')).toThrow()
    connection.close()
  })
})
