import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeEach, describe, expect, it } from 'vitest'
import { validExport, validLine } from '../support/export.js'
import { placeForEach, placeOfTest } from '../support/place.js'
import { SAMPLES } from '../support/program.js'

describe('the list of check', () => {
  const { write, program, json } = placeForEach()

  it('lists what refuses a whole file, as a run does where it has no report, and names its rule', async () => {
    const place = await placeOfTest({ sandbox: {} })
    place.write('export.csv', `${validExport(1)}2,"${'x'.repeat(70_000)}\n`)
    const lists = ['checked', 'sepa-migrate-report'].map((folder) => join(folder, 'problems.csv'))
    const checked = await place.json('check', './export.csv', '--out', 'checked')
    const run = await place.json('run', 'export.csv')
    expect([checked, run].map(({ exitCode }) => exitCode)).toEqual([7, 7])
    expect([checked, run].map(({ files }) => files['problems.csv'])).toEqual(lists)
    const rule = 'FILE_RECORD_TOO_LONG'
    expect(checked.errors).toMatchObject([{ kind: 'source', source: './export.csv', rule, line: 3 }])
    const found = { source: 'export.csv', record: '', line: '3', rule, severity: 'error' }
    for (const list of lists)
      expect(parse(readFileSync(join(place.folder(), list)), { columns: true })).toMatchObject([found])
    expect((await place.ends(7, 'check', 'export.csv')).stderr).toContain('(FILE_RECORD_TOO_LONG)')

    place.write('good.csv', validExport(1))
    await place.ends(0, 'run', 'good.csv')
    expect((await place.json('run', 'export.csv')).files, 'a report tells of its ledger alone').toEqual({})
    for (const file of ['good.csv', 'export.csv']) {
      const { stderr } = await place.ends(2, 'check', file, '--out', 'sepa-migrate-report')
      expect(stderr).toMatch(/holds a report[^]*--out sepa-migrate-report\/checked/)
    }
    const proven = await place.ends(3, 'report', 'verify', 'sepa-migrate-report')
    expect(proven.stdout).toContain('No difference was found')
  })

  it('ends with a plan where nothing is sent without an approved one', async () => {
    write('sepa-migrate.yaml', 'approval: required\n')
    write('export.csv', validExport(2))
    expect((await program('check', 'export.csv')).stdout).toMatch(/^Next: sepa-migrate plan export\.csv/m)
  })

  it('check lists by rule: errors, warnings, what was asked for; count, three examples with lines, remedy', async () => {
    const dates = [5, 6, 7, 8].map((n) => validLine(n).replace(/2024-\d\d-\d\d/, '2024-02-30'))
    const rows = [...[1, 2, 3, 4].map((n) => validLine(n)), ...dates, validLine(1)]
    const stays = rows.map((row, index) => `${row},${index === 1 ? 'cancelled' : 'active'}`)
    write('export.csv', `${[`${validExport(0).trim()},status`, ...stays].join('\n')}\n`)
    const { status, stdout } = await program('check', 'export.csv')
    expect(status).toBe(3)
    const list = stdout.slice(stdout.indexOf('To do'), stdout.indexOf('Control totals')).trim()
    expect(list).toBe(
      [
        'To do: 1 rule is broken, 2 reasons to leave rows out',
        '',
        'error    DATE_INVALID, 4 times',
        '  The signature date is not a date in the declared format.',
        '    line 6, signed_date "2024-02-30"',
        '    line 7, signed_date "2024-02-30"',
        '    line 8, signed_date "2024-02-30"',
        '    … and 1 more',
        '  → Correct the date. If the date is right, no format reads it: write it as YYYY-MM-DD into corrections.csv, and give it back.',
        '',
        'left out DUPLICATE_MANDATE, 1 time',
        '  The mandate occurs more than once. It is sent at most once.',
        '    line 10, unique_mandate_reference "MANDATE-1": It is line 2.',
        '  → Nothing to do; remove the repeated row if you like.',
        '',
        'left out STATUS_NOT_ACTIVE, 1 time',
        '  The mandate is not active.',
        '    line 3, status "cancelled"',
        '  → Do not migrate. Get a new mandate if needed.',
      ].join('\n'),
    )
    const { problems } = await json<{ problems: unknown }>('check', 'export.csv')
    const asked = { rule: 'STATUS_NOT_ACTIVE', severity: 'error', kind: 'asked', count: 1 }
    expect(problems).toContainEqual(asked)

    write('export.csv', `${[`${validExport(0).trim()},status`, ...stays.slice(0, 4)].join('\n')}\n`)
    expect((await program('check', 'export.csv')).status, 'a row that is left out alone is no error').toBe(0)
  })

  it('a row of the wrong shape says that it is not sent although its rule is a warning', async () => {
    write('sepa-migrate.yaml', 'rules: { ROW_FIELD_COUNT: warning }\n')
    write('export.csv', `${validExport(1)}1,2\n`)
    const { stdout } = await program('check', 'export.csv')
    expect(stdout).toMatch(/^export\.csv: 2 records\n/)
    expect(stdout).toMatch(/warning {2}ROW_FIELD_COUNT, 1 time\n.* so the row is not sent\.\n/)
    expect(stdout).toMatch(/invalid +1/)
  })

  it('a check of files beside a campaign says what a run does: by what is wrong with its rows, and by what was compared', async () => {
    const place = await placeOfTest({ sandbox: {} })
    const header = `${validExport(0).trim()},Status,last_collection_date`
    const line = (n: number, { status = 'active', last = '2026-01-01' } = {}) =>
      `${validLine(n)},${status},${last}`
    const save = (name: string, ...lines: string[]): void =>
      place.write(name, `${[header, ...lines].join('\n')}\n`)
    save('jan.csv', line(1), line(2, { last: '2010-01-01' }))
    await place.program('run', 'jan.csv')
    save('final.csv', line(1), line(2), line(3, { status: 'cancelled' }))
    await place.program('compare', 'final.csv')
    save('more.csv', line(2), line(3), line(4))
    const unsent = ({ ready = 0, registered = 0, ...others }: Readonly<Record<string, number>>) => {
      return { ...others, ready: ready + registered }
    }
    const beside = ['--ledger', 'sepa-migrate.db']
    const { totals } = await place.json('check', 'more.csv', ...beside)
    const run = await place.json('run', 'more.csv')
    expect(unsent(run.totals)).toEqual(unsent(totals))
    const { problems } = await place.json<{ problems: { rule: string }[] }>('check', 'final.csv', ...beside)
    expect(problems.map(({ rule }) => rule)).not.toContain('LAST_COLLECTION_BEFORE_SIGNATURE')
  })
})

describe('a first export', () => {
  const { path, read, write, program, ends, programWith, json } = placeForEach()
  beforeEach(() => cpSync(SAMPLES, path('samples'), { recursive: true }))

  const CONFIGURATION = 'sepa-migrate.yaml'

  it('a first export keeps ended and one-off mandates back, or asks: check, run, init, check', async () => {
    const row = (customer: number, state: string, kind: string): string =>
      `${customer};DE89370400440532013000;2024-03-01;DE98ZZZ09999999999;M-${customer};${state};${kind}`
    const lines = [
      'customer_no;iban;signed_date;sepa_creditor_identifier;unique_mandate_reference;Toestand;Soort machtiging',
      ...[row(1, 'Actief', 'doorlopend'), row(2, 'Beëindigd', 'doorlopend')],
      ...[row(3, 'Opgezegd', 'doorlopend'), row(4, 'Actief', 'eenmalig'), row(5, 'nieuw', 'doorlopend')],
    ]
    write('export.csv', `${lines.join('\n')}\n`)
    const checked = await ends(7, 'check', 'export.csv')
    expect(checked.stdout).toContain(
      'Column "Toestand" looks like status: Beëindigd 1, Opgezegd 1 will not be migrated',
    )
    expect(checked.stdout).toContain('before you run this file')
    const refused = await ends(7, 'run', 'export.csv', '--base-url', 'http://127.0.0.1:9')
    expect(refused.stderr).toContain('FILE_COLUMN_UNDECIDED')
    const ignoring = ['Toestand', 'Soort machtiging'].flatMap((column) => ['--ignore-column', column])
    const ignored = await ends(0, 'check', 'export.csv', ...ignoring)
    expect(ignored.stdout).toMatch(/ready +5/)

    const drafted = await program('init', 'export.csv')
    expect(drafted.stdout).toContain('Understood: 2 ended, 1 one-off will not be migrated.')
    const { stdout } = await ends(3, 'check', 'export.csv')
    expect(stdout).toMatch(/conflict +1/)
    expect(stdout).toMatch(/excluded +3/)
    expect(stdout).toContain(
      '2 ended will not be migrated, going by column "Toestand": "Beëindigd" 1, "Opgezegd" 1',
    )
    expect(stdout).toContain(
      'not understood in column "Toestand": "nieuw" 1; to define it, add it to words.status.active or words.status.notActive',
    )
    expect((await ends(2, 'init', 'export.csv')).stderr).toContain('not overwritten')
    write(CONFIGURATION, '')
  })

  it('check shows what is left out around its records, and inspect no account number', async () => {
    write(CONFIGURATION, read('samples/german.yaml'))
    write('german-customers.csv', read('samples/german-customers.csv'))
    const { stdout } = await program('check', 'samples/german-messy.csv', '--as-of', '2026-06-15')
    expect(stdout).toContain('left out at the end: Summe Mandate: 60')
    expect(stdout).toContain('left out before the header: Mitgliederverwaltung TSV Musterstadt')
    write(CONFIGURATION, '')
    for (const sample of ['clean.csv', 'french.csv', 'utf16.csv', 'excel-damaged.csv']) {
      const { stdout } = await program('inspect', `samples/${sample}`, '--json')
      expect(stdout).not.toMatch(/[A-Z]{2}\d{2}(?!ZZZ)[A-Z0-9]{11,}/)
    }
  })

  it('init and inspect say which configuration a file was read with', async () => {
    // The configuration of a German export lies in the folder of a French one.
    const french = 'samples/french.csv'
    write(CONFIGURATION, 'source: { delimiter: ";", skipLines: 3 }\n')
    write('french.yaml', 'columns: { iban: IBAN }\n')
    const left = await program('init', french, '--to', 'new.yaml')
    expect(left.stdout).toMatch(
      /^Read without the configuration "sepa-migrate\.yaml" of this folder; --config sepa-migrate\.yaml applies it\.\n/,
    )
    const env = { SEPA_MIGRATE_CONFIG: 'french.yaml' }
    const named = await programWith(env, 'init', french, '--to', 'named.yaml')
    expect(named.stdout).toMatch(/^Read with the configuration "french\.yaml"\.\n/)

    write(CONFIGURATION, 'columns: { iban: IBAN }\n')
    const told = /^Read with the configuration "sepa-migrate\.yaml", which is in this folder\n/
    expect((await program('inspect', french)).stdout).toMatch(told)
    expect(await json('inspect', french)).toMatchObject({ configuration: CONFIGURATION })
  })
})

const { read, write, program, ends, held } = placeForEach({ sandbox: {} })
const writeColumn = (column: string, cells: readonly string[]): void => {
  const lines = cells.map((cell, index) => `${validLine(index + 1)},${cell}`)
  write('export.csv', `${[`${validExport(0).trim()},${column}`, ...lines].join('\n')}\n`)
}

it('check lists a column that may be a status, run and plan refuse it, and none answers once', async () => {
  const cells = Array.from({ length: 24 }, (_, index) => (index % 4 === 0 ? 'skončeno' : 'platí'))
  writeColumn('Stav', cells)
  expect((await ends(7, 'check', 'export.csv')).stdout).toContain('"Stav" may say which')
  for (const command of ['run', 'plan']) {
    const { stderr } = await ends(7, command, 'export.csv')
    expect(stderr.match(/\(FILE_COLUMN_UNDECIDED\)/g)).toHaveLength(1)
  }
  expect(held()).toEqual([])
  write('sepa-migrate.yaml', 'columns: { status: none }\n')
  const said = expect.stringContaining('every mandate is treated as active') as string
  const planned = await program('plan', 'export.csv', '--to', 'plan.json')
  expect([planned.stdout, read('plan.html')]).toEqual([said, said])
  const ended = await program('run', 'export.csv')
  expect([ended.status, ended.stdout, read('report.html')]).toEqual([0, said, said])
  expect(held()).toHaveLength(24)
})

describe('cells that nobody expects', () => {
  const HEADER_NAMES = ['constructor', '__proto__', 'toString', 'hasOwnProperty'] as const

  it('a status word that is a name of JavaScript ends no report', async () => {
    const { write, read, ends } = await placeOfTest({ truth: {} })
    const [header = '', ...rows] = validExport(6).trimEnd().split('\n')
    const lines = rows.map((row, at) => `${row},${HEADER_NAMES[at] ?? 'active'}`)
    write('export.csv', [`${header},status`, ...lines, ''].join('\n'))
    const { stderr } = await ends(3, 'run', 'export.csv')
    expect(stderr).not.toContain('internal')
    for (const word of ['constructor', '__proto__']) expect(read('report.html')).toContain(`${word}: 1`)
    await ends(3, 'report', '--out', 'again')
  })
})
