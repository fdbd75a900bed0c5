import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sheetsOf } from '../report/workbook-value.js'
import { collectionFile, type Debit } from '../support/collections.js'
import { germanIban, type Row, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'
import { openWork } from '../support/work.js'
import { rowsOf, workbookBytes } from '../support/workbook.js'

const TO_DO = inReport('to-do.xlsx')
const DONE = { migration_decision: 'done', migration_reason: 'told the service', migration_by: 'Ada' }

describe('the last export', () => {
  const { path, read, rows, edit, write, held, mandateOf, sandbox, program, ends, json } = placeForEach({
    sandbox: { faults: [{ match: { customer_no: 604 }, times: 1, fault: { kind: 'reset', applied: true } }] },
  })

  const HEADER = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,Status'
  const line = (n: number, status = 'active'): string => `${validLine(n)},${status}`
  const moved = (n: number): string => line(n).replace(germanIban(n), germanIban(900 + n))
  const save = (name: string, lines: readonly string[]): void =>
    write(name, `${[HEADER, ...lines].join('\n')}\n`)
  const from = (first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, at) => line(first + at))

  /** Between export and cut-over customers cancel, move, get another reference and sign. */
  const FINAL = [
    moved(2),
    line(3).replace(/2024-03-\d\d/, '2024-04-01'),
    line(4).replace('MANDATE-4', 'MANDATE-4-B'),
    line(5, 'cancelled'),
    ...from(6, 12),
    moved(14),
    line(15, 'cancelled'),
    ...from(16, 22),
  ]

  it('compare sets the last export against the ledger, run holds what is over, and a person closes each line', async () => {
    save('export.csv', from(1, 20))
    await ends(5, 'run', 'export.csv', '--limit', '12')
    save('other.csv', from(101, 120))
    const { stderr } = await ends(2, 'compare', 'other.csv')
    expect(stderr).toMatch(/20 are not in this export[^]*--yes-it-is-final/)
    expect(await json('status')).toMatchObject({ cutOver: { open: 0, held: 0, untaken: 0 } })

    save('final.csv', FINAL)
    expect(await json('compare', 'final.csv')).toMatchObject({
      exitCode: 5,
      totals: { registered: 12, ready: 8 },
      mandates: { ledger: 20, final: 20 },
      classes: {
        unchanged: 12,
        new: 2,
        changed_before_sending: 1,
        changed_after_registration: 3,
        ended_after_registration: 2,
        gone_unsent: 2,
        dormant: 0,
        in_doubt_changed: 0,
      },
      cutOver: { open: 7, held: 3, untaken: 3 },
    })
    expect(held()).toHaveLength(12)
    const planned = await program('plan', '--to', 'plan.json')
    expect(planned.stdout).toMatch(
      /2 rows ready: held back, .*something else of their mandates.*\(CUT_OVER\)/,
    )
    expect(JSON.parse(read('plan.json'))).toMatchObject({
      rows: { count: 5 },
      staysBehind: [
        { state: 'ready', rule: 'CUT_OVER', count: 2 },
        { state: 'ready', rule: 'CHANGED_SINCE_COMPARED', count: 1 },
      ],
    })

    const run = await ends(3, 'run', 'final.csv')
    const sent = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 17, 18, 19, 20, 21, 22]
    expect(held().toSorted((a, b) => a - b)).toEqual(sent)
    expect(mandateOf(14)?.iban).toBe(germanIban(914))
    expect(run.stdout).toContain(
      '1 ready, and held back: the last comparison or another record says something else of their mandates',
    )
    await ends(3, 'run')
    expect(held()).toHaveLength(20)

    // Row 15 was replaced by what the last export says of it, which leaves nothing to do.
    const open = rows('cut-over.csv')
    expect(open.map((row) => [row['customer_no'], row['migration_class']].join(' '))).toEqual([
      '1 ended_after_registration',
      '2 changed_after_registration',
      '3 changed_after_registration',
      '4 changed_after_registration',
      '5 ended_after_registration',
      '13 gone_unsent',
    ])
    expect(open[0]).toMatchObject({
      iban_masked: germanIban(1).replace(/^(..).*(....)$/, '$1…$2'),
      migration_state: 'registered',
    })
    expect(open[0]?.['assigned_mandate_reference']).not.toBe('')
    expect(open[1]?.['migration_change']).toContain('another account')
    expect(read('cut-over.csv')).not.toMatch(/DE\d{20}/)
    expect(read('report.html')).toContain('Cut-over items to close: 6')

    const word = (row: Row) => (row['migration_class'] === 'gone_unsent' ? 'written-off' : 'done')
    edit('cut-over.csv', (row) => ({ ...row, ...DONE, migration_decision: word(row) }))
    const resolved = await program('resolve', '--from', inReport('cut-over.csv'))
    expect(resolved.stdout).toContain('6 decisions recorded')
    expect(await json('status')).toMatchObject({
      totals: { ready: 0 },
      cutOver: { open: 0, held: 0, untaken: 0 },
    })
    expect((await program('report')).stdout).not.toContain('cut-over')
    expect(read('report.html')).toContain('Ada: done (2)')
    expect(read('report.html')).toContain(
      'cancelled: 2, changed: 3, by Ada. Registered mandates that live on: 18',
    )
    expect(
      (await program('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')).status,
    ).toBe(0)
    expect(sandbox().requests().repeated).toEqual([])
  })

  it('a record that waits says what the last export has of its mandate, and the export settles what it can', async () => {
    save('e1.csv', from(1, 4))
    save('e2.csv', [moved(1), moved(2), moved(3)])
    await ends(3, 'run', 'e1.csv', 'e2.csv')
    save('final.csv', [line(1, 'cancelled'), line(3), line(4)])
    await ends(3, 'run', 'final.csv')
    const compared = await ends(3, 'compare', 'final.csv')
    expect(compared.stdout).toContain('1 new or changed in the final export: not taken in')
    const [ended, gone] = ['it has ended there.', 'it is not in the last export.']
    expect(
      rows('corrections.csv').map((row) => [
        row['customer_no'],
        row['iban'] === germanIban(Number(row['customer_no'])),
        row['migration_message']?.split('compared: ')[1],
        row['migration_remedy']?.startsWith('Write "written-off"'),
      ]),
    ).toEqual([
      ['1', true, ended, true],
      ['2', true, gone, true],
      ['3', true, 'it is as in this record there.', false],
      ['1', false, ended, true],
      ['2', false, gone, true],
      ['3', false, 'its record there says something else.', false],
    ])
    await ends(3, 'run', 'final.csv')
    expect(await json('status')).toMatchObject({ cutOver: { untaken: 0 } })
    expect(held().toSorted()).toEqual([3, 4])
    expect(mandateOf(3)?.iban).toBe(germanIban(3))
  })

  it('a list that an earlier comparison wrote closes no line of a later one', async () => {
    save('export.csv', from(1, 6))
    await program('run', 'export.csv')
    save('moved.csv', [moved(1), ...from(2, 6)])
    await program('compare', 'moved.csv')
    edit('cut-over.csv', DONE, 'older.csv')
    save('again.csv', from(1, 6).toReversed())
    expect((await program('compare', 'again.csv')).stdout).toContain(
      '1 line of the comparison before was open and closed by nobody',
    )
    save('ended.csv', [line(1, 'cancelled'), ...from(2, 6)])
    expect(await json('compare', 'ended.csv')).toMatchObject({ cutOver: { open: 1 } })
    const { stderr } = await ends(2, 'resolve', '--from', 'older.csv')
    expect(stderr).toContain('the latest comparison says something else of row 1')
    expect(await json('status')).toMatchObject({ cutOver: { open: 1 } })
    edit('cut-over.csv', DONE, 'newer.csv')
    expect((await json('resolve', '--from', 'newer.csv')).exitCode).toBe(0)
    // Taken back there, or never cancelled: somebody has to look.
    expect(await json('compare', 'export.csv')).toMatchObject({ exitCode: 2 })
    await ends(3, 'compare', 'export.csv', '--yes-it-is-final')
    expect(rows('cut-over.csv')[0]?.['migration_change']).toContain('as before again')
    // What came in behind the comparison is in none.
    save('more.csv', [line(7)])
    expect((await ends(3, 'run', 'more.csv')).stdout).toContain('1 not compared: came in since')
  })

  it('the sheet of the workbook holds the same lines, closed by resolve or with corrections by run', async () => {
    const zeros = (text: string): string => text.replace('MANDATE-5', '0005')
    save('export.csv', [...from(1, 4), zeros(line(5)), line(6).replace('2024-03', '2024-13')])
    await ends(3, 'run', 'export.csv')
    save('final.csv', [line(1), zeros(line(5, 'cancelled'))])
    expect(await json('compare', 'final.csv', '--yes-it-is-final')).toMatchObject({ cutOver: { open: 5 } })

    const work = openWork(path('to-do.xlsx'))
    expect(work.names).toEqual(['Corrections', 'Cut-over'])
    const header = work.header('Cut-over')
    expect(header.slice(0, 3)).toEqual(['migration_class', 'migration_change', 'migration_action'])
    expect(header.slice(-2)).toEqual(['migration_ledger', 'migration_attempt'])
    const lines = work.rows('Cut-over')
    expect(lines.map((row) => row['migration_row'])).toEqual(['2', '3', '4', '5', '6'])
    expect(lines[3]).toMatchObject({
      unique_mandate_reference: '0005',
      migration_change: 'it has ended there',
    })
    expect(read('cut-over.csv')).toContain('"=""0005"""')
    expect(JSON.stringify(lines)).not.toMatch(/DE\d{20}/)
    const signed =
      sheetsOf(readFileSync(path('reconciliation.xlsx')))
        .get('Cut-over')
        ?.slice(2) ?? []
    expect(signed.map(([row]) => row?.value)).toEqual(['2', '3', '4', '5', '6'])
    expect(signed[3]?.map(({ value }) => value)).toEqual(
      expect.arrayContaining(['0005', 'Ended after registration, to be cancelled at the service', 'DE…0005']),
    )

    for (const nth of [0, 3]) work.type('Cut-over', nth, DONE)
    work.change('Cut-over', (all) => all.reverse())
    work.save(path('back.xlsx'))
    expect((await program('resolve', '--from', 'back.xlsx')).stdout).toContain('2 decisions recorded')
    expect(await json('status')).toMatchObject({ cutOver: { open: 3 } })

    await program('report')
    const rest = openWork(path('to-do.xlsx'))
    rest.type('Cut-over', 0, DONE)
    rest.type('Corrections', 0, { signed_date: '2024-03-07' })
    rest.save()
    expect(await json('run', TO_DO)).toMatchObject({
      totals: { invalid: 0, ready: 1, registered: 5 },
      cutOver: { open: 2, held: 1 },
    })
    expect(held()).toHaveLength(5)
    expect(openWork(path('to-do.xlsx')).names).toEqual(['Corrections', 'Cut-over'])
    await ends(3, 'run', TO_DO)
    expect(sandbox().requests().repeated).toEqual([])
  })

  it('a workbook with lines of the cut-over alone that comes back without a decision is put aside, and they stay open', async () => {
    save('export.csv', from(1, 4))
    await ends(0, 'run', 'export.csv')
    save('final.csv', from(1, 2))
    await program('compare', 'final.csv', '--yes-it-is-final')
    const none = '"to-do.xlsx" holds no correction and no decision: what is open in it stays open.'
    for (const count of [1, 2, 3]) {
      const work = openWork(path('to-do.xlsx'))
      expect(work.rows('Corrections')).toEqual([])
      if (count > 1) work.save()
      expect((await ends(3, 'run', TO_DO)).stdout).toContain(none)
      const lists = readdirSync(path('sepa-migrate-report')).filter((name) => name.startsWith('to-do'))
      expect(lists).toEqual(['to-do'])
      expect(readdirSync(path('sepa-migrate-report/to-do/done'))).toHaveLength(count)
    }
    const beside = ['--ledger', 'sepa-migrate.db'] as const
    expect((await program('check', TO_DO, ...beside)).stdout).toContain(none)
    const work = openWork(path('to-do.xlsx'))
    work.type('Cut-over', 0, DONE)
    work.save()
    expect((await program('check', TO_DO, ...beside)).stdout).not.toContain('no decision')
  })

  it('report --to-cancel lists what one run registered, also by a later word of a person, and cancels nothing', async () => {
    save('export.csv', from(601, 605))
    await program('run', 'export.csv', '--limit', '2')
    await ends(4, 'run', '--limit', '2')
    await program('run')
    const [, , , lost] = sandbox().mandates()
    const assigned = ['--assigned-creditor-identifier', lost?.sepa_creditor_identifier ?? '']
    const found = [...assigned, '--assigned-mandate-reference', lost?.unique_mandate_reference ?? '']
    await program('resolve', '--row', '4', '--as', 'registered', '--reason', 'they hold it', ...found)
    await program('verify')
    const told = await json('report', '--to-cancel', '2')
    expect(Object.keys(told.files)).toContain('to-cancel.csv')
    const listed = rows('to-cancel.csv')
    expect(listed.map((row) => row['customer_no'])).toEqual(['603', '604'])
    const held = sandbox().mandates().slice(2, 4)
    expect(listed.map((row) => row['assigned_mandate_reference'])).toEqual(
      held.map(({ unique_mandate_reference }) => unique_mandate_reference),
    )
    for (const row of listed) expect(row['payment_sources']).toMatch(/^\S+$/)
    expect(read('to-cancel.csv')).not.toMatch(/DE\d{20}/)
    expect(sandbox().mandates()).toHaveLength(5)
    for (const { cancelled_at } of sandbox().mandates()) expect(cancelled_at).toBeNull()

    expect((await ends(2, 'report', '--to-cancel', '4')).stderr).toContain('There is no run "4"')
    expect((await program('status')).stdout).toMatch(/^Last run: 3, started /m)
  })
})

describe('the last export in each format', () => {
  const { write, json, held } = placeForEach({
    sandbox: { faults: [{ match: { customer_no: 4 }, fault: { kind: 'reset', applied: true } }] },
  })
  /** A mandate for each class, in the order in which they are sent: the first four before the last export comes. */
  const CLASSES = [
    ...(['unchanged', 'changed_after_registration', 'ended_after_registration', 'in_doubt_changed'] as const),
    ...(['changed_before_sending', 'gone_unsent', 'dormant', 'new'] as const),
  ]
  const mandateOf = (n: number, change: Partial<Debit> = {}) => ({
    ...{ reference: `M-${n}`, iban: germanIban(n), signed: `2020-0${n}-11`, sequence: 'RCUR' },
    day: n === 7 ? '2023-07-15' : '2026-01-05',
    ...change,
  })
  const moved = (n: number) => mandateOf(n, { iban: germanIban(n + 5_000) })
  type Written = ReturnType<typeof mandateOf>
  const FIRST: readonly Written[] = [1, 2, 3, 4, 5, 6, 7].map((n) => mandateOf(n))
  const LAST: readonly Written[] = [
    ...[mandateOf(1), moved(2), mandateOf(3, { sequence: 'FNAL' }), moved(4), moved(5), mandateOf(7)],
    mandateOf(8),
  ]
  const HEADER = [
    ...['customer_no', 'iban', 'signed_date', 'sepa_creditor_identifier', 'unique_mandate_reference'],
    ...['last_collection_date', 'Status'],
  ]
  const sheetOf = (all: readonly Written[]): Uint8Array => {
    const lines = all.map(({ reference, iban, signed, day, sequence }) => [
      ...[reference.slice(2), iban, signed, 'DE98ZZZ09999999999', reference, day],
      sequence === 'FNAL' ? 'cancelled' : 'active',
    ])
    return workbookBytes({ sheets: { Mandates: rowsOf([HEADER, ...lines]) } })
  }

  /** Other formats are read as test/source reads them. */
  it.each([
    ['a workbook', 'xlsx', sheetOf, 'dormantSoonDays: 60'],
    [
      'a collection file',
      'xml',
      collectionFile,
      'crosswalk: { file: customers.csv, from: unique_mandate_reference, key: reference, customer_no: no }',
    ],
  ] as const)('one of each class is told as such in %s', async (_, ending, bytes, yaml) => {
    const [before, after] = [`export.${ending}`, `final.${ending}`]
    write(before, bytes(FIRST))
    write(after, bytes(LAST))
    write('customers.csv', `reference,no\n${CLASSES.map((__, at) => `M-${at + 1},${at + 1}\n`).join('')}`)
    write('sepa-migrate.yaml', yaml)
    const totals = { registered: 3, inDoubt: 1, ready: 3 }
    const run = await json('run', before, '--as-of', '2026-03-01', '--limit', '4', '--no-report')
    expect(run.totals).toMatchObject(totals)
    // So much has gone that it is asked about.
    expect(await json('compare', after, '--as-of', '2026-08-01', '--yes-it-is-final')).toMatchObject({
      classes: Object.fromEntries(CLASSES.map((name) => [name, 1])),
      mandates: { ledger: FIRST.length, final: LAST.length },
      totals,
      cutOver: { open: 5, held: 3, untaken: 2 },
    })
    expect(held()).toHaveLength(4)
  })
})
