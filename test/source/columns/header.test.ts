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
    const cells = [
      'iban',
      'migration_message',
      'Name',
      'Migration Row',
      'migration-decision',
      'migration_row',
    ]
    const { own, ...header } = readHeader(cells)
    expect(header).toEqual({
      names: ['iban', 'Name'],
      seen: ['iban', 'Name'],
      positions: [0, 2],
      width: 6,
      migrationRow: 3,
    })
    expect(['migration_decision', 'migration_ledger', CUSTOMER_COLUMN].map(own)).toEqual([4, null, null])
  })

  it('are told by their headings too, where the names above them are gone', () => {
    const header = [
      'What is wrong',
      'iban',
      'your  decision',
      'Your reason',
      'migration_row',
      'migration_state',
    ]
    const { names, own } = readHeader(header)
    expect([names, own('migration_decision'), own('migration_reason')]).toEqual([['iban'], 2, 3])
    expect(() => refuseUnclearList('list.csv', 1, header.slice(0, 4))).toThrow(
      'without its column migration_row',
    )
  })

  it('are told from columns of the export that only begin alike', () => {
    expect(isOwnColumn('migration_anything')).toBe(true)
    expect(isOwnColumn('Migration date')).toBe(false)
    expect(isOwnColumn('emigration_row')).toBe(false)
  })

  it('show a result file by the numbers of its rows, however many columns somebody deleted', () => {
    expect(isResultHeader(['iban', 'migration_state'])).toBe(false)
    expect(isResultHeader(['iban', 'migration_row'])).toBe(true)
    expect(isResultHeader(['iban', 'migration_row', 'migration_ledger'])).toBe(true)
    expect(isResultHeader(['iban', 'MIGRATION ROW', 'migration_state'])).toBe(true)
  })

  it('of two row numbers nobody can tell which counts', () => {
    const refusing = (cells: string[]) => () => refuseUnclearList('a.csv', 1, cells)
    expect(refusing(['migration_row', 'a', 'Migration Row'])).toThrow('the column migration_row twice')
    expect(refusing(['migration_row', 'a', 'migration_decision'])).not.toThrow()
    expect(refusing(['a', 'migration_state'])).not.toThrow()
  })

  it('without row numbers it would be an export of new mandates', () => {
    expect(() => refuseUnclearList('a.csv', 1, ['iban', 'Migration Decision'])).toThrow(
      'it is a list of this program without its column migration_row',
    )
  })
})

describe('a column by reference', () => {
  const header = readHeader(['migration_row', 'IBAN', 'iban', 'Kunden-Nr.', ''])

  it('by position counts the columns of the file, ours included', () => {
    expect(findColumn(header, 2)).toBe(0)
    expect(findColumn(header, 1)).toBeNull()
    expect(findColumn(header, 6)).toBeNull()
  })

  it('by name prefers the exact one', () => {
    expect(findColumn(header, 'iban')).toBe(1)
    expect(findColumn(header, 'IBAN')).toBe(0)
    expect(findColumn(header, 'kundennr')).toBe(2)
  })

  it('by a name of signs alone finds no column without a name', () => {
    expect(findColumn(header, '--')).toBeNull()
  })
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
  ])('%j is the header of %s', (header, field) => {
    expect(meaningOfHeader(header)).toEqual({ kind: 'field', field })
  })

  it('a customer number of an old system is never taken for the one of the service', () => {
    for (const header of ['Kundennummer', 'customerNumber', 'User-Id'])
      expect(meaningOfHeader(header)).toEqual({ kind: 'old_key' })
    expect(headersOf('customer_no')).toEqual(['customer_no'])
  })

  it.each(['', '---', 'IBAN2', 'Bemerkung', 'constructor', 'Mandatsreferenz (alt)', 'IBAN / UMR', '(x)'])(
    '%j is not known',
    (header) => {
      expect(meaningOfHeader(header)).toEqual({ kind: 'unknown' })
    },
  )

  it('no folded header stands for two things', () => {
    const { field, ...others } = headers
    const named = [
      ...Object.entries({ ...field, ...others }),
      ...Object.values(mandateNames).flatMap(({ holder, ...names }) =>
        Object.entries({ ...names, second_key: holder }),
      ),
    ]
    expect(Object.keys(mandateNames)).toHaveLength(26)
    const meanings = new Map<string, Set<string>>()
    for (const [meaning, names] of named)
      for (const name of names) meanings.set(fold(name), (meanings.get(fold(name)) ?? new Set()).add(meaning))
    expect([...meanings].filter(([, of]) => of.size > 1)).toEqual([])
  })
})
