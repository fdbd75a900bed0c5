import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { FIELDS, type Field } from '../../../src/domain/mandate/mandate.js'
import { PROFILES } from '../../../src/source/profiles/profiles.js'
import { findColumn, readHeader } from '../../../src/source/columns/header.js'
import { readSourceOptions } from '../../../src/source/options.js'
import { draftConfiguration, inspectSource } from '../../../src/source/guess/inspect.js'
import { placeForEach } from '../../support/place.js'
import { AS_OF, readText, refusal, SAMPLES } from '../../support/sources.js'

const FOLDER = fileURLToPath(new URL('../../../src/source/profiles', import.meta.url))
const sample = (id: string): string => join(SAMPLES, 'profiles', `${id}.csv`)
const jsonIn = (folder: string, end: string): string[] =>
  readdirSync(folder).flatMap((name) => (name.endsWith(end) ? [name.slice(0, -end.length)] : []))

const { write, program, json, held } = placeForEach({ sandbox: {} })

const ask = z.strictObject({
  why: z.string(),
  write: z.string().optional(),
  section: z.string().optional(),
})
const shape = z.strictObject({
  id: z.string(),
  name: z.string(),
  headers: z.array(z.string()).min(2),
  columns: z.unknown(),
  customer: z.union([z.string(), z.array(z.string())]).optional(),
  words: z.unknown().optional(),
  open: z.array(z.enum(['status', 'sequence', 'scheme'])).optional(),
  exclude: z.unknown().optional(),
  never: z.array(z.string()).optional(),
  asks: z.partialRecord(z.enum(FIELDS as [string, ...string[]]), ask).optional(),
})

it('each profile is one file and one sample, and says nothing that a configuration could not', () => {
  const ids = PROFILES.map(({ id }) => id).toSorted()
  expect(jsonIn(FOLDER, '.json').toSorted()).toEqual(ids)
  expect(jsonIn(join(SAMPLES, 'profiles'), '.csv').toSorted()).toEqual(ids)
  for (const id of ids) {
    const file = JSON.parse(readFileSync(join(FOLDER, `${id}.json`), 'utf8')) as object
    const { columns, words, exclude, ...profile } = shape.parse(file)
    expect(profile.id).toBe(id)
    const options = { columns, words, exclude } as Parameters<typeof readSourceOptions>[0]
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
    expect(Object.keys(readSourceOptions(given).columns).length).toBeGreaterThan(1)
  }
})

it('no sample looks like another system', async () => {
  for (const { id } of PROFILES) {
    const { columns, profile } = await inspectSource(sample(id), { today: AS_OF })
    const header = readHeader(columns.map(({ name }) => name))
    expect([id, profile]).toEqual([id, id])
    expect(
      PROFILES.filter(({ headers }) => headers.every((name) => findColumn(header, name) !== null)),
    ).toHaveLength(1)
  }
})

const CREDITOR = 'sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }'
const crosswalk = (from: string): string =>
  `crosswalk: { file: customers.csv, from: ${from}, key: old, customer_no: customer_no }`
const BOTH = 'customer_no sepa_creditor_identifier'

/** Of each: fields that are asked, a column of codes that is asked then, and whom the service holds in the end. */
const ASKED = {
  sap: ['customer_no', 'STATUS', [710_001, 710_002]],
  'sap-cds': ['customer_no', 'SEPAMandateStatus', [1, 2, 5]],
  'business-central': [`${BOTH} iban`, '', [10_000, 20_000]],
  'odoo-oca': ['', '', [730_001, 730_002, 730_003]],
  odoo: [`${BOTH} signed_date`, '', [1, 2]],
  easydta: ['', 'PaymentTyp', [740_001, 740_002, 740_003, 740_005]],
  jverein: [BOTH, '', [2101, 2102, 2103, 2105]],
  'spg-verein': [`${BOTH} unique_mandate_reference`, '', [1, 2, 4, 5]],
  civisepa: ['', '', [750_001, 750_002, 750_007]],
  dolibarr: [BOTH, 'status', [61, 62, 63, 65]],
  hostbill: ['', '', [760_001, 760_002]],
  zuora: ['', '', [770_001, 770_002, 770_004, 770_005]],
  twikey: [BOTH, '', [1, 2, 4]],
  gocardless: ['customer_no', '', [1, 2, 3, 4, 5]],
} as const

/** What a person answers: to the fields, then to the codes. */
const ANSWERS: Readonly<Record<string, readonly [fields: string, codes?: string]>> = {
  sap: [
    'columns: { customer_no: { column: SND_ID, transform: [stripZeros] } }',
    'words: { status: { notActive: ["4"] } }',
  ],
  'sap-cds': [crosswalk('SEPAMandateSender'), 'words: { status: { notActive: ["5"] } }'],
  'business-central': [
    `${PROFILES.find(({ id }) => id === 'business-central')?.asks?.iban?.section ?? ''}\ncolumns: { ${CREDITOR}, customer_no: Customer No. }`,
  ],
  odoo: [`${crosswalk('Customer')}\ncolumns: { ${CREDITOR}, signed_date: Start Date }`],
  easydta: ['', 'columns: { sequence: PaymentTyp }'],
  jverein: [`columns: { ${CREDITOR}, customer_no: externemitgliedsnummer }`],
  'spg-verein': [
    `${crosswalk('Mitglieds_Nr')}\ncolumns: { ${CREDITOR}, unique_mandate_reference: { template: "{Mitglieds_Nr}-M1" } }`,
  ],
  dolibarr: [
    `columns: { ${CREDITOR}, customer_no: fk_soc }`,
    'words: { status: { active: ["1"], notActive: ["0"] } }',
  ],
  twikey: [`${crosswalk('customerNumber')}\ncolumns: { ${CREDITOR} }`],
  gocardless: [crosswalk('customer.email')],
}

it.each(Object.entries(ASKED))(
  'the sample of %s is asked: %j, and nothing leaves before',
  async (id, asked) => {
    const [fields, column, registered] = asked
    const [answer = '', codes = ''] = ANSWERS[id] ?? []
    const day = ['--as-of', AS_OF]
    const lines = readFileSync(sample(id), 'utf8').split('\n').slice(1, -1)
    const at = id === 'sap-cds' ? 2 : id === 'odoo' ? 1 : 0
    const keys = lines.map((line, number) => `${line.split(/[,;]/)[at] ?? ''},${number + 1}\n`)
    write('bank-accounts.csv', readFileSync(join(SAMPLES, 'bank-accounts.csv')))
    write('customers.csv', `old,customer_no\n${keys.join('')}`)
    expect(await json('inspect', sample(id), ...day)).toMatchObject({ exitCode: 0, profile: id })
    const isRefusedFor = async (named: string): Promise<void> => {
      for (const command of named === '' ? [] : ['check', 'run']) {
        const { status, stdout, stderr } = await program(command, sample(id), ...day)
        const told = `${stdout}${stderr}`.matchAll(/no column for (\w+)|Column "(\w+)" (?:is used|looks)/g)
        const words = new Set([...told].map(([, field, other]) => field ?? other))
        expect([command, status, words]).toEqual([command, 7, new Set(named.split(' '))])
      }
      expect(held()).toEqual([])
    }
    await isRefusedFor(fields)
    write('sepa-migrate.yaml', answer)
    await isRefusedFor(column)
    write('sepa-migrate.yaml', `${answer}\n${codes}`)
    const ready = registered.length
    const checked = await json('check', sample(id), ...day)
    expect(checked).toMatchObject({ exitCode: 0, totals: { ready, invalid: 0, conflict: 0 } })
    const run = await json('run', sample(id), ...day)
    expect(run).toMatchObject({ exitCode: 0, totals: { registered: ready } })
    expect(held().toSorted((a, b) => a - b)).toEqual(registered)
  },
)

const GIVEN: Readonly<Partial<Record<Field, string>>> = {
  customer_no: '7',
  iban: 'DE89370400440532013000',
  signed_date: '2024-03-01',
  sepa_creditor_identifier: 'DE98ZZZ09999999999',
  unique_mandate_reference: 'M-1',
}

it.each(PROFILES.map(({ id }) => id))(
  'the draft for the sample of %s is complete, or has an EDIT for what its check asks',
  async (id) => {
    const { delimiter, missing, ...inspection } = await inspectSource(sample(id), { today: AS_OF })
    const draft = draftConfiguration({ delimiter, missing, ...inspection })
    for (const field of missing)
      expect(draft).toMatch(
        field === 'customer_no' ? /EDIT: the customer number|no customer number/ : `${field}:`,
      )
    // What is missing has lines of its own; here each row has it in a further column.
    const lines = readFileSync(sample(id), 'latin1').trimEnd().split(/\r?\n/)
    const more = (at: number) => missing.map((field) => (at === 0 ? `given ${field}` : (GIVEN[field] ?? '')))
    const text = lines.map((line, at) => [line, ...more(at)].join(delimiter?.value ?? ',')).join('\n')
    const bytes = Buffer.from(`${text}\n`, 'latin1')
    const mapped = missing.map((field) => `  ${field}: given ${field}\n`).join('')
    const full = draft.replace('columns:\n', `columns:\n${mapped}`)

    const error = await refusal(readText(bytes, full)).catch(() => null)
    const asked =
      full.match(/^ *# (?!EDIT)(?:status|sequence|scheme|last_collection_date|words): .*EDIT.*$/gm) ?? []
    const columns = [...(error?.message ?? '').matchAll(/Column "([^"]+)"/g)].map(([, name = '']) => name)
    if (error?.rule === 'FILE_WORDS_UNKNOWN') expect(asked.join('\n')).toContain('# words: ')
    else {
      expect(error?.rule ?? 'FILE_COLUMN_UNDECIDED').toBe('FILE_COLUMN_UNDECIDED')
      for (const name of columns) expect(asked.join('\n')).toContain(name)
      const edited = asked.reduce((yaml, line) => yaml.replace(line, line.replace('# ', '')), full)
      expect((await readText(bytes, edited)).records).toHaveLength(lines.length - 1)
    }
  },
)
