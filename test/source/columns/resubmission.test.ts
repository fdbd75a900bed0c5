import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import { readHeader } from '../../../src/source/columns/header.js'
import type { Mapping } from '../../../src/source/columns/mapping.js'
import {
  readResubmission,
  restoreFrom,
  saysTheSame,
  unclearFindings,
} from '../../../src/source/columns/resubmission.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../../src/source/options.js'
import type { EarlierRow } from '../../../src/domain/row/correction.js'
import { CHECK } from '../../support/sources.js'
import { earlierRow } from '../reading.js'

const NAMES = ['customer_no', 'iban', 'signed_date', 'reference', 'status', 'note']
const HEADER = readHeader([...NAMES, 'migration_row', 'migration_decision'])

const FIELDS = ['customer_no', 'iban', 'signed_date', 'unique_mandate_reference'] as const
const MAPPING: Mapping = {
  fields: FIELDS.map((field, position) => ({ field, position, name: NAMES[position]!, transforms: [] })),
  payer: [],
  template: null,
  decided: new Set(),
  constant: null,
  formats: { signedDate: 'iso', lastCollection: 'iso' },
  schemeIsFirmenMandat: false,
  oldKey: null,
  customer: null,
  secondKey: null,
  lookups: [],
  taken: new Set(),
  parts: [],
}

const BEFORE = ['00017', 'DE89370400440532013000', '2021-02-03', '000123456789012345', 'active', 'a note']

const VALUES = {
  customerNo: 17,
  iban: 'DE89370400440532013000',
  signedDate: '2021-02-03' as LocalDate,
  creditorIdentifier: null,
  mandateReference: '000123456789012345',
}
const rowOf = (cells: readonly string[], change: Partial<EarlierRow> = {}) =>
  earlierRow(NAMES, cells, {
    fields: Object.fromEntries(FIELDS.map((field, index) => [field, cells[index]!])),
    values: VALUES,
    ...change,
  })

const OPTIONS = {
  header: HEADER,
  mapping: MAPPING,
  watched: [4],
  against: CHECK,
  options: DEFAULT_SOURCE_OPTIONS,
  formats: { signedDate: 'iso', lastCollection: 'iso' },
} as const
const restore = restoreFrom(OPTIONS)

const given = (change: Readonly<Record<number, string>> = {}): string[] =>
  BEFORE.map((cell, position) => change[position] ?? cell)

describe('the row that a line names', () => {
  const read = (row: string, decision = '') => readResubmission([...BEFORE, row, decision], HEADER, {})
  const UNREADABLE = 'CORRECTION_UNREADABLE'

  it.each(['2', '2.0', '2,00', '0002', "'2", '="2"'])('is read as a spreadsheet saves it: %s', (cell) => {
    expect(read(cell)).toMatchObject({ corrects: 2, findings: [] })
  })

  it.each(['2.000', 'two', '0', '-2', '2;3'])('is an error and no row where it says %s', (cell) => {
    expect(read(cell)).toMatchObject({ corrects: 0, findings: [{ rule: UNREADABLE, severity: 'error' }] })
  })

  it('only the word "send" releases it, in any case', () => {
    expect(read('2', ' SEND ')).toMatchObject({ isDecided: true, ifChanged: [] })
    const sent = read('2', 'sent')
    expect(sent).toMatchObject({ isDecided: false, ifChanged: [{ rule: UNREADABLE, value: 'sent' }] })
    expect(sent?.ifChanged[0]?.message).toContain('the decision was not recorded')
  })
})

describe('a line that was only saved again', () => {
  it('is the same, with the cells of the row, zeros and midnight included', () => {
    const restored = restore(given({ 0: '17', 2: '03.02.2021 00:00' }), [rowOf(BEFORE)])
    expect(restored).toMatchObject({ isSame: true, unclear: [], cells: BEFORE })
    expect(restored.formats.signed_date).toBe('iso')
  })

  it('is the same whatever stands in columns that nobody looks at, and not where one changed that excludes', () => {
    expect(restore(given({ 4: 'cancelled' }), [rowOf(BEFORE)]).isSame).toBe(false)
    expect(restore(given({ 5: 'typed over' }), [rowOf(BEFORE)]).isSame).toBe(true)
  })

  it('is compared with what took the place of the row since, too, but never half with each', () => {
    const later = rowOf(given({ 0: '18' }))
    expect(restore(given({ 0: '18' }), [rowOf(BEFORE), later]).isSame).toBe(true)
    const mixed = restore(given({ 0: '18', 1: 'NL91ABNA0417164300' }), [rowOf(BEFORE), later])
    expect(mixed.isSame).toBe(false)
    expect(mixed.cells.slice(0, 2)).toEqual(['18', 'NL91ABNA0417164300'])
  })
})

describe('a line that was corrected in one cell', () => {
  it('keeps the row in the others, and the correction as it was typed', () => {
    const restored = restore(given({ 0: '17.0', 1: 'NL91ABNA0417164300' }), [rowOf(BEFORE)])
    expect(restored.isSame).toBe(false)
    expect(restored.cells.slice(0, 2)).toEqual(['00017', 'NL91ABNA0417164300'])
  })

  it.each([
    ['a spreadsheet may have rounded it', { 1: 'NL91ABNA0417164300', 3: '1.23457E+14' }, '123456789012345'],
    ['it was typed into a column of numbers', { 3: '4711.0' }, BEFORE[3]!],
    ['it may have lost the zeros in front that the former one had', { 3: '4716' }, '00004715'],
  ])('is unclear of the reference where %s', (_, change, before) => {
    const restored = restore(given(change), [rowOf(given({ 3: before }))])
    expect(restored).toMatchObject({ isSame: false, unclear: ['unique_mandate_reference'] })
  })

  it.each([
    ['a person says that it has no zeros', '4716', true],
    ['it has as many digits', '12345678', false],
    ['it has zeros in front', '004716', false],
  ])('is as it was typed where %s', (_, typed, isDecided) => {
    const restored = restore(given({ 3: typed }), [rowOf(given({ 3: '00004715' }))], isDecided)
    expect(restored).toMatchObject({ unclear: [], cells: given({ 3: typed }) })
  })

  it('reads a customer number typed there without the decimals', () => {
    expect(restore(given({ 0: '18.0' }), [rowOf(BEFORE)]).cells[0]).toBe('18')
  })

  it('reads an old key as it stands, which may end in zeros, and not where it may have lost some', () => {
    const [oldKey, ...fields] = MAPPING.fields
    const byKey = restoreFrom({ ...OPTIONS, mapping: { ...MAPPING, fields, oldKey: oldKey! } })
    expect(byKey(given({ 0: '00004.00' }), []).cells[0]).toBe('00004.00')
    expect(byKey(given({ 0: '18' }), [rowOf(BEFORE)]).unclear).toEqual(['customer_no'])
    expect(restore(given({ 0: '18' }), [rowOf(BEFORE)]).unclear).toEqual([])
  })

  it('leaves a date with two readings unsettled, so that the rules refuse it', () => {
    const restored = restore(given({ 2: '04/05/2021' }), [rowOf(BEFORE)])
    expect(restored.formats.signed_date).toBe('unsettled')
    const exchanged = restore(given({ 1: 'NL91ABNA0417164300', 2: '02/03/2021' }), [rowOf(BEFORE)])
    expect(exchanged.unclear).toEqual(['signed_date'])
    expect(exchanged.formats.signed_date).toBe('unsettled')
  })
})

it('a line of a row that the ledger does not know counts as it stands, without the midnight', () => {
  const restored = restore(given({ 2: '2021-02-03 00:00:00' }), [])
  expect(restored).toMatchObject({ isSame: false, unclear: [] })
  expect(restored.cells[2]).toBe('2021-02-03')
})

describe('the same cells', () => {
  const values = VALUES
  const invalid = { kind: 'invalid' } as const
  const sendable = { kind: 'sendable', mandate: {} as never } as const

  it('say the same, unless a changed configuration reads another value', () => {
    expect(saysTheSame(rowOf(BEFORE), { verdict: invalid, values })).toBe(true)
    for (const change of [{ customerNo: 18 }, { iban: null }, { signedDate: '2021-03-02' as LocalDate }])
      expect(saysTheSame(rowOf(BEFORE), { verdict: invalid, values: { ...values, ...change } })).toBe(false)
  })

  it('say something else where a row that was held back can be sent now, unless its account was removed', () => {
    const heldBack = rowOf(BEFORE, { wasHeldBack: true })
    expect(saysTheSame(heldBack, { verdict: sendable, values })).toBe(false)
    expect(saysTheSame(heldBack, { verdict: invalid, values })).toBe(true)
    expect(saysTheSame(rowOf(BEFORE, { values: null }), { verdict: sendable, values })).toBe(true)
  })
})

it('says of every unclear cell but dates, which their own rule refuses, that it may be damaged', () => {
  const cells = { customer_no: null, iban: null, signed_date: null, sepa_creditor_identifier: null }
  const raw = { ...cells, unique_mandate_reference: '4711.0' }
  const findings = unclearFindings(['signed_date', 'unique_mandate_reference'], raw, {})
  const found = { rule: 'EXCEL_SCIENTIFIC', severity: 'error', value: '4711.0' }
  expect(findings).toMatchObject([{ ...found, field: 'unique_mandate_reference' }])
})
