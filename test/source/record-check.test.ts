import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import { applyTransforms } from '../../src/source/record-check.js'
import { CHECK, exportOf } from '../support/sources.js'
import { earlierRow, kindsIn, readText } from './reading.js'

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
    expect(records.map(({ corrects }) => corrects)).toEqual([7, 8])
    expect(records.map(({ isUnchanged }) => isUnchanged)).toEqual([true, false])
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

it.each([
  ['in the order of the configuration', 'k-17', [{ stripPrefix: 'k-' }, pad], '00017'],
  ['so in the other order', 'k-17', [pad, { stripPrefix: 'k-' }], '0k-17'],
  ['with what it makes of a prefix', 'k-17', ['upperCase', { stripPrefix: 'k-' }], 'K-17'],
  ['without text marker', '="K-17"', [{ stripPrefix: 'K-' }], '17'],
  ['without outer blanks', '  K-17 ', [{ stripPrefix: 'K-' }, 'trim'], '17'],
  ['to no value where it is empty', '  ', [pad], ''],
  ['to none where the prefix was all of it', 'K-', [{ stripPrefix: 'K-' }, pad], ''],
  ['and cuts nothing off that is longer', '123456', [pad], '123456'],
  ['without zeros in front of a number', 'C-000123', [{ stripPrefix: 'C-' }, 'stripZeros'], '123'],
  ['but with the last of zeros alone', '000', ['stripZeros'], '0'],
  ['to no zero where it is empty', '', ['stripZeros'], ''],
] as const)('changes a cell %s: %j by %j', (_, cell, by, changed) =>
  expect(applyTransforms(cell, by)).toBe(changed),
)
