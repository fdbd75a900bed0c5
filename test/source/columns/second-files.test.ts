import { openList } from '../../../src/source/list.js'
import { describe, expect, it, test } from 'vitest'
import { seedChance } from '../../support/chance.js'
import { ibanOf } from '../../support/sample-values.js'
import { CHECK, exportOf, fileOf, optionsOf, readAll, refusal } from '../../support/sources.js'
import { askedAbout, earlierRow, readText, refused, rulesOf } from '../reading.js'
import { rowsOf, workbookOf } from '../../support/workbook.js'
import { loadSecondFiles } from '../../../src/source/columns/second-files.js'
import { csv, OWN, type Column } from '../../support/columns.js'
import { germanIban } from '../../support/export.js'

const CREDITOR = 'DE98ZZZ09999999999'
const HEADER = 'customer_no,code,signed_date,sepa_creditor_identifier,unique_mandate_reference'
const file = (...lines: readonly string[]): string => [...lines, ''].join('\n')
const exportBy = (...keys: readonly string[]): string =>
  file(HEADER, ...keys.map((key, n) => `${key},2024-03-01,${CREDITOR},M-${n}`))
const iban = (n: number): string => ibanOf('DE', `3704004405320130${String(n).padStart(2, '0')}`)
const joining = (path: string, more = '', take = '{ iban: IBAN }'): string =>
  `join: [{ file: ${path}, on: { customer_no: Customer, code: Code }, take: ${take}${more} }]`
const WRONG = 'DE00370400440532013000'
const TABLE = file(
  'Customer,Code,IBAN',
  `1,A,${iban(1)}`,
  `1,B,${iban(2)}`,
  `1,A,${iban(1)}`,
  `2,A,${iban(3)}`,
  `2,A,${iban(4)}`,
  `3,A,${WRONG}`,
  '4,A,',
  `,A,${iban(5)}`,
)

it('holds the rows of its last line where the file may be cut within that', async () => {
  const accounts = file('Customer,Code,IBAN', `1,A,${iban(1)}`, `1,B,${iban(2)}`).trimEnd()
  const read = async (text: string) =>
    (await readText(exportBy('1,A', '1,B'), joining(fileOf(text)))).records.map(rulesOf)
  expect(await read(accounts)).toEqual([[], ['JOIN_NO_MATCH']])
  expect(await read(`${accounts}\n`)).toEqual([[], []])
})

it('finds the line of both columns of a key, and tells a key that is missing, empty or ambiguous', async () => {
  const text = exportBy('1,A', '1,B', '2,A', '1,C', '01,A', '1,', '3,A', '4,A')
  const { opened, records, summary } = await readText(text, joining(fileOf(TABLE, 'accounts.csv')))
  expect(records.map(({ values, ...record }) => [values.iban, ...rulesOf(record)])).toEqual([
    [iban(1)],
    [iban(2)],
    [null, 'JOIN_AMBIGUOUS'],
    [null, 'JOIN_NO_MATCH'],
    [null, 'JOIN_NO_MATCH', 'CUST_LEADING_ZERO'],
    [null, 'JOIN_NO_MATCH'],
    [WRONG, 'IBAN_CHECK_RANGE'],
    [null, 'IBAN_EMPTY'],
  ])
  expect(records.filter(({ verdict }) => verdict.kind === 'sendable')).toHaveLength(2)
  const told = records.map(({ findings }) => findings[0]?.message ?? '')
  expect(told[2]).toContain('Lines 5 and 6 of accounts.csv differ in iban.')
  expect(told[3]).toContain('It is customer_no, code, for iban of accounts.csv.')
  expect(told[6]).toMatch(/It is line 7 of accounts\.csv\.$/)
  expect(JSON.stringify([records.map(({ findings }) => findings), summary, opened])).not.toMatch(/DE\d{10}/)
  expect(opened.columns['iban']).toBe('IBAN of accounts.csv by {customer_no} and {code}')
  expect(summary.reading.joined).toMatchObject([{ name: 'accounts.csv', lines: 8 }])
  expect(summary.findings.map(({ rule }) => rule)).not.toContain('CROSSWALK_UNUSED_LINE')
})

it('keeps the parts of a key apart, and takes a key for what is in its cell', async () => {
  const table = file('Customer,Code,IBAN', `1,23,${iban(1)}`, `12,3,${iban(2)}`, ` 4 ,"A ",${iban(3)}`)
  const { records } = await readText(exportBy('1,23', '12,3', '4,A'), joining(fileOf(table)))
  expect(records.map(({ values }) => values.iban)).toEqual([iban(1), iban(2), iban(3)])
})

it('reads the sheet of a workbook, and the words and dates of any field', async () => {
  const cells = [
    ['Customer', 'Code', 'State', 'Signed', 'Account'],
    ['1', 'A', 'active', '31.12.2023', iban(1)],
    ['2', 'A', 'cancelled', '31.12.2023', WRONG],
  ]
  const sheets = { Notes: rowsOf([['no'], ['none']]), Accounts: rowsOf(cells) }
  const path = workbookOf({ sheets }, 'a.xlsx')
  const take = '{ iban: 5, status: State, last_collection_date: { column: Signed, format: dd.mm.yyyy } }'
  const yaml = joining(path, ', sheet: Accounts', take)
  const { records, summary } = await readText(exportBy('1,A', '2,A'), yaml)
  expect(records.map(({ verdict }) => verdict.kind)).toEqual(['invalid', 'excluded'])
  expect(records[0]?.findings[0]).toMatchObject({ field: 'last_collection_date' })
  const [, second] = records
  const found = second?.findings.find(({ field }) => field === 'iban')
  expect(found?.message).toContain('It is cell E3 of a.xlsx.')
  expect(rulesOf(summary)).not.toContain('FILE_DORMANCY_UNKNOWN')
  expect((await refusal(readText(exportBy('1,A'), joining(path)))).rule).toBe('FILE_SHEET_UNCLEAR')
})

it('gives the reference and the creditor, which say what mandate a row is', async () => {
  const [one, two] = [`1,A,${iban(1)},OLD-1,${CREDITOR}`, `2,A,${iban(2)},old-1,${CREDITOR}`]
  const table = file('Customer,Code,IBAN,Ref,CI', one, two)
  const take = '{ iban: IBAN, unique_mandate_reference: Ref, sepa_creditor_identifier: CI }'
  const own = file('customer_no,code,signed_date', '1,A,2024-03-01', '2,A,2024-03-01', '3,A,2024-03-01')
  const { records, opened } = await readText(own, joining(fileOf(table, 'mandates.csv'), '', take))
  expect(records.map(({ values, mandateKey }) => [values.mandateReference, mandateKey])).toEqual([
    ['OLD-1', 'DE|09999999999|OLD-1'],
    ['old-1', 'DE|09999999999|OLD-1'],
    [null, null],
  ])
  expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable', 'invalid'])
  expect(opened.columns['unique_mandate_reference']).toContain('Ref of mandates.csv by')
})

it('is read before a crosswalk compares the end of the account', async () => {
  const keys = fileOf(file('old,no,end', `1,11,${iban(1).slice(-4)}`, '2,12,9999'), 'customers.csv')
  const accounts = fileOf(file('Customer,Code,IBAN', `1,A,${iban(1)}`, `2,A,${iban(1)}`))
  const crossing = `crosswalk: { file: ${keys}, from: customer_no, key: old, customer_no: no, secondKey: { column: end, ibanEnd: true } }`
  const { records } = await readText(exportBy('1,A', '2,A'), `${crossing}\n${joining(accounts)}`)
  expect(records.map(({ values }) => values.customerNo)).toEqual([11, 12])
  expect(records.map(rulesOf)).toEqual([[], ['CROSSWALK_MISMATCH']])
})

describe('is refused', () => {
  it.each([
    ['a,b\n1,2\n', 'FILE_HEADER_MISSING', 1, 'the joined file has no column "Customer" for the key'],
    [`Customer,Code,IBAN\n1,A,${iban(1)},more\n`, 'ROW_FIELD_COUNT', 2, 'line 2 of the joined file'],
    ['Customer,Code,IBAN\n', 'FILE_EMPTY', null, 'the joined file has no lines'],
  ])('as %j: %s', async (text, rule, line, message) => {
    const reading = readText(exportBy('1,A'), joining(fileOf(text, 'accounts.csv')))
    const error = await refused(reading, { rule, line }, message)
    expect(error.message).not.toContain(iban(1))
  })

  it.each([
    [`columns: { iban: code }\n${joining('x')}`, 'gives iban twice: as a column and by a join'],
    [`${joining('x')}\n`.replace(']', `, ${joining('y').slice(7)}`), 'gives iban twice: by more than one'],
    [joining('x').replace('{ customer_no: Customer, code: Code }', '{}'), 'Name the columns of the export'],
    [joining('x', '', '{ customer_no: no }'), 'Unrecognized key: \\"customer_no'],
    [joining('x', '', '{ signed_date: { column: a, format: auto } }'), 'formats are iso'],
  ])('with the configuration %s', async (yaml, message) => {
    await expect((async () => readText(exportBy('1,A'), yaml))()).rejects.toThrow(message)
  })

  it('where its layout leaves out what may be a line', async () => {
    const reading = readText(exportBy('1,A'), joining(fileOf(TABLE), ', skipFooterLines: 1'))
    const error = await refused(reading, 'FILE_ROW_LEFT_OUT', 'join.skipFooterLines leaves out')
    expect(error.next).not.toContain('source.')
  })

  it('where its workbook has several sheets or hides rows, with what holds for each kind of file', async () => {
    const rows = rowsOf([
      ['Customer', 'Code', 'IBAN'],
      ['1', 'A', iban(1)],
    ])
    const hidden = workbookOf({ sheets: { Accounts: rows.replaceAll('<row>', '<row hidden="1">') } })
    for (const [path, own, list] of [
      [workbookOf({ sheets: { Accounts: rows, Old: rows } }), '"sheet" in its section', 'with that sheet'],
      [hidden, 'the section that names the file (source, crosswalk or join)', 'nothing is hidden'],
    ] as const)
      for (const read of [() => readText(exportBy('1,A'), joining(path)), () => openList(path, ['iban'])]) {
        const { next } = await refusal(read())
        expect(next).toContain(own)
        expect(next).toContain(list)
      }
  })

  it('where the export has no column of the key', async () => {
    const reading = readText(exportBy('1,A').replace('code', 'kind'), joining(fileOf(TABLE)))
    expect((await refusal(reading)).message).toContain('no column "code" for the key "code" of the join')
  })
})

it('a line that came in joined is refused where nothing joins it now, and a column has the usual name', async () => {
  const names = ['customer_no', 'iban', 'code']
  const mapped = { iban: 'IBAN of accounts.csv by {code}' }
  const earlier = () => [earlierRow(names, ['1', '', 'A'], { mapped })]
  const header = `${HEADER},iban,migration_row,migration_state`
  const text = file(header, `1,A,2024-03-01,${CREDITOR},M-0,${iban(9)},1,invalid`)
  expect((await refusal(readText(text, '', { ...CHECK, earlier }))).rule).toBe('FILE_CONFIGURATION_FORGOTTEN')
  const joined = await readText(text, joining(fileOf(TABLE)), { ...CHECK, earlier })
  expect(joined.records[0]?.values.iban).toBe(iban(1))
})

const SEED = Number(process.env['READING_SEED'] ?? 30)
const DRAWS = Number(process.env['READING_SEEDS'] ?? 100)
/** How many cells are empty is asked of a file alone. */
const UNASKED = { ...CHECK, severities: { FILE_COLUMN_UNDECIDED: 'warning' } } as const

it(`gives what one file with all columns gives (seed ${SEED}, ${DRAWS} draws)`, async () => {
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const { between, happens, pick, next } = seedChance(SEED * 1000 + draw)
    const rows = Array.from({ length: between(1, 6) }, (_, n) => ({
      key: `${between(1, 9)}${n},${pick(['A', 'giro', '007'])}`,
      own: `${pick(['2024-03-01', '2024-03-01', '', '1.2.24'])},M-${pick(['1', '2', 'ü', String(n)])}`,
      joined: `${happens(0.7) ? iban(between(0, 99)) : pick(['', WRONG, 'DE89 3704 0044 0532 0130 00'])},${pick([CREDITOR, CREDITOR, ''])},${n === 0 ? 'active' : pick(['active', '', 'cancelled', 'perhaps'])}`,
    }))
    const names = 'iban,sepa_creditor_identifier,status'
    const own = 'customer_no,code,signed_date,unique_mandate_reference'
    const whole = file(`${own},${names}`, ...rows.map(({ key, own, joined }) => `${key},${own},${joined}`))
    const lines = [...rows, ...rows.filter(() => happens(0.2))].map(({ key, joined }) => `${key},${joined}`)
    const shuffled = lines.map((line) => [next(), line] as const).toSorted(([a], [b]) => a - b)
    const second = file(`Customer,Code,${names}`, ...shuffled.map(([, line]) => line))
    const take = '{ iban: iban, sepa_creditor_identifier: sepa_creditor_identifier, status: status }'
    const split = file(own, ...rows.map(({ key, own }) => `${key},${own}`))
    const said = async (...given: Parameters<typeof readText>) =>
      (await readText(...given)).records.map(({ verdict, values, mandateKey, ...record }) => [
        verdict,
        values,
        mandateKey,
        rulesOf(record),
      ])
    const [two, one] = [await said(split, joining(fileOf(second), '', take)), await said(whole, '', UNASKED)]
    expect(two, `draw ${draw}`).toEqual(one)
  }
}, 600_000)

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

const customersIn = ({ records }: Awaited<ReturnType<typeof read>>) =>
  records.map(({ values, findings }) => [values.customerNo, ...findings.map(({ rule }) => rule)])

describe('a crosswalk', () => {
  test('gives each old key its customer, leading zeros and text included', async () => {
    const source = await read('old,customer_no\n007,11\n7,12\nK/9,13\n', ['007', '7', 'K/9'])
    expect(customersIn(source)).toEqual([[11], [12], [13]])
    expect(source.records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
    expect(source.opened.columns).toMatchObject({ customer_no: 'User-Id' })
    expect(source.summary.reading['crosswalk']).toMatchObject({ lines: 3 })
  })

  test('reports keys without a line, without a value, and with several customers', async () => {
    // A key that looks like a customer number is none.
    const source = await read('old,customer_no\na,11\nb,12\nb,13\n,14\n', ['a', 'b', '4711', ''])
    expect(customersIn(source).join()).toBe('11,,CROSSWALK_AMBIGUOUS,,CROSSWALK_NO_MATCH,,CROSSWALK_NO_MATCH')
    expect(source.records.filter(({ verdict }) => verdict.kind === 'sendable')).toHaveLength(1)
    expect(source.records[1]?.findings[0]).toMatchObject({ field: 'customer_no', value: 'b' })
  })

  const byEnd = ', secondKey: { column: end, ibanEnd: true }'
  test('passes its customer numbers through the checks of every customer number', async () => {
    const source = await read('old,customer_no\na,K-1\nb,\nc,0012\n', ['a', 'b', 'c'])
    expect(customersIn(source).join()).toBe(',CUST_FORMAT,,CUST_EMPTY,12,CUST_LEADING_ZERO')
  })

  const byName = ', secondKey: { column: end, from: name }'
  test.each([
    ['the end of the IBAN', '30 00', '9999', byEnd],
    ['a name, compared folded', 'PERSON-1', 'Person 9', byName],
  ])('guards against shifted lines by %s', async (_, right, wrong, more) => {
    const text = `old,customer_no,end\na,11,${right}\nb,12,${wrong}\nc,13,\n`
    const source = await read(text, ['a', 'b', 'c'], more)
    expect(customersIn(source)).toEqual([[11], [12, 'CROSSWALK_MISMATCH'], [13]])
    expect(source.records[1]?.verdict.kind).toBe('invalid')
  })

  test.each([
    ['the customer', 'old,customer_no\na,11\nb,1', ''],
    ['its key', 'customer_no,old\n11,a\n12,b', ''],
    ['the second key', 'old,customer_no,end\na,11,\nb,12,0', byEnd],
    ['another second key', 'old,customer_no,end\na,11,3000\nb,12,9999\nb,12,0', byEnd],
  ])(
    'holds rows of its last line where that has no line end, so that %s may be cut',
    async (_, text, more) => {
      const source = await read(text, ['a', 'b'], more)
      expect(customersIn(source)).toEqual([[11], [null, 'CROSSWALK_NO_MATCH']])
      const [{ message, remedy } = { message: '', remedy: '' }] = source.records[1]?.findings ?? []
      expect(message).toContain('has no line end, so it may be cut: complete it')
      expect(remedy).toContain('end its last line with a line break')
      expect(customersIn(await read(`${text}\n`, ['a'], more))).toEqual([[11]])
    },
  )

  test('is whole where the text ends in a column that nothing is taken from, or repeats a line', async () => {
    for (const text of ['old,customer_no,town\na,11,X\nb,12,Y', 'old,customer_no\na,11\nb,12\nb,12'])
      expect(customersIn(await read(text, ['a', 'b']))).toEqual([[11], [12]])
  })

  test('may list a customer once per account', async () => {
    const source = await read('old,customer_no,end\na,11,9999\na,11,3000\n', ['a'], byEnd)
    expect(customersIn(source)).toEqual([[11]])
    expect(source.summary.findings.map(({ rule }) => rule)).not.toContain('CROSSWALK_DUPLICATE_LINE')
  })
})

test('references that all are the old key are suspicious', async () => {
  const source = await read('old,customer_no\nM-1,11\nM-2,12\n', ['M-1', 'M-2'])
  expect(source.summary.findings.map(({ rule }) => rule)).toContain('FILE_UMR_EQUALS_CUSTOMER')
})

describe('a crosswalk that cannot be trusted', () => {
  test('is refused by its own name, with the line', async () => {
    const reading = read('old,customer_no\na,11\nb,12,13\n', ['a'])
    const { source } = await refused(reading, { rule: 'ROW_FIELD_COUNT', line: 3 })
    expect(source).toContain('customers.csv')
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

test.each([
  ['crosswalk', 'customer_no', 'crosswalk: { file: FILE, from: User-Id, key: old, hidden: read }'],
  [
    'joined file',
    'status',
    'columns: { customer_no: User-Id }\njoin: [{ file: FILE, on: { User-Id: old }, take: { status: status }, hidden: read }]',
  ],
])(
  'what a person does not see of a %s and is read all the same is told with its name',
  async (_, name, yaml) => {
    const cells = [['old', name], ...['1', '2'].map((key) => [key, name === 'status' ? 'active' : key])]
    const rows = rowsOf(cells).replace(/(.*)<row>/s, '$1<row hidden="1">')
    const path = workbookOf({ sheets: { Numbers: rows } }, 'numbers.xlsx')
    const { records, summary } = await readText(exportWith('2'), yaml.replace('FILE', path))
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable'])
    expect(summary.findings.filter(({ rule }) => rule === 'FILE_HIDDEN')).toMatchObject([
      {
        severity: 'warning',
        message: expect.stringMatching(/ In numbers\.xlsx: It has 1 row hidden/) as string,
      },
    ])
  },
)

test('a shared crosswalk counts what is used over several files, and leaves its findings to the caller', async () => {
  const options = crossing(fileOf('old,customer_no\na,1\nb,2\nc,3\nd,4\n'))
  const second = await loadSecondFiles(options)
  for (const key of ['a', 'b']) {
    const { summary } = await readAll(fileOf(exportWith(key)), options, { ...CHECK, second })
    expect(summary.findings.map(({ rule }) => rule)).not.toContain('CROSSWALK_UNUSED_LINE')
  }
  expect(second[0]!.findings({})).toMatchObject([{ rule: 'CROSSWALK_UNUSED_LINE', value: 'c, d' }])
})

/** Columns of a joined file or a crosswalk that nothing uses are asked about as those of the export are. */

const ROWS = 23
const [customer, account, ...mandate] = OWN
const first = (rows: number, text: string, others: string) => (n: number) => (n <= rows ? text : others)
const JOINED: Column = ['Mandate status', first(2, 'cancelled', 'active')]
const ENDED: Column = ['left on', first(1, '2025-12-31', '')]

const accountsOf = (path: string, more = '') =>
  `join: [{ file: ${path}, on: { customer_no: customer_no }, take: { iban: IBAN${more} } }]`
const joined = (...columns: readonly Column[]) => csv(ROWS, [customer, account, ...columns])
const crosswalk = (...columns: readonly Column[]) =>
  csv(ROWS, [['old', (n) => `D${n}`], ['no', (n) => `${n}`], ...columns])
const membersOf = (path: string) => `crosswalk: { file: ${path}, from: Member, key: old, customer_no: no }`

const withoutAccount = () => csv(ROWS, [customer, ...mandate])
const ofMembers = () => csv(ROWS, [['Member', (n) => `D${n}`], account, ...mandate])

const kindsOf = async (path: string, yaml: string): Promise<Record<string, number>> => {
  const { records } = await readAll(path, optionsOf(yaml))
  const kinds = records.map(({ verdict }) => verdict.kind)
  const kindOf = (kind: string) => [kind, kinds.filter((one) => one === kind).length] as const
  return Object.fromEntries([...new Set(kinds)].map(kindOf))
}

describe('a column of a joined file that nothing uses', () => {
  it.each([
    ['words', JOINED],
    ['dates', ['Mandate cancelled on', first(2, '2026-01-31', '')]],
    ['a mark in few rows', ['LOEVM', first(1, 'X', '')]],
    ['a mark of activity', ['Mandat aktiv', first(20, 'x', '')]],
    ['a remark', ['Note', first(1, 'Falk (gekündigt)', 'Falk')]],
  ] as const satisfies readonly (readonly [string, Column])[])('refuses the file: %s', async (_, column) => {
    const path = joined(column)
    const asked = await askedAbout(withoutAccount(), accountsOf(path))
    expect(Object.keys(asked)).toEqual([column[0]])
    expect(asked[column[0]]).toContain(`Column "${column[0]}" of export.csv, the joined file, `)
    expect(asked[column[0]]).toContain(`--ignore-column "${column[0]}"`)
    await expect(readAll(withoutAccount(), optionsOf(accountsOf(path)))).rejects.toMatchObject({
      rule: 'FILE_COLUMN_UNDECIDED',
      exitCode: 7,
    })
  })

  it('is answered by each way that the question names', async () => {
    const path = joined(JOINED)
    const [asked] = Object.values(await askedAbout(withoutAccount(), accountsOf(path)))
    expect(asked).toContain('active 21 go. To use it: take: { status: "Mandate status" }')
    const used = await kindsOf(withoutAccount(), accountsOf(path, ', status: Mandate status'))
    expect(used).toEqual({ excluded: 2, sendable: 21 })
    for (const answer of ['columns: { status: none }', 'source: { ignoreColumns: [mandate status] }'])
      expect(await kindsOf(withoutAccount(), `${accountsOf(path)}\n${answer}`)).toEqual({ sendable: 23 })
  })

  it('holds each row that has a date, where dates are taken as a status', async () => {
    const path = joined(ENDED)
    const used = await kindsOf(withoutAccount(), accountsOf(path, ', status: left on'))
    expect(used).toEqual({ conflict: 1, sendable: 22 })
  })

  it('is asked about once, where the file is joined twice and the second time takes it', async () => {
    const path = joined(JOINED, ENDED)
    const twice = `join: [
      { file: ${path}, on: { customer_no: customer_no }, take: { iban: IBAN } },
      { file: ${path}, on: { customer_no: customer_no }, take: { status: Mandate status } }]`
    expect(Object.keys(await askedAbout(withoutAccount(), twice))).toEqual(['left on'])
  })
})

describe('a column of a crosswalk that nothing uses', () => {
  it('refuses the file, and is joined to be used', async () => {
    const path = crosswalk(ENDED)
    const [asked] = Object.values(await askedAbout(ofMembers(), membersOf(path)))
    expect(asked).toContain('Column "left on" of export.csv, the crosswalk, ')
    expect(asked).toContain('with a date 1 will not be migrated')
    const join = `join: [{ file: ${path}, on: { Member: old }, take: { status: "left on" } }]`
    expect(asked).toContain('join: [{ file: …, on: { … }, take: { status: "left on" } }]')
    expect(await kindsOf(ofMembers(), `${membersOf(path)}\n${join}`)).toEqual({ conflict: 1, sendable: 22 })
  })

  it('asks about its accounts, until one is named', async () => {
    const yaml = membersOf(crosswalk(['Bank account', (n) => germanIban(n + 500)]))
    expect(Object.keys(await askedAbout(ofMembers(), yaml))).toEqual(['Bank account'])
    expect(await askedAbout(ofMembers(), `${yaml}\ncolumns: { iban: IBAN }`)).toEqual({})
  })

  it('asks nothing about names, addresses, marks that all have and columns in use', async () => {
    const path = crosswalk(
      ['Name', (n) => `Person ${n}`],
      ['Ort', first(2, 'Neudorf', 'Altheim')],
      ['E-Mail', (n) => `p${n}@example.com`],
      ['Eintritt', (n) => `2019-03-${10 + (n % 9)}`],
      ['aktiv', () => 'x'],
    )
    expect(await askedAbout(ofMembers(), membersOf(path))).toEqual({})
  })
})
