import { describe, expect, it } from 'vitest'
import { holding, open, OTHER_IBAN } from '../campaign-setup.js'
import { byHand, look } from '../ledger-views.js'
import { isBalanced } from '../../../src/domain/row/row-state.js'

const totalsIn = (file: string) => look(file, (reader) => reader.totals())
const ofSource = (file: string, id: number) => look(file, (reader) => reader.sources()[id - 1]!.totals)

describe('control totals', () => {
  it('of an empty ledger are zero and add up', () => {
    const ledger = open()
    expect(totalsIn(ledger.file)).toMatchObject({ read: 0, resubmitted: 0, ready: 0 })
    expect(isBalanced(totalsIn(ledger.file))).toBe(true)
  })

  it('show a row that was lost', () => {
    const ledger = holding([{}, { reference: 'M-2', customerNo: 2 }])
    byHand(ledger.file, (connection) => {
      connection.pragma('foreign_keys = OFF')
      for (const name of connection
        .prepare<[], string>(`select name from sqlite_schema where type = 'trigger'`)
        .pluck()
        .all())
        connection.exec(`drop trigger "${name}"`)
      connection.exec('delete from row where id = 2')
    })
    expect(isBalanced(totalsIn(ledger.file))).toBe(false)
  })
})

describe('control totals of one source', () => {
  it('count its records in the states of the rows that hold their places, of a later file too', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }, { reference: 'M-2', customerNo: 2 }],
      [{ corrects: 1 }, { reference: 'M-3', customerNo: 3 }],
    )
    const [first, second] = [ofSource(ledger.file, 1), ofSource(ledger.file, 2)]
    expect(first).toMatchObject({ read: 2, resubmitted: 0, ready: 2, invalid: 0, superseded: 0 })
    expect(second).toMatchObject({ read: 1, resubmitted: 1, ready: 1 })
    expect([first, second].every(isBalanced)).toBe(true)
  })

  it('a row that a later export replaced is superseded there, and counted where it stands now', () => {
    const ledger = holding([{}], [{ iban: OTHER_IBAN }])
    expect(ofSource(ledger.file, 1)).toMatchObject({ read: 1, superseded: 1, ready: 0 })
    expect(ofSource(ledger.file, 2)).toMatchObject({ read: 1, superseded: 0, ready: 1 })
  })

  it('of a source without records are zero', () => {
    const ledger = holding([])
    expect(ofSource(ledger.file, 1)).toMatchObject({ read: 0, ready: 0 })
  })
})
