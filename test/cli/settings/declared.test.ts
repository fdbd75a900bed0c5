import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseConfiguration } from '../../../src/cli/settings/configuration.js'
import { noConfiguration, readSettings } from '../../../src/cli/settings/settings.js'
import {
  SETTING_NAMES,
  settingOf,
  type SettingName,
  environmentName,
  isOption,
} from '../../../src/cli/settings/declared.js'
import { UsageError } from '../../../src/errors.js'
import { SAMPLES } from '../../support/program.js'
import { worldOf } from '../world.js'

const locate = (path: string): string => resolve('/elsewhere', path)

const schema = JSON.parse(readFileSync(join(SAMPLES, 'sepa-migrate.schema.json'), 'utf8')) as object
const editorAccepts = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)

const under = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)

const REFUSED = Symbol('refused')

function orRefused<Value>(read: () => Value): Value | typeof REFUSED {
  try {
    return read()
  } catch (error) {
    if (error instanceof UsageError) return REFUSED
    throw error
  }
}

const byFlag = (name: SettingName, text: string): unknown =>
  orRefused(() => readSettings({ [name]: text }, worldOf(), noConfiguration).get(name))

const byEnvironment = (name: SettingName, variable: string, text: string): unknown =>
  orRefused(() => readSettings({}, worldOf({ env: { [variable]: text } }), noConfiguration).get(name))

/** JSON is YAML: what stands in the file is exactly this value. */
function byFile(name: SettingName, path: readonly string[], value: unknown): unknown {
  const text = JSON.stringify(under(path, value))
  return orRefused(() => {
    const configuration = { ...noConfiguration, values: parseConfiguration(text, 'x.yaml'), locate }
    return readSettings({}, worldOf(), configuration).get(name)
  })
}

/** What the file says of a path is relative to the file. */
const located = (name: SettingName, value: unknown): unknown =>
  settingOf(name).kind.isPath === true && typeof value === 'string' ? locate(value) : value

/** No schema knows the time zones of a machine, the checksum of an identifier, or what an address leads to. */
const PROGRAM_ALONE: readonly SettingName[] = ['timezone', 'creditorIdentifier', 'baseUrl', 'proxy']

const nearly = (bounds: string): fc.Arbitrary<string> => fc.constantFrom(...bounds.split(' '))
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.stringMatching(/^[-+]?\d{0,10}(\.\d{0,8})?[smh%]?$/).filter((text) => text !== ''),
  fc.tuple(fc.nat(3_000_000), nearly(' s m h %')).map((parts) => parts.join('')),
  fc.double({ min: 0, max: 3_000_000, noNaN: true }).map(String),
  nearly(
    '0 1 00 007 8 255 256 257 1095 1096 0.001 0.0009 0.00 0.0010 1. .5 1e3 0x10 1_0 ,5 99999.9 100000 100000.0 100000.01 ' +
      '100% 100.0% 100.1% 0% 0.0% 99.99% -1% % 999999999 1000000000 2147483 2147483.1 2147484 35791m 35791.5m 35792m ' +
      '596h 596.1h 597h 0s 0.001h 90d 2H 1h30m true false yes no 1 y TRUE Europe/Berlin UTC Mars/Olympus ' +
      'DE98ZZZ09999999999 DE99ZZZ09999999999 https://service.example http://127.0.0.1:8080 http://service.example ' +
      'ftp://service.example https://me:secret@service.example https://service.example/?a=b https:// ' +
      'https://service.example/api/v2/api/v2',
  ),
  fc.constantFrom(' HTTPS://service.example/x ', 'https://a b'),
)
const values = fc.oneof(
  texts,
  fc.integer({ min: -2, max: 3000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1, max: 3_000_000, noNaN: true }),
  fc.constantFrom(0, -0, 0.001, 0.0009, 256, 257, 1.5, 100_000, 2_147_483, 2_147_484, 1e21, 1e-7),
  fc.constantFrom(999_999_999, 1_000_000_000),
  fc.constantFrom('', 'a\0b'),
  fc.constantFrom(true, false, null, [], {}, ['8'], { a: 1 }),
)

const configured = SETTING_NAMES.flatMap((name) => {
  const path = settingOf(name).configured
  return path === undefined ? [] : [{ name, path }]
})

/** Of each setting; more with SETTING_DRAWS. */
const DRAWS = { numRuns: Number(process.env['SETTING_DRAWS'] ?? 20) }

describe('a declared setting', () => {
  it.each(configured)('$name means the same, wherever it is said', ({ name, path }) => {
    fc.assert(
      fc.property(texts, (text) => {
        const inFile = byFile(name, path, text)
        const elsewhere = [
          ...(isOption(name) ? [byFlag(name, text)] : []),
          ...[environmentName(name) ?? []].flat().map((variable) => byEnvironment(name, variable, text)),
          orRefused(() => settingOf(name).kind.read(text, 'here')),
        ]
        for (const value of elsewhere) expect(inFile).toEqual(located(name, value))
      }),
      DRAWS,
    )
  })

  it.each(configured)('$name is refused by an editor where the program refuses it', ({ name, path }) => {
    fc.assert(
      fc.property(values, (value) => {
        const given = JSON.parse(JSON.stringify(under(path, value))) as unknown
        const accepted = editorAccepts(given)
        const read = byFile(name, path, value)
        if (PROGRAM_ALONE.includes(name) && accepted) return
        // Whether a number in quotes is too large is left to the program.
        if (typeof value === 'string' && accepted && read === REFUSED) return
        expect(read !== REFUSED, JSON.stringify(given)).toBe(accepted)
        if (accepted)
          expect(read).toEqual(
            located(name, settingOf(name).kind.read(`${value as string | number | boolean}`, 'here')),
          )
      }),
      DRAWS,
    )
  })

  it('without a place in the file means the same from flag and environment', () => {
    const others = SETTING_NAMES.filter((name) => settingOf(name).configured === undefined && isOption(name))
    expect(others.length).toBeGreaterThan(5)
    for (const name of others.filter((one) => one !== 'config'))
      fc.assert(
        fc.property(texts, (text) => {
          expect(byEnvironment(name, environmentName(name) ?? '', text)).toEqual(byFlag(name, text))
        }),
        DRAWS,
      )
  })
})
