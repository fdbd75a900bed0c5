import { describe, expect, it } from 'vitest'
import { fold } from '../../../src/domain/text/text.js'
import { HEADER, IBAN, rowOf, sourceOf } from '../ledger-value.js'
import { mergeColumns } from '../../../src/report/files/cells.js'

const other = sourceOf({
  id: 2,
  header: ['Name', 'IBAN', 'Mandat', 'note'],
  columns: { iban: 'IBAN', unique_mandate_reference: 'Mandat' },
})

describe('the columns of several sources', () => {
  it('stand side by side in order of first appearance, one for each field', () => {
    expect(mergeColumns([sourceOf(), other]).names).toEqual([...HEADER, 'Name', 'note'])
    expect(mergeColumns([other, sourceOf()]).names).toEqual([
      'Name',
      'IBAN',
      'Mandat',
      'note',
      'customer_no',
      'signed_date',
      'sepa_creditor_identifier',
    ])
  })

  it('take each row under the names of its own source and stay empty elsewhere', () => {
    const columns = mergeColumns([sourceOf(), other])

    expect(columns.cellsOf(rowOf(1))).toEqual([
      '1001',
      IBAN,
      '2020-02-29',
      'DE98ZZZ09999999999',
      'M-1',
      '',
      '',
    ])
    expect(columns.cellsOf(rowOf(2, { sourceId: 2, cells: ['Ann', IBAN, 'X-1', '=1'] }))).toEqual([
      '',
      IBAN,
      '',
      '',
      'X-1',
      'Ann',
      "'=1",
    ])
  })

  it('9.1.4 mark what an exclude rule looks at, which a spreadsheet would rewrite', () => {
    const header = [...HEADER, 'Tarif', 'Betrag']
    const watching = sourceOf({
      header,
      reading: { exclude: [{ column: 'tarif', reason: 'free' }] },
    })
    const row = rowOf(1, {
      cells: ['1001', IBAN, '2020-02-29', 'DE98ZZZ09999999999', 'M-1', '0,00', '12,50'],
    })
    expect(mergeColumns([watching]).cellsOf(row).slice(5)).toEqual(['="0,00"', '12,50'])
  })

  it('treat names that a reader takes for one as one column, and columns without a name apart', () => {
    const first = sourceOf({ header: ['Straße', '', ''], columns: {} })
    const second = sourceOf({ id: 2, header: ['STRASSE', ''], columns: {} })

    expect(mergeColumns([first, second]).names).toEqual(['Straße', '', ''])
  })

  it('26.3 are named without what hides in a name or turns it round, and are the same to a reader', () => {
    const source = sourceOf({ header: ['IB\u202EAN', 'No\u0007te\u200B'], columns: { iban: 'IB\u202EAN' } })

    expect(mergeColumns([source]).names).toEqual(['IBAN', 'No te'])
    expect(mergeColumns([source]).names.map(fold)).toEqual(source.header.map(fold))
  })

  it('never put a customer number into the column of the old key that a crosswalk translates', () => {
    const crossed = sourceOf({
      id: 2,
      header: ['Kundennummer', 'iban'],
      columns: { customer_no: 'Kundennummer', iban: 'iban' },
      reading: { crosswalk: { name: 'customers.csv', sha256: 'c'.repeat(64), lines: 2 } },
    })
    const columns = mergeColumns([crossed, sourceOf()])

    expect(columns.names).toEqual(['Kundennummer', ...HEADER.slice(1, 2), 'customer_no', ...HEADER.slice(2)])
    expect(columns.cellsOf(rowOf(1, { sourceId: 2, cells: null }))).toEqual(['', 'DE…3000', '', '', '', ''])
  })

  it('show removed cells masked, in the columns that fed the fields', () => {
    const columns = mergeColumns([other])

    expect(columns.cellsOf(rowOf(2, { sourceId: 2, cells: null }))).toEqual(['', 'DE…3000', 'M-2', ''])
  })

  it('blank the account of a record of the wrong shape, so that feeding it back unread sends nothing', () => {
    const misshapen = rowOf(1, {
      state: 'invalid',
      rule: 'ROW_FIELD_COUNT',
      customerNo: null,
      ibanMasked: null,
      signedDate: null,
      originalCreditorIdentifier: null,
      originalMandateReference: null,
      mandateKey: null,
      cells: ['1001', IBAN, '2020-02-29', 'DE98ZZZ09999999999', 'M', '1'],
    })
    const columns = mergeColumns([sourceOf()])

    expect(columns.cellsOf(misshapen)).toEqual(['1001', '', '2020-02-29', 'DE98ZZZ09999999999', 'M'])
    expect(columns.strayRecord(misshapen)).toBe(`1001 | ${IBAN} | 2020-02-29 | DE98ZZZ09999999999 | M | 1`)
    expect(columns.strayRecord(rowOf(2))).toBeNull()
  })
})
