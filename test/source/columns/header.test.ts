import { describe, expect, it } from 'vitest'
import { CUSTOMER_COLUMN } from '../../../src/domain/row/list-columns.js'
import headers from '../../../src/source/columns/headers.json' with { type: 'json' }
import mandateNames from '../../../src/source/columns/mandate-names.json' with { type: 'json' }
import { OPTIONAL_FIELDS, REQUIRED_FIELDS } from '../../../src/domain/mandate/mandate.js'
import { fold } from '../../../src/domain/text/text.js'
import {
  findColumn,
  headersOf,
  isOwnColumn,
  isResultHeader,
  meaningOfHeader,
  readHeader,
  refuseUnclearList,
} from '../../../src/source/columns/header.js'

describe('our own columns', () => {
  it('are no columns of the source, and those that matter are found wherever they were moved', () => {
    const cells = 'iban,migration_message,Name,Migration Row,migration-decision,migration_row'.split(',')
    const { own, ...header } = readHeader(cells)
    const names = ['iban', 'Name']
    expect(header).toEqual({ names, seen: names, positions: [0, 2], width: 6, migrationRow: 3 })
    expect(['migration_decision', 'migration_ledger', CUSTOMER_COLUMN].map(own)).toEqual([4, null, null])
  })

  it('are told by their headings too, where the names above them are gone', () => {
    const header = 'What is wrong,iban,your  decision,Your reason,migration_row,migration_state'.split(',')
    const { names, own } = readHeader(header)
    expect([names, own('migration_decision'), own('migration_reason')]).toEqual([['iban'], 2, 3])
    const clear = () => refuseUnclearList('list.csv', 1, header.slice(0, 4))
    expect(clear).toThrow('without its column migration_row')
  })

  it('are told from columns that only begin alike, and make a result file where its row numbers are there', () => {
    expect(isOwnColumn('migration_anything')).toBe(true)
    expect(isOwnColumn('Migration date')).toBe(false)
    expect(isOwnColumn('emigration_row')).toBe(false)
    expect(isResultHeader(['iban', 'migration_state'])).toBe(false)
    expect(isResultHeader(['iban', 'migration_row'])).toBe(true)
    expect(isResultHeader(['iban', 'migration_row', 'migration_ledger'])).toBe(true)
    expect(isResultHeader(['iban', 'MIGRATION ROW', 'migration_state'])).toBe(true)
  })

  it('are refused with two row numbers, and without any, as an export of new mandates', () => {
    const refusing = (cells: string[]) => () => refuseUnclearList('a.csv', 1, cells)
    expect(refusing(['migration_row', 'a', 'Migration Row'])).toThrow('the column migration_row twice')
    expect(refusing(['migration_row', 'a', 'migration_decision'])).not.toThrow()
    expect(refusing(['a', 'migration_state'])).not.toThrow()
    expect(() => refuseUnclearList('a.csv', 1, ['iban', 'Migration Decision'])).toThrow(
      'it is a list of this program without its column migration_row',
    )
  })
})

describe('a column by reference', () => {
  const header = readHeader(['migration_row', 'IBAN', 'iban', 'Kunden-Nr.', ''])

  it('by position counts the columns of the file, ours included; by name prefers the exact one', () => {
    expect(findColumn(header, 2)).toBe(0)
    expect(findColumn(header, 1)).toBeNull()
    expect(findColumn(header, 6)).toBeNull()
    expect(findColumn(header, 'iban')).toBe(1)
    expect(findColumn(header, 'IBAN')).toBe(0)
    expect(findColumn(header, 'kundennr')).toBe(2)
  })

  it('of signs alone finds no column without a name', () => expect(findColumn(header, '--')).toBeNull())
})

describe('headers', () => {
  it('the names on the wire are headers of their own fields', () => {
    for (const field of [...REQUIRED_FIELDS, ...OPTIONAL_FIELDS])
      expect(meaningOfHeader(field)).toEqual({ kind: 'field', field })
  })

  it.each([
    ['\ufeffIBAN', 'iban'],
    [' Gläubiger - Id ', 'sepa_creditor_identifier'],
    ['date_of_signature', 'signed_date'],
    ['Référence unique du mandat', 'unique_mandate_reference'],
    ['Mandatausfuehrung', 'last_collection_date'],
    ['Referencia única del mandato', 'unique_mandate_reference'],
    ['Autorização de Débito', 'unique_mandate_reference'],
    ['ΗΜΕΡΟΜΗΝΊΑ ΥΠΟΓΡΑΦΉΣ', 'signed_date'],
    ['Идентификатор на кредитора', 'sepa_creditor_identifier'],
    ['Riferimento mandato (UMR)', 'unique_mandate_reference'],
    ['Mandatsreferenz / UMR', 'unique_mandate_reference'],
  ])('%j is the header of %s', (header, field) =>
    expect(meaningOfHeader(header)).toEqual({ kind: 'field', field }),
  )

  it('a customer number of an old system is never taken for the one of the service', () => {
    for (const header of ['Kundennummer', 'customerNumber', 'User-Id'])
      expect(meaningOfHeader(header)).toEqual({ kind: 'old_key' })
    expect(headersOf('customer_no')).toEqual(['customer_no'])
  })

  it.each(['', '---', 'IBAN2', 'Bemerkung', 'constructor', 'Mandatsreferenz (alt)', 'IBAN / UMR', '(x)'])(
    '%j is not known',
    (header) => expect(meaningOfHeader(header)).toEqual({ kind: 'unknown' }),
  )

  it('no folded header stands for two things', () => {
    const { field, ...others } = headers
    const named = [
      ...Object.entries({ ...field, ...others }),
      ...Object.values(mandateNames).flatMap(({ holder, ...of }) =>
        Object.entries({ ...of, second_key: holder }),
      ),
    ]
    expect(Object.keys(mandateNames)).toHaveLength(26)
    const meanings = new Map<string, Set<string>>()
    for (const [meaning, names] of named)
      for (const name of names) meanings.set(fold(name), (meanings.get(fold(name)) ?? new Set()).add(meaning))
    expect([...meanings].filter(([, of]) => of.size > 1)).toEqual([])
  })
})
