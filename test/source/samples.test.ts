import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type CheckedRecord, RULES, type RuleId } from '../../src/domain/rule/verdict.js'
import type { SourceOptions } from '../../src/source/options.js'
import { readAll, SAMPLES } from '../support/sources.js'
import { optionsBesideSamples } from './reading.js'

const sample = (name: string): string => join(SAMPLES, name)

const configured = (name: string): SourceOptions => optionsBesideSamples(readFileSync(sample(name), 'utf8'))

const rulesOf = (record: CheckedRecord): RuleId[] => record.findings.map(({ rule }) => rule)

/** Record number and rules of every record that is not sent as it is. */
const troubled = (records: readonly CheckedRecord[]) =>
  records
    .filter(({ verdict, findings }) => verdict.kind !== 'sendable' || findings.length > 0)
    .map((record) => [record.record, record.verdict.kind, ...rulesOf(record)])

test('clean.csv has at least 200 rows of ten countries, all sendable and without a remark', async () => {
  const { records, summary } = await readAll(sample('clean.csv'))
  expect(records.length).toBeGreaterThanOrEqual(200)
  expect(new Set(records.map(({ values }) => values.iban?.slice(0, 2))).size).toBe(10)
  expect(new Set(records.map(({ mandateKey }) => mandateKey)).size).toBe(records.length)
  expect(new Set(records.map(({ values }) => values.customerNo)).size).toBe(records.length)
  expect(troubled(records)).toEqual([])
  expect(summary.findings.map(({ rule }) => rule)).toEqual(['FILE_DORMANCY_UNKNOWN'])
})

test('demo.csv has rows of every kind, among them the two that the sandbox treats badly', async () => {
  const { records } = await readAll(sample('demo.csv'))
  const kinds = records.map(({ verdict }) => verdict.kind)
  const counts = ['sendable', 'invalid', 'excluded'].map((kind) => kinds.filter((one) => one === kind).length)
  expect(counts).toEqual([55, 5, 1])
  for (const customerNo of [424_242, 424_243]) {
    const [record, ...others] = records.filter(({ values }) => values.customerNo === customerNo)
    expect([record?.verdict.kind, others]).toEqual(['sendable', []])
  }
  const keys = records.map(({ mandateKey }) => mandateKey).filter((key) => key !== null)
  expect(keys.length - new Set(keys).size).toBe(2)
  expect(kinds[0]).toBe('sendable')
})

test('demo-final.csv is demo.csv with a new mandate and six that changed, ended or are gone', () => {
  const linesOf = (file: string) => readFileSync(sample(file), 'utf8').trim().split('\n')
  const known = new Set(linesOf('demo.csv').map((line) => `${line},2026-05-29`))
  const other = linesOf('demo-final.csv').filter((line) => !known.has(line))
  expect(other.slice(1)).toHaveLength(5)
  expect(new Set(linesOf('demo.csv')).size - linesOf('demo-final.csv').length).toBe(1)
})

const texts = z.array(z.string())
const expectedFaults = z.object({
  records: z.array(z.object({ line: z.number(), state: z.string(), rules: texts, acrossRows: texts })),
  elsewhere: z.record(z.string(), z.string()),
})

describe('faults.csv', () => {
  const expected = expectedFaults.parse(JSON.parse(readFileSync(sample('faults-expected.json'), 'utf8')))

  test('breaks on every row the rules that are written beside it', async () => {
    const { records } = await readAll(sample('faults.csv'))
    expect(records.map((record) => [record.line, record.verdict.kind, ...rulesOf(record)])).toEqual(
      expected.records.map(({ line, state, rules, acrossRows }) => {
        const isSendable = state === 'ready' || acrossRows.length > 0
        return [line, isSendable ? 'sendable' : state, ...rules]
      }),
    )
  })

  test('shows every rule of rows that a file without configuration can show', () => {
    const shown = new Set(expected.records.flatMap(({ rules, acrossRows }) => [...rules, ...acrossRows]))
    const rowRules = Object.keys(RULES).filter(
      (rule) =>
        !rule.startsWith('FILE_') &&
        !rule.startsWith('RESPONSE_') &&
        !rule.startsWith('EVIDENCE_') &&
        !['CROSSWALK_DUPLICATE_LINE', 'CROSSWALK_UNUSED_LINE'].includes(rule),
    )
    expect(rowRules.filter((rule) => !shown.has(rule)).sort()).toEqual(Object.keys(expected.elsewhere).sort())
  })
})

test('german-messy.csv is clean with german.yaml but for its planted faults', async () => {
  const { records, summary, opened } = await readAll(sample('german-messy.csv'), configured('german.yaml'))
  expect(records).toHaveLength(60)
  expect(troubled(records)).toEqual([
    [10, 'invalid', 'IBAN_MASKED'],
    [15, 'invalid', 'IBAN_CHECKSUM'],
    [20, 'invalid', 'DATE_INVALID'],
    [25, 'invalid', 'UMR_CHARSET'],
    [30, 'excluded', 'STATUS_NOT_ACTIVE'],
    [35, 'excluded', 'MANDATE_DORMANT'],
    [40, 'invalid', 'CROSSWALK_NO_MATCH'],
    [45, 'invalid', 'ROW_FIELD_COUNT'],
    [50, 'invalid', 'CROSSWALK_MISMATCH'],
    [55, 'invalid', 'CROSSWALK_AMBIGUOUS'],
  ])
  expect(summary.findings.map(({ message }) => message)).toEqual([
    'The crosswalk repeats a line. 1 line of german-customers.csv.',
    'A customer in the crosswalk has no mandate in the export. 3 lines of german-customers.csv.',
  ])
  expect(records[0]?.values.customerNo).toBe(810_001)
  expect(records[0]?.cells[1]).toMatch(/^[A-ZÀ-ÿ]/)
  expect(opened.columns).toMatchObject({ customer_no: 'Mitgliedsnummer', iban: 'IBAN' })
})

test('french.csv is clean with french.yaml but for its planted faults', async () => {
  const { records } = await readAll(sample('french.csv'), configured('french.yaml'))
  expect(records).toHaveLength(41)
  expect(troubled(records)).toEqual([
    [8, 'invalid', 'IBAN_NOT_SEPA'],
    [13, 'invalid', 'CI_LENGTH'],
    [18, 'invalid', 'DATE_INVALID'],
    [23, 'invalid', 'UMR_CHARSET'],
    [28, 'excluded', 'EXCLUDED_BY_CONFIGURATION'],
  ])
  expect(records[40]?.mandateKey).toBe(records[3]?.mandateKey)
})

test('excel-damaged.csv has its damage found and explained, and its text markers removed', async () => {
  const { records, summary } = await readAll(sample('excel-damaged.csv'))
  expect(records).toHaveLength(20)
  expect(summary.blankLines).toBe(2)
  expect(troubled(records)).toEqual([
    [2, 'invalid', 'EXCEL_SCIENTIFIC'],
    [4, 'invalid', 'EXCEL_SCIENTIFIC'],
    [8, 'sendable', 'UMR_LOOKS_LIKE_DATE'],
    [10, 'invalid', 'DATE_INVALID'],
    [12, 'invalid', 'CI_LENGTH'],
    [14, 'invalid', 'UMR_PRECISION'],
    [16, 'invalid', 'UMR_CHARSET'],
    [18, 'invalid', 'EXCEL_SCIENTIFIC'],
    [19, 'invalid', 'IBAN_COUNTRY'],
  ])
  expect(records[5]?.values.mandateReference).toBe('00012345')
  expect(records[6]?.verdict.kind).toBe('sendable')
  expect(summary.reading).toMatchObject({ delimiter: { delimiter: ';', by: 'sep= line' } })
})
