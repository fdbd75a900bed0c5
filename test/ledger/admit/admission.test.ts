import { describe, expect, it, onTestFinished } from 'vitest'
import type { EarlierRow } from '../../../src/domain/row/correction.js'
import type { Finding, SourceSummary } from '../../../src/domain/rule/verdict.js'
import { withoutIndexes } from '../../../src/ledger/admit/admission.js'
import { createFingerprints, fingerprintRaw, requiredCells } from '../../../src/ledger/admit/stored-row.js'
import { nameBeside, writeNotice } from '../../../src/ledger/admit/problems.js'
import {
  configureForWriting,
  openForWriting,
  openScratch,
  type Connection,
} from '../../../src/ledger/file/connection.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { makeSchema } from '../../../src/ledger/schema/schema.js'
import { admit, admitTogether, holding, open, played, readyRow, running, send } from '../campaign-setup.js'
import { inDoubt, registered } from '../outcomes.js'
import {
  COLUMNS,
  CREDITOR,
  HEADER,
  IBAN,
  mandateOf,
  mandates,
  OTHER_IBAN,
  recordOf,
  summaryOf,
  type Values,
} from '../records.js'
import { byHand, execute, look, problemsOf, query, rowsOf, statesOf } from '../ledger-views.js'

/** An admission with one file that is open. */
function opened(ledger: Ledger, name = 'export.csv') {
  const admission = ledger.admit({ severities: {} })
  const openFile = (file: string) => admission.open({ name: file, header: HEADER, columns: COLUMNS })
  /** One file after the other, each of one record. */
  const whole = (file: string, values: Values, sha256?: string) => {
    const source = openFile(file)
    source.add([recordOf(values)])
    return source.close(summaryOf(1, sha256))
  }
  return { admission, openFile, whole, source: openFile(name) }
}

const finding = (changes: Partial<Finding>): Finding => ({
  ...{ rule: 'UMR_SPACE', severity: 'warning', field: 'unique_mandate_reference', value: 'M 1' },
  ...{ message: 'Some banks forbid or squeeze blanks.', remedy: 'Compare with an old bank statement.' },
  ...changes,
})

describe('an admission', () => {
  it('shows nothing to others before it is committed, and leaves nothing behind when it is rolled back', () => {
    const ledger = open()
    const read = () => look(ledger.file, (reader) => [reader.totals().read, reader.sources().length])
    const given = opened(ledger)
    given.source.close(summaryOf(0))
    given.whole('second.csv', {})
    given.openFile('third.csv').add([recordOf({ reference: 'M-2' })])
    expect(read()).toEqual([0, 0])
    given.admission.rollback()
    expect(read()).toEqual([0, 0])
    expect(admit(ledger, [{}])).toBe('admitted')
    expect(read()).toEqual([1, 1])
  })

  it('adds nothing for bytes that were admitted before, or by the same command, and tells the files of a size', () => {
    const ledger = open()
    expect(admit(ledger, [{}], { sha256: 'same' })).toBe('admitted')
    expect(admit(ledger, [{}], { sha256: 'same', name: 'copy.csv' })).toBe('known')
    const { admission, whole, source } = opened(ledger, 'refused.csv')
    source.add([recordOf({ reference: 'M-2', customerNo: 2 })])
    expect(admission.isKnown('twice')).toBe(false)
    const summary = summaryOf(1, 'twice')
    source.close({ ...summary, reading: { ...summary.reading, resultFile: true } })
    expect(admission.isKnown('twice')).toBe(true)
    expect(whole('again.csv', {}, 'twice')).toBe('known')
    expect(whole('other.csv', { reference: 'M-3', customerNo: 3 })).toBe('admitted')
    expect(admission.ofSize(80)).toMatchObject([
      { sha256: 'same', reading: summary.reading },
      { sha256: 'twice', reading: { resultFile: true } },
      {},
    ])
    expect(admission.ofSize(81)).toEqual([])
    admission.commit()
    const names = rowsOf(ledger.file).map(({ id, source: name }) => `${id} ${name}`)
    expect(names).toEqual(['1 export.csv', '2 refused.csv', '3 other.csv'])
  })

  it('takes the files of one command together: neither is the newer one', () => {
    const ledger = open()
    admitTogether(ledger, [{}], [{ signedDate: '2021-01-01' }])
    expect(statesOf(ledger.file)).toEqual(['conflict', 'conflict'])
  })

  it('keeps all indexes where the first files are empty, or known', () => {
    const ledger = open()
    admit(ledger, [{}], { sha256: 'same' })
    const { admission, whole, source } = opened(ledger)
    source.close(summaryOf(0))
    expect(whole('known.csv', {}, 'same')).toBe('known')
    whole('new.csv', { reference: 'M-2', customerNo: 2 })
    admission.commit()
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready'])
  })

  it('refuses a file that lost a record on its way', () => {
    const { admission, source } = opened(open())
    source.add([recordOf()])
    expect(() => source.close(summaryOf(2))).toThrow('2 records were read, 1 came in')
    admission.rollback()
  })

  it('cannot be committed while a file is open, nor used after its end, nor opened twice at a time', () => {
    const ledger = open()
    const { admission, openFile, source } = opened(ledger)
    expect(() => ledger.admit({ severities: {} })).toThrow('while another admission is open')
    expect(() => admission.commit()).toThrow('while the source "export.csv" is open')
    expect(() => openFile('x')).toThrow('before "export.csv" is closed')
    source.close(summaryOf(0))
    admission.commit()
    expect(() => admission.commit()).toThrow('has ended')
    admission.rollback()
    expect(ledger.view.sources()).toHaveLength(1)
  })

  it('lets no intent through while it is open: it would not be durable', async () => {
    const ledger = running([{}])
    const row = readyRow(ledger)
    const { admission } = opened(ledger)
    await expect(ledger.begin(row)).rejects.toThrow('while an admission is open')
    admission.rollback()
    expect(ledger.totals()).toMatchObject({ ready: 1, sending: 0 })
  })
})

describe('what is kept of a source', () => {
  it('keeps how it was read, and the totals of each file apart', () => {
    const ledger = open()
    admit(ledger, [{}, { verdict: 'invalid', reference: 'M-2' }], { name: 'a.csv', sha256: 'aa' })
    admit(ledger, [{ reference: 'M-3', customerNo: 3 }], { name: 'b.csv', sha256: 'bb' })
    const given = { header: HEADER, columns: COLUMNS, reading: { delimiter: { delimiter: ',' } } }
    expect(ledger.view.sources()).toMatchObject([
      { id: 1, name: 'a.csv', sha256: 'aa', records: 2, totals: { read: 2, ready: 1, invalid: 1 }, ...given },
      { id: 2, name: 'b.csv', sha256: 'bb', records: 1, totals: { read: 1, ready: 1, invalid: 0 } },
    ])
  })

  it('gives each problem the column that feeds its field, and none to those of the whole file', () => {
    const ledger = open()
    const admission = ledger.admit({ severities: {} })
    const columns = { customer_no: 'Kunde', unique_mandate_reference: 'Referenz' }
    const source = admission.open({ name: 'export.csv', header: ['Kunde', 'Referenz'], columns })
    const unfed = finding({ rule: 'CI_LENGTH_UNKNOWN', field: 'sepa_creditor_identifier' })
    source.add([recordOf({ findings: [finding({}), unfed] })])
    source.close({ ...summaryOf(1), findings: [finding({ rule: 'FILE_CI_MIXED', field: null, value: '' })] })
    admission.commit()
    expect(problemsOf(ledger.file)).toMatchObject([
      { rowId: 1, record: 1, line: 2, rule: 'UMR_SPACE', column: 'Referenz', value: 'M 1' },
      { rowId: 1, record: 1, line: 2, column: 'sepa_creditor_identifier' },
      { rowId: null, record: null, line: null, rule: 'FILE_CI_MIXED', column: '' },
    ])
    expect(ledger.view.problemsOfRow(1)).toHaveLength(2)
  })

  it('notes the rule that decided', () => {
    const findings = [finding({}), finding({ rule: 'IBAN_CHECKSUM', severity: 'error' })]
    const excluded = { verdict: 'excluded', reference: 'M-2' } as const
    const { file } = holding([{ verdict: 'invalid', findings }, excluded, { reference: 'M-3' }])
    expect(rowsOf(file).map(({ rule }) => rule)).toEqual(['IBAN_CHECKSUM', 'STATUS_NOT_ACTIVE', null])
  })

  it('keeps the largest customer number to the last digit', () => {
    const ledger = holding([{ customerNo: Number.MAX_SAFE_INTEGER }])
    expect(readyRow(ledger).mandate.customerNo).toBe(9_007_199_254_740_991)
    expect(query(ledger.file, 'select typeof(customer_no) as t from row')).toEqual([{ t: 'integer' }])
  })
})

describe('a notice about rows', () => {
  it('is written for each row that is selected, and shows an account masked, a reference that is one too', () => {
    const columns = { iban: 'Konto', unique_mandate_reference: 'Referenz' }
    const ledger = open()
    admit(ledger, [{ reference: IBAN }, { reference: 'M-2', customerNo: 2 }], { columns })
    ledger.close()
    const connection = openForWriting(ledger.file)
    onTestFinished(() => void connection.close())
    configureForWriting(connection)
    const notice = { rule: 'CONFLICT_MANDATE', severity: 'error', message: 'm', remedy: 'r' } as const
    for (const field of ['iban', 'unique_mandate_reference', 'customer_no'] as const)
      writeNotice(connection, { ...notice, field }, 'id = :id', { id: 1 })
    expect(problemsOf(ledger.file).map(({ column, value }) => `${column} ${value}`)).toEqual([
      'Konto DE…3000',
      'Referenz DE…3000',
      'customer_no 1000',
    ])
  })

  it('names a row by its line, and one of an older file by file, state and number too', async () => {
    const ledger = running()
    admit(ledger, mandates(2), { name: 'may.csv' })
    admit(ledger, mandates(1, 3))
    await send(ledger, inDoubt())
    const names = byHand(ledger.file, (connection) =>
      [1, 2, 3, 99, null].map((id) =>
        connection
          .prepare(`select ${nameBeside('?', '2')}`)
          .pluck()
          .get(id),
      ),
    )
    // A doubt is settled later, and a ready row may be held in the same transaction.
    const older = ['line 2 of "may.csv" (row 1)', 'line 3 of "may.csv" (row 2)']
    expect(names).toEqual([...older, 'line 2', 'another row', 'another row'])
  })
})

describe('places in the control totals', () => {
  it('never move but to a correction, and a row without one is never sent', () => {
    const { file } = holding(mandates(2))
    for (const source of ['null', 2])
      expect(() => execute(file, `update row set counted_in = ${source} where id = 1`)).toThrow(
        'a place goes to',
      )
  })

  it('a correction that replaces nothing counts nowhere, and says why', async () => {
    const ledger = await played([{}], registered('NEW-1'), [{ iban: OTHER_IBAN, corrects: 1 }])
    expect(ledger.totals()).toMatchObject({ read: 1, resubmitted: 1, registered: 1, conflict: 0 })
    expect(ledger.view.row(2)).toMatchObject({ state: 'conflict', countedIn: null, corrects: 1 })
  })
})

describe('12 the indexes of rows', () => {
  const indexesOf = (connection: Connection): unknown[] =>
    connection
      .prepare(`select name, sql from sqlite_schema where type = 'index' and tbl_name = 'row' order by name`)
      .all()

  function newLedger() {
    const connection = openScratch()
    onTestFinished(() => void connection.close())
    makeSchema(connection)
    return { connection, before: indexesOf(connection) }
  }

  it('12 of all rows are gone while a first source is read, and come back, also with what is rolled back', () => {
    const { connection, before } = newLedger()
    expect(before.length).toBeGreaterThan(5)
    connection.exec('begin immediate; savepoint source')
    const make = withoutIndexes(connection, 0)
    const kept = indexesOf(connection)
    expect(before.length - kept.length).toBe(4)
    for (const index of kept) expect(index).toHaveProperty('sql', expect.stringContaining(' where '))
    make()
    expect(indexesOf(connection)).toEqual(before)
    withoutIndexes(connection, 0)
    connection.exec('rollback to source; release source')
    expect(indexesOf(connection)).toEqual(before)
    withoutIndexes(connection, 0)()
    connection.exec('rollback')
    expect(indexesOf(connection)).toEqual(before)
  })

  it('12 stay where older rows are looked up by them', () => {
    const { connection, before } = newLedger()
    withoutIndexes(connection, 1_001)
    expect(indexesOf(connection)).toEqual(before)
  })

  it('12 hold every row of a ledger, and refuse a place that is given twice', () => {
    const { file } = holding(mandates(2), mandates(1, 3))
    expect(query(file, 'pragma integrity_check')).toEqual([{ integrity_check: 'ok' }])
    const plan = query(file, 'explain query plan select id from row where customer_no = 2')
    expect(JSON.stringify(plan)).toContain('row_customer')
    expect(() => execute(file, 'insert into row select * from row where id = 1')).toThrow()
  })
})

describe('fingerprints', () => {
  const keyed = createFingerprints(Buffer.alloc(32, 7))

  it('mean nothing under another secret, so that accounts cannot be tried, nor as another kind', () => {
    expect(keyed.account(IBAN)).toEqual(createFingerprints(Buffer.alloc(32, 7)).account(IBAN))
    expect(keyed.account(IBAN)).not.toEqual(createFingerprints(Buffer.alloc(32, 8)).account(IBAN))
    expect(keyed.account(IBAN)).not.toEqual(keyed.raw([IBAN]))
  })

  it.each([
    { customerNo: 1001 },
    { iban: OTHER_IBAN },
    { signedDate: '2020-01-30' },
    { creditor: 'DE98ABC09999999999' },
    { reference: 'm-1' },
  ])('of the content change with each of the five values: %j', (change) => {
    expect(keyed.content(mandateOf(change))).not.toEqual(keyed.content(mandateOf()))
  })

  it('of cells know where one ends', () => {
    expect(keyed.raw(['ab', 'c'])).not.toEqual(keyed.raw(['a', 'bc']))
    expect(keyed.raw(['a', ''])).not.toEqual(keyed.raw(['a']))
  })

  it('are of the five required cells, cleaned, and empty for a constant and for a record that is too short', () => {
    const { sepa_creditor_identifier: _, ...columns } = COLUMNS
    const cells = [' 1000 ', '="DE1"', '2020-01-31', 'DE98ZZZ09999999999']
    expect(requiredCells({ header: HEADER, columns }, cells)).toEqual(['1000', 'DE1', '2020-01-31', '', ''])
  })

  it.each([
    [[...HEADER, 'note'], true],
    [HEADER, false], // of a record of the wrong length every cell counts: the values may stand anywhere
  ])('under the header %j are the same whatever another cell says: %s', (header, isSame) => {
    const of = (note: string) => recordOf({ cells: [...recordOf().cells, note] })
    const raw = (note: string) => fingerprintRaw(keyed, { header, columns: COLUMNS }, of(note))
    expect(raw('one').equals(raw('two'))).toBe(isSame)
  })
})

function earlier(ledger: Ledger, row: number): readonly EarlierRow[] {
  const admission = ledger.admit({ severities: {} })
  try {
    return admission.earlier(row)
  } finally {
    admission.rollback()
  }
}

describe('a row as our own files show it', () => {
  it('has its cells by field and by the folded name of the column', () => {
    const [row, ...others] = earlier(holding([{}]), 1)
    expect(others).toEqual([])
    expect(row?.fields).toMatchObject({ customer_no: '1000', iban: IBAN, unique_mandate_reference: 'M-1' })
    expect(row?.columns.get('customerno')).toBe('1000')
    expect(row).toMatchObject({ isCorrection: false, wasHeldBack: false, values: { customerNo: 1000 } })
  })

  it('of two columns with one name shows the first, as a spreadsheet does', () => {
    const ledger = open()
    admit(ledger, [{ cells: ['one', 'two'] }], { header: ['note', 'Note'], columns: {} })
    expect(earlier(ledger, 1)[0]?.columns.get('note')).toBe('one')
  })

  it.each(['invalid', 'excluded'] as const)('was held back where its own checks say %s', (verdict) => {
    const held = { wasHeldBack: true, values: { customerNo: 1000 } }
    expect(earlier(holding([{ verdict }]), 1)).toMatchObject([held])
  })

  it('is read with the date formats of its own file, else with ISO dates', () => {
    const ledger = open()
    admit(ledger, [{}], { reading: { dateFormats: { signedDate: 'dd.mm.yyyy' } } })
    admit(ledger, mandates(1, 2), { reading: {} })
    expect(earlier(ledger, 1)[0]?.formats).toEqual({ signedDate: 'dd.mm.yyyy', lastCollection: 'iso' })
    expect(earlier(ledger, 2)[0]?.formats).toEqual({ signedDate: 'iso', lastCollection: 'iso' })
  })

  it('that was replaced is shown with the last one that took its place, however many came between', () => {
    const moved = { customerNo: 1001, corrects: 1 }
    const files: Values[] = [
      { verdict: 'invalid' },
      { ...moved, verdict: 'invalid' },
      { ...moved, iban: OTHER_IBAN },
    ]
    const ledger = holding(...files.map((row) => [row]))
    const shown = earlier(ledger, 1)
    expect(shown.map(({ values }) => values?.iban)).toEqual([IBAN, OTHER_IBAN])
    expect(shown.map(({ isCorrection }) => isCorrection)).toEqual([false, true])
    expect(earlier(ledger, 3)).toHaveLength(1)
  })

  it.each<[SourceSummary['reading'], string, string]>([
    [{ dateFormats: { signedDate: 'dd.mm.yyyy' } }, '1000', '31.01.2020'],
    [{ crosswalk: { name: 'keys.csv', sha256: 'aa', lines: 1 } }, '', '2020-01-31'], // the file has the old key
  ])(
    'whose account was removed shows what is left, as its file had it (%j)',
    async (reading, number, date) => {
      const ledger = running()
      admit(ledger, [{}], { reading })
      await send(ledger, registered('NEW-1'))
      const [row] = earlier(ledger, 1)
      expect(row).toMatchObject({ values: null, columns: new Map() })
      expect(HEADER.map((name) => row?.fields[name])).toEqual([number, 'DE…3000', date, CREDITOR, 'M-1'])
    },
  )

  it('is none for a number that the ledger does not have, nor of a file that is being admitted', () => {
    for (const number of [0, 2, -1]) expect(earlier(holding([{}]), number)).toEqual([])
    const { admission, source } = opened(open())
    source.add([recordOf()])
    expect(admission.earlier(1)).toEqual([])
    source.close(summaryOf(1))
    expect(admission.earlier(1)).toHaveLength(1)
    admission.rollback()
  })
})
