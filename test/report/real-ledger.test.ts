import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { EarlierRows } from '../../src/domain/row/correction.js'
import type { CheckedRecord } from '../../src/domain/rule/verdict.js'
import { TO_DO_FILES, writeReport } from '../../src/report/pack/pack.js'
import { admitSources } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { openSource } from '../../src/source/read-source.js'
import { IBAN, open, SETTINGS } from '../ledger/campaign-setup.js'
import { freshFolder } from '../support/folder.js'
import { CHECK, fileOf, readAll } from '../support/sources.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,name\n'
const CI = 'DE98ZZZ09999999999'
const WRONG_IBAN = 'DE89370400440532013001'

const line = (customerNo: number, reference: string, iban = IBAN, name = 'Ann'): string =>
  [customerNo, iban, '2020-01-31', CI, reference, name]
    .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
    .join(',')

const sourceOf = (path: string, earlier?: EarlierRows) =>
  openSource(path, DEFAULT_SOURCE_OPTIONS, { ...CHECK, ...(earlier === undefined ? {} : { earlier }) })

/** A ledger into which these lines were admitted. */
async function campaign(...lines: readonly string[]) {
  const folder = freshFolder()
  const ledger = open({ file: join(folder, 'campaign.db') })
  ledger.bind({ baseUrl: 'https://billing.example', username: 'migration' })
  ledger.startRun(SETTINGS)
  const pathOf = (name: string): string =>
    join(folder, 'pack', TO_DO_FILES.find((list) => list.endsWith(name)) ?? name)
  const admitFile = (path: string) =>
    admitSources(ledger, [(known) => sourceOf(path, known?.earlier)], {
      severities: {},
      signal: new AbortController().signal,
      watch: () => undefined,
    })
  const exported = fileOf(HEADER + lines.join('\n'))
  await admitFile(exported)
  return {
    ledger,
    exported,
    admitFile,
    report: () => writeReport(ledger.file, { out: join(folder, 'pack') }),
    pathOf,
    listOf: (name: string): Record<string, string>[] =>
      parse(readFileSync(pathOf(name), 'utf8'), { columns: true, bom: true }),
  }
}

/** References that are legal and begin like a formula, text markers, and names that are formulas. */
const AWKWARD = [
  line(1, '-17', WRONG_IBAN, '=HYPERLINK("http://x")'),
  line(2, '+AB/1', WRONG_IBAN, '+49 170 1'),
  line(3, '="00012345"', WRONG_IBAN, '@SUM(A1)'),
  line(4, "'Q-1", WRONG_IBAN, 'Müller, "Max"\nKöln'),
  line(5, '\t(X)', `="${WRONG_IBAN}"`, '-'),
]
const REFERENCES = ['-17', '+AB/1', '00012345', "'Q-1", '(X)']

describe('the pack of a real ledger', () => {
  it('gives rows that are to be corrected back exactly as they were read, without a cell that a spreadsheet would run', async () => {
    const { exported, report, pathOf, listOf } = await campaign(...AWKWARD)
    await report()
    const [before, after] = [
      (await readAll(exported)).records,
      (await readAll(pathOf('corrections.csv'))).records,
    ]
    const meaning = ({ values, verdict, mandateKey, findings }: CheckedRecord) => ({
      values,
      verdict,
      mandateKey,
      findings: findings.map(({ rule, field, value }) => ({ rule, field, value })),
    })
    expect(after.map(meaning)).toEqual(before.map(meaning))
    expect(after.map(({ corrects }) => corrects)).toEqual([1, 2, 3, 4, 5])
    expect(after.map(({ values }) => values.mandateReference)).toEqual(REFERENCES)
    const cells = listOf('corrections.csv').flatMap((record) => Object.values(record))
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^="[^"]*"$/.test(cell))).toEqual([])
    const names = ['\'=HYPERLINK("http://x")', "'+49 170 1", "'@SUM(A1)", 'Müller, "Max"\nKöln', "'-"]
    expect(listOf('corrections.csv').map((record) => record['name'])).toEqual(names)
  })

  it('lets no record of the wrong shape become sendable by feeding the file back unread', async () => {
    // Unquoted, the reference "A,1" becomes "A" and shifts the name out of the row.
    const shifted = `1,${IBAN},2020-01-31,${CI},A,1,Ann`
    const { ledger, admitFile, report, pathOf, listOf } = await campaign(shifted, line(2, 'M-2'))
    expect(ledger.totals()).toMatchObject({ invalid: 1, ready: 1 })
    await report()
    const [misshapen] = listOf('corrections.csv')
    await admitFile(pathOf('corrections.csv'))
    const cells = { iban: '', unique_mandate_reference: 'A', migration_rule: 'ROW_FIELD_COUNT' }
    expect(misshapen).toMatchObject(cells)
    expect(misshapen?.['migration_message']).toContain(shifted.replaceAll(',', ' | '))
    expect(ledger.ready(0, 10).map(({ mandate }) => mandate.customerNo)).toEqual([2])
    expect(ledger.totals().invalid).toBe(1)
  })
})
