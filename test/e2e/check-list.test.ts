import { expect, it } from 'vitest'
import { validLine, validExport } from '../support/export.js'
import { placeForEach, placeOfTest } from '../support/place.js'

const { write, program, json } = placeForEach()

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
  const unsent = ({ ready = 0, registered = 0, ...others }: Readonly<Record<string, number>>) => ({
    ...others,
    ready: ready + registered,
  })
  const { totals } = await place.json('check', 'more.csv', '--ledger', 'sepa-migrate.db')
  const run = await place.json('run', 'more.csv')
  expect(unsent(run.totals)).toEqual(unsent(totals))
  const problems = await place.json<{ problems: { rule: string }[] }>(
    'check',
    'final.csv',
    '--ledger',
    'sepa-migrate.db',
  )
  expect(problems.problems.map(({ rule }) => rule)).not.toContain('LAST_COLLECTION_BEFORE_SIGNATURE')
})
