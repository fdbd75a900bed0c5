import { beforeEach, expect, it } from 'vitest'
import type { Row } from '../../support/export.js'
import { placeForEach } from '../../support/place.js'
import { ibanOf } from '../../support/sample-values.js'
import { AS_OF, refusal } from '../../support/sources.js'
import { readText, rulesOf } from '../reading.js'

const { write, rows, edit, program, json } = placeForEach({ sandbox: {} })

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,Nr,Jahr,Mandatsreferenz'
const ibanFor = (customer: number | string): string => ibanOf('DE', `37040044053201300${customer}`)
const row = (customer: number, number: string, iban = ibanFor(customer)): string =>
  `${customer},${iban},2024-03-01,DE98ZZZ09999999999,${number},2019,INTERN-${customer}`
const text = (...lines: readonly string[]): string => [HEADER, ...lines, ''].join('\n')
const templated = (template: string): string =>
  `columns: { unique_mandate_reference: { template: '${template}' } }`
const TEMPLATE = templated('{nr}-{Jahr}-M')

it('makes the reference of the cells of a row, and every rule for references holds', async () => {
  const numbers = ['00017', '', '1.2E+10', 'ä', '="00018"', 'keine']
  const many = text(...numbers.map((number, at) => row(at + 1, number)))
  const { opened, records, summary } = await readText(many, TEMPLATE)
  const made = ['00017-2019-M', null, null, 'ä-2019-M', '00018-2019-M', null]
  expect(records.map(({ values }) => values.mandateReference)).toEqual(made)
  const rules = records.map((record) => `${record.verdict.kind} ${rulesOf(record).join()}`)
  expect(rules.slice(0, 2)).toEqual(['sendable ', 'invalid UMR_EMPTY'])
  expect(rules.slice(2, 4)).toEqual(['invalid EXCEL_SCIENTIFIC', 'invalid UMR_CHARSET'])
  expect(rules.slice(4)).toEqual(['sendable ', 'invalid UMR_EMPTY'])
  expect(opened.columns['unique_mandate_reference']).toBe('{nr}-{Jahr}-M')
  expect(summary.reading.references).toEqual(['00017-2019-M', 'ä-2019-M', '00018-2019-M'])
})

it.each([
  ['{Nr}-{Year}', 'no column "Year" for the template of unique_mandate_reference'],
  ['{Nr}-{Nr.}', ''],
])('"%s" refuses the file where a column is not there: "%s"', async (template, message) => {
  const reading = readText(text(row(1, '00017')), templated(template))
  if (message === '') expect((await reading).records[0]?.values.mandateReference).toBe('00017-00017')
  else expect((await refusal(reading)).message).toContain(message)
})

it('is refused without a column in braces; a last cell that it needs may be cut', async () => {
  expect(() => readText('', templated('M1'))).toThrow('holds the names of columns in braces')
  const [, ...cells] = row(1, '17').split(',').reverse()
  const cut = `${HEADER.replace(',Mandatsreferenz', '')}\n${cells.reverse().join(',')}`
  expect((await readText(cut, TEMPLATE)).records.map(rulesOf)).toEqual([['ROW_MAY_BE_CUT']])
})

const day = ['--as-of', AS_OF]

beforeEach(() => {
  write('export.csv', text(row(1, '00017'), row(2, ''), row(3, '00019', 'DE89370400440532013001')))
  write('sepa-migrate.yaml', TEMPLATE)
})

it('the plan shows the template and what it makes', async () => {
  const { plan } = await json<{ plan: object }>('plan', 'export.csv', '--to', 'plan.json', ...day)
  const told = 'references made as {nr}-{Jahr}-M: 00017-2019-M, 00019-2019-M'
  expect(plan).toMatchObject({ readAs: [`export.csv: ${told}`] })
  const { stdout } = await program('check', 'export.csv', ...day)
  expect(stdout).toContain(`  ${told}`)
})

it('corrections come back: a cell is filled in, one that lost its zeros is read as it was', async () => {
  await json('run', 'export.csv', ...day)
  const numbers = (line: Row): Row => ({ Nr: line['customer_no'] === '2' ? 'N18' : '19' })
  const corrected = (line: Row): Row => ({ ...line, iban: ibanFor(line['customer_no']!), ...numbers(line) })
  edit('corrections.csv', corrected, 'edited.csv')
  write('sepa-migrate.yaml', '')
  const forgotten = await program('run', 'edited.csv', ...day)
  expect([forgotten.status, forgotten.stderr]).toEqual([7, expect.stringContaining('{nr}-{Jahr}-M')])
  expect(forgotten.stderr).toContain('FILE_CONFIGURATION_FORGOTTEN')
  write('sepa-migrate.yaml', TEMPLATE)
  expect(await json('run', 'edited.csv', ...day)).toMatchObject({ exitCode: 0, totals: { registered: 3 } })
  const references = rows('registered.csv').map((line) => line['original_mandate_reference'])
  expect(references).toEqual(['00017-2019-M', 'N18-2019-M', '00019-2019-M'])
})

it('a rounded number in a column of the template is never taken for a correction', async () => {
  await json('run', 'export.csv', ...day)
  const rounded = (line: Row): Row => ({ ...line, iban: ibanFor(line['customer_no']!), Nr: '18.0' })
  edit('corrections.csv', rounded, 'edited.csv')
  expect(await json('run', 'edited.csv', ...day)).toMatchObject({ totals: { registered: 1, invalid: 2 } })
})
