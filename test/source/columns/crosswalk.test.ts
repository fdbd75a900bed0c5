import { describe, expect, test } from 'vitest'
import { loadCrosswalk } from '../../../src/source/columns/crosswalk.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../../src/source/options.js'
import { CHECK, exportOf, fileOf, optionsOf, readAll, refusal } from '../../support/sources.js'

/** Rows of an export whose first column is an old key, and whose last a name. */
const exportWith = (...keys: string[]): string =>
  exportOf(keys.length)
    .replace('customer_no', 'User-Id')
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.replace(/^\d+/, keys[index - 1] ?? '')))
    .join('\n')

const read = (crosswalk: string, keys: readonly string[], more = '') =>
  readAll(
    fileOf(exportWith(...keys)),
    optionsOf(`crosswalk: { file: ${fileOf(crosswalk, 'customers.csv')}, from: User-Id, key: old${more} }`),
  )

const rulesOf = ({ records }: Awaited<ReturnType<typeof read>>) =>
  records.map(({ values, findings }) => [values.customerNo, ...findings.map(({ rule }) => rule)])

describe('a crosswalk', () => {
  test('gives each old key its customer, leading zeros and text included', async () => {
    const source = await read('old,customer_no\n007,11\n7,12\nK/9,13\n', ['007', '7', 'K/9'])
    expect(rulesOf(source)).toEqual([[11], [12], [13]])
    expect(source.records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
    expect(source.opened.columns).toMatchObject({ customer_no: 'User-Id' })
    expect(source.summary.reading['crosswalk']).toMatchObject({ lines: 3 })
  })

  test('reports keys without a line, without a value, and with several customers', async () => {
    // A key that looks like a customer number is none.
    const source = await read('old,customer_no\na,11\nb,12\nb,13\n,14\n', ['a', 'b', '4711', ''])
    expect(rulesOf(source)).toEqual([
      [11],
      [null, 'CROSSWALK_AMBIGUOUS'],
      [null, 'CROSSWALK_NO_MATCH'],
      [null, 'CROSSWALK_NO_MATCH'],
    ])
    expect(source.records.filter(({ verdict }) => verdict.kind === 'sendable')).toHaveLength(1)
    expect(source.records[1]?.findings[0]).toMatchObject({ field: 'customer_no', value: 'b' })
  })

  test('counts repeated and unused lines', async () => {
    const source = await read('old,customer_no\na,11\na,11\nb,12\nc,13\nc,14\n', ['a'])
    expect(source.summary.findings.map(({ rule, value, message }) => [rule, value, message])).toEqual([
      ['CROSSWALK_DUPLICATE_LINE', '1 line', 'The crosswalk repeats a line. 1 line of customers.csv.'],
      [
        'CROSSWALK_UNUSED_LINE',
        'b, c',
        'A customer in the crosswalk has no mandate in the export. 3 lines of customers.csv.',
      ],
    ])
  })

  const byEnd = ', secondKey: { column: end, ibanEnd: true }'
  test.each([
    [
      'passes its customer numbers through the checks of every customer number',
      'old,customer_no\na,K-1\nb,\nc,0012\n',
      '',
      [
        [null, 'CUST_FORMAT'],
        [null, 'CUST_EMPTY'],
        [12, 'CUST_LEADING_ZERO'],
      ],
    ],
    [
      'guards against shifted lines by the end of the IBAN',
      'old,customer_no,end\na,11,3000\nb,12,30 00\nc,13,9999\nd,14,\n',
      byEnd,
      [[11], [12], [13, 'CROSSWALK_MISMATCH'], [14]],
    ],
    [
      'guards against shifted lines by a name, compared folded',
      'old,customer_no,holder\na,11,PERSON-1\nb,12,Person 9\n',
      ', secondKey: { column: holder, from: name }',
      [[11], [12, 'CROSSWALK_MISMATCH']],
    ],
  ])('%s', async (_, lines, more, rules) => {
    const source = await read(lines, ['a', 'b', 'c', 'd'].slice(0, rules.length), more)
    expect(rulesOf(source)).toEqual(rules)
    for (const { findings, verdict } of source.records)
      if (findings.some(({ rule }) => rule === 'CROSSWALK_MISMATCH')) expect(verdict.kind).toBe('invalid')
  })

  test('may list a customer once per account', async () => {
    const source = await read('old,customer_no,end\na,11,9999\na,11,3000\n', ['a'], byEnd)
    expect(rulesOf(source)).toEqual([[11]])
    expect(source.summary.findings.map(({ rule }) => rule)).not.toContain('CROSSWALK_DUPLICATE_LINE')
  })
})

test('references that all are the old key are suspicious', async () => {
  const source = await read('old,customer_no\nM-1,11\nM-2,12\n', ['M-1', 'M-2'])
  expect(source.summary.findings.map(({ rule }) => rule)).toContain('FILE_UMR_EQUALS_CUSTOMER')
})

describe('a crosswalk that cannot be trusted', () => {
  test.each([
    ['a ragged line', 'old,customer_no\na,11\nb,12,13\n', 'ROW_FIELD_COUNT', 3],
    ['a missing column', 'key,customer_no\na,11\n', 'FILE_HEADER_MISSING', 1],
    ['no lines', 'old,customer_no\n', 'FILE_EMPTY', null],
    ['an unclosed quote', 'old,customer_no\n"a,11\n', 'FILE_RECORD_TOO_LONG', 2],
  ])('with %s is refused by its own name', async (_, text, rule, line) => {
    const error = await refusal(read(text, ['a']))
    expect(error).toMatchObject({ rule, line, exitCode: 7 })
    expect(error.source).toContain('customers.csv')
  })

  test('is refused when it is missing or larger than its limit', async () => {
    const path = fileOf(exportWith('a'))
    const missing = optionsOf('crosswalk: { file: /nowhere/customers.csv, from: User-Id, key: old }')
    expect((await refusal(readAll(path, missing))).message).toContain('no such file')
    const file = fileOf('old,customer_no\na,1\nb,2\n')
    const small = optionsOf(
      `crosswalk: { file: ${file}, from: User-Id, key: old }\nlimits: { crosswalkLines: 1 }`,
    )
    expect((await refusal(readAll(path, small))).next).toContain('limits.crosswalkLines')
  })

  test('needs its old key in the export', async () => {
    const crosswalk = fileOf('old,customer_no\na,1\n')
    const error = await refusal(
      readAll(fileOf(exportOf(1)), optionsOf(`crosswalk: { file: ${crosswalk}, from: User-Id, key: old }`)),
    )
    expect(error.message).toContain('no column "User-Id" for the old key of the crosswalk')
  })
})

describe('a shared crosswalk', () => {
  test('counts what is used over several files, and leaves its findings to the caller', async () => {
    const options = optionsOf(
      `crosswalk: { file: ${fileOf('old,customer_no\na,1\nb,2\nc,3\n')}, from: User-Id, key: old }`,
    )
    const crosswalk = await loadCrosswalk(
      options.crosswalk!.file,
      options.crosswalk!,
      DEFAULT_SOURCE_OPTIONS.limits,
    )
    const check = { ...CHECK, crosswalk }
    const first = await readAll(fileOf(exportWith('a')), options, check)
    const second = await readAll(fileOf(exportWith('b')), options, check)
    for (const { summary } of [first, second])
      expect(summary.findings.map(({ rule }) => rule)).not.toContain('CROSSWALK_UNUSED_LINE')
    expect(crosswalk.findings({})).toMatchObject([{ rule: 'CROSSWALK_UNUSED_LINE', value: 'c' }])
  })
})
