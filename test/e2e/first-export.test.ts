import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { placeForEach } from '../support/place.js'
import { SAMPLES } from '../support/program.js'

const { path, read, write, program } = placeForEach()
beforeEach(() => cpSync(SAMPLES, path('samples'), { recursive: true }))

const CONFIGURATION = 'sepa-migrate.yaml'

describe('a first export', () => {
  it('8.3.4 keeps ended and one-off mandates back, or asks: check, run, init, check', async () => {
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
    expect(checked.stdout).toContain('export.csv: Column "Toestand" looks like status: 2 ended stay behind')
    expect(checked.stdout).toContain('run refuses the file and sends nothing')
    const refused = await program('run', 'export.csv', '--base-url', 'http://127.0.0.1:9')
    expect(refused.status).toBe(7)
    expect(refused.stderr).toContain('FILE_COLUMN_UNDECIDED')
    const ignored = await program(
      ...['check', 'export.csv', '--ignore-column', 'Toestand', '--ignore-column', 'Soort machtiging'],
    )
    expect(ignored.status).toBe(0)
    expect(ignored.stdout).toMatch(/ready +5/)

    const drafted = await program('init', 'export.csv')
    expect(drafted.stdout).toContain('Understood: 2 ended, 1 one-off stay behind.')
    const { stdout, status } = await program('check', 'export.csv')
    expect(status).toBe(3)
    expect(stdout).toMatch(/conflict +1/)
    expect(stdout).toMatch(/excluded +3/)
    expect(stdout).toContain('2 ended stay behind by column "Toestand": "Beëindigd" 1, "Opgezegd" 1')
    expect(stdout).toContain(
      'not understood in column "Toestand": "nieuw" 1; to teach: words.status.active or words.status.notActive',
    )
  })

  it('8.3.3 shows what is left out around its records', async () => {
    cpSync(join(SAMPLES, 'german.yaml'), path(CONFIGURATION))
    cpSync(join(SAMPLES, 'german-customers.csv'), path('german-customers.csv'))
    const { stdout } = await program('check', 'samples/german-messy.csv', '--as-of', '2026-06-15')
    expect(stdout).toContain('left out at the end: Summe Mandate: 60')
    expect(stdout).toContain('left out before the header: Mitgliederverwaltung TSV Musterstadt')
  })

  it('can be looked at by its first rows only', async () => {
    const { stdout, status } = await program('check', 'samples/clean.csv', '--sample', '25', '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ totals: { read: 25, ready: 25 } })
    expect(stdout).toMatch(/first 25 records/)
  })

  it('is never overwritten by init, and inspect shows no account number', async () => {
    write(CONFIGURATION, 'timezone: Europe/Berlin\n')
    const again = await program('init', 'samples/german-messy.csv')
    expect(again.status).toBe(2)
    expect(again.stderr).toMatch(/not overwritten/)
    expect(read(CONFIGURATION)).toBe('timezone: Europe/Berlin\n')
    for (const sample of ['clean.csv', 'french.csv', 'utf16.csv', 'excel-damaged.csv']) {
      const { stdout } = await program('inspect', `samples/${sample}`, '--json')
      expect(stdout).not.toMatch(/[A-Z]{2}\d{2}(?!ZZZ)[A-Z0-9]{11,}/)
    }
  })
})
