import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'

/** Pictures to look at go there; none are made where it is not set. */
const PICTURES = process.env['PICTURES'] ?? null

const SIZES = {
  phone: { width: 390, height: 844 },
  laptop: { width: 1366, height: 768 },
} as const

let browser: Browser
const place = makeFolder()
/** A report in which something of everything is open, and one of a campaign that ended well. */
const reports: Record<'open' | 'done', string> = { open: '', done: '' }

beforeAll(async () => {
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  })
  const demo = await start(['demo', '--out', 'demo', '--quiet'], { cwd: place.folder }).ended
  expect(demo.status, demo.stderr).toBe(0)
  reports.open = findReport('demo')
  const sandbox = await startSandbox({ seed: 1 })
  writeFileSync(join(place.folder, 'export.csv'), validExport(120))
  const run = await start(['run', 'export.csv', '--quiet', '--out', 'done', '--base-url', sandbox.url], {
    cwd: place.folder,
    env: CREDENTIALS,
  }).ended
  await sandbox.close()
  expect(run.status, run.stderr).toBe(0)
  reports.done = findReport('done')
})

afterAll(async () => {
  await browser.close()
  place.remove()
})

function findReport(folder: string): string {
  const found = readdirSync(join(place.folder, folder), { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('report.html'),
  )
  return join(place.folder, folder, found ?? '')
}

interface Seen {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser said and asked for, besides the page itself. */
  readonly said: string[]
  readonly asked: string[]
}

async function open(report: string, viewport: { width: number; height: number }): Promise<Seen> {
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  const said: string[] = []
  const asked: string[] = []
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(pathToFileURL(report).href)
  return { page, context, said, asked }
}

const violations = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const axe = (
      globalThis as unknown as {
        axe: { run: () => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
    ).axe
    const { violations: found } = await axe.run()
    return found.map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(' ')}`,
    )
  })
}

const cases = (['open', 'done'] as const).flatMap((report) =>
  (['phone', 'laptop'] as const).map((size) => ({ report, size })),
)

describe.each(cases)('the page of a campaign that is $report, on a $size', ({ report, size }) => {
  it('says nothing to the console, asks for nothing, and is accessible', async () => {
    const { page, context, said, asked } = await open(reports[report], SIZES[size])
    expect(said).toEqual([])
    expect(asked).toEqual([pathToFileURL(reports[report]).href])
    expect(await violations(page)).toEqual([])
    if (PICTURES !== null)
      await page.screenshot({ path: join(PICTURES, `${report}-${size}.png`), fullPage: size === 'phone' })
    await context.close()
  })

  it('shows the verdict before what the page was made from, without scrolling sideways', async () => {
    const { page, context } = await open(reports[report], SIZES[size])
    const top = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.y ?? Number.NaN
    expect(await top('.verdict')).toBeLessThan(await top('dl.facts'))
    expect(await top('.verdict')).toBeLessThan(SIZES[size].height)
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES[size].width)
    await context.close()
  })

  it('has links to files that are there', async () => {
    const { page, context } = await open(reports[report], SIZES[size])
    const targets = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))`,
    )
    const files = targets.filter((target) => !target.startsWith('#'))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) expect(existsSync(join(reports[report], '..', file)), file).toBe(true)
    await context.close()
  })
})

describe.each(['open', 'done'] as const)('on paper, the page of a campaign that is %s', (report) => {
  let pages: string[] = []

  beforeAll(async () => {
    const { page, context } = await open(reports[report], SIZES.laptop)
    const file = join(place.folder, `${report}.pdf`)
    await page.pdf({ path: file, preferCSSPageSize: true })
    pages = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' }).split('\f').slice(0, -1)
    if (PICTURES !== null) execFileSync('pdftoppm', ['-r', '60', '-png', file, join(PICTURES, report)])
    await context.close()
  })

  it('begins with a cover that can be signed, and nothing of the annex', () => {
    const [cover = '', second = ''] = pages
    for (const words of [
      'Records read',
      'Run by',
      'Decided by',
      'Prepared by',
      'Approved by',
      'Date, signature',
    ])
      expect(cover).toContain(words)
    expect(cover).not.toContain('Annex')
    expect(second).toContain('Annex')
  })

  it('has ledger, page number and REHEARSAL on every page', () => {
    const id = /Ledger id\s+([0-9a-f-]+)/.exec(pages.join('\n'))?.[1] ?? 'none'
    pages.forEach((text, index) => {
      expect(text).toContain(`Page ${index + 1} of ${pages.length}`)
      expect(text).toContain('REHEARSAL')
      expect(text).toMatch(/Ledger [0-9a-f-]{8,}/)
    })
    expect(pages.length).toBeGreaterThan(2)
    expect(id).not.toBe('')
  })
})
