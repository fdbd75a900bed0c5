import { describe, expect, it } from 'vitest'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { germanIban, validExport, validLine } from '../support/export.js'
import { listed, placeForEach, type Told } from '../support/place.js'
import { openTerminal } from '../support/terminal.js'

/** Customers 1 and 2 lose their answer: 1 after it was registered, 2 before. Customer 3 is refused once. */
const { folder, path, env, read, write, rows, save, json, held, sandbox } = placeForEach({
  rows: 4,
  ownState: true,
  sandbox: {
    faults: [
      { match: { customer_no: 1 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 2 }, times: 1, fault: { kind: 'reset', applied: false } },
      { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422, message: 'closed' } },
    ],
  },
})

const resend = { migration_decision: 'resend', migration_reason: 'not in the list' }
const writeOff = { migration_decision: 'written-off', migration_reason: 'will not be migrated' }
const BY = ['--by', 'Ada']
const REFUSED = ['--row', '2', '--as', 'refused', '--reason', 'they say no', ...BY]

describe('8.2.1 a filled-in file', () => {
  it('8.2.1 with migration_row sorted apart sends no live mandate again, and records nothing', async () => {
    await json('run', 'export.csv')
    const [first, second] = rows('in-doubt.csv')
    save('sorted.csv', [
      { ...first!, migration_row: second!['migration_row']! },
      { ...second!, ...resend, migration_row: first!['migration_row']! },
    ])
    const answer = await json('resolve', '--from', 'sorted.csv', '--force', ...BY)
    expect(answer.exitCode).toBe(2)
    expect(answer.errors[0]?.message).toContain(
      'line 2, column "customer_no": row 2 has "2", the line has "1"',
    )
    expect(answer.errors[0]?.next).toMatch(/^Nothing of the file was recorded/)
    expect((await json('status')).totals).toMatchObject({ inDoubt: 2 })
    expect(held().filter((customer) => customer === 1)).toHaveLength(1)
  })

  it('8.2.1 of ledger A is refused by ledger B', async () => {
    await json('run', 'export.csv')
    await json('run', 'export.csv', '--ledger', 'b.db', '--out', 'b')
    save(
      'filled.csv',
      rows('in-doubt.csv').map((row) => ({ ...row, ...resend })),
    )
    const answer = await json('resolve', '--from', 'filled.csv', '--ledger', 'b.db', '--force', ...BY)
    expect(answer.exitCode).toBe(2)
    expect(answer.errors[0]?.message).toContain('column migration_ledger: the line names another ledger')
  })
})

describe('8.2.4 the waiting time', () => {
  it.each([[], ['--force']])(
    '8.2.4 refused cannot be said before its time %s: nothing is recorded, nothing leaves',
    async (...force) => {
      await json('run', 'export.csv')
      const answer = await json('resolve', ...REFUSED, ...force)
      expect(answer.exitCode).toBe(2)
      expect(answer.errors[0]).toMatchObject({
        message: expect.stringMatching(/^Row 2 cannot be called refused yet: .* may still arrive$/) as string,
        next: expect.stringMatching(/^After \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC look again/) as string,
      })
      const retried = await json('run', '--retry-refused')
      expect(retried.totals).toMatchObject({ ready: 0, registered: 2, inDoubt: 2 })
      expect(held()).not.toContain(2)
    },
  )

  it('8.2.4 is kept through --retry-refused where a clock ran ahead of the decision', async () => {
    await json('run', 'export.csv')
    const now = (): number => Date.now() + 20 * 60 * 1_000
    const ledger = openLedger({
      file: path('sepa-migrate.db'),
      clock: { now, monotonic: () => performance.now() },
    })
    const decision = { rowId: 2, decision: 'refused' as const, by: 'Ada', reason: 'they say no' }
    const given = [{ ...decision, assigned: null, evidence: null, attempt: 1 }]
    expect(ledger.resolve(given, { dryRun: false }).isApplied).toBe(true)
    ledger.close()
    await json('report')
    expect(rows('refused.csv').find(({ customer_no }) => customer_no === '2')?.['migration_message']).toMatch(
      /It was in doubt: its request left .* and may have been applied/,
    )
    const retried = await json('run', '--retry-refused')
    expect(retried.exitCode).toBe(4) // customer 1 is still in doubt
    expect(retried.totals).toMatchObject({ ready: 1, registered: 2, inDoubt: 1 })
    expect(held()).not.toContain(2)
    expect(retried).toMatchObject({ stop: { kind: 'waiting' } })
  })
})

describe.skipIf(process.platform !== 'linux')('8.2.5 typing no', () => {
  it('8.2.5 admits nothing, binds nothing, writes no report, and a later --yes has nothing to send', async () => {
    const session = openTerminal(['run', 'export.csv', '--base-url', 'https://mistyped.example'], {
      cwd: folder(),
      columns: 100,
      env: env(),
    })
    await session.shows('Type the host name')
    session.type('no\r')
    expect(await session.ended).toBe(2)
    expect((await session.screen()).join('\n')).toContain('the ledger is as it was')
    expect(() => read('report.html')).toThrow('ENOENT')
    expect((await json('status')).totals).toMatchObject({ read: 0, ready: 0 })
    const later = await json('run', '--yes', '--base-url', 'https://right.example')
    expect(later).toMatchObject({ exitCode: 2, totals: { read: 0 } })
    expect(later.errors[0]?.message).toContain('holds no mandates yet')
  })
})

describe('8.2.6 nothing is dropped in silence', () => {
  it('8.2.6 --row twice decides both rows', async () => {
    await json('run', 'export.csv')
    const both = ['--row', '1', '--row', '2', '--as', 'written-off', '--reason', 'closed', ...BY]
    expect((await json('resolve', ...both)).totals).toMatchObject({ writtenOff: 2, inDoubt: 0 })
  })

  it.each([
    ['--as', 'refused'],
    ['--reason', 'another'],
    ['--ledger', 'other.db'],
  ])('8.2.6 %s twice is refused', async (flag, value) => {
    await json('run', 'export.csv')
    const args = ['--row', '1', '--as', 'refused', '--reason', 'closed', '--ledger', 'sepa-migrate.db', ...BY]
    const answer = await json('resolve', ...args, flag, value)
    expect(answer.exitCode).toBe(2)
    expect(answer.errors[0]?.message).toContain('It is given twice')
    expect((await json('status')).totals).toMatchObject({ inDoubt: 2 })
  })

  it('8.2.6 reconcile --apply tells what could not be recorded, and exits 2', async () => {
    await json('run', 'export.csv')
    const one = listed(
      sandbox()
        .mandates()
        .find(({ customer_no }) => customer_no === 1)!,
    )
    save('list.csv', [one, { ...one, customer_no: '2', iban: germanIban(2), signed_date: '2024-03-03' }])
    const answer = await json('resolve', '--against', 'list.csv', '--apply', ...BY)
    expect(answer.exitCode).toBe(2)
    expect(answer.errors[0]?.message).toContain('Row 2 cannot have the assigned reference')
    expect(answer.totals).toMatchObject({ inDoubt: 2 })
    expect(answer).toMatchObject({ reconciliation: { isApplied: false } })
  })
})

describe('9.1.6 exit 0 can be reached', () => {
  it('9.1.6 by writing off what is left, from the files of the pack', async () => {
    const damaged = validLine(5).replace(/2024-\d\d-\d\d/, '2024-02-30')
    const twice = [validLine(6), validLine(6).replace(/2024-\d\d-\d\d/, '2024-01-01')]
    write('export.csv', `${validExport(4)}${[damaged, ...twice].join('\n')}\n`)
    expect((await json('run', 'export.csv')).totals).toMatchObject({
      invalid: 1,
      conflict: 2,
      refused: 1,
      inDoubt: 2,
      registered: 1,
    })
    let answer: object = {}
    for (const name of ['in-doubt.csv', 'refused.csv', 'corrections.csv']) {
      save(
        `filled-${name}`,
        rows(name).map((row) => ({ ...row, ...writeOff })),
      )
      answer = await json('resolve', '--from', `filled-${name}`, ...BY)
    }
    expect(answer).toMatchObject({ exitCode: 0, totals: { registered: 1, writtenOff: 6 } })
    expect((await json('report')).exitCode).toBe(0)
  })
})

describe('9.1.5 a report', () => {
  it('9.1.5 and a check leave notes in the list of problems alone, and say where the new list went', async () => {
    const check = (): Promise<Told> => json('check', 'export.csv', '--out', 'c')
    await check()
    expect((await check()).warnings.join()).not.toContain('problems.csv')
    const noted = `${read('c/problems.csv')}asked customer 3\n`
    write('c/problems.csv', noted)
    expect((await check()).warnings.at(-1)).toMatch(
      /problems.csv" was changed .* list of problems is in "c\/report-2"/,
    )
    expect(read('c/problems.csv')).toBe(noted)
  })
})
