import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { DEFAULT_SOURCE_OPTIONS, sourceSections } from '../../src/source/options.js'

const schema = z.strictObject(sourceSections)

const problemsOf = (yaml: string): string[] =>
  schema.safeParse(parse(yaml)).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ??
  []

describe('the sections of the configuration file', () => {
  test('everything has a default', () => {
    expect(DEFAULT_SOURCE_OPTIONS).toMatchObject({
      source: { skipLines: 0, skipFooterLines: 0 },
      columns: {},
      exclude: [],
      limits: { recordLength: 65_536, unpackedBytes: 8 * 1024 ** 3 },
    })
  })

  test.each([
    ['source: { skiplines: 1 }', 'source: Unrecognized key: "skiplines"'],
    ['source: { encoding: latin9 }', 'source.encoding: '],
    ['source: { delimiter: ":" }', 'source.delimiter: '],
    ['source: { skipLines: -1 }', 'source.skipLines: '],
    ['columns: { iban: { column: K, transform: [stripZero] } }', 'transforms are trim, upperCase, stripZ'],
    ['columns: { konto: IBAN }', 'columns: Unrecognized key: "konto"'],
    ['columns: { iban: { constant: DE89 } }', 'columns.iban: Give the name of a column'],
    ['columns: { signed_date: { column: x, format: dd-mm } }', 'formats are iso, dd.mm.yyyy'],
    ['columns: { iban: { column: x, transform: [lower] } }', 'columns.iban: '],
    ['columns: { iban: 0 }', 'columns.iban: '],
    ['crosswalk: { from: a, key: b }', 'crosswalk.file: '],
    ['crosswalk: { file: f, from: a, key: b, secondKey: { column: c } }', 'ibanEnd: true'],
    ['exclude: [{ column: a, equals: [] , reason: r }]', 'Name at least one value'],
    ['exclude: [{ column: a, equals: [x], filled: true, reason: r }]', 'exclude.0: Give either equals'],
    ['exclude: [{ column: a, reason: r }]', 'exclude.0: Give either equals'],
    ['exclude: [{ column: a, equals: [x] }]', 'exclude.0.reason: '],
    ['words: { status: { alive: [x] } }', 'words.status: Unrecognized key: "alive"'],
    ['limits: { recordLength: 5 }', 'limits.recordLength: '],
    ['source: { exportDay: 24.12.2025 }', 'YYYY-MM-DD'],
  ])('%s is refused at its place', (yaml, message) => expect(problemsOf(yaml).join('\n')).toContain(message))
})
