import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WORKBOOK_LIMITS } from '../../src/report/workbook/workbook.js'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { registeredRow, sourceOf } from '../report/ledger-value.js'
import { workbookOf } from '../report/workbook-value.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'

const ROWS = 40
const place = makeFolder()
const at = (...names: string[]): string => join(place.folder, ...names)

/** Each sheet, in quotes, as it is shown. */
const EVERY_SHEET = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1'

/** Opens a workbook and saves it in another format, as a person would. */
function saveAs(format: string, file = at('pack', 'reconciliation.xlsx')): void {
  const profile = `-env:UserInstallation=${pathToFileURL(at('profile')).href}`
  const given = [profile, '--headless', '--convert-to', format, '--outdir', at('saved')]
  execFileSync('soffice', [...given, file], { stdio: 'pipe' })
}

beforeAll(async () => {
  const sandbox = await startSandbox({ seed: 1, password: 'sandbox' })
  writeFileSync(at('export.csv'), validExport(ROWS))
  const args = ['run', 'export.csv', '--quiet', '--out', 'pack', '--base-url', sandbox.url]
  const run = await start(args, { cwd: place.folder, env: CREDENTIALS }).ended
  await sandbox.close()
  expect(run.status, run.stderr).toBe(0)
  saveAs(EVERY_SHEET)
  saveAs('pdf')
})

afterAll(() => place.remove())

describe('the workbook in LibreOffice', () => {
  it('opens, and each sheet of it', () => {
    const sheets = readdirSync(at('saved')).filter((name) => name.endsWith('.csv'))
    expect(sheets.map((name) => name.replace('reconciliation-', ''))).toEqual(
      expect.arrayContaining(['Summary.csv', 'In doubt.csv', 'Registered.csv', 'Runs.csv']),
    )
  })

  it('prints every list one page across', () => {
    const words = ['-layout', at('saved', 'reconciliation.pdf'), '-']
    const text = execFileSync('pdftotext', words, { encoding: 'utf8' })
    const pages = text.split('\f')
    const page = pages.find((each) => each.includes('Registered: 40')) ?? ''
    for (const header of ['Row', 'Previous creditor', 'Assigned reference', 'Registered at', 'Record'])
      expect(page).toContain(header)
  })

  it('opens one of 150,000 rows on two sheets, with every value as it is', async () => {
    const typed = ['=1+1', "'x", '007', '3E5', '_x0041_', 'a<b>&"c"', 'å😀…', '__proto__', '1-2']
    const awkward = [...typed, 'x'.repeat(40_000)]
    const rows = Array.from({ length: 150_000 }, (_, index) =>
      registeredRow(index + 1, { originalMandateReference: awkward[index % 50_000] ?? `M-${index + 1}` }),
    )
    const value = { sources: [sourceOf({ records: rows.length })], rows }
    writeFileSync(at('large.xlsx'), await workbookOf(value, { ...WORKBOOK_LIMITS, sheetEntries: 100_000 }))
    saveAs(EVERY_SHEET, at('large.xlsx'))
    const sheetOf = (name: string): string[][] =>
      parse(readFileSync(at('saved', `large-${name}.csv`)), { relax_column_count: true })
    const [first, second] = [sheetOf('Registered'), sheetOf('Registered (2)')]
    expect([first[0]?.[0], second[0]?.[0]]).toEqual([
      'Registered: 1 – 100,000 / 150,000',
      'Registered: 100,001 – 150,000 / 150,000',
    ])
    expect(second[1]).toEqual(first[1])
    const columns = [0, 1, 5, 7] // row, customer, previous and assigned reference
    const shown = [...first.slice(2), ...second.slice(2)].map((row) => columns.map((at) => row[at]))
    const expected = rows.map(({ id, customerNo, originalMandateReference: old, assignedMandateReference }) =>
      [id, customerNo, (old ?? '').slice(0, 32_000), assignedMandateReference].map(String),
    )
    expect(shown.length).toBe(expected.length)
    expect(shown.filter((row, index) => row.join() !== expected[index]?.join())).toEqual([])
  })
})
