import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

const place = placeForEach({
  sandbox: {
    faults: [
      {
        match: { customer_no: 5 },
        times: 1,
        fault: { kind: 'refuse', status: 422, field: 'iban', message: 'closed' },
      },
    ],
  },
})
const { path, read, write, held, sandbox } = place

async function program(...args: string[]) {
  const told = await place.json(...args)
  expect(told.balanced).toBe(true)
  return told
}

/** Customers 1 and 2 are fine, 3 has an impossible date, 4 stands twice, 5 is refused once. */
function writeExport(): void {
  const lines = [1, 2, 3, 4, 4, 5].map((n) => validLine(n).replace('2024-03-04', '2024-02-30'))
  write('export.csv', `${validExport(0)}${lines.join('\n')}\n`)
}

describe('9.1.1 check on our own files', () => {
  it('compares corrections with the campaign, and changes nothing in it', async () => {
    writeExport()
    await program('run', 'export.csv')
    write('corrected.csv', read('corrections.csv').replace('2024-02-30', '2024-02-29'))
    const checked = await program(
      'check',
      '--ledger',
      'sepa-migrate.db',
      'corrected.csv',
      inReport('refused.csv'),
    )
    expect(checked).toMatchObject({
      exitCode: 0,
      totals: { read: 6, resubmitted: 2, registered: 3, ready: 1, refused: 1, invalid: 0, duplicate: 1 },
      problems: [],
    })
    const status = await program('status')
    expect(status.totals).toMatchObject({ read: 6, resubmitted: 0, invalid: 1, refused: 1 })
  })

  it.each(['corrections.csv', 'refused.csv', 'not-sent.csv'])(
    'without a ledger takes %s on its own, and says so',
    async (name) => {
      writeExport()
      await program('run', 'export.csv')
      const checked = await program('check', inReport(name))
      expect(checked.totals).toMatchObject({ read: 1, resubmitted: 0, conflict: 0 })
      expect(checked.warnings.join()).toContain('it was checked on its own')
    },
  )

  it('lets one row that names an unknown row hide no other', async () => {
    write('export.csv', validExport(1))
    await program('run', 'export.csv')
    const header = `${validExport(0).trim()},migration_row,migration_state`
    const bad = `${validLine(8).replace('DE', 'XX')},99,invalid`
    write('mixed.csv', [header, bad, `${validLine(9)},,`, ''].join('\n'))
    const run = await program('run', 'mixed.csv')
    expect(run).toMatchObject({ exitCode: 3, totals: { read: 2, resubmitted: 1, registered: 2 } })
    expect(run.warnings.join()).toContain('1 of 1 correction in "mixed.csv" could not be taken')
    expect(held()).toEqual([1, 9])
    expect((await program('status')).exitCode).toBe(0)
  })
})

describe('8.3.1 a correction', () => {
  it.each(['2.0', '2,00', '0002', "'2", '="2"'])(
    'whose row number became %s replaces that row',
    async (number) => {
      write('export.csv', validExport(2))
      await program('run', 'export.csv', '--limit', '1')
      const corrected = `${validLine(2).replace(germanIban(2), germanIban(77))};"${number.replaceAll('"', '""')}";ready`
      write('corrected.csv', corrections(corrected))
      await program('run', 'corrected.csv')
      expect(held()).toEqual([1, 2])
      expect(
        sandbox()
          .mandates()
          .map(({ iban }) => iban),
      ).toContain(germanIban(77))
    },
  )

  it('whose row number cannot be read is an error of the line, and holds the old row back', async () => {
    write('export.csv', validExport(2))
    await program('run', 'export.csv', '--limit', '1')
    const line = validLine(2).replace(germanIban(2), germanIban(77)).replace('MANDATE-2', 'MANDATE-22')
    write('corrected.csv', corrections(`${line};#REF!;ready`))
    expect(await program('run', 'corrected.csv')).toMatchObject({
      exitCode: 3,
      totals: { read: 2, resubmitted: 1, registered: 1, invalid: 1 },
    })
    expect(held()).toEqual([1])
    expect(read('problems.csv')).toContain('CORRECTION_UNREADABLE')
  })

  it.each([
    ['too many', (line: string) => line.replace(germanIban(77), `;${germanIban(77)}`)],
    ['too few', (line: string) => line.replace('2024-03-03;', '')],
  ])('with one cell %s never lets the old account be sent', async (_, shift) => {
    write('export.csv', validExport(2))
    await program('run', 'export.csv', '--limit', '1')
    const line = `${validLine(2).replace(germanIban(2), germanIban(77))};2;ready`.replaceAll(',', ';')
    write('corrected.csv', corrections(shift(line)))
    expect(await program('run', 'corrected.csv')).toMatchObject({
      exitCode: 3,
      totals: { read: 2, resubmitted: 1, registered: 1, invalid: 1, ready: 0 },
    })
    expect(held()).toEqual([1])
  })

  const corrections = (line: string): string =>
    `\uFEFF${validExport(0).trim()},migration_row,migration_state\n`.replaceAll(',', ';') +
    `${line.replaceAll(/,(?!00)/g, ';')}\n`
})

describe('a file of ours that comes back without the configuration of its export', () => {
  const withColumn = (cells: readonly string[], name = 'Kennz.'): string =>
    [
      `${validExport(0).trim()},${name}`,
      ...cells.map((cell, index) => `${validLine(index + 1)},${cell}`),
      '',
    ].join('\n')
  const configured = (text: string): string[] => {
    write('export.yaml', text)
    return ['--config', 'export.yaml']
  }
  const giveBack = (...args: string[]) => program('run', inReport('not-sent.csv'), ...args)

  it('8.3.4 is refused where a column said which mandates have ended, and sends none of them', async () => {
    write('export.csv', withColumn(['aktiv', 'erloschen']))
    const config = configured('columns: { status: "Kennz." }\n')
    await program('run', 'export.csv', ...config)
    const told = await giveBack()
    expect(told.exitCode).toBe(7)
    expect(told.errors[0]?.message).toContain('Row 2 came in with the column "Kennz." as status')
    expect(told.errors[0]?.message).toContain('nothing was sent')
    expect(held()).toEqual([1])
    // Somebody decides about the column.
    await giveBack('--ignore-column', 'Kennz.')
    expect(held()).toEqual([1, 2])
  })

  it('8.3.4 is refused where a rule of the configuration kept rows back', async () => {
    write('export.csv', withColumn(['Nord', 'Süd']))
    const config = configured('exclude: [{ column: "Kennz.", equals: ["Süd"], reason: stays }]\n')
    await program('run', 'export.csv', ...config)
    const told = await giveBack()
    expect(told.exitCode).toBe(7)
    expect(told.errors[0]?.message).toContain('Row 2 was kept back by an exclude rule')
    expect(held()).toEqual([1])
    // Somebody decides about the very row.
    const decided = read('not-sent.csv').replace(/"","",""\n$/, '"send","",""\n')
    write('not-sent.csv', decided)
    await giveBack()
    expect(held()).toEqual([1, 2])
  })

  it('8.3.1 is refused where another column would feed the account', async () => {
    const account = (n: number): string => germanIban(n + 70)
    write('export.csv', withColumn([account(1), account(2)], 'Kto neu'))
    const config = configured('columns: { iban: "Kto neu" }\n')
    await program('run', 'export.csv', '--limit', '1', ...config)
    expect((await giveBack()).exitCode).toBe(7)
    await giveBack(...config)
    expect(
      sandbox()
        .mandates()
        .map(({ iban }) => iban),
    ).toEqual([account(1), account(2)])
  })
})

describe('9.1.4 the files for people', () => {
  it('have the separator, the dates and the numbers of the export, and a byte order mark', async () => {
    write('sepa-migrate.yaml', 'columns: { signed_date: { column: signed_date, format: dd.mm.yyyy } }\n')
    const line = (n: number, date = '01.03.2024'): string =>
      `000${n};${germanIban(n)};${date};DE98ZZZ09999999999;0012${n}`
    const header = validExport(0).trim().replaceAll(',', ';')
    write('export.csv', [header, line(1), line(1), line(2, '30.02.2024'), ''].join('\n'))
    await program('run', 'export.csv')
    const told = (name: string): string[] => read(name).split('\n')
    expect(told('corrections.csv')[0]).toBe(
      `\uFEFF${header};migration_row;migration_state;migration_rule;migration_status;migration_message;migration_remedy;migration_ledger;migration_attempt;migration_decision;migration_reason;migration_by`,
    )
    expect(told('corrections.csv')[1]).toMatch(/^"=""0002""";"DE[0-9]{20}";"30\.02\.2024";/)
    // The account of a repeated row went with its mandate; what is left is shown as the export writes it.
    expect(told('not-sent.csv')[1]).toMatch(
      /;"DE…0001";"01\.03\.2024";"DE98ZZZ09999999999";"=""00121""";"2";"duplicate"/,
    )
    expect(existsSync(path('refused.csv'))).toBe(true)
  })
})
