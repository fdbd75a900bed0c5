import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { DEFAULT_SOURCE_OPTIONS, sourceSections } from '../../src/source/options.js'

const schema = z.strictObject(sourceSections)

const problemsOf = (yaml: string): string[] =>
  schema.safeParse(parse(yaml)).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ??
  []

describe('the sections of the configuration file', () => {
  test('an example of every section is valid', () => {
    const yaml = `
      source: { delimiter: ";", encoding: windows-1252, skipLines: 1, skipFooterLines: 0 }
      columns:
        iban: IBAN
        signed_date: { column: Mandatsdatum, format: dd.mm.yyyy }
        sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }
        unique_mandate_reference: Mandatsreferenz
        last_collection_date: { column: Letzte Lastschrift, format: dd.mm.yyyy }
      crosswalk: { file: customers.csv, from: Mitgliedsnummer, key: member_id, customer_no: customer_no }
      exclude:
        - { column: Status, equals: [gekündigt, inaktiv], reason: cancelled at the previous creditor }`
    expect(problemsOf(yaml)).toEqual([])
  })

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
    [
      'columns: { customer_no: { column: K, transform: [stripZero] } }',
      'columns.customer_no: Transforms are trim, upperCase, stripZeros',
    ],
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
  ])('%s is refused at its place', (yaml, message) => {
    expect(problemsOf(yaml).join('\n')).toContain(message)
  })

  test('can be published as a JSON Schema for editors', () => {
    const published = z.toJSONSchema(schema, { io: 'input' })
    expect(Object.keys(published.properties ?? {})).toEqual(Object.keys(sourceSections))
    expect(JSON.stringify(published)).toContain('Physical lines before the header')
  })
})
