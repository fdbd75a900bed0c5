import { describe, expect, it } from 'vitest'
import { validLine, validExport } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { SAMPLES } from '../support/program.js'

const { write, program, json } = placeForEach()

describe('10.3.2 check is a to-do list', () => {
  it('10.3.2 by rule: errors, warnings, what was asked for; count, three examples with lines, remedy', async () => {
    const dates = [5, 6, 7, 8].map((n) => validLine(n).replace(/2024-\d\d-\d\d/, '2024-02-30'))
    const header = validExport(0).trim()
    const rows = [...[1, 2, 3, 4].map((n) => validLine(n)), ...dates, validLine(1)]
    const stays = rows.map((row, index) => `${row},${index === 1 ? 'cancelled' : 'active'}`)
    write('export.csv', `${[`${header},status`, ...stays].join('\n')}\n`)
    const { status, stdout } = await program('check', 'export.csv')
    expect(status).toBe(3)
    const list = stdout.slice(stdout.indexOf('To do'), stdout.indexOf('Control totals')).trim()
    expect(list).toBe(
      [
        'To do: 1 rule is broken, 2 reasons to leave rows out',
        '',
        'error    DATE_INVALID, 4 times',
        '  This is not a date in the declared format.',
        '    line 6, signed_date "2024-02-30"',
        '    line 7, signed_date "2024-02-30"',
        '    line 8, signed_date "2024-02-30"',
        '    … and 1 more',
        '  → Correct the date, or declare the right format.',
        '',
        'left out DUPLICATE_MANDATE, 1 time',
        '  The mandate is already in the file. The first row is sent.',
        '    line 10, unique_mandate_reference "MANDATE-1": It is record 1.',
        '  → Nothing to do; remove the repeated row if you like.',
        '',
        'left out STATUS_NOT_ACTIVE, 1 time',
        '  The mandate is not active.',
        '    line 3, status "cancelled"',
        '  → Do not migrate. Get a new mandate if needed.',
      ].join('\n'),
    )
    const { problems } = await json<{ problems: unknown }>('check', 'export.csv')
    expect(problems).toContainEqual({
      rule: 'STATUS_NOT_ACTIVE',
      severity: 'error',
      kind: 'asked',
      count: 1,
    })
  })

  it('10.3.2 an excluded row alone is no error', async () => {
    write('export.csv', `${validExport(0).trim()},status\n${validLine(1)},active\n${validLine(2)},ended\n`)
    const { status, stdout } = await program('check', 'export.csv')
    expect(status).toBe(0)
    expect(stdout).not.toContain('error')
  })

  it('10.3.2 prints how a file was read, also of a first look', async () => {
    const german = `${SAMPLES}german-messy.csv`
    write(
      'sepa-migrate.yaml',
      `columns:
  customer_no: Mitgliedsnummer
  iban: IBAN
  signed_date: { column: Mandatsdatum, format: dd.mm.yyyy }
  unique_mandate_reference: Mandatsreferenz
  sepa_creditor_identifier: { constant: DE98ZZZ09999999999 }
source: { skipLines: 3, skipFooterLines: 2, encoding: windows-1252, delimiter: ";" }
`,
    )
    for (const flags of [[], ['--sample', '1']]) {
      const { stdout, stderr } = await program('check', german, '--as-of', '2026-06-15', ...flags)
      expect(stdout, stderr).toMatch(
        /read as windows-1252 \(as declared\), separator ";" \(as declared\), header in line \d+/,
      )
      expect(stdout).toContain('signed_date from "Mandatsdatum"')
      expect(stdout).toContain('sepa_creditor_identifier DE98ZZZ09999999999 for every row')
      expect(stdout).toContain('dates: signed_date as dd.mm.yyyy')
      expect(stdout).toContain(flags.length === 0 ? 'german-messy.csv: ' : 'the first record')
    }
  })

  it('10.3.5 a row of the wrong shape says that it is not sent although its rule is a warning', async () => {
    write('sepa-migrate.yaml', 'rules: { ROW_FIELD_COUNT: warning }\n')
    write('export.csv', `${validExport(1)}1,2\n`)
    const { stdout } = await program('check', 'export.csv')
    expect(stdout).toMatch(/warning {2}ROW_FIELD_COUNT, 1 time\n.* so the row is not sent\.\n/)
    expect(stdout).toMatch(/invalid +1/)
  })

  it('10.3.5 says one record, and nothing of no blank lines', async () => {
    write('export.csv', validExport(1))
    expect((await program('check', 'export.csv')).stdout).toMatch(/^export\.csv: 1 record\n/)
    write('export.csv', `${validExport(1)}\n`)
    expect((await program('check', 'export.csv')).stdout).toMatch(/^export\.csv: 1 record, 1 blank line\n/)
  })
})
