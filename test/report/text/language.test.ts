import { describe, expect, it } from 'vitest'
import { RULES } from '../../../src/domain/rule/rules.js'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import { en } from '../../../src/report/text/en.js'
import { type Language, LANGUAGES, textsOf } from '../../../src/report/text/language.js'
import { faultsOf, leavesOf, SAME, saidBy } from './leaves.js'

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

describe.each(LANGUAGES)('the texts in %s', (language) => {
  it('are all there, say every value that they are given, and nothing besides', async () => {
    expect(faultsOf(await textsOf(language), en)).toEqual([])
  })

  it('name every state and rule, and themselves', async () => {
    const { tag, states, rules } = await textsOf(language)
    expect(tag).toBe(language)
    for (const state of ROW_STATES) expect(states[state].name, state).not.toBe('')
    expect(Object.keys(rules).sort()).toEqual(Object.keys(RULES).sort())
  })

  it('give each state another name', async () => {
    const names = Object.values((await textsOf(language)).states).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe.each(OTHERS)('in %s', (language) => {
  it('no text is the English one but for words that are the same', async () => {
    const english = new Map(leavesOf(en).map((leaf) => [leaf.path, saidBy(leaf)]))
    const same = leavesOf(await textsOf(language)).filter((leaf) => english.get(leaf.path) === saidBy(leaf))
    const words = same.filter((leaf) => /\p{L}{2}/u.test(saidBy(leaf)) && typeof leaf.value !== 'boolean')
    expect([...new Set(words.map(({ path }) => path))].sort()).toEqual([...SAME[language]].sort())
  })
})

/** What no text may hold: marks of another language, and a blank where a line must not break. */
const STRANGE: Readonly<Record<Language, RegExp>> = {
  en: /[„«»]/,
  de: /[”«»]|\s[:;?!]|“[^\s,;.:)]/,
  fr: /[“”„]|[ ][:;?!»]|«[^\u00A0]|[^\u00A0][;?!»]/,
  sv: /[“„«»]|\s[:;?!]/,
}

describe.each(LANGUAGES)('in %s', (language) => {
  it('quotes and points are those of the language', async () => {
    const texts = leavesOf(await textsOf(language)).map(
      (leaf) => `${leaf.path} ${saidBy(leaf).replaceAll('&#39;', "'")}`,
    )
    expect(texts.filter((text) => STRANGE[language].test(text))).toEqual([])
  })
})

describe('a language', () => {
  const { title: _, ...page } = en.page

  it.each([
    ['from which a text was taken', { ...en, page }, 'page.title is missing'],
    ['with an empty text', { ...en, totals: { ...en.totals, sum: ' ' } }, 'totals.sum is empty'],
    ['with a text that nobody reads', { ...en, more: 'more' }, 'more is too much'],
    [
      'with a text for a function',
      { ...en, page: { ...en.page, allIn: 'All' } },
      'page.allIn is of another kind',
    ],
    [
      'that leaves a figure out',
      { ...en, page: { ...en.page, firstShown: (shown: number, _total: number) => `The first ${shown}.` } },
      'page.firstShown does not say 2345678: The first 1234567.',
    ],
  ])('%s is found', (_, texts, fault) => {
    expect(faultsOf(texts, en)).toContain(fault)
  })

  it('is found where one rule has no text', () => {
    const { IBAN_CHECKSUM: __, ...rules } = en.rules
    expect(faultsOf({ ...en, rules }, en)).toEqual([
      'rules.IBAN_CHECKSUM.message is missing',
      'rules.IBAN_CHECKSUM.remedy is missing',
    ])
  })
})
