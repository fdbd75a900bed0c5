import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../../src/domain/mandate/mandate.js'
import { countPlainDates } from '../../../src/source/survey/plain-dates.js'

const cell = (text: string): [Buffer, number, number] => [Buffer.from(`;${text};`), 1, text.length + 1]

describe('12 dates that are read once', () => {
  it('12 asks the rules once for each cell, and counts from then on', () => {
    const asked: string[] = []
    const dates = countPlainDates((text) => {
      asked.push(text)
      return text === '2024-02-30' ? null : (text as LocalDate)
    })
    const note = (text: string, row: number): void => dates.note(dates.numberOf(...cell(text)), row)
    note('2024-03-01', 3)
    note('2019-01-31', 4)
    note('2024-03-01', 5)
    expect(dates.numberOf(...cell('2024-02-30'))).toBe(-1)
    expect(dates.numberOf(...cell('2024-02-30'))).toBe(-1)
    expect(asked).toEqual(['2024-03-01', '2019-01-31', '2024-02-30'])
    expect(dates.totals()).toEqual([
      { date: '2024-03-01', rows: 2, first: 3 },
      { date: '2019-01-31', rows: 1, first: 4 },
    ])
  })

  it('12 cells of the same characters in another order or number are different ones', () => {
    const dates = countPlainDates((text) => text as LocalDate)
    const texts = ['01.02.2024', '02.01.2024', '1.2.2024', '01/02/2024', '01022024', '1', '11', '0']
    expect(texts.map((text) => dates.dateOf(dates.numberOf(...cell(text))))).toEqual(texts)
  })

  it('12 what is no date in digits, or longer than one, is not asked about', () => {
    const dates = countPlainDates(() => {
      throw new Error('Nobody asked')
    })
    for (const text of ['', '2024-03-01 ', '2024-03-01T00:00', '1 May 2024', '2024\u201103'])
      expect(dates.numberOf(...cell(text))).toBe(-1)
  })

  it('12 keeps no more cells than it has room for', () => {
    const dates = countPlainDates((text) => text as LocalDate)
    for (let n = 1; n <= 65_536; n += 1) expect(dates.numberOf(...cell(`${n}`))).toBe(n - 1)
    expect(dates.numberOf(...cell('65537'))).toBe(-1)
    expect(dates.numberOf(...cell('17'))).toBe(16)
  })
})
