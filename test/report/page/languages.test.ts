import { beforeAll, describe, expect, it } from 'vitest'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { renderPage } from '../../../src/report/page/page.js'
import { type Language, LANGUAGES } from '../../../src/report/text/language.js'
import { textsIn } from '../../../src/report/text/texts.js'
import { factsOf } from '../facts-value.js'
import { FULL, MORE, PLAN } from '../full-ledger.js'
import { NO_RECORDS, registeredRow, sourceOf, type LedgerValue } from '../ledger-value.js'
import { englishOn, figuresOn, OTHERS } from '../text/words.js'
import { RULES } from '../../../src/domain/rule/verdict.js'

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
  const reading = { columns: { iban: 'IBAN' } }
  const done = { ...NO_RECORDS, sources: [sourceOf({ records: 1, reading })], rows: [registeredRow(1)] }
  const { totals } = await factsOf(FULL)
  const { campaign } = await factsOf(NO_RECORDS)
  const rehearsed = { ...campaign, baseUrl: 'http://127.0.0.1:4000', purgedAt: '2026-06-15T09:00:00.000Z' }
  return [
    await render(FULL, MORE),
    await render(FULL, {
      ...MORE,
      balanced: true,
      notTaken: 2,
      totals: { ...totals, read: 1_234_567, resubmitted: 3, ready: 9 },
    }),
    await render(done, { plans: Array<typeof PLAN>(61).fill(PLAN) }),
    await render(NO_RECORDS, { campaign: rehearsed }),
    await render(NO_RECORDS, { campaign: { ...rehearsed, baseUrl: null } }),
  ]
}

const pages = new Map<Language, string[]>()
beforeAll(async () => {
  for (const language of LANGUAGES) pages.set(language, await pagesIn(language))
})

describe.each(LANGUAGES)('the page in %s', (language) => {
  it('says so to a browser, and leaves no place of a text empty', () => {
    for (const page of pages.get(language) ?? []) {
      expect(page).toContain(`<html lang="${language}">`)
      expect(shown(page)).not.toMatch(/\{\w+\}/)
    }
  })

  it('holds the figures of the English one', () => {
    const figures = (of: Language) => (pages.get(of) ?? []).map((page) => figuresOn(shown(page)))
    expect(figures(language)).toEqual(figures('en'))
  })
})

describe.each(OTHERS)('in %s', (language) => {
  it('no text of the page is English', () => {
    for (const page of pages.get(language) ?? []) expect(englishOn(shown(page), language)).toEqual([])
  })

  it('what was recorded and what the program advises stand as in English', () => {
    const [english = '', page = ''] = [pages.get('en')?.[0], pages.get(language)?.[0]]
    const recorded = [RULES.IBAN_CHECKSUM.message, 'Row 30 of this mandate was in doubt: ', 'no reason given']
    for (const text of recorded)
      expect([english.includes(text), page.includes(text)], text).toEqual([true, true])
    expect(page).toContain(textsIn(language).say('page.footer', { zone: 'UTC' }).replaceAll("'", '&#39;'))
  })
})
