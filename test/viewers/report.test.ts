import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Language, LANGUAGES } from '../../src/report/pack/pack-folder.js'
import { textsIn } from '../../src/report/text/texts.js'
import { renderPage } from '../../src/report/page/page.js'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { FULL, MORE, PLAN as PLAN_VALUE } from '../report/full-ledger.js'
import { factsOf, registeredRow, sourceOf, type LedgerValue } from '../report/ledger-value.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, runProgram, type Ended } from '../support/program.js'
import { browserForAll, openPage, PICTURES, SIZES, violations } from './browser.js'

const place = makeFolder()
const browser = browserForAll()
/** A report in which something of everything is open, and one of a campaign that ended well, in each language. */
const NAMES = ['open', 'done'] as const
type Name = (typeof NAMES)[number]
const fileOf = (name: Name, language: Language): string =>
  join(place.folder, `${name}-${language}`, 'report.html')
const PLAN = join(place.folder, 'plan.html')

beforeAll(async () => {
  const sandbox = await startSandbox({ seed: 1, password: 'sandbox' })
  const [header = '', first = ''] = validExport(1).split('\n')
  writeFileSync(join(place.folder, 'export.csv'), validExport(120))
  writeFileSync(join(place.folder, 'second.csv'), `${header}\n${first.replace(/DE\d\d/, 'DE00')}\n`)
  const program = async (...args: string[]): Promise<Ended> => {
    const env = { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: sandbox.url, SEPA_MIGRATE_QUIET: '1' }
    const ended = await runProgram(args, { cwd: place.folder, env })
    expect([0, 4], args.join(' ') + ended.stderr).toContain(ended.status)
    return ended
  }
  // A plan, and one that stands beside it: with another file, a limit, a rate and an invalid row.
  await program('plan', 'export.csv')
  await program('plan', 'export.csv', 'second.csv', '--limit', '10', '--rate', '3')
  await program('demo', '--out', 'demo')
  await program('run', 'export.csv', '--no-report')
  const ledgers = { open: 'demo/sepa-migrate.db', done: 'sepa-migrate.db' }
  for (const name of NAMES)
    for (const language of LANGUAGES)
      await program(
        ...['report', '--ledger', ledgers[name], '--lang', language, '--out', `${name}-${language}`],
      )
  await sandbox.close()
})

afterAll(() => place.remove())

const reports = NAMES.flatMap((report) => LANGUAGES.map((language) => ({ report, language })))
const pages = [
  { name: 'plan', file: PLAN },
  ...reports.map(({ report, language }) => ({
    name: `${report}-${language}`,
    file: fileOf(report, language),
  })),
]
const SEEN_ON = ['phone', 'laptop'] as const

it.each(pages.flatMap((each) => SEEN_ON.map((size) => ({ ...each, size }))))(
  '$name on a $size is quiet, accessible, and does not scroll sideways',
  async ({ name, file, size }) => {
    const { page, context, said, asked } = await openPage(browser(), file, SIZES[size])
    expect(said).toEqual([])
    expect(asked).toEqual([pathToFileURL(file).href])
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES[size].width)
    if (PICTURES !== null)
      await page.screenshot({ path: join(PICTURES, `${name}-${size}.png`), fullPage: true })
    await context.close()
  },
)

it.each(reports)(
  '$report, in $language: the verdict before its facts, and links to what is there',
  async ({ report, language }) => {
    const file = fileOf(report, language)
    const { page, context } = await openPage(browser(), file, SIZES.phone)
    const top = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN
    expect(await top('.verdict')).toBeLessThan(await top('dl.facts'))
    expect(await top('.verdict')).toBeLessThan(SIZES.phone.height)
    const targets = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))`,
    )
    const files = targets.filter((target) => !target.startsWith('#'))
    expect(files.length).toBeGreaterThan(0)
    for (const target of files) expect(existsSync(join(file, '..', target)), target).toBe(true)
    await context.close()
  },
)

/** As `pdftotext` gives them. */
const plainBlanks = (text: string): string => text.replace(/[\u00A0\u202F]/g, ' ')

/** Prints a page. */
async function printed(name: string, file: string): Promise<string> {
  const { page, context } = await openPage(browser(), file, SIZES.laptop)
  const pdf = join(place.folder, `${name}.pdf`)
  await page.pdf({ path: pdf, preferCSSPageSize: true })
  await context.close()
  if (PICTURES !== null) execFileSync('pdftoppm', ['-r', '60', '-png', pdf, join(PICTURES, name)])
  return pdf
}

const read = (pdf: string, option: string): string =>
  plainBlanks(execFileSync('pdftotext', [option, pdf, '-'], { encoding: 'utf8' }))
/** What is on paper, sheet by sheet. */
const sheetsOf = (pdf: string): string[] => read(pdf, '-layout').split('\f').slice(0, -1)

it('the page of a plan says on paper what is to be sent', async () => {
  expect(sheetsOf(await printed('plan', PLAN)).join()).toMatch(/second\.csv[^]*10|10[^]*second\.csv/)
})

function expectCover([first = '', second = '']: readonly string[], language: Language): void {
  const { say } = textsIn(language)
  const parts = ['notSent', 'runBy', 'decidedBy', 'prepared', 'rehearsal', 'approvedBy'] as const
  const keys = [...parts, 'dateAndSignature'] as const
  for (const key of keys) expect(first).toContain(plainBlanks(say(`cover.${key}`)))
  const annex = plainBlanks(say('page.annex'))
  expect(first).not.toContain(annex)
  expect(second).toContain(annex)
}

it.each(reports)(
  '$report, in $language, on paper: a cover to sign, marks on every sheet',
  async ({ report, language }) => {
    const sheets = sheetsOf(await printed(`${report}-${language}`, fileOf(report, language)))
    expectCover(sheets, language)
    const { say } = textsIn(language)
    const [before = ''] = say('page.printedLedger', { id: '#', at: '' }).split('#')
    const id = /[0-9a-f]{16}/.exec(sheets.join('\n'))?.[0] ?? 'none'
    sheets.forEach((text, index) => {
      expect(text).toContain(say('page.printedPage', { page: index + 1, pages: sheets.length }))
      expect(text).toContain(say('cover.rehearsal'))
      expect(text).toContain(`${before}${id}`)
    })
    expect(sheets.length).toBeGreaterThan(2)
  },
)

/** Of the title, in points. */
function heightIn(pdf: string, title: string): number {
  const [word = ''] = title.split(' ')
  const found = new RegExp(`yMin="([\\d.]+)" xMax="[\\d.]+" yMax="([\\d.]+)">${word}<`).exec(
    read(pdf, '-bbox'),
  )
  return Number(found?.[2]) - Number(found?.[1])
}

it.each(LANGUAGES)(
  'in %s, however much is open, the cover is one sheet, and fits a phone',
  async (language) => {
    const texts = textsIn(language)
    const write = async (name: string, value: LedgerValue, more: object = {}): Promise<string> => {
      const facts = await factsOf(value)
      const campaign = { ...facts.campaign, baseUrl: 'http://127.0.0.1:4000' }
      const plan = PLAN_VALUE.digest
      const runs = facts.runs.map((run) => ({ ...run, settings: { ...run.settings, plan } }))
      const file = join(place.folder, `${name}-${language}.html`)
      writeFileSync(file, await renderPage({ ...facts, runs, ...more, campaign }, texts))
      return file
    }
    const file = await write('full', FULL, { ...MORE, balanced: true })
    const small = await write('small', { sources: [sourceOf({ records: 1 })], rows: [registeredRow(1)] })
    const full = await printed(`full-${language}`, file)
    expectCover(sheetsOf(full), language)
    const title = texts.say('page.title')
    const usual = heightIn(await printed(`small-${language}`, small), title)
    expect(usual).toBeGreaterThan(10)
    expect(heightIn(full, title)).toBeCloseTo(usual, 1)
    const { page, context } = await openPage(browser(), file, SIZES.phone)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES.phone.width)
    await context.close()
  },
)
