import { join } from 'node:path'
import { openDatabase } from '../../src/driver.js'
import { describe, expect, it } from 'vitest'
import { freshFolder } from '../support/folder.js'
import { startPeopleJudge } from './people-judge.js'
import type { Application } from './people-service.js'
import type { TrueMandate } from './people-truth.js'

const mandateOf = (customerNo: number): TrueMandate => ({
  customerNo,
  name: 'Zum Adler',
  signedDate: '2024-01-13',
  creditorIdentifier: 'DE98ZZZ09999999999',
  reference: `OLD-${customerNo}`,
  account: `DE00ACCOUNT${customerNo}`,
  formerAccount: `DE00FORMER${customerNo}`,
  hasEnded: false,
})

const [FIRST, SECOND] = [mandateOf(1001), mandateOf(1002)]

const applicationOf = (mandate: TrueMandate, n: number, iban = mandate.account): Application => ({
  request: {
    customer_no: mandate.customerNo,
    iban,
    signed_date: mandate.signedDate,
    amendment: { sepa_creditor_identifier: '', unique_mandate_reference: mandate.reference },
  },
  requestId: `request-${n}`,
  nth: n,
  mandate,
  assigned: { creditorIdentifier: 'DE79', mandateReference: `NEW-${n}` },
})

type State = 'registered' | 'refused' | 'in_doubt'

/** A ledger with the first customer, registered as the service says; a test breaks one thing. */
function scene() {
  const file = join(freshFolder(), 'ledger.db')
  const connection = openDatabase(file)
  connection.exec(
    `create table row (id, state, customer_no, signed_date, assigned_mandate_reference, iban_key,
       original_mandate_reference, corrects, counted_in, superseded_by, rule);
     create table attempt (row_id, request_id, outcome); create table decision (id, row_id, decision);
     insert into row values (1, 'registered', 1001, '2024-01-13', 'NEW-1', x'01', 'OLD-1001', null, null, null, null);
     insert into attempt values (1, 'request-1', 'registered')`,
  )
  const applications = [applicationOf(FIRST, 1)]
  const saidExisting = new Set<string>()
  const judge = startPeopleJudge([FIRST, SECOND], {
    applications,
    saidExisting,
    applicationsOf: (mandate) => applications.filter((one) => one.mandate === mandate),
  })
  return {
    file,
    applications,
    saidExisting,
    judge,
    call: (state: State) => void connection.prepare('update row set state = ?').run(state),
    decide: (id: number, decision: string) =>
      void connection.prepare('insert into decision values (?, 1, ?)').run(id, decision),
    attempt: (requestId: string, outcome: string) =>
      void connection.prepare('insert into attempt values (1, ?, ?)').run(requestId, outcome),
    set: (column: string, value: unknown) =>
      void connection.prepare(`update row set ${column} = ?`).run(value),
  }
}

type Scene = ReturnType<typeof scene>

/** What no weakness of the simulation shows (people-weakened.test.ts); false alarms would fail its sound seeds. */
describe('the judge of people', () => {
  it.each<[string, (given: Scene) => void]>([
    [
      'TWICE',
      ({ applications, judge }) => {
        applications.push(applicationOf(FIRST, 2))
        judge.allowResend(SECOND)
      },
    ],
    [
      'WRONG',
      ({ applications: [first] }) => {
        if (first !== undefined) first.request.amendment.unique_mandate_reference = SECOND.reference
      },
    ],
    ['IDENTITY', ({ set }) => set('assigned_mandate_reference', 'NEW-9')],
    [
      'IDENTITY',
      ({ applications, set }) => {
        applications.push(applicationOf(SECOND, 2))
        set('assigned_mandate_reference', 'NEW-2')
      },
    ],
    ['REFUSED', ({ call }) => call('refused')],
    [
      'REFUSED',
      ({ call, decide, attempt, saidExisting }) => {
        decide(1, 'resend')
        attempt('request-2', 'refused')
        saidExisting.add('request-2')
        call('refused')
      },
    ],
    [
      'OLD',
      ({ applications, judge, file }) => {
        judge.correct(file, [FIRST], 0)
        judge.uncorrect(file, [SECOND])
        judge.uncorrect('another ledger', [FIRST])
        applications[0] = applicationOf(FIRST, 1, FIRST.formerAccount)
      },
    ],
  ])('finds %s', (kind, change) => {
    const given = scene()
    change(given)
    given.judge.look('a test', given.file)
    const { violations } = given.judge
    expect(violations).toHaveLength(1)
    expect(violations[0]?.startsWith(kind)).toBe(true)
  })

  it('compares what is on record with what was meant, both ways', () => {
    const { judge, file, decide } = scene()
    const since = judge.mark(file)
    const said = { ledger: file, mandate: FIRST, decision: 'resend' }
    decide(1, 'resend')
    judge.expectDecisions('one', file, { since, meant: [said], isTaken: true })
    expect(judge.violations).toEqual([])
    const [elsewhere, another] = [
      { ...said, ledger: 'b' },
      { ...said, mandate: SECOND },
    ]
    judge.expectDecisions('another ledger', file, { since, meant: [elsewhere], isTaken: false })
    judge.expectDecisions('another row', file, { since, meant: [another], isTaken: true })
    expect(judge.violations.map((violation) => violation.split(':', 1)[0])).toEqual([
      'DECISION after another ledger',
      'DECISION after another row',
      'DROPPED after another row',
    ])
  })
})
