import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isBareTotals } from '../../src/source/table.js'
import { loadSecondFiles } from '../../src/source/columns/second-files.js'
import { inspectSource } from '../../src/source/guess/inspect.js'
import { AS_OF, CHECK, exportOf, fileOf, optionsOf, readAll, refusal } from '../support/sources.js'
import { fileRules, readText, refused, rowRules, rulesOf } from './reading.js'
import { rowsOf, workbookOf } from '../support/workbook.js'

const [HEADER = '', FIRST = '', SECOND = '', THIRD = ''] = exportOf(3).trimEnd().split('\n')
const file = (...lines: string[]): string => `${lines.join('\n')}\n`
const FOOTER = 'source: { skipFooterLines: 1 }'
const PREAMBLE = 'source: { skipLines: 2 }'

describe('a footer that swallows mandates', () => {
  it.each([
    ['a typing error in its account', SECOND.replace('DE8937', 'DE8973')],
    ['an account of digits only', SECOND.replace('DE89370400440532013000', '370400440532013000')],
    ['a masked account', SECOND.replace('DE89370400440532013000', 'DE**********3000')],
    ['no account', SECOND.replace('DE89370400440532013000', '')],
    ['no customer number', SECOND.replace(/^2/, '')],
    ['its customer number alone', '2,,,,,'],
    ['its reference alone', ',,,,M-2,'],
    ['a cut-off end', '2,DE8937'],
    ['an account in another column', 'Ms,Person,DE89 3704 0044 0532 0130 00'],
    ['a name that totals up', SECOND.replace('Person 2', 'Total')],
  ])('is refused where it holds a mandate with %s', async (_, last) => {
    const reading = readText(file(HEADER, FIRST, last), FOOTER)
    const told = /source\.skipFooterLines leaves out.*nothing was sent/s
    const { message } = await refused(reading, 'FILE_ROW_LEFT_OUT', told, 'physical lines')
    expect(message).not.toContain('3704')
  })

  it.each([
    ...['Total', 'Summe Mandate: 1', 'Totaal aantal machtigingen: 1', 'Total,1,,,,'],
    ...[',,,,Summe,12345.67', '*** Ende der Datei ***', 'Erstellt am 15.05.2026,,Benutzer,Müller,,'],
    ...['TSV Musterstadt e. V.', '', '----------', 'Page 3', 'i alt'],
  ])('leaves the footer line %j out and shows it', async (last) => {
    const { records, summary } = await readText(file(HEADER, FIRST, last), FOOTER)
    expect(records).toHaveLength(1)
    expect(summary.reading['leftOut']).toEqual(last === '' ? {} : { atEnd: [last] })
  })

  it('and a preamble that holds one are refused alike', async () => {
    const early = SECOND.replace('DE8937', 'DE8973')
    const reading = readText(file('Export', early, HEADER, FIRST), PREAMBLE)
    await refused(reading, 'FILE_ROW_LEFT_OUT', 'source.skipLines leaves out')
    const before = ['Mandate of the club', 'Account,DE89 3704 0044 0532 0130 00']
    const { summary } = await readText(file(...before, HEADER, FIRST), PREAMBLE)
    expect(summary.reading['leftOut']).toEqual({ beforeHeader: ['Mandate of the club', 'Account,DE…3000'] })
  })

  it('of a crosswalk is refused where it holds a line', async () => {
    const path = fileOf(file('id,no', 'a1,1', 'b2,2'))
    const crosswalk = `{ file: ${path}, from: id, key: id, customer_no: no, skipFooterLines: 1 }`
    const options = optionsOf(`crosswalk: ${crosswalk}`)
    expect(await refusal(loadSecondFiles(options))).toMatchObject({ rule: 'FILE_ROW_LEFT_OUT' })
    writeFileSync(path, file('id,no', 'a1,1', 'b2,2', 'Total: 2'))
    expect(await loadSecondFiles(options)).toMatchObject([{ reading: { lines: 2 } }])
  })
})

describe('a footer that states a count', () => {
  it.each([
    ...['Totaal aantal machtigingen: 3', 'Summe Mandate: 3', 'Anzahl;3', 'Anzahl Datensätze 3'],
    ...['Total,3', 'Total: 20.000', 'Nombre de mandats : 20 000', 'Number of records = 3'],
    ...['Antal medgivanden: 3', 'Liczba mandatów: 3', 'Número de mandatos: 3', 'Numero di mandati: 3'],
    ...['3 records', "Total 12'345", 'Mandatsanzahl,3', 'Gesamtanzahl 3 am 15.05.2026'],
  ])('is compared with the records read: %j', async (line) => {
    const reading = readText(file(HEADER, FIRST, SECOND, line), FOOTER)
    await refused(reading, 'FILE_COUNT_MISMATCH', '2 records were read', 'Ask for a complete export')
    const right = line.replace(/\d[\d. ]*(?= records|$| am)/, '2')
    expect((await readText(file(HEADER, FIRST, SECOND, right), FOOTER)).records).toHaveLength(2)
  })

  it.each([
    ...['"Summe: 1.234,50"', 'Summe Beiträge: 6000', 'Total EUR 6000', 'Total: 2 (3 in May)'],
    ...['Stand 15.05.2026', 'Total 10:30', 'Summe,1234.56', 'Totalschaden 7', 'Anzahl,Name,Ort,7'],
  ])('does not take %j for another count', async (line) => {
    expect((await readText(file(HEADER, FIRST, SECOND, line), FOOTER)).records).toHaveLength(2)
  })

  it('counts in a preamble', async () => {
    const before = readText(file('Anzahl Mandate: 3', '', HEADER, FIRST, SECOND), PREAMBLE)
    expect(await refusal(before)).toMatchObject({ rule: 'FILE_COUNT_MISMATCH' })
  })

  it.each([
    ['FILE_COUNT_MISMATCH', 'Total: 3', '1 record'],
    ['FILE_ROW_LEFT_OUT', '17', 'source.skipFooterLines leaves out "17"'],
  ])('%s may be told only, when the configuration says so', async (rule, last, message) => {
    const check = { ...CHECK, severities: { [rule]: 'warning' } as const }
    const { summary } = await readText(file(HEADER, FIRST, last), FOOTER, check)
    expect(summary.findings[0]).toMatchObject({ rule, severity: 'warning' })
    expect(summary.findings[0]?.message).toContain(message)
  })
})

describe('a totals line padded with delimiters', () => {
  const ending = (...last: readonly string[]): string => file(HEADER, FIRST, SECOND, THIRD, ...last)

  it.each([
    ...['Summe,,,,,3', 'Gesamtsumme:,,,,,', 'Totaal aantal machtigingen: 3,,,,,', 'Summe,,,,3,'],
    ...['Summe,3,,,,', ',,,,,TOTAL 3', 'Anzahl Datensätze 3'],
  ])('%s is no record, and it is told', async (line) => {
    const { records, opened } = await readText(ending(line))
    expect(records).toHaveLength(3)
    const { records: count, findings } = opened.summary()
    expect(count).toBe(3)
    expect(findings.filter(({ rule }) => rule === 'FILE_TOTALS_LINE')).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('It is line 5.') as string },
    ])
  })

  it('several of them at the end, blank lines between', async () => {
    const { records } = await readText(ending('Zwischensumme,,,,,3', ',,,,,', 'Summe,,,,,3', ''))
    expect(records).toHaveLength(3)
  })

  it('is a record where it holds what a mandate has, where it is a name, and further up', async () => {
    const fields = [
      { field: 'iban', position: 1, name: 'iban', transforms: [] },
      { field: 'unique_mandate_reference', position: 4, name: 'reference', transforms: [] },
    ] as const
    expect(isBareTotals(['Summe', ...THIRD.split(',').slice(1)], fields)).toBe(false)
    expect(isBareTotals(['Summe', '', '', '', '3'], fields)).toBe(true)
    expect(isBareTotals(['Totale', '', '', '', '25 mandati'], fields)).toBe(true)
    expect(isBareTotals(['Totale', '', '', '', '€ 1.250,00'], fields)).toBe(true)
    expect(isBareTotals(['Totale', '', '', '', '25 MND'], fields)).toBe(false)
    expect(isBareTotals(['Totale', '', '', '', 'mandati 25 posten'], fields)).toBe(false)
    for (const cells of [
      ...['Total Energies GmbH,,,,,', 'Total,DE89370400440532013000,,,,', 'Total,3,,,abc,'],
      'Countess,,,,,',
    ])
      expect((await readText(ending(cells))).records, cells).toHaveLength(4)
    const early = await readText(file(HEADER, 'Summe,,,,,', FIRST, SECOND, THIRD))
    expect(early.records).toHaveLength(4)
    expect(early.opened.summary().findings.map(({ rule }) => rule)).not.toContain('FILE_TOTALS_LINE')
  })

  it.each([
    ['by their count', 'Zwischensumme,2', 'Zwischensumme,1', 'Gesamt,3'],
    ['in French, by the count of all', 'Sous-total,2,,,,', 'Sous-total,3,,,,', 'Total,3,,,,'],
    ['in money', 'Subtotal,,,,,"1,250.00"', 'Subtotal,,,,,12.00', 'Summe,,,,,"1,262.00"'],
  ])('further up sums up the rows above it %s, and is told', async (_, one, other, all) => {
    const text = file(HEADER, FIRST, SECOND, one, HEADER, THIRD, other, all)
    const { records, summary } = await readText(text)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable', 'sendable'])
    expect(rulesOf(summary)).toContain('FILE_TOTALS_LINE')
    expect(JSON.stringify(summary.findings)).toContain('Line 4 sums up')
    const { columns } = await inspectSource(fileOf(text), { today: AS_OF })
    expect(columns[0]?.values).toEqual(['1', '2', '3'])
  })

  it.each(['Zwischensumme,3', 'Summe,17,,,,', 'Total,2,,,M-7,'])(
    'further up is a record where it counts otherwise: %s',
    async (sum) => expect((await readText(file(HEADER, FIRST, SECOND, sum, THIRD))).records).toHaveLength(4),
  )

  it('knows the word by itself only', () => {
    expect(isBareTotals(['', '20000'], [])).toBe(false)
    expect(isBareTotals([], [])).toBe(false)
    expect(isBareTotals(['Mandate', '3'], [])).toBe(false)
  })
})

const cells = (...lines: string[]): string[][] => lines.map((line) => line.split(','))
const sheet = (...lines: string[]): string => workbookOf({ sheets: { Mandate: rowsOf(cells(...lines)) } })
const told = async (text: string): Promise<string> =>
  (await readText(text)).summary.findings
    .flatMap(({ rule, message }) => (rule === 'FILE_LINES_LEFT_OUT' ? [message] : []))
    .join()

describe('a header that is repeated', () => {
  it.each([
    ['as it stands', HEADER],
    ['with a byte order mark', `\ufeff${HEADER}`],
    ['in other letters', HEADER.toUpperCase().replaceAll('_', ' ')],
    ['in another language', 'customer_no,Rekeningnummer,Mandatsdatum,Gläubiger-ID,mandaatkenmerk,name'],
    ['in a page that lacks its last names', HEADER.split(',').slice(0, 4).join(',') + ',,'],
  ])('is left out and told: %s', async (_, repeated) => {
    const { records, summary } = await readText(file(HEADER, FIRST, repeated, SECOND))
    expect(records.map(({ line }) => line)).toEqual([2, 4])
    expect(records.every(({ verdict }) => verdict.kind === 'sendable')).toBe(true)
    expect(summary.records).toBe(2)
    expect(await told(file(HEADER, FIRST, repeated, SECOND))).toContain('Line 3 repeats the header.')
  })

  it.each([
    ['two columns exchanged', HEADER.replace('customer_no,iban', 'iban,customer_no')],
    ['another column more', `${HEADER},status`],
    ['a column named otherwise', HEADER.replace('signed_date', 'Kuendigung')],
    ['in another language and order', 'mandaatkenmerk,IBAN,Mandatsdatum,Gläubiger-ID,klantnummer,naam'],
    ['with keys of another system', HEADER.replace('customer_no', 'Mitgliedsnummer')],
    ['with keys of another system and language', 'Mitgliedsnummer,IBAN,Mandatsdatum,Gläubiger-ID,Mandaat,'],
    ['reversed', HEADER.split(',').reverse().join(',')],
  ])('refuses the file where it has other columns or another order: %s', async (_, other) => {
    const as = { rule: 'FILE_HEADER_SECOND', line: 3 }
    for (const given of [fileOf(file(HEADER, FIRST, other, SECOND)), sheet(HEADER, FIRST, other, SECOND)])
      await refused(readAll(given), as, 'line 3 is a second header', 'Split the file')
  })

  it.each([
    ['in Polish', 'Numer klienta 2,Rachunek,Podpisano,Identyfikator,Numer zgody,Nazwa'],
    ['in codes', 'F01,F02,F03,F04,F05,F06'],
    ['without all of its names', ',Conto,Firmato il,,Riferimento,'],
  ])('refuses the file where it has names that nobody knows: %s', async (_, other) => {
    for (const given of [fileOf(file(HEADER, FIRST, other, SECOND)), sheet(HEADER, FIRST, other, SECOND)])
      await refused(readAll(given), 'FILE_HEADER_SECOND', 'Line 3 holds words')
  })

  it.each([
    ['behind the last row', [FIRST, 'No,Conto,Firmato il,CI,Riferimento,Nome']],
    ['with a number', [FIRST, '1002,Conto,Firmato il,CI,Riferimento,Nome', SECOND]],
    ['with a day', [FIRST, 'No,Conto,2024-03-01,CI,Riferimento,Nome', SECOND]],
    ['without an account', [FIRST, 'No,,unknown,CI,Riferimento,Nome', SECOND]],
  ])('is none %s', async (_, lines) => expect(await fileRules(file(HEADER, ...lines))).toEqual([]))

  it('is found by init, too, where more of its names are known than of the first', async () => {
    const others = 'N° client,IBAN,Date de signature,ICS,RUM,Échéance'
    for (const given of [fileOf(file(others, FIRST, HEADER, SECOND)), sheet(others, FIRST, HEADER, SECOND)])
      await refused(inspectSource(given, { today: AS_OF }), { rule: 'FILE_HEADER_SECOND', line: 3 })
  })

  it('is none where a customer is called like a column, or like two', async () => {
    const named = FIRST.replace('Person 1', 'IBAN')
    expect(await rowRules(file(HEADER, named, SECOND.replace('M-2', 'iban')))).toEqual([[], []])
    expect(await fileRules(file(HEADER, named))).toEqual([])
  })

  it('is left out of a workbook, a semicolon file and UTF-16 with tabs', async () => {
    const lines = [HEADER, FIRST, HEADER, SECOND]
    const tabs = file(...lines).replaceAll(',', '\t')
    for (const given of [
      sheet(...lines),
      fileOf(file(...lines).replaceAll(',', ';')),
      fileOf(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(tabs, 'utf16le')])),
    ])
      expect((await readAll(given)).records.map(({ line }) => line)).toEqual([2, 4])
  })
})

const wide = (cell: string): string => `${cell},,,,,`

describe('the title of a part', () => {
  it.each([
    ['as wide as the table', wide('Beendete Mandate')],
    ['of one cell, in French', 'Mandats résiliés'],
    ['without a word that is known, in Finnish', wide('Entiset jäsenet')],
    ['with a year, in English', wide('Former members 2024')],
    ['in another column', ',,,Archiv,,'],
    ['with its label beside it', 'Status:,gekündigt,,,,'],
    ['with a usual label beside it, in French', ',Statut du mandat,,,Résilié,'],
  ])('between rows refuses the file, the header repeated below it or not: %s', async (_, title) => {
    const told = /Line \d holds nothing else than "[\p{L}: 0-9]+"/u
    for (const lines of [
      [HEADER, FIRST, title, SECOND],
      [HEADER, FIRST, '', title, HEADER, SECOND],
    ])
      for (const given of [fileOf(file(...lines)), sheet(...lines.filter((line) => line !== ''))])
        await refused(readAll(given), 'FILE_HEADER_SECOND', told, 'without those that have ended')
  })

  it('above all rows refuses the file where it says that they ended', async () => {
    for (const title of [wide('Gekündigt'), wide('Mandati revocati'), 'Inactive', 'Status:,gekündigt,,,,'])
      await refused(readText(file(HEADER, title, FIRST)), 'FILE_HEADER_SECOND')
    expect(await fileRules(file(HEADER, wide('Aktive Mandate'), FIRST))).toEqual([])
  })

  it.each([
    ['behind the last row', [wide('Beendete Mandate')]],
    ['with a number of a mandate', [wide('MREF-000123'), SECOND]],
    ['with another cell', ['1002,Beendet,,,,', SECOND]],
    ['of a member without an account', ['Anna,,,,,Muster', SECOND]],
  ])('is none %s', async (_, lines) => expect(await fileRules(file(HEADER, FIRST, ...lines))).toEqual([]))
})

describe('lines that rule off the table', () => {
  const ruled = HEADER.replace(/[^,]/g, '-')
  it.each([
    ['sqlcmd', file(HEADER, ruled, FIRST, SECOND, '', '(2 rows affected)'), ','],
    ['an old sqlcmd', file(HEADER, ruled, FIRST, SECOND, '', '(2 row(s) affected)'), ','],
    ['sqlcmd in German', file(HEADER, ruled, FIRST, SECOND, '(2 Zeilen betroffen)'), ','],
    ['psql in French', file(HEADER, ruled.replaceAll(',', '+'), FIRST, SECOND, '(2 lignes)'), ','],
    ['psql in Polish', file(HEADER, ruled.replaceAll(',', '+'), FIRST, SECOND, '(2 wiersze)'), ','],
    ['Oracle', file(HEADER, ruled, FIRST, SECOND, '', '2 rows selected.'), ','],
    ['no line end', `${file(HEADER, ruled, FIRST, SECOND)}(2 rows)`, ','],
    [
      'a box of MySQL',
      file(
        ruled.replaceAll(',', '+').replace(/^-|-$/g, '+'),
        `| ${HEADER.replaceAll(',', ' | ')} |`,
        ruled.replaceAll(',', '+').replace(/^-|-$/g, '+'),
        `| ${FIRST.replaceAll(',', ' | ')} |`,
        `| ${SECOND.replaceAll(',', ' | ')} |`,
        ruled.replaceAll(',', '+').replace(/^-|-$/g, '+'),
        '2 rows in set (0.00 sec)',
      ),
      '|',
    ],
    ['Markdown', file(HEADER, ':---:,---,---,---,---,---:', FIRST, SECOND), ','],
  ])('are left out, counted, and the count agrees: %s', async (_, text) => {
    const { records, summary } = await readText(text)
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable'])
    expect(summary.findings.map(({ rule }) => rule)).toEqual(['FILE_LINES_LEFT_OUT'])
    const inspected = await inspectSource(fileOf(text), { today: AS_OF })
    expect(inspected).toMatchObject({ records: 2, footer: { lines: 0 } })
  })

  it('and in a workbook', async () => {
    const { records, summary } = await readAll(sheet(HEADER, ruled, FIRST, SECOND, '(2 rows affected)'))
    expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'sendable'])
    expect(summary.findings.map(({ rule }) => rule)).toEqual(['FILE_LINES_LEFT_OUT'])
  })

  it('of two results in one file each count is compared with its own rows', async () => {
    const [one, two] = ['(1 rows affected)', '(2 rows affected)']
    const both = file(HEADER, ruled, FIRST, one, HEADER, ruled, SECOND, THIRD, two)
    expect(await fileRules(both)).toEqual(['FILE_LINES_LEFT_OUT'])
    expect((await readText(both)).summary.records).toBe(3)
  })

  it('another count refuses the file, and both are told with their lines', async () => {
    const reading = readText(file(HEADER, ruled, FIRST, SECOND, '(3 rows affected)'))
    await refused(reading, 'FILE_COUNT_MISMATCH', 'It says "(3 rows affected)", and 2 records were read')
    const left = await told(file(HEADER, ruled, FIRST, '(1 row)'))
    expect(left).toContain('Line 2 rules off the table. Line 4 sums up: "(1 row)".')
  })

  it('a row of hyphens for what is missing is one', async () => {
    expect((await readText(file(HEADER, FIRST, '-,-,-,-,-,-'))).summary.records).toBe(2)
  })
})

it('the end of a page is a record that waits', async () => {
  const { records } = await readText(file(HEADER, FIRST, 'Stand: 25.11.2026,,,,,Seite 2', HEADER, SECOND))
  expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'invalid', 'sendable'])
})

describe('what databases write for nothing', () => {
  it.each(['NULL', String.raw`\N`, '(null)', '[NULL]', '<null>', 'null'])('%s is empty', async (nothing) => {
    const text = file(
      `${HEADER},last_collection_date,status`,
      `${FIRST},${nothing},${nothing}`,
      `${SECOND.replace('M-2', nothing)},2026-01-02,active`,
      `${THIRD.replace('DE98ZZZ09999999999', nothing)},,active`,
    )
    expect(await rowRules(text)).toEqual([[], ['UMR_EMPTY'], ['CI_EMPTY']])
    const constant =
      'columns: { sepa_creditor_identifier: { column: sepa_creditor_identifier, constant: DE98ZZZ09999999999 } }'
    expect((await rowRules(text, constant))[2]).toEqual([])
  })

  it('in a workbook, and where a row with any value stays behind', async () => {
    const lines = [`${HEADER},Ende`, `${FIRST},NULL`, `${SECOND},2025-01-01`]
    const ended = 'exclude: [{ column: Ende, filled: true, reason: ended }]'
    for (const source of [sheet(...lines), fileOf(file(...lines))]) {
      const { records } = await readAll(source, optionsOf(ended))
      expect(records.map(({ verdict }) => verdict.kind)).toEqual(['sendable', 'excluded'])
    }
  })

  it('a person called Null is a person', async () => {
    const { records } = await readText(file(HEADER, FIRST.replace('Person 1', 'Null')))
    expect(records[0]?.cells.at(-1)).toBe('Null')
  })
})
