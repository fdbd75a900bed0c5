import { describe, expect, it, onTestFinished } from 'vitest'
import { openScratchLedger } from '../../../src/ledger/file/scratch.js'
import type { RepeatedRecord } from '../../../src/ledger/ledger.js'
import { open, recordOf, stoppedClock, summaryOf, type Values } from '../campaign-setup.js'

/** A row, or one that says what that record of the command says and has no row. */
type Row = Values | 'ready' | { readonly repeats: number; readonly reference: string }

const COLUMNS = { unique_mandate_reference: 'Referenz', customer_no: 'Kunde' }

function newScratch() {
  const ledger = openScratchLedger(stoppedClock())
  onTestFinished(() => ledger.close())
  return ledger
}

const keyOf = (reference: string): string => recordOf({ reference }).mandateKey ?? ''

function admitCounted(files: readonly (readonly Row[])[], severities = {}) {
  const ledger = newScratch()
  const admission = ledger.admit({ severities })
  for (const [at, rows] of files.entries()) {
    const counted = rows.filter((row) => row === 'ready').length
    const source = admission.open({ name: `${at}.csv`, header: ['a'], columns: COLUMNS, counted })
    const repeats: RepeatedRecord[] = []
    for (const [index, row] of rows.entries()) {
      if (row === 'ready') continue
      if (!('repeats' in row)) source.add([recordOf(row, index + 1)])
      else {
        const { repeats: original, reference } = row
        const place = { record: index + 1, line: index + 2 }
        repeats.push({ ...place, mandateKey: keyOf(reference), mandateReference: reference, original })
      }
    }
    source.repeat(repeats)
    source.close(summaryOf(rows.length, `sha of ${at}`))
  }
  admission.commit()
  return ledger
}

function admitAll(files: readonly (readonly Values[])[], severities = {}) {
  const ledger = newScratch()
  const admission = ledger.admit({ severities })
  for (const [at, rows] of files.entries()) {
    const source = admission.open({ name: `${at}.csv`, header: ['a'], columns: COLUMNS })
    source.add(rows.map((values, index) => recordOf(values, index + 1)))
    source.close(summaryOf(rows.length, `sha of ${at}`))
  }
  admission.commit()
  return ledger
}

const told = ({ reader }: ReturnType<typeof newScratch>) => ({
  problems: reader.problems(0, 100),
  ofRule: reader.problemsOfRule('DUPLICATE_MANDATE', 'error', 3),
  counts: reader.problemCounts(),
  totals: reader.totals(),
  sources: reader.sources(),
})

describe('12 duplicates without a row', () => {
  const b = { reference: 'M-B', customerNo: 2, iban: 'DE02120300000000202051' }
  const d = { reference: 'M-D', customerNo: 4, iban: 'DE02500105170137075030' }
  const account = 'DE11520513735120710131'
  const c = { reference: 'M-C', customerNo: 3 }
  const e = { reference: '00370400440532013000', customerNo: 5, iban: account }
  const repeat = (values: { reference: string }, repeats: number) => ({
    reference: values.reference,
    repeats,
  })
  const full = [
    [e, d, c, b, { ...c, customerNo: 9 }, b, d, b, e],
    [b, d, { reference: 'm-b', customerNo: 2, iban: 'DE02120300000000202051' }],
  ]
  const counted: Row[][] = [
    [
      'ready',
      'ready',
      c,
      'ready',
      { ...c, customerNo: 9 },
      repeat(b, 4),
      repeat(d, 2),
      repeat(b, 4),
      repeat(e, 1),
    ],
    [repeat(b, 4), repeat(d, 2), repeat({ reference: 'm-b' }, 4)],
  ]

  it.each([
    ['as errors', {}],
    ['as warnings', { DUPLICATE_MANDATE: 'warning' }],
    ['not at all', { DUPLICATE_MANDATE: 'off', CONFLICT_MANDATE: 'warning' }],
  ] as const)('12 are counted and told as if they had one, between other groups: %s', (_, severities) => {
    expect(told(admitCounted(counted, severities))).toEqual(told(admitAll(full, severities)))
  })

  it('12 are taken back with their admission', () => {
    const ledger = newScratch()
    const admission = ledger.admit({ severities: {} })
    const source = admission.open({ name: 'a.csv', header: ['a'], columns: COLUMNS, counted: 1 })
    source.repeat([{ record: 2, line: 3, mandateKey: keyOf('M-1'), mandateReference: 'M-1', original: 1 }])
    admission.rollback()
    const again = ledger.admit({ severities: {} })
    const whole = again.open({ name: 'a.csv', header: ['a'], columns: COLUMNS })
    whole.add([recordOf({}, 1), recordOf({}, 2)])
    whole.close(summaryOf(2))
    again.commit()
    expect(ledger.reader.totals()).toMatchObject({ read: 2, ready: 1, duplicate: 1 })
    expect(ledger.reader.problems(0, 10)).toMatchObject([{ record: 2, line: 3 }])
  })

  it('12 are refused by a ledger that is kept', () => {
    const admission = open().admit({ severities: {} })
    const source = admission.open({ name: 'a.csv', header: ['a'], columns: COLUMNS })
    expect(() => source.repeat([])).toThrow(/takes every record/)
    admission.rollback()
  })

  it('12 count among the records that were read', () => {
    const admission = newScratch().admit({ severities: {} })
    const source = admission.open({ name: 'a.csv', header: ['a'], columns: COLUMNS, counted: 1 })
    source.repeat([{ record: 2, line: 3, mandateKey: keyOf('M-1'), mandateReference: 'M-1', original: 1 }])
    expect(() => source.close(summaryOf(3))).toThrow(/3 records were read, 2 came in/)
    admission.rollback()
  })
})
