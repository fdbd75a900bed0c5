import { describe, expect, test } from 'vitest'
import { isZeroDate, readDate, type DecidedFormat } from '../../../src/domain/mandate/date.js'
import { TODAY } from '../clean-row.js'

const dateIn = (text: string, format: DecidedFormat): string => {
  const read = readDate(text, format, TODAY)
  return read.kind === 'date' ? read.date : read.kind
}

describe('reading a date', () => {
  test.each<[DecidedFormat, string, string]>([
    ['iso', '2023-02-01', '2023-02-01'],
    ['iso', '2023-02-01 12:30', '2023-02-01'],
    ['iso', '2023-02-01T12:30:59', '2023-02-01'],
    ['iso', '2023-02-01T12:30:59.123456Z', '2023-02-01'],
    ['iso', '2023-02-01T12:30:59,1+0530', '2023-02-01'],
    ['iso', '2023-02-01T23:59:60-08', '2023-02-01'],
    ['iso', '2023-02-01T00:00:00+14:00', '2023-02-01'],
    ['dd.mm.yyyy', '1.2.2023', '2023-02-01'],
    ['dd.mm.yyyy', '29.02.2024', '2024-02-29'],
    ['dd/mm/yyyy', '1/2/2023', '2023-02-01'],
    ['mm/dd/yyyy', '1/2/2023', '2023-01-02'],
    ['dd-mm-yyyy', '01-02-2023', '2023-02-01'],
    ['mm-dd-yyyy', '01-02-2023', '2023-01-02'],
    ['yyyymmdd', '20230201', '2023-02-01'],
    ['dd.mm.yy', '01.02.23', '2023-02-01'],
    ['ddmmyy', '010223', '2023-02-01'],
    ['excel', '44958', '2023-02-01'],
    ['excel', '44958.75', '2023-02-01'],
    ['excel', '44958,75', '2023-02-01'],
    ['excel', '61', '1900-03-01'],
    ['excel', '2958465', '9999-12-31'],
    ['excel1904', '43496', '2023-02-01'],
    ['excel1904', '61', '1904-03-02'],
  ])('%s reads %j as %s', (format, text, date) => {
    expect(dateIn(text, format)).toBe(date)
  })

  const TIMES = ['  12:30', 'T12', 'T24:00', 'T12:60', 't12:30', 'T12:30:00 Z', 'Z', 'x']
  test.each<[DecidedFormat, readonly string[]]>([
    ['iso', ['2023-2-1', '23-02-01', '2023–02–01', '1899-12-31', '0000-00-00']],
    ['iso', TIMES.map((time) => `2023-02-01${time}`)],
    ['dd.mm.yyyy', ['2023-02-01', '01.02.0023', '01.02.23', '001.02.2023', '01/02/2023', '29.02.2023']],
    ['dd/mm/yyyy', ['13/13/2023', '02/29/2024', '01.02.2023']],
    ['mm/dd/yyyy', ['29/02/2024']],
    ['dd-mm-yyyy', ['2023-02-01']],
    ['yyyymmdd', ['20230230', '2023020', '44958']],
    ['dd.mm.yy', ['01.02.2023']],
    ['ddmmyy', ['10223', '310423']],
    ['excel', ['60', '0', '-44958', '044958', '2958466', '44958.', '2023-02-01']],
    ['excel1904', ['60']],
  ])('%s does not read %j', (format, texts) => {
    for (const text of texts) expect(dateIn(text, format), text).toBe('invalid')
  })

  test('a column that was not decided reads ISO only', () => {
    expect(dateIn('2023-02-01', 'unsettled')).toBe('2023-02-01')
    expect(dateIn('2023-02-30', 'unsettled')).toBe('invalid')
    for (const text of ['01/02/2023', '31.12.2023', '44958', 'x'])
      expect(dateIn(text, 'unsettled')).toBe('ambiguous')
  })
})

describe('a two-digit year', () => {
  test.each([
    ['15.06.26', '2026-06-15'],
    ['16.06.26', '1926-06-16'],
    ['31.12.99', '1999-12-31'],
    ['29.02.00', '2000-02-29'],
    ['29.02.28', '1928-02-29'],
    ['29.02.30', 'invalid'],
  ])('%s is %s when today is 2026-06-15', (text, date) => {
    expect(dateIn(text, 'dd.mm.yy')).toBe(date)
    expect(readDate(text, 'dd.mm.yy', TODAY)).toMatchObject(
      date === 'invalid' ? { kind: 'invalid' } : { hasAssumedCentury: true },
    )
  })
})

test.each([
  [true, ['T23:00:00Z', ' 22:00:00+00:00', 'T23:00:00.000Z', 'T22:00Z', 'T22:00:00+0000', 'T22:00:00-00']],
  [false, ['', 'T21:00:00Z', 'T00:00:00Z', 'T23:00:01Z', 'T23:01:00Z', 'T23:00:00.001Z']],
  [false, ['T23:00:00', 'T23:00:00+01:00', 'T22:00:00+00:30']],
])('may be local midnight stored in UTC, one day early: %s for %j', (isNearMidnightUtc, times) => {
  for (const time of times) {
    const read = readDate(`2023-01-31${time}`, 'iso', TODAY)
    expect(read, time).toMatchObject({ date: '2023-01-31', isNearMidnightUtc })
  }
})

test.each(['', '-', '0000-00-00', '0000-00-00 00:00:00', '00.00.0000', '00000000', '0'])(
  '%j is no date',
  (text) => {
    expect(isZeroDate(text)).toBe(true)
  },
)

test.each(['01.01.1970', '2000-01-01', '--', 'x', '10'])('%j is no zero date', (text) => {
  expect(isZeroDate(text)).toBe(false)
})
