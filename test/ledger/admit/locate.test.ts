import { describe, expect, it } from 'vitest'
import { createFingerprints } from '../../../src/ledger/admit/fingerprints.js'
import { CREDITOR, holding, IBAN, OTHER_IBAN, type Values } from '../campaign-setup.js'
import { byHand } from '../ledger-views.js'
import { locate } from '../../../src/ledger/admit/corrections.js'

const ROWS: readonly Values[] = [
  { customerNo: 1001, reference: 'M-1', iban: IBAN },
  { customerNo: 1002, reference: 'M-2', iban: OTHER_IBAN },
  { customerNo: 1002, reference: 'M-3', iban: IBAN, verdict: 'invalid' },
]

/** The row that is found among those before `first`. */
const locateIn = (file: string, cells: readonly string[], first = 1_000): number | null =>
  byHand(file, (connection) => {
    const secret = connection.prepare<[], Buffer>('select secret from campaign').pluck().get()
    const fingerprints = createFingerprints(secret ?? Buffer.alloc(0))
    return locate({ connection, fingerprints, first }, cells)
  })

function found(cells: readonly string[], { rows = ROWS, first = 1_000 } = {}): number | null {
  const ledger = holding(rows)
  return locateIn(ledger.file, cells, first)
}

describe('the row that a damaged line was meant to correct', () => {
  it('is found by two of customer, account and reference, wherever they stand', () => {
    expect(found(['', 'shifted', OTHER_IBAN, '1002'])).toBe(2)
    expect(found(['1001', '', '', '', 'm-1'])).toBe(1)
  })

  it('is found by its number and one of them', () => {
    expect(found(['3', 'M-3'])).toBe(3)
    expect(found(['3.0', IBAN])).toBe(3)
  })

  it('reads cells as a spreadsheet saves them', () => {
    expect(found(['1001.0', 'de89 3704 0044 0532 0130 00'])).toBe(1)
    expect(found(['="1002"', '="M-2"'])).toBe(2)
  })

  it('is not found by one alone, nor by a creditor and a date, which whole files share', () => {
    expect(found(['1001'])).toBeNull()
    expect(found([IBAN])).toBeNull()
    expect(found(['M-1', IBAN])).toBeNull()
    expect(found(['1', CREDITOR, '2020-01-31'])).toBeNull()
    expect(found([])).toBeNull()
    expect(found(['', ''])).toBeNull()
  })

  it('is none where as much speaks for two rows, else the one for which most speaks', () => {
    const twins: Values[] = [
      { customerNo: 1002, reference: 'M-3', iban: IBAN },
      { customerNo: 1002, reference: 'M-4', iban: IBAN },
    ]
    expect(found(['1002', IBAN], { rows: twins })).toBeNull()
    expect(found(['1002', IBAN, 'M-4'], { rows: twins })).toBe(2)
  })

  it('is never a row of the file at hand', () => {
    expect(found(['1001', IBAN], { first: 1 })).toBeNull()
    expect(found(['1001', IBAN], { first: 2 })).toBe(1)
  })

  it('is never one that was replaced since, but what replaced it', () => {
    const ledger = holding([{ verdict: 'invalid' }], [{ corrects: 1 }])
    expect(locateIn(ledger.file, ['1000', IBAN])).toBe(2)
  })
})

it('a line whose row number cannot be read holds that row back', () => {
  const ledger = holding(
    [{}, { reference: 'M-2', customerNo: 1002 }],
    [{ corrects: 0, verdict: 'invalid', mandateKey: null, cells: ['x', '1000', IBAN, '?'] }],
  )
  const states = byHand(ledger.file, (connection) =>
    connection.prepare<[], string>('select state from row order by id').pluck().all(),
  )
  expect(states).toEqual(['superseded', 'ready', 'invalid'])
})
