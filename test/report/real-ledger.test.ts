import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { LocalDate } from '../../src/domain/mandate/mandate.js'
import type { CheckedRecord } from '../../src/domain/rule/verdict.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { openLedgerReader } from '../../src/ledger/read/open-reader.js'
import { PACK_FILES, TO_DO_FILES, writeReport } from '../../src/report/pack/pack.js'
import { admitSources } from '../../src/run/admit-sources.js'
import { DEFAULT_SOURCE_OPTIONS } from '../../src/source/options.js'
import { openSource } from '../../src/source/read-source.js'
import { inDoubt, open, refused, registered, send, SETTINGS, turnedAway } from '../ledger/campaign-setup.js'
import { germanIban } from '../support/export.js'
import { unzipped } from './workbook-value.js'
import { freshFolder } from '../support/folder.js'
import type { EarlierRows } from '../../src/domain/row/resaved.js'

const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,name\n'
const IBAN = 'DE89370400440532013000'
const CI = 'DE98ZZZ09999999999'

const line = (
  customerNo: number | string,
  reference: string,
  change: { iban?: string; name?: string } = {},
): string =>
  [customerNo, change.iban ?? IBAN, '2020-01-31', CI, reference, change.name ?? 'Ann']
    .map((cell) => `"${String(cell).replaceAll('"', '""')}"`)
    .join(',')

const sourceOf = (path: string, earlier?: EarlierRows) =>
  openSource(path, DEFAULT_SOURCE_OPTIONS, {
    today: '2026-06-15' as LocalDate,
    severities: {},
    newCreditorIdentifier: null,
    dormantSoonDays: 60,
    ...(earlier === undefined ? {} : { earlier }),
  })

async function recordsIn(path: string): Promise<CheckedRecord[]> {
  const records: CheckedRecord[] = []
  for await (const batch of (await sourceOf(path)).records()) records.push(...batch)
  return records
}

interface Campaign {
  readonly folder: string
  readonly ledger: Ledger
  /** Writes the lines as a source and admits it. */
  readonly admit: (name: string, lines: readonly string[]) => Promise<void>
  readonly admitFile: (path: string) => Promise<void>
  readonly report: (
    out?: string,
  ) => Promise<ReturnType<typeof writeReport> extends Promise<infer Result> ? Result : never>
  readonly textOf: (name: string) => string
}

function campaign(): Campaign {
  const folder = freshFolder()
  const file = join(folder, 'campaign.db')
  const out = join(folder, 'pack')
  const ledger = open({ file })
  ledger.bind({ baseUrl: 'https://billing.example', username: 'migration' })
  ledger.startRun(SETTINGS)
  const admitFile = async (path: string): Promise<void> => {
    const options = { severities: {}, signal: new AbortController().signal, watch: () => undefined }
    await admitSources(ledger, [(earlier) => sourceOf(path, earlier)], options)
  }
  return {
    folder,
    ledger,
    admitFile,
    admit: async (name, lines) => {
      const path = join(folder, name)
      writeFileSync(path, HEADER + lines.join('\n'))
      await admitFile(path)
    },
    report: async (into = out) => {
      const reader = openLedgerReader(file)
      try {
        return await writeReport(reader, { out: into })
      } finally {
        reader.close()
      }
    },
    textOf: (name) =>
      readFileSync(join(out, TO_DO_FILES.find((list) => list.endsWith(name)) ?? name), 'utf8'),
  }
}

const recordsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })

/** References that are legal and begin like a formula, text markers, and names that are formulas. */
const AWKWARD = [
  line(1, '-17', { iban: 'DE89370400440532013001', name: '=HYPERLINK("http://x")' }),
  line(2, '+AB/1', { iban: 'DE89370400440532013001', name: '+49 170 1' }),
  line(3, '="00012345"', { iban: 'DE89370400440532013001', name: '@SUM(A1)' }),
  line(4, "'Q-1", { iban: 'DE89370400440532013001', name: 'Müller, "Max"\nKöln' }),
  line(5, '\t(X)', { iban: '="DE89370400440532013001"', name: '-' }),
]

describe('the pack of a real ledger', () => {
  it('balances over every state and adds up across its files', async () => {
    const { ledger, admit, report, textOf } = campaign()
    await admit('a.csv', [
      ...[1, 2, 3, 4, 5].map((n) => line(n, `M-${n}`)),
      line(1, 'M-1'),
      line(6, 'M-6'),
      line(7, 'M-6'),
      ...AWKWARD,
    ])
    await send(ledger, registered('NEW-1'))
    await send(ledger, refused())
    await send(ledger, inDoubt())
    await send(ledger, turnedAway())

    const { totals, balanced, files } = await report()

    expect(balanced).toBe(true)
    expect(totals).toEqual(ledger.totals())
    expect(totals).toMatchObject({
      read: 13,
      registered: 1,
      refused: 1,
      inDoubt: 1,
      ready: 2,
      duplicate: 1,
      conflict: 2,
      invalid: 5,
    })
    const rows = ['registered.csv', 'refused.csv', 'corrections.csv', 'in-doubt.csv', 'not-sent.csv'].map(
      (name) => recordsOf(textOf(name)).length,
    )
    expect(rows).toEqual([1, 1, 7, 1, 3])
    expect(files.map(({ name }) => name).sort()).toEqual([...PACK_FILES].sort())
    expect(recordsOf(textOf('in-doubt.csv'))[0]).toMatchObject({ migration_row: '3', migration_attempt: '1' })
    expect(recordsOf(textOf('registered.csv'))[0]).toMatchObject({
      customer_no: '1',
      iban_masked: 'DE…3000',
      original_mandate_reference: 'M-1',
      assigned_mandate_reference: 'NEW-1',
      source: 'a.csv',
      record: '1',
      attempts: '1',
    })
    expect(textOf('problems.csv').split('\n')[0]).toBe(
      'source,record,line,column,rule,severity,value,message,remedy',
    )
    expect(JSON.parse(textOf('summary.json'))).toMatchObject({
      distinct: { customers: 7, mandates: 11, accounts: 2 },
    })
  })

  it('gives rows that are to be corrected back exactly as they were read', async () => {
    const { folder, admit, report } = campaign()
    await admit('a.csv', AWKWARD)
    const before = await recordsIn(join(folder, 'a.csv'))

    await report()

    const after = await recordsIn(join(folder, 'pack', 'to-do', 'corrections.csv'))
    const meaning = ({ values, verdict, mandateKey, findings }: CheckedRecord) => ({
      values,
      verdict,
      mandateKey,
      findings: findings.map(({ rule, field, value }) => ({ rule, field, value })),
    })
    expect(after.map(meaning)).toEqual(before.map(meaning))
    expect(after.map(({ corrects }) => corrects)).toEqual([1, 2, 3, 4, 5])
    expect(after.map(({ values }) => values.mandateReference)).toEqual([
      '-17',
      '+AB/1',
      '00012345',
      "'Q-1",
      '(X)',
    ])
  })

  it('holds no cell in its editable files that a spreadsheet would run', async () => {
    const { admit, report, textOf } = campaign()
    await admit('a.csv', AWKWARD)
    await report()

    const cells = recordsOf(textOf('corrections.csv')).flatMap((record) => Object.values(record))

    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^="[^"]*"$/.test(cell))).toEqual([])
    expect(recordsOf(textOf('corrections.csv')).map((record) => record['name'])).toEqual([
      '\'=HYPERLINK("http://x")',
      "'+49 170 1",
      "'@SUM(A1)",
      'Müller, "Max"\nKöln',
      "'-",
    ])
  })

  it('lets an operator correct the file of faulty rows and feed it back', async () => {
    const { folder, ledger, admit, admitFile, report, textOf } = campaign()
    await admit('a.csv', [line(9, 'M-9'), ...AWKWARD])
    await send(ledger, registered('NEW-9'))
    await report()

    const corrected = join(folder, 'corrected.csv')
    let account = 0
    const ownAccount = (): string => germanIban((account += 1))
    writeFileSync(corrected, textOf('corrections.csv').replaceAll('DE89370400440532013001', ownAccount))
    await admitFile(corrected)

    expect(ledger.totals()).toMatchObject({
      read: 6,
      resubmitted: 5,
      registered: 1,
      superseded: 0,
      ready: 5,
      invalid: 0,
    })
    expect(ledger.ready(0, 10).map(({ mandate }) => mandate.original.mandateReference)).toEqual([
      '-17',
      '+AB/1',
      '00012345',
      "'Q-1",
      '(X)',
    ])
    const { balanced } = await report()
    expect(balanced).toBe(true)
    const header = textOf('corrections.csv').split('\n')[0]!.split(',')
    expect(new Set(header).size).toBe(header.length)
    const summary = JSON.parse(textOf('summary.json')) as {
      inNoFile: unknown
      files: Record<string, unknown>
    }
    expect(summary.inNoFile).toEqual({ superseded: 0, writtenOff: 0 })
    expect(summary.files['not-sent.csv']).toEqual({ rows: 5 })
  })

  it('lets no record of the wrong shape become sendable by feeding the file back unread', async () => {
    const { folder, ledger, admit, admitFile, report, textOf } = campaign()
    // Unquoted, the reference "A,1" becomes "A" and shifts the name out of the row.
    await admit('a.csv', [`1,${IBAN},2020-01-31,${CI},A,1,Ann`, line(2, 'M-2')])
    expect(ledger.totals()).toMatchObject({ invalid: 1, ready: 1 })
    await report()

    const [misshapen] = recordsOf(textOf('corrections.csv'))
    await admitFile(join(folder, 'pack', 'to-do', 'corrections.csv'))

    expect(misshapen).toMatchObject({
      iban: '',
      unique_mandate_reference: 'A',
      migration_rule: 'ROW_FIELD_COUNT',
    })
    expect(misshapen?.['migration_message']).toContain(`1 | ${IBAN} | 2020-01-31 | ${CI} | A | 1 | Ann`)
    expect(ledger.ready(0, 10).map(({ mandate }) => mandate.customerNo)).toEqual([2])
    expect(ledger.totals().invalid).toBe(1)
  })

  it('shows no full account number outside the files that are made to be edited', async () => {
    const { folder, ledger, admit, report, textOf } = campaign()
    await admit('a.csv', [line(1, 'M-1'), line(2, 'M-2'), line(3, 'M-3'), ...AWKWARD])
    await send(ledger, registered('NEW-1'))
    await send(ledger, refused(`${IBAN} is blocked`))
    await send(ledger, inDoubt())
    await report()

    const body = IBAN.slice(4, -4)
    const holders = [...PACK_FILES, ...TO_DO_FILES].filter((name) => textOf(name).includes(body))
    const workbook = [...unzipped(readFileSync(join(folder, 'pack', 'reconciliation.xlsx'))).values()]
    expect(holders).toEqual(TO_DO_FILES.filter((name) => !name.endsWith('not-sent.csv')))
    expect(workbook.some(({ text }) => text.includes(body))).toBe(false)
  })

  it('masks the removed cells of a purged ledger', async () => {
    const { ledger, admit, report, textOf } = campaign()
    await admit('a.csv', AWKWARD)
    ledger.purge({ by: 'A. Reviewer', reason: 'signed off', withOpenRows: true })
    await report()

    expect(textOf('corrections.csv')).not.toContain('37040044')
    expect(recordsOf(textOf('corrections.csv'))[1]).toMatchObject({
      customer_no: '2',
      unique_mandate_reference: '="+AB/1"',
      name: '',
    })
  })
})
