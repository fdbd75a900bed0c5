import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** Pictures to look at go there; none are made where it is not set. */
export const PICTURES = process.env['PICTURES'] ?? null

export const SIZES = { phone: { width: 390, height: 844 }, laptop: { width: 1366, height: 768 } } as const

/** One for all tests of a file. */
export function browserForAll(): () => Browser {
  let browser: Browser
  beforeAll(async () => {
    const quiet = ['--disable-background-networking', '--disable-component-update']
    const args = ['--no-sandbox', '--disable-gpu', ...quiet]
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
  })
  afterAll(() => browser.close())
  return () => browser
}

/** `said`, `asked`: what the browser said and asked for, besides the page itself. */
export async function openPage(browser: Browser, file: string, viewport: { width: number; height: number }) {
  const context = await browser.newContext({ viewport })
  const page = await context.newPage()
  const said: string[] = []
  const asked: string[] = []
  page.on('console', (message) => said.push(message.text()))
  page.on('pageerror', (error) => said.push(error.message))
  page.on('request', (request) => asked.push(request.url()))
  await page.goto(pathToFileURL(file).href)
  return { page, context, said, asked }
}

/** What axe-core finds, with the first places of each. */
export const violations = async (page: Page): Promise<string[]> => {
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
