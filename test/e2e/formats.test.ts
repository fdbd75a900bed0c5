import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { collectionFile } from '../support/collections.js'
import type { Row } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'
import { AS_OF } from '../support/sources.js'
import { mandateCells, rowsOf, sheetOf, workbookBytes } from '../support/workbook.js'

describe('collection files', () => {
  const { write, read, program, ends, sandbox } = placeForEach({ rows: 1, sandbox: {} })

  const MOVED = 'DE02120300000000202051'

  it('collection files are drafted, planned and run with a crosswalk, and what is corrected comes back', async () => {
    write(
      'january.xml',
      collectionFile([
        { reference: 'M-1' },
        { reference: 'M-2', sequence: 'FRST' },
        { reference: 'M-3', sequence: 'FNAL' },
        { reference: 'M-4', iban: 'DE00370400440532013000' },
      ]),
    )
    const later = { reference: 'M-1', day: '2026-02-05', iban: MOVED, isAmended: true }
    write('february.xml', collectionFile([later]))
    await ends(0, 'init', 'january.xml')
    const drafted = read('sepa-migrate.yaml')
    const [, crosswalk = ''] = /^# (crosswalk: .*)$/m.exec(drafted) ?? []
    expect((await ends(7, 'run', 'january.xml')).stderr).toContain(crosswalk)
    write('sepa-migrate.yaml', `${drafted}\n${crosswalk}\n`)
    write('customers.csv', 'reference,customer_no\nM-1,101\nM-2,102\nM-3,103\nM-4,104\n')
    const planned = await program('plan', 'january.xml', 'february.xml')
    expect(planned.stdout).toContain('february.xml: 1 record')
    expect(planned.stdout).toMatch(/1 row excluded: .*final.* \(SEQUENCE_FINAL\)/)
    await program('approve', 'plan.json', '--yes', '--by', 'Ada', '--reference', 'mail of today')
    await ends(3, 'run', 'january.xml', 'february.xml', '--plan', 'plan.json')
    expect(sandbox().mandates()).toMatchObject([{ customer_no: 102 }, { customer_no: 101, iban: MOVED }])
    const corrections = read('corrections.csv')
    expect(corrections).toContain('of transaction 4')
    write('corrections.csv', corrections.replace('DE00370400440532013000', 'DE75512108001245126199'))
    await ends(0, 'run', inReport('corrections.csv'))
    await ends(0, 'run', 'february.xml', 'january.xml')
    expect(sandbox().mandates()).toHaveLength(3)
  })
})

describe('workbooks', () => {
  const { path, write, read, program, ends, sandbox } = placeForEach({ rows: 1, sandbox: {} })

  const HEADER = ['Kunde', 'iban', 'Datum', 'sepa_creditor_identifier', 'unique_mandate_reference', 'note']
  const day = '<c s="1"><v>45352</v></c>'
  const rowOf = (key: number, changed = {}): string[] =>
    mandateCells(key, { 0: `<c s="2"><v>${key}</v></c>`, 2: day, ...changed })

  it('a workbook is inspected, drafted, checked and run with a crosswalk that is one too, and its rows come back as CSV', async () => {
    const sheets = {
      Mandates: rowsOf([HEADER, rowOf(1), rowOf(2), rowOf(3, { 1: 'DE00370400440532013000' })]),
      Notes: rowsOf([['to do'], ['ask the bank']]),
    }
    writeFileSync(path('export.xlsx'), workbookBytes({ sheets, formats: [14, '00000'] }))
    const lines = [1, 2, 3].map((key) => [`0000${key}`, `<c><v>${key + 100}</v></c>`])
    const keys = rowsOf([['old', 'new'], ...lines])
    writeFileSync(path('customers.xlsx'), workbookBytes({ sheets: { Keys: keys } }))
    expect((await ends(7, 'inspect', 'export.xlsx')).stderr).toContain('"Mandates", "Notes"')
    const inspected = await program('inspect', 'export.xlsx', '--sheet', 'Mandates')
    expect(inspected.stdout).toContain('sheet      Mandates')
    expect(inspected.stdout).toContain('Next: sepa-migrate init export.xlsx --sheet Mandates')
    await ends(0, 'init', 'export.xlsx', '--sheet', 'Mandates')
    expect(read('sepa-migrate.yaml')).toContain('sheet: "Mandates"')
    write(
      'sepa-migrate.yaml',
      `source: { sheet: Mandates }
columns: { signed_date: { column: Datum, format: dd.mm.yyyy }, status: none }
crosswalk: { file: customers.xlsx, from: Kunde, key: old, customer_no: new }
`,
    )
    await ends(3, 'run', 'export.xlsx')
    expect(sandbox().mandates()).toMatchObject([{ customer_no: 101 }, { customer_no: 102 }])
    const corrections = read('corrections.csv')
    expect(corrections).toContain('2024-03-01')
    write('corrections.csv', corrections.replace('DE00370400440532013000', 'DE02120300000000202051'))
    await ends(0, 'run', inReport('corrections.csv'))
    expect(sandbox().mandates()).toHaveLength(3)
    await ends(0, 'run', 'export.xlsx')
    const { stderr } = await ends(7, 'run', 'export.xlsx', '--sheet', 'Notes')
    expect(stderr).toContain('its sheet "Mandates" came in before')
    expect(sandbox().mandates()).toHaveLength(3)
  })
})

describe('another sheet of the same header', () => {
  const { write, path, program, ends, registered } = placeForEach({ sandbox: {} })
  const CONFIG = 'source: { sheet: Nord }\ncolumns: { status: none }\n'
  const sheetWith = (...all: readonly number[]) => sheetOf(...all.map((n) => mandateCells(n)))
  const save = (name: string, sheets: Readonly<Record<string, string>>): void =>
    writeFileSync(path(name), workbookBytes({ sheets }))
  const LEFT_OUT =
    /Warning: "both.xlsx": .* Its sheet "Sued" holds at least 2 records\..*\(FILE_SHEET_LEFT_OUT\)/
  const customers = (): string[] => registered().map((line) => line.split(' ')[1] ?? '')

  it('is told by run, and its mandates come in from a workbook of their own', async () => {
    write('sepa-migrate.yaml', CONFIG)
    save('both.xlsx', { Nord: sheetWith(1, 2), Sued: sheetWith(3, 4) })
    const ended = await ends(0, 'run', 'both.xlsx')
    expect(ended.stderr).toMatch(LEFT_OUT)
    const { stderr } = await ends(7, 'run', 'both.xlsx', '--sheet', 'Sued')
    for (const text of [ended.stderr, stderr])
      expect(text).toMatch(/as a workbook of its own, and give that with the name of its sheet \(--sheet\)/)
    save('sued.xlsx', { Sued: sheetWith(3, 4) })
    await ends(0, 'run', 'sued.xlsx', '--sheet', 'Sued')
    expect(customers()).toEqual(['1', '2', '3', '4'])
    expect((await program('run')).stderr).not.toContain('FILE_SHEET_LEFT_OUT')
  })

  it('keeps a workbook from being the last export, until both are compared or somebody says so', async () => {
    write('sepa-migrate.yaml', CONFIG)
    save('first.xlsx', { Nord: sheetWith(1, 2) })
    await ends(5, 'run', 'first.xlsx', '--limit', '1')
    save('both.xlsx', { Nord: sheetWith(1, 2), Sued: sheetWith(3, 4) })
    const refused = await ends(2, 'compare', 'both.xlsx')
    expect(refused.stderr).toContain('"both.xlsx" has another sheet of the same header, "Sued", which')
    expect(refused.stderr).toContain('save each sheet as a workbook of its own in which it is called "Nord"')
    save('sued.xlsx', { Nord: sheetWith(3, 4) })
    save('nord.xlsx', { Nord: sheetWith(1, 2) })
    const { stdout } = await ends(5, 'compare', 'nord.xlsx', 'sued.xlsx')
    expect(stdout).toMatch(/ 2 {2}New/)
    expect((await ends(5, 'compare', 'both.xlsx', '--yes-it-is-final')).stderr).toMatch(LEFT_OUT)
  })
})

describe('a second file with accounts', () => {
  const { write, read, edit, rows, program, ends, sandbox } = placeForEach({ sandbox: {} })

  const EXPORT = `ID,Customer No.,Customer Bank Account Code,Date of Signature
BC1,10000,GIRO,2021-02-24
BC2,20000,007,2022-05-20
BC3,30000,GIRO,2023-05-20
`
  const ACCOUNTS = `Customer No.,Code,IBAN
10000,GIRO,DE66949093406621708301
20000,007,DE00398658160394691481
30000,BANK2,DE46375875851017747494
`
  const day = ['--as-of', AS_OF]

  it('accounts of a second file are drafted, checked, sent and corrected, and one that changed is told', async () => {
    write('export.csv', EXPORT)
    write('bank-accounts.csv', ACCOUNTS)
    await ends(0, 'init', 'export.csv')
    const draft = read('sepa-migrate.yaml')
    expect(draft).toMatch(/^# EDIT: .*\n# join: \[/m)
    const creditor =
      '  sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }\n  customer_no: Customer No.\n'
    const drafted = draft.replace(/^# join:/m, 'join:').replace(/^columns:\n/m, `columns:\n${creditor}`)
    write('sepa-migrate.yaml', drafted)

    const checked = await ends(3, 'check', 'export.csv', ...day)
    expect(checked.stdout).toMatch(/ready +1 /)
    expect(checked.stdout).toContain('by {Customer No.} and {Customer Bank Account Code}')
    const planned = await program('plan', 'export.csv', ...day)
    expect(planned.stdout, planned.stderr).toContain('joined with bank-accounts.csv (3 lines)')
    expect(read('plan.json')).toMatch(/bank-accounts\.csv \(SHA-256 [0-9a-f]{64}\)/)

    await ends(3, 'run', 'export.csv', ...day)
    const accounts = () =>
      sandbox()
        .mandates()
        .map(({ customer_no, iban }) => `${customer_no} ${iban}`)
    expect(accounts()).toEqual(['10000 DE66949093406621708301'])
    expect(read('problems.csv')).toContain('It is line 3 of bank-accounts.csv.')
    expect(read('problems.csv')).not.toMatch(/DE\d{20}/)

    // One is mended in the second file, one in the row; a spreadsheet takes the zeros of a key that nobody touched.
    write('bank-accounts.csv', ACCOUNTS.replace('DE00398658160394691481', 'DE94398658160394691481'))
    const again = await program('run', 'export.csv', ...day)
    expect(again.stdout).toContain('"export.csv" was read again')
    expect(accounts()).toHaveLength(2)
    const lines = rows('corrections.csv')
    expect(Object.keys(lines[0] ?? {})).not.toContain('IBAN')
    const code = (row: Row): Row => ({ 'Customer Bank Account Code': row['ID'] === 'BC3' ? 'BANK2' : '7' })
    edit('corrections.csv', (row) => ({ ...row, ...code(row) }))
    await ends(0, 'run', inReport('corrections.csv'), ...day)
    expect(accounts().slice(1)).toEqual(['20000 DE94398658160394691481', '30000 DE46375875851017747494'])
  })

  it('a plan is held to the second file that it was made with', async () => {
    const text = 'customer_no,code,signed_date,sepa_creditor_identifier,unique_mandate_reference\n'
    write('export.csv', `${text}10000,GIRO,2021-02-24,DE98ZZZ09999999999,BC1\n`)
    write('bank-accounts.csv', ACCOUNTS)
    const take = 'on: { customer_no: Customer No., code: Code }, take: { iban: IBAN }'
    write('sepa-migrate.yaml', `join: [{ file: bank-accounts.csv, ${take} }]\n`)
    await ends(0, 'plan', 'export.csv', '--by', 'Ada', ...day)
    const words = ['--yes', '--by', 'Grace', '--reference', 'mail of 12 June']
    await ends(0, 'approve', 'plan.json', ...words)
    const under = ['run', 'export.csv', '--plan', 'plan.json', ...day]

    write('bank-accounts.csv', ACCOUNTS.replace('30000,', '30001,'))
    expect((await ends(2, ...under)).stderr).toContain('bank-accounts.csv')
    expect(sandbox().mandates()).toEqual([])

    write('bank-accounts.csv', ACCOUNTS)
    await ends(0, ...under)
    expect(sandbox().mandates()).toHaveLength(1)
  })
})
