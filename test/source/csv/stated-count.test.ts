import { describe, expect, it } from 'vitest'
import { isTotalsLine, statedCounts } from '../../../src/source/csv/totals.js'
const split = (line: string): string[] => line.split('|')

describe('the count that a line states', () => {
  it.each([
    ['Anzahl Mandate: 1.234', [1234]],
    ['Anzahl|20000', [20000]],
    ['Totaal aantal machtigingen|12', [12]],
    ['Records: 7', [7]],
    ['7 Datensätze exportiert', [7]],
    ["Total 12'345", [12345]],
    ['Nombre de mandats : 20', [20]],
    ['Mandatsanzahl|3', [3]],
  ])('%s', (line, counts) => {
    expect([...new Set(statedCounts(split(line)))]).toEqual(counts)
  })

  it.each([
    ['a sum of money', 'Summe EUR 1.234'],
    ['a sum of money behind the figure', 'Total|1 234,00 €'],
    ['a figure with decimals', 'Summe|1234.56'],
    ['a date', 'Anzahl am 15.05.2026'],
    ['a time', 'Total 10:30'],
    ['a word that only begins alike', 'Totalschaden 7'],
    ['a figure too far away', 'Anzahl|Name|Ort|7'],
    ['no word', '20000'],
  ])('is none for %s', (_, line) => {
    expect(statedCounts(split(line))).toEqual([])
  })
})

describe('a totals line', () => {
  it('says so in its first cell that holds something', () => {
    expect(isTotalsLine(['', '', 'Summe', '3'])).toBe(true)
    expect(isTotalsLine(['17', 'Summe'])).toBe(false)
    expect(isTotalsLine([])).toBe(false)
  })

  it.each(['*** Ende ***', '----------', 'Page 3', 'Erstellt am 15.05.2026', 'i alt'])('%s', (cell) => {
    expect(isTotalsLine([cell])).toBe(true)
  })

  it('is no name that only holds such a word inside another', () => {
    expect(isTotalsLine(['Wendelin'])).toBe(false)
    expect(isTotalsLine(['Countess'])).toBe(false)
  })
})
