import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import { CHECK, exportOf, fileOf, optionsOf, readText } from '../support/sources.js'
import type { EarlierRow } from '../../src/domain/row/resaved.js'

const [HEADER = '', FIRST = '', SECOND = ''] = exportOf(2).split('\n')
const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`
const CELLS = FIRST.split(',')

/** Row 7 of the ledger, which is the first line of the export. */
const ROW: EarlierRow = {
  fields: Object.fromEntries(HEADER.split(',').map((name, index) => [name, CELLS[index] ?? ''])),
  columns: new Map(HEADER.split(',').map((name, index) => [name.replaceAll('_', ''), CELLS[index] ?? ''])),
  mapped: {},
  isKeptByRule: false,
  formats: { signedDate: 'iso', lastCollection: 'iso' },
  isCorrection: false,
  had: () => false,
  wasHeldBack: false,
  values: {
    customerNo: 1,
    iban: 'DE89370400440532013000',
    signedDate: '2024-03-01' as LocalDate,
    creditorIdentifier: 'DE98ZZZ09999999999',
    mandateReference: 'M-1',
  },
}

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

describe('a record with an old key', () => {
  const KEYS = 'old,new,end\nA,17,3000\nB,18,1111\n'
  const keyed = (cell: string, more = '') =>
    readText(
      file(HEADER.replace('customer_no', 'old'), FIRST.replace(/^1/, cell)),
      `crosswalk: { file: ${fileOf(KEYS, 'keys.csv')}, from: old, key: old, customer_no: new${more} }`,
    )

  it('is sent with the customer of the crosswalk, never with the key itself', async () => {
    const { records } = await keyed('A')
    expect(records[0]).toMatchObject({ verdict: { kind: 'sendable' }, values: { customerNo: 17 } })
  })

  it('is not sent without one, though the key looks like a customer number', async () => {
    const { records } = await keyed('4711')
    expect(records[0]).toMatchObject({ verdict: { kind: 'invalid' }, values: { customerNo: null } })
    expect(records[0]?.findings.map(({ rule }) => rule)).toEqual(['CROSSWALK_NO_MATCH'])
  })
})

describe('a configured transform', () => {
  it('is counted where it changed the value, not where it only found a text marker', async () => {
    const yaml = 'columns: { customer_no: { column: customer_no, transform: [{ stripPrefix: K }] } }'
    const { summary } = await readText(
      file(HEADER, `K${FIRST}`, `"=""2""${SECOND.slice(1).replace(',', '",')}`),
      yaml,
    )
    expect(summary.reading['transformed']).toEqual({ customer_no: 1 })
  })
})

it('exclusions look at the cells of the export, whatever our own columns stand between them', async () => {
  const header = `migration_row,migration_state,${HEADER},status`
  const { records } = await readText(
    file(header, `7,excluded,${FIRST},gone`, `8,excluded,${SECOND},active`),
    `exclude: [{ column: status, equals: [gone], reason: They left }]`,
  )
  expect(records.map(({ verdict }) => verdict.kind)).toEqual(['excluded', 'sendable'])
  expect(optionsOf('').exclude).toEqual([])
})
