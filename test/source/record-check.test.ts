import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import { applyTransforms } from '../../src/source/record-check.js'
import { CHECK, earlierRow, exportOf, kindsIn, readText } from '../support/sources.js'

const [HEADER = '', FIRST = '', SECOND = ''] = exportOf(2).split('\n')
const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`

/** Row 7 of the ledger, which is the first line of the export. */
const ROW = earlierRow(HEADER.split(','), FIRST.split(','), {
  values: {
    customerNo: 1,
    iban: 'DE89370400440532013000',
    signedDate: '2024-03-01' as LocalDate,
    creditorIdentifier: 'DE98ZZZ09999999999',
    mandateReference: 'M-1',
  },
})

const RESULT_HEADER = `${HEADER},migration_row,migration_state,migration_decision`
const givenBack = (...lines: readonly string[]) =>
  readText(file(RESULT_HEADER, ...lines), '', { ...CHECK, earlier: (row) => (row === 7 ? [ROW] : []) })

describe('a line of our own files', () => {
  it('that only came back is unchanged, and names its row', async () => {
    const { records } = await givenBack(`${FIRST},7,refused,`, `${SECOND},8,refused,`)
    expect(records.map(({ corrects, isUnchanged }) => [corrects, isUnchanged])).toEqual([
      [7, true],
      [8, false],
    ])
  })

  it('with "send" beside it is a decision, not an unchanged line', async () => {
    const { records } = await givenBack(`${FIRST},7,conflict,send`)
    expect(records[0]).toMatchObject({ isUnchanged: false, isDecided: true, verdict: { kind: 'sendable' } })
  })

  it('with a decision for another command says so where something was changed, and nothing where not', async () => {
    const changed = FIRST.replace('M-1', 'M-9')
    const { records } = await givenBack(`${FIRST},7,in_doubt,refused`, `${changed},7,in_doubt,refused`)
    expect(records.map(({ isUnchanged, verdict }) => [isUnchanged === true, verdict.kind])).toEqual([
      [true, 'sendable'],
      [false, 'invalid'],
    ])
    expect(records[1]?.findings.map(({ rule }) => rule)).toContain('CORRECTION_UNREADABLE')
  })

  it('whose number cannot be read is never a new mandate', async () => {
    const { records } = await givenBack(`${FIRST},seven,refused,`)
    expect(records[0]).toMatchObject({ corrects: 0, isUnchanged: false, verdict: { kind: 'invalid' } })
  })

  it('without a number is one', async () => {
    const { records } = await givenBack(`${FIRST},,,`)
    expect(records[0]).toMatchObject({ corrects: null, verdict: { kind: 'sendable' } })
  })

  it('of the wrong shape may name any row, so it names none that could be believed', async () => {
    const { records } = await givenBack(`${FIRST},extra,more,7,refused,`)
    expect(records[0]).toMatchObject({ corrects: 0, verdict: { kind: 'invalid' }, mandateKey: null })
    expect(records[0]?.values).toMatchObject({ customerNo: null, iban: null })
  })
})

it('exclusions look at the cells of the export, whatever our own columns stand between them', async () => {
  const header = `migration_row,migration_state,${HEADER},status`
  const text = file(header, `7,excluded,${FIRST},gone`, `8,excluded,${SECOND},active`)
  const exclude = 'exclude: [{ column: status, equals: [gone], reason: They left }]'
  expect(await kindsIn(text, exclude)).toEqual(['excluded', 'sendable'])
})

const pad = { padLeft: { length: 5, with: '0' } } as const

it('changes a cell in the order of the configuration', () => {
  expect(applyTransforms('k-17', [{ stripPrefix: 'k-' }, pad])).toBe('00017')
  expect(applyTransforms('k-17', [pad, { stripPrefix: 'k-' }])).toBe('0k-17')
  expect(applyTransforms('k-17', ['upperCase', { stripPrefix: 'k-' }])).toBe('K-17')
})

it('sees a cell without outer blanks and text marker, so that a result file comes back as it went', () => {
  expect(applyTransforms('="K-17"', [{ stripPrefix: 'K-' }])).toBe('17')
  expect(applyTransforms('  K-17 ', [{ stripPrefix: 'K-' }, 'trim'])).toBe('17')
})

it('makes no value up where the cell is empty, or where the prefix was all of it', () => {
  expect(applyTransforms('  ', [pad])).toBe('')
  expect(applyTransforms('K-', [{ stripPrefix: 'K-' }, pad])).toBe('')
})

it('cuts nothing off that is longer than asked for', () => {
  expect(applyTransforms('123456', [pad])).toBe('123456')
})

it('takes zeros in front of a number away, and leaves one that is nothing else', () => {
  expect(applyTransforms('C-000123', [{ stripPrefix: 'C-' }, 'stripZeros'])).toBe('123')
  expect(applyTransforms('000', ['stripZeros'])).toBe('0')
  expect(applyTransforms('', ['stripZeros'])).toBe('')
})
