import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { freshFolder } from '../support/folder.js'
import { judgeExports, startPeopleJudge } from './people-judge.js'
import type { Office } from './people-office.js'
import type { Application } from './people-service.js'
import type { Export, History, Told, TrueMandate } from './people-truth.js'

describe('rows', () => {
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
})

describe('exports', () => {
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
      ...{
        mandates: [MANDATE],
        exports,
        ended: new Set<TrueMandate>(),
        columns: '',
        changesCustomers: false,
      },
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

  /** What no weakness shows here, too. */
  describe('the judge of exports', () => {
    it('says nothing of what was right, also of what was sent before a newer export came in', () => {
      expect(scene().kinds()).toEqual([])
      const given = scene()
      february(given, { ...MANDATE, hasEnded: true }, 9)
      expect(given.kinds(3)).toEqual([])
    })

    it.each<[string, (given: Scene) => void]>([
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
})
