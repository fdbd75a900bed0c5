import { describe, expect, it } from 'vitest'
import { WORKBOOK_LIMITS } from '../../../src/report/workbook/workbook.js'
import {
  approvalOf,
  attemptOf,
  ATTEMPTS,
  decisionOf,
  IBAN,
  MAILED,
  many,
  plannedOf,
  problemOf,
  registeredRow,
  rowOf,
  runOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'
import { sheetsOf, unzipped, workbookOf } from '../workbook-value.js'

const texts = (rows: { type: string; value: string }[][] = []): string[] =>
  rows.flat().map((cell) => cell.value)
const sheetsWith = async (...of: Parameters<typeof workbookOf>) => sheetsOf(await workbookOf(...of))
type Sheets = Awaited<ReturnType<typeof sheetsWith>>
const titleOf = (sheets: Sheets, name: string): string | undefined => texts(sheets.get(name))[0]
/** Numbers in one column of a list, behind its title and its header. */
const idsIn = (sheets: Sheets, name: string, column = 0): number[] =>
  (sheets.get(name) ?? []).slice(2).map((cells) => Number(cells[column]?.value))
const registered = (count: number) => ({ rows: many(count, registeredRow) })

describe('the workbook', () => {
  it('has a sheet for each list, with a filter over it, and prints each one page across', async () => {
    const workbook = await workbookOf(registered(3))
    const [files, sheets] = [unzipped(workbook), sheetsOf(workbook)]
    const names = [...sheets.keys()]
    expect(names.join()).toBe(
      'Summary,In doubt,Refused,To correct,Not sent,Registered,Closed,Problems,Decisions,Sources,Runs,Columns',
    )
    expect(texts(sheets.get('Summary')).join()).toContain('Balanced,yes')
    const xmlOf = (sheet: string): string =>
      files.get(`xl/worksheets/sheet${names.indexOf(sheet) + 1}.xml`)?.text ?? ''
    // Three rows behind title and header, in 12 columns.
    expect(xmlOf('Registered')).toContain('</sheetData><autoFilter ref="A2:L5"/>')
    expect(xmlOf('Refused')).toContain('<autoFilter ref="A2:M2"/>')
    expect(xmlOf('Summary')).not.toContain('autoFilter')
    for (const sheet of names) {
      expect(xmlOf(sheet)).toMatch(/<worksheet[^>]*><sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr>/)
      expect(xmlOf(sheet).match(/<pageSetup /g)).toHaveLength(1)
      expect(xmlOf(sheet)).toMatch(/<pageSetup [^>]*fitToWidth="1" fitToHeight="0"\/><\/worksheet>/)
    }
  })

  it('keeps identifiers as text, exactly, also those a spreadsheet would run or take for a number', async () => {
    const awkward = ['00012345678901234567', '=1+1', '-17', '3E5', "'x", '__proto__', 'a<b>&"c"']
    const rows = awkward.map((originalMandateReference, at) =>
      registeredRow(at + 1, { customerNo: 9007199254740991, originalMandateReference }),
    )
    const listed = (await sheetsWith({ rows })).get('Registered')?.slice(2) ?? []
    expect(listed.map((cells) => cells[5])).toEqual(awkward.map((value) => ({ type: 's', value })))
    expect(listed[0]?.[1]).toEqual({ type: 's', value: '9007199254740991' })
  })

  it('says above the rows in doubt how many are proposed to be sent again', async () => {
    const at = '2026-06-15T10:00:00.000Z'
    const asked = { firstAskedAt: at, firstAnsweredAt: at, lastAskedAt: '2026-06-16T12:00:00.000Z' }
    const nothing = { kind: 'nothing', ...asked, questions: 2, present: 3 } as const
    const value = { rows: [rowOf(1, { state: 'in_doubt', lastAttempt: attemptOf() })] }
    const doubt = { wasEverShown: false, begunFor: 'this', shown: nothing } as const
    const shown = [{ rowId: 1, runId: 1, sentAt: at, ...doubt }]
    expect(titleOf(await sheetsWith(value), 'In doubt')).toBe('In doubt: 1')
    expect(titleOf(await sheetsWith({ ...value, shown }), 'In doubt')).toBe(
      'In doubt: 1. Read back as absent for long enough: 1. to-do/in-doubt.csv proposes resend with the evidence, for a person to decide.',
    )
  })

  it('holds no formula and no full account number', async () => {
    const lastAttempt = attemptOf({ outcome: 'refused', message: `=cmd|'${IBAN}'!A0`, answer: IBAN })
    const states = ['refused', 'in_doubt'] as const
    const rows = states.map((state, at) => rowOf(at + 1, { state, lastAttempt }))
    const workbook = await workbookOf({ rows })
    const xml = [...unzipped(workbook).values()].map((file) => file.text).join('')
    expect(xml).not.toContain(IBAN)
    expect(xml).not.toContain('<f>')
    expect(texts(sheetsOf(workbook).get('Refused'))).toContain("=cmd|'DE…3000'!A0")
  })

  it('lists every row, problem and decision, however many there are', async () => {
    const states = ['registered', 'refused', 'in_doubt', 'invalid', 'ready', 'written_off'] as const
    const ids = many(15_000, (id) => id)
    const rows = ids.map((id) => {
      const state = states[id % states.length]!
      return state === 'registered' ? registeredRow(id) : rowOf(id, { state, rule: 'IBAN_CHECKSUM' })
    })
    const problems = many(3_000, (id) => problemOf({ id, rowId: null, record: id }))
    const decisions = many(2_500, (id) => decisionOf({ id, rowId: id }))
    const verified = many(2_400, (id) => verifiedRow(id, { verdict: 'absent', sources: [] }))
    const sheets = await sheetsWith({ rows, problems, decisions, verified })
    const lists = ['Registered', 'Refused', 'In doubt', 'To correct', 'Not sent', 'Closed']
    for (const [index, sheet] of lists.entries()) {
      expect(idsIn(sheets, sheet), sheet).toEqual(ids.filter((id) => id % states.length === index))
      expect(titleOf(sheets, sheet)).toBe(`${sheet}: 2,500`)
    }
    expect(idsIn(sheets, 'Problems', 1)).toEqual(ids.slice(0, 3_000))
    expect(idsIn(sheets, 'Decisions')).toEqual(ids.slice(0, 2_500))
    expect(idsIn(sheets, 'Verification')).toEqual(ids.slice(0, 2_400))
  })

  it('goes on on a next sheet where one is full, with titles that say which rows it holds', async () => {
    const workbook = await workbookOf(registered(25), { ...WORKBOOK_LIMITS, sheetEntries: 10 })
    const [files, sheets] = [unzipped(workbook), sheetsOf(workbook)]
    const names = ['Registered', 'Registered (2)', 'Registered (3)']
    expect([...sheets.keys()].filter((name) => name.startsWith('Registered'))).toEqual(names)
    const spans = ['1 – 10', '11 – 20', '21 – 25'].map((span) => `Registered: ${span} / 25`)
    expect(names.map((name) => titleOf(sheets, name))).toEqual(spans)
    expect(names.flatMap((name) => idsIn(sheets, name))).toEqual(many(25, (id) => id))
    for (const [index, name] of names.entries()) {
      const at = [...sheets.keys()].indexOf(name)
      const xml = files.get(`xl/worksheets/sheet${at + 1}.xml`)?.text
      expect(xml).toContain(`</sheetData><autoFilter ref="A2:L${[12, 12, 7][index]!}"/>`)
      expect(xml).toContain('<pane ySplit="2" topLeftCell="A3"')
      expect(sheets.get(name)?.[1]?.[0]?.value).toBe('Row')
      expect(files.get('xl/workbook.xml')?.text).toContain(
        `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">'${name}'!$1:$2<`,
      )
    }
  })

  it('goes on on a next sheet too where one has as many bytes as an archive can name', async () => {
    const sheets = await sheetsWith(registered(5_000), { ...WORKBOOK_LIMITS, sheetBytes: 1_000_000 })
    const names = [...sheets.keys()].filter((name) => name.startsWith('Regist'))
    expect(names.length).toBeGreaterThan(1)
    expect(names.flatMap((name) => idsIn(sheets, name))).toEqual(many(5_000, (id) => id))
  })

  it('has a line for each approval of a plan, and no sheet for them where nobody planned', async () => {
    const approvals = [approvalOf(), approvalOf({ id: 2, recordedAs: null, ...MAILED })]
    const other = 'f'.repeat(64)
    const plans = [plannedOf({ approvals }), plannedOf({ id: 2, digest: other, approvals: [] })]
    const [{ digest, document }, { approvedAt, expiresAt, key }] = [plans[0]!, approvals[0]!]
    const runs = many(3, (id) => runOf({ id, settings: id === 2 ? {} : { plan: digest } }))
    const sheets = await sheetsWith({ plans, runs })
    const lines = (sheets.get('Plans') ?? []).map((cells) => cells.map(({ value }) => value))
    expect(lines[0]).toEqual(['Plans: 3'])
    const start = [document.plannedAt, 'Ada', 'ada', '3']
    expect(lines.slice(2)).toEqual([
      [digest, ...start, approvedAt, 'Grace', key, '', 'ada', expiresAt, '1, 3'],
      [digest, ...start, approvedAt, 'Grace', '', 'mail of DE…3000', '', expiresAt, '1, 3'],
      [other, ...start, ...many(7, () => '')],
    ])
    expect([...sheets.keys()].slice(-4)).toEqual(['Sources', 'Plans', 'Runs', 'Columns'])
    expect([...(await sheetsWith({ runs })).keys()]).not.toContain('Plans')
  })

  it('counts every outcome of a run', async () => {
    const value: LedgerValue = { runs: [runOf({ attempts: ATTEMPTS })] }
    const sheet = texts((await sheetsWith(value)).get('Runs'))
    expect(Object.values(ATTEMPTS).filter((count) => !sheet.includes(String(count)))).toEqual([])
  })
})
