import { describe, expect, it } from 'vitest'
import { isBalanced } from '../../../src/domain/row/totals.js'
import { openDatabase } from '../../../src/driver.js'
import { createPrivateFile } from '../../../src/ledger/safety/file-safety.js'
import { guardsSql } from '../../../src/ledger/schema/guards.js'
import { APPLICATION_ID, SCHEMA } from '../../../src/ledger/schema/schema.js'
import { openScratchCopy } from '../../../src/ledger/file/scratch.js'
import {
  admit,
  freshFile,
  open,
  OTHER_IBAN,
  registered,
  send,
  SETTINGS,
  stoppedClock,
} from '../campaign-setup.js'
import { byHand, look, rowsOf } from '../ledger-views.js'

/** A finished ledger of version 1: row 1 was corrected by 4, that by 5; rows 2 and 3 contradicted each other until 6. */
function ledgerOfVersionOne(): string {
  const file = freshFile()
  createPrivateFile(file)
  const connection = openDatabase(file)
  connection.exec(SCHEMA[0]?.sql ?? '')
  connection.pragma(`application_id = ${APPLICATION_ID}`)
  connection.pragma('user_version = 1')
  const row = (
    id: number,
    source: number,
    state: string,
    corrects: number | null,
    by: number | null,
  ): string =>
    `insert into row (id, source_id, record, line, state, mandate_key, corrects, superseded_by, attempts, customer_no,
       signed_date, original_creditor_identifier, original_mandate_reference, iban_key, registered_at,
       assigned_creditor_identifier, assigned_mandate_reference)
     values (${id}, ${source}, ${id}, ${id}, '${state}', 'K${id}', ${corrects ?? 'null'}, ${by ?? 'null'},
       ${state === 'registered' ? 1 : 0}, ${id}, '2020-01-31', 'DE98ZZZ09999999999', 'M-${id}', x'00',
       ${state === 'registered' ? `'2026-06-15T10:00:00.000Z', 'SE1', 'N-${id}'` : 'null, null, null'});`
  connection.pragma('foreign_keys = OFF')
  connection.exec(
    [
      `insert into campaign (id, ledger_id, created_at, changed_at, secret)
         values (1, 'abc', '2026-06-15T10:00:00.000Z', '2026-06-15T10:00:00.000Z', x'0011')`,
      ...[
        [1, 1, 3],
        [2, 4, 4],
        [3, 5, 7],
      ].map(
        ([id = 0, first = 0, last = 0]) =>
          `insert into source (id, name, header, columns, sha256, bytes, records, blank_lines, reading, admitted_at,
             first_row, last_row)
           values (${id}, 'f${id}.csv', '[]', '{}', 's${id}', 1, ${last - first + 1}, 0, '{}', 'now', ${first}, ${last})`,
      ),
    ].join(';\n'),
  )
  connection.exec(
    [
      row(1, 1, 'superseded', null, 4),
      row(2, 1, 'superseded', null, 6),
      row(3, 1, 'superseded', null, 6),
      row(4, 2, 'superseded', 1, 5),
      row(5, 3, 'registered', 4, null),
      row(6, 3, 'registered', 3, null),
      row(7, 3, 'duplicate', 2, null),
    ].join('\n'),
  )
  connection.exec(guardsSql(() => false))
  connection.close()
  return file
}

const PLACES = { read: 3, resubmitted: 4, registered: 2, superseded: 1, duplicate: 0 }

describe('9.1.3 places in the control totals', () => {
  it('are found in a finished ledger of version 1, by a reader without changing it', () => {
    const file = ledgerOfVersionOne()
    expect(look(file, (reader) => reader.totals())).toMatchObject(PLACES)
    expect(byHand(file, (db) => db.pragma('user_version', { simple: true }))).toBe(1)
  })

  it('are made when a ledger of version 1 is opened for writing', () => {
    const file = ledgerOfVersionOne()
    const ledger = open({ file })
    expect(ledger.totals()).toMatchObject(PLACES)
    expect(isBalanced(ledger.totals())).toBe(true)
    expect(rowsOf(file).map(({ id, countedIn }) => [id, countedIn])).toEqual([
      [1, null],
      [2, 1],
      [3, null],
      [4, null],
      [5, 1],
      [6, 1],
      [7, null],
    ])
    const bySource = look(file, (reader) => reader.sources().map(({ totals }) => totals))
    expect(bySource.map(({ read, resubmitted }) => [read, resubmitted])).toEqual([
      [3, 0],
      [0, 1],
      [0, 3],
    ])
    expect(bySource.every(isBalanced)).toBe(true)
  })

  it('never move but to a correction, and a row without one is never sent', () => {
    const ledger = open()
    admit(ledger, [{}, { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN }])
    byHand(ledger.file, (db) => {
      expect(() => db.exec('update row set place = 0 where id = 1')).toThrow('a place goes to')
      expect(() => db.exec('update row set place = 2 where id = 1')).toThrow('a place goes to')
    })
  })

  it('a correction that replaces nothing counts nowhere, and says why', async () => {
    const ledger = open()
    ledger.startRun(SETTINGS)
    admit(ledger, [{}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ iban: OTHER_IBAN, corrects: 1 }])
    expect(ledger.totals()).toMatchObject({ read: 1, resubmitted: 1, registered: 1, conflict: 0 })
    expect(rowsOf(ledger.file)[1]).toMatchObject({ state: 'conflict', countedIn: null, corrects: 1 })
  })

  it('a copy to try corrections in leaves the ledger as it is', () => {
    const ledger = open()
    admit(ledger, [{ verdict: 'invalid' }])
    const copy = openScratchCopy(ledger.file, stoppedClock())
    admit(copy, [{ corrects: 1 }])
    expect(copy.reader.totals()).toMatchObject({ read: 1, resubmitted: 1, ready: 1, invalid: 0 })
    copy.close()
    expect(ledger.totals()).toMatchObject({ read: 1, resubmitted: 0, invalid: 1 })
  })
})
