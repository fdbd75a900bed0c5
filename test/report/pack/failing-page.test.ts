import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { admit, open, refused, registered, send, SETTINGS } from '../../ledger/campaign-setup.js'
import { freshFolder } from '../../support/folder.js'

let isBroken = false
vi.mock('../../../src/report/page/page.js', async (original) => {
  const real = await original<{ renderPage: (...given: unknown[]) => Promise<string> }>()
  return {
    ...real,
    renderPage: (...given: unknown[]) =>
      isBroken ? Promise.reject(new TypeError('a cell that nobody thought of')) : real.renderPage(...given),
  }
})
const { writeReport } = await import('../../../src/report/pack/pack.js')

afterEach(() => {
  isBroken = false
})

it('a page that cannot be made takes no list with it, and is told', async () => {
  const ledger = open()
  ledger.startRun(SETTINGS)
  admit(ledger, [
    { reference: 'M-1', customerNo: 1 },
    { reference: 'M-2', customerNo: 2 },
  ])
  await send(ledger, registered('NEW-1'))
  await send(ledger, refused())
  const out = join(freshFolder(), 'pack')
  await writeReport(ledger.file, { out })
  const lists = ['registered.csv', 'to-do/refused.csv', 'decisions.csv', 'summary.json'].map((name) =>
    join(out, name),
  )
  const before = lists.map((path) => readFileSync(path, 'utf8'))
  isBroken = true
  await expect(writeReport(ledger.file, { out })).rejects.toThrow(
    /A page of the report cannot be made; its lists are in/,
  )
  expect(lists.map((path) => readFileSync(path, 'utf8'))).toEqual(before)
  // Not the page of before beside other lists.
  expect(existsSync(join(out, 'report.html'))).toBe(false)
  isBroken = false
  await writeReport(ledger.file, { out })
  expect(existsSync(join(out, 'report.html'))).toBe(true)
})
