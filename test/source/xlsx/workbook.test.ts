import { germanIban } from '../../support/export.js'
import { strToU8, unzipSync, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { SourceError } from '../../../src/errors.js'
import { generate } from '../../support/chance.js'
import { CHECK, fileOf, optionsOf, readAll, refusal } from '../../support/sources.js'
import { refused } from '../reading.js'
import { mandateCells, sheetOf, workbookBytes, workbookOf } from '../../support/workbook.js'

/** Workbooks that were damaged on the way, or made to exhaust a reader or to lead it elsewhere. */

const MIB = 1024 * 1024
const ROWS = Array.from({ length: 20 }, (_, index) => mandateCells(index + 1, { 1: germanIban(index + 1) }))
const SHARED = '<si><t>x</t></si>'
const SOUND = workbookBytes({ sheets: { Mandate: sheetOf(...ROWS) }, formats: [14], shared: SHARED })
const SHEET = 'xl/worksheets/sheet0.xml'
const ONE = sheetOf(mandateCells(1))
const within = (start: string, end = '') =>
  workbookOf({ sheets: { S: `${start}${sheetOf(mandateCells(1))}${end}` } })

describe('what is damaged', () => {
  const SEED = Number(process.env['READING_SEED'] ?? 20_261_123)
  const draws = Number(process.env['READING_SEEDS'] ?? 100)

  test(`in any byte is refused, or reads as it did (${draws} draws, seed ${SEED})`, async () => {
    const { records } = await readAll(fileOf(SOUND))
    const random = generate(SEED)
    let refused = 0
    for (let draw = 0; draw < draws; draw += 1) {
      const bytes = Buffer.from(SOUND)
      if (random() < 0.2) bytes.fill(0, Math.floor(random() * bytes.length))
      else bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8)
      const cut = random() < 0.3 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
      const outcome = await readAll(fileOf(cut)).catch((error: unknown) => error)
      if (outcome instanceof SourceError) refused += 1
      else expect(outcome, `draw ${draw}`).toMatchObject({ records })
    }
    expect(refused).toBeGreaterThan(draws / 2)
  })

  test(`in its XML is refused or read, and every row stays one of the sheet (${draws} draws, seed ${SEED})`, async () => {
    const random = generate(SEED + 1)
    const parts = unzipSync(SOUND)
    const sheet = Buffer.from(parts[SHEET]!).toString()
    const pieces = ['<', '>', '"', '</c>', '<row>', '<c r="A1">', '&#0;', '&x;', ']]>', '<v>1</v>', '\u0000']
    for (let draw = 0; draw < draws; draw += 1) {
      const at = Math.floor(random() * sheet.length)
      const drop = Math.floor(random() * 30)
      const piece = pieces[Math.floor(random() * pieces.length)]!
      const text = sheet.slice(0, at) + piece + sheet.slice(at + drop)
      const file = fileOf(zipSync({ ...parts, [SHEET]: strToU8(text) }))
      const outcome = await readAll(file).catch((error: unknown) => error)
      if (outcome instanceof SourceError) continue
      expect(outcome, `draw ${draw}`).not.toBeInstanceOf(Error)
    }
  })

  test.each([
    ['cells that go back', ONE.replace('<c t', '<c r="F1" t').replace('<c t', '<c r="A1" t')],
    ['rows that go back', ONE.replace('<row>', '<row r="9">').replace('<row>', '<row r="2">')],
    ['a shared text that is not there', sheetOf(mandateCells(1, { 4: '<c t="s"><v>7</v></c>' }))],
    ['a shared text without a number', sheetOf(mandateCells(1, { 4: '<c t="s"><v></v></c>' }))],
  ])('by %s is refused', async (_, xml) => {
    await refused(readAll(workbookOf({ sheets: { S: xml }, shared: '<si><t>x</t></si>' })), 'FILE_FORMAT')
  })

  test('by parts that lead elsewhere, or lead nowhere, is refused', async () => {
    const empty = { 'xl/workbook.xml': '<workbook><sheets/></workbook>' }
    const none = { '_rels/.rels': '<Relationships/>' }
    const external = {
      '_rels/.rels':
        '<Relationships><Relationship Id="1" Type="x/officeDocument" Target="http://localhost/x" TargetMode="External"/></Relationships>',
    }
    for (const parts of [empty, none, external])
      expect((await refusal(readAll(workbookOf({ sheets: { S: '' }, parts })))).rule).toBe('FILE_FORMAT')
  })
})

describe('what was made to exhaust', () => {
  test.each([
    ['entities', '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>', 'declares a document type'],
    ['an external entity', '<!DOCTYPE x SYSTEM "file:///etc/passwd">', 'declares a document type'],
  ])('%s in a part are refused unread', async (_, start, why) => {
    const parts = { [SHEET]: `${start}<worksheet>&b;</worksheet>` }
    expect((await refusal(readAll(workbookOf({ sheets: { S: '' }, parts })))).message).toContain(why)
  })

  test.each([
    ['depth', '<a>'.repeat(100_000), 'nested more than'],
    ['one text', `<a>${'x'.repeat(3 * MIB)}</a>`, 'too long'],
    ['one attribute', `<a b="${'x'.repeat(3 * MIB)}"/>`, 'too long'],
    ['one comment', `<!--${'x'.repeat(3 * MIB)}-->`, 'too long'],
  ])('%s is refused', async (_, start, why) =>
    expect((await refusal(readAll(within(start)))).message).toContain(why),
  )

  test.each([
    ['a sheet', SHEET, '<worksheet><sheetData>'],
    ['shared texts', 'xl/sharedStrings.xml', '<sst>'],
  ])('%s that unpacks to a thousand times its size is refused in little memory', async (_, part, start) => {
    const sound = unzipSync(workbookBytes({ sheets: { S: sheetOf(mandateCells(1)) }, shared: '' }))
    const bomb = strToU8(start + '<a/>'.repeat(9 * MIB))
    const file = fileOf(zipSync({ ...sound, [part]: bomb }))
    const before = process.memoryUsage().rss
    await refused(readAll(file), 'FILE_FORMAT', 'unpacks to more than can be believed')
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB)
  })

  test('rows and cells beyond the bounds are refused with what to do', async () => {
    const long = sheetOf(mandateCells(1, { 5: 'x'.repeat(9000) }))
    await refused(readAll(workbookOf({ sheets: { S: long } })), { rule: 'FILE_RECORD_TOO_LONG', line: 2 })
    const wide = sheetOf(mandateCells(1)).replace('<c t', '<c r="XFD1" t')
    const raised = optionsOf('limits: { fieldLength: 20000 }')
    const { rule } = await refusal(readAll(workbookOf({ sheets: { S: wide } }), raised, CHECK))
    expect(rule).toMatch(/^FILE_/)
    expect((await readAll(workbookOf({ sheets: { S: long } }), raised)).records).toHaveLength(1)
  })
})
