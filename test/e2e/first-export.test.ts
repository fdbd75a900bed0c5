import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeFolder, runProgram, SAMPLES, type Ended } from '../support/program.js'

let place: ReturnType<typeof makeFolder>

beforeEach(() => {
  place = makeFolder()
  cpSync(SAMPLES, join(place.folder, 'samples'), { recursive: true })
})
afterEach(() => place.remove())

const program = (...args: string[]): Promise<Ended> => runProgram(args, { cwd: place.folder })
const configuration = (): string => join(place.folder, 'sepa-migrate.yaml')

interface Checked {
  readonly totals: Readonly<Record<string, number>>
  readonly problems: readonly { rule: string; count: number }[]
}

/** Replaces whole lines of the draft, as an operator does; says how many had to be touched. */
function edit(changes: Readonly<Record<string, string>>): number {
  const lines = readFileSync(configuration(), 'utf8').split('\n')
  const edited = lines.map((line) => {
    const [, replacement] = Object.entries(changes).find(([start]) => line.startsWith(start)) ?? []
    return replacement ?? line
  })
  writeFileSync(configuration(), edited.join('\n'))
  return edited.filter((line, index) => line !== lines[index]).length
}

async function check(file: string): Promise<Checked> {
  const { stdout } = await program('check', file, '--as-of', '2026-06-15', '--json')
  return JSON.parse(stdout) as Checked
}

describe('a first export', () => {
  it('in German is ready after inspect, init and one edited line, but for its planted faults', async () => {
    const inspected = await program('inspect', 'samples/german-messy.csv')
    expect(inspected.status).toBe(0)
    expect(inspected.stdout).toMatch(/encoding +windows-1252/)
    expect(inspected.stdout).toMatch(/header +line 4/)
    expect((await program('init', 'samples/german-messy.csv')).status).toBe(0)
    const edits = edit({
      'crosswalk:':
        'crosswalk: { file: samples/german-customers.csv, from: Mitgliedsnummer, key: member_id, customer_no: customer_no }',
    })
    expect(edits).toBeLessThanOrEqual(3)
    const { totals, problems } = await check('samples/german-messy.csv')
    expect(totals).toMatchObject({ read: 60, ready: 51, invalid: 7, excluded: 2 })
    expect(problems.map(({ rule, count }) => `${rule} ${count}`).sort()).toEqual([
      'CROSSWALK_AMBIGUOUS 1',
      'CROSSWALK_DUPLICATE_LINE 1',
      'CROSSWALK_NO_MATCH 1',
      'CROSSWALK_UNUSED_LINE 1',
      'DATE_INVALID 1',
      'IBAN_CHECKSUM 1',
      'IBAN_MASKED 1',
      'MANDATE_DORMANT 1',
      'ROW_FIELD_COUNT 1',
      'STATUS_NOT_ACTIVE 1',
      'UMR_CHARSET 1',
    ])
  })

  it('in French is ready after inspect, init and three edited lines, but for its planted faults', async () => {
    expect((await program('inspect', 'samples/french.csv')).stdout).toMatch(/signed_date, dd\/mm\/yyyy/)
    expect((await program('init', 'samples/french.csv')).status).toBe(0)
    const edits = edit({
      'crosswalk:': '',
      'columns:': 'columns:\n  customer_no: { column: Référence client, transform: [stripPrefix: C-] }',
      '# exclude:': 'exclude: [{ column: Situation, equals: [résilié, suspendu], reason: cancelled }]',
    })
    expect(edits).toBe(3)
    const { totals, problems } = await check('samples/french.csv')
    expect(totals).toMatchObject({ read: 41, ready: 35, invalid: 4, duplicate: 1, excluded: 1 })
    expect(problems.map(({ rule }) => rule).sort()).toEqual([
      'CI_LENGTH',
      'DATE_INVALID',
      'DUPLICATE_MANDATE',
      'EXCLUDED_BY_CONFIGURATION',
      'FILE_CI_MIXED',
      'IBAN_NOT_SEPA',
      'UMR_CHARSET',
    ])
  })

  it('can be looked at by its first rows only', async () => {
    const { stdout, status } = await program('check', 'samples/clean.csv', '--sample', '25', '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ totals: { read: 25, ready: 25 } })
    expect(stdout).toMatch(/first 25 records/)
  })

  it('is never overwritten by init, and inspect shows no account number', async () => {
    writeFileSync(configuration(), 'timezone: Europe/Berlin\n')
    const again = await program('init', 'samples/german-messy.csv')
    expect(again.status).toBe(2)
    expect(again.stderr).toMatch(/not overwritten/)
    expect(readFileSync(configuration(), 'utf8')).toBe('timezone: Europe/Berlin\n')
    for (const sample of ['clean.csv', 'french.csv', 'utf16.csv', 'excel-damaged.csv']) {
      const { stdout } = await program('inspect', `samples/${sample}`, '--json')
      expect(stdout).not.toMatch(/[A-Z]{2}\d{2}(?!ZZZ)[A-Z0-9]{11,}/)
    }
  })
})
