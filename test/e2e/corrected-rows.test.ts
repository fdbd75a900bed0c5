import { describe, expect, it } from 'vitest'
import { germanIban, validExport, validLine } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import {
  read as readSheet,
  valueOf,
  withValue,
  write as writeSheet,
  type Sheet,
} from './people-spreadsheet.js'

const place = placeForEach({ sandbox: {}, env: { SEPA_MIGRATE_BY: 'Berta' } })
const { read, write, program: typed, sandbox } = place

async function program(...args: string[]) {
  const told = await place.json(...args)
  expect(told.balanced).toBe(true)
  return told
}

const NEVER = '2024-02-30'
const FIELDS = ['customer_no', 'iban', 'signed_date', 'sepa_creditor_identifier', 'unique_mandate_reference']

/** So many rows, each with an impossible date; gives the file of them that comes back. */
async function heldBack(count: number): Promise<Sheet> {
  const lines = Array.from({ length: count }, (_, n) => validLine(n + 1).replace(/2024-03-\d\d/, NEVER))
  write('export.csv', `${validExport(0)}${lines.join('\n')}\n`)
  expect(await program('run', 'export.csv')).toMatchObject({ exitCode: 3, totals: { invalid: count } })
  return readSheet(read('corrections.csv'))
}

const dated = (sheet: Sheet, lines: readonly number[], date = '2024-03-15'): Sheet =>
  lines.reduce((done, line) => withValue(done, line, 'signed_date', date), sheet)

/** Somebody deletes the cell of the first line, and those below move up. */
const shifted = (sheet: Sheet, column: string): Sheet =>
  sheet.reduce<Sheet>(
    (done, _, line) =>
      line === 0 || line === sheet.length - 1
        ? done
        : withValue(done, line, column, valueOf(sheet, sheet[line + 1]!, column)),
    sheet,
  )

function give(name: string, sheet: Sheet): string {
  write(name, writeSheet(sheet))
  return name
}

const registered = (): string[] =>
  sandbox()
    .mandates()
    .map(({ customer_no, iban, amendment }) =>
      [customer_no, iban, amendment.unique_mandate_reference].join(' '),
    )
    .sort()
const own = (n: number): string => [n, germanIban(n), `MANDATE-${n}`].join(' ')

const decisions = (): Sheet => readSheet(read('decisions.csv'))

describe('26.2 a correction is a decision', () => {
  it('of the line: who, when, why and each field before and after, the account masked', async () => {
    const sheet = await heldBack(3)
    let mended = dated(sheet, [1, 2])
    mended = withValue(mended, 1, 'iban', germanIban(71))
    mended = withValue(mended, 1, 'migration_reason', 'the customer called')
    mended = withValue(mended, 2, 'unique_mandate_reference', 'MANDATE-22')
    const file = give('mended.csv', mended)

    const checked = await typed('check', '--ledger', 'sepa-migrate.db', file)
    for (const told of [
      '2 rows were corrected',
      `row 1: iban "DE…0001" → "DE…0071", signed_date "${NEVER}" → "2024-03-15" (Berta: the customer called)`,
      `row 2: signed_date "${NEVER}" → "2024-03-15", unique_mandate_reference "MANDATE-2" → "MANDATE-22" (Berta: no reason given)`,
    ])
      expect(checked.stdout).toContain(told)

    await program('run', file)
    const [header, ...lines] = decisions()
    const cell = (line: number, name: string): string => lines[line]?.[header?.indexOf(name) ?? -1] ?? ''
    expect(lines).toHaveLength(2)
    expect(cell(0, 'decision')).toBe('corrected')
    expect(cell(0, 'by')).toBe('Berta')
    expect(cell(0, 'from')).toBe('invalid')
    expect(cell(0, 'to')).toBe('ready')
    expect(cell(0, 'reason')).toBe('the customer called')
    expect(cell(0, 'evidence')).toContain('iban "DE…0001" → "DE…0071"')
    expect(cell(1, 'reason')).toBe('no reason given')
    expect(cell(1, 'evidence')).toContain('unique_mandate_reference "MANDATE-2" → "MANDATE-22"')
    const page = read('report.html')
    expect(page).toContain('the customer called')
    expect(page).toContain('DE…0071')
    expect(page).not.toContain(germanIban(71))
    expect(
      (await typed('report', 'verify', 'sepa-migrate-report', '--ledger', 'sepa-migrate.db')).stderr,
    ).toBe('')
  })

  it('of the command, where the line gives no reason, as it was recorded in every language', async () => {
    const sheet = await heldBack(2)
    write('sepa-migrate.yaml', 'lang: de\n')
    await program('run', give('mended.csv', dated(sheet, [1])), '--reason', 'list of 3 March')
    expect(decisions()[1]).toContain('list of 3 March')
    await program('run', give('rest.csv', dated(sheet, [2])))
    expect(decisions()[2]).toContain('no reason given')
    expect(read('report.html')).toContain('korrigiert')
    expect(read('report.html')).toContain('no reason given')
  })

  it('told by a plan, on screen and on its page, and no drift for the run under it', async () => {
    const sheet = await heldBack(3)
    const file = give('mended.csv', dated(sheet, [1, 2, 3]))
    const { stdout } = await typed('plan', file, '--to', 'plan.json', '--reason', 'letters of the bank')
    for (const told of [stdout, read('plan.html').replaceAll(/\s+/g, ' ')]) {
      expect(told).toContain('3 rows were corrected')
      expect(told).toContain('signed_date: 3')
    }
    expect(stdout).toContain(`row 1: signed_date "${NEVER}" → "2024-03-15"`)
    const page = read('plan.html')
      .replaceAll(/<[^>]*>|\s+/g, ' ')
      .replaceAll(/ +/g, ' ')
    expect(page).toMatch(new RegExp(`1 signed_date ${NEVER} 2024-03-15 \\S.{1,40} UTC letters of the bank`))
    await typed('approve', 'plan.json', '--by', 'Anna', '--reference', 'a mail')
    const ran = await program('run', file, '--plan', 'plan.json', '--reason', 'letters of the bank')
    expect(ran).toMatchObject({ exitCode: 0, totals: { registered: 3 } })
  })

  it.each([
    ['a date in its short form', '03.02.19', '03.02.2019'],
    ['a date with its century', '03.02.2019', '03.02.19'],
  ])('and %s is none: a spreadsheet does that', async (_, before, after) => {
    write('sepa-migrate.yaml', 'columns: { signed_date: { column: signed_date, format: dd.mm.yyyy } }\n')
    const line = validLine(1)
      .replace(/2024-03-\d\d/, before)
      .replace('MANDATE-1', before.length === 8 ? 'MANDATE-1' : 'M 1')
    const broken = before.length === 8 ? line : line.replace(germanIban(1), germanIban(1).replace(/.$/, '9'))
    write('export.csv', `${validExport(0)}${broken}\n`)
    await program('run', 'export.csv')
    const sheet = withValue(readSheet(read('corrections.csv')), 1, 'signed_date', after)
    expect(await program('run', give('saved.csv', sheet))).toMatchObject({
      totals: { invalid: 1, registered: 0 },
    })
    expect(decisions()).toHaveLength(1)
    expect(registered()).toEqual([])
  })

  it('and blanks, case and zeros of a value are none', async () => {
    const sheet = await heldBack(1)
    const spaced = germanIban(1)
      .toLowerCase()
      .replaceAll(/(.{4})/g, '$1 ')
    let saved = withValue(sheet, 1, 'iban', spaced)
    saved = withValue(saved, 1, 'customer_no', '0001')
    await program('run', give('saved.csv', saved))
    expect(decisions()).toHaveLength(1)
    await program('run', give('dated.csv', dated(saved, [1])))
    expect(decisions()[1]?.join()).toContain(`signed_date "${NEVER}"`)
    expect(decisions()[1]?.join()).not.toContain('iban')
    expect(decisions()[1]?.join()).not.toContain('customer_no')
  })
})

describe('26.2 a correction with what is another row’s', () => {
  it.each(['iban', 'unique_mandate_reference'])(
    'is a conflict where the column %s moved up by a line, and nothing wrong is registered',
    async (column) => {
      const sheet = await heldBack(10)
      const all = sheet.map((_, line) => line).slice(1)
      const ran = await program('run', give('shifted.csv', shifted(dated(sheet, all), column)))
      expect(ran).toMatchObject({ exitCode: 3, totals: { read: 10, conflict: 9, registered: 1 } })
      expect(registered()).toEqual([own(10)])
      expect(read('problems.csv')).toMatch(/CORRECTION_TAKES_(?:REFERENCE|ACCOUNT)/)
      // Somebody puts the column right in the very file that comes back.
      const again = FIELDS.reduce<Sheet>(
        (done, name) =>
          done.reduce<Sheet>(
            (next, row, line) =>
              line === 0 || name !== column
                ? next
                : withValue(
                    next,
                    line,
                    column,
                    column === 'iban'
                      ? germanIban(Number(valueOf(done, row, 'customer_no')))
                      : `MANDATE-${valueOf(done, row, 'customer_no')}`,
                  ),
            done,
          ),
        readSheet(read('corrections.csv')),
      )
      expect(await program('run', give('right.csv', again))).toMatchObject({
        exitCode: 0,
        totals: { read: 10, registered: 10 },
      })
      expect(registered()).toEqual(Array.from({ length: 10 }, (_, n) => own(n + 1)).sort())
    },
  )

  it('is settled by the word of a person, which stands among the decisions', async () => {
    const sheet = await heldBack(2)
    await program('run', give('shifted.csv', shifted(dated(sheet, [1, 2]), 'iban')))
    let back = withValue(readSheet(read('corrections.csv')), 1, 'migration_decision', 'send')
    back = withValue(back, 1, 'migration_reason', 'husband and wife')
    expect(await program('run', give('said.csv', back))).toMatchObject({
      exitCode: 0,
      totals: { registered: 2 },
    })
    expect(decisions().at(-1)?.join()).toContain('husband and wife')
    expect(decisions().at(-1)?.join()).toContain('migration_decision """" → ""send""'.replaceAll('""', '"'))
  })
})
