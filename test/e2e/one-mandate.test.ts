import { describe, expect, it } from 'vitest'
import {
  account,
  customer,
  ENDED,
  linesOf,
  mandate,
  mandates,
  named,
  type Row,
  withStatus,
} from '../support/export.js'
import { GIVE_BACK, nextOf, placeForEach } from '../support/place.js'
import { inReport } from '../support/program.js'

describe('one account and date under two spellings, for two customers', () => {
  const { save, read, rows, decide, expectRun, registered, waiting } = placeForEach({ sandbox: {} })

  it('both wait in one command, and a person separates them', async () => {
    const TWINS = [mandate(11), mandate(11, named('MND0011'), customer(1011))]
    const [one = {}, other = {}] = TWINS
    save('export.csv', [...TWINS, mandate(2)])
    const ended = await expectRun(['export.csv'], 3, [mandate(2)])
    expect(waiting()).toEqual(linesOf(TWINS))
    expect(nextOf(ended)).toBe(GIVE_BACK)
    expect((await decide('send', [other])).status).toBe(3)
    expect(registered()).toEqual(linesOf([mandate(2), other]))
    expect(waiting()).toEqual(linesOf([one]))
    expect((await decide('send', [one])).status).toBe(0)
    expect(registered()).toEqual(linesOf([mandate(2), ...TWINS]))
    expect(rows('decisions.csv').map(({ reason }) => reason)).toContain('the customer was asked')
    expect(read('report.html')).toContain('the customer was asked')
  })
})

describe('an export contradicts a mandate that was sent', () => {
  /** The answer for customer 22 is lost once. */
  const LOST = { match: { customer_no: 22 }, times: 1, fault: { kind: 'reset', applied: true } } as const
  const place = placeForEach({ sandbox: { faults: [LOST] } })
  const { save, edit, program, ends, json } = place
  const { mandateOf, expectRun, listOf, registered } = place

  const references = (rows: readonly Row[]): string[] =>
    rows.map((row) => row['unique_mandate_reference'] ?? '').sort()

  /** The answer for the second is lost, the rest stays as it is. */
  const SENT = mandates(21, 22, 23, 24, 25, 26)
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
    ['ended', ['run', 'compare'], ENDED, ENDED],
    ['account', ['compare', 'run'], account(921), account(922)],
  ] as const

  it.each(WHAT)(
    'one line each, conflict while it is open, and closed by done: %s, %j',
    async (_, order, one, other) => {
      save('export.csv', withStatus(...SENT))
      await expectRun(['export.csv'], 4, SENT)
      save('final.csv', withStatus({ ...registeredOne, ...one }, { ...doubtful, ...other }, ...rest))
      for (const command of order) {
        await ends(4, command, 'final.csv')
        expect(open()).toEqual(['MND-0021', 'MND-0022'])
      }
      expect(await json('status')).toMatchObject({ totals: { conflict: 2, duplicate: 4, inDoubt: 1 } })

      await resolveDoubt()
      const reported = await program('report')
      expect([reported.status, nextOf(reported)]).toEqual([3, GIVE_BACK])
      expect(open()).toEqual(['MND-0021', 'MND-0022'])
      edit('cut-over.csv', {
        migration_decision: 'done',
        migration_reason: 'told the service',
        migration_by: 'Ada',
      })
      await ends(0, 'resolve', '--from', LIST)
      const closed = { exitCode: 0, totals: { conflict: 0, duplicate: 6, registered: 6, excluded: 0 } }
      expect(await json('status')).toMatchObject(closed)
      for (const command of ['compare', 'run']) {
        await ends(0, command, 'final.csv')
        expect(open()).toEqual([])
      }
      expect(await json('status')).toMatchObject(closed)
      expect(registered()).toEqual(linesOf(SENT))
    },
  )
})
