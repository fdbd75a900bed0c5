import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'
import { launch, openPage, PICTURES, SIZES, violations } from './browser.js'

let browser: Browser
const place = makeFolder()
/** A first plan, and one that stands beside it: with another file, a limit, a rate and an invalid row. */
const PLANS = ['first', 'changed'] as const
const fileOf = (name: (typeof PLANS)[number]): string => join(place.folder, name, 'plan.html')

beforeAll(async () => {
  browser = await launch()
  const sandbox = await startSandbox({ seed: 1 })
  writeFileSync(join(place.folder, 'export.csv'), validExport(40))
  const [header = '', first = ''] = validExport(1).split('\n')
  const wrong = first.replace(/[A-Z]{2}[0-9]{2}(?=[0-9]{10})/, 'DE00')
  writeFileSync(join(place.folder, 'second.csv'), `${header}\n${wrong}\n`)
  const plan = async (...args: string[]): Promise<void> => {
    const ended = await start(['plan', ...args, '--base-url', sandbox.url], {
      cwd: place.folder,
      env: CREDENTIALS,
    }).ended
    expect(ended.status, ended.stderr).toBe(0)
  }
  const keep = (name: string): void => {
    execFileSync('mkdir', ['-p', join(place.folder, name)])
    execFileSync('cp', [join(place.folder, 'plan.html'), join(place.folder, name)])
  }
  await plan('export.csv')
  keep('first')
  await plan('export.csv', 'second.csv', '--limit', '10', '--rate', '3')
  keep('changed')
  await sandbox.close()
})

afterAll(async () => {
  await browser.close()
  place.remove()
})

describe.each(PLANS.flatMap((plan) => (['phone', 'laptop'] as const).map((size) => ({ plan, size }))))(
  'the page of a plan, $plan, on a $size',
  ({ plan, size }) => {
    it('says nothing to the console, asks for nothing, is accessible, and does not scroll sideways', async () => {
      const { page, context, said, asked } = await openPage(browser, fileOf(plan), SIZES[size])
      expect(said).toEqual([])
      expect(asked).toEqual([pathToFileURL(fileOf(plan)).href])
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(SIZES[size].width)
      if (PICTURES !== null)
        await page.screenshot({ path: join(PICTURES, `plan-${plan}-${size}.png`), fullPage: true })
      await context.close()
    })
  },
)

it('the page of a plan says on paper what is to be sent, and what the last plan said', async () => {
  const { page, context } = await openPage(browser, fileOf('changed'), SIZES.laptop)
  const file = join(place.folder, 'plan.pdf')
  await page.pdf({ path: file, preferCSSPageSize: true })
  await context.close()
  const text = execFileSync('pdftotext', ['-layout', file, '-'], { encoding: 'utf8' })
  expect(text).toContain('second.csv')
  expect(text).toMatch(/10/)
  if (PICTURES !== null) execFileSync('pdftoppm', ['-r', '60', '-png', file, join(PICTURES, 'plan')])
})
