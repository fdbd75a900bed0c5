import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, describe } from 'vitest'
import { z } from 'zod'
import { FIELDS, type Field } from '../../../src/domain/mandate/mandate.js'
import { loadProfiles } from '../../../src/source/columns/mapping.js'
import { findColumn, readHeader } from '../../../src/source/columns/header.js'
import { readSourceOptions } from '../../../src/source/options.js'
import { draftConfiguration, inspectSource } from '../../../src/source/guess/inspect.js'
import { placeForEach } from '../../support/place.js'
import { AS_OF, refusal, SAMPLES } from '../../support/sources.js'
import { kindsIn, readText, refused, rulesOf } from '../reading.js'
import { UsageError } from '../../../src/errors.js'

const PROFILES = await loadProfiles()
const FOLDER = fileURLToPath(new URL('../../../src/source/profiles', import.meta.url))
const sample = (id: string): string => join(SAMPLES, 'profiles', `${id}.csv`)
const jsonIn = (folder: string, end: string): string[] =>
  readdirSync(folder).flatMap((name) => (name.endsWith(end) ? [name.slice(0, -end.length)] : []))

const { write, read, rows, edit, program, json, held } = placeForEach({ sandbox: {} })

const ask = z.strictObject({ why: z.string(), write: z.string().optional(), section: z.string().optional() })
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
    const alike = PROFILES.filter(({ headers }) => headers.every((name) => findColumn(header, name) !== null))
    expect(alike).toHaveLength(1)
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
      expect(draft).toMatch(field === 'customer_no' ? /EDIT: the customer n|no customer number/ : `${field}:`)
    // What is missing has lines of its own; here each row has it in a further column.
    const lines = readFileSync(sample(id), 'latin1').trimEnd().split(/\r?\n/)
    const more = (at: number) => missing.map((field) => (at === 0 ? `given ${field}` : (GIVEN[field] ?? '')))
    const text = lines.map((line, at) => [line, ...more(at)].join(delimiter?.value ?? ',')).join('\n')
    const bytes = Buffer.from(`${text}\n`, 'latin1')
    const mapped = missing.map((field) => `  ${field}: given ${field}\n`).join('')
    const full = draft.replace('columns:\n', `columns:\n${mapped}`)

    const error = await refusal(readText(bytes, full)).catch(() => null)
    const asked =
      full.match(/^ *# (?!EDIT)(?:status|sequence|scheme|last_collection_date): .*EDIT.*$/gm) ?? []
    const columns = [...(error?.message ?? '').matchAll(/Column "([^"]+)"/g)].map(([, name = '']) => name)
    if (error?.rule === 'FILE_WORDS_UNKNOWN') expect(full).toContain('# EDIT: sort in under words: ')
    else {
      expect(error?.rule ?? 'FILE_COLUMN_UNDECIDED').toBe('FILE_COLUMN_UNDECIDED')
      for (const name of columns) expect(asked.join('\n')).toContain(name)
      const edited = asked.reduce((yaml, line) => yaml.replace(line, line.replace('# ', '')), full)
      expect((await readText(bytes, edited)).records).toHaveLength(lines.length - 1)
    }
  },
)

const textOf = (id: string): string => readFileSync(sample(id), 'utf8')
const without = (id: string, column: string): string => textOf(id).replace(column, `x_${column}`)
const NUMBER = 'columns: { customer_no: { column: SND_ID, transform: [stripZeros] } }'
const SAP = `${NUMBER}\nwords: { status: { notActive: ["4"] } }`

describe('what is not said to live is never sent', () => {
  it.each([
    ['odoo-oca', ',Valid,', ',Confirmed,', 'STATUS_UNKNOWN'],
    ['odoo-oca', 'Recurring,2020', 'Final,2020', 'EXCLUDED_BY_CONFIGURATION'],
    ['civisepa', 'RCUR,RCUR,', 'RCUR,SENT,', 'STATUS_UNKNOWN'],
    ['civisepa', ',1,750001', ',,750001', 'EXCLUDED_BY_CONFIGURATION'],
    ['zuora', ',Active,770001', ',Suspense,770001', 'STATUS_UNKNOWN'],
  ])('%s: "%s" as "%s" is held by %s', async (id, before, after, rule) => {
    const { records } = await readText(textOf(id).replace(before, after))
    expect(records[0]?.verdict.kind).not.toBe('sendable')
    expect(rulesOf(records[0])).toContain(rule)
  })

  it('a code of SAP that nobody documented is asked, and only that one', async () => {
    const { message } = await refusal(readText(textOf('sap'), NUMBER))
    expect(message).toContain('Column "STATUS" is used as status and holds 4 1.')
    expect(message).toContain('words: { status: { active: […], notActive: […] } }')
    // A person may say what another code means, and that one of the known ones means something else.
    const words = 'words: { status: { active: ["4"], notActive: ["1"] } }'
    const kinds = await kindsIn(textOf('sap'), `${NUMBER}\n${words}`)
    expect(kinds.flatMap((kind, at) => (kind === 'sendable' ? [at] : []))).toEqual([3])
  })

  it('an older version of a mandate contradicts no current one, and the number of a row is no creditor identifier', async () => {
    const { records } = await readText(textOf('sap'), SAP)
    expect([records[1]?.mandateKey, records[2]?.mandateKey]).toEqual([expect.any(String), null])
    const { message } = await refusal(readText(without('civisepa', 'sepa_creditor_identifier')))
    expect(message).toContain('it has no column for sepa_creditor_identifier ("creditor_id" is the number')
  })

  it('a column that would keep rows back and is not there is told', async () => {
    const { summary } = await readText(without('sap', 'GLOCK'), SAP)
    expect(summary.reading.profile).toMatchObject({ id: 'sap', lacks: ['GLOCK'] })
    const ignored = await readText(without('sap', 'GLOCK'), `source: { ignoreColumns: [GLOCK] }\n${SAP}`)
    expect(ignored.summary.reading.profile).toMatchObject({ lacks: [] })
  })
})

describe('the configuration wins', () => {
  it.each([
    // Of a field, of the rules of a column, of a column that does not count.
    ['odoo-oca', 'columns: { status: none }', 5],
    ['odoo-oca', 'words: { scheme: { core: ["Enterprise (B2B)"] } }', 4],
    ['civisepa', 'exclude: [{ column: is_enabled, equals: ["never"], reason: no }]', 4],
    ['civisepa', 'source: { ignoreColumns: [is_enabled] }', 4],
    ['civisepa', 'exclude: [{ column: contact_id, equals: ["4101"], reason: no }]', 2],
    ['hostbill', 'profile: hostbill', 2],
  ])('%s with %s: %i are to be sent', async (id, yaml, count) => {
    const kinds = await kindsIn(textOf(id), yaml)
    expect(kinds.filter((kind) => kind === 'sendable')).toHaveLength(count)
  })

  it('none is read by its usual names, another one or an unknown one is refused', async () => {
    const { message } = await refusal(readText(textOf('odoo-oca'), 'profile: none'))
    expect(message).toContain('it has no column for iban;')
    const told = 'it is no export of SAP (table SEPA_MANDATE) (profile sap): it has no column'
    await refused(readText(textOf('odoo-oca'), 'profile: sap'), 'FILE_HEADER_MISSING', told)
    await expect(readText(textOf('odoo-oca'), 'profile: odo')).rejects.toThrow(UsageError)
  })
})

describe('for people', () => {
  const day = ['--as-of', AS_OF]

  it('inspect lists the systems and names the one of a file, and init drafts what is known of it', async () => {
    const listed = await json<{ profiles: readonly { id: string }[] }>('inspect', '--profiles')
    expect(listed.profiles).toHaveLength(14)
    expect((await program('inspect')).status).toBe(2)
    const { stdout } = await program('inspect', sample('odoo-oca'), ...day)
    expect(stdout).toContain('looks like Odoo (OCA)')
    write('plain.csv', 'a,b\n1,2\n')
    expect(await json('inspect', 'plain.csv')).toMatchObject({ profile: null, inspection: { system: null } })
    const before = await json('check', sample('odoo-oca'), ...day)
    await program('init', sample('odoo-oca'), ...day)
    const after = await json('check', sample('odoo-oca'), ...day)
    expect([before.exitCode, after.totals]).toEqual([0, before.totals])
    await program('init', sample('sap'), '--to', 'sap.yaml', ...day)
    const draft = read('sap.yaml')
    expect(draft).toContain('profile: sap ')
    expect(draft).toContain('# stays behind: {"column":"MVERS","except":["0","00","000","0000"],')
    expect(draft).toContain('# words of status: {"active":["1"]}')
    expect(draft).toMatch(/# EDIT: sort in under words: .*not understood: 4 1/)
    await program('init', sample('odoo'), '--to', 'odoo.yaml', ...day)
    expect(read('odoo.yaml')).toContain('# signed_date: { column: Start Date, format: iso }   # EDIT: "Start')
    await program('init', 'plain.csv', '--to', 'plain.yaml', '--profile', 'sap')
    expect(read('plain.yaml')).toContain('# EDIT: SAP (table SEPA_MANDATE) has it in "SND_IBAN"')
    const unknown = await program('init', 'plain.csv', '--to', 'x.yaml', '--profile', 'spa')
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringContaining('the nearest is "sap"')])
  })

  it('corrections of a known system come back without a configuration, and the plan names it', async () => {
    write('export.csv', textOf('odoo-oca').replace('2020-07-13', '2020-17-13'))
    const { plan } = await json<{ plan: object }>('plan', 'export.csv', ...day)
    const readAs = ['export.csv: looks like Odoo (OCA), read by the profile odoo-oca']
    expect(plan).toMatchObject({ readAs })
    expect(await json('run', 'export.csv', ...day)).toMatchObject({ totals: { registered: 2, invalid: 1 } })
    edit('corrections.csv', { 'Date of Signature of the Mandate': '13.07.2020' }, 'edited.csv')
    const totals = { registered: 3, excluded: 4, conflict: 0 }
    expect(await json('run', 'edited.csv', ...day)).toMatchObject({ totals })
    expect(rows('registered.csv').map(({ signed_date }) => signed_date)).toContain('2020-07-13')
  })
})
