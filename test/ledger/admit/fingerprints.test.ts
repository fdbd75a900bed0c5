import { describe, expect, it } from 'vitest'
import type { Mandate } from '../../../src/domain/mandate/mandate.js'
import { createFingerprints, fingerprintRaw, requiredCells } from '../../../src/ledger/admit/fingerprints.js'
import { COLUMNS, HEADER, IBAN, OTHER_IBAN, recordOf } from '../campaign-setup.js'

const keyed = createFingerprints(Buffer.alloc(32, 7))
const LAYOUT = { header: HEADER, columns: COLUMNS }
const mandateOf = (change: Parameters<typeof recordOf>[0] = {}): Mandate => {
  const { verdict } = recordOf(change)
  if (verdict.kind !== 'sendable') throw new Error('The test expected a mandate')
  return verdict.mandate
}

it('mean nothing under another secret, so that accounts cannot be tried', () => {
  const other = createFingerprints(Buffer.alloc(32, 8))
  expect(keyed.account(IBAN)).toEqual(createFingerprints(Buffer.alloc(32, 7)).account(IBAN))
  expect(keyed.account(IBAN)).not.toEqual(other.account(IBAN))
})

it('of one kind are never those of another', () => {
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

describe('the five required cells', () => {
  it('are cleaned, and empty for a constant and for a record that is too short', () => {
    const { sepa_creditor_identifier: _, ...columns } = COLUMNS
    const cells = [' 1000 ', '="DE1"', '2020-01-31', 'DE98ZZZ09999999999']
    expect(requiredCells({ header: HEADER, columns }, cells)).toEqual(['1000', 'DE1', '2020-01-31', '', ''])
  })

  it('say whether two rows that cannot be sent are the same, whatever the other columns say', () => {
    const layout = { header: [...HEADER, 'note'], columns: COLUMNS }
    const raw = (note: string) => fingerprintRaw(keyed, layout, { cells: [...recordOf().cells, note] })
    expect(raw('one')).toEqual(raw('two'))
  })

  it('but of a record of the wrong length every cell counts: the values may stand anywhere', () => {
    const raw = (note: string) => fingerprintRaw(keyed, LAYOUT, { cells: [...recordOf().cells, note] })
    expect(raw('one')).not.toEqual(raw('two'))
  })
})
