import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeFolder } from '../support/program.js'
import { openTerminal } from '../support/terminal.js'
import { browserForAll } from './browser.js'

/** `npm run pictures` makes those of the README anew; otherwise they go where the demo went. */
const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url))

const COLUMNS = 92
const STYLES: Readonly<Record<string, string>> = {
  1: 'font-weight:700',
  31: 'color:#ff8a80',
  32: 'color:#9ccc65',
  33: 'color:#ffd54f',
}

const browser = browserForAll()
let place: ReturnType<typeof makeFolder>
let pictures: string
let screen: string

beforeAll(async () => {
  place = makeFolder()
  pictures = process.env['README_PICTURES'] === '1' ? SAMPLES : join(place.folder, 'pictures')
  mkdirSync(pictures, { recursive: true })
  const session = openTerminal(['demo', '--out', 'demo'], { cwd: place.folder, columns: COLUMNS })
  expect(await session.ended).toBe(0)
  screen = session.raw()
}, 60_000)
afterAll(() => place.remove())

/** What stays on the terminal once the progress is over, its colours as HTML. */
const asHtml = (printed: string): string =>
  printed
    .slice(printed.lastIndexOf('\u001b[?2026l'))
    .replaceAll(/\u001b\[\?[\d]+[hl]|\r/g, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/\u001b\[(\d+)m/g, (_, code: string) =>
      code in STYLES ? `<span style="${STYLES[code] ?? ''}">` : '</span>',
    )
    .trim()

async function picture(name: string, shoot: (page: Page, path: string) => Promise<unknown>): Promise<number> {
  const viewport = { width: 1000, height: 1200 }
  const context = await browser().newContext({ viewport, deviceScaleFactor: 1 })
  const page = await context.newPage()
  const path = join(pictures, name)
  await shoot(page, path)
  await context.close()
  return statSync(path).size
}

it('the README shows the terminal at the end of the demo', async () => {
  const html = asHtml(screen)
  expect(html).toContain('Control totals')
  expect(html).not.toMatch(/\u001b/)
  const size = await picture('terminal.png', async (page, path) => {
    await page.setContent(
      `<pre style="display:inline-block;margin:0;padding:16px 20px;background:#1e1e1e;color:#e0e0e0;font:14px/1.35 'DejaVu Sans Mono',monospace">$ npm run demo\n${html}</pre>`,
    )
    await page.locator('pre').screenshot({ path })
  })
  expect(size).toBeGreaterThan(10_000)
  expect(size).toBeLessThan(200_000)
}, 60_000)

it('the README shows page 1 of the demo', async () => {
  const size = await picture('page-1.png', async (page, path) => {
    await page.goto(pathToFileURL(join(place.folder, 'demo', 'report.html')).href)
    await page.screenshot({ path, clip: { x: 0, y: 0, width: 1000, height: 1170 } })
  })
  expect(size).toBeGreaterThan(10_000)
  expect(size).toBeLessThan(300_000)
}, 60_000)
