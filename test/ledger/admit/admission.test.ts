import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/domain/rule/verdict.js'
import {
  admit,
  COLUMNS,
  HEADER,
  holding,
  open,
  recordOf,
  running,
  summaryOf,
  type Values,
} from '../campaign-setup.js'
import { byHand, look, problemsOf, rowsOf } from '../ledger-views.js'

const openSource = (ledger: ReturnType<typeof open>, severities = {}) => {
  const admission = ledger.admit({ severities })
  return { admission, source: admission.open({ name: 'export.csv', header: HEADER, columns: COLUMNS }) }
}

describe('an admission', () => {
  it('shows nothing to others before it is committed', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    source.add([recordOf()])
    source.close(summaryOf(1))
    expect(look(ledger.file, (reader) => reader.totals().read)).toBe(0)
    admission.commit()
    expect(look(ledger.file, (reader) => reader.totals().read)).toBe(1)
  })

  it('leaves nothing behind when it is rolled back, also after a first whole file', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    source.add([recordOf()])
    source.close(summaryOf(1))
    admission
      .open({ name: 'second.csv', header: HEADER, columns: COLUMNS })
      .add([recordOf({ reference: 'M-2' })])
    admission.rollback()
    expect(ledger.totals().read).toBe(0)
    expect(look(ledger.file, (reader) => reader.sources())).toEqual([])
    expect(admit(ledger, [{}])).toBe('admitted')
  })

  it('adds nothing for bytes that were admitted before', () => {
    const ledger = open()
    expect(admit(ledger, [{}], { sha256: 'same' })).toBe('admitted')
    expect(admit(ledger, [{}], { sha256: 'same', name: 'copy.csv' })).toBe('known')
    expect(ledger.totals()).toMatchObject({ read: 1, ready: 1 })
    expect(look(ledger.file, (reader) => reader.sources()).map(({ name }) => name)).toEqual(['export.csv'])
  })

  it('tells the files of a size, and which are our own', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    source.add([recordOf()])
    source.close(summaryOf(1, 'an export'))
    const ours = admission.open({ name: 'refused.csv', header: HEADER, columns: COLUMNS })
    ours.add([recordOf({ reference: 'M-2', customerNo: 2 })])
    const summary = summaryOf(1, 'of ours')
    ours.close({ ...summary, reading: { ...summary.reading, resultFile: true } })
    expect(admission.ofSize(80)).toEqual([
      { sha256: 'an export', isResultFile: false },
      { sha256: 'of ours', isResultFile: true },
    ])
    expect(admission.ofSize(81)).toEqual([])
    admission.rollback()
  })

  it('knows the bytes of a file of the same command', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    source.add([recordOf()])
    expect(admission.isKnown('twice')).toBe(false)
    source.close(summaryOf(1, 'twice'))
    expect(admission.isKnown('twice')).toBe(true)
    const again = admission.open({ name: 'again.csv', header: HEADER, columns: COLUMNS })
    again.add([recordOf()])
    expect(again.close(summaryOf(1, 'twice')).kind).toBe('known')
    const other = admission.open({ name: 'other.csv', header: HEADER, columns: COLUMNS })
    other.add([recordOf({ reference: 'M-2', customerNo: 2 })])
    expect(other.close(summaryOf(1, 'other')).kind).toBe('admitted')
    admission.commit()
    expect(rowsOf(ledger.file).map(({ id, source: name }) => [id, name])).toEqual([
      [1, 'export.csv'],
      [2, 'other.csv'],
    ])
  })

  it('compares the files of one command in their order', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    source.add([recordOf()])
    source.close(summaryOf(1))
    const second = admission.open({ name: 'second.csv', header: HEADER, columns: COLUMNS })
    second.add([recordOf({ signedDate: '2021-01-01' })])
    second.close(summaryOf(1))
    admission.commit()
    expect(rowsOf(ledger.file).map(({ state }) => state)).toEqual(['superseded', 'ready'])
  })

  it('refuses a file that lost a record on its way', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    source.add([recordOf()])
    expect(() => source.close(summaryOf(2))).toThrow('2 records were read, 1 came in')
    admission.rollback()
    expect(ledger.totals().read).toBe(0)
  })

  it('cannot be committed while a file is open, nor used after its end', () => {
    const ledger = open()
    const { admission, source } = openSource(ledger)
    expect(() => admission.commit()).toThrow('while the source "export.csv" is open')
    expect(() => admission.open({ name: 'x', header: HEADER, columns: COLUMNS })).toThrow(
      'before "export.csv" is closed',
    )
    source.close(summaryOf(0))
    admission.commit()
    expect(() => admission.commit()).toThrow('has ended')
    admission.rollback()
    expect(look(ledger.file, (reader) => reader.sources().length)).toBe(1)
  })

  it('cannot be opened twice at a time', () => {
    const ledger = open()
    openSource(ledger)
    expect(() => ledger.admit({ severities: {} })).toThrow('while another admission is open')
  })

  it('lets no intent through while it is open: it would not be durable', async () => {
    const ledger = running([{}])
    const [row] = ledger.ready(0, 1)
    const { admission } = openSource(ledger)
    await expect(ledger.begin(row!)).rejects.toThrow('while an admission is open')
    admission.rollback()
    expect(ledger.totals()).toMatchObject({ ready: 1, sending: 0 })
  })
})

describe('what is kept of a source', () => {
  const finding = (changes: Partial<Finding>): Finding => ({
    rule: 'UMR_SPACE',
    severity: 'warning',
    field: 'unique_mandate_reference',
    value: 'M 1',
    message: 'Some banks forbid or squeeze blanks.',
    remedy: 'Compare with an old bank statement.',
    ...changes,
  })

  it('keeps how it was read, and the totals of each file apart', () => {
    const ledger = open()
    admit(ledger, [{}, { verdict: 'invalid', reference: 'M-2' }], { name: 'a.csv', sha256: 'aa' })
    admit(ledger, [{ reference: 'M-3', customerNo: 3 }], { name: 'b.csv', sha256: 'bb' })
    const sources = look(ledger.file, (reader) => reader.sources())
    expect(sources).toMatchObject([
      { id: 1, name: 'a.csv', sha256: 'aa', records: 2, header: HEADER, columns: COLUMNS },
      { id: 2, name: 'b.csv', sha256: 'bb', records: 1, reading: { delimiter: { delimiter: ',' } } },
    ])
    expect(sources.map(({ totals }) => totals)).toMatchObject([
      { read: 2, ready: 1, invalid: 1 },
      { read: 1, ready: 1, invalid: 0 },
    ])
  })

  it('gives each problem the column that feeds its field, and none to those of the whole file', () => {
    const ledger = open()
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({
      name: 'export.csv',
      header: ['Kunde', 'Referenz'],
      columns: { customer_no: 'Kunde', unique_mandate_reference: 'Referenz' },
    })
    source.add([
      {
        ...recordOf(),
        findings: [finding({}), finding({ rule: 'CI_LENGTH_UNKNOWN', field: 'sepa_creditor_identifier' })],
      },
    ])
    source.close({ ...summaryOf(1), findings: [finding({ rule: 'FILE_CI_MIXED', field: null, value: '' })] })
    admission.commit()
    expect(problemsOf(ledger.file)).toMatchObject([
      { rowId: 1, record: 1, line: 2, rule: 'UMR_SPACE', column: 'Referenz', value: 'M 1' },
      { rowId: 1, record: 1, line: 2, column: 'sepa_creditor_identifier' },
      { rowId: null, record: null, line: null, rule: 'FILE_CI_MIXED', column: '' },
    ])
    expect(look(ledger.file, (reader) => reader.problemsOfRow(1)).length).toBe(2)
  })

  it.each([
    [
      { verdict: 'invalid', findings: [finding({}), finding({ rule: 'IBAN_CHECKSUM', severity: 'error' })] },
      'IBAN_CHECKSUM',
    ],
    [{ verdict: 'excluded' }, 'STATUS_NOT_ACTIVE'],
    [{}, null],
  ] satisfies [Values, string | null][])('notes the rule that decided (%#)', (values, rule) => {
    const ledger = holding([values])
    expect(rowsOf(ledger.file)[0]?.rule).toBe(rule)
  })

  it('keeps the largest customer number to the last digit', () => {
    const ledger = holding([{ customerNo: Number.MAX_SAFE_INTEGER }])
    expect(ledger.ready(0, 1)[0]?.mandate.customerNo).toBe(9_007_199_254_740_991)
    const stored = byHand(ledger.file, (db) => db.prepare('select typeof(customer_no) as t from row').get())
    expect(stored).toEqual({ t: 'integer' })
  })
})
