import { describe, expect, it } from 'vitest'
import { WORDS } from '../../../src/domain/value/words.js'
import { kindByAnswers, kindByWords } from '../../../src/source/guess/column-kind.js'

const counts = (words: Readonly<Record<string, number>>) => new Map(Object.entries(words))
const byWords = (words: Readonly<Record<string, number>>) => kindByWords(counts(words), WORDS)
const byAnswers = (name: string, words: Readonly<Record<string, number>>) =>
  kindByAnswers(name, counts(words), WORDS)

describe('a column by its words', () => {
  it('one word that keeps a mandate back is enough among any number that nobody knows', () => {
    expect(byWords({ gekündigt: 1, hocus: 900, pocus: 900 })).toMatchObject({
      field: 'status',
      form: 'words',
      staysBehind: [{ word: 'gekündigt', count: 1, rule: 'STATUS_NOT_ACTIVE' }],
      unknown: [
        { word: 'hocus', count: 900 },
        { word: 'pocus', count: 900 },
      ],
    })
  })

  it('words that other columns have too count where half of the column is understood', () => {
    expect(byWords({ single: 5, married: 6 })).toBeNull()
    expect(byWords({ single: 5, married: 5 })).toMatchObject({ field: 'sequence' })
  })

  it('good words alone count where most of the column is understood', () => {
    expect(byWords({ RCUR: 8, zzz: 2 })).toMatchObject({ field: 'sequence', staysBehind: [] })
    expect(byWords({ RCUR: 7, zzz: 3 })).toBeNull()
  })

  it('of two kinds the one that understands more wins', () => {
    expect(byWords({ B2B: 3, CORE: 50, gekündigt: 1 })?.field).toBe('scheme')
  })
})

it('a column that says yes or no is none where one cell is no answer, or no row stays behind', () => {
  expect(byAnswers('Gekündigt', { ja: 2, nein: 8, vielleicht: 1 })).toBeNull()
  expect(byAnswers('Gekündigt', { nein: 8 })).toBeNull()
  expect(byAnswers('Newsletter', { ja: 2, nein: 8 })).toBeNull()
})
