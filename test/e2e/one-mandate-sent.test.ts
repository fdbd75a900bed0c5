import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  account,
  customer,
  DATE,
  ENDED,
  linesOf,
  mandate,
  named,
  TYPED_WRONG,
  withStatus,
} from '../support/mandates.js'
import { GIVE_BACK, nextOf, placeForEach, type Row } from '../support/place.js'
import { inReport } from '../support/program.js'
import { rowsOf, workbookBytes } from '../support/workbook.js'

/** The answer for customer 22 is lost once. */
const LOST = { match: { customer_no: 22 }, times: 1, fault: { kind: 'reset', applied: true } } as const
const place = placeForEach({ sandbox: { faults: [LOST] } })
const { save, edit, write, program, json } = place
const { mandateOf, decide, expectRun, listOf, registered } = place

const references = (rows: readonly Row[]): string[] =>
  rows.map((row) => row['unique_mandate_reference'] ?? '').sort()

describe('two lists that correct one row', () => {
  /** Ann's list corrects the date, and so does Bob's. */
  const begin = async (ann: string, bob: string) => {
    save('export.csv', [mandate(1, { signed_date: '2024-02-30' }), mandate(3)])
    await expectRun(['export.csv'], 3, [mandate(3)])
    edit('corrections.csv', (row) => ({ ...row, signed_date: ann }), 'ann.csv')
    edit('corrections.csv', (row) => ({ ...row, signed_date: bob, migration_by: 'Bob' }), 'bob.csv')
  }
  const AS_ANN = mandate(1, { signed_date: '2024-02-28' })

  it.each([[['ann.csv', 'bob.csv']], [['bob.csv', 'ann.csv']]])(
    'differently: neither is sent, and a person says which is right (%s)',
    async (lists) => {
      await begin('2024-02-28', '2024-02-29')
      await expectRun(lists, 3, [mandate(3)])
      await expectRun([], 3, [mandate(3)])
      // The row has one line, with the values of the first list; it names the other.
      const [row, ...more] = place.rows('corrections.csv')
      expect([row?.['migration_message'], more]).toEqual([expect.stringContaining(lists[1] ?? ''), []])
      edit('corrections.csv', (line) => ({ ...line, ...AS_ANN }))
      await decide('send', [AS_ANN])
      await expectRun([], 0, [AS_ANN, mandate(3)])
    },
  )

  it('alike: it is sent once', async () => {
    await begin('2024-02-28', '2024-02-28')
    await expectRun(['ann.csv', 'bob.csv'], 0, [AS_ANN, mandate(3)])
  })
})

describe('the last export still shows what was corrected and registered', () => {
  const AUTO = 'columns: { signed_date: { column: signed_date, format: auto } }\n'
  /** What was wrong is row 1 of two. */
  const begin = async (wrong: Row) => {
    save('export.csv', [wrong, mandate(3)])
    await expectRun(['export.csv'], 3, [mandate(3)])
    edit('corrections.csv', (row) => ({ ...row, ...mandate(1) }))
    await expectRun([inReport('corrections.csv')], 0, [mandate(1), mandate(3)])
  }
  const expectRepeated = async (file: string) => {
    expect(await json('compare', file)).toMatchObject({ exitCode: 0, classes: { unchanged: 2 } })
    await expectRun([file], 0, [mandate(1), mandate(3)])
    const totals = { read: 4, duplicate: 2, registered: 2, invalid: 0, conflict: 0 }
    expect(await json('status')).toMatchObject({ exitCode: 0, totals })
  }
  const dotted = (row: Row): Row => ({
    ...row,
    signed_date: (row['signed_date'] ?? '').split('-').reverse().join('.'),
  })
  const dayCell = (text = ''): string =>
    `<c s="1"><v>${Math.round((Date.parse(text) - Date.parse('1899-12-30')) / 86_400_000)}</v></c>`

  it.each([
    ['account', TYPED_WRONG],
    ['date', { signed_date: '2024-02-30' }],
    ['reference', named('MND_0001')],
    ['customer', { customer_no: '?' }],
  ])('it repeats: %s', async (_, change) => {
    await begin(mandate(1, change))
    save('final.csv', [mandate(3), mandate(1, change)])
    await expectRepeated('final.csv')
  })

  it('it repeats in another notation, as text and as a workbook', async () => {
    const all = [mandate(1, TYPED_WRONG), mandate(3)]
    write('sepa-migrate.yaml', AUTO)
    await begin(mandate(1, TYPED_WRONG))
    save('final.csv', all.map(dotted))
    await expectRepeated('final.csv')
    const cells = all.map((row) =>
      Object.entries(row).map(([name, text]) => (name === 'signed_date' ? dayCell(text) : text)),
    )
    const sheet = rowsOf([Object.keys(mandate(1)), ...cells])
    writeFileSync(place.path('final.xlsx'), workbookBytes({ sheets: { Mandates: sheet }, formats: [14] }))
    expect(await json('compare', 'final.xlsx')).toMatchObject({ exitCode: 0, classes: { unchanged: 2 } })
    await expectRun(['final.xlsx'], 0, [mandate(1), mandate(3)])
  })

  it.each([
    ['one that can be read', account(901)],
    ['one that cannot', { iban: (TYPED_WRONG['iban'] ?? '').replace('DE00', 'DE01') }],
  ])('a third value waits: %s', async (_, change) => {
    await begin(mandate(1, TYPED_WRONG))
    save('final.csv', [mandate(1, change), mandate(3)])
    await expectRun(['final.csv'], 3, [mandate(1), mandate(3)])
    expect(references(listOf('cut-over.csv'))).toEqual(['MND-0001'])
  })
})

describe('an export contradicts a mandate that was sent', () => {
  /** The answer for the second is lost, the rest stays as it is. */
  const SENT = [21, 22, 23, 24, 25, 26].map((n) => mandate(n))
  const [registeredOne = {}, doubtful = {}, ...rest] = SENT
  const resolveDoubt = (): Promise<unknown> => {
    const found = mandateOf(22)
    const assigned = ['--assigned-creditor-identifier', found?.sepa_creditor_identifier ?? '']
    assigned.push('--assigned-mandate-reference', found?.unique_mandate_reference ?? '')
    return program('resolve', '--row', '2', '--as', 'registered', '--reason', 'they hold it', ...assigned)
  }
  const open = (): string[] => references(listOf('cut-over.csv'))

  const LIST = inReport('cut-over.csv')
  const WHAT = [
    ['ended', ENDED, ENDED],
    ['account', account(921), account(922)],
    ['date', DATE, DATE],
    ['customer', customer(921), customer(922)],
  ] as const
  const ORDERS = [['run'], ['run', 'compare'], ['compare', 'run']]

  it.each(WHAT.flatMap(([what, ...changes]) => ORDERS.map((order) => ({ what, changes, order }))))(
    'one line each, conflict while it is open, and closed by done: $what, $order',
    async ({ changes: [one, other], order }) => {
      save('export.csv', withStatus(...SENT))
      await expectRun(['export.csv'], 4, SENT)
      save('final.csv', withStatus({ ...registeredOne, ...one }, { ...doubtful, ...other }, ...rest))
      for (const command of order) {
        expect((await program(command, 'final.csv')).status).toBe(4)
        expect(open()).toEqual(['MND-0021', 'MND-0022'])
      }
      expect(await json('status')).toMatchObject({ totals: { conflict: 2, duplicate: 4, inDoubt: 1 } })

      await resolveDoubt()
      const reported = await program('report')
      expect([reported.status, nextOf(reported)]).toEqual([3, GIVE_BACK])
      expect(open()).toEqual(['MND-0021', 'MND-0022'])
      edit('cut-over.csv', (row) => ({
        ...row,
        ...{ migration_decision: 'done', migration_reason: 'told the service', migration_by: 'Ada' },
      }))
      expect((await program('resolve', '--from', LIST)).status).toBe(0)
      const closed = { exitCode: 0, totals: { conflict: 0, duplicate: 6, registered: 6, excluded: 0 } }
      expect(await json('status')).toMatchObject(closed)
      for (const command of ['compare', 'run']) {
        expect((await program(command, 'final.csv')).status).toBe(0)
        expect(open()).toEqual([])
      }
      expect(await json('status')).toMatchObject(closed)
      expect(registered()).toEqual(linesOf(SENT))
    },
  )
})
