import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { optionsOf, readAll, refusal, SAMPLES } from '../support/sources.js'

/** Exports as the programs write them that people have: each must be read as the CSV that it was made from. */

const folder = mkdtempSync(join(tmpdir(), 'sepa-migrate-exports-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)

/** Debian's, whatever another Python is in the path. */
function python(script: string): void {
  const words = ['-c', `import datetime, openpyxl\n${script}`]
  execFileSync('/usr/bin/python3', words, { cwd: folder, stdio: 'pipe' })
}

const has = (library: string): boolean => {
  try {
    execFileSync('/usr/bin/python3', ['-c', `import ${library}`], { stdio: 'pipe' })
    return true
  } catch {
    return false
  }
}

/** Every column as text (2), so that the spreadsheet changes nothing; without it as it takes them. */
function convert(file: string, to: 'xlsx' | 'ods', columns: '' | 'text'): void {
  const types = columns === 'text' ? Array.from({ length: 12 }, (_, index) => `${index + 1}/2`).join('/') : ''
  execFileSync(
    'soffice',
    [
      `-env:UserInstallation=${pathToFileURL(at('profile')).href}`,
      '--headless',
      `--infilter=CSV:44,34,76,1,${types}`,
      '--convert-to',
      to,
      '--outdir',
      folder,
      file,
    ],
    { stdio: 'pipe' },
  )
}

const verdicts = async (path: string, yaml = '') =>
  (await readAll(path, optionsOf(yaml))).records.map(({ verdict, values }) => [verdict.kind, values])

describe('LibreOffice', () => {
  it('saves the clean sample as text and as it takes it, with the same mandates', async () => {
    const clean = join(SAMPLES, 'clean.csv')
    const expected = await verdicts(clean)
    for (const columns of ['text', ''] as const) {
      convert(clean, 'xlsx', columns)
      expect(await verdicts(at('clean.xlsx'))).toEqual(expected)
    }
    convert(clean, 'ods', 'text')
    expect((await refusal(readAll(at('clean.ods')))).message).toContain('it is a spreadsheet (.ods)')
  })
})

const HEADER = 'customer_no iban signed_date sepa_creditor_identifier unique_mandate_reference'
const ROWS = `
head = '${HEADER}'.split()
def row(i): return [i, 'DE89370400440532013000', datetime.date(2024, 2, 29), 'DE98ZZZ09999999999', 'M-%d' % i]
`

describe.runIf(has('openpyxl'))('openpyxl', () => {
  it('writes dates of both systems, leading zeros, filters, formulas and sheets as they are told', async () => {
    python(`${ROWS}
book = openpyxl.Workbook()
sheet = book.active
sheet.append(head)
for i in range(1, 4): sheet.append(row(i))
sheet['E2'] = 42; sheet['E2'].number_format = '00000'
book.save('plain.xlsx')
book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
book.save('mac.xlsx')
sheet['E3'] = '=1+1'
book.save('formula.xlsx')
sheet.auto_filter.ref = 'A1:E4'
sheet.auto_filter.add_filter_column(0, ['1'])
sheet.row_dimensions[3].hidden = True
book.save('filtered.xlsx')
book.create_sheet('Old').append(['x'])
book.save('sheets.xlsx')
`)
    for (const name of ['plain.xlsx', 'mac.xlsx']) {
      const { records } = await readAll(at(name))
      expect(records.map(({ values }) => [values.mandateReference, values.signedDate])).toEqual([
        ['00042', '2024-02-29'],
        ['M-2', '2024-02-29'],
        ['M-3', '2024-02-29'],
      ])
    }
    const [, uncomputed] = (await readAll(at('formula.xlsx'))).records
    expect(uncomputed?.findings.map(({ rule }) => rule)).toEqual(['ROW_FORMULA_UNCOMPUTED'])
    expect((await refusal(readAll(at('filtered.xlsx')))).message).toContain('1 row hidden')
    expect((await refusal(readAll(at('sheets.xlsx')))).message).toContain('"Sheet", "Old"')
  })
})

describe.runIf(has('pandas'))('pandas', () => {
  it('writes a frame with times, floats and truth values that is read as the same mandates', async () => {
    python(`${ROWS}
import pandas
frame = pandas.DataFrame([row(i) for i in range(1, 4)], columns=head)
frame['signed_date'] = pandas.to_datetime(frame['signed_date'])
frame['customer_no'] = frame['customer_no'].astype(float)
frame['paid'] = True
frame.to_excel('frame.xlsx', index=False)
frame.to_csv('frame.csv', index=False, date_format='%Y-%m-%d')
`)
    writeFileSync(at('frame.csv'), readFileSync(at('frame.csv'), 'utf8').replaceAll('.0,', ','))
    expect(await verdicts(at('frame.xlsx'))).toEqual(await verdicts(at('frame.csv')))
  })
})
