import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import type { Absence } from '../../../src/domain/proof/read-back.js'
import type { RowRecord } from '../../../src/ledger/read/reader.js'
import {
  mergeColumns,
  DECISION_LIST,
  explainedColumns,
  type List,
  openList,
  PROBLEM_LIST,
  REGISTERED_LIST,
  VERIFICATION_LIST,
} from '../../../src/report/files/lists.js'
import type { ReportFacts } from '../../../src/report/facts/facts.js'
import { TO_DO_FILES, writeReport } from '../../../src/report/pack/pack.js'
import { ENGLISH } from '../../../src/report/text/texts.js'
import { freshFolder } from '../../support/folder.js'
import {
  attemptOf,
  decisionOf,
  factsOf,
  HEADER,
  IBAN,
  keptSource,
  problemOf,
  readerOf,
  registeredRow,
  rowOf,
  sourceOf,
  verifiedRow,
} from '../ledger-value.js'

const CAMPAIGN = readerOf({}).campaign()
const SAID = { message: 'Typing error.', remedy: 'Correct it.', wrong: [] }
const EXPLANATION = { rule: 'IBAN_CHECKSUM', status: 'open', ...SAID }
const COLUMNS = mergeColumns([sourceOf({ records: 1 })])

const recordsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })
const read = <Of>({ header, line }: Pick<List<Of>, 'header' | 'line'>, of: Of): Record<string, string> =>
  recordsOf(header + line(of))[0] ?? {}
const openRow = (row: RowRecord, explanation = EXPLANATION) =>
  read(openList(COLUMNS, false), { row, campaign: CAMPAIGN, explanation, absence: null })
const inDoubt = (row: RowRecord, absence: Absence | null = null) =>
  read(openList(COLUMNS, true), { row, campaign: CAMPAIGN, explanation: EXPLANATION, absence })

describe('a line to be corrected', () => {
  it('holds the cells of the export first, so that a spreadsheet keeps them, and says which row it is', () => {
    const line = openRow(rowOf(7, { state: 'invalid', cells: ['00017', 'x', '2020-02-29', 'DE98', '0815'] }))
    expect(Object.keys(line).slice(0, 6)).toEqual([...HEADER, 'migration_row'])
    expect(line).toMatchObject({ customer_no: '="00017"', migration_row: '7', migration_state: 'invalid' })
  })

  it('names its ledger by a word, so that no spreadsheet rounds it, and the attempt that was looked at', () => {
    const refused = rowOf(7, { state: 'refused', attempts: 3, lastAttempt: attemptOf({ n: 3 }) })
    expect(openRow(refused)).toMatchObject({ migration_ledger: 'L-7f3b7c1e-0-0', migration_attempt: '3' })
    expect(openRow(rowOf(7))).toMatchObject({ migration_attempt: '', migration_decision: '' })
  })

  it('of a record of the wrong shape cannot be sent unread: it has no account, and tells the record, cut to fit a cell', () => {
    const fields = { customerNo: null, ibanMasked: null, signedDate: null }
    const nobody = { ...fields, originalCreditorIdentifier: null, originalMandateReference: null }
    const stray = (last: string) =>
      openRow(rowOf(7, { ...nobody, state: 'invalid', cells: ['a', IBAN, last] }))
    expect(stray('c')['iban']).toBe('')
    expect(stray('c')['migration_message']).toContain(`The record as it was read: a | ${IBAN} | c`)
    expect(stray('c'.repeat(9_000))['migration_message']).toMatch(/… \(cut\)$/)
    expect(stray('c'.repeat(9_000))['migration_message']?.length).toBeLessThan(8_192)
    expect(openRow(rowOf(2))['migration_message']).not.toContain('The record as it was read')
  })

  it('runs nothing that the service said', () => {
    const line = openRow(rowOf(7), { ...EXPLANATION, message: '=HYPERLINK("http://x")' })
    expect(line['migration_message']).toMatch(/^'=/)
  })
})

describe('a line in doubt', () => {
  const ROW = rowOf(4, { state: 'in_doubt', attempts: 1, lastAttempt: attemptOf() })

  it('says of the request that left when, by which id, and when a resend is possible', () => {
    const line = inDoubt(ROW)
    expect(line['migration_request_id']).toBe('b1c9d5f0-0000-4000-8000-000000000001')
    expect(line['migration_sent_at']).toContain('2026-06-15 10:00')
    expect(line['migration_resend_from']).toContain('2026-06-15 10:15')
    expect(line['migration_sent_ago']).toMatch(/before .*2026-06-15 12:00/)
  })

  it('proposes what the evidence allows, and leaves the decision to a person', () => {
    const at = { firstAskedAt: '2026-06-15T10:30:00.000Z', lastAskedAt: '2026-06-16T11:00:00.000Z' }
    const series = { ...at, questions: 2 }
    const proposed = inDoubt(ROW, { kind: 'resend', begunFor: 'this', ...series, present: 3 })
    const undecided = { migration_decision: '', migration_reason: '' }
    expect(proposed).toMatchObject({ migration_proposal: 'resend', ...undecided })
    expect(proposed['migration_proposal_evidence']).toBe(
      'Asked 2 times from 2026-06-15 10:30:00 UTC to 2026-06-16 11:00:00 UTC, each time no payment source of the customer; 3 registered rows were shown by the same read-back.',
    )
    const early = inDoubt(ROW, { kind: 'too_early', ...series, from: '2026-06-17T00:00:00.000Z' })
    expect(early['migration_proposal']).toBe('')
    expect(early['migration_proposal_evidence']).toContain('; ask again from 2026-06-17 00:00:00 UTC.')
    expect(inDoubt(ROW)).toMatchObject({ migration_proposal: '', migration_proposal_evidence: '' })
    expect(inDoubt(ROW, { kind: 'not_asked' })['migration_proposal_evidence']).toBe('')
  })
})

it('a registered row pairs old and new identifiers without an account, and a formula stays readable as a text', () => {
  const refs = { originalMandateReference: '=1+1', assignedMandateReference: '+49' }
  expect(read(REGISTERED_LIST, registeredRow(1, refs))).toMatchObject({
    iban_masked: 'DE…3000',
    original_mandate_reference: '="=1+1"',
    assigned_mandate_reference: '="+49"',
  })
})

describe('a problem', () => {
  it('of a whole file has neither record nor line', () => {
    const line = read(PROBLEM_LIST, problemOf({ record: null, line: null }))
    expect(line).toMatchObject({ record: '', line: '', rule: 'IBAN_CHECKSUM', value: 'DE…3001' })
  })

  it('runs no formula, whoever wrote it: file, column or cell', () => {
    const line = read(PROBLEM_LIST, problemOf({ source: '=1.csv', column: '@x', value: '=2', message: '+3' }))
    expect(Object.values(line).filter((cell) => /^[=+@-]/.test(cell))).toEqual([])
  })

  it('shows what hides in the name of a file or a column, or turns it round', () => {
    const hidden = problemOf({ source: 'export\u202Evsc.\n.csv', column: 'IB\u200BAN\u0007' })
    const shown = { source: 'export<U+202E>vsc.<U+000A>.csv', column: 'IB<U+200B>AN<U+0007>' }
    expect(read(PROBLEM_LIST, hidden)).toMatchObject(shown)
  })
})

it('decisions.csv shows who decided what, and on what evidence', () => {
  const decisions = [
    decisionOf({ reason: 'a "quoted" reason; and =1+1' }),
    decisionOf({ id: 2, attemptId: null, as: null, evidence: 'list.csv (SHA-256 ab)' }),
  ]
  const records = recordsOf(DECISION_LIST.header + decisions.map(DECISION_LIST.line).join(''))
  const whole = { id: '1', row: '1', attempt: '77', by: 'A. Reviewer', as: 'reviewer', decision: 'refused' }
  expect(records[0]).toMatchObject({ ...whole, from: 'in_doubt', to: 'refused' })
  expect(records[1]).toMatchObject({ attempt: '', as: '', evidence: 'list.csv (SHA-256 ab)' })
})

describe('verification.csv', () => {
  it('shows every source of a mandate that is there twice, and which may be cancelled', () => {
    const others = keptSource('ps-2', { reference: 'X', status: null })
    const sources = [keptSource('ps-1', { reference: 'NEW-1' }), others]
    const twice = verifiedRow(1, { verdict: 'twice', sources, cancellable: ['ps-2'], ibanMasked: null })
    expect(read(VERIFICATION_LIST, twice)).toEqual({
      migration_row: '1',
      customer_no: '1001',
      iban_masked: '',
      assigned_mandate_reference: 'NEW-1',
      assigned_creditor_identifier: 'SE97ZZZ5560000001',
      verification: 'twice',
      verified_at: '2026-06-15T11:00:00.000Z',
      payment_sources: 'ps-1 ps-2',
      payment_source_statuses: 'PENDING -',
      may_be_cancelled: 'ps-2',
      explanation:
        'The service shows this mandate 2 times. ps-1 is the one of this ledger; a person may cancel ps-2.',
    })
  })

  it('runs nothing in a spreadsheet, and breaks no line', () => {
    const odd = '=cmd|"x"\n@SUM(A1)'
    const sources = [keptSource(odd, { status: odd })]
    const ended = { verdict: 'other', why: 'ended', sources, cancellable: [odd] } as const
    const line = VERIFICATION_LIST.line(verifiedRow(1, { ...ended, assignedMandateReference: '-17' }))
    expect(line.trimEnd()).not.toContain('\n')
    const [cells = []] = parse(line)
    expect(cells[3]).toBe('="-17"')
    for (const cell of cells) expect(cell).not.toMatch(/^[=+@-](?!"-17"$)/)
  })
})

describe('the sheet that explains columns', () => {
  /** By file, in the order in which they are explained. */
  function explainedIn(verification: ReportFacts['verification']): Map<string, string[]> {
    const found = new Map<string, string[]>()
    for (const { files, columns } of explainedColumns({ verification, cutOver: null }, ENGLISH))
      for (const file of files)
        found.set(file, [...(found.get(file) ?? []), ...columns.map(([column]) => column)])
    return found
  }

  it('has every column of the files once, and no other', async () => {
    const folder = freshFolder()
    const verified = [verifiedRow(1, { verdict: 'absent' })]
    const value = { rows: [registeredRow(1)], verified }
    const { files } = await writeReport(readerOf(value), { out: folder })
    const written = [...files.map(({ name }) => name), ...TO_DO_FILES].filter((name) => name.endsWith('.csv'))
    const explained = explainedIn((await factsOf(value)).verification)
    expect([...explained.keys()].sort()).toEqual([...written].sort())
    for (const name of written) {
      const [header = ''] = readFileSync(join(folder, name), 'utf8').replace('\uFEFF', '').split(/\r?\n/)
      const own = header.split(/[,;]/).slice(name.startsWith('to-do/') ? HEADER.length : 0)
      expect([...(explained.get(name) ?? [])].sort(), name).toEqual([...own].sort())
    }
  })

  it('says nothing of a file that is not there', () => {
    expect(explainedIn(null).has('verification.csv')).toBe(false)
  })
})
