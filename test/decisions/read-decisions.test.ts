import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import Papa from 'papaparse'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { writeReport } from '../../src/report/pack/pack.js'
import { readDecision, readDecisions } from '../../src/decisions/read-decisions.js'
import { compareWith, resolutionOf, running, send } from '../ledger/campaign-setup.js'
import { inDoubt, refused } from '../ledger/outcomes.js'
import { OTHER_IBAN } from '../ledger/records.js'

type Line = Record<string, string>

/** Rows 1 to 3 in doubt, with references 0012, 0013, 0014 and customers 1001 to 1003; row 4 refused, 5 invalid. */
async function campaign() {
  const ledger = running(
    [1, 2, 3, 4, 5].map((n) => ({
      ...{ reference: `00${11 + n}`, customerNo: 1000 + n },
      verdict: n === 5 ? 'invalid' : 'sendable',
    })),
  )
  for (const outcome of [inDoubt(), inDoubt(), inDoubt(), refused()]) await send(ledger, outcome)
  const folder = dirname(ledger.file)
  return {
    ledger,
    reader: ledger.view,
    /** The file of the pack as a spreadsheet shows it. */
    lines: async (name = 'in-doubt.csv'): Promise<Line[]> => {
      await writeReport(ledger.view, { out: join(folder, 'pack') })
      const text = readFileSync(join(folder, 'pack', 'to-do', name), 'utf8')
      return Papa.parse<Line>(text.replace(/^\uFEFF/, ''), { header: true, skipEmptyLines: true }).data
    },
    /** Saves the lines and reads the decisions in them. */
    read: async (lines: readonly Line[], delimiter = ',') => {
      const file = join(folder, 'in-doubt.csv')
      writeFileSync(file, stringify([...lines], { header: true, delimiter }))
      return (await readDecisions(ledger.view, file, 'Ada')).resolutions
    },
  }
}

async function expectRefused(reading: Promise<unknown>, message: string): Promise<void> {
  await expect(reading).rejects.toThrow(UsageError)
  await expect(reading).rejects.toThrow(message)
}

const decided = (decision: string, change: Line = {}): Line => ({
  migration_decision: decision,
  migration_reason: 'the service said so',
  ...change,
})

/** The lines with one more decision in the nth. */
const decide = (lines: readonly Line[], nth: number, decision: Line): Line[] =>
  lines.map((line, index) => (index === nth ? { ...line, ...decision } : line))

it('the word "send" of corrections.csv is left to run, and hides no decision beside it', async () => {
  const { lines, read } = await campaign()
  const [line] = await lines('corrections.csv')
  const refusedLine = (await lines('refused.csv'))[0]!
  const both = [line, refusedLine].map((each, at) => ({
    ...each,
    ...decided(at === 0 ? 'send' : 'written-off'),
  }))
  expect(await read(both)).toMatchObject([{ rowId: 4, decision: 'written_off' }])
  await expect(read([both[0]!])).rejects.toThrow('no decision but "send" (1 line), which is a word for run')
})

describe('a decision', () => {
  it.each([
    ['registered', 'registered'],
    ['refused', 'refused'],
    ['resend', 'resend'],
    ['written-off', 'written_off'],
    ['written_off', 'written_off'],
    [' Resend ', 'resend'],
  ])('"%s" is read', (text, expected) => {
    expect(readDecision(text)).toBe(expected)
  })

  it.each(['', 'yes', 'resent', 'constructor'])('"%s" is refused', (text) => {
    expect(() => readDecision(text)).toThrow(UsageError)
  })
})

describe('the filled-in file', () => {
  it('gives each decision with its person, its reason and the file as evidence; the others stay open', async () => {
    const { lines, read, ledger } = await campaign()
    const identity = {
      migration_by: 'Grace',
      migration_assigned_creditor_identifier: 'DE79ZZZ01234567890',
      migration_assigned_mandate_reference: 'NEW-7',
    }
    const one = decide(await lines(), 1, decided('registered', identity))
    const decisions = await read(decide(one, 2, decided(' Resend ')))
    const text = readFileSync(join(dirname(ledger.file), 'in-doubt.csv'))
    const evidence = `in-doubt.csv (SHA-256 ${createHash('sha256').update(text).digest('hex')})`
    const common = { reason: 'the service said so', isOfCutOver: false, evidence, attempt: 1 }
    const assigned = { creditorIdentifier: 'DE79ZZZ01234567890', mandateReference: 'NEW-7' }
    const at = (line: number): string => `line ${line}, column migration_decision`
    expect(decisions).toEqual([
      { ...common, rowId: 2, decision: 'registered', by: 'Grace', assigned, at: at(3) },
      { ...common, rowId: 3, decision: 'resend', by: 'Ada', assigned: null, at: at(4) },
    ])
  })

  const UNREADABLE = 'cannot read the number of the row or of its attempt'

  it.each<[string, Line, string]>([
    ['with a decision that is none', decided('maybe'), '"maybe" is not a decision'],
    [
      'with a decision without a reason',
      decided('refused', { migration_reason: '' }),
      'line 2, column migration_reason: there is no reason',
    ],
    ['with a row number that was changed', decided('refused', { migration_row: '1a' }), UNREADABLE],
    ['with no row number', decided('refused', { migration_row: '' }), UNREADABLE],
    ['with an attempt that was changed', decided('refused', { migration_attempt: 'x' }), UNREADABLE],
    ['that resends without its attempt', decided('resend', { migration_attempt: '' }), UNREADABLE],
  ])('%s is refused as a whole', async (_name, change, message) => {
    const { lines, read } = await campaign()
    const filled = decide(await lines(), 0, change)
    await expectRefused(read(decide(filled, 1, decided('refused'))), message)
  })

  it('without any decision leaves every row open', async () => {
    const { lines, read } = await campaign()
    expect(await read(await lines())).toEqual([])
  })
})

describe('a line must be the row that it names', () => {
  const OTHER_LEDGER =
    'column migration_ledger: the line is of another ledger, of none, or of before an older copy was adopted'

  it('refuses the whole file when migration_row was sorted apart from the other columns', async () => {
    const { lines, read } = await campaign()
    const sorted = await lines()
    const numbers = sorted.map((line) => line['migration_row'] ?? '').reverse()
    const apart = sorted.map((line, index) => ({ ...line, migration_row: numbers[index] ?? '' }))
    await expectRefused(
      read(decide(apart, 1, decided('resend'))),
      'line 2, column "customer_no": row 3 has "1003", the line has "1001" (customer 1003, reference 0014); ' +
        'line 2, column "unique_mandate_reference": row 3 has "0014", the line has "0012"',
    )
  })

  it('refuses the file of another ledger, whose rows have the same numbers and the same mandates', async () => {
    const one = await campaign()
    const other = await campaign()
    await expectRefused(
      other.read(decide(await one.lines(), 0, decided('resend'))),
      `line 2, ${OTHER_LEDGER}`,
    )
  })

  const OTHER_REFERENCE = 'column "unique_mandate_reference": '
  // Undefined: the file has no such column.
  it.each<[string, Readonly<Record<string, string | undefined>>, string]>([
    ['whose ledger was cleared', { migration_ledger: '' }, OTHER_LEDGER],
    ['without that column', { migration_ledger: undefined }, 'column migration_ledger: the file has no such'],
    [
      'without a reference',
      { unique_mandate_reference: undefined },
      `${OTHER_REFERENCE}the file has no such`,
    ],
    [
      'with a reference that a spreadsheet rounded',
      { unique_mandate_reference: '1.2E+15' },
      `${OTHER_REFERENCE}row 1 has "0012", the line has "1.2E+15"`,
    ],
    [
      'with another creditor',
      { sepa_creditor_identifier: 'DE79ZZZ01234567890' },
      'column "sepa_creditor_identifier": row 1 has',
    ],
    [
      'of a row which is not there',
      { migration_row: '99' },
      'line 2, column migration_row: there is no row 99',
    ],
  ])('refuses a file %s, also in a line without a decision', async (_name, change, message) => {
    const { lines, read } = await campaign()
    const isGone = Object.values(change).includes(undefined)
    const changed = (await lines()).map((line, at) => (at === 0 || isGone ? { ...line, ...change } : line))
    const filled = changed.map((line, at) => ({ ...line, ...(at === 1 ? decided('resend') : {}) }))
    const kept = filled.map((line) => JSON.parse(JSON.stringify(line)) as Line)
    await expect(read(kept)).rejects.toThrow(message)
  })

  it.each<[string, Line]>([
    ['zeros in front lost', { unique_mandate_reference: '12' }],
    ['numbers with a decimal', { customer_no: '1001.0', migration_row: '1.0' }],
    ['numbers with a decimal comma', { customer_no: '1001,00', migration_attempt: '1,0' }],
    ['blanks around', { customer_no: ' 1001\u00A0', migration_row: ' 1 ' }],
    ['an apostrophe in front', { customer_no: "'1001", migration_row: "'1" }],
    ['quotes around', { unique_mandate_reference: '"0012"' }],
    ['a text marker', { unique_mandate_reference: '="0012"', migration_row: '="1"' }],
    ['zeros put in front', { migration_row: '0001' }],
    ['an account in blocks', { iban: 'de89 3704 0044 0532 0130 00' }],
    ['a masked account', { iban: 'DE…3000' }],
    ['a hidden account', { iban: '########' }],
    ['no account', { iban: '' }],
    ['a date of a spreadsheet', { signed_date: '31.01.20' }],
    ['a date as its number', { signed_date: '43861' }],
    ['a date with a time', { signed_date: '2020-01-31 00:00:00' }],
    ['a date that cannot be read', { signed_date: '31st of January' }],
  ])('reads a line as a spreadsheet leaves it: %s', async (_name, change) => {
    const { lines, read } = await campaign()
    const [first, ...others] = await lines()
    const filled = [...others, { ...first!, ...change, ...decided('resend') }]
    expect(await read(filled, ';')).toMatchObject([{ rowId: 1, decision: 'resend', attempt: 1 }])
  })

  it.each<[string, Line, string]>([
    ['another account', { iban: OTHER_IBAN }, '"iban": row 1 has "DE…3000", the line has "NL…4300"'],
    [
      'an account with a slip',
      { iban: 'DE89370400440532013001' },
      '"iban": row 1 has "DE…3000", the line has "DE',
    ],
    ['another masked account', { iban: 'DE…4000' }, '"iban": row 1 has "DE…3000", the line has "DE…4000"'],
    [
      'an account that ends alike',
      { iban: 'DE00370400440532013000' },
      '"iban": row 1 has "DE…3000", the line has another account that ends alike',
    ],
    [
      'another date',
      { signed_date: '24.12.2024' },
      '"signed_date": row 1 has "2020-01-31", the line has "24.12.2024"',
    ],
  ])('refuses a decision beside %s, which would not be sent', async (_name, change, message) => {
    const { lines, read } = await campaign()
    const error: unknown = await read(decide(await lines(), 0, decided('resend', change))).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(UsageError)
    const text = (error as UsageError).message
    expect(text).toContain(`line 2, column ${message}`)
    expect(text).not.toMatch(/[0-9]{9}/)
  })

  it('refuses to close a row beside its correction', async () => {
    const { lines, read } = await campaign()
    const closed = decide(await lines('refused.csv'), 0, decided('written-off', { iban: OTHER_IBAN }))
    await expect(read(closed)).rejects.toThrow('column "iban": row 4 has')
  })

  it('refuses a file that has a column for decisions twice', async () => {
    const { lines, ledger, reader } = await campaign()
    const [first] = await lines()
    const file = join(dirname(ledger.file), 'twice.csv')
    const names = [...Object.keys(first!), 'Migration_Decision']
    writeFileSync(file, stringify([names, [...Object.values(first!), 'resend']]))
    await expect(readDecisions(reader, file, 'Ada')).rejects.toThrow('the column "migration_decision" twice')
  })
})

it('a list says nothing that was decided of the same attempt meanwhile, in whatever words', async () => {
  const { ledger, lines, read } = await campaign()
  const assigned = { creditorIdentifier: 'SE97ZZZ1234567890', mandateReference: 'NEW-1' }
  const typed = (mandateReference: string): Line =>
    decided('registered', {
      migration_assigned_creditor_identifier: assigned.creditorIdentifier,
      migration_assigned_mandate_reference: mandateReference,
    })
  const list = decide(await lines(), 1, decided('written-off'))
  const told = { rowId: 1, decision: 'registered', by: 'Bea', reason: 'it is shown', evidence: null } as const
  ledger.resolve([{ ...told, attempt: 1, assigned }], { dryRun: false })
  expect(await read(decide(list, 0, typed('NEW-1')))).toMatchObject([{ rowId: 2 }])
  expect(await read(decide(list, 0, typed('NEW-2')))).toMatchObject([{ rowId: 1 }, { rowId: 2 }])
})

it('the line of the cut-over of a row that was written off in doubt is closed by done alone', async () => {
  const { ledger, lines, read } = await campaign()
  compareWith(ledger, [])
  ledger.resolve([resolutionOf(1, 'written_off')], { dryRun: false })
  const [line] = await lines('cut-over.csv')
  const look = 'the row is written off; look whether the service holds the mandate, then write done'
  await expectRefused(read([{ ...line, ...decided('written-off') }]), look)
  expect(await read([{ ...line, ...decided('done') }])).toMatchObject([{ rowId: 1, isOfCutOver: true }])
})

it.each([
  ['refused.csv', 4],
  ['corrections.csv', 5],
])('files of rows that are not in doubt close them, read from %s', async (name, rowId) => {
  const { lines, read } = await campaign()
  expect(await read(decide(await lines(name), 0, decided('written-off')))).toMatchObject([
    { rowId, decision: 'written_off', reason: 'the service said so' },
  ])
})
