import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { samples } from '../contract/wire-samples.js'
import { checkFaults } from '../../src/sandbox/faults/faults.js'

const at = (path: string) => new URL(path, import.meta.url)
const pageOf = (name: string) => readFileSync(at(`../../src/sandbox/${name}`), 'utf8')
const readme = pageOf('README.md')
const coverage = pageOf('coverage.md')
const rows = coverage
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, section = '', says = '', where = '']) => {
    const [, file, name] = /^`([\w/-]+\.test\.ts)`: (.+)$/.exec(where) ?? []
    return file === undefined || name === undefined
      ? []
      : [{ sections: section.split(', '), says, file, name }]
  })

const namesIn = (...objects: readonly object[]) => [...new Set(objects.flatMap((each) => Object.keys(each)))]
const { createOffer, updateBillogram, migrateMandate } = samples
const { request, response } = updateBillogram

/** The rows of the tables of fields, and their names in a response where a table has none. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '2.1': namesIn(createOffer.request, createOffer.response.data),
  '2.2': namesIn(request, response.data),
  '2.2.1': namesIn(request.customer),
  '2.2.2': namesIn(...request.items),
  '2.2.3': namesIn(...response.data.events),
  '2.2.4': namesIn(...request.automatic_reminders_settings),
  '2.3': namesIn(migrateMandate.request, migrateMandate.response.data),
}

/** The other rows: rules, endpoints, what is not shown, limits. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  '2': ['dates', 'times'],
  '2.2.3': ['failed direct debit'],
  '2.2.4': ['rule 1', 'rule 2', 'rule 3'],
  '3': ['state'],
  '4': ['paths', 'five response cases'],
  '4.1': ['create an offer'],
  '4.2': ['the id', 'response', 'status codes', 'omitted fields', 'return_data'],
  '4.3': ['required', 'assigned', 'final'],
  '5.1': ['Basic'],
  '5.2': ['base address'],
  '5.3': ['credentials'],
  '6': ['failed direct debit', 'callbacks', 'format and signature', 'event types'],
  '7': ['errors'],
  '8': ['offer_id', 'title', 'text', 'info_link', 'creditor_unique_value', 'customer_no', 'request size'],
  '9': ['/api/v2'],
}

describe('the pages of the sandbox', () => {
  it('names for each line of the interface a test that exists', () => {
    expect(rows.length).toBeGreaterThan(40)
    for (const { sections, file, name } of rows) {
      const source = readFileSync(at(`../${file}`), 'utf8')
      const found = source.replaceAll("\\'", "'").includes(name)
      expect(found, `section ${sections.join(', ')}: "${name}" in ${file}`).toBe(true)
    }
  })

  it('27 names a test for every row of the interface, its fields by the samples that were typed from it', () => {
    const linesOf = (section: string) => rows.filter(({ sections }) => sections.includes(section))
    for (const [section, fields] of Object.entries(FIELDS))
      for (const field of fields)
        expect(
          linesOf(section).some(({ says }) => says.includes(`\`${field}\``)),
          `${section} ${field}`,
        ).toBe(true)
    for (const [section, phrases] of Object.entries(OTHERS))
      for (const phrase of phrases)
        expect(
          linesOf(section).some(({ says }) => says.includes(phrase)),
          `${section} ${phrase}`,
        ).toBe(true)
  })

  it('shows a fault script that works', () => {
    const [, script] = /```json\n([^`]+)```/.exec(readme) ?? []
    expect(checkFaults(JSON.parse(script ?? ''))).toHaveLength(3)
  })

  it('numbers its choices without a gap, and the code names only numbers that exist', () => {
    const numbers = [...pageOf('choices.md').matchAll(/^\| (\d+) +\|/gm)].map(([, number]) => Number(number))
    expect(numbers.length).toBeGreaterThan(20)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    const folder = at('../../src/sandbox/')
    const named = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...pageOf(name).matchAll(/\bchoice (\d+)|^ {2}\/\*\* (\d+)\. /gm)])
      .map(([, choice, line]) => Number(choice ?? line))
    expect(named.length).toBeGreaterThan(7)
    for (const number of named) expect(numbers).toContain(number)
  })
})
