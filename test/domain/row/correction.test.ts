import { describe, expect, it } from 'vitest'
import { changesIn, changesText, countFields } from '../../../src/domain/row/correction.js'

describe('what a correction changed', () => {
  it('is told without a word of any language', () => {
    const changes = [
      { field: 'iban', before: 'DE…3000', after: 'NL…4300' },
      { field: 'signed_date', before: '', after: '2024-03-15' },
    ]
    expect(changesText(changes)).toBe('iban "DE…3000" → "NL…4300", signed_date "" → "2024-03-15"')
  })

  it('names its fields again, whatever stands in a value', () => {
    const text = changesText([
      { field: 'unique_mandate_reference', before: 'a" → "b", iban "', after: '\u0007' },
      { field: 'customer_no', before: '1', after: '2' },
    ])
    expect(text).not.toContain('\u0007')
    expect(changesIn(text).map(({ field }) => field)).toEqual(['unique_mandate_reference', 'customer_no'])
    expect(changesIn('removed with the personal data')).toEqual([])
  })

  it('is counted by field, the most frequent first', () => {
    const iban = changesText([{ field: 'iban', before: '1', after: '2' }])
    const date = changesText([{ field: 'signed_date', before: '1', after: '2' }])
    expect(countFields([date, `${iban}, ${date}`, ''])).toEqual([
      { field: 'signed_date', count: 2 },
      { field: 'iban', count: 1 },
    ])
  })
})
