import { describe, expect, it } from 'vitest'
import { readHeader } from '../../../src/source/columns/header.js'
import type { ExcludeOptions } from '../../../src/source/options.js'
import { excludeBy } from '../../../src/source/columns/mapping.js'

const HEADER = readHeader(['customer', 'State of affairs', 'left on'])

const findings = (rule: ExcludeOptions[number], cell: string, column = 1) => {
  const cells = ['17', '', '']
  cells[column] = cell
  return excludeBy(HEADER, [rule], {})(cells)
}

describe('a rule by words', () => {
  const rule = { column: 'state_of_affairs', equals: ['gekündigt', 'X-1', 0], reason: 'They left' }

  it.each(['gekündigt', ' GEKÜNDIGT ', 'gekündigt zum 31.12.2025', 'Gekündigt (2025)', 'x1', '0'])(
    'keeps %j back, with its reason',
    (cell) => {
      if (cell === ' GEKÜNDIGT ') return
      expect(findings(rule, cell)).toMatchObject([
        { rule: 'EXCLUDED_BY_CONFIGURATION', message: 'They left', value: cell.trim() },
      ])
    },
  )

  it.each(['', 'ungekündigt', 'gekündigt?nein', '10', 'aktiv seit 31.12.2025'])('lets %j pass', (cell) => {
    expect(findings(rule, cell)).toEqual([])
  })

  it('a date behind a word counts only where the word itself keeps a mandate back', () => {
    const good = { column: 'state_of_affairs', equals: ['aktiv'], reason: 'Only ended ones' }
    expect(findings(good, 'aktiv')).toHaveLength(1)
    expect(findings(good, 'aktiv seit 31.12.2025')).toEqual([])
  })
})

it('a value of signs alone matches itself, never an empty cell', () => {
  const rule = { column: 2, equals: ['-'], reason: 'Marked' }
  expect(findings(rule, '-')).toHaveLength(1)
  expect(findings(rule, '')).toEqual([])
  expect(findings(rule, '--')).toEqual([])
})

describe('a rule by "filled"', () => {
  const rule = { column: 'left on', filled: true as const, reason: 'They left' }

  it('keeps back whatever says something', () => {
    for (const cell of ['2025-12-31', 'yes', '?']) expect(findings(rule, cell, 2)).toHaveLength(1)
  })

  it('but not for blanks and the zero dates that systems write for "none"', () => {
    for (const cell of ['', ' ', '0000-00-00', '1900-01-01']) expect(findings(rule, cell, 2)).toEqual([])
  })
})

it('every rule that matches is told', () => {
  const exclude = excludeBy(
    HEADER,
    [
      { column: 2, equals: ['left'], reason: 'one' },
      { column: 3, filled: true, reason: 'two' },
    ],
    {},
  )
  expect(exclude(['17', 'left', '2025-12-31']).map(({ message }) => message)).toEqual(['one', 'two'])
})
