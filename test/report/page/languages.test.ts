import { beforeAll, describe, expect, it } from 'vitest'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { renderPage } from '../../../src/report/page/page.js'
import { type Language, LANGUAGES, textsOf } from '../../../src/report/text/language.js'
import { factsOf } from '../facts-value.js'
import { FULL, MORE, PLAN } from '../full-ledger.js'
import { NO_RECORDS, registeredRow, runOf, sourceOf, type LedgerValue } from '../ledger-value.js'
import { ENGLISH, englishOn, figuresOn } from '../text/leaves.js'

/** The page as a reader sees it: without tags and style, blanks folded but for those that group digits. */
const shown = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/[ \t\r\n]+/g, ' ')

/** Pages that show everything, nothing, something that does not add up, and where nothing is open. */
async function pagesIn(language: Language): Promise<string[]> {
  const texts = await textsOf(language)
  const render = async (value: LedgerValue, more: Partial<ReportFacts> = {}): Promise<string> =>
    renderPage({ ...(await factsOf(value, texts)), ...more }, texts)
  const reading = { columns: { iban: 'IBAN' } }
  const done = { ...NO_RECORDS, sources: [sourceOf({ records: 1, reading })], rows: [registeredRow(1)] }
  const declared = runOf({ settings: { testHost: 'billing.example' } })
  const full = await factsOf(FULL, texts)
  const { totals, verification } = full
  const sampled = verification === null ? null : { ...verification, notAsked: 5 }
  const empty = await factsOf(NO_RECORDS, texts)
  const rehearsed = {
    ...empty.campaign,
    baseUrl: 'http://127.0.0.1:4000',
    purgedAt: '2026-06-15T09:00:00.000Z',
  }
  return [
    await render(FULL, MORE),
    await render(FULL, {
      ...MORE,
      balanced: true,
      notTaken: 2,
      totals: { ...totals, read: 1_234_567, resubmitted: 3, ready: 9 },
      verification: sampled,
    }),
    await render(done, { plans: Array<typeof PLAN>(61).fill(PLAN) }),
    await render(NO_RECORDS, { campaign: rehearsed }),
    await render(NO_RECORDS, { campaign: { ...rehearsed, baseUrl: null } }),
    await render({
      ...done,
      runs: [declared, { ...declared, id: 2, endedAt: null }],
    }),
  ]
}

const texts = new Map<Language, string[]>()
const pages = new Map<Language, string[]>()

beforeAll(async () => {
  for (const language of LANGUAGES) {
    pages.set(language, await pagesIn(language))
    texts.set(language, (pages.get(language) ?? []).map(shown))
  }
})

/** What other pages and the lists of the workbook show (`explanation.test.ts`, `recorded.test.ts`, `workbook.test.ts`). */
const ELSEWHERE = /^(?:rules\..*\.remedy|explanation\..*|reasons\..*|workbook\..*|stillNotSent|duration)$/

describe('the English pages', () => {
  it('show every text that is for a page, or the others could not be looked at', () => {
    const all = (texts.get('en') ?? []).join(' ')
    const missed = ENGLISH.filter(
      ({ path, fragments }) => !ELSEWHERE.test(path) && fragments.some((text) => !all.includes(text)),
    )
    expect(missed).toEqual([])
  })
})

describe.each(LANGUAGES.filter((language) => language !== 'en'))('the page in %s', (language) => {
  it('says so to a browser', () => {
    for (const page of pages.get(language) ?? []) expect(page).toContain(`<html lang="${language}">`)
  })

  it('holds no English text', () => {
    for (const text of texts.get(language) ?? []) expect(englishOn(text)).toEqual([])
  })

  it('holds the figures of the English one', () => {
    const english = texts.get('en') ?? []
    const other = texts.get(language) ?? []
    expect(other.map(figuresOn)).toEqual(english.map(figuresOn))
  })
})
