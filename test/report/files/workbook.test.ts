import { describe, expect, it } from 'vitest'
import { EDGES } from '../../../src/domain/row/row-state.js'
import { renderWorkbook } from '../../../src/report/files/workbook.js'
import { factsOf } from '../facts-value.js'
import {
  attemptOf,
  IBAN,
  keptSource,
  NO_RECORDS,
  registeredRow,
  rowOf,
  runOf,
  sourceOf,
  verifiedRow,
} from '../ledger-value.js'
import { sheetsOf, unzipped } from '../unzipped.js'

const texts = (rows: { type: string; value: string }[][] | undefined): string[] =>
  (rows ?? []).flat().map((cell) => cell.value)

/** How the exchanges of a run ended, each with a count of its own; an outcome that is not shown would be missed. */
const ATTEMPTS = Object.fromEntries(
  [...Object.keys(EDGES.sending), 'open'].map((outcome, index) => [outcome, 41 + index]),
) as ReturnType<typeof runOf>['attempts']

describe('the workbook', () => {
  it('has a filter over each list and prints each sheet one page across', async () => {
    const facts = await factsOf({
      ...NO_RECORDS,
      sources: [sourceOf({ records: 3 })],
      rows: [registeredRow(1), registeredRow(2), registeredRow(3)],
    })
    const files = unzipped(await renderWorkbook(facts))
    const sheetNames = [...sheetsOf(await renderWorkbook(facts)).keys()]
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
    const facts = await factsOf({
      ...NO_RECORDS,
      sources: [sourceOf({ records: 1 })],
      rows: [registeredRow(1)],
    })

    const sheets = sheetsOf(await renderWorkbook(facts))

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
    ])
    expect(texts(sheets.get('Summary'))).toContain('The control totals balance')
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
    const facts = await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: rows.length })], rows })

    const listed =
      sheetsOf(await renderWorkbook(facts))
        .get('Registered')
        ?.slice(2) ?? []

    expect(listed.map((cells) => cells[5])).toEqual(references.map((value) => ({ type: 's', value })))
    expect(listed.map((cells) => cells[1])).toEqual(
      references.map(() => ({ type: 's', value: '9007199254740991' })),
    )
  })

  it('says above the rows in doubt how many are proposed to be sent again', async () => {
    const rows = [rowOf(1, { state: 'in_doubt', lastAttempt: attemptOf() })]
    const facts = await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: 1 })], rows })
    const title = async (proposals: number) =>
      texts(sheetsOf(await renderWorkbook({ ...facts, proposals })).get('In doubt'))[0]
    expect(await title(0)).toBe('In doubt: 1')
    expect(await title(1)).toBe('In doubt: 1 (in-doubt.csv proposes to send again: 1)')
  })

  it('holds no formula and no full account number', async () => {
    const lastAttempt = attemptOf({ outcome: 'refused', message: `=cmd|'${IBAN}'!A0`, answer: IBAN })
    const rows = [rowOf(1, { state: 'refused', lastAttempt }), rowOf(2, { state: 'in_doubt', lastAttempt })]
    const facts = await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: 2 })], rows })

    const workbook = await renderWorkbook(facts)

    const xml = [...unzipped(workbook).values()].map((file) => file.text).join('')
    expect(xml).not.toContain(IBAN)
    expect(xml).not.toContain('<f>')
    expect(texts(sheetsOf(workbook).get('Refused'))).toContain("=cmd|'DE…3000'!A0")
  })

  it('says where the rest of a long list is', async () => {
    const rows = Array.from({ length: 2001 }, (_, index) => registeredRow(index + 1))
    const facts = await factsOf({ ...NO_RECORDS, sources: [sourceOf({ records: rows.length })], rows })

    const sheet = sheetsOf(await renderWorkbook(facts)).get('Registered') ?? []

    expect(sheet[0]?.[0]?.value).toBe('Registered: the first 2000 of 2001. All are in registered.csv.')
    expect(sheet).toHaveLength(2002)
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
    expect([...sheetsOf(await renderWorkbook(await factsOf(value))).keys()]).not.toContain('Verification')
    const sheets = sheetsOf(await renderWorkbook(await factsOf({ ...value, verified })))
    const sheet = sheets.get('Verification')
    expect([...sheets.keys()].slice(0, 3)).toEqual(['Summary', 'Verification', 'In doubt'])
    expect(sheet).toHaveLength(3)
    expect(texts(sheet)).toContain('Not proven at the service: 1')
    expect(texts(sheet)).toContain('ps-2 =ps')
    expect(texts(sheets.get('Summary'))).toContain(
      '1 of 2 registered mandates proven at the service between 2026-06-15 11:00:00 UTC and 2026-06-15 11:00:00 UTC; 1 twice; 0 not asked.',
    )
  })

  it('carries no time of its own', async () => {
    const workbook = await renderWorkbook(await factsOf(NO_RECORDS))

    for (const [name, { dosDate, dosTime }] of unzipped(workbook)) {
      expect({ name, dosDate, dosTime }).toEqual({ name, dosDate: 0x21, dosTime: 0 })
    }
  })

  it('11.6 counts every outcome of a run', async () => {
    const facts = await factsOf({ ...NO_RECORDS, runs: [runOf({ attempts: ATTEMPTS })] })
    const sheet = texts(sheetsOf(await renderWorkbook(facts)).get('Runs'))
    expect(Object.values(ATTEMPTS).filter((count) => !sheet.includes(String(count)))).toEqual([])
  })
})
