import { describe, expect, it } from 'vitest'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import {
  COLUMNS,
  CREDITOR,
  HEADER,
  holding,
  IBAN,
  open,
  OTHER_IBAN,
  recordOf,
  registered,
  send,
  SETTINGS,
  summaryOf,
  type Values,
} from '../campaign-setup.js'
import type { EarlierRow } from '../../../src/domain/row/resaved.js'

function earlier(ledger: Ledger, row: number): readonly EarlierRow[] {
  const admission = ledger.admit({ severities: {} })
  try {
    return admission.earlier(row)
  } finally {
    admission.rollback()
  }
}

/** One file, read in its own way. */
function admitRead(
  ledger: Ledger,
  rows: readonly Values[],
  reading: Readonly<Record<string, unknown>>,
): void {
  const admission = ledger.admit({ severities: {} })
  const source = admission.open({ name: 'export.csv', header: HEADER, columns: COLUMNS })
  source.add(rows.map((values, index) => recordOf(values, index + 1)))
  source.close({ ...summaryOf(rows.length), reading })
  admission.commit()
}

describe('a row as our own files show it', () => {
  it('has its cells by field and by the folded name of the column', () => {
    const ledger = holding([{}])
    const [row, ...others] = earlier(ledger, 1)
    expect(others).toEqual([])
    expect(row?.fields).toMatchObject({ customer_no: '1000', iban: IBAN, unique_mandate_reference: 'M-1' })
    expect(row?.columns.get('customerno')).toBe('1000')
    expect(row).toMatchObject({ isCorrection: false, wasHeldBack: false, values: { customerNo: 1000 } })
  })

  it('of two columns with one name shows the first, as a spreadsheet does', () => {
    const ledger = open()
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({ name: 'x.csv', header: ['note', 'Note'], columns: {} })
    source.add([recordOf({ cells: ['one', 'two'] })])
    source.close(summaryOf(1))
    admission.commit()
    expect(earlier(ledger, 1)[0]?.columns.get('note')).toBe('one')
  })

  it('was held back where its own checks say so, and it has no values where nothing could be read', () => {
    const ledger = holding([{ verdict: 'invalid' }, { verdict: 'excluded', reference: 'M-2' }])
    expect(earlier(ledger, 1)[0]).toMatchObject({ wasHeldBack: true, values: { customerNo: 1000 } })
    expect(earlier(ledger, 2)[0]).toMatchObject({ wasHeldBack: true })
  })

  it('is read with the date formats of its own file; a ledger of an older version has ISO dates', () => {
    const ledger = open()
    admitRead(ledger, [{}], { dateFormats: { signedDate: 'dd.mm.yyyy' } })
    admitRead(ledger, [{ reference: 'M-2', customerNo: 2 }], {})
    expect(earlier(ledger, 1)[0]?.formats).toEqual({ signedDate: 'dd.mm.yyyy', lastCollection: 'iso' })
    expect(earlier(ledger, 2)[0]?.formats).toEqual({ signedDate: 'iso', lastCollection: 'iso' })
  })
})

describe('a row that was replaced', () => {
  it('is shown with the last one that took its place, however many came between', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }],
      [{ verdict: 'invalid', customerNo: 1001, corrects: 1 }],
      [{ iban: OTHER_IBAN, customerNo: 1001, corrects: 1 }],
    )
    const shown = earlier(ledger, 1)
    expect(shown.map(({ values }) => values?.iban)).toEqual([IBAN, OTHER_IBAN])
    expect(shown.map(({ isCorrection }) => isCorrection)).toEqual([false, true])
    expect(earlier(ledger, 3)).toHaveLength(1)
  })
})

describe('a row whose account was removed', () => {
  it('shows the masked account and what is left, in the notation of its file, and no values to compare', async () => {
    const ledger = open()
    admitRead(ledger, [{}], { dateFormats: { signedDate: 'dd.mm.yyyy' } })
    ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-1'))
    const [row] = earlier(ledger, 1)
    expect(row).toMatchObject({ values: null, columns: new Map() })
    expect(row?.fields).toEqual({
      customer_no: '1000',
      iban: 'DE…3000',
      signed_date: '31.01.2020',
      sepa_creditor_identifier: CREDITOR,
      unique_mandate_reference: 'M-1',
    })
  })

  it('shows no customer number where a crosswalk gave it: the file has the old key', async () => {
    const ledger = open()
    admitRead(ledger, [{}], { crosswalk: { name: 'keys.csv' } })
    ledger.startRun(SETTINGS)
    await send(ledger, registered('NEW-1'))
    expect(earlier(ledger, 1)[0]?.fields.customer_no).toBe('')
  })
})

describe('no row is known', () => {
  it('for a number that the ledger does not have', () => {
    const ledger = holding([{}])
    for (const number of [0, 2, -1]) expect(earlier(ledger, number)).toEqual([])
  })

  it('for one of a file that is being admitted', () => {
    const ledger = open()
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({ name: 'export.csv', header: HEADER, columns: COLUMNS })
    source.add([recordOf()])
    expect(admission.earlier(1)).toEqual([])
    source.close(summaryOf(1))
    expect(admission.earlier(1)).toHaveLength(1)
    admission.rollback()
  })
})
