import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { html } from 'hono/html'
import { describe, expect, it } from 'vitest'
import { ROW_STATES, stateName } from '../../../src/domain/row/row-state.js'
import { RULES } from '../../../src/domain/rule/verdict.js'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { renderPage } from '../../../src/report/page/page.js'
import { type Language, LANGUAGES } from '../../../src/report/pack/pack-folder.js'
import { ENGLISH, textsIn } from '../../../src/report/text/texts.js'
import { FULL, MORE, PLAN } from '../full-ledger.js'
import { factsOf, many, problemOf, registeredRow, sourceOf, type LedgerValue } from '../ledger-value.js'
import { sheetsOf, workbookOf } from '../workbook-value.js'

const ROOT = fileURLToPath(new URL('../../../src/report/', import.meta.url))

/** All that a language says, by key. */
const wordsIn = (language: Language): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(ROOT, `text/${language}.json`), 'utf8')) as Record<string, string>
const rulesIn = (language: Language): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(join(ROOT, `text/rules/${language}.json`), 'utf8')) as Record<string, string>
const placesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).sort()

/** What no text may hold: marks of another language, and a blank where a line must not break. */
const STRANGE: Readonly<Record<Language, RegExp>> = {
  en: /[„«»]/,
  de: /[”«»]|\s[:;?!]|“[^\s,;.:)]/,
  fr: /[“”„]|[ ][:;?!»]|«[^\u00A0]|[^\u00A0][;?!»]/,
  it: /[“”„]|\s[:;?!»]|«\s/,
  es: /[“”„]|\s[:;?!»]|«\s|[?!]/,
  sv: /[“„«»]|\s[:;?!]/,
}

/** Texts that a language may have in common with English. */
const SAME: Readonly<Record<Language, readonly string[]>> = {
  en: [],
  de: ['label.bytes', 'label.plan', 'label.sha256'],
  fr: ['label.plan', 'label.sha256', 'label.source', 'plans.title', 'sources.title'],
  it: ['label.file', 'label.record', 'label.sha256', 'no'],
  es: ['day', 'label.bytes', 'label.plan', 'label.sha256', 'no', 'severity.error'],
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
    const rules = language === 'en' ? {} : rulesIn(language)
    const texts = [...Object.values(words), ...Object.values(rules)]
    expect(texts.filter((text) => STRANGE[language].test(text))).toEqual([])
  })

  it('give each state another name', () => {
    const { say } = textsIn(language)
    expect(new Set(ROW_STATES.map((state) => say(`state.${state}`))).size).toBe(ROW_STATES.length)
  })
})

it('a state has on paper the name that it has on the screen', () => {
  for (const state of ROW_STATES) expect(ENGLISH.say(`state.${state}`).toLowerCase()).toBe(stateName(state))
})

it('what may still be at the service is never called unregistered', () => {
  for (const state of ['in_doubt', 'sending'] as const)
    expect(ENGLISH.say(`meaning.${state}`)).not.toMatch(/nothing was registered|not registered/i)
})

it('somebody shows each text', () => {
  const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const code = files.map((name) => readFileSync(join(ROOT, name), 'utf8')).join('\n')
  const isShown = (key: string): boolean =>
    [`'${key}'`, `words.${key}`, `\`${key.split('.')[0] ?? ''}.\${`].some((use) => code.includes(use))
  expect(Object.keys(wordsIn('en')).filter((key) => !isShown(key))).toEqual([])
})

describe('a text', () => {
  const french = textsIn('fr')

  it('has its values in its places, numbers as the language writes them', () => {
    const counted = french.say('page.shown', { shown: 1_234_567, total: '{shown}' })
    expect(counted).toBe('Montrés\u00a0: 1\u202f234\u202f567 sur {shown}.')
    expect(french.labelled('label.rows', 999)).toBe('Lignes\u00a0: 999')
    expect(ENGLISH.say('page.allIn')).toBe('All are in {file}.')
  })

  it('has the word for its number', () => {
    const sentence = (records: number, repeats: number, texts = ENGLISH): string =>
      texts.say('verdict.everyRecord', {
        records,
        sources: 1,
        lists: repeats,
        mandates: records - repeats,
        repeats,
      })
    expect(sentence(1, 0)).toBe('1 record in 1 export: 1 mandate. Each record is in exactly one state.')
    expect(sentence(6004, 1)).toContain('1 list: 6,003 mandates, and 1 record that repeats one')
    expect(sentence(3, 2, french)).toContain(': 1 mandat et 2 enregistrements qui en répètent un')
  })

  it('of a rule stands in a message in place of the English one, beside what was seen', () => {
    const { message } = RULES.IBAN_CHECKSUM
    const german = textsIn('de')
    const seen = { message: `iban: ${message} It is cell B7.`, rule: 'IBAN_CHECKSUM OTHER' }
    expect(german.translated(seen)).toBe('iban: Die IBAN enthält einen Tippfehler. It is cell B7.')
    expect(german.translated({ message, rule: 'IBAN_EMPTY' })).toBe(message)
    expect(ENGLISH.translated(seen)).toBe(seen.message)
  })

  it('is escaped on a page, and the pieces that are put into it are not escaped twice', async () => {
    const values = { file: html`<code>${'a&b'}</code>`, command: '<b>' }
    expect((await ENGLISH.mark('refused.lead', values)).toString()).toContain(
      'in <code>a&amp;b</code> and feed the file back with &lt;b&gt;.',
    )
    expect((await french.mark('registered.meaning', values)).toString()).toContain('qu&#39;il a enregistré')
  })

  it('writes the decimals of a share, whose sign is not left alone on the next line, and spans of time', () => {
    const { share, duration } = french
    expect([share(1, 3), share(1, 1_000_000), share(0, 0)]).toEqual(['33,3\u00a0%', '<0,1\u00a0%', ''])
    expect([400, 7_500_000, 266_400_000].map(duration)).toEqual(['1 s', '2 h 5 min', '3 j 2 h'])
  })
})

/** English texts that stand whole on what another language shows. */
const englishOn = (shown: string, language: Language): string[] => {
  const own = wordsIn(language)
  return Object.entries(wordsIn('en')).flatMap(([key, text]) =>
    text.length > 12 && own[key] !== text && shown.includes(text) ? [text] : [],
  )
}

const MONTHS = (wordsIn('en')['months'] ?? '').split(' ')
const ENGLISH_DATE = new RegExp(`(?<!\\d)(\\d{1,2}) (${MONTHS.join('|')})(?= \\d{4})`, 'g')
const two = (figure: number | string): string => String(figure).padStart(2, '0')

/** Every figure, as digits; a month that English names is one too. */
const figuresOn = (text: string): string[] => {
  const inFigures = (_: string, day: string, month: string) => `${two(day)} ${two(MONTHS.indexOf(month) + 1)}`
  const dated = text.replace(ENGLISH_DATE, inFigures)
  const digits = dated
    .replace(/(?<=\d)[.,\u00A0\u202F](?=\d{3}(?!\d))/g, '')
    .matchAll(/(?<!\p{L})\d+(?!\p{L})/gu)
  return [...digits].map(([figure]) => figure).sort()
}

/** The page as a reader sees it, without what is said to be English; blanks that group digits stay. */
const shown = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<(span|p|ul)[^>]* lang="en">.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/[ \t\r\n]+/g, ' ')

/** Pages that show everything, nothing, something that does not add up, and where nothing is open. */
async function pagesIn(language: Language): Promise<string[]> {
  const render = async (value: LedgerValue, more: Partial<ReportFacts> = {}): Promise<string> =>
    renderPage({ ...(await factsOf(value)), ...more }, textsIn(language))
  const sources = [sourceOf({ records: 1, reading: { columns: { iban: 'IBAN' } } })]
  const totals = { ...(await factsOf(FULL)).totals, read: 1_234_567, resubmitted: 3, ready: 9 }
  const { campaign } = await factsOf({})
  const rehearsed = { ...campaign, baseUrl: 'http://127.0.0.1:4000', purgedAt: '2026-06-15T09:00:00.000Z' }
  return [
    await render(FULL, MORE),
    await render(FULL, { ...MORE, balanced: true, notTaken: 2, totals }),
    await render({ rows: [registeredRow(1)], sources }, { plans: many(61, () => PLAN) }),
    await render({}, { campaign: rehearsed }),
    await render({}, { campaign: { ...rehearsed, baseUrl: null } }),
  ]
}

const cellsOf = (book: ReturnType<typeof sheetsOf>): string =>
  [...book.values()]
    .flat(2)
    .map(({ value }) => value)
    .join('\n')
const written = new Map<Language, Promise<{ pages: string[]; book: ReturnType<typeof sheetsOf> }>>()
async function write(language: Language) {
  const value = { ...FULL, problems: [problemOf({ rowId: 1 })] }
  const book = sheetsOf(await workbookOf(value, undefined, textsIn(language)))
  return { pages: await pagesIn(language), book }
}
async function reportIn(language: Language) {
  written.set(language, written.get(language) ?? write(language))
  const { pages, book } = await written.get(language)!
  return { pages, book, texts: [...pages.map(shown), cellsOf(book)] }
}

describe.each(LANGUAGES)('page and workbook in %s', (language) => {
  it('say so to a browser, leave no place of a text empty, and hold the figures of the English ones', async () => {
    const { pages, texts } = await reportIn(language)
    for (const page of pages) {
      expect(page).toContain(`<html lang="${language}">`)
      expect(shown(page)).not.toMatch(/\{\w+\}/)
    }
    expect(texts.map(figuresOn)).toEqual((await reportIn('en')).texts.map(figuresOn))
  })

  it('begin no line and no cell with the code of a rule: it stands behind the sentence', async () => {
    const { pages, book } = await reportIn(language)
    const codes = Object.keys(RULES).join('|')
    const coded = new RegExp(`\\. <code class="soft">(?:${codes})</code>`, 'g')
    expect(pages[0]?.match(coded)?.length).toBeGreaterThan(Object.keys(RULES).length)
    for (const page of pages) expect(page).not.toMatch(new RegExp(`<[^/][^>]*>\\s*<code[^>]*>(?:${codes})`))
    const { say } = textsIn(language)
    for (const name of ['problems.title', 'cover.notSent'] as const) {
      const headers = book.get(say(name))?.[1]?.map(({ value }) => value)
      const last = (['message', 'remedy', 'rule'] as const).map((key) => say(`label.${key}`))
      expect(headers?.slice(-3), name).toEqual(last)
    }
  })

  it('have sheets that a spreadsheet takes, each of its own name', async () => {
    const names = [...(await reportIn(language)).book.keys()]
    expect(names).toHaveLength(14)
    // Beyond that length, and with such characters, a spreadsheet refuses the name of a sheet.
    for (const name of names) expect(name).toMatch(/^[^[\]:*?/\\]{1,31}$/)
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  })
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('in %s', (language) => {
  it('the texts are not English but for words that are the same', () => {
    const english = wordsIn('en')
    const same = Object.entries(wordsIn(language)).filter(([key, text]) => english[key] === text)
    const spoken = same.filter(([, text]) => /\p{L}/u.test(text.replace(/\{\w+\}/g, '')))
    expect(spoken.map(([key]) => key).sort()).toEqual(SAME[language])
  })

  it('each rule has a sentence of its own, with the figures and codes of the English one', () => {
    const marks = (text: string) => [figuresOn(text), text.match(/\b[A-Z]{2}\d{2}\b/g)]
    const sentences = rulesIn(language)
    expect(Object.keys(sentences)).toEqual(Object.keys(RULES))
    expect(new Set(Object.values(sentences)).size).toBe(Object.keys(RULES).length)
    for (const [rule, { message }] of Object.entries(RULES)) {
      const { [rule]: own = '' } = sentences
      expect(own, rule).toMatch(/^\p{Lu}.*\.$/u)
      expect([rule, ...marks(own)]).toEqual([rule, ...marks(message)])
    }
  })

  it('page and workbook have no English text but what was recorded and what the program advises', async () => {
    const { pages, texts } = await reportIn(language)
    for (const text of texts) expect(englishOn(text, language)).toEqual([])
    const [english = '', page = ''] = [(await reportIn('en')).pages[0], pages[0]]
    for (const text of ['Row 30 of this mandate was in doubt: ', 'no reason given'])
      expect([english.includes(text), page.includes(text)], text).toEqual([true, true])
    const rules = Object.values(RULES).map(({ message }) => message)
    for (const text of texts) expect(rules.filter((rule) => text.includes(rule))).toEqual([])
    expect(page).toContain(textsIn(language).say('page.footer', { zone: 'UTC' }).replaceAll("'", '&#39;'))
  })
})
