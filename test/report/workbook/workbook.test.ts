import { describe, expect, it } from 'vitest'
import { EDGES } from '../../../src/domain/row/row-state.js'
import type { ApprovalRecord } from '../../../src/ledger/read/reader.js'
import { openPackFolder } from '../../../src/report/pack/pack-folder.js'
import { openWorkbook, WORKBOOK_FILE, WORKBOOK_LIMITS } from '../../../src/report/workbook/workbook.js'
import { planOf } from '../../ledger/plan/plan-document.js'
import { freshFolder } from '../../support/folder.js'
import {
  attemptOf,
  decisionOf,
  IBAN,
  keptSource,
  NO_RECORDS,
  problemOf,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  verifiedRow,
  type LedgerValue,
} from '../ledger-value.js'
import { sheetsOf, unzipped } from '../unzipped.js'
import { workbookOf } from '../workbook-value.js'

const texts = (rows: { type: string; value: string }[][] | undefined): string[] =>
  (rows ?? []).flat().map((cell) => cell.value)

const ofRows = (rows: LedgerValue['rows']): LedgerValue => ({
  ...NO_RECORDS,
  sources: [sourceOf({ records: rows.length })],
  rows,
})

/** How the exchanges of a run ended, each with a count of its own; an outcome that is not shown would be missed. */
const ATTEMPTS = Object.fromEntries(
  [...Object.keys(EDGES.sending), 'open'].map((outcome, index) => [outcome, 41 + index]),
) as ReturnType<typeof runOf>['attempts']

describe('the workbook', () => {
  it('has a filter over each list and prints each sheet one page across', async () => {
    const workbook = await workbookOf(ofRows([registeredRow(1), registeredRow(2), registeredRow(3)]))
    const files = unzipped(workbook)
    const sheetNames = [...sheetsOf(workbook).keys()]
    const xmlOf = (sheet: string): string =>
      files.get(`xl/worksheets/sheet${sheetNames.indexOf(sheet) + 1}.xml`)?.text ?? ''

    // Three rows behind title and header, in 12 columns.
    expect(xmlOf('Registered')).toContain('</sheetData><autoFilter ref="A2:L5"/>')
    expect(xmlOf('Refused')).toContain('<autoFilter ref="A2:M2"/>')
    expect(xmlOf('Summary')).not.toContain('autoFilter')
    for (const sheet of sheetNames) {
      expect(xmlOf(sheet)).toMatch(/<worksheet[^>]*><sheetPr><pageSetUpPr fitToPage="1"\/><\/sheetPr>/)
      expect(xmlOf(sheet).match(/<pageSetup /g)).toHaveLength(1)
      expect(xmlOf(sheet)).toMatch(/<pageSetup [^>]*fitToWidth="1" fitToHeight="0"\/><\/worksheet>/)
    }
  })

  it('has a sheet for each list', async () => {
    const sheets = sheetsOf(await workbookOf(ofRows([registeredRow(1)])))

    expect([...sheets.keys()]).toEqual([
      'Summary',
      'In doubt',
      'Refused',
      'To correct',
      'Not sent',
      'Registered',
      'Closed',
      'Problems',
      'Decisions',
      'Sources',
      'Runs',
      'Columns',
    ])
    expect(texts(sheets.get('Summary')).join()).toContain('Balanced,yes')
  })

  it('keeps identifiers as text, exactly, also those a spreadsheet would run or take for a number', async () => {
    const references = [
      '00012345678901234567',
      '=1+1',
      '-17',
      '3E5',
      '1-2',
      "'x",
      'constructor',
      '__proto__',
      'a<b>&"c"',
    ]
    const rows = references.map((reference, index) =>
      registeredRow(index + 1, { customerNo: 9007199254740991, originalMandateReference: reference }),
    )

    const listed =
      sheetsOf(await workbookOf(ofRows(rows)))
        .get('Registered')
        ?.slice(2) ?? []

    expect(listed.map((cells) => cells[5])).toEqual(references.map((value) => ({ type: 's', value })))
    expect(listed.map((cells) => cells[1])).toEqual(
      references.map(() => ({ type: 's', value: '9007199254740991' })),
    )
  })

  it('says above the rows in doubt how many are proposed to be sent again', async () => {
    const at = '2026-06-15T10:00:00.000Z'
    const asked = {
      firstAskedAt: at,
      firstAnsweredAt: at,
      lastAskedAt: '2026-06-16T12:00:00.000Z',
      questions: 2,
      present: 3,
    }
    const shown = [
      { rowId: 1, runId: 1, sentAt: at, wasEverShown: false, shown: { kind: 'nothing', ...asked } as const },
    ]
    const value = ofRows([rowOf(1, { state: 'in_doubt', lastAttempt: attemptOf() })])
    const title = async (of: LedgerValue) => texts(sheetsOf(await workbookOf(of)).get('In doubt'))[0]
    expect(await title(value)).toBe('In doubt: 1')
    expect(await title({ ...value, shown })).toBe(
      'In doubt: 1. Read back as absent for long enough: 1. to-do/in-doubt.csv proposes resend with the evidence, for a person to decide.',
    )
  })

  it('holds no formula and no full account number', async () => {
    const lastAttempt = attemptOf({ outcome: 'refused', message: `=cmd|'${IBAN}'!A0`, answer: IBAN })
    const rows = [rowOf(1, { state: 'refused', lastAttempt }), rowOf(2, { state: 'in_doubt', lastAttempt })]

    const workbook = await workbookOf(ofRows(rows))

    const xml = [...unzipped(workbook).values()].map((file) => file.text).join('')
    expect(xml).not.toContain(IBAN)
    expect(xml).not.toContain('<f>')
    expect(texts(sheetsOf(workbook).get('Refused'))).toContain("=cmd|'DE…3000'!A0")
  })

  it('lists every row, problem and decision, however many there are', async () => {
    const states = ['registered', 'refused', 'in_doubt', 'invalid', 'ready', 'written_off'] as const
    const ids = Array.from({ length: 15_000 }, (_, index) => index + 1)
    const rows = ids.map((id) => {
      const state = states[id % states.length] ?? 'ready'
      return state === 'registered' ? registeredRow(id) : rowOf(id, { state, rule: 'IBAN_CHECKSUM' })
    })
    const value = {
      ...ofRows(rows),
      problems: ids.slice(0, 3_000).map((id) => problemOf({ id, rowId: null, record: id })),
      decisions: ids.slice(0, 2_500).map((id) => decisionOf({ id, rowId: id, reason: `reason ${id}` })),
      verified: ids.slice(0, 2_400).map((id) => verifiedRow(id, { verdict: 'absent', sources: [] })),
    }

    const sheets = sheetsOf(await workbookOf(value))

    const idsOf = (sheet: string): number[] =>
      (sheets.get(sheet) ?? []).slice(2).map(([id]) => Number(id?.value))
    const lists = ['Registered', 'Refused', 'In doubt', 'To correct', 'Not sent', 'Closed']
    for (const [index, sheet] of lists.entries()) {
      expect(idsOf(sheet), sheet).toEqual(ids.filter((id) => id % states.length === index))
      expect(sheets.get(sheet)?.[0]).toEqual([{ type: 's', value: `${sheet}: 2,500` }])
    }
    expect((sheets.get('Problems') ?? []).slice(2).map((cells) => Number(cells[1]?.value))).toEqual(
      ids.slice(0, 3_000),
    )
    expect(idsOf('Decisions')).toEqual(ids.slice(0, 2_500))
    expect(idsOf('Verification')).toEqual(ids.slice(0, 2_400))
  })

  it('goes on on a next sheet where one is full, with titles that say which rows it holds', async () => {
    const rows = Array.from({ length: 25 }, (_, index) => registeredRow(index + 1))
    const workbook = await workbookOf(ofRows(rows), { ...WORKBOOK_LIMITS, sheetEntries: 10 })

    const sheets = sheetsOf(workbook)
    const names = ['Registered', 'Registered (2)', 'Registered (3)']
    expect([...sheets.keys()].filter((name) => name.startsWith('Registered'))).toEqual(names)
    expect(names.map((name) => sheets.get(name)?.[0]?.[0]?.value)).toEqual([
      'Registered: 1 – 10 / 25',
      'Registered: 11 – 20 / 25',
      'Registered: 21 – 25 / 25',
    ])
    expect(
      names.flatMap((name) => (sheets.get(name) ?? []).slice(2).map(([id]) => Number(id?.value))),
    ).toEqual(rows.map(({ id }) => id))
    const files = unzipped(workbook)
    for (const [index, last] of [12, 12, 7].entries()) {
      const at = [...sheets.keys()].indexOf(names[index] ?? '')
      const xml = files.get(`xl/worksheets/sheet${at + 1}.xml`)?.text
      expect(xml).toContain(`</sheetData><autoFilter ref="A2:L${last}"/>`)
      expect(xml).toContain('<pane ySplit="2" topLeftCell="A3"')
      expect(sheets.get(names[index] ?? '')?.[1]?.[0]?.value).toBe('Row')
      expect(files.get('xl/workbook.xml')?.text).toContain(
        `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">'${names[index] ?? ''}'!$1:$2<`,
      )
    }
  })

  it('goes on on a next sheet too where one has as many bytes as an archive can name', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => registeredRow(index + 1))
    const limits = { ...WORKBOOK_LIMITS, sheetBytes: 1_000_000 }
    const sheets = [...sheetsOf(await workbookOf(ofRows(rows), limits))].filter(([name]) =>
      name.startsWith('Regist'),
    )
    expect(sheets.length).toBeGreaterThan(1)
    const listed = sheets.flatMap(([, cells]) => cells.slice(2).map(([id]) => Number(id?.value)))
    expect(listed).toEqual(rows.map(({ id }) => id))
  })

  it('says where all rows are when an archive can hold no more', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => registeredRow(index + 1))
    const limits = { ...WORKBOOK_LIMITS, sheetEntries: 1_000, archiveBytes: 300_000 }
    const sheets = sheetsOf(await workbookOf(ofRows(rows), limits))
    const titles = ['Registered', 'Registered (2)', 'Registered (3)'].map(
      (name) => sheets.get(name)?.[0]?.[0]?.value,
    )
    expect(titles).toEqual([
      'Registered: 0 / 3,000. A workbook cannot hold more. All are in registered.csv.',
      'Registered: 0 / 3,000. A workbook cannot hold more. All are in registered.csv.',
      'Registered: 0 / 3,000. A workbook cannot hold more. All are in registered.csv.',
    ])
    expect(sheets.get('Registered (3)')).toHaveLength(2)
    expect(sheets.get('Columns')?.length).toBeGreaterThan(10)
  })

  it('stops the report and names the file when it breaks in the middle', async () => {
    const folder = await openPackFolder(freshFolder(), [WORKBOOK_FILE])
    try {
      const cause = new Error('broken')
      const workbook = openWorkbook({ ...folder, scratch: () => Promise.reject(cause) })
      const fill = async (): Promise<void> => {
        for (let id = 1; id <= 2_000; id += 1) workbook.registered(registeredRow(id))
        await workbook.drain()
      }
      await expect(fill()).rejects.toMatchObject({ message: 'reconciliation.xlsx cannot be written', cause })
    } finally {
      await folder.discard()
    }
  })

  it('lists what is not proven at the service, and has no sheet for it where nobody asked', async () => {
    const value = {
      ...NO_RECORDS,
      sources: [sourceOf({ records: 2 })],
      rows: [registeredRow(1), registeredRow(2)],
    }
    const verified = [
      verifiedRow(1),
      verifiedRow(2, {
        verdict: 'twice' as const,
        sources: [keptSource('ps-2', { reference: 'NEW-2' }), keptSource('=ps', { reference: 'X' })],
        cancellable: ['=ps'],
      }),
    ]
    expect([...sheetsOf(await workbookOf(value)).keys()]).not.toContain('Verification')
    const sheets = sheetsOf(await workbookOf({ ...value, verified }))
    const sheet = sheets.get('Verification')
    expect([...sheets.keys()].slice(0, 3)).toEqual(['Summary', 'Verification', 'In doubt'])
    expect(sheet).toHaveLength(3)
    expect(texts(sheet)).toContain('Not proven at the service: 1')
    expect(texts(sheet)).toContain('ps-2 =ps')
    expect(texts(sheets.get('Summary'))).toContain(
      'Proven at the service: 1 of 2 registered mandates (15 June 2026 11:00:00 – 15 June 2026 11:00:00); twice: 1; not asked: 0.',
    )
  })

  it('has a line for each approval of a plan, and no sheet for them where nobody planned', async () => {
    const document = planOf()
    const approval: ApprovalRecord = {
      id: 1,
      approvedAt: '2026-06-15T09:00:00.000Z',
      approvedBy: 'Grace',
      recordedAs: 'ada',
      expiresAt: '2026-06-18T09:00:00.000Z',
      reference: null,
      signature: 'x',
      key: 'ab'.repeat(32),
    }
    const again = {
      ...approval,
      id: 2,
      recordedAs: null,
      key: null,
      signature: null,
      reference: `mail of ${IBAN}`,
    }
    const { digest, plannedAt, plannedBy, plannedAs } = document
    const planned = { digest, plannedAt, plannedBy, plannedAs, lastDecision: 0, document, text: '' }
    const other = 'f'.repeat(64)
    const plans = [
      { id: 1, ...planned, approvals: [approval, again] },
      { id: 2, ...planned, digest: other, approvals: [] },
    ]
    const runs = [1, 2, 3].map((id) => runOf({ id, settings: id === 2 ? {} : { plan: digest } }))

    const sheets = sheetsOf(await workbookOf({ ...NO_RECORDS, plans, runs }))

    const lines = (sheets.get('Plans') ?? []).map((cells) => cells.map(({ value }) => value))
    expect(lines[0]).toEqual(['Plans: 3'])
    const [one, two, three] = lines.slice(2)
    const start = [digest, plannedAt, 'Ada', 'ada', '3', approval.approvedAt]
    const end = [approval.expiresAt, '1, 3']
    expect(one).toEqual([...start, 'Grace', approval.key, '', 'ada', ...end])
    expect(two).toEqual([...start, 'Grace', '', 'mail of DE…3000', '', ...end])
    expect(three).toEqual([other, plannedAt, 'Ada', 'ada', '3', ...Array.from({ length: 7 }, () => '')])
    expect([...sheets.keys()].slice(-4)).toEqual(['Sources', 'Plans', 'Runs', 'Columns'])
    expect([...sheetsOf(await workbookOf({ ...NO_RECORDS, runs })).keys()]).not.toContain('Plans')
  })

  it('carries no time of its own', async () => {
    const workbook = await workbookOf(NO_RECORDS)

    for (const [name, { dosDate, dosTime }] of unzipped(workbook)) {
      expect({ name, dosDate, dosTime }).toEqual({ name, dosDate: 0x21, dosTime: 0 })
    }
  })

  it('11.6 counts every outcome of a run', async () => {
    const value = { ...NO_RECORDS, runs: [runOf({ attempts: ATTEMPTS })] }
    const sheet = texts(sheetsOf(await workbookOf(value)).get('Runs'))
    expect(Object.values(ATTEMPTS).filter((count) => !sheet.includes(String(count)))).toEqual([])
  })
})
