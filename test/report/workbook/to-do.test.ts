import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readDecision } from '../../../src/decisions/read-decisions.js'
import { type ReportOptions, writeReport } from '../../../src/report/pack/pack.js'
import { DECISION_WORDS } from '../../../src/domain/row/list-columns.js'
import { openLists } from '../../../src/source/list.js'
import { freshFolder } from '../../support/folder.js'
import { openWork } from '../../support/work.js'
import { problemOf, readerOf, rowOf } from '../ledger-value.js'

/** Cells that a spreadsheet would make something else of. */
const AWKWARD = ['007', '=1+1', '-17', ' two\nlines\r\nand\ttab ', '_x0041_ & <b>"', '\u0001å\u202E', 'TRUE']
let folder = ''
const at = (name = 'to-do.xlsx'): string => join(folder, 'to-do', name)
beforeEach(() => void (folder = freshFolder()))

const inState = (state: string, id: number, awkward: string) => {
  const row = rowOf(id, { state } as Partial<ReturnType<typeof rowOf>>)
  return { ...row, cells: (row.cells ?? []).map((cell, n) => (n === 0 ? awkward : cell)) }
}
const write = (states: readonly string[], more: Partial<ReportOptions> = {}) => {
  const rows = states.flatMap((state, s) =>
    AWKWARD.map((awkward, n) => inState(state, 1 + s * AWKWARD.length + n, awkward)),
  )
  return writeReport(readerOf({ rows }), { out: folder, ...more })
}
const listed = async (file: string) => {
  const lists = await openLists(() => file, [])
  const sheets: { sheet: string | undefined; cells: (string | undefined)[] }[] = []
  for (const list of lists) {
    const cells: (string | undefined)[] = []
    for await (const row of list.rows()) cells.push(row.cells('customer_no')[0])
    sheets.push({ sheet: list.sheet, cells })
  }
  return sheets
}

describe('to-do.xlsx', () => {
  it('has a sheet for each list with rows, and its cells come back as they stand in the export', async () => {
    await write(['in_doubt', 'invalid', 'refused', 'registered'])
    const sheets = ['In doubt', 'Corrections', 'Refused']
    expect(await listed(at())).toEqual(sheets.map((sheet) => ({ sheet, cells: AWKWARD })))
  })

  it('is not there where nothing is open, and lies among the lists where it is', async () => {
    const closed = await write(['registered', 'duplicate'])
    expect(closed.toDo?.files.map(({ name }) => name)).not.toContain('to-do.xlsx')
    const { toDo } = await write(['conflict'])
    expect(toDo?.files.map(({ name }) => name)).toContain('to-do.xlsx')
    expect(openWork(at()).names).toEqual(['Corrections'])
  })

  it.each([
    ['In doubt', 'in_doubt', 'inDoubt', /^migration_(?:decision|reason|by|assigned_.*)$/],
    ['Corrections', 'invalid', 'corrections', /^(?!migration_)|^migration_(?:decision|reason|by)$/],
    ['Refused', 'refused', 'refused', /^(?!migration_)|^migration_(?:decision|reason|by)$/],
  ] as const)('%s: only what is to be edited is unlocked', async (sheet, state, words, edited) => {
    await write([state])
    const work = openWork(at())
    const [xml, header] = [work.xml(sheet), work.header(sheet)]
    const formats = work.styles().split('<cellXfs')[1]?.split('<xf ').slice(1) ?? []
    expect(formats.map((format) => format.includes('locked="0"'))).toEqual(formats.map((_, n) => n > 5))
    expect(formats[6]).toContain('numFmtId="49"')
    const [, , first = ''] = xml.match(/<row.*?<\/row>/gs) ?? []
    const cells = first.match(/<c(?: [^>]*?)?(?:\/>|>.*?<\/c>)/gs) ?? []
    const open = header.filter((_, n) => cells[n]?.startsWith('<c s="6"'))
    expect(open).toEqual(header.filter((name) => edited.test(name)))
    expect(cells.join('')).not.toMatch(/<v>|<f>/)
    const numbers = [...xml.matchAll(/<col min="(\d+)"[^>]* hidden="1"/g)]
    const hidden = numbers.map(([, n]) => header[Number(n) - 1])
    const marks = ['row', 'state', 'rule', 'status', 'ledger', 'attempt'].map((name) => `migration_${name}`)
    expect(hidden).toEqual(marks)
    expect(header.slice(-marks.length)).toEqual(marks)
    expect(header.slice(0, 2)).toEqual(['migration_message', 'migration_remedy'])
    expect(work.headings(sheet).slice(0, 2)).toEqual(['What is wrong', 'What to do'])
    expect(work.headings(sheet).join()).toContain('Your decision,Your reason,Your name')
    expect(xml.match(/<row hidden="1">/g)).toHaveLength(1)
    expect(xml).toContain(`<formula1>"${DECISION_WORDS[words].join(',')}"</formula1>`)
    // In this order, or a spreadsheet calls it damaged.
    expect(xml).toMatch(/<\/sheetData><sheetProtection .*<autoFilter .*<dataValidations .*<pageMargins/s)
    expect(xml).not.toContain('password')
  })

  it('begins with four sentences, and has a red cell where a value is wrong', async () => {
    const rows = [1, 2].map((id) => rowOf(id, { state: 'invalid' }))
    const problems = [problemOf({ rowId: 2, column: 'signed_date' })]
    await writeReport(readerOf({ rows, problems }), { out: folder })
    const work = openWork(at())
    expect(work.readMe()).toHaveLength(5)
    const red = work.xml('Corrections').match(/<c s="7"[^]*?<\/c>/g)
    expect(red?.map((cell) => /<t[^>]*>(.*?)<\/t>/.exec(cell)?.[1])).toEqual(['2020-02-29'])
    expect(work.styles().match(/<fill>/g)).toHaveLength(5)
  })

  it('offers words that are read', () => {
    for (const word of DECISION_WORDS.inDoubt) expect(readDecision(word)).toBe(word.replace('-', '_'))
    expect(DECISION_WORDS.corrections).toEqual(['send', 'written-off'])
    // The word does nothing for a row that was refused.
    expect(DECISION_WORDS.refused.map(readDecision)).toEqual(['written_off'])
  })

  it('is the same in every language, byte for byte', async () => {
    await write(['invalid', 'in_doubt'])
    const bytes = readFileSync(at())
    await write(['invalid', 'in_doubt'], { out: join(folder, 'de'), language: 'de' })
    expect(readFileSync(join(folder, 'de', 'to-do', 'to-do.xlsx')).equals(bytes)).toBe(true)
  })
})
