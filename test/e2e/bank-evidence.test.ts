import { expect, it } from 'vitest'
import { collectionFile, type Debit } from '../support/collections.js'
import { germanIban, validExport } from '../support/export.js'
import { placeForEach, type Told } from '../support/place.js'
import { inReport } from '../support/program.js'

const { write, program, ends, programWith, json, edit, held, totals, read, rows } = placeForEach({
  rows: 4,
  sandbox: {},
})

const debit = (n: number, more: Partial<Debit> = {}): Debit => ({
  reference: `MANDATE-${n}`,
  iban: germanIban(n),
  signed: `2024-03-0${n + 1}`,
  ...more,
})

interface Counted extends Told {
  readonly evidence: Readonly<Record<string, number>> | null
  readonly customer: { readonly rows: readonly { readonly collected: unknown }[] }
}

const SEND = { migration_decision: 'send', migration_reason: 'moved' }

const COUNTS = {
  ...{ agrees: 2, reference_differs: 0, creditor_differs: 0, date_differs: 0, account_differs: 1 },
  ...{ never_collected: 1, ended: 0, not_in_export: 1 },
}

it('what the bank last saw holds rows back in check, plan and run, until a person says so', async () => {
  write('january.xml', collectionFile([debit(1), debit(2), debit(3, { day: '2025-01-05' })]))
  write('march.xml', collectionFile([debit(3, { iban: germanIban(33), day: '2026-03-05' }), debit(77)]))
  const beside = ['export.csv', '--evidence', 'january.xml', 'march.xml']

  const checked = await ends(3, 'check', ...beside, '--out', 'checked')
  expect(checked.stdout).toMatch(/error {4}EVIDENCE_ACCOUNT_DIFFERS, 1 time\n/)
  expect(checked.stdout).toMatch(/"MANDATE-77": It was last collected on 2026-01-05 from DE…0077\./)
  expect(checked.stdout).toMatch(/beside the last collections: agrees 2, .* not in export 1/i)
  expect(checked.stdout).toContain('--evidence january.xml march.xml')
  expect(read('checked/problems.csv')).toContain('EVIDENCE_NOT_IN_EXPORT')
  expect((await json<Counted>('check', ...beside)).evidence).toEqual(COUNTS)
  expect((await json<Counted>('check', 'export.csv')).evidence).toBeNull()

  expect((await json<Counted>('plan', ...beside)).evidence).toEqual(COUNTS)
  const ran = await json<Counted>('run', ...beside)
  expect(ran).toMatchObject({ exitCode: 3, evidence: COUNTS, totals: { registered: 3, conflict: 1 } })
  expect(held()).toEqual([1, 2, 4])
  expect(read('report.html')).toContain('2 of 3 registered mandates agree with the last collection')
  expect(rows('registered.csv').map((row) => row['last_collected'])).toEqual(['2026-01-05', '2026-01-05', ''])
  const shown = await json<Counted>('customer', 'show', '1')
  expect(shown.customer.rows[0]?.collected).toEqual({ day: '2026-01-05', is: ['agrees'] })

  edit('corrections.csv', SEND, 'back.csv')
  expect(await json('run', 'back.csv')).toMatchObject({ totals: { registered: 4, conflict: 0 } })
  expect(totals().registered).toBe(4)
})

it('"send" in a list from before newer collections waits, and in the next list counts', async () => {
  const accounts = [22, 23] as const
  for (const [at, n] of accounts.entries())
    write(`${n}.xml`, collectionFile([debit(2, { iban: germanIban(n), day: `2026-0${at + 1}-05` })]))
  const say = (name: string) => edit('corrections.csv', SEND, name)
  await program('run', 'export.csv', '--evidence', '22.xml')
  say('old.csv')
  await program('run', '--evidence', '23.xml')
  const ran = await program('run', 'old.csv')
  expect([ran.status, held()]).toEqual([3, [1, 3, 4]])
  expect(ran.stdout + ran.stderr).toContain('1 line in "old.csv" with "send" waits all the same')
  expect(rows('corrections.csv')[0]?.['migration_message']).toMatch(/…0022\..*…0023\./)
  say('now.csv')
  expect(await json('run', 'now.csv')).toMatchObject({ exitCode: 0, totals: { registered: 4 } })
})

it.each([
  ['another account', { iban: germanIban(23) }, false],
  ['the end of the mandate', { iban: germanIban(22), sequence: 'FNAL' }, false],
  ['what the list showed', { iban: germanIban(22) }, true],
] as const)(
  '"send" counts beside collections of the same command only where they say what its list showed: %s',
  async (_, later, isSent) => {
    write('22.xml', collectionFile([debit(2, { iban: germanIban(22), day: '2026-01-05' })]))
    write('later.xml', collectionFile([debit(2, { day: '2026-02-05', ...later })]))
    await program('run', 'export.csv', '--evidence', '22.xml')
    edit('corrections.csv', { migration_decision: 'send', migration_reason: 'moved' }, 'back.csv')
    await program('run', 'back.csv', '--evidence', 'later.xml')
    expect(held().includes(2)).toBe(isSent)
  },
)

it('what a later collection contradicts of a registered mandate is a line of the cut-over, until somebody closes it', async () => {
  await program('run', 'export.csv')
  expect(held()).toEqual([1, 2, 3, 4])
  const day = '2026-04-05'
  const moved = debit(2, { iban: germanIban(22), day })
  const last = debit(3, { day, sequence: 'FNAL' })
  write('april.xml', collectionFile([debit(1, { day }), moved, last, debit(77)]))
  const ran = await json<Counted>('run', '--evidence', 'april.xml')
  expect(ran).toMatchObject({ exitCode: 3, cutOver: { open: 2 } })
  const lines = () =>
    rows('cut-over.csv').map((row) => [row['customer_no'], row['migration_class'], row['migration_change']])
  const both = [
    ['2', 'changed_after_registration', 'it was last collected from another account'],
    ['3', 'ended_after_registration', 'its last collection was made as the last one'],
  ]
  expect(lines()).toEqual(both)
  expect((await json<{ warnings: string[] }>('status')).warnings.join('\n')).toMatch(
    /1 registered row: The mandate was last collected from another account\. .*changed or cancelled at the service.*\(EVIDENCE_ACCOUNT_DIFFERS, problems\.csv\)/,
  )
  expect(read('report.html')).toContain('Collected and in no export: 1 (problems.csv)')
  expect(read('problems.csv').match(/EVIDENCE_NOT_IN_EXPORT/g)).toHaveLength(1)

  // The last export knows nothing of it, and the same file once more says nothing new.
  await program('compare', 'export.csv')
  await program('run', '--evidence', 'april.xml')
  expect(lines()).toEqual(both)
  expect(read('problems.csv').match(/EVIDENCE_NOT_IN_EXPORT/g)).toHaveLength(1)
  edit('cut-over.csv', {
    migration_decision: 'done',
    migration_reason: 'told the service',
    migration_by: 'Ada',
  })
  await ends(0, 'resolve', '--from', inReport('cut-over.csv'))
  await program('compare', 'export.csv')
  expect(await json('run', '--evidence', 'april.xml')).toMatchObject({ exitCode: 0, cutOver: { open: 0 } })
  expect(read('report.html')).toContain(
    'cancelled: 1, changed: 1, by Ada. Registered mandates that live on: 3',
  )
})

it('what an earlier collection contradicts goes once a later one says what was sent, and comes back with one that does not', async () => {
  const month = (day: string, more: Partial<Debit> = {}): Promise<Told> => {
    write(`${day}.xml`, collectionFile([debit(1, { day, ...more }), debit(2, { day })]))
    return json('run', '--evidence', `${day}.xml`)
  }
  const other = { iban: germanIban(9) }
  const open = { exitCode: 3, cutOver: { open: 1 }, warnings: [expect.stringContaining('1 registered row:')] }
  const settled = { exitCode: 0, cutOver: { open: 0 }, warnings: [] }
  await program('run', 'export.csv')
  for (const year of [2026, 2027]) {
    expect(await month(`${year}-04-05`, other)).toMatchObject(open)
    expect(await month(`${year}-05-05`)).toMatchObject(settled)
    expect(await month(`${year}-06-05`, other)).toMatchObject(open)
    expect(await json('compare', 'export.csv')).toMatchObject(open)
    expect(await month(`${year}-07-05`)).toMatchObject(settled)
    const compared = await ends(0, 'compare', 'export.csv')
    expect(compared.stdout).toContain('Nothing is open.')
    expect(compared.stdout + compared.stderr).not.toMatch(/collected|closed by nobody/)
  }
  expect(await month('2028-04-05', other)).toMatchObject(open)
  await ends(0, 'resolve', '--row', '1', '--as', 'done', '--reason', 'told the service')
  expect(await month('2028-05-05', other)).toMatchObject({ cutOver: { open: 0 } })
  expect(await month('2028-06-05', { iban: germanIban(8) })).toMatchObject({ cutOver: { open: 1 } })
  expect(await json('compare', 'export.csv')).toMatchObject({ cutOver: { open: 1 } })
})

it('a correction that says what was collected goes without a word of a person', async () => {
  write('january.xml', collectionFile([debit(1), debit(2), debit(3, { reference: 'OLD-3' }), debit(4)]))
  await program('run', 'export.csv', '--evidence', 'january.xml')
  expect(held()).toEqual([1, 2, 4])
  edit('corrections.csv', { unique_mandate_reference: 'OLD-3' }, 'back.csv')
  expect(await json('run', 'back.csv')).toMatchObject({
    exitCode: 0,
    evidence: { agrees: 4, not_in_export: 0 },
  })
})

it('a row that was begun and turned away is held by collections that come later, as any other', async () => {
  const refused = await programWith({ SEPA_MIGRATE_PASSWORD: 'wrong' }, 'run', 'export.csv', '--limit', '1')
  expect(refused.status).toBe(6)
  write('january.xml', collectionFile([debit(1, { iban: germanIban(9) }), debit(2), debit(3), debit(4)]))
  expect(await json('run', '--evidence', 'january.xml')).toMatchObject({
    totals: { registered: 3, conflict: 1 },
  })
  expect(held()).toEqual([2, 3, 4])
  edit('corrections.csv', SEND, 'back.csv')
  // The word counts for the next try as well.
  await programWith({ SEPA_MIGRATE_PASSWORD: 'wrong' }, 'run', 'back.csv')
  write('other.csv', validExport(9))
  const checked = await json('check', 'other.csv', '--ledger', 'sepa-migrate.db')
  expect(checked.totals).toMatchObject({ registered: 3, conflict: 0 })
  expect(await json('run')).toMatchObject({ totals: { registered: 4, conflict: 0 } })
  expect(held()).toEqual([2, 3, 4, 1])
})

/** Signed long ago; by the export both were collected for the last time in 2022, and the bank collected the first since. */
const lapsing = (from: number): string =>
  [
    'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference,last_collection_date,status',
    ...[from, from + 1].map(
      (n) => `${n},${germanIban(n)},2020-03-01,DE98ZZZ09999999999,M-${n},2022-01-15,active`,
    ),
    '',
  ].join('\n')
const LAST =
  'columns:\n  signed_date: { column: signed_date, format: iso }\n  last_collection_date: { column: last_collection_date, format: iso }\n  status: status\n'
const alive = (...numbers: readonly number[]): string =>
  collectionFile(
    numbers.map((n) => debit(n, { reference: `M-${n}`, signed: '2020-03-01', day: '2026-05-05' })),
  )

/** The first is registered, the second had lapsed; the second file knows of a collection since. */
async function beginLapsed(): Promise<void> {
  write('sepa-migrate.yaml', LAST)
  write('export.csv', lapsing(1))
  write('first.xml', alive(1))
  write('second.xml', alive(2))
  const ran = await json('run', 'export.csv', '--evidence', 'first.xml')
  expect(ran.totals).toMatchObject({ registered: 1, excluded: 1 })
  expect(held()).toEqual([1])
}

it('a mandate that was collected since the export is not lapsed in any comparison', async () => {
  await beginLapsed()
  expect(await json('compare', 'export.csv')).toMatchObject({ classes: { unchanged: 2, dormant: 0 } })
  expect(await json('run')).toMatchObject({ exitCode: 0 })
})

it.each([
  ['no more', (text: string) => text.replace(/^2,.*\n/m, '')],
  ['as one that has ended', (text: string) => text.replace(/^(2,.*),active$/m, '$1,cancelled')],
])('what had lapsed, and is %s in the last export, is sent by no evidence', async (_, edited) => {
  await beginLapsed()
  write('final.csv', edited(lapsing(1)))
  expect(await json('compare', 'final.csv')).toMatchObject({ classes: { unchanged: 2, dormant: 0 } })
  expect(await json('run', '--evidence', 'second.xml')).toMatchObject({ totals: { registered: 1, ready: 1 } })
  expect(held()).toEqual([1])
  expect(await json('compare', 'final.csv')).toMatchObject({ classes: { gone_unsent: 1 } })
  await program('run')
  expect(held()).toEqual([1])
  write('newest.csv', `${lapsing(1)}\n`)
  expect(await json('compare', 'newest.csv')).toMatchObject({ classes: { unchanged: 2 } })
  await program('run')
  expect(held()).toEqual([1, 2])
})

it('what had lapsed, and has another account in the last export, waits for that export and not for evidence', async () => {
  await beginLapsed()
  write('final.csv', lapsing(1).replace(/^2,[^,]*(.*)2022-01-15/m, `2,${germanIban(7)}$12026-05-15`))
  expect(await json('compare', 'final.csv')).toMatchObject({ classes: { changed_before_sending: 1 } })
  expect(await json('run', '--evidence', 'second.xml')).toMatchObject({ totals: { ready: 0, excluded: 1 } })
  expect(await json('run', 'final.csv')).toMatchObject({ totals: { conflict: 1 } })
  expect(held()).toEqual([1])
  expect(read('problems.csv')).toContain('EVIDENCE_ACCOUNT_DIFFERS')
})

it('evidence of mandates that another configuration reads is told, with the command that brings them in', async () => {
  write('a.yaml', LAST)
  write('b.yaml', LAST)
  write('a.csv', lapsing(1))
  write('b.csv', lapsing(3))
  write('may.xml', alive(1, 3))
  await program('run', 'a.csv', '--config', 'a.yaml')
  await program('run', 'b.csv', '--config', 'b.yaml')
  expect(held()).toEqual([])
  await program('run', '--evidence', 'may.xml', '--config', 'a.yaml')
  expect(held()).toEqual([1])
  expect((await json('status', '--config', 'a.yaml')).warnings).toEqual([
    '1 record will be read again, because what the evidence says has changed: run and plan do so before anything is sent, with --config b.yaml',
  ])
  await program('run', '--config', 'b.yaml')
  expect(held()).toEqual([1, 3])
  expect((await json('status', '--config', 'a.yaml')).warnings).toEqual([])
})
