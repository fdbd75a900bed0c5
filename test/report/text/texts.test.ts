import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from 'hono/html'
import { describe, expect, it } from 'vitest'
import { ROW_STATES, stateName } from '../../../src/domain/row/row-state.js'
import { type Language, LANGUAGES } from '../../../src/report/text/language.js'
import { ENGLISH, textsIn } from '../../../src/report/text/texts.js'
import { OTHERS, wordsIn } from './words.js'

const placesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

/** What no text may hold: marks of another language, and a blank where a line must not break. */
const STRANGE: Readonly<Record<Language, RegExp>> = {
  en: /[„«»]/,
  de: /[”«»]|\s[:;?!]|“[^\s,;.:)]/,
  fr: /[“”„]|[ ][:;?!»]|«[^\u00A0]|[^\u00A0][;?!»]/,
  sv: /[“„«»]|\s[:;?!]/,
}

/** Texts that a language may have in common with English. */
const SAME: Readonly<Record<Exclude<Language, 'en'>, readonly string[]>> = {
  de: ['label.bytes', 'label.plan', 'label.sha256'],
  fr: ['label.plan', 'label.sha256', 'label.source', 'plans.title', 'sources.title'],
  sv: ['day', 'label.plan', 'label.sha256'],
}

describe.each(LANGUAGES)('the texts in %s', (language) => {
  const words = wordsIn(language)

  it('are those of English, with the same places, and none is empty', () => {
    const places = (of: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(of).map(([key, text]) => [key, placesIn(text)]))
    expect(places(words)).toEqual(places(wordsIn('en')))
    expect(Object.keys(words).filter((key) => words[key] === '')).toEqual([])
  })

  it('have the quotes and points of the language', () => {
    expect(Object.values(words).filter((text) => STRANGE[language].test(text))).toEqual([])
  })

  it('give each state another name', () => {
    const { say } = textsIn(language)
    expect(new Set(ROW_STATES.map((state) => say(`state.${state}`))).size).toBe(ROW_STATES.length)
  })
})

describe.each(OTHERS)('in %s', (language) => {
  it('no text is the English one but for words that are the same', () => {
    const english = wordsIn('en')
    const same = Object.entries(wordsIn(language)).filter(([key, text]) => english[key] === text)
    const spoken = same.filter(([, text]) => /\p{L}/u.test(text.replace(/\{\w+\}/g, '')))
    expect(spoken.map(([key]) => key).sort()).toEqual(SAME[language])
  })
})

it('a state has on paper the name that it has on the screen', () => {
  for (const state of ROW_STATES) expect(ENGLISH.say(`state.${state}`).toLowerCase()).toBe(stateName(state))
})

it('11.5 what may still be at the service is never called unregistered', () => {
  for (const state of ['in_doubt', 'sending'] as const)
    expect(ENGLISH.say(`meaning.${state}`)).not.toMatch(/nothing was registered|not registered/i)
})

it('somebody shows each text', () => {
  const root = new URL('../../../src/report/', import.meta.url).pathname
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const code = files.map((name) => readFileSync(join(root, name), 'utf8')).join('\n')
  const isShown = (key: string): boolean =>
    [`'${key}'`, `words.${key}`, `\`${key.split('.')[0] ?? ''}.\${`].some((use) => code.includes(use))
  expect(Object.keys(wordsIn('en')).filter((key) => !isShown(key))).toEqual([])
})

describe('a text', () => {
  const french = textsIn('fr')

  it('has its values in its places, numbers as the language writes them', () => {
    expect(french.say('page.shown', { shown: 1_234_567, total: '{shown}' })).toBe(
      'Montrés\u00a0: 1\u202f234\u202f567 sur {shown}.',
    )
    expect(french.labelled('label.rows', 999)).toBe('Lignes\u00a0: 999')
    expect(ENGLISH.say('page.allIn')).toBe('All are in {file}.')
  })

  it('is escaped on a page, and the pieces that are put into it are not escaped twice', async () => {
    const values = { file: html`<code>${'a&b'}</code>`, command: '<b>' }
    expect((await ENGLISH.mark('refused.lead', values)).toString()).toBe(
      'Nothing was registered for these rows. Correct them in <code>a&amp;b</code> and feed the file back with &lt;b&gt;.',
    )
    expect((await french.mark('registered.meaning', values)).toString()).toContain('qu&#39;il a enregistré')
  })

  it('writes the decimals of a share, whose sign is not left alone on the next line, and spans of time', () => {
    const { share, duration, width } = french
    expect([share(1, 3), share(1, 1_000_000), share(0, 0)]).toEqual(['33,3\u00a0%', '<0,1\u00a0%', ''])
    expect([400, 7_500_000, 266_400_000].map(duration)).toEqual(['1 s', '2 h 5 min', '3 j 2 h'])
    expect([1000, 600_000, 3_600_000, 604_800_000].map(width)).toEqual(['1 s', '10 min', '1 h', '7 j'])
  })
})
