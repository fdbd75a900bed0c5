import { describe, expect, test } from 'vitest'
import { readAsTexts } from '../../../src/domain/rule/verdict.js'
import fc from 'fast-check'
import { Readable } from 'node:stream'
import { inspectSource } from '../../../src/source/guess/inspect.js'
import { openList } from '../../../src/source/list.js'
import { AS_OF, CHECK, fileOf, optionsOf, readAll, refusal } from '../../support/sources.js'
import { draftOf, readText, refused, rulesOf } from '../reading.js'
import {
  HEADER_CELLS,
  mandateCells,
  rowsOf,
  sheetOf,
  textCell,
  workbookBytes,
  workbookOf,
} from '../../support/workbook.js'
import type { WorkbookParts } from '../../support/workbook.js'

const one = (xml: string, more: Partial<WorkbookParts> = {}): string =>
  workbookOf({ sheets: { Mandate: xml }, ...more })
const read = (path: string, yaml = '') => readAll(path, optionsOf(yaml))
const cellsOf = async (path: string, yaml = '') => (await read(path, yaml)).records.map(({ cells }) => cells)

/** What the first data row becomes where its reference is this cell. */
const reference = async (cell: string, more: Partial<WorkbookParts> = {}): Promise<string | undefined> =>
  (await cellsOf(one(sheetOf(mandateCells(1, { 4: cell })), more)))[0]?.[4]

describe('cells', () => {
  test('of text are taken as they are: in place, shared, in runs, escaped, computed', async () => {
    const shared =
      '<si><t>none</t></si><si><r><rPr/><t>M-</t></r><r><t>4_x002F_7</t></r><rPh><t>spoken</t></rPh></si>'
    expect(await reference(textCell(" 007 '=1 "))).toBe(" 007 '=1 ")
    expect(await reference('<c t="s"><v>1</v></c>', { shared })).toBe('M-4/7')
    expect(await reference('<c t="str"><f>"M"&amp;1</f><v>M1</v></c>')).toBe('M1')
    expect(await reference('<c t="b"><v>1</v></c>')).toBe('TRUE')
    expect(await reference('<c t="d"><v>2024-03-01T00:00:00</v></c>')).toBe('2024-03-01')
    expect(await reference('<x:c xmlns:x="y" t="inlineStr"><x:is><x:t>M</x:t></x:is></x:c>')).toBe('M')
  })

  test.each([
    ['4711', 'General', '4711'],
    ['42', '00000', '00042'],
    ['1234567', '00000', '1234567'],
    ['4711', '"K0-"00000', 'K0-04711'],
    ['12345', '000\\-000', '012-345'],
    ['4711', '#,##0', '4711'],
    ['0.1', 'General', '0.1'],
    ['0.30000000000000004', '0.00', '0.3'],
    ['999999999999999', '@', '999999999999999'],
    ['1234567890123456', '0', '1.234567890123456e+15'],
    ['45352', 14, '2024-03-01'],
    ['45352.75', 22, '2024-03-01 18:00:00'],
    ['45351.958333333336', 14, '2024-02-29 23:00:00'],
    ['45351.99999999999', 14, '2024-03-01'],
    ['45352', 'dd/mm/yyyy;@', '2024-03-01'],
    ['45352', '[$-407]d. mmmm yyyy', '2024-03-01'],
    ['45352', 'mmm', '2024-03-01'],
    ['0.5', 20, '0.5'],
    ['1.5', '[h]:mm:ss', '1.5'],
    ['45352', '"Day;" 0', 'Day; 45352'],
    ['60', 14, '60'],
    ['61', 14, '1900-03-01'],
  ])('of the number %s shown as %s are %s', async (value, format, shown) => {
    expect(await reference(`<c s="1"><v>${value}</v></c>`, { formats: [format] })).toBe(shown)
  })

  test('of days count from 1904 where the workbook says so', async () => {
    const cell = '<c s="1"><v>43890</v></c>'
    expect(await reference(cell, { formats: [14], is1904: true })).toBe('2024-03-01')
  })

  test('that hold a day are days beside texts in the format of their column, declared or decided', async () => {
    const day = '<c s="1"><v>45352</v></c>'
    const sheet = sheetOf(mandateCells(1, { 2: day }), mandateCells(2, { 2: '31.12.2023' }))
    const path = one(sheet, { formats: [14] })
    for (const format of ['dd.mm.yyyy', 'auto']) {
      const yaml = `columns: { signed_date: { column: signed_date, format: ${format} } }`
      const { records } = await read(path, yaml)
      expect(records.map(({ values }) => values.signedDate)).toEqual(['2024-03-01', '2023-12-31'])
    }
  })

  test('that lost digits are refused as damaged, with their place', async () => {
    const { records } = await read(one(sheetOf(mandateCells(1, { 1: '<c><v>37040044053201300</v></c>' }))))
    const [record] = records
    expect(record?.verdict.kind).toBe('invalid')
    expect(record?.findings).toMatchObject([{ rule: 'EXCEL_SCIENTIFIC', field: 'iban' }])
    expect(record?.findings[0]?.message).toContain('It is cell B2.')
  })

  test('of a formula have the stored value, told once; without one the row is invalid where the cell counts', async () => {
    const formula = (value: string) => `<c><f>1+1</f>${value}</c>`
    const { records, summary } = await read(
      one(
        sheetOf(
          mandateCells(1, { 0: formula('<v>2</v>') }),
          mandateCells(2, { 4: formula('<v></v>') }),
          mandateCells(3, { 5: formula('') }),
          mandateCells(4, { 5: '<c t="str"><f>""</f><v></v></c>' }),
        ),
      ),
    )
    expect(
      records.map(({ verdict, findings }) => [verdict.kind, ...findings.map(({ rule }) => rule)]),
    ).toEqual([['sendable'], ['invalid', 'ROW_FORMULA_UNCOMPUTED'], ['sendable'], ['sendable']])
    expect(records[1]?.findings[0]?.message).toContain('It is cell E3.')
    expect(summary.findings).toMatchObject([{ rule: 'FILE_FORMULAS', severity: 'warning', value: '4' }])
  })

  test('of a formula without a value refuse a crosswalk or a list, whose line could name another', async () => {
    const list = one(rowsOf([['a'], ['<c><f>1+1</f></c>']]))
    const { rows } = await openList(list, ['a'])
    expect((await refusal(rows().next())).rule).toBe('ROW_FORMULA_UNCOMPUTED')
  })

  test('with an error, or merged below the header, refuse the file with their places', async () => {
    const reading = read(one(sheetOf(mandateCells(1, { 5: '<c t="e"><v>#REF!</v></c>' }))))
    await refused(reading, 'FILE_FORMAT', '1 cell with an error such as #REF! or #N/A: F2')
    const merged = (ref: string) =>
      one(`${sheetOf(mandateCells(1))}<mergeCells><mergeCell ref="${ref}"/></mergeCells>`)
    expect((await refusal(read(merged('A2:A3')))).message).toContain('merged cells below its header: A2:A3')
    expect((await read(merged('A1:B1'))).records).toHaveLength(1)
  })
})

describe('a sheet', () => {
  test('beside others of the same header is not read alone without a word', async () => {
    const nord = sheetOf(mandateCells(1))
    const other = rowsOf([HEADER_CELLS.toReversed(), mandateCells(2), mandateCells(3)])
    const sheets = {
      Nord: nord,
      Sued: `<sheetData><row r="2"/></sheetData>`,
      ...{ 'West*': sheetOf(mandateCells(4)), Notes: other, Header: sheetOf() },
    }
    const told = async (more: Record<string, string>) => {
      const path = workbookOf({ sheets: { ...sheets, ...more } })
      const { summary } = await read(path, 'source: { sheet: nord }')
      return summary.findings.map(
        ({ rule, severity, value, message }) => `${rule},${severity},${value},${message}`,
      )
    }
    expect(await told({})).toEqual([])
    const [left, ...more] = await told({ Sued: sheetOf(mandateCells(2), mandateCells(3)) })
    expect([left, more]).toEqual([expect.stringMatching(/^FILE_SHEET_LEFT_OUT,warning,Sued,/), []])
    expect(left).toContain('Its sheet "Sued" holds at least 2 records.')
    expect(await told({ Sued: '<sheetData><row r="x"/></sheetData>' })).toEqual([])
  })

  test('is the only one with data; where there are more they are listed, and one is named', async () => {
    const mandates = sheetOf(mandateCells(1))
    const sheets = { Empty: '<sheetData><row/></sheetData>', 'Mandate 2024': mandates }
    expect((await read(workbookOf({ sheets }))).summary.reading.sheet).toBe('Mandate 2024')
    const several = workbookOf({ sheets: { ...sheets, 'Old*': mandates } })
    await refused(read(several), 'FILE_SHEET_UNCLEAR', '2 sheets with data: "Mandate 2024", "Old" (hidden)')
    expect((await read(several, 'source: { sheet: old }')).records).toHaveLength(1)
    const missing = await refusal(read(several, 'source: { sheet: New }'))
    expect(missing.message).toContain('it has no sheet "New"')
    expect((await refusal(read(workbookOf({ sheets: { Empty: '' } })))).rule).toBe('FILE_EMPTY')
    const unseen = workbookOf({ sheets: { Cover: '', 'Old*': sheetOf(mandateCells(1)) } })
    await refused(read(unseen), 'FILE_SHEET_UNCLEAR', 'it has 1 sheet with data: "Old" (hidden)')
    expect((await read(unseen, 'source: { sheet: old }')).records).toHaveLength(1)
    expect((await refusal(inspectSource(unseen, { today: AS_OF }))).rule).toBe('FILE_SHEET_UNCLEAR')
  })

  test('has its rows by their numbers, the blank ones counted, lines before and behind left out', async () => {
    const row = (line: number, cells: readonly string[]) =>
      rowsOf([cells])
        .replace('<row>', `<row r="${line}">`)
        .replace(/<\/?sheetData>/g, '')
    const path = one(
      `<sheetData>${row(1, ['Mandates of 2024'])}${row(3, HEADER_CELLS)}${row(5, mandateCells(1))}${row(9, mandateCells(2))}${row(10, ['', '', 'total'])}</sheetData>`,
    )
    const { records, summary } = await read(path, 'source: { skipLines: 2, skipFooterLines: 1 }')
    expect(records.map(({ line }) => line)).toEqual([5, 9])
    expect(summary).toMatchObject({ records: 2, blankLines: 4, reading: { headerLine: 3 } })
    expect(summary.reading.leftOut).toEqual({ beforeHeader: ['Mandates of 2024'], atEnd: ['total'] })
    const inspection = await inspectSource(path, { today: AS_OF })
    expect(inspection).toMatchObject({ sheet: { value: 'Mandate' }, headerLine: 3, preamble: { lines: 2 } })
  })

  const HIDING = { 'hidden="1"': 'hidden="true"', 'ht="0" customHeight="1"': 'width="0" customWidth="1"' }
  test.each(Object.entries(HIDING))(
    'with hidden rows (%s) and columns (%s) asks first',
    async (row, column) => {
      const rows = sheetOf(mandateCells(1), mandateCells(2), mandateCells(3))
      const hiding = rows.replace('<row><c><v>2</v>', `<row ${row}><c><v>2</v>`)
      const path = one(`<sheetPr filterMode="1"/><cols><col min="6" max="7" ${column}/></cols>${hiding}`)
      await refused(read(path), 'FILE_HIDDEN', '1 row hidden (a filter is on), 1 column hidden')
      const counted = await read(path, 'source: { hidden: read }')
      expect(counted.records.map(({ cells }) => cells[5])).toEqual(['x', 'x', 'x'])
      expect(counted.summary.reading.hidden).toMatchObject({ decided: 'read' })
      const skipped = await read(path, 'source: { hidden: skip }')
      expect(skipped.records.map(({ values }) => values.customerNo)).toEqual([1, 3])
      // Their cells may say which mandates have ended, so they stay; no field takes one by its usual name.
      expect(skipped.opened.header).toEqual(HEADER_CELLS)
      expect(await draftOf(path)).toContain('# hidden:    # EDIT: 1 row hidden (a filter is on), 1 col')
    },
  )

  const STRUCK = {
    parts: {
      'xl/styles.xml':
        '<styleSheet><fonts><font/><font><b/><strike/></font><font><strike val="0"/></font></fonts><cellXfs><xf fontId="0"/><xf fontId="1"/><xf fontId="2"/></cellXfs><dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>',
    },
  }
  const noteOn = (ref: string, text: string, target = '../comments1.xml'): Partial<WorkbookParts> => ({
    parts: {
      'xl/worksheets/_rels/sheet0.xml.rels': `<Relationships><Relationship Id="r" Type="http://x/comments" Target="${target}"/></Relationships>`,
      'xl/comments1.xml': `<comments><authors><author>A</author></authors><commentList><comment ref="${ref}"><text><r><t>${text}</t></r></text></comment></commentList></comments>`,
    },
  })
  const styled = (style: number) =>
    sheetOf(mandateCells(1), mandateCells(2, { 5: `<c s="${style}"><v>7</v></c>` }), mandateCells(3))
  const plain = styled(0)
  test.each([
    ['1 row struck through', styled(1), STRUCK],
    ['1 row with a note', plain, noteOn('B3', 'Mandat gekündigt')],
    [
      '1 row hidden, 1 row struck through',
      styled(1).replace('<row><c><v>2<', `<row hidden="1"><c><v>2<`),
      STRUCK,
    ],
  ])('with %s asks once what that means', async (what, sheet, parts) => {
    const path = one(sheet, parts)
    await refused(read(path), 'FILE_HIDDEN', `its sheet "Mandate" has ${what}`)
    const counted = await read(path, 'source: { hidden: read }')
    expect(counted.records).toHaveLength(3)
    const told = { rule: 'FILE_HIDDEN', severity: 'warning', value: what }
    expect(counted.summary.findings).toContainEqual(expect.objectContaining(told))
    const { records, summary } = await read(path, 'source: { hidden: skip }')
    expect(records.map(({ values }) => values.customerNo)).toEqual([1, 3])
    expect(summary.reading.hidden).toEqual({ what, decided: 'skip' })
    expect(readAsTexts(summary.reading)).toEqual([`left out, as source.hidden says: ${what}`])
    expect(await draftOf(path)).toContain(`EDIT: ${what};`)
  })

  test.each([
    ['a struck format of a condition, and one taken back', styled(2), STRUCK],
    ['a note in the header', plain, noteOn('B1', 'as of 2026')],
    ['an empty note', plain, noteOn('B3', ' ')],
    ['a note of nothing', plain, noteOn('B3', 'x', 'missing.xml')],
  ])('asks nothing about %s', async (_, sheet, parts) =>
    expect((await read(one(sheet, parts))).records).toHaveLength(3),
  )

  test('that are skipped feed no field that does not name them, and are asked about like others', async () => {
    const hiding = (name: string, cells: readonly string[], more: Partial<WorkbookParts> = {}): string =>
      one(
        `<cols><col min="6" max="6" hidden="1"/></cols>${rowsOf([
          [...HEADER_CELLS.slice(0, 5), name],
          ...cells.map((cell, at) => mandateCells(at + 1, { 5: cell })),
          ['', '', '', '', '', 'below the mandates'],
        ])}`,
        more,
      )
    const skip = 'source: { hidden: skip }'
    const ended = hiding('Status', ['aktiv', 'gekündigt'])
    const told = 'Column "Status" looks like status: gekündigt 1'
    await refused(read(ended, skip), 'FILE_COLUMN_UNDECIDED', told)
    const kinds = async (yaml: string) => (await read(ended, yaml)).records.map(({ verdict }) => verdict.kind)
    expect(await kinds(`${skip}\ncolumns: { status: Status }`)).toEqual(['sendable', 'excluded'])
    expect(await kinds('source: { hidden: skip, ignoreColumns: [Status] }')).toEqual(['sendable', 'sendable'])
    expect(await kinds(`${skip}\ncolumns: { status: none }`)).toEqual(['sendable', 'sendable'])

    const twice = hiding('IBAN', ['DE00', 'DE00'])
    const named = await read(twice, `${skip}\ncolumns: { iban: IBAN }`)
    expect(named.records.map(({ values }) => values.iban)).toEqual(Array(2).fill('DE89370400440532013000'))
    expect((await read(twice, skip)).records).toMatchObject(named.records.map(({ values }) => ({ values })))
    const drafted = await inspectSource(twice, { today: AS_OF, options: optionsOf(skip) })
    expect(drafted.columns[5]).toMatchObject({ name: '', field: null, values: [] })
  })

  test('of a list that this program wrote is read whole, whatever a person filtered', async () => {
    const rows = rowsOf([
      ['migration_row', 'migration_state', ...HEADER_CELLS],
      ['7', 'invalid', ...mandateCells(1)],
    ]).replace(
      '<row><c t="inlineStr"><is><t xml:space="preserve">7',
      '<row hidden="1"><c t="inlineStr"><is><t>7',
    )
    const { opened, records } = await read(one(rows), 'source: { hidden: skip, skipLines: 1 }')
    expect(opened.isResultFile).toBe(true)
    expect(records).toMatchObject([{ corrects: 7 }])
  })

  const listOf = (...cells: Parameters<typeof rowsOf>[0]) =>
    rowsOf([['migration_row', 'migration_state', ...HEADER_CELLS], ...cells])

  test.each([
    ['1 row struck through', STRUCK, `<c s="1"><v>7</v></c>`],
    ['1 row with a note', noteOn('B2', 'has died'), 'invalid'],
  ])(
    'of a list that this program wrote says in its columns what a person wants: %s',
    async (what, parts, state) => {
      const path = one(listOf(['7', state, ...mandateCells(1)]), parts)
      await refused(read(path), 'FILE_HIDDEN', `its sheet "Mandate" has ${what}`)
    },
  )

  test('of a list that this program wrote has nothing behind its columns', async () => {
    const { records } = await read(one(listOf(['7', 'invalid', ...mandateCells(1), '', 'asked twice'])))
    expect(records).toMatchObject([{ corrects: 7, values: { customerNo: 1 } }])
  })

  test('reads the same from a stream, and its hash is that of the file', async () => {
    const bytes = workbookBytes({ sheets: { S: sheetOf(mandateCells(1)) } })
    const stream = { name: 'standard input', stream: Readable.from([bytes.slice(0, 100), bytes.slice(100)]) }
    const [piped, file] = [await readAll(stream), await readAll(fileOf(bytes))]
    expect(piped.records).toEqual(file.records)
    expect(piped.opened.sha256).toBe(file.summary.sha256)
  })
})

const SEED = 20_261_123
const text = fc.string({ unit: fc.constantFrom(...Array.from('aZ09/ -_x&<"\'é€\n')), maxLength: 12 })
const rowCells = fc.record({
  customer: fc.constantFrom('7', '0', '', '08', 'K-1'),
  iban: fc.constantFrom(
    'DE89370400440532013000',
    'DE00370400440532013000',
    ' de89 3704 0044 0532 0130 00',
    '',
  ),
  day: fc.constantFrom('2024-03-01', '2031-01-01', '', '01.03.2024'),
  creditor: fc.constantFrom('DE98ZZZ09999999999', 'DE98', ''),
  reference: text,
  note: text,
})

/** How a program might write the cell: as text or, where that shows the same, as a number or a day. */
const written = (value: string, isTyped: boolean, at: number): string => {
  if (isTyped && at === 0 && /^[1-9][0-9]*$/.test(value)) return `<c><v>${value}</v></c>`
  if (isTyped && at === 0 && value === '08') return '<c s="2"><v>8</v></c>'
  if (isTyped && at === 2 && value === '2024-03-01') return '<c s="1"><v>45352</v></c>'
  return value === '' ? '<c/>' : textCell(value)
}

test(`the same rows get the same verdicts from CSV and from a workbook (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(rowCells, fc.boolean()), { minLength: 1, maxLength: 5 }),
      async (drawn) => {
        const rows = drawn.map(([row]) => Object.values(row))
        const yaml = 'source: { multilineColumns: [note, unique_mandate_reference] }'
        const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`
        const csv = [HEADER_CELLS, ...rows].map((cells) => cells.map(quoted).join(','))
        const sheet = rowsOf([
          HEADER_CELLS,
          ...drawn.map(([row, isTyped]) => Object.values(row).map((cell, at) => written(cell, isTyped, at))),
        ])
        const [fromText, fromSheet] = [
          await readText(`${csv.join('\n')}\n`, yaml, CHECK),
          await read(workbookOf({ sheets: { S: sheet }, formats: [14, '00'] }), yaml),
        ]
        const verdicts = ({ records }: typeof fromText) =>
          records.map((record) => [record.verdict.kind, record.values, rulesOf(record)])
        expect(verdicts(fromSheet)).toEqual(verdicts(fromText))
      },
    ),
    { seed: SEED, numRuns: Number(process.env['READING_SEEDS'] ?? 60) },
  )
})
