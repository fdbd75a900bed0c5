import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Language, LANGUAGES } from '../../src/report/text/language.js'
import { textsIn } from '../../src/report/text/texts.js'
import { startSandbox } from '../../src/sandbox/sandbox.js'
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
  const sandbox = await startSandbox({ seed: 1 })
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

describe.each(pages.flatMap((each) => SEEN_ON.map((size) => ({ ...each, size }))))(
  'the page $name on a $size',
  ({ name, file, size }) => {
    it('says nothing to the console, asks for nothing, is accessible, and does not scroll sideways', async () => {
      const { page, context, said, asked } = await openPage(browser(), file, SIZES[size])
      expect(said).toEqual([])
      expect(asked).toEqual([pathToFileURL(file).href])
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES[size].width)
      if (PICTURES !== null)
        await page.screenshot({ path: join(PICTURES, `${name}-${size}.png`), fullPage: true })
      await context.close()
    })
  },
)

describe.each(reports)('the page of a campaign that is $report, in $language', ({ report, language }) => {
  it('shows the verdict before what the page was made from, and links to files that are there', async () => {
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
  })
})

/** As `pdftotext` gives them. */
const plainBlanks = (text: string): string => text.replace(/[\u00A0\u202F]/g, ' ')

/** What a page says on paper, sheet by sheet. */
async function printed(name: string, file: string): Promise<string[]> {
  const { page, context } = await openPage(browser(), file, SIZES.laptop)
  const pdf = join(place.folder, `${name}.pdf`)
  await page.pdf({ path: pdf, preferCSSPageSize: true })
  await context.close()
  if (PICTURES !== null) execFileSync('pdftoppm', ['-r', '60', '-png', pdf, join(PICTURES, name)])
  const text = execFileSync('pdftotext', ['-layout', pdf, '-'], { encoding: 'utf8' })
  return plainBlanks(text).split('\f').slice(0, -1)
}

it('the page of a plan says on paper what is to be sent', async () => {
  expect((await printed('plan', PLAN)).join()).toMatch(/second\.csv[^]*10|10[^]*second\.csv/)
})

describe.each(reports)('on paper, the page of a campaign that is $report, in $language', (each) => {
  const { report, language } = each
  let pages: string[] = []
  beforeAll(async () => void (pages = await printed(`${report}-${language}`, fileOf(report, language))))

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
