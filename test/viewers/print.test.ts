import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { renderPage } from '../../src/report/page/page.js'
import { LANGUAGES, type Language } from '../../src/report/text/language.js'
import { textsIn } from '../../src/report/text/texts.js'
import { FULL, MORE, PLAN } from '../report/full-ledger.js'
import { factsOf, NO_RECORDS, registeredRow, sourceOf, type LedgerValue } from '../report/ledger-value.js'
import { makeFolder } from '../support/program.js'
import { browserForAll, PICTURES } from './browser.js'

const SMALL: LedgerValue = { ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows: [registeredRow(1)] }

const browser = browserForAll()
const place = makeFolder()
afterAll(() => place.remove())

/** Writes a page and prints it; the paths of both. */
async function printed(name: string, html: string): Promise<{ readonly page: string; readonly pdf: string }> {
  const files = { page: join(place.folder, `${name}.html`), pdf: join(place.folder, `${name}.pdf`) }
  writeFileSync(files.page, html)
  const page = await browser().newPage()
  await page.goto(pathToFileURL(files.page).href)
  await page.pdf({ path: files.pdf, preferCSSPageSize: true })
  await page.close()
  if (PICTURES !== null) execFileSync('pdftoppm', ['-r', '60', '-png', files.pdf, join(PICTURES, name)])
  return files
}

const read = (pdf: string, ...options: string[]): string =>
  execFileSync('pdftotext', [...options, pdf, '-'], { encoding: 'utf8' })

/** Of the title, in points. */
function heightIn(pdf: string, title: string): number {
  const [word = ''] = title.split(' ')
  const found = new RegExp(`yMin="([\\d.]+)" xMax="[\\d.]+" yMax="([\\d.]+)">${word}<`).exec(
    read(pdf, '-bbox'),
  )
  return Number(found?.[2]) - Number(found?.[1])
}

async function pageOf(language: Language, value: LedgerValue, isFull: boolean): Promise<string> {
  const texts = textsIn(language)
  const facts = await factsOf(value)
  const campaign = { ...facts.campaign, baseUrl: 'http://127.0.0.1:4000' }
  const runs = facts.runs.map((run) => ({ ...run, settings: { ...run.settings, plan: PLAN.digest } }))
  return renderPage({ ...facts, ...(isFull ? { ...MORE, balanced: true, runs } : {}), campaign }, texts)
}

describe.each(LANGUAGES)('in %s, a report in which everything is open', (language) => {
  let full = { page: '', pdf: '' }

  beforeAll(async () => {
    full = await printed(`full-${language}`, await pageOf(language, FULL, true))
  })

  const { say } = textsIn(language)

  it('has its cover on one page', () => {
    const [first = '', second = ''] = read(full.pdf, '-layout').split('\f')
    const keys = ['cover.rehearsal', 'cover.plannedBy', 'cover.approvedBy', 'cover.dateAndSignature'] as const
    for (const key of keys) expect(first).toContain(say(key))
    // pdftotext writes every blank alike.
    const annex = say('page.annex').replaceAll('\u00a0', ' ')
    expect(first).not.toContain(annex)
    expect(second).toContain(annex)
  })

  it('is printed as large as one with a single row', async () => {
    const title = say('page.title')
    const { pdf } = await printed(`small-${language}`, await pageOf(language, SMALL, false))
    const usual = heightIn(pdf, title)
    expect(usual).toBeGreaterThan(10)
    expect(heightIn(full.pdf, title)).toBeCloseTo(usual, 1)
  })

  it('fits a phone', async () => {
    const page = await browser().newPage({ viewport: { width: 390, height: 844 } })
    await page.goto(pathToFileURL(full.page).href)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    if (PICTURES !== null)
      await page.screenshot({ path: join(PICTURES, `full-${language}-phone.png`), fullPage: true })
    await page.close()
  })
})
