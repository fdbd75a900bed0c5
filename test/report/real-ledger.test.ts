import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { EarlierRows } from '../../src/domain/row/resaved.js'
import type { CheckedRecord } from '../../src/domain/rule/verdict.js'
import { PACK_FILES, TO_DO_FILES, writeReport } from '../../src/report/pack/pack.js'
import { admitSources } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { openSource } from '../../src/source/read-source.js'
import {
  IBAN,
  inDoubt,
  open,
  refused,
  registered,
  send,
  SETTINGS,
  turnedAway,
} from '../ledger/campaign-setup.js'
import { germanIban } from '../support/export.js'
import { freshFolder } from '../support/folder.js'
import { CHECK } from '../support/sources.js'
import { unzipped } from './workbook-value.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,name\n'
const CI = 'DE98ZZZ09999999999'
const WRONG_IBAN = 'DE89370400440532013001'

const line = (customerNo: number, reference: string, iban = IBAN, name = 'Ann'): string =>
  [customerNo, iban, '2020-01-31', CI, reference, name]
    .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
    .join(',')

const sourceOf = (path: string, earlier?: EarlierRows) =>
  openSource(path, DEFAULT_SOURCE_OPTIONS, { ...CHECK, ...(earlier === undefined ? {} : { earlier }) })

async function recordsIn(path: string): Promise<CheckedRecord[]> {
  const records: CheckedRecord[] = []
  for await (const batch of (await sourceOf(path)).records()) records.push(...batch)
  return records
}

const recordsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })

/** A ledger into which these lines were admitted. */
async function campaign(...lines: readonly string[]) {
  const folder = freshFolder()
  const ledger = open({ file: join(folder, 'campaign.db') })
  ledger.bind({ baseUrl: 'https://billing.example', username: 'migration' })
  ledger.startRun(SETTINGS)
  const pathOf = (name: string): string =>
    join(folder, 'pack', TO_DO_FILES.find((list) => list.endsWith(name)) ?? name)
  const textOf = (name: string): string => readFileSync(pathOf(name), 'utf8')
  const exported = join(folder, 'a.csv')
  const admitFile = async (path: string): Promise<void> => {
    const options = { severities: {}, signal: new AbortController().signal, watch: () => undefined }
    await admitSources(ledger, [(earlier) => sourceOf(path, earlier)], options)
  }
  const report = () => writeReport(ledger.file, { out: join(folder, 'pack') })
  writeFileSync(exported, HEADER + lines.join('\n'))
  await admitFile(exported)
  return {
    folder,
    ledger,
    exported,
    admitFile,
    report,
    pathOf,
    textOf,
    listOf: (name: string) => recordsOf(textOf(name)),
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
  it('balances over every state and adds up across its files', async () => {
    const mandates = [1, 2, 3, 4, 5].map((n) => line(n, `M-${n}`))
    const repeated = [line(1, 'M-1'), line(6, 'M-6'), line(7, 'M-6')]
    const { ledger, report, textOf, listOf } = await campaign(...mandates, ...repeated, ...AWKWARD)
    for (const outcome of [registered('NEW-1'), refused(), inDoubt(), turnedAway()])
      await send(ledger, outcome)
    const { totals, balanced } = await report()
    expect(balanced).toBe(true)
    expect(totals).toEqual(ledger.totals())
    const sent = { registered: 1, refused: 1, inDoubt: 1, ready: 2 }
    expect(totals).toMatchObject({ read: 13, ...sent, duplicate: 1, conflict: 2, invalid: 5 })
    const lists = ['registered.csv', 'refused.csv', 'corrections.csv', 'in-doubt.csv', 'not-sent.csv']
    expect(lists.map((name) => listOf(name).length)).toEqual([1, 1, 7, 1, 3])
    expect(listOf('in-doubt.csv')[0]).toMatchObject({ migration_row: '3', migration_attempt: '1' })
    const assigned = { original_mandate_reference: 'M-1', assigned_mandate_reference: 'NEW-1', attempts: '1' }
    const row = { customer_no: '1', iban_masked: 'DE…3000', source: 'a.csv', record: '1' }
    expect(listOf('registered.csv')[0]).toMatchObject({ ...row, ...assigned })
    const distinct = { customers: 7, mandates: 11, accounts: 2 }
    expect(JSON.parse(textOf('summary.json'))).toMatchObject({ distinct })
  })

  it('gives rows that are to be corrected back exactly as they were read, without a cell that a spreadsheet would run', async () => {
    const { exported, report, pathOf, listOf } = await campaign(...AWKWARD)
    await report()
    const [before, after] = [await recordsIn(exported), await recordsIn(pathOf('corrections.csv'))]
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

  it('lets an operator correct the file of faulty rows and feed it back', async () => {
    const { folder, ledger, admitFile, report, textOf } = await campaign(line(9, 'M-9'), ...AWKWARD)
    await send(ledger, registered('NEW-9'))
    await report()
    const corrected = join(folder, 'corrected.csv')
    let account = 0
    writeFileSync(
      corrected,
      textOf('corrections.csv').replaceAll(WRONG_IBAN, () => germanIban((account += 1))),
    )
    await admitFile(corrected)
    const totals = { read: 6, resubmitted: 5, registered: 1, superseded: 0, ready: 5, invalid: 0 }
    expect(ledger.totals()).toMatchObject(totals)
    const ready = ledger.ready(0, 10).map(({ mandate }) => mandate.original.mandateReference)
    expect(ready).toEqual(REFERENCES)
    expect((await report()).balanced).toBe(true)
    const header = textOf('corrections.csv').split('\n')[0]!.split(',')
    expect(new Set(header).size).toBe(header.length)
    const inNoFile = { superseded: 0, writtenOff: 0 }
    expect(JSON.parse(textOf('summary.json'))).toMatchObject({
      inNoFile,
      files: { 'not-sent.csv': { rows: 5 } },
    })
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

  it('shows no full account number outside the files that are made to be edited', async () => {
    const lines = [1, 2, 3].map((n) => line(n, `M-${n}`))
    const { ledger, report, pathOf, textOf } = await campaign(...lines, ...AWKWARD)
    const outcomes = [registered('NEW-1'), refused(`${IBAN} is blocked`), inDoubt()]
    for (const outcome of outcomes) await send(ledger, outcome)
    await report()
    const body = IBAN.slice(4, -4)
    const holders = [...PACK_FILES, ...TO_DO_FILES].filter((name) => textOf(name).includes(body))
    expect(holders).toEqual(TO_DO_FILES.filter((name) => !name.endsWith('not-sent.csv')))
    const workbook = [...unzipped(readFileSync(pathOf('reconciliation.xlsx'))).values()]
    expect(workbook.filter(({ text }) => text.includes(body))).toEqual([])
  })

  it('shows none there once it is purged', async () => {
    const { ledger, report, textOf, listOf } = await campaign(...AWKWARD)
    ledger.purge({ by: 'A. Reviewer', reason: 'signed off', withOpenRows: true })
    await report()
    expect(textOf('corrections.csv')).not.toContain('37040044')
    const masked = { customer_no: '2', unique_mandate_reference: '="+AB/1"', name: '' }
    expect(listOf('corrections.csv')[1]).toMatchObject(masked)
  })
})
