import { cpSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'
import { SAMPLES } from '../support/program.js'

const { path, read, write, program, programWith, json } = placeForEach()
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
  const checked = await program('check', 'export.csv')
  expect(checked.status).toBe(7)
  expect(checked.stdout).toContain(
    'export.csv: Column "Toestand" looks like status: Beëindigd 1, Opgezegd 1 will not be migrated',
  )
  expect(checked.stdout).toContain('before you run this file')
  const refused = await program('run', 'export.csv', '--base-url', 'http://127.0.0.1:9')
  expect(refused.status).toBe(7)
  expect(refused.stderr).toContain('FILE_COLUMN_UNDECIDED')
  const ignoring = ['Toestand', 'Soort machtiging'].flatMap((column) => ['--ignore-column', column])
  const ignored = await program('check', 'export.csv', ...ignoring)
  expect(ignored.status).toBe(0)
  expect(ignored.stdout).toMatch(/ready +5/)

  const drafted = await program('init', 'export.csv')
  expect(drafted.stdout).toContain('Understood: 2 ended, 1 one-off will not be migrated.')
  const { stdout, status } = await program('check', 'export.csv')
  expect(status).toBe(3)
  expect(stdout).toMatch(/conflict +1/)
  expect(stdout).toMatch(/excluded +3/)
  expect(stdout).toContain(
    '2 ended will not be migrated, going by column "Toestand": "Beëindigd" 1, "Opgezegd" 1',
  )
  expect(stdout).toContain(
    'not understood in column "Toestand": "nieuw" 1; to define it, add it to words.status.active or words.status.notActive',
  )
  const again = await program('init', 'export.csv')
  expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('not overwritten')])
  write(CONFIGURATION, '')
  expect(await json('check', 'samples/clean.csv', '--sample', '25')).toMatchObject({
    totals: { read: 25, ready: 25 },
  })
})

it('check shows what is left out around its records, and inspect no account number', async () => {
  write(CONFIGURATION, read('samples/german.yaml'))
  write('german-customers.csv', read('samples/german-customers.csv'))
  const { stdout } = await program('check', 'samples/german-messy.csv', '--as-of', '2026-06-15')
  expect(stdout).toContain('left out at the end: Summe Mandate: 60')
  expect(stdout).toContain('left out before the header: Mitgliederverwaltung TSV Musterstadt')
  write(CONFIGURATION, '')
  for (const sample of ['clean.csv', 'french.csv', 'utf16.csv', 'excel-damaged.csv'])
    expect((await program('inspect', `samples/${sample}`, '--json')).stdout).not.toMatch(
      /[A-Z]{2}\d{2}(?!ZZZ)[A-Z0-9]{11,}/,
    )
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
  expect((await program('inspect', french)).stdout).toMatch(
    /^Read with the configuration "sepa-migrate\.yaml", which is in this folder\n/,
  )
  expect(await json('inspect', french)).toMatchObject({ configuration: CONFIGURATION })
  write(CONFIGURATION, 'source: { skipLines: 9000 }\n')
  const refused = await program('inspect', french)
  expect(refused.status).toBe(7)
  expect(refused.stderr).toContain(
    'It was read with the configuration "sepa-migrate.yaml", which is in this folder',
  )
})
