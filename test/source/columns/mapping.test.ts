import { describe, expect, test } from 'vitest'
import { UsageError } from '../../../src/errors.js'
import { CHECK, exportOf, kindsIn, readText, refusal, rowRules } from '../../support/sources.js'

const renamed = (header: string): string => exportOf(3).replace(/^.*\n/, `${header}\n`)

const ALL = {
  customer_no: 'customer_no',
  iban: 'iban',
  signed_date: 'signed_date',
  sepa_creditor_identifier: 'sepa_creditor_identifier',
  unique_mandate_reference: 'unique_mandate_reference',
}

describe('columns by their usual names', () => {
  test('the service names need no configuration', async () => {
    expect((await readText(exportOf(1))).opened.columns).toEqual(ALL)
  })

  test('synonyms are compared folded', async () => {
    const { opened, records } = await readText(
      renamed('Customer_No, debtor  IBAN ,Date of Signature,GLÄUBIGER-ID,Mandats-Referenz,Kontoinhaber'),
    )
    expect(opened.columns).toEqual({
      customer_no: 'Customer_No',
      iban: 'debtor  IBAN',
      signed_date: 'Date of Signature',
      sepa_creditor_identifier: 'GLÄUBIGER-ID',
      unique_mandate_reference: 'Mandats-Referenz',
    })
    expect(records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
  })

  const REPEATED = 'customer_no,iban,signed_date,CI,UMR,ci'
  const MOST = 'customer_no: customer_no, iban: iban, signed_date: signed_date, unique_mandate_reference: UMR'
  test.each([
    // An old key is never the customer number of the service.
    ...['Customer No.', 'customerNo', 'Kundennummer', 'customer number'].map((name) => {
      const text = exportOf(3).replace('customer_no', name)
      return [text, '', 'FILE_HEADER_MISSING', 'no column for customer_no'] as const
    }),
    [
      renamed('customer_no,iban,signed_date,CI,UMR,Mandatsreferenz'),
      '',
      'FILE_HEADER_AMBIGUOUS',
      '"UMR" and "Mandatsreferenz" could both be unique_mandate_reference',
    ],
    [
      renamed('customer_no,iban,signed_date,CI,UMR,I.B.A.N.'),
      '',
      'FILE_HEADER_DUPLICATE',
      '"iban" occurs 2 times (columns 2 and 6)',
    ],
    [exportOf(1), 'columns: { iban: Konto }', 'FILE_HEADER_MISSING', 'no column "Konto" for iban'],
    [exportOf(1), 'columns: { unique_mandate_reference: customer_no }', 'FILE_HEADER_AMBIGUOUS', ''],
    [renamed(REPEATED), `columns: { ${MOST}, sepa_creditor_identifier: CI }`, 'FILE_HEADER_DUPLICATE', ''],
    [renamed(REPEATED), 'columns: { sepa_creditor_identifier: 4 }', 'FILE_HEADER_DUPLICATE', ''],
  ] as const)('%j with "%s" is refused: %s', async (text, yaml, rule, problem) => {
    const error = await refusal(readText(text, yaml))
    expect(error).toMatchObject({ rule, line: 1 })
    expect(error.message).toContain(problem)
  })

  test('equal names are tolerated where all fields are configured and none by that name', async () => {
    const yaml = `columns: { ${MOST}, sepa_creditor_identifier: 4 }`
    expect((await readText(renamed(REPEATED), yaml)).records).toHaveLength(3)
  })

  test('everything that is missing is said at once, with the names that are there', async () => {
    const error = await refusal(readText('Name,Ort\na,b\n'))
    for (const field of Object.keys(ALL)) expect(error.message).toContain(`no column for ${field}`)
    expect(error.message).toContain('its header has "Name", "Ort"')
    expect(error.ways).toEqual(['draft_configuration'])
  })

  test('a file without a header is refused, not read without its first record', async () => {
    const rows = exportOf(3).split('\n').slice(1).join('\n')
    const byPosition =
      'columns: { customer_no: 1, iban: 2, signed_date: 3, sepa_creditor_identifier: 4, unique_mandate_reference: 5 }'
    for (const [text, yaml] of [
      [rows, ''],
      [rows, byPosition],
      [rows.replace('DE89370400440532013000', 'unknown'), byPosition],
    ] as const) {
      const error = await refusal(readText(text, yaml))
      expect(error).toMatchObject({ rule: 'FILE_HEADER_MISSING' })
      expect(error.message).toContain('values where column names should be')
      expect(error.message).not.toContain('0532')
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
    const { opened, records } = await readText(
      renamed('customer_no,iban,signed_date,CI,,UMR2'),
      'columns: { unique_mandate_reference: 5 }',
    )
    expect(opened.columns['unique_mandate_reference']).toBe('')
    expect(records[0]?.values.mandateReference).toBe('M-1')
  })

  test('a constant creditor identifier stands in for a column, and fills its empty cells', async () => {
    const constant = 'columns: { sepa_creditor_identifier: { constant: DE98ZZZ09999999999 } }'
    const without = exportOf(2).replaceAll(',DE98ZZZ09999999999', '').replace('sepa_creditor_identifier,', '')
    const { opened, records } = await readText(without, constant)
    expect(opened.columns).not.toHaveProperty('sepa_creditor_identifier')
    expect(records.map(({ values }) => values.creditorIdentifier)).toEqual(
      Array(2).fill('DE98ZZZ09999999999'),
    )
    const partly = exportOf(2).replace(',DE98ZZZ09999999999', ',')
    expect(await kindsIn(partly, constant)).toEqual(['sendable', 'sendable'])
  })

  test('a row with another creditor than the constant is an error', async () => {
    const yaml =
      'columns: { sepa_creditor_identifier: { column: sepa_creditor_identifier, constant: NL73ZZZ123456780000 } }'
    expect((await rowRules(exportOf(1), yaml))[0]).toContain('CI_CONSTANT_MISMATCH')
  })

  test('customer_no by column and by crosswalk at once is a configuration error', async () => {
    const reading = readText(
      exportOf(1),
      'columns: { customer_no: customer_no }\ncrosswalk: { file: x.csv, from: name, key: k }',
    )
    await expect(reading).rejects.toThrow(UsageError)
  })
})

describe('transforms', () => {
  test('are made in their order, before the checks, and are counted', async () => {
    const text = exportOf(2).replace('\n1,', '\nKD-7,').replace('\n2,', '\n kd-8 ,').replace(',M-1,', ',m-1,')
    const { records, summary } = await readText(
      text,
      `columns:
        customer_no: { column: customer_no, transform: [trim, upperCase, stripPrefix: KD-, padLeft: { length: 3, with: "1" }] }
        unique_mandate_reference: { column: unique_mandate_reference, transform: [upperCase] }`,
    )
    expect(records.map(({ values }) => values.customerNo)).toEqual([117, 118])
    expect(records[0]?.values.mandateReference).toBe('M-1')
    expect(records[0]?.cells[0]).toBe('KD-7')
    expect(summary.reading).toMatchObject({ transformed: { customer_no: 2, unique_mandate_reference: 1 } })
  })
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

  test('9.3 a warning about a creditor is told once per distinct value, an error with every row', async () => {
    const polish = exportOf(4).replaceAll(/,[A-Z]{2}[0-9]{2}ZZZ[0-9A-Z]+,/g, ',PL18ZZZ00123456789,')
    const text = polish.replace('PL18ZZZ00123456789,M-3', 'PL18ZZZ0012345678(,M-3')
    const told = async (severities: typeof CHECK.severities): Promise<number[]> => {
      const { records } = await readText(text, '', { ...CHECK, severities })
      return records.map(
        ({ findings }) => findings.filter(({ rule }) => rule === 'CI_LENGTH_UNCONFIRMED').length,
      )
    }
    expect(await told({})).toEqual([1, 0, 1, 0])
    expect(await told({ CI_LENGTH_UNCONFIRMED: 'error' })).toEqual([1, 1, 1, 1])
  })
})
