import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Language, LANGUAGES } from '../../src/report/text/language.js'
import { textsIn } from '../../src/report/text/texts.js'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'
import { launch, openPage, PICTURES, SIZES, violations } from './browser.js'

let browser: Browser
const place = makeFolder()
/** A report in which something of everything is open, and one of a campaign that ended well, in each language. */
const NAMES = ['open', 'done'] as const
type Name = (typeof NAMES)[number]
const fileOf = (name: Name, language: Language): string =>
  join(place.folder, `${name}-${language}`, 'report.html')

beforeAll(async () => {
  browser = await launch()
  const demo = await start(['demo', '--out', 'demo', '--quiet'], { cwd: place.folder }).ended
  expect(demo.status, demo.stderr).toBe(0)
  const sandbox = await startSandbox({ seed: 1 })
  writeFileSync(join(place.folder, 'export.csv'), validExport(120))
  const run = await start(['run', 'export.csv', '--quiet', '--no-report', '--base-url', sandbox.url], {
    cwd: place.folder,
    env: CREDENTIALS,
  }).ended
  await sandbox.close()
  expect(run.status, run.stderr).toBe(0)
  const ledgers = { open: 'demo/sepa-migrate.db', done: 'sepa-migrate.db' }
  for (const name of NAMES)
    for (const language of LANGUAGES) {
      const out = `${name}-${language}`
      const args = ['report', '--ledger', ledgers[name], '--lang', language, '--out', out, '--quiet']
      await start(args, { cwd: place.folder }).ended
      expect(existsSync(fileOf(name, language)), out).toBe(true)
    }
})

afterAll(async () => {
  await browser.close()
  place.remove()
})

const reports = NAMES.flatMap((report) => LANGUAGES.map((language) => ({ report, language })))
const cases = reports.flatMap((each) => (['phone', 'laptop'] as const).map((size) => ({ ...each, size })))

describe.each(cases)('the page of a campaign that is $report, in $language, on a $size', (each) => {
  const { report, language, size } = each
  const file = fileOf(report, language)

  it('says nothing to the console, asks for nothing, and is accessible', async () => {
    const { page, context, said, asked } = await openPage(browser, file, SIZES[size])
    expect(said).toEqual([])
    expect(asked).toEqual([pathToFileURL(file).href])
    expect(await violations(page)).toEqual([])
    if (PICTURES !== null)
      await page.screenshot({
        path: join(PICTURES, `${report}-${language}-${size}.png`),
        fullPage: size === 'phone',
      })
    await context.close()
  })

  it('shows the verdict before what the page was made from, without scrolling sideways', async () => {
    const { page, context } = await openPage(browser, file, SIZES[size])
    const top = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN
    expect(await top('.verdict')).toBeLessThan(await top('dl.facts'))
    expect(await top('.verdict')).toBeLessThan(SIZES[size].height)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES[size].width)
    await context.close()
  })

  it('has links to files that are there', async () => {
    const { page, context } = await openPage(browser, file, SIZES[size])
    const targets = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))`,
    )
    const files = targets.filter((target) => !target.startsWith('#'))
    expect(files.length).toBeGreaterThan(0)
    for (const target of files) expect(existsSync(join(file, '..', target)), target).toBe(true)
    await context.close()
  })
})

/** As `pdftotext` gives them. */
const plainBlanks = (text: string): string => text.replace(/[\u00A0\u202F]/g, ' ')

describe.each(reports)('on paper, the page of a campaign that is $report, in $language', (each) => {
  const { report, language } = each
  let pages: string[] = []

  beforeAll(async () => {
    const { page, context } = await openPage(browser, fileOf(report, language), SIZES.laptop)
    const file = join(place.folder, `${report}-${language}.pdf`)
    await page.pdf({ path: file, preferCSSPageSize: true })
    const printed = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
    pages = plainBlanks(printed).split('\f').slice(0, -1)
    if (PICTURES !== null)
      execFileSync('pdftoppm', ['-r', '60', '-png', file, join(PICTURES, `${report}-${language}`)])
    await context.close()
  })

  const { say } = textsIn(language)

  it('begins with a cover that can be signed, and nothing of the annex', () => {
    const [first = '', second = ''] = pages
    for (const key of ['cover.read', 'cover.runBy', 'cover.decidedBy', 'cover.prepared'] as const)
      expect(first).toContain(say(key))
    for (const key of ['cover.approvedBy', 'cover.dateAndSignature'] as const)
      expect(first).toContain(say(key))
    const annex = plainBlanks(say('page.annex'))
    expect(first).not.toContain(annex)
    expect(second).toContain(annex)
  })

  it('has ledger, page number and the word of a rehearsal on every page', () => {
    const [before = ''] = say('page.printedLedger', { id: '#', at: '' }).split('#')
    const id = /[0-9a-f]{16}/.exec(pages.join('\n'))?.[0] ?? 'none'
    pages.forEach((text, index) => {
      expect(text).toContain(say('page.printedPage', { page: index + 1, pages: pages.length }))
      expect(text).toContain(say('cover.rehearsal'))
      expect(text).toContain(`${before}${id}`)
    })
    expect(pages.length).toBeGreaterThan(2)
  })
})
