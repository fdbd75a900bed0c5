import { describe, expect, it } from 'vitest'
import { settingLines, settingText } from '../../../src/report/page/annex-runs.js'
describe('settings as text', () => {
  it('are one line each, names as words, parts in brackets, what is not set left out', () => {
    const reading = {
      encoding: { encoding: 'utf-8', by: 'strict UTF-8' },
      delimiter: { delimiter: '\t', by: 'header line' },
      headerLine: 1,
      columns: { signed_date: 'Mandatsdatum' },
      crosswalk: null,
      transforms: {},
      exclude: [{ column: 'Status', equals: ['gekündigt', 'inaktiv'] }],
    }

    expect(settingLines(Object.entries(reading))).toEqual([
      'encoding (encoding: utf-8, by: strict UTF-8)',
      'delimiter (delimiter: "<U+0009>", by: header line)',
      'header line: 1',
      'columns (signed_date: Mandatsdatum)',
      'exclude (column: Status, equals (gekündigt, inaktiv))',
    ])
  })

  it('10.3.5 leave out what is switched off, and have names that a person understands', () => {
    const settings = { stopAtCanaryDoubt: false, freshConnections: false, rate: 5 }
    expect(settingLines(Object.entries(settings))).toEqual(['rate: 5'])
    expect(settingLines(Object.entries({ stopAtCanaryDoubt: true }))).toEqual([
      'stop where the very first row gets no answer: yes',
    ])
  })

  it('show a number, a truth value and hostile text as what they are', () => {
    expect([8, true, 'a\u202Eb', ''].map(settingText)).toEqual(['8', 'yes', '"a<U+202E>b"', '""'])
  })
})
