import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { configurationSchema, parseConfiguration } from '../../../src/cli/settings/configuration.js'
import { loadConfiguration } from '../../../src/cli/settings/settings.js'
import { SETTING_NAMES, settingOf } from '../../../src/cli/settings/declared.js'
import { UsageError } from '../../../src/errors.js'
import { checkIban } from '../../../src/index.js'
import { freshFolder } from '../../support/folder.js'
import { SAMPLES } from '../../support/program.js'

const SCHEMA_FILE = join(SAMPLES, 'sepa-migrate.schema.json')
const schemaText = (): string =>
  `${JSON.stringify(z.toJSONSchema(configurationSchema, { io: 'input' }), null, 2)}\n`

/** UPDATE_SAMPLES=1 writes the file anew after the schema was changed. */
if (process.env['UPDATE_SAMPLES'] === '1') writeFileSync(SCHEMA_FILE, schemaText())

const schema = JSON.parse(readFileSync(SCHEMA_FILE, 'utf8')) as object
const editorAccepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)

/** What is told of the mistakes of a file, without the name of the file. */
function told(text: string): string {
  try {
    parseConfiguration(text, 'x.yaml')
    return 'accepted'
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message.replace(/^The configuration file "x\.yaml" has (a mistake|mistakes): /, '')
  }
}

describe('the configuration file', () => {
  it('has a JSON Schema in the package that is the one the program reads by', () => {
    expect(readFileSync(SCHEMA_FILE, 'utf8')).toBe(schemaText())
  })

  it.each(['german.yaml', 'french.yaml'])('of %s is accepted, by an editor too', (name) => {
    const text = readFileSync(join(SAMPLES, name), 'utf8')
    expect(told(text)).toBe('accepted')
    expect(editorAccepts(parse(text)), JSON.stringify(editorAccepts.errors)).toBe(true)
    // Each key of it is known: none is called a typo.
    expect(told(`${text}\nservce: {}\n`)).toMatch('there is no key "servce"; the nearest is "service"')
  })

  const bomb = Array.from('bcdefghi', (name, at) => {
    const before = `*${'abcdefgh'.charAt(at)}`
    return `${name}: &${name} [${`${before},`.repeat(9)}${before}]`
  })
  it.each([
    ['an alias bomb', `a: &a [${'x,'.repeat(9)}x]\n${bomb.join('\n')}\n`],
    ['an alias of nothing', 'ledger: *nowhere\n'],
    ['an alias of itself', 'source: &a { delimiter: *a }\n'],
    ['a list of itself', '&a [*a]\n'],
    ['a depth that nobody writes', '['.repeat(200_000)],
    ['a merge key bomb', `x: &x { <<: *x }\n`],
    ['text that is not YAML', 'service: ['],
  ])('ends with a usage error for %s', (_what, text) => {
    expect(() => parseConfiguration(text, 'bomb.yaml')).toThrow(UsageError)
  })

  it('may use an anchor and its alias in good faith', () => {
    const rule = '{ column: Status, equals: [cancelled], reason: cancelled }'
    expect(parseConfiguration(`exclude:\n  - &one ${rule}\n  - *one\n`, 'x.yaml').exclude).toHaveLength(2)
  })

  it('may name the rule of a second opinion on accounts, as the rulebook has it', () => {
    const { rules } = parseConfiguration('rules: { IBAN_LIBRARY_DISAGREES: "off" }', 'x.yaml')
    expect(checkIban('DE89370400440532013000', rules)).toEqual(checkIban('DE89370400440532013000'))
  })

  it('says what rules and statuses mean', () => {
    const rules = 'rules: { CUSTOMER_MULTIPLE_MANDATES: error, IBAN_NATIONAL_CHECK: "off" }'
    expect(parseConfiguration(`${rules}\noutcomes: { "503": turned_away }`, 'x.yaml')).toMatchObject({
      rules: { CUSTOMER_MULTIPLE_MANDATES: 'error', IBAN_NATIONAL_CHECK: 'off' },
      outcomes: { 503: 'turned_away' },
    })
  })

  it.each([
    ['at the top', 'ledger: x.db\nservce: {}', 2, 'servce', 'service'],
    ['in a section', 'service:\n  base_url: https://x', 2, 'service.base_url', 'service.baseUrl'],
    ['one level too high', '# mine\nbaseUrl: https://x', 2, 'baseUrl', 'service.baseUrl'],
    ['in a rule', 'rules:\n  IBAN_SHARD: error', 2, 'rules.IBAN_SHARD', 'rules.IBAN_SHARED'],
    ['in a column', 'columns:\n  iban:\n    colum: Konto', 3, 'columns.iban.colum', 'columns.iban.column'],
    [
      'in a list',
      'exclude: [{ column: A, equal: [x], reason: y }]',
      1,
      'exclude.0.equal',
      'exclude.0.equals',
    ],
    ['with letters swapped', 'colunms: {}', 1, 'colunms', 'columns'],
    ['that resembles nothing', 'ledger: x.db\nfrobnicate: 1', 2, 'frobnicate', null],
    ['that every object has', 'constructor: 1', 1, 'constructor', null],
  ])('names line and nearest key of a typo %s', (_where, text, line, key, nearest) => {
    const near = nearest === null ? '' : `; the nearest is "${nearest}"`
    expect(told(`${text}\n`)).toBe(`line ${line}: there is no key "${key}"${near}`)
  })

  it.each([
    ['exclude: 3', 'exclude: must be a list'],
    ['service: 3', 'service: must be a map'],
    ['profile: 3', 'profile: must be text'],
    ['crosswalk: { file: x }', 'crosswalk.from: is required; line 1: crosswalk.key: is required'],
    ['approvers: { " ": x }', 'approvers. : cannot be used'],
    ['limits: { columns: 1 }', 'limits.columns: must be at least 2'],
    ['crosswalk: { file: "", from: a, key: b }', 'crosswalk.file: must not be empty'],
  ])('says of %s in our own words what is wrong', (text, why) => {
    expect(told(text)).toBe(`line 1: ${why}`)
  })

  it('names the line of a value that cannot be, and every mistake in the order of the file', () => {
    const source = 'source:\n  skipLine: 1\n  skipFooterLines: many\n'
    expect(told(`outcomes:\n  "500": registered\n${source}rules: { IBAN_SHARED: fatal }\n`)).toMatch(
      /^line 2: outcomes\.500: .*; line 4: there is no key "source\.skipLine"; .*; line 5: source\.skipFooterLines: .*; line 6: rules\.IBAN_SHARED: /,
    )
    // Also what no schema can tell.
    expect(told('timezone: Mars\nservice:\n  rate: 0\n')).toMatch(
      /^line 1: timezone: .*; line 3: service\.rate: /,
    )
  })

  it('names a file that cannot be read, and makes its paths absolute from its own folder', () => {
    const folder = freshFolder()
    expect(() => loadConfiguration(join(folder, 'missing.yaml'))).toThrow(/missing\.yaml/)
    writeFileSync(join(folder, 'campaign.yaml'), 'ledger: march.db\n')
    const { locate } = loadConfiguration(join(folder, 'campaign.yaml'))
    expect(locate('customers.csv')).toBe(join(folder, 'customers.csv'))
  })
})

describe('a value that cannot be', () => {
  const whole = (of: string): string => ` is not a whole number from ${of}`
  const DURATION = ' is not a duration from 0.001 to 2147483 seconds, for example 90, 90s, 15m or 2h'
  const SHARE = `${whole('0 to 999999999')}, or a share from 0% to 100%`
  const ADDRESS = 'it is not an address that begins with https:// (http:// only for this machine)'
  const QUOTES = '; a text that looks like it needs quotes'
  /** As YAML, with the line of the value. */
  function placed(given: string) {
    const [path = '', value = ''] = given.split(/: (.*)/)
    const [section, key] = path.split('.')
    if (key === undefined) return { path, line: 1, text: given }
    return { path, line: 2, text: `${section ?? ''}:\n  "${key}": ${value}\n` }
  }
  const STATUS = 'give a status from 400 to 599, and not 401, 403 or 407, which always stop the run'

  it.each([
    ['service.concurrency: abc', `"abc"${whole('1 to 256')}`],
    ['service.concurrency: ', `nothing${whole('1 to 256')}`],
    ['service.concurrency: [8]', `a list${whole('1 to 256')}`],
    ['service.rate: 0', '0 is not a number from 0.001 to 100000'],
    ['service.rate: .inf', 'Infinity is not a number from 0.001 to 100000'],
    ['service.timeout: 5 parsecs', `"5 parsecs"${DURATION}`],
    ['service.timeout: 600h', `"600h"${DURATION}`],
    ['service.maxRefused: 200%', `"200%"${SHARE}`],
    ['service.maxInDoubt: -1', `-1${whole('0 to 999999999')}`],
    ['service.baseUrl: service', ADDRESS],
    ['service.proxy: ftp://me:geheim@x', ADDRESS],
    ['service.username: ""', '"" is not a text'],
    ['service.username: 4711', `4711 is not a text${QUOTES}`],
    ['service.freshConnections: often', '"often" is not yes or no: true, yes or 1, false, no or 0'],
    ['logFile: 7', `7 is not a path${QUOTES}`],
    ['ledger: ""', '"" is not a path'],
    ['dormantSoonDays: 2000', `2000${whole('0 to 1095')}`],
    ['outcomes.200: refused', STATUS],
    ['outcomes.401: in_doubt', STATUS],
  ])('%s is refused with line, key and what is expected, by an editor too', (given, why) => {
    const { path, line, text } = placed(given)
    expect(told(text)).toBe(`line ${line}: ${path}: ${why}`)
    // What a unit bounds is left to the program.
    expect(editorAccepts(parse(text))).toBe(/\d[sh%]$/.test(given))
  })

  it.each([
    ['timezone: Mars/Olympus', '"Mars/Olympus" is not a time zone that is known'],
    ['service.creditorIdentifier: DE99ZZZ09999999999', 'is not a creditor identifier'],
    ['service.baseUrl: "http://service.example"', 'http:// would send account numbers unencrypted'],
    ['service.baseUrl: "https://me:geheim@service.example"', 'it holds a user name or a password'],
    ['service.proxy: "http://me:geheim@proxy.example"', 'would send the password of the proxy in clear'],
  ])('%s is refused with line and key, which no schema can tell', (given, why) => {
    const { path, line, text } = placed(given)
    expect(told(text)).toMatch(`line ${line}: ${path}: `)
    expect(told(text)).toContain(why)
    expect(told(text)).not.toContain('geheim')
    expect(editorAccepts(parse(text))).toBe(true)
  })
})

describe('a configuration that others can change', () => {
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
    ['service: { maxInDoubt: 9999 }', 'service.maxInDoubt', 1],
    ['\n\n"service": { timeout: 1 }', 'service.timeout', 3],
  ])('may not say %j', (text, key, line) => {
    expect(told(text)).toBe('accepted')
    expect(() => read(text)).toThrow(`line ${line}: ${key}: others can change this file (${DISTRUST.why})`)
  })

  it('may say how an export is read, and nothing else of what there is', () => {
    const reading = {
      timezone: 'Europe/Berlin',
      dormantSoonDays: 30,
      source: { delimiter: ';' },
      columns: { customer_no: 'Kundennummer' },
      crosswalk: { file: 'customers.csv', from: 'Mitgliedsnummer', key: 'member_id', customer_no: 'no' },
      join: [{ file: 'accounts.csv', on: { Mitgliedsnummer: 'member_id' }, take: { iban: 'IBAN' } }],
      exclude: [{ column: 'Status', equals: ['inaktiv'], reason: 'cancelled' }],
      limits: {},
      words: {},
      profile: 'sap',
      service: { creditorIdentifier: 'DE98ZZZ09999999999' },
    }
    expect(read(JSON.stringify(reading))).toMatchObject({ dormantSoonDays: 30, source: { delimiter: ';' } })
    const named = SETTING_NAMES.filter((name) => settingOf(name).isReading === true)
    expect(named.toSorted()).toEqual(['creditorIdentifier', 'dormantSoonDays', 'timezone'])
    const others = Object.keys(configurationSchema.shape).filter((key) => !(key in reading))
    const known =
      'ledger out lang logFile approval approvalValidFor readBack campaign rules approvers outcomes'
    expect(others.sort()).toEqual(known.split(' ').sort())
  })

  it('is recognised by its mode, and by that of its folder', () => {
    const folder = freshFolder()
    const [file, shared] = [join(folder, 'shared.yaml'), join(folder, 'shared')]
    writeFileSync(file, 'service: { proxy: "https://elsewhere.example" }\n')
    chmodSync(file, 0o644)
    expect(loadConfiguration(file).distrust).toBeNull()
    chmodSync(file, 0o666)
    expect(() => loadConfiguration(file)).toThrow('anybody on this machine can write to it (mode 0666)')
    mkdirSync(shared)
    writeFileSync(join(shared, 'x.yaml'), 'ledger: x.db', { mode: 0o600 })
    chmodSync(shared, 0o777)
    expect(() => loadConfiguration(join(shared, 'x.yaml'))).toThrow('line 1: ledger: others can')
  })
})
