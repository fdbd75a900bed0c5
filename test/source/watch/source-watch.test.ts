import { describe, expect, it } from 'vitest'
import { CHECK, exportOf, readText, refusal } from '../../support/sources.js'

const LINES = exportOf(12).trimEnd().split('\n')
const [HEADER = '', ...ROWS] = LINES
const file = (...lines: readonly string[]): string => `${lines.join('\n')}\n`
const TELLING = { ...CHECK, undecided: 'tell' as const }

const rulesOf = async (text: string | Uint8Array, yaml = ''): Promise<string[]> =>
  (await readText(text, yaml, TELLING)).summary.findings.map(({ rule }) => rule)

describe('what only the whole file shows', () => {
  it('is told of an export, and not of our own file of faulty rows', async () => {
    const same = ROWS.map((row) => row.replace(/2024-03-\d\d/, '1901-01-01'))
    expect(await rulesOf(file(HEADER, ...same))).toContain('FILE_DATE_DOMINANT')
    const ours = same.map((row, index) => `${row},${index + 1},invalid`)
    const header = `${HEADER},migration_row,migration_state`
    expect(await rulesOf(file(header, ...ours))).not.toContain('FILE_DATE_DOMINANT')
  })

  it('damage of the decoding is told of both', async () => {
    const damaged = (row: string): string => row.replace('Person', 'MÃ¼ller')
    const [first = '', ...others] = ROWS
    expect(await rulesOf(file(HEADER, damaged(first), ...others))).toContain('FILE_MOJIBAKE')
    const header = `${HEADER},migration_row,migration_state`
    expect(await rulesOf(file(header, `${damaged(first)},1,invalid`))).toContain('FILE_MOJIBAKE')
  })
})

describe('a count that the file states', () => {
  it.each([
    ['of a totals line is compared with the records, without that line', 'Anzahl,12,,,,'],
    ['of a line that became a faulty row as well', 'Anzahl Mandate: 12 am,x,,,,'],
  ])('%s', async (_, line) => {
    expect((await readText(file(HEADER, ...ROWS, line), '', TELLING)).records.length).toBeLessThan(14)
    const other = file(HEADER, ...ROWS, line.replace('12', '14'))
    expect(await refusal(readText(other, '', TELLING))).toMatchObject({ rule: 'FILE_COUNT_MISMATCH' })
  })
})
