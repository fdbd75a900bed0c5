import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { freshFolder } from '../support/folder.js'
import { judgeCutOver, judgeExports, startPeopleJudge } from './people-judge.js'
import type { Office } from './people-office.js'
import type { Application } from './people-service.js'
import type { Export, Told, TrueMandate } from './people-truth.js'

const mandateOf = (customerNo: number): TrueMandate => ({
  ...{ customerNo, name: 'Zum Adler', signedDate: '2024-01-13', hasEnded: false },
  ...{ creditorIdentifier: 'DE98ZZZ09999999999', reference: `MND-${customerNo}` },
  ...{ account: `DE00ACCOUNT${customerNo}`, formerAccount: `DE00FORMER${customerNo}` },
})
const [FIRST, SECOND] = [mandateOf(1001), mandateOf(1002)]
const FORMER: Told = { ...FIRST, account: FIRST.formerAccount }

const applicationOf = ({ reference, ...mandate }: TrueMandate, n: number): Application => ({
  request: {
    ...{ customer_no: mandate.customerNo, iban: mandate.formerAccount, signed_date: mandate.signedDate },
    amendment: { sepa_creditor_identifier: '', unique_mandate_reference: reference },
  },
  ...{
    requestId: `request-${n}`,
    nth: n,
    mandate: [FIRST, SECOND].find((one) => one.reference === reference)!,
  },
  assigned: { creditorIdentifier: 'DE79', mandateReference: `NEW-${n}` },
})

const exportOf = (day: number, told: Told): Export => ({
  ...{ name: `export-${day}.csv`, sha256: `sha-${day}`, text: '', system: 'a', day, hasStatus: true },
  rows: [{ mandate: FIRST, told, status: null, fault: null }],
})

/** January came in, and the first customer is registered as it says, there and in the ledger; a test changes one thing. */
function scene() {
  const folder = freshFolder()
  const file = join(folder, 'a.db')
  const connection = openDatabase(file)
  connection.exec(
    `create table source (id, sha256, admitted_at, kind); create table comparison (id, compared_at, sources);
     create table compared (comparison_id, row_id, decision_id);
     create table row (id, state, customer_no, signed_date, original_mandate_reference, assigned_mandate_reference,
       source_id, mandate_key, iban_key, corrects, counted_in, superseded_by, rule);
     create table attempt (id, row_id, request_id, started_at, mandate_key, outcome);
     create table decision (id, row_id, decision, attempt_id);
     insert into source values (1, 'sha-1', '1', 'export');
     insert into row (id, state, customer_no, signed_date, original_mandate_reference, assigned_mandate_reference,
       source_id, mandate_key) values (1, 'registered', 1001, '2024-01-13', 'MND-1001', 'NEW-1', 1, 'M-1');
     insert into attempt values (2, 1, 'request-1', '5', 'M-1', 'registered')`,
  )
  const [exports, applications] = [[exportOf(1, FORMER)], [applicationOf(FIRST, 1)]]
  const saidExisting = new Set<string>()
  const applicationsOf = (mandate: TrueMandate) => applications.filter((one) => one.mandate === mandate)
  const service = { applications, saidExisting, applicationsOf }
  const judge = startPeopleJudge([FIRST, SECOND], service)
  const office = {
    ...{ desk: { at: (...names: string[]) => join(folder, ...names) }, judge, service },
    history: { mandates: [FIRST], exports, ended: new Set() },
    gone: new Map([['final.csv', [FIRST]]]),
  } as unknown as Office
  const kinds = () => judge.violations.map((violation) => violation.split(/[ :]/, 1)[0])
  return {
    ...{ file, exports, applications, saidExisting, judge },
    run: (sql: string) => void connection.exec(sql),
    look: () => {
      judge.look('a test', file)
      return kinds()
    },
    compare: (status: number) => {
      judgeExports(office, 'a test', 'a.db', status)
      return kinds()
    },
    cutOver: () => {
      judgeCutOver(office, 'a test', 'a.db')
      return kinds()
    },
  }
}

type Scene = ReturnType<typeof scene>

/** What no weakness of the simulation shows (people-weakened.test.ts); false alarms would fail its sound seeds. */
describe('the judge of people', () => {
  it.each<[string, (given: Scene) => unknown]>([
    [
      'TWICE',
      ({ applications, judge }) => {
        applications.push(applicationOf(FIRST, 2))
        judge.allowResend(SECOND)
      },
    ],
    [
      'WRONG',
      ({ applications: [first] }) => (first!.request.amendment.unique_mandate_reference = SECOND.reference),
    ],
    ['IDENTITY', ({ run }) => run(`update row set assigned_mandate_reference = 'NEW-9'`)],
    [
      'IDENTITY',
      ({ applications, run }) => {
        applications.push(applicationOf(SECOND, 2))
        run(`update row set assigned_mandate_reference = 'NEW-2'`)
      },
    ],
    ['REFUSED', ({ run }) => run(`update row set state = 'refused'`)],
    [
      'REFUSED',
      ({ run, saidExisting }) => {
        saidExisting.add('request-2')
        run(`update row set state = 'refused'; insert into decision values (1, 1, 'resend', null);
          insert into attempt values (3, 1, 'request-2', '6', 'M-1', 'refused')`)
      },
    ],
    [
      'OLD',
      ({ judge, file }) => {
        judge.correct(file, [FIRST], 0)
        judge.uncorrect(file, [SECOND])
        judge.uncorrect('another ledger', [FIRST])
      },
    ],
  ])('finds %s', (kind, change) => {
    const given = scene()
    change(given)
    expect(given.look()).toEqual([kind])
  })

  it('compares what is on record with what was meant, both ways', () => {
    const { judge, file, run } = scene()
    const since = judge.mark(file)
    const said = { ledger: file, mandate: FIRST, decision: 'resend' }
    run(`insert into decision values (1, 1, 'resend', null)`)
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

/** February comes in at that time. */
const february = ({ exports, run }: Scene, told: Told, at: number): void => {
  exports.push(exportOf(2, told))
  run(`insert into source values (2, 'sha-2', '${at}', 'export')`)
}

/** Its first request was in doubt, and somebody called it refused. */
const LATE = `insert into attempt values (1, 1, 'request-0', '2', 'M-1', 'released');
  insert into decision values (1, 1, 'refused', 1)`

describe('the judge of exports', () => {
  it('says nothing of what was right, also of what was sent before a newer export came in', () => {
    expect(scene().compare(0)).toEqual([])
    const given = scene()
    february(given, { ...FIRST, hasEnded: true }, 9)
    expect(given.compare(3)).toEqual([])
  })

  it.each<[string, (given: Scene) => unknown]>([
    ['ENDED', (given) => february(given, { ...FORMER, hasEnded: true }, 2)],
    [
      'OLD',
      ({ exports, run }) => {
        exports.push(exportOf(2, FIRST))
        run(`insert into comparison values (1, '2', '[{"sha256":"sha-2"}]')`)
      },
    ],
    ['WRONG', ({ applications: [first] }) => (first!.request.customer_no = 1002)],
    [
      'NEEDLESS',
      ({ run }) =>
        run(`insert into row select * from row; update row set id = 2, state = 'conflict' where rowid = 2`),
    ],
    ['UNNAMED', ({ run }) => run(LATE)],
    [
      'LOST',
      ({ applications, run }) => {
        applications.length = 0
        run(`update row set state = 'excluded'`)
      },
    ],
    ['LIVE', (given) => february(given, FIRST, 9)],
    ['LIVE', (given) => february(given, { ...FORMER, hasEnded: true }, 9)],
  ])('finds %s', (kind, change) => {
    const given = scene()
    change(given)
    const [first] = given.compare(['OLD', 'ENDED'].includes(kind) ? 3 : 0)
    expect(first).toBe(kind)
  })

  it('takes the word of a person', () => {
    const given = scene()
    february(given, { ...FIRST, hasEnded: true }, 2)
    given.run(`${LATE}; insert into decision values (2, 1, 'resend', null)`)
    expect(given.compare(0)).toEqual([])
  })
})

describe('the judge of a cut-over', () => {
  const COMPARED = `insert into comparison values (1, '9', '[{"name":"final.csv"}]');`
  const closedOf = (
    row: number,
  ): string => `${COMPARED} insert into decision values (1, ${row}, 'done', null);
    insert into compared values (1, 1, 1)`

  it.each([
    ['nothing without a comparison', '', []],
    ['nothing of what has a line', `${COMPARED} insert into compared values (1, 1, null)`, []],
    ['nothing of what has a line that somebody closed', closedOf(1), []],
    ['what is live and has no line', COMPARED, ['LIVE']],
    ['what is live, and its line was closed by a word about another', closedOf(7), ['LIVE']],
    ['what was sent since', `${COMPARED} update attempt set started_at = 'later'`, ['LIVE', 'HELD']],
  ])('finds %s', (_, sql, kinds) => {
    const given = scene()
    given.run(sql)
    expect(given.cutOver()).toEqual(kinds)
  })
})
