import { describe, expect, test } from 'vitest'
import {
  addDays,
  addMonths,
  daysBetween,
  isZeroDate,
  localDate,
  parseLocalDate,
  readDate,
  startDeciding,
  todayIn,
} from '../../../src/domain/mandate/date.js'
import type { DecidedFormat } from '../../../src/domain/mandate/date.js'
import { TODAY, dateOf } from '../clean-row.js'
import { isAbsentCollection } from '../../../src/domain/value/check-mandate.js'

function decideAuto(values: Iterable<string>) {
  const decider = startDeciding()
  for (const value of values) decider.note(value)
  return decider.decided()
}

test.each([
  ['ISO alone', ['2023-02-01', '2023-02-01T00:00:00Z'], 'iso'],
  ['dotted values alone', ['01.02.2023', '3.4.2023'], 'dd.mm.yyyy'],
  ['slashes with one day above 12 in front', ['01/02/2023', '13/02/2023'], 'dd/mm/yyyy'],
  ['slashes with one day above 12 behind', ['01/02/2023', '02/13/2023'], 'mm/dd/yyyy'],
  ['hyphens with one day above 12 in front', ['01-02-2023', '13-02-2023'], 'dd-mm-yyyy'],
  ['hyphens with one day above 12 behind', ['02-13-2023'], 'mm-dd-yyyy'],
  ['empty cells and zero dates beside', ['', ' ', '0000-00-00', '-', '01.02.2023'], 'dd.mm.yyyy'],
  ['what is no date at all beside', ['n/a', '#REF!', '13/02/2023'], 'dd/mm/yyyy'],
  ['times behind dates', ['01.02.2023 00:00:00', '3.4.2023 12:30'], 'dd.mm.yyyy'],
  ['the year in front', ['2023/02/01', '2023/02/02 00:00', '2023.02.03'], 'yyyy/mm/dd'],
  ['a month in front', ['Feb 11 2015 12:00AM', 'Mar  4 2016 12:00AM'], 'dd-MON-yyyy'],
  ['months by name', ['01-FEB-2023', '14-MAR-2023'], 'dd-MON-yyyy'],
  ['nothing', [], 'iso'],
  ['blanks and markers around', [' ="13/02/2023" '], 'dd/mm/yyyy'],
])('a column that is decided: %s', (_, values, format) => expect(decideAuto(values)).toBe(format))

test.each([
  ['one slash value that fits both orders', ['01/02/2023']],
  ['values that prove both orders', ['13/02/2023', '02/13/2023']],
  ['a value that fits no order', ['13/02/2023', '31/31/2023']],
  ['digits alone', ['44958']],
  ['a two-digit year', ['13.02.23']],
  ['two digits of a year behind the name of a month', ['01-FEB-23']],
  ['ISO and dotted', ['2023-02-01', '01.02.2023']],
  ['dotted and slashed', ['01.02.2023', '13/02/2023']],
  ['slashed and hyphenated', ['13/02/2023', '13-02-2023']],
  ['dotted and digits', ['01.02.2023', '44958']],
])('a column that is not decided: %s', (_, values) => expect(decideAuto(values)).toBe('unsettled'))

test('fillers of a column of last collections say nothing about its format', () => {
  const decider = startDeciding(isAbsentCollection)
  for (const value of ['1970-01-01', '01.02.2023', '1900-01-01']) decider.note(value)
  expect(decider.decided()).toBe('dd.mm.yyyy')
  expect(decideAuto(['1970-01-01', '01.02.2023'])).toBe('unsettled')
})

describe('reading a date', () => {
  test.each([
    ...['2023-02-29', '1900-02-29', '2022-04-31', '2022-13-01', '2022-00-10', '2022-01-00', '0000-01-01'],
    ...['22-01-01', '2022-1-01', ' 2022-01-01', '2022-01-01T00:00', '２０２２-01-01', ''],
  ])('%j is none', (text) => expect(parseLocalDate(text)).toBeNull())

  test('what is no number makes no date', () => {
    expect([localDate(2022, NaN, 1), localDate(2022, 1, NaN)]).toEqual([null, null])
  })
})

test.each([
  ['2024-02-29', 36, '2027-02-28'],
  ['2024-02-29', 48, '2028-02-29'],
  ['2023-06-15', 36, '2026-06-15'],
  ['2024-01-31', 1, '2024-02-29'],
  ['2023-12-31', 1, '2024-01-31'],
  ['2023-12-31', 2, '2024-02-29'],
  ['2024-03-31', -1, '2024-02-29'],
  ['9998-01-01', 36, '9999-12-31'],
])('months %s and %i months is %s', (date, months, later) =>
  expect(addMonths(dateOf(date), months)).toBe(later),
)

describe('days', () => {
  test('every day of four centuries follows the one before', () => {
    const start = dateOf('1899-12-30')
    let date = start
    const outOfOrder: string[] = []
    for (let i = 0; i < 146_097; i += 1) {
      const next = addDays(date, 1)!
      if (daysBetween(start, next) !== i + 1 || parseLocalDate(next) !== next) outOfOrder.push(next)
      date = next
    }
    expect(outOfOrder).toEqual([])
    expect(date).toBe('2299-12-30')
  })

  test('there is no date after the year 9999', () => {
    expect(addDays(dateOf('9999-12-30'), 1)).toBe('9999-12-31')
    expect(addDays(dateOf('9999-12-31'), 1)).toBeNull()
  })
})

describe('today', () => {
  test.each([
    ['UTC', Date.UTC(2026, 5, 14, 22, 30), '2026-06-14'],
    ['America/New_York', Date.UTC(2026, 5, 14, 22, 30), '2026-06-14'],
    ['Pacific/Kiritimati', Date.UTC(2026, 5, 14, 22, 30), '2026-06-15'],
    ['Europe/Berlin', Date.UTC(2026, 5, 14, 21, 59, 59), '2026-06-14'],
    ['Europe/Berlin', Date.UTC(2026, 5, 14, 22, 0, 0), '2026-06-15'],
    ['Europe/Berlin', Date.UTC(2026, 0, 14, 22, 59, 59), '2026-01-14'],
    ['Europe/Berlin', Date.UTC(2026, 0, 14, 23, 0, 0), '2026-01-15'],
  ])('is the date in the zone %s from its midnight', (zone, moment, today) =>
    expect(todayIn(zone, moment)).toBe(today),
  )

  test('needs a zone that exists', () => expect(() => todayIn('Europe/Atlantis', 0)).toThrow(RangeError))
})

const dateIn = (text: string, format: DecidedFormat): string => {
  const read = readDate(text, format, TODAY)
  return read.kind === 'date' ? read.date : read.kind
}

describe('reading a date', () => {
  test.each<[DecidedFormat, string, readonly string[]]>([
    ['iso', '2023-02-01', ['2023-02-01', '2023-02-01 12:30', '2023-02-01T12:30:59']],
    ['iso', '2023-02-01', ['2023-02-01T12:30:59.123456Z', '2023-02-01T12:30:59,1+0530']],
    ['iso', '2023-02-01', ['2023-02-01T23:59:60-08', '2023-02-01T00:00:00+14:00']],
    ['iso', '2023-02-01', ['2023-02-01 12:00:00 AM']],
    ['dd.mm.yyyy', '2023-02-01', ['1.2.2023', '01.02.2023 00:00:00', '1.2.2023, 12:30:00']],
    ['dd.mm.yyyy', '2023-02-01', ['1.2.2023 0.00.00', '01.02.2023 12:30 Uhr', '01. 02. 2023']],
    ['dd.mm.yyyy', '2024-02-29', ['29.02.2024']],
    ['dd/mm/yyyy', '2023-02-01', ['1/2/2023', '01/02/2023 00:00', '01/02/2023 12h30']],
    ['mm/dd/yyyy', '2023-01-02', ['1/2/2023']],
    ['dd-mm-yyyy', '2023-02-01', ['01-02-2023', '01-02-2023T00:00:00']],
    ['mm-dd-yyyy', '2023-01-02', ['01-02-2023']],
    ['yyyymmdd', '2023-02-01', ['20230201', '20230201 000000', '20230201120000Z']],
    ['dd.mm.yy', '2023-02-01', ['01.02.23', '01.02.23 00:00']],
    ['ddmmyy', '2023-02-01', ['010223']],
    ['mm.dd.yyyy', '2023-02-01', ['02.01.2023']],
    ['ddmmyyyy', '2023-02-01', ['01022023']],
    ['dd/mm/yy', '2023-02-01', ['1/2/23']],
    ['mm/dd/yy', '2023-02-01', ['2/1/23 00:00']],
    ['dd-mm-yy', '2023-02-01', ['01-02-23']],
    ['mm-dd-yy', '2023-02-01', ['02-01-23']],
    ['yy-mm-dd', '2023-02-01', ['23-02-01']],
    ['mmddyy', '2023-02-01', ['020123']],
    ['yymmdd', '2023-02-01', ['230201']],
    ['yymmdd', '1998-12-31', ['981231']],
    ['excel', '2023-02-01', ['44958', '44958.75', '44958,75']],
    ['excel', '1900-03-01', ['61']],
    ['excel', '9999-12-31', ['2958465']],
    ['excel1904', '2023-02-01', ['43496']],
    ['excel1904', '1904-03-02', ['61']],
    ['mm/dd/yyyy', '2023-02-01', ['2/1/2023 12:00:00 AM', '2/1/2023, 11:59:59\u202fPM']],
    ['yyyy/mm/dd', '2023-02-01', ['2023/02/01', '2023.02.01', '2023.02.01.', '2023. 2. 1.']],
    ['yyyy/mm/dd', '2023-02-01', ['2023.02.01. 0:00:00', '2023/2/1 00:00:00']],
    ['dd-MON-yyyy', '2023-02-01', ['Feb  1 2023 12:00AM', 'Feb 1, 2023']],
    ['dd-MON-yy', '2023-02-01', ['01-FEB-23']],
    ['dd-MON-yy', '2023-03-01', ['1-Mär-23 12.00.00.000000000 AM']],
    ['dd-MON-yyyy', '2023-12-01', ['01-DÉC-2023']],
    ['dd-MON-yyyy', '2023-03-01', ['1. Mrz. 2023']],
    ['dd-MON-yyyy', '2023-08-01', ['01/ago/2023']],
    ['dd-MON-yyyy', '2023-03-14', ['14 Mar 2023 00:00:00']],
  ])('%s reads as %s: %j', (format, date, texts) => {
    for (const text of texts) expect(dateIn(text, format), text).toBe(date)
  })

  const TIMES = '   12:30|T12|T24:00|T12:60|t12:30|Z|x| 13:00 PM| 0:00 AM| 12:30:61'.split('|')
  test.each<[DecidedFormat, readonly string[]]>([
    ['iso', ['2023-2-1', '23-02-01', '2023–02–01', '1899-12-31', '0000-00-00']],
    ['iso', TIMES.map((time) => `2023-02-01${time}`)],
    ['dd.mm.yyyy', ['2023-02-01', '01.02.0023', '01.02.23', '001.02.2023', '01/02/2023', '29.02.2023']],
    ['dd/mm/yyyy', ['13/13/2023', '02/29/2024', '01.02.2023']],
    ['mm/dd/yyyy', ['29/02/2024']],
    ['dd-mm-yyyy', ['2023-02-01']],
    ['yyyymmdd', ['20230230', '2023020', '44958']],
    ['dd.mm.yy', ['01.02.2023']],
    ['unsettled', ['2023-02-30']],
    ['ddmmyy', ['10223', '310423']],
    ['yymmdd', ['231301', '20230201', '2302', '23-02-01']],
    ['yy-mm-dd', ['2023-02-01', '230201']],
    ['dd/mm/yy', ['31/02/23', '01/02/2023', '01.02.23']],
    ['mm.dd.yyyy', ['25.03.2023']],
    ['ddmmyyyy', ['1022023', '20230201']],
    ['dd-MON-yyyy', ['01-LIP-2023', '31-FEB-2023', '01-FEB-23', '01-ABC-2023']],
    ['dd-MON-yy', ['01-FEB-2023']],
    ['yyyy/mm/dd', ['23/02/01', '01/02/2023']],
    ['excel', ['60', '0', '-44958', '044958', '2958466', '44958.', '2023-02-01']],
    ['excel1904', ['60']],
  ])('%s does not read %j', (format, texts) => {
    for (const text of texts) expect(dateIn(text, format), text).toBe('invalid')
  })
})

test.each([
  ['15.06.26', '2026-06-15'],
  ['16.06.26', '1926-06-16'],
  ['31.12.99', '1999-12-31'],
  ['29.02.00', '2000-02-29'],
  ['29.02.28', '1928-02-29'],
  ['29.02.30', 'invalid'],
])('a two-digit year %s is %s when today is 2026-06-15', (text, date) => {
  expect(dateIn(text, 'dd.mm.yy')).toBe(date)
  const told = date === 'invalid' ? { kind: 'invalid' } : { hasAssumedCentury: true }
  expect(readDate(text, 'dd.mm.yy', TODAY)).toMatchObject(told)
})

test.each([
  [true, ['T23:00:00Z', ' 22:00:00+00:00', 'T23:00:00.000Z', 'T22:00Z', 'T22:00:00+0000', 'T22:00:00-00']],
  [true, ['T21:00:00Z', 'T23:00:00', ' 22:00', ' 11:00:00 PM', ', 10:00 p.m.']],
  [false, ['', 'T20:00:00Z', 'T00:00:00Z', 'T23:00:01Z', 'T23:01:00Z', ' 11:00:00 AM']],
  [false, ['T23:00:00+01:00', 'T22:00:00+00:30', 'T22:00:00-0500']],
])('may be local midnight stored in UTC, one day early: %s for %j', (isNearMidnightUtc, times) => {
  for (const time of times) {
    const read = readDate(`2023-01-31${time}`, 'iso', TODAY)
    expect(read, time).toMatchObject({ date: '2023-01-31', isNearMidnightUtc })
  }
})

test.each(['', '-', '0000-00-00', '0000-00-00 00:00:00', '00.00.0000', '00000000', '0'])(
  '%j is none',
  (text) => expect(isZeroDate(text)).toBe(true),
)

test.each(['01.01.1970', '2000-01-01', '--', 'x', '10'])('%j is more', (text) =>
  expect(isZeroDate(text)).toBe(false),
)
