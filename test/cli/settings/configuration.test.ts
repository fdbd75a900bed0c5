import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { z } from 'zod'
import {
  configurationSchema,
  loadConfiguration,
  parseConfiguration,
} from '../../../src/cli/settings/configuration.js'
import { UsageError } from '../../../src/errors.js'
import { SAMPLES } from '../../support/program.js'

const folder = mkdtempSync(join(tmpdir(), 'configuration-'))
afterAll(() => rmSync(folder, { recursive: true }))

const SCHEMA_FILE = join(SAMPLES, 'sepa-migrate.schema.json')
const schemaText = (): string =>
  `${JSON.stringify(z.toJSONSchema(configurationSchema, { io: 'input' }), null, 2)}\n`

/** UPDATE_SAMPLES=1 writes the file anew after the schema was changed. */
if (process.env['UPDATE_SAMPLES'] === '1') writeFileSync(SCHEMA_FILE, schemaText())

describe('the configuration file', () => {
  it('has a JSON Schema in the package that is the one the program reads by', () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText())
  })

  it('of every sample is accepted by the program and by the shipped JSON Schema', () => {
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(
      JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as object,
    )
    for (const name of ['german.yaml', 'french.yaml']) {
      const text = readFileSync(join(SAMPLES, name), 'utf8')
      expect(() => parseConfiguration(text, name)).not.toThrow()
      expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true)
    }
  })

  it.each([
    [
      'an alias bomb',
      `a: &a [${'x,'.repeat(9)}x]\n${'bcdefghi'
        .split('')
        .map(
          (name, at) =>
            `${name}: &${name} [${`*${'abcdefgh'.charAt(at)},`.repeat(9)}*${'abcdefgh'.charAt(at)}]`,
        )
        .join('\n')}\n`,
    ],
    ['an alias of nothing', 'ledger: *nowhere\n'],
    ['an alias of itself', 'source: &a { delimiter: *a }\n'],
    ['a depth that nobody writes', '['.repeat(200_000)],
    ['a merge key bomb', `x: &x { <<: *x }\n`],
  ])('9.2.8 ends with a usage error for %s', (_what, text) => {
    expect(() => parseConfiguration(text, 'bomb.yaml')).toThrow(UsageError)
  })

  it('9.2.8 may use an anchor and its alias in good faith', () => {
    const text =
      'exclude:\n  - &cancelled { column: Status, equals: [cancelled], reason: cancelled }\n  - *cancelled\n'
    expect(parseConfiguration(text, 'good.yaml').exclude).toHaveLength(2)
  })

  it('with every section is accepted', () => {
    const text = `
service:   { baseUrl: https://service.example, concurrency: 8 }
source:    { delimiter: ";", encoding: windows-1252, skipLines: 1, skipFooterLines: 0 }
columns:
  customer_no: Kundennummer
  iban: IBAN
  signed_date: { column: Mandatsdatum, format: dd.mm.yyyy }
  sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }
  unique_mandate_reference: Mandatsreferenz
  last_collection_date: { column: Letzte Lastschrift, format: dd.mm.yyyy }
crosswalk: { file: customers.csv, from: Mitgliedsnummer, key: member_id, customer_no: customer_no }
exclude:
  - { column: Status, equals: [gekündigt, inaktiv], reason: cancelled at the previous creditor }
rules:     { CUSTOMER_MULTIPLE_MANDATES: error, IBAN_NATIONAL_CHECK: "off" }
outcomes:  { "503": turned_away }
`
    expect(parseConfiguration(text, 'sepa-migrate.yaml')).toMatchObject({
      rules: { CUSTOMER_MULTIPLE_MANDATES: 'error', IBAN_NATIONAL_CHECK: 'off' },
      outcomes: { 503: 'turned_away' },
    })
  })

  it.each([
    ['a key that does not exist', 'servce: {}', /servce/],
    ['a rule that does not exist', 'rules: { NO_SUCH_RULE: error }', /rules/],
    ['a severity that does not exist', 'rules: { IBAN_SHARED: fatal }', /rules\.IBAN_SHARED/],
    ['an outcome that cannot be chosen', 'outcomes: { "500": registered }', /outcomes\.500/],
    ['text that is not YAML', 'service: [', /Cannot read/],
    [
      'two mistakes at once',
      'servce: {}\nrules: { IBAN_SHARED: fatal }',
      /servce.*IBAN_SHARED|IBAN_SHARED.*servce/,
    ],
  ])('with %s is refused, and the message says where', (_name, text, message) => {
    expect(() => parseConfiguration(text, 'x.yaml')).toThrow(message)
  })

  it.each([
    [
      'at the top',
      'ledger: x.db\nservce: {}\n',
      'line 2: there is no key "servce"; the nearest is "service"',
    ],
    [
      'in a section',
      'service:\n  username: me\n  base_url: https://x\n',
      'line 3: there is no key "service.base_url"; the nearest is "service.baseUrl"',
    ],
    [
      'one level too high',
      '# mine\nbaseUrl: https://x\n',
      'line 2: there is no key "baseUrl"; the nearest is "service.baseUrl"',
    ],
    [
      'in a rule',
      'rules:\n  IBAN_SHARD: error\n',
      'line 2: there is no key "rules.IBAN_SHARD"; the nearest is "rules.IBAN_SHARED"',
    ],
    [
      'in the form of a column',
      'columns:\n  iban:\n    colum: Konto\n',
      'line 3: there is no key "columns.iban.colum"; the nearest is "columns.iban.column"',
    ],
    [
      'in a list',
      'exclude:\n  - { column: Status, equals: [x], reason: y }\n  - column: Art\n    equal: [x]\n    reason: y\n',
      'line 4: there is no key "exclude.1.equal"; the nearest is "exclude.1.equals"',
    ],
    [
      'two levels down',
      'words:\n  status:\n    notactive: [ruhend]\n',
      'line 3: there is no key "words.status.notactive"; the nearest is "words.status.notActive"',
    ],
    ['with letters swapped', 'colunms: {}\n', 'line 1: there is no key "colunms"; the nearest is "columns"'],
    ['that resembles nothing', 'ledger: x.db\nfrobnicate: 1\n', 'line 2: there is no key "frobnicate"'],
    ['that every object has', 'constructor: 1\n', 'line 1: there is no key "constructor"'],
  ])('10.3.6 names line and nearest key of a typo %s', (_where, text, message) => {
    const told = (() => {
      try {
        parseConfiguration(text, 'x.yaml')
        return 'accepted'
      } catch (error) {
        return error instanceof UsageError ? error.message : 'another error'
      }
    })()
    expect(told).toBe(`The configuration file "x.yaml" has a mistake: ${message}`)
  })

  it('10.3.6 names the line of a value that cannot be, and every mistake in the order of the file', () => {
    const text = 'outcomes:\n  "500": registered\nsource:\n  skipLine: 1\n  skipFooterLines: many\n'
    expect(() => parseConfiguration(text, 'x.yaml')).toThrow(
      /mistakes: line 2: outcomes\.500: .*; line 4: there is no key "source\.skipLine"; the nearest is "source\.skipLines"; line 5: source\.skipFooterLines: /,
    )
  })

  it('10.3.6 knows each key of the schema: none is called a typo', () => {
    const text = readFileSync(join(SAMPLES, 'german.yaml'), 'utf8')
    expect(() => parseConfiguration(`${text}\nservce: {}\n`, 'x.yaml')).toThrow(
      /has a mistake: line \d+: there is no key "servce"; the nearest is "service"$/,
    )
  })

  it('names a file that cannot be read', () => {
    expect(() => loadConfiguration(join(folder, 'missing.yaml'))).toThrow(/missing\.yaml/)
  })

  it('makes its paths absolute from its own folder', () => {
    const file = join(folder, 'campaign.yaml')
    writeFileSync(file, 'ledger: march.db\n')
    expect(loadConfiguration(file).locate('customers.csv')).toBe(join(folder, 'customers.csv'))
  })
})

describe('11.4 a value that cannot be', () => {
  const editorAccepts = new Ajv2020({ strict: false, validateFormats: false }).compile(
    JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as object,
  )
  const WHOLE = 'is not a whole number from'
  const DURATION = 'is not a duration from 0.001 to 2147483 seconds, for example 90, 90s, 15m or 2h'

  const bad: readonly (readonly [text: string, told: string])[] = [
    ['concurrency: abc', `concurrency: "abc" ${WHOLE} 1 to 256`],
    ['concurrency: 8.5', `concurrency: 8.5 ${WHOLE} 1 to 256`],
    ['concurrency:', `concurrency: nothing ${WHOLE} 1 to 256`],
    ['concurrency: [8]', `concurrency: a list ${WHOLE} 1 to 256`],
    ['concurrency: {}', `concurrency: a map ${WHOLE} 1 to 256`],
    ['rate: 0', 'rate: 0 is not a number from 0.001 to 100000'],
    ['rate: .inf', 'rate: Infinity is not a number from 0.001 to 100000'],
    ['timeout: 5 parsecs', `timeout: "5 parsecs" ${DURATION}`],
    ['connectTimeout: 0s', `connectTimeout: "0s" ${DURATION}`],
    ['timeout: 600h', `timeout: "600h" ${DURATION}`],
    [
      'maxRefused: 200%',
      'maxRefused: "200%" is not a whole number from 0 to 999999999, or a share from 0% to 100%',
    ],
    [
      'maxRefused: 0.5',
      'maxRefused: 0.5 is not a whole number from 0 to 999999999, or a share from 0% to 100%',
    ],
    ['maxInDoubt: -1', `maxInDoubt: -1 ${WHOLE} 0 to 999999999`],
    ['maxInDoubt: ten', `maxInDoubt: "ten" ${WHOLE} 0 to 999999999`],
    ['baseUrl: 5', 'baseUrl: it is not an address that begins with https:// (http:// only for this machine)'],
    [
      'baseUrl: service',
      'baseUrl: it is not an address that begins with https:// (http:// only for this machine)',
    ],
    [
      'proxy: ftp://me:geheim@x',
      'proxy: it is not an address that begins with https:// (http:// only for this machine)',
    ],
    ['ca: 7', 'ca: 7 is not a path; a text that looks like it needs quotes'],
    ['username: ""', 'username: "" is not a text'],
    ['username: 4711', 'username: 4711 is not a text; a text that looks like it needs quotes'],
    ['freshConnections: often', 'freshConnections: "often" is not yes or no: true, yes or 1, false, no or 0'],
  ]
  const refusalOf = (text: string): string => {
    try {
      parseConfiguration(text, 'x.yaml')
      return 'accepted'
    } catch (error) {
      return error instanceof UsageError ? error.message : 'another error'
    }
  }

  it.each(bad)(
    'service: { %s } is refused with line, key and what is expected, by an editor too unless a unit bounds it',
    (text, told) => {
      const file = `ledger: x.db\nservice:\n  ${text}\n`
      expect(refusalOf(file)).toBe(`The configuration file "x.yaml" has a mistake: line 3: service.${told}`)
      expect(editorAccepts(parse(file))).toBe(/\d[sh%]/.test(text))
    },
  )

  it.each([
    ['logFile: 7', 'logFile: 7 is not a path; a text that looks like it needs quotes'],
    ['ledger: ""', 'ledger: "" is not a path'],
    ['dormantSoonDays: 2000', `dormantSoonDays: 2000 ${WHOLE} 0 to 1095`],
    [
      'outcomes: { "200": refused }',
      'outcomes.200: give a status from 400 to 599, and not 401, 403 or 407, which always stop the run',
    ],
    [
      'outcomes: { "401": in_doubt }',
      'outcomes.401: give a status from 400 to 599, and not 401, 403 or 407, which always stop the run',
    ],
  ])('%s is refused so too', (text, told) => {
    expect(refusalOf(`${text}\n`)).toBe(`The configuration file "x.yaml" has a mistake: line 1: ${told}`)
    expect(editorAccepts(parse(text))).toBe(false)
  })

  it.each([
    [
      'timezone: Mars/Olympus',
      'timezone: "Mars/Olympus" is not a time zone that is known, for example Europe/Berlin',
    ],
    [
      'service: { creditorIdentifier: DE99ZZZ09999999999 }',
      'service.creditorIdentifier: "DE99ZZZ09999999999" is not a creditor identifier',
    ],
    [
      'service: { baseUrl: "http://service.example" }',
      'service.baseUrl: Cannot use the base URL: "service.example" is not this machine, and http:// would send account numbers unencrypted',
    ],
    [
      'service: { baseUrl: "https://me:geheim@service.example" }',
      'service.baseUrl: Cannot use the base URL: it holds a user name or a password',
    ],
    [
      'service: { proxy: "http://me:geheim@proxy.example" }',
      'service.proxy: Cannot use the proxy: "proxy.example" is not this machine, and http:// would send the password of the proxy in clear',
    ],
  ])('%s is refused with its line, though no schema can tell', (text, told) => {
    expect(refusalOf(`${text}\n`)).toBe(`The configuration file "x.yaml" has a mistake: line 1: ${told}`)
    expect(editorAccepts(parse(text))).toBe(true)
  })

  it('is told with all others, whether a schema can tell it or not', () => {
    expect(refusalOf('timezone: Mars\nservice:\n  rate: 0\n  baseURL: x\n')).toMatch(
      /mistakes: line 1: timezone: .*; line 4: there is no key "service\.baseURL"; the nearest is "service\.baseUrl"$/,
    )
    expect(refusalOf('timezone: Mars\nservice:\n  rate: 0\n')).toMatch(
      /line 1: timezone: .*; line 3: service\.rate: /,
    )
  })
})

describe('8.4.3 a configuration that others can change', () => {
  const DISTRUST = { why: 'anybody can write to it', next: 'Take that right away' }
  const read = (text: string) => parseConfiguration(text, 'x.yaml', DISTRUST)

  it.each([
    ['ledger: x.db', 'ledger', 1],
    ['out: reports', 'out', 1],
    ['timezone: UTC\nlogFile: run.log', 'logFile', 2],
    ['rules: { CONFLICT_MANDATE: "off" }', 'rules', 1],
    ['source: { delimiter: ";" }\noutcomes: { "503": turned_away }', 'outcomes', 2],
    ['service:\n  creditorIdentifier: DE98ZZZ09999999999\n  baseUrl: https://x', 'service.baseUrl', 3],
    ['service: { username: me }', 'service.username', 1],
    ['service: { passwordFile: secret }', 'service.passwordFile', 1],
    ['service: { proxy: "https://x" }', 'service.proxy', 1],
    ['service: { ca: ca.pem }', 'service.ca', 1],
    ['service: { clientCertificate: c.pem }', 'service.clientCertificate', 1],
    ['service: { clientKey: k.pem }', 'service.clientKey', 1],
    ['service: { maxInDoubt: 9999 }', 'service.maxInDoubt', 1],
    ['\n\n"service": { timeout: 1 }', 'service.timeout', 3],
  ])('may not say %j', (text, key, line) => {
    expect(() => parseConfiguration(text, 'x.yaml')).not.toThrow()
    expect(() => read(text)).toThrow(
      `The configuration file "x.yaml", line ${line}, sets "${key}", but others can change this file: anybody can write to it`,
    )
  })

  it('may say nothing else of what there is but how an export is read', () => {
    const { service, ...others } = configurationSchema.shape
    const reading = [
      'timezone',
      'dormantSoonDays',
      'source',
      'columns',
      'crosswalk',
      'exclude',
      'limits',
      'words',
    ]
    expect(Object.keys(others).filter((key) => !reading.includes(key))).toEqual([
      'ledger',
      'out',
      'lang',
      'logFile',
      'approval',
      'approvalValidFor',
      'readBack',
      'campaign',
      'rules',
      'approvers',
      'outcomes',
    ])
    expect(service).toBeDefined()
  })

  it('may say how an export is read', () => {
    const text = `
timezone: Europe/Berlin
dormantSoonDays: 30
service: { creditorIdentifier: DE98ZZZ09999999999 }
source: { delimiter: ";" }
columns: { customer_no: Kundennummer }
crosswalk: { file: customers.csv, from: Mitgliedsnummer, key: member_id, customer_no: customer_no }
exclude: [{ column: Status, equals: [inaktiv], reason: cancelled }]
`
    expect(read(text)).toMatchObject({ dormantSoonDays: 30, source: { delimiter: ';' } })
  })

  it('is recognised by its mode, and by that of its folder', () => {
    const file = join(folder, 'shared.yaml')
    writeFileSync(file, 'service: { proxy: "https://elsewhere.example" }\n')
    chmodSync(file, 0o644)
    expect(loadConfiguration(file).distrust).toBeNull()
    chmodSync(file, 0o666)
    expect(() => loadConfiguration(file)).toThrow('anybody on this machine can write to it (mode 0666)')
    const shared = join(folder, 'shared')
    mkdirSync(shared)
    writeFileSync(join(shared, 'x.yaml'), 'ledger: x.db', { mode: 0o600 })
    chmodSync(shared, 0o777)
    expect(() => loadConfiguration(join(shared, 'x.yaml'))).toThrow('line 1, sets "ledger"')
  })
})
