import { describe, expect, test } from 'vitest'
import { DATE_FORMATS, isZeroDate, readDate, type DecidedFormat } from '../../../src/domain/mandate/date.js'
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

  test.each<[DecidedFormat, string]>([
    ['iso', '2023-2-1'],
    ['iso', '23-02-01'],
    ['iso', '2023-02-01  12:30'],
    ['iso', '2023-02-01T12'],
    ['iso', '2023-02-01T24:00'],
    ['iso', '2023-02-01T12:60'],
    ['iso', '2023-02-01t12:30'],
    ['iso', '2023-02-01T12:30:00 Z'],
    ['iso', '2023-02-01Z'],
    ['iso', '2023-02-01x'],
    ['iso', '2023–02–01'],
    ['iso', '1899-12-31'],
    ['iso', '0000-00-00'],
    ['dd.mm.yyyy', '2023-02-01'],
    ['dd.mm.yyyy', '01.02.0023'],
    ['dd.mm.yyyy', '01.02.23'],
    ['dd.mm.yyyy', '001.02.2023'],
    ['dd.mm.yyyy', '01/02/2023'],
    ['dd.mm.yyyy', '29.02.2023'],
    ['dd/mm/yyyy', '13/13/2023'],
    ['dd/mm/yyyy', '02/29/2024'],
    ['mm/dd/yyyy', '29/02/2024'],
    ['dd/mm/yyyy', '01.02.2023'],
    ['dd-mm-yyyy', '2023-02-01'],
    ['yyyymmdd', '20230230'],
    ['yyyymmdd', '2023020'],
    ['yyyymmdd', '44958'],
    ['dd.mm.yy', '01.02.2023'],
    ['ddmmyy', '10223'],
    ['ddmmyy', '310423'],
    ['excel', '60'],
    ['excel', '0'],
    ['excel', '-44958'],
    ['excel', '044958'],
    ['excel', '2958466'],
    ['excel', '44958.'],
    ['excel', '2023-02-01'],
    ['excel1904', '60'],
  ])('%s does not read %j', (format, text) => {
    expect(dateIn(text, format)).toBe('invalid')
  })

  test('a column that was not decided reads ISO only', () => {
    expect(dateIn('2023-02-01', 'unsettled')).toBe('2023-02-01')
    expect(dateIn('2023-02-30', 'unsettled')).toBe('invalid')
    for (const text of ['01/02/2023', '31.12.2023', '44958', 'x'])
      expect(dateIn(text, 'unsettled')).toBe('ambiguous')
  })

  test('every format reads 1 February 2023 in its own spelling', () => {
    const spelled: Record<(typeof DATE_FORMATS)[number], string> = {
      iso: '2023-02-01',
      'dd.mm.yyyy': '01.02.2023',
      'dd/mm/yyyy': '01/02/2023',
      'mm/dd/yyyy': '02/01/2023',
      'dd-mm-yyyy': '01-02-2023',
      'mm-dd-yyyy': '02-01-2023',
      yyyymmdd: '20230201',
      'dd.mm.yy': '01.02.23',
      ddmmyy: '010223',
      excel: '44958',
      excel1904: '43496',
    }
    for (const format of DATE_FORMATS) expect(dateIn(spelled[format], format), format).toBe('2023-02-01')
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

describe('local midnight stored in UTC', () => {
  test.each([
    '2023-01-31T23:00:00Z',
    '2023-01-31 22:00:00+00:00',
    '2023-01-31T23:00:00.000Z',
    '2023-01-31T22:00Z',
    '2023-01-31T22:00:00+0000',
    '2023-01-31T22:00:00-00',
  ])('%s may be one day early', (text) => {
    expect(readDate(text, 'iso', TODAY)).toMatchObject({ date: '2023-01-31', isNearMidnightUtc: true })
  })

  test.each([
    '2023-01-31',
    '2023-01-31T21:00:00Z',
    '2023-01-31T00:00:00Z',
    '2023-01-31T23:00:01Z',
    '2023-01-31T23:01:00Z',
    '2023-01-31T23:00:00.001Z',
    '2023-01-31T23:00:00',
    '2023-01-31T23:00:00+01:00',
    '2023-01-31T22:00:00+00:30',
  ])('%s is the date that was written', (text) => {
    expect(readDate(text, 'iso', TODAY)).toMatchObject({ date: '2023-01-31', isNearMidnightUtc: false })
  })
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
