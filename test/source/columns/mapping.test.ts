import { describe, expect, test, it } from 'vitest'
import { REQUIRED_FIELDS, PAYER_FIELDS } from '../../../src/domain/mandate/mandate.js'
import { readHeader } from '../../../src/source/columns/header.js'
import { excludeBy, isUsualName } from '../../../src/source/columns/mapping.js'
import type { ExcludeOptions } from '../../../src/source/options.js'
import { UsageError } from '../../../src/errors.js'
import { CHECK, exportOf, optionsOf, readAll, refusal } from '../../support/sources.js'
import { draftOf, kindsIn, readText, refused, rulesOf } from '../reading.js'
import { csv, OWN, type Column } from '../../support/columns.js'

const renamed = (header: string): string => exportOf(3).replace(/^.*\n/, `${header}\n`)

describe('columns by their usual names', () => {
  const SHORT = 'customer_no,iban,signed_date,CI,UMR'
  const REPEATED = `${SHORT},ci`
  const MOST = 'customer_no: customer_no, iban: iban, signed_date: signed_date, unique_mandate_reference: UMR'
  test.each([
    // An old key is never the customer number of the service.
    ...['Customer No.', 'customerNo', 'Kundennummer', 'customer number'].map((name) => {
      const text = exportOf(3).replace('customer_no', name)
      return [text, '', 'FILE_HEADER_MISSING', 'no column for customer_no'] as const
    }),
    [renamed(`${SHORT},Mandatsreferenz`), '', 'FILE_HEADER_AMBIGUOUS', '"UMR" and "Mandatsreferenz"'],
    [renamed(`${SHORT},I.B.A.N.`), '', 'FILE_HEADER_DUPLICATE', '"iban" occurs 2 times (columns 2 and 6)'],
    [exportOf(1), 'columns: { iban: Konto }', 'FILE_HEADER_MISSING', 'no column "Konto" for iban'],
    [exportOf(1), 'columns: { unique_mandate_reference: customer_no }', 'FILE_HEADER_AMBIGUOUS', ''],
    [renamed(REPEATED), `columns: { ${MOST}, sepa_creditor_identifier: CI }`, 'FILE_HEADER_DUPLICATE', ''],
    [renamed(`${REPEATED},ci`), 'source: { ignoreColumns: [4] }', 'FILE_HEADER_DUPLICATE', ''],
    [
      renamed(`${SHORT},Kind,kind`),
      'exclude: [{ column: Kind, equals: [x], reason: over }]',
      'FILE_HEADER_DUPLICATE',
      '"Kind" occurs 2 times (columns 6 and 7)',
    ],
    [renamed(`${SHORT},Name,name`), '', 'FILE_HEADER_DUPLICATE', ''],
    [renamed(`${SHORT},Status,status`), 'columns: { iban: 2 }', 'FILE_HEADER_DUPLICATE', ''],
  ] as const)('%j with "%s" is refused: %s', async (text, yaml, rule, problem) => {
    await refused(readText(text, yaml), { rule, line: 1 }, problem)
  })

  test.each([
    [REPEATED, `columns: { ${MOST}, sepa_creditor_identifier: 4 }`],
    [REPEATED, 'columns: { sepa_creditor_identifier: 4 }'],
    [REPEATED, 'columns: { sepa_creditor_identifier: 6 }'],
    [`${SHORT},Ort,ort`, ''],
    [`${SHORT},Status,status`, 'columns: { status: 6 }'],
    [`${SHORT},Kind,kind`, 'exclude: [{ column: 6, equals: [x], reason: over }]'],
  ])('equal names are tolerated where nothing is looked up by them: %s with "%s"', async (header, yaml) => {
    const rows = exportOf(3)
      .split('\n')
      .slice(1, -1)
      .map((row) => row.split(',').slice(0, 5))
    const more = (cells: readonly string[]) => (header === REPEATED ? [cells[3]] : ['', ''])
    const text = [header, ...rows.map((cells) => [...cells, ...more(cells)].join())].join('\n')
    const { records } = await readText(`${text}\n`, yaml)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable', 'sendable'])
  })

  test('everything that is missing is said at once, with the names that are there', async () => {
    const error = await refusal(readText('Name,Ort\na,b\n'))
    for (const field of REQUIRED_FIELDS) expect(error.message).toContain(`no column for ${field}`)
    expect(error.message).toContain('its header has "Name", "Ort"')
    expect(error.next).toContain('(sepa-migrate init FILE drafts a configuration)')
  })

  test.each([
    ['migration_row,customer_no,iban_masked,migration_decision', /list to decide in.*resolve --from FILE/],
    ['migration_row,customer_no,migration_decision', /^It is a list of this program: .*--config/],
    ['source,record,line,column,rule,severity,value,message,remedy', /list to read.*to-do\.xlsx/],
  ])(
    'a list of this program from which no run can read mandates says what takes it: %s',
    async (header, next) => {
      const error = await refusal(readText(`${header}\n${header.replaceAll(/[a-z_]+/g, '1')}\n`))
      expect(error.next).toMatch(next)
    },
  )

  test('a file without a header is refused, not read without its first record', async () => {
    const rows = exportOf(3).split('\n').slice(1).join('\n')
    const byPosition = `columns: { ${REQUIRED_FIELDS.map((field, at) => `${field}: ${at + 1}`).join(', ')} }`
    const damaged = rows.replace('DE89370400440532013000', 'unknown')
    for (const given of [readText(rows), readText(rows, byPosition), readText(damaged, byPosition)]) {
      const { message } = await refused(given, 'FILE_HEADER_MISSING', 'values where column names should be')
      expect(message).not.toContain('0532')
    }
  })
})

describe('columns by configuration', () => {
  test('a configured column wins over the usual names', async () => {
    const { opened, records } = await readText(
      renamed('customer_no,iban,signed_date,CI,UMR,Vertrag'),
      'columns: { unique_mandate_reference: Vertrag }',
    )
    expect(opened.columns['unique_mandate_reference']).toBe('Vertrag')
    expect(records[0]?.findings.map(({ rule }) => rule)).toEqual(['UMR_SPACE'])
  })

  test('the first of several candidates that the file has is used', async () => {
    const { opened } = await readText(exportOf(1), 'columns: { iban: [Konto, IBAN, name] }')
    expect(opened.columns['iban']).toBe('iban')
  })

  test('a column by position needs no name', async () => {
    const text = renamed('customer_no,iban,signed_date,CI,,UMR2')
    const { opened, records } = await readText(text, 'columns: { unique_mandate_reference: 5 }')
    expect(opened.columns['unique_mandate_reference']).toBe('')
    expect(records[0]?.values.mandateReference).toBe('M-1')
  })

  test('a constant creditor identifier stands in for a column, and fills its empty cells', async () => {
    const constant = 'columns: { sepa_creditor_identifier: { constant: DE98ZZZ09999999999 } }'
    const without = exportOf(2).replaceAll(',DE98ZZZ09999999999', '').replace('sepa_creditor_identifier,', '')
    const { opened, records } = await readText(without, constant)
    expect(opened.columns).not.toHaveProperty('sepa_creditor_identifier')
    const read = records.map(({ values }) => values.creditorIdentifier)
    expect(read).toEqual(Array(2).fill('DE98ZZZ09999999999'))
    const partly = exportOf(2).replace(',DE98ZZZ09999999999', ',')
    expect(await kindsIn(partly, constant)).toEqual(['sendable', 'sendable'])
  })

  test('customer_no by column and by crosswalk at once is a configuration error', async () => {
    const both = 'columns: { customer_no: customer_no }\ncrosswalk: { file: x.csv, from: name, key: k }'
    await expect(readText(exportOf(1), both)).rejects.toThrow(UsageError)
  })
})

test('transforms are made in their order, before the checks', async () => {
  const text = exportOf(2).replace('\n1,', '\nKD-7,').replace('\n2,', '\n kd-8 ,').replace(',M-1,', ',m-1,')
  const { records } = await readText(
    text,
    `columns:
      customer_no: { column: customer_no, transform: [trim, upperCase, stripPrefix: KD-, padLeft: { length: 3, with: "1" }] }
      unique_mandate_reference: { column: unique_mandate_reference, transform: [upperCase] }`,
  )
  expect(records.map(({ values }) => values.customerNo)).toEqual([117, 118])
  expect(records[0]?.values.mandateReference).toBe('M-1')
  expect(records[0]?.cells[0]).toBe('KD-7')
})

describe('optional columns', () => {
  test('are checked when they are there', async () => {
    const text = [
      'customer_no,iban,signed_date,CI,UMR,FirmenMandat,last_debit_date',
      '1,DE89370400440532013000,2019-01-01,DE98ZZZ09999999999,M-1,nein,2026-05-01',
      '2,DE89370400440532013000,2019-01-01,DE98ZZZ09999999999,M-2,ja,2020-05-01',
      '',
    ].join('\n')
    const { records, opened } = await readText(text)
    expect(opened.columns).toMatchObject({ scheme: 'FirmenMandat', last_collection_date: 'last_debit_date' })
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'excluded'])
    expect(records[1]?.findings.map(({ rule }) => rule)).toEqual(['MANDATE_DORMANT', 'SCHEME_B2B'])
    expect(records[0]?.latestFirstDebit).toBe('2029-05-01')
  })

  test('a warning about a creditor is told once per distinct value, an error with every row', async () => {
    const polish = exportOf(4).replaceAll(/,[A-Z]{2}[0-9]{2}ZZZ[0-9A-Z]+,/g, ',PL18ZZZ00123456789,')
    const text = polish.replace('PL18ZZZ00123456789,M-3', 'PL18ZZZ0012345678(,M-3')
    const told = async (severities: typeof CHECK.severities): Promise<number[]> => {
      const { records } = await readText(text, '', { ...CHECK, severities })
      return records.map((one) => rulesOf(one).filter((rule) => rule === 'CI_LENGTH_UNCONFIRMED').length)
    }
    expect(await told({})).toEqual([1, 0, 1, 0])
    expect(await told({ CI_LENGTH_UNCONFIRMED: 'error' })).toEqual([1, 1, 1, 1])
  })
})

const EXCLUDED = readHeader(['customer', 'State of affairs', 'left on'])

const findings = (rule: ExcludeOptions[number], cell: string, column = 1) => {
  const cells = ['17', '', '']
  cells[column] = cell
  return excludeBy(EXCLUDED, [rule], {})(cells)
}

describe('an exclude rule by words', () => {
  const rule = { column: 'state_of_affairs', equals: ['gekündigt', 'X-1', '0'], reason: 'They left' }

  test.each(['gekündigt', ' GEKÜNDIGT ', 'gekündigt zum 31.12.2025', 'Gekündigt (2025)', 'x1', '0'])(
    'keeps %j back, with its reason',
    (cell) => {
      const finding = { rule: 'EXCLUDED_BY_CONFIGURATION', message: 'They left', value: cell.trim() }
      expect(findings(rule, cell)).toMatchObject([finding])
    },
  )

  test.each(['', '-', 'ungekündigt', '10', '1', 'ja', 'läuft', 'aktiv seit 31.12.2025'])(
    'lets %j pass',
    (cell) => expect(findings(rule, cell)).toEqual([]),
  )

  test('a date behind a word counts only where the word itself keeps a mandate back', () => {
    const good = { column: 'state_of_affairs', equals: ['aktiv'], reason: 'Only ended ones' }
    expect(findings(good, 'aktiv')).toHaveLength(1)
    expect(findings(good, 'aktiv seit 31.12.2025')).toEqual([])
  })
})

describe('an exclude rule by words waits for a person where a value may mean what it names', () => {
  const told = (equals: string[], cell: string, column: number | string = 2) => {
    const header = readHeader(['customer', 'State of affairs', 'gesperrt'])
    const cells = ['17', '', '']
    cells[column === 2 ? 1 : 2] = cell
    return excludeBy(header, [{ column, equals, reason: 'They left' }], {})(cells).map(({ rule }) => rule)
  }
  const [WAITS, PASSES] = [['STATUS_UNKNOWN'], []]

  test.each([
    ['the same answer in another word', ['WAHR'], ['TRUE', 'ja', 'x', '1', 'yes seit 01.02.2025']],
    ['another no', ['FALSCH'], ['0', 'Nein', 'false']],
    ['an answer beside other words', ['J', 'Test'], ['Ja', 'TRUE']],
    ['an end beside one', ['gekündigt'], ['widerrufen', 'verstorben', 'in Klärung (gekündigt)', 'pending']],
    ['an end beside other words', ['Test'], ['gekündigt zum 31.12.2025', 'gekündigt?nein', 'FNAL', 'B2B']],
    ['damaged text', ['gekündigt'], ['gek\u0081ndigt', 'gek\uFFFDndigt', 'gekÃ¼ndigt', 'gekŸndigt']],
    ['a letter that was lost', ['gekündigt'], ['gek?ndigt']],
    ['damaged text of another end', ['Test'], ['gel\u201Dscht', 'gel?scht', 'L\u0081ge']],
  ])('%s', (_, equals, cells) => {
    for (const cell of cells) expect(told(equals, cell), cell).toEqual(WAITS)
  })

  test.each([
    ['the other answer', ['WAHR'], ['FALSE', 'nein', '0', '', '-', 'Anna']],
    ['a number that is no answer', ['1'], ['2', '10', '0']],
    ['a country', ['NO'], ['DE', 'SE', 'SI']],
    ['what other columns have, too', ['Test'], ['closed', 'pending', 'single', 'ok', 'São Paulo', 'Łódź']],
    ['another word of letters that are not Latin', ['прекратен'], ['одобрен', 'активен']],
  ])('lets %s pass', (_, equals, cells) => {
    for (const cell of cells) expect(told(equals, cell), cell).toEqual(PASSES)
  })

  test('under the heading of an end whatever is no answer', () => {
    for (const cell of ['31.12.2025', '2', 'siehe Akte']) expect(told(['J'], cell, 'gesperrt')).toEqual(WAITS)
    for (const cell of ['N', 'nein', '0', '']) expect(told(['J'], cell, 'gesperrt')).toEqual(PASSES)
  })

  test('not where another rule names it, nor where the column is a status, too', () => {
    const rules = ['gekündigt', 'widerrufen'].map((word) => ({ column: 2, equals: [word], reason: word }))
    const cells = ['17', 'widerrufen', '']
    expect(excludeBy(EXCLUDED, rules, {})(cells).map(({ message }) => message)).toEqual(['widerrufen'])
    expect(excludeBy(EXCLUDED, rules.slice(0, 1), {}, [1])(cells)).toEqual([])
  })

  test('it names the column, the word and what to write', () => {
    const rule = { column: 2, equals: ['J'], reason: 'They left' }
    const [finding] = excludeBy(EXCLUDED, [rule], {})(['17', 'Ja', ''])
    expect(finding?.message).toContain('Column "State of affairs" holds "Ja"')
    expect(finding?.remedy).toContain('equals: ["J", …]')
    expect(finding?.remedy).toContain('write "send"')
  })
})

test('a value of signs alone matches itself, never an empty cell', () => {
  const rule = { column: 2, equals: ['-'], reason: 'Marked' }
  expect(findings(rule, '-')).toHaveLength(1)
  expect(findings(rule, '')).toEqual([])
  expect(findings(rule, '--')).toEqual([])
})

test('an exclude rule by "filled" keeps back whatever says something, but for the zero dates of systems', () => {
  const rule = { column: 'left on', filled: true as const, reason: 'They left' }
  for (const cell of ['2025-12-31', 'yes', '?']) expect(findings(rule, cell, 2)).toHaveLength(1)
  for (const cell of ['', ' ', '0000-00-00', '1900-01-01']) expect(findings(rule, cell, 2)).toEqual([])
})

test('every exclude rule that matches is told', () => {
  const byWord = { column: 2, equals: ['left'], reason: 'one' }
  const exclude = excludeBy(EXCLUDED, [byWord, { column: 3, filled: true, reason: 'two' }], {})
  expect(exclude(['17', 'left', '2025-12-31']).map(({ message }) => message)).toEqual(['one', 'two'])
})

const meaning = (name: string) => PAYER_FIELDS.find((field) => isUsualName(name, field)) ?? null

describe('who pays', () => {
  it.each([
    ['payer_name', 'payer_name, Kontoinhaber, Name of the debtor, Titulaire du compte, Name, debtor_name'],
    ['payer_org_no', 'payer_org_no, Org.nr, USt-IdNr.'],
    [null, 'IBAN, Vorname, customer_no, Ort'],
  ])('%s is what columns are that are called %s', (field, names) => {
    for (const name of names.split(', ')) expect(meaning(name), name).toBe(field)
  })

  const [head = '', ...rows] = exportOf(2).trimEnd().split('\n')
  const text = [`${head},Vorname,Zahler,Org.nr`, ...rows.map((line) => `${line},Ada,Nord,55`), ''].join('\n')
  const columnsOf = async (yaml = '') => {
    const { opened, records } = await readText(text, yaml)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable'])
    const { payer_name: name, payer_org_no: orgNo } = opened.columns
    return { name, orgNo, records }
  }

  it('is found by the first usual name, and two such columns are no question', async () => {
    expect(await columnsOf()).toMatchObject({ name: 'name', orgNo: 'Org.nr' })
  })

  it('is what the configuration says; of several columns all count', async () => {
    const configured = await columnsOf('columns: { payer_name: Zahler, payer_org_no: none }')
    expect(configured).toMatchObject({ name: 'Zahler', orgNo: undefined })
    const several = await columnsOf('columns: { payer_name: [Vorname, Zahler, Firma] }')
    expect(several.name).toBe('{Vorname} {Zahler}')
    expect((await columnsOf('columns: { payer_name: none }')).name).toBe(undefined)
    const reading = readText(text, 'columns: { payer_name: Firma }')
    await refused(reading, 'FILE_HEADER_MISSING', 'no column "Firma" for payer_name')
  })

  it('is in no finding and no value of a record, but in its cells', async () => {
    const { records } = await columnsOf('columns: { payer_name: Zahler }')
    const [{ cells, ...rest }] = records as [(typeof records)[0]]
    expect(cells).toContain('Nord')
    expect(JSON.stringify(rest)).not.toContain('Nord')
  })
})

describe('a column that feeds two fields', () => {
  const jtl = () => csv(3, [['Kundennummer', (n) => `${1000 + n}`], ...OWN.slice(1, 4)] as readonly Column[])

  it('does so where the configuration names it for both', async () => {
    const yaml = 'columns: { customer_no: Kundennummer, unique_mandate_reference: Kundennummer }'
    const { records, summary } = await readAll(jtl(), optionsOf(yaml))
    expect(records[0]?.values).toMatchObject({ customerNo: 1001, mandateReference: '1001' })
    expect(summary.findings.map(({ rule }) => rule)).toContain('FILE_UMR_EQUALS_CUSTOMER')
    const byPosition = 'columns: { customer_no: 1, unique_mandate_reference: 1 }'
    expect((await refusal(readAll(jtl(), optionsOf(byPosition)))).rule).toBe('FILE_HEADER_AMBIGUOUS')
  })

  it('is none where another field has it by name: a draft that maps by values is read by check', async () => {
    const path = csv(30, [...OWN, ['state', (n) => (n % 4 === 0 ? 'FRST' : 'RCUR')]])
    const draft = await draftOf(path)
    expect(draft).toContain('  sequence: state ')
    expect((await readAll(path, optionsOf(draft))).opened.columns).toMatchObject({ sequence: 'state' })
  })
})
