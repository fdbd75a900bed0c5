import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { freshFolder } from '../support/folder.js'
import { judgeExports } from './people-exports-judge.js'
import type { Export, History } from './people-history.js'
import type { Office } from './people-office.js'
import type { Application } from './people-service.js'
import type { Told, TrueMandate } from './people-truth.js'

const MANDATE: TrueMandate = {
  customerNo: 1001,
  name: 'Zum Adler',
  signedDate: '2024-01-13',
  creditorIdentifier: 'DE98ZZZ09999999999',
  reference: 'MND-0001',
  account: 'DE00ACCOUNT',
  formerAccount: 'DE00FORMER',
  hasEnded: false,
  past: { customerNo: 1001, signedDate: '2024-01-13', spellings: ['MND-0001', 'MND0001'] },
}
const FORMER: Told = { ...MANDATE, account: MANDATE.formerAccount }

const exportOf = (day: number, told: Told, hasStatus = true): Export => ({
  ...{ name: `export-${day}.csv`, sha256: `sha-${day}`, text: '', system: 'a', day, hasStatus },
  rows: [{ mandate: MANDATE, told, status: null, fault: null }],
})

/** January was taken in, and the mandate is registered as it says; a test changes one thing. */
function scene() {
  const folder = freshFolder()
  const connection = openDatabase(join(folder, 'a.db'))
  connection.exec(
    `create table source (sha256, admitted_at, resubmitted, id, kind); create table comparison (compared_at, sources);
     create table row (id, state, customer_no, signed_date, original_mandate_reference, corrects, source_id, mandate_key);
     create table attempt (row_id, request_id, started_at, id, mandate_key, outcome);
     create table decision (row_id, decision, id, attempt_id);
     insert into source values ('sha-1', '1', 0, 1, 'export');
     insert into row values (1, 'registered', 1001, '2024-01-13', 'MND-0001', null, 1, 'M-1');
     insert into attempt values (1, 'request-1', '5', 2, 'M-1', 'registered')`,
  )
  const exports: Export[] = [exportOf(1, FORMER)]
  const request = {
    customer_no: 1001,
    iban: FORMER.account,
    signed_date: '2024-01-13',
    amendment: { sepa_creditor_identifier: '', unique_mandate_reference: 'MND-0001' },
  }
  const assigned = { creditorIdentifier: '', mandateReference: '' }
  const applications: Application[] = [
    { request, requestId: 'request-1', mandate: MANDATE, nth: 1, assigned },
  ]
  const violations: string[] = []
  const history: History = {
    ...{ mandates: [MANDATE], exports, ended: new Set<TrueMandate>(), columns: '', changesCustomers: false },
  }
  const office = {
    desk: { at: (...names: string[]) => join(folder, ...names) },
    judge: { violate: (violation: string) => void violations.push(violation) },
    service: { applicationsOf: () => applications },
    history,
  } as unknown as Office
  return {
    exports,
    applications,
    request,
    run: (sql: string) => void connection.exec(sql),
    kinds: (status = 0) => {
      judgeExports(office, 'a test', 'a.db', status)
      return violations.map((violation) => violation.split(' ', 1)[0])
    },
  }
}

type Scene = ReturnType<typeof scene>

/** February comes in at that time. */
const february = ({ exports, run }: Scene, told: Told, at: number): void => {
  exports.push(exportOf(2, told))
  run(`insert into source values ('sha-2', '${at}', 0, 2, 'export')`)
}

/** Its first request was in doubt, and somebody called it refused. */
const LATE = `insert into attempt values (1, 'request-0', '2', 1, 'M-1', 'released');
  insert into decision values (1, 'refused', 1, 1)`

describe('the judge of exports', () => {
  it('says nothing of what was right, also of what was sent before a newer export came in', () => {
    expect(scene().kinds()).toEqual([])
    const given = scene()
    february(given, { ...MANDATE, hasEnded: true }, 9)
    expect(given.kinds(3)).toEqual([])
  })

  it.each<[string, (given: Scene) => void]>([
    ['OLD', (given) => february(given, MANDATE, 2)],
    ['ENDED', (given) => february(given, { ...FORMER, hasEnded: true }, 2)],
    [
      'OLD',
      ({ exports, run }) => {
        exports.push(exportOf(2, MANDATE))
        run(`insert into comparison values ('2', '[{"sha256":"sha-2"}]')`)
      },
    ],
    ['WRONG', ({ request }) => void (request.customer_no = 1002)],
    [
      'NEEDLESS',
      ({ run }) =>
        run(`insert into row values (2, 'conflict', 1001, '2024-01-13', 'MND-0001', null, 1, 'M-1')`),
    ],
    [
      'AGAIN',
      ({ run }) =>
        run(`insert into row values (2, 'invalid', 1001, '2024-01-13', 'MND-0001', null, 1, 'M-1');
          insert into decision values (1, 'corrected', 1, null)`),
    ],
    ['UNNAMED', ({ run }) => run(LATE)],
    [
      'LOST',
      ({ applications, run }) => {
        applications.length = 0
        run(`update row set state = 'excluded'`)
      },
    ],
    ['LIVE', (given) => february(given, MANDATE, 9)],
    ['LIVE', (given) => february(given, { ...FORMER, hasEnded: true }, 9)],
  ])('finds %s', (kind, change) => {
    const given = scene()
    change(given)
    const [first] = given.kinds(['OLD', 'ENDED'].includes(kind) ? 3 : 0)
    expect(first).toBe(kind)
  })

  it('takes the word of a person', () => {
    const given = scene()
    february(given, { ...MANDATE, hasEnded: true }, 2)
    given.run(`${LATE}; insert into decision values (1, 'resend', 2, null)`)
    expect(given.kinds(0)).toEqual([])
  })
})
