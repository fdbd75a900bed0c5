import { describe, expect, it } from 'vitest'
import { isSameCell, readWhole } from '../../src/domain/resaved-cell.js'

describe('a cell as a spreadsheet saves it', () => {
  it.each([
    ['0012', '12'],
    ['12', '0012'],
    ['1001', '1001.0'],
    ['1001', '1001,00'],
    ['1001', '1 001'],
    ['M-1', ' m-1 '],
    ['M 1', 'M\u00A0 1'],
    ['M-1', '="M-1"'],
    ['-17', '="-17"'],
    ['M-1', '"M-1"'],
    ["M-1'", "'M-1'"],
    ['', ' '],
    ['000', '0'],
  ])('%j is still %j', (original, found) => {
    expect(isSameCell(original, found)).toBe(true)
    expect(isSameCell(original, original)).toBe(true)
  })

  it.each([
    ['1001', '1002'],
    ['M-1', 'M-11'],
    ['M-1', 'M-01'],
    ['100500000001', '1.005E+11'],
    ['1234567890123456', '1234567890123450'],
    ['2024-01', 'Jan 24'],
    ['M-1', ''],
    ['', 'M-1'],
    ['', '0'],
    ['1001', '100.1'],
    ['1001', '1001.5'],
  ])('%j is not %j', (original, found) => {
    expect(isSameCell(original, found)).toBe(false)
    expect(isSameCell(found, original)).toBe(false)
  })
})

describe('a number that this program wrote', () => {
  it.each(['2', '2.0', '2,00', '0002', "'2", '="2"', ' 2 ', '"2"'])('%j is read', (cell) => {
    expect(readWhole(cell)).toBe(2)
  })

  it.each(['', '0', '2.5', '2a', '-2', '2E+1', '1234567890123456', '2 and 3'])('%j is not', (cell) => {
    expect(readWhole(cell)).toBe(null)
  })
})
