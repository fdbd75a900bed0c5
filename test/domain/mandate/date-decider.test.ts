import { describe, expect, test } from 'vitest'
import { startDeciding } from '../../../src/domain/mandate/date.js'
import { isAbsentCollection } from '../../../src/domain/value/check-mandate.js'

function decideAuto(values: Iterable<string>) {
  const decider = startDeciding()
  for (const value of values) decider.note(value)
  return decider.decided()
}

describe('a column that is decided', () => {
  test.each([
    ['ISO alone', ['2023-02-01', '2023-02-01T00:00:00Z'], 'iso'],
    ['dotted values alone', ['01.02.2023', '3.4.2023'], 'dd.mm.yyyy'],
    ['slashes with one day above 12 in front', ['01/02/2023', '13/02/2023'], 'dd/mm/yyyy'],
    ['slashes with one day above 12 behind', ['01/02/2023', '02/13/2023'], 'mm/dd/yyyy'],
    ['hyphens with one day above 12 in front', ['01-02-2023', '13-02-2023'], 'dd-mm-yyyy'],
    ['hyphens with one day above 12 behind', ['02-13-2023'], 'mm-dd-yyyy'],
    ['empty cells and zero dates beside', ['', ' ', '0000-00-00', '-', '01.02.2023'], 'dd.mm.yyyy'],
    ['what is no date at all beside', ['n/a', '#REF!', '13/02/2023'], 'dd/mm/yyyy'],
    ['nothing', [], 'iso'],
    ['blanks and markers around', [' ="13/02/2023" '], 'dd/mm/yyyy'],
  ])('%s', (_, values, format) => {
    expect(decideAuto(values)).toBe(format)
  })
})

describe('a column that is not decided', () => {
  test.each([
    ['one slash value that fits both orders', ['01/02/2023']],
    ['values that prove both orders', ['13/02/2023', '02/13/2023']],
    ['a value that fits no order', ['13/02/2023', '31/31/2023']],
    ['digits alone', ['44958']],
    ['a two-digit year', ['13.02.23']],
    ['ISO and dotted', ['2023-02-01', '01.02.2023']],
    ['dotted and slashed', ['01.02.2023', '13/02/2023']],
    ['slashed and hyphenated', ['13/02/2023', '13-02-2023']],
    ['dotted and digits', ['01.02.2023', '44958']],
  ])('%s', (_, values) => {
    expect(decideAuto(values)).toBe('unsettled')
  })
})

test('the order of the values makes no difference', () => {
  const values = ['13/02/2023', '01/02/2023', 'x', '']
  expect(decideAuto(values)).toBe(decideAuto(values.toReversed()))
})

test('fillers of a column of last collections say nothing about its format', () => {
  const decider = startDeciding(isAbsentCollection)
  for (const value of ['1970-01-01', '01.02.2023', '1900-01-01']) decider.note(value)
  expect(decider.decided()).toBe('dd.mm.yyyy')
  expect(decideAuto(['1970-01-01', '01.02.2023'])).toBe('unsettled')
})
