import { describe, expect, test } from 'vitest'
import { loadSecondFiles } from '../../../src/source/columns/second-files.js'
import { CHECK, exportOf, fileOf, optionsOf, readAll, refusal } from '../../support/sources.js'

/** Rows of an export whose first column is an old key, and whose last a name. */
const exportWith = (...keys: string[]): string =>
  exportOf(keys.length)
    .replace('customer_no', 'User-Id')
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.replace(/^\d+/, keys[index - 1] ?? '')))
    .join('\n')

const crossing = (file: string, more = '') =>
  optionsOf(`crosswalk: { file: ${file}, from: User-Id, key: old${more} }`)
const read = (crosswalk: string, keys: readonly string[], more = '') =>
  readAll(fileOf(exportWith(...keys)), crossing(fileOf(crosswalk, 'customers.csv'), more))

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

  const byEnd = ', secondKey: { column: end, ibanEnd: true }'
  test('passes its customer numbers through the checks of every customer number', async () => {
    const source = await read('old,customer_no\na,K-1\nb,\nc,0012\n', ['a', 'b', 'c'])
    expect(rulesOf(source).join()).toBe(',CUST_FORMAT,,CUST_EMPTY,12,CUST_LEADING_ZERO')
  })

  const byName = ', secondKey: { column: end, from: name }'
  test.each([
    ['the end of the IBAN', '30 00', '9999', byEnd],
    ['a name, compared folded', 'PERSON-1', 'Person 9', byName],
  ])('guards against shifted lines by %s', async (_, right, wrong, more) => {
    const source = await read(
      `old,customer_no,end\na,11,${right}\nb,12,${wrong}\nc,13,\n`,
      ['a', 'b', 'c'],
      more,
    )
    expect(rulesOf(source)).toEqual([[11], [12, 'CROSSWALK_MISMATCH'], [13]])
    expect(source.records[1]?.verdict.kind).toBe('invalid')
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
    const missing = readAll(path, crossing('/nowhere/customers.csv'))
    expect((await refusal(missing)).message).toContain('no such file')
    const options = crossing(fileOf('old,customer_no\na,1\nb,2\n'))
    const small = readAll(path, { ...options, limits: { ...options.limits, crosswalkLines: 1 } })
    expect((await refusal(small)).next).toContain('limits.crosswalkLines')
  })

  test('needs its old key in the export', async () => {
    const reading = readAll(fileOf(exportOf(1)), crossing(fileOf('old,customer_no\na,1\n')))
    expect((await refusal(reading)).message).toContain('no column "User-Id" for the old key of the crosswalk')
  })
})

test('a shared crosswalk counts what is used over several files, and leaves its findings to the caller', async () => {
  const options = crossing(fileOf('old,customer_no\na,1\nb,2\nc,3\nd,4\n'))
  const second = await loadSecondFiles(options)
  for (const key of ['a', 'b']) {
    const { summary } = await readAll(fileOf(exportWith(key)), options, { ...CHECK, second })
    expect(summary.findings.map(({ rule }) => rule)).not.toContain('CROSSWALK_UNUSED_LINE')
  }
  expect(second[0]!.findings({})).toMatchObject([{ rule: 'CROSSWALK_UNUSED_LINE', value: 'c, d' }])
})
