import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import Papa from 'papaparse'
import { afterEach, describe, expect, it } from 'vitest'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { germanIban, validExport, validLine } from '../support/export.js'
import { CREDENTIALS, inReport, makeFolder, runProgram } from '../support/program.js'
import { openTerminal } from '../support/terminal.js'

const opened: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

type Row = Record<string, string>

interface Answer {
  readonly status: number | null
  readonly totals: Record<string, number>
  readonly errors: readonly { message: string; next: string }[]
  readonly warnings: readonly string[]
  readonly lines: string
}

interface Place {
  readonly folder: string
  readonly sandbox: Sandbox
  readonly program: (...args: string[]) => Promise<Answer>
  readonly rows: (name: string) => Row[]
  readonly save: (name: string, rows: readonly Row[], delimiter?: string) => void
  readonly held: () => number[]
}

/** Customers 1 and 2 lose their answer: 1 after it was registered, 2 before. Customer 3 is refused once. */
async function open(): Promise<Place> {
  const place = makeFolder()
  const sandbox = await startSandbox({
    seed: 1,
    username: 'sandbox',
    password: 'sandbox',
    faults: [
      { match: { customer_no: 1 }, times: 1, fault: { kind: 'reset', applied: true } },
      { match: { customer_no: 2 }, times: 1, fault: { kind: 'reset', applied: false } },
      { match: { customer_no: 3 }, times: 1, fault: { kind: 'refuse', status: 422, message: 'closed' } },
    ],
  })
  opened.push(async () => {
    await sandbox.close()
    place.remove()
  })
  const path = (name: string): string => join(place.folder, inReport(name))
  writeFileSync(path('export.csv'), validExport(4))
  return {
    folder: place.folder,
    sandbox,
    program: async (...args) => {
      const env = { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: sandbox.url }
      const { status, stdout } = await runProgram([...args, '--json'], { cwd: place.folder, env })
      return { ...(JSON.parse(stdout) as Omit<Answer, 'status' | 'lines'>), status, lines: stdout }
    },
    rows: (name) => {
      const text = readFileSync(path(name), 'utf8').replace(/^\uFEFF/, '')
      return Papa.parse<Row>(text, { header: true, skipEmptyLines: true }).data
    },
    save: (name, rows, delimiter = ';') =>
      writeFileSync(path(name), stringify([...rows], { header: true, delimiter })),
    held: () => sandbox.mandates().map(({ customer_no }) => customer_no),
  }
}

const resend = { migration_decision: 'resend', migration_reason: 'not in the list' }
const writeOff = { migration_decision: 'written-off', migration_reason: 'will not be migrated' }
const BY = ['--by', 'Ada']
const REFUSED = ['--row', '2', '--as', 'refused', '--reason', 'they say no', ...BY]

describe('8.2.1 a filled-in file', () => {
  it('8.2.1 with migration_row sorted apart sends no live mandate again, and records nothing', async () => {
    const { program, rows, save, held } = await open()
    await program('run', 'export.csv')
    const [first, second] = rows('in-doubt.csv')
    save('sorted.csv', [
      { ...first!, migration_row: second!['migration_row']! },
      { ...second!, ...resend, migration_row: first!['migration_row']! },
    ])
    const answer = await program('resolve', '--from', 'sorted.csv', '--force', ...BY)
    expect(answer.status).toBe(2)
    expect(answer.errors[0]?.message).toContain(
      'line 2, column "customer_no": row 2 has "2", the line has "1"',
    )
    expect(answer.errors[0]?.next).toMatch(/^Nothing of the file was recorded/)
    expect((await program('status')).totals).toMatchObject({ inDoubt: 2 })
    expect(held().filter((customer) => customer === 1)).toHaveLength(1)
  })

  it('8.2.1 of ledger A is refused by ledger B', async () => {
    const { program, rows, save } = await open()
    await program('run', 'export.csv')
    await program('run', 'export.csv', '--ledger', 'b.db', '--out', 'b')
    save(
      'filled.csv',
      rows('in-doubt.csv').map((row) => ({ ...row, ...resend })),
    )
    const answer = await program('resolve', '--from', 'filled.csv', '--ledger', 'b.db', '--force', ...BY)
    expect(answer.status).toBe(2)
    expect(answer.errors[0]?.message).toContain('column migration_ledger: the line names another ledger')
  })
})

describe('8.2.4 the waiting time', () => {
  it.each([[], ['--force']])(
    '8.2.4 refused cannot be said before its time %s: nothing is recorded, nothing leaves',
    async (...force) => {
      const { program, held } = await open()
      await program('run', 'export.csv')
      const answer = await program('resolve', ...REFUSED, ...force)
      expect(answer.status).toBe(2)
      expect(answer.errors[0]).toMatchObject({
        message: expect.stringMatching(/^Row 2 cannot be called refused yet: .* may still arrive$/) as string,
        next: expect.stringMatching(/^After \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC look again/) as string,
      })
      const retried = await program('run', '--retry-refused')
      expect(retried.totals).toMatchObject({ ready: 0, registered: 2, inDoubt: 2 })
      expect(held()).not.toContain(2)
    },
  )

  it('8.2.4 is kept through --retry-refused where a clock ran ahead of the decision', async () => {
    const { folder, program, rows, held } = await open()
    await program('run', 'export.csv')
    const now = (): number => Date.now() + 20 * 60 * 1_000
    const ledger = openLedger({
      file: join(folder, 'sepa-migrate.db'),
      clock: { now, monotonic: () => performance.now() },
    })
    const decision = { rowId: 2, decision: 'refused' as const, by: 'Ada', reason: 'they say no' }
    const given = [{ ...decision, assigned: null, evidence: null, attempt: 1 }]
    expect(ledger.resolve(given, { dryRun: false }).isApplied).toBe(true)
    ledger.close()
    await program('report')
    expect(rows('refused.csv').find(({ customer_no }) => customer_no === '2')?.['migration_message']).toMatch(
      /It was in doubt: its request left .* and may have been applied/,
    )
    const retried = await program('run', '--retry-refused')
    expect(retried.status).toBe(4) // customer 1 is still in doubt
    expect(retried.totals).toMatchObject({ ready: 1, registered: 2, inDoubt: 1 })
    expect(held()).not.toContain(2)
    expect(JSON.parse(retried.lines)).toMatchObject({ stop: { kind: 'waiting' } })
  })
})

describe.skipIf(process.platform !== 'linux')('8.2.5 typing no', () => {
  it('8.2.5 admits nothing, binds nothing, writes no report, and a later --yes has nothing to send', async () => {
    const { folder, program } = await open()
    const session = openTerminal(['run', 'export.csv', '--base-url', 'https://mistyped.example'], {
      cwd: folder,
      columns: 100,
      env: { ...CREDENTIALS, XDG_STATE_HOME: join(folder, 'state') },
    })
    await session.shows('Type the host name')
    session.type('no\r')
    expect(await session.ended).toBe(2)
    expect((await session.screen()).join('\n')).toContain('the ledger is as it was')
    expect(() => readFileSync(join(folder, inReport('report.html')))).toThrow('ENOENT')
    expect((await program('status')).totals).toMatchObject({ read: 0, ready: 0 })
    const later = await program('run', '--yes', '--base-url', 'https://right.example')
    expect(later).toMatchObject({ status: 2, totals: { read: 0 } })
    expect(later.errors[0]?.message).toContain('holds no mandates yet')
  })
})

describe('8.2.6 nothing is dropped in silence', () => {
  it('8.2.6 --row twice decides both rows', async () => {
    const { program } = await open()
    await program('run', 'export.csv')
    const both = ['--row', '1', '--row', '2', '--as', 'written-off', '--reason', 'closed', ...BY]
    expect((await program('resolve', ...both)).totals).toMatchObject({ writtenOff: 2, inDoubt: 0 })
  })

  it.each([
    ['--as', 'refused'],
    ['--reason', 'another'],
    ['--ledger', 'other.db'],
  ])('8.2.6 %s twice is refused', async (flag, value) => {
    const { program } = await open()
    await program('run', 'export.csv')
    const args = ['--row', '1', '--as', 'refused', '--reason', 'closed', '--ledger', 'sepa-migrate.db', ...BY]
    const answer = await program('resolve', ...args, flag, value)
    expect(answer.status).toBe(2)
    expect(answer.errors[0]?.message).toContain('It is given twice')
    expect((await program('status')).totals).toMatchObject({ inDoubt: 2 })
  })

  it('8.2.6 reconcile --apply tells what could not be recorded, and exits 2', async () => {
    const { program, save, sandbox } = await open()
    await program('run', 'export.csv')
    const one = sandbox.mandates().find(({ customer_no }) => customer_no === 1)!
    const listed = {
      customer_no: '1',
      iban: one.iban,
      sepa_creditor_identifier: one.sepa_creditor_identifier,
      unique_mandate_reference: one.unique_mandate_reference,
    }
    save('list.csv', [listed, { ...listed, customer_no: '2', iban: germanIban(2) }])
    const answer = await program('reconcile', 'list.csv', '--apply', ...BY)
    expect(answer.status).toBe(2)
    expect(answer.errors[0]?.message).toContain('Row 2 cannot have the assigned reference')
    expect(answer.totals).toMatchObject({ inDoubt: 2 })
    expect(JSON.parse(answer.lines)).toMatchObject({ reconciliation: { isApplied: false } })
  })
})

describe('9.1.6 exit 0 can be reached', () => {
  it('9.1.6 by writing off what is left, from the files of the pack', async () => {
    const { folder, program, rows, save } = await open()
    const damaged = validLine(5).replace(/2024-\d\d-\d\d/, '2024-02-30')
    const twice = [validLine(6), validLine(6).replace(/2024-\d\d-\d\d/, '2024-01-01')]
    writeFileSync(join(folder, 'export.csv'), `${validExport(4)}${[damaged, ...twice].join('\n')}\n`)
    expect((await program('run', 'export.csv')).totals).toMatchObject({
      invalid: 1,
      conflict: 2,
      refused: 1,
      inDoubt: 2,
      registered: 1,
    })
    let answer: Answer | null = null
    for (const name of ['in-doubt.csv', 'refused.csv', 'corrections.csv']) {
      save(
        `filled-${name}`,
        rows(name).map((row) => ({ ...row, ...writeOff })),
      )
      answer = await program('resolve', '--from', `filled-${name}`, ...BY)
    }
    expect(answer).toMatchObject({ status: 0, totals: { registered: 1, writtenOff: 6 } })
    expect((await program('report')).status).toBe(0)
  })
})

describe('9.1.5 a report', () => {
  it('9.1.5 and a check leave notes in the list of problems alone, and say where the new list went', async () => {
    const { folder, program } = await open()
    const check = (): Promise<Answer> => program('check', 'export.csv', '--out', 'c')
    const list = join(folder, 'c', 'problems.csv')
    await check()
    expect((await check()).warnings.join()).not.toContain('problems.csv')
    const noted = `${readFileSync(list, 'utf8')}asked customer 3\n`
    writeFileSync(list, noted)
    expect((await check()).warnings.at(-1)).toMatch(
      /problems.csv" was changed .* list of problems is in "c\/report-2"/,
    )
    expect(readFileSync(list, 'utf8')).toBe(noted)
  })

  it('9.1.5 leaves the file that is being filled in alone, and says where it went', async () => {
    const { folder, program, rows, save } = await open()
    await program('run', 'export.csv')
    save(
      'in-doubt.csv',
      rows('in-doubt.csv').map((row) => ({ ...row, ...resend })),
    )
    const filled = readFileSync(join(folder, inReport('in-doubt.csv')), 'utf8')
    const answer = await program('report')
    expect(answer.warnings[0]).toMatch(
      /^Somebody works in the lists of ".*to-do", .* the new ones are in "to-do-2"/,
    )
    expect(readFileSync(join(folder, inReport('in-doubt.csv')), 'utf8')).toBe(filled)
    expect(rows('sepa-migrate-report/to-do-2/in-doubt.csv')).toHaveLength(2)
  })
})
