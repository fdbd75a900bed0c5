import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareWith, LIST_NAMES, readListed, type ListEntry } from '../../src/decisions/read-decisions.js'
import { reconcile } from '../../src/decisions/reconcile.js'
import type { Outcome } from '../../src/domain/row/row-state.js'
import { maskIban } from '../../src/domain/text/accounts.js'
import { UsageError } from '../../src/errors.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import { openList } from '../../src/source/list.js'
import { decide, running, runningAt, send, stoppedClock } from '../ledger/campaign-setup.js'
import { inDoubt, refused, registered } from '../ledger/outcomes.js'
import { IBAN, OTHER_IBAN, type Values } from '../ledger/records.js'
import { germanIban } from '../support/export.js'
import { freshFolder } from '../support/folder.js'
import { fileOf } from '../support/sources.js'

const CREDITOR = 'DE79ZZZ01234567890'
const DATE = '2020-01-31'

type Entry = Readonly<Record<string, string>>

type Reconciliation = Awaited<ReturnType<typeof reconcile>>

/** The list as the service exports it, held against the ledger. */
async function against(ledger: Ledger, ...list: readonly Entry[]): Promise<Reconciliation> {
  const columns = [...new Set(list.flatMap((entry) => Object.keys(entry)))]
  const lines = list.map((entry) => columns.map((name) => entry[name] ?? '').join(';'))
  const file = join(dirname(ledger.file), 'list.csv')
  writeFileSync(file, [columns.join(';'), ...lines, ''].join('\n'))
  const found = await reconcile(ledger.view, file, 'Ada', new AbortController().signal)
  ledger.readBacks.keepList(found.kept, { version: '1', host: 'here', pid: 1 })
  return found
}

/** The nth mandate as the service lists it. */
const listed = (n: number, given: Entry = {}): Entry => ({
  ...{ customer_no: String(n), iban: germanIban(n), signed_date: DATE, sepa_creditor_identifier: CREDITOR },
  ...{ unique_mandate_reference: `NEW-${n}`, original_mandate_reference: `OLD-${n}` },
  ...given,
})

/** Rows 1 and 2 registered, 3 and 4 in doubt, 5 refused, 6 ready. */
async function campaign(): Promise<Ledger> {
  const rows = [1, 2, 3, 4, 5, 6].map((n) => ({ customerNo: n, iban: germanIban(n), reference: `OLD-${n}` }))
  const ledger = running(rows)
  const done = [registered('NEW-1', CREDITOR), registered('NEW-2', CREDITOR)]
  for (const outcome of [...done, inDoubt(), inDoubt(), refused()]) await send(ledger, outcome)
  return ledger
}

const compare = async (...entries: readonly Entry[]): Promise<Reconciliation> =>
  against(await campaign(), ...entries)

/** The differences as `kind row-or-customer`. */
const outline = ({ differences }: Reconciliation): string[] =>
  differences.map(({ kind, row, text }) => `${kind} ${row ?? /customer (\d+)/.exec(text)?.[1] ?? ''}`)

const detailsOf = ({ differences }: Reconciliation): string[] =>
  differences.flatMap(({ detail }) => detail ?? [])

describe('registered rows', () => {
  it('match a list that shows them, with masked account numbers and references in other case too', async () => {
    const all = [1, 2, 3, 4].map((n) => listed(n))
    expect(await compare(...all)).toMatchObject({ listed: 4, matched: 2, differences: [] })
    const masked = (n: number): Entry =>
      listed(n, { iban: maskIban(germanIban(n)), unique_mandate_reference: `new-${n}` })
    expect((await compare(masked(1), masked(2), listed(3), listed(4))).matched).toBe(2)
  })

  it('that the list does not show are missing there, and with other values they differ', async () => {
    expect(outline(await compare(listed(2), listed(3), listed(4)))).toEqual(['missing_there 1'])
    const result = await compare(
      listed(1, { signed_date: '2020-03-01', iban: germanIban(9) }),
      listed(2, { customer_no: '22', original_mandate_reference: 'OLD-22' }),
      listed(3),
      listed(4),
    )
    expect(outline(result)).toEqual(['differs 1', 'differs 2', 'still_in_doubt 3', 'still_in_doubt 4'])
    const open = 'but no registered row as it is here'
    expect(detailsOf(result)).toEqual([
      ...['iban, signed_date differ', 'customer_no, original reference differ'],
      ...[`the list shows it in line 4, ${open}`, `the list shows it in line 5, ${open}`],
    ])
  })
})

it('an entry that no row explains is unknown here', async () => {
  expect(outline(await compare(...[1, 2, 3, 4, 99].map((n) => listed(n))))).toEqual(['unknown_here 99'])
})

describe('rows that a run might send', () => {
  it('are registered where the list proves them, by the edges that there are', async () => {
    const ledger = await campaign()
    const { proposals, differences } = await against(ledger, ...[1, 2, 3, 4, 5, 6].map((n) => listed(n)))
    expect(differences).toEqual([])
    expect(ledger.resolve(proposals, { dryRun: false }).isApplied).toBe(true)
    expect(ledger.totals()).toMatchObject({ registered: 6, ready: 0, refused: 0, inDoubt: 0 })
    const edges = ledger.view
      .decisions(0, 100)
      .map(({ rowId, decision, from, to }) => `${rowId} ${decision}: ${from} → ${to}`)
    expect(edges).toEqual([
      '5 retry_refused: refused → ready',
      ...[5, 6].map((row) => `${row} shown: ready → in_doubt`),
      ...[5, 6, 3, 4].map((row) => `${row} registered: in_doubt → registered`),
    ])
    const shown = { outcome: 'in_doubt', hint: 'may_exist', started: false }
    expect(ledger.view.attempts(6)).toMatchObject([shown])
  })

  it('are told with what to do where the list shows them and does not prove them', async () => {
    const masked = (n: number): Entry =>
      listed(n, { iban: maskIban(germanIban(n)), original_mandate_reference: '' })
    const result = await compare(
      ...[1, 2, 3, 4].map((n) => listed(n, { status: '' })),
      masked(5),
      listed(6, { status: 'ended' }),
    )
    expect(outline(result)).toEqual(['differs 5', 'differs 6'])
    const now = 'and in doubt from now on: decide about it before it may be sent'
    const called = ['refused', 'ready'].map((state) => `the ledger calls the row ${state}, ${now}`)
    expect(detailsOf(result)).toEqual(called)
  })
})

describe('what a list shows is kept as a read-back is', () => {
  const OWN = 'unique_mandate_reference'
  const masked = { iban: maskIban(germanIban(3)), original_mandate_reference: '' }
  it.each<[string, readonly Entry[], readonly string[]]>([
    ['as here', [listed(2)], ['1 absent', '2 proven']],
    ['with a masked account', [listed(2, { iban: 'DE…' })], ['1 absent']],
    ['twice', [listed(1), listed(1, { [OWN]: 'X' }), listed(2)], ['1 twice', '2 proven']],
    ['ended', [listed(1, { status: 'CANCELLED' }), listed(2, { status: '' })], ['1 ended', '2 proven']],
    ['not debited yet', [listed(1, { status: 'PENDING' }), listed(2)], ['1 proven', '2 proven']],
    ['otherwise', [listed(1, { iban: germanIban(9) }), listed(2)], ['1 differs', '2 proven']],
    ['for another', [listed(1, { customer_no: '99' }), listed(2)], ['1 differs', '2 proven']],
    ['otherwise named', [listed(1, { [OWN]: 'X' }), listed(2)], ['1 differs', '2 proven']],
    ['in doubt', [listed(2), listed(3)], ['1 absent', '2 proven', '3 proven']],
    ['in doubt, masked', [listed(2), listed(3, masked)], ['1 absent', '2 proven', '3 ambiguous']],
    [
      'in doubt with other values',
      [listed(2), listed(3, { iban: germanIban(9) })],
      ['1 absent', '2 proven', '3 ambiguous'],
    ],
    ['to be sent', [listed(2), listed(6)], ['1 absent', '2 proven', '6 proven']],
    ['of another environment', [1, 2, 3, 6].map((n) => listed(n, { [OWN]: `X-${n}` })), []],
    ['with a column of this program', [listed(1, { latest_first_debit: '' }), listed(2)], []],
  ])('%s', async (_, list, kept) => {
    const ledger = await campaign()
    await against(ledger, ...list)
    const told = [1, 2, 3, 4, 5, 6].flatMap((id) =>
      ledger.view.proofsOfRow(id).map(({ verdict, why }) => `${id} ${why ?? verdict}`),
    )
    expect(told).toEqual(kept)
    expect(ledger.view.row(6)?.state).toBe(kept.includes('6 proven') ? 'in_doubt' : 'ready')
    expect(JSON.stringify(ledger.view.proofsOfRow(1))).not.toContain(germanIban(1))
  })

  it.each([{ iban: 'DE…3000' }, { signed_date: '2001-01-01' }])(
    'so that it is not sent again unless somebody insists: %o',
    async (shown) => {
      const ledger = await customerWith()
      await against(ledger, entry('NEW-1', shown))
      for (const decision of ['resend', 'refused'] as const)
        expect(decide(ledger, 1, decision, { attempt: 1 })).toMatchObject({ isApplied: false })
    },
  )
})

it.each<[string, Entry, readonly Entry[]]>([
  ['without its original reference', { original_mandate_reference: '' }, [listed(2)]],
  ['without its whole account', { iban: 'DE…' }, [listed(2)]],
  ['without a registered row as it is here', {}, []],
])('a row that was never sent is not called registered %s, now or later', async (_, given, others) => {
  const ledger = await campaign()
  for (const [time, list] of [listed(6, given), listed(6, given)].entries()) {
    const { proposals } = await against(ledger, list, ...others)
    expect([time, proposals]).toEqual([time, []])
  }
})

it('a doubt that the list shows for another customer is no absence', async () => {
  const whole = [1, 2, 4].map((n) => listed(n))
  for (const given of [{ original_mandate_reference: '' }, { iban: 'DE…3000' }]) {
    const result = await compare(...whole, listed(3, { customer_no: '99', ...given }))
    expect(outline(result)).toEqual(['unknown_here 99', 'still_in_doubt 3'])
    expect(detailsOf(result)).toEqual([
      'the list shows its account or its original reference for customer 99, in line 5: look at that first',
    ])
  }
  const neither = listed(3, { customer_no: '99', iban: germanIban(9), original_mandate_reference: '' })
  expect(detailsOf(await compare(...whole, neither))[0]).toContain('the list does not show it')
})

describe('what the list shows as cancelled', () => {
  const ENDS: Entry[] = [
    ...[{ status: 'CANCELLED' }, { status: 'gekündigt' }, { Mandatsstatus: 'gekündigt' }],
    { cancelled_at: '2026-06-01' },
  ]

  it.each(ENDS)('%o is no proof of a doubt, and not what was sent', async (ended) => {
    const alive = Object.fromEntries(Object.keys(ended).map((name) => [name, '']))
    const result = await compare(listed(1, ended), listed(2, alive), listed(3, ended), listed(4, alive))
    expect(result).toMatchObject({ matched: 1, proposals: [{ rowId: 4 }] })
    expect(outline(result)).toEqual(['differs 1', 'still_in_doubt 3'])
    expect(detailsOf(result)).toEqual([
      'the list shows it as cancelled',
      'the list shows it as cancelled, in line 4',
    ])
  })
})

describe('a row in doubt', () => {
  it('is proven registered by the one entry that shows it, and the proposal can be recorded', async () => {
    const ledger = await campaign()
    const { proposals } = await against(ledger, ...[1, 2, 3, 4].map((n) => listed(n)))
    const told = { by: 'Ada', reason: 'The list from the service shows it in line 4', attempt: 1 }
    const assigned = { creditorIdentifier: CREDITOR, mandateReference: 'NEW-3' }
    expect(proposals).toMatchObject([
      { rowId: 3, decision: 'registered', ...told, assigned },
      { rowId: 4, assigned: { mandateReference: 'NEW-4' } },
    ])
    expect(proposals[0]?.evidence).toMatch(/^list\.csv \(SHA-256 [0-9a-f]{64}\)$/)
    expect(ledger.resolve(proposals, { dryRun: false }).isApplied).toBe(true)
    expect(ledger.totals()).toMatchObject({ registered: 4, inDoubt: 0 })
  })

  it.each<[string, readonly Entry[], RegExp]>([
    ['does not show', [], /^the list does not show it/],
    [
      'shows twice',
      [listed(3), listed(3, { unique_mandate_reference: 'NEW-3-B' })],
      /^the list shows 2 mandates that could be it, in lines 4, 6: it may be registered twice$/,
    ],
    [
      'shows without the assigned creditor',
      [listed(3, { sepa_creditor_identifier: '' })],
      /^the list shows it without an assigned creditor identifier$/,
    ],
  ])('that the list %s stays in doubt', async (_, [first, ...others], why) => {
    const result = await compare(listed(1), listed(2), ...(first ? [first] : []), listed(4), ...others)
    expect(outline(result)).toEqual(['still_in_doubt 3'])
    expect(detailsOf(result)).toEqual([expect.stringMatching(why)])
    expect(result.proposals.map(({ rowId }) => rowId)).toEqual([4])
  })

  it('is not proven by an entry with another account or another original reference', async () => {
    for (const given of [{ iban: germanIban(9) }, { original_mandate_reference: 'OLD-9' }]) {
      const result = await compare(listed(1), listed(2), listed(3, given), listed(4))
      expect(outline(result)).toEqual(['unknown_here 3', 'still_in_doubt 3'])
    }
  })

  it.each([
    ['iban', 'Kontonummer IBAN', germanIban(9)],
    ['signed_date', 'Mandatsdatum', '2019-01-01'],
  ] as const)(
    'is not proven by an entry with another %s under a heading of exports: %s',
    async (name, usual, other) => {
      const list = [1, 2, 3, 4].map((n) => {
        const { [name]: value = '', ...entry } = listed(n)
        return { ...entry, [usual]: n === 3 ? other : value }
      })
      expect(outline(await compare(...list))).toEqual(['unknown_here 3', 'still_in_doubt 3'])
    },
  )
})

interface Case extends Values {
  /** What became of it; none: it was not sent. */
  readonly seen?: Outcome
}

/** Rows of customer 7, on one account and of one date where nothing else is said; row 1 is always in doubt. */
async function customerWith(...cases: readonly Case[]): Promise<Ledger> {
  const clock = stoppedClock()
  const rows: Case[] = [{ reference: 'A-1', seen: inDoubt() }, ...cases]
  const ledger = runningAt(
    clock,
    rows.map(({ seen: _, ...values }) => ({ customerNo: 7, ...values })),
  )
  for (const { seen } of rows) if (seen !== undefined) await send(ledger, seen)
  clock.advance(15 * 60 * 1_000)
  return ledger
}

/** What the service lists of customer 7. */
const entry = (reference: string, given: Entry = {}): Entry => ({
  ...{ customer_no: '7', iban: IBAN, signed_date: DATE, sepa_creditor_identifier: CREDITOR },
  ...{ unique_mandate_reference: reference, original_mandate_reference: '' },
  ...given,
})

const NOT_SHOWN =
  'the list does not show it; if the list is complete and newer than the attempt, it was not registered'
const NO_PROOF =
  'the list shows a mandate of this customer, but neither its whole account nor its original reference'
const couldBe = (state: string): string =>
  `the list shows it in line 2, but that could also be row 2, which is ${state}`
const TWIN = { reference: 'B-1', seen: inDoubt() }
const twin = (seen: Outcome): Case => ({ reference: 'B-1', seen })

describe('what the list shows of a mandate proves row 1', () => {
  const DATES = [
    ...['31.01.2020', '31/01/2020', '01/31/2020', '20200131', '31.01.20', '43861'],
    '2020-01-30T23:00:00Z',
  ]
  it.each<[Entry, ...Entry[]]>([
    ...DATES.map((signed_date) => [{ signed_date }] as [Entry]),
    [{ iban: '', signed_date: '', original_mandate_reference: 'A-1' }],
    [{ customer_no: '7,0', iban: IBAN.toLowerCase(), original_mandate_reference: ' a-1 ' }],
    // A line that is there twice, word by word, is one entry.
    [{}, {}],
  ])('%j', async (...given) => {
    const result = await against(await customerWith(), ...given.map((each) => entry('NEW-1', each)))
    expect(result.proposals).toMatchObject([{ rowId: 1 }])
  })

  it.each([
    ['as the simulator prints it', (entries: unknown) => entries],
    ['in an answer of the service', (entries: unknown) => ({ status: 'OK', data: entries })],
  ])('in JSON, %s', async (_, wrap) => {
    const ledger = await customerWith()
    const assigned = { sepa_creditor_identifier: CREDITOR, unique_mandate_reference: 'NEW-1' }
    const amendment = { sepa_creditor_identifier: 'DE98ZZZ09999999999', unique_mandate_reference: 'A-1' }
    const listed = { customer_no: 7, iban: 'DE…3000', signed_date: '2020-01-31', ...assigned, amendment }
    const file = join(freshFolder(), 'list.json')
    writeFileSync(file, JSON.stringify(wrap([listed])), { mode: 0o600 })
    const result = await reconcile(ledger.view, file, 'Ada', new AbortController().signal)
    expect(result.proposals).toMatchObject([{ rowId: 1, assigned: { mandateReference: 'NEW-1' } }])
    writeFileSync(file, '{"status":"OK"}')
    await expect(reconcile(ledger.view, file, 'Ada', new AbortController().signal)).rejects.toThrow(
      'without a list',
    )
  })

  it.each(['DE…3000', '****3000', 'DE** **** **** **** **30 00', 'xxxxxxxx3000', '3000', '•••• 3000'])(
    'where %s is the account, with the original reference alone',
    async (iban) => {
      const ledger = await customerWith()
      const result = await against(ledger, entry('NEW-1', { iban }))
      expect([result.proposals, detailsOf(result)]).toEqual([[], [NO_PROOF]])
      const proven = await against(ledger, entry('NEW-1', { iban, original_mandate_reference: 'a-1' }))
      expect(proven.proposals).toMatchObject([{ rowId: 1 }])
    },
  )

  it('beside a registered row that the list shows under its own reference', async () => {
    const ledger = await customerWith(twin(registered('NEW-B')))
    const result = await against(ledger, entry('NEW-B'), entry('NEW-1'))
    expect(result).toMatchObject({ matched: 1, proposals: [{ rowId: 1 }] })
    const second = await against(ledger, entry('NEW-X', { original_mandate_reference: 'B-1' }))
    const told = 'the ledger has it registered as NEW-B: this may be a second registration'
    expect(detailsOf(second)[0]).toBe(told)
  })

  it('beside the row that it replaced before it was sent', async () => {
    const ledger = running(
      [{ customerNo: 7, reference: 'A-0', verdict: 'invalid', mandateKey: null }],
      [{ customerNo: 7, reference: 'A-1', corrects: 1 }],
    )
    await send(ledger, inDoubt())
    expect((await against(ledger, entry('NEW-1'))).proposals).toMatchObject([{ rowId: 2 }])
  })
})

/** The list proves nothing, and this is said of it. */
async function expectOpen(cases: Case[], list: Entry[], details: string[], told = ['still_in_doubt 1']) {
  const result = await against(await customerWith(...cases), ...list)
  expect(result.proposals).toEqual([])
  expect([outline(result), detailsOf(result)]).toEqual([told, details])
}

describe('"the list does not show it" is said only when nothing in the list could be it', () => {
  it('not of two rows and two entries: two candidates are not none', async () => {
    const two = 'the list shows 2 mandates that could be it, in lines 2, 3: it may be registered twice'
    const both = ['still_in_doubt 1', 'still_in_doubt 2']
    await expectOpen([TWIN], [entry('NEW-1'), entry('NEW-2')], [two, two], both)
  })

  it('not where a cell is empty', async () => {
    await expectOpen([], [entry('NEW-1', { iban: '', signed_date: '' })], [NO_PROOF])
  })

  it('where the entries are of another customer or those of registered rows, by either reference', async () => {
    const cases = [twin(registered('NEW-2'))]
    const unknown = ['unknown_here 8', 'missing_there 2', 'still_in_doubt 1']
    const stranger = { customer_no: '8', iban: OTHER_IBAN }
    await expectOpen(cases, [entry('NEW-8', stranger)], [NOT_SHOWN], unknown)
    await expectOpen(cases, [entry('NEW-2')], [NOT_SHOWN])
    // A spreadsheet has changed the assigned one.
    const saved = entry('123', { original_mandate_reference: 'B-1' })
    await expectOpen([twin(registered('000123'))], [saved], [NOT_SHOWN])
  })

  it('where a lost ledger began it for another customer or date', async () => {
    const ledger = running([{ customerNo: 7, reference: 'A-1' }])
    const doubting = { decision: 'another_ledger', by: 'Ada', reason: 'the disk is lost' } as const
    ledger.claims.doubt([1], doubting, [1])
    expect(detailsOf(await against(ledger, entry('NEW-8', { customer_no: '8', iban: OTHER_IBAN })))).toEqual([
      'the list does not show it for this customer. It was begun for another customer or date than this row has: look for that one',
    ])
  })

  it.each([
    ['signed_date', '2019-05-05'],
    // An account with the same last digits is another account.
    ['iban', 'DE20100000000002013000'],
    ['iban', 'DE44370400440532913000'],
  ])('not where the values of the customer are others: %s %s', async (name, value) => {
    const details = [
      `the list shows this customer with other values in line 2 (${name} differ): look at that first`,
    ]
    await expectOpen([], [entry('NEW-1', { [name]: value })], details, ['unknown_here 7', 'still_in_doubt 1'])
  })
})

describe('an entry proves at most one row, and a row is proven by at most one entry', () => {
  it.each<[string, Case, string[]]>([
    ['ready', {}, []],
    ['refused', { seen: refused() }, []],
    ['invalid', { verdict: 'invalid' }, []],
    ['excluded', { verdict: 'excluded' }, []],
    ['registered', { seen: registered('NEW-B') }, ['missing_there 2']],
  ])('a row that is %s competes for an entry', async (state, rival, told) => {
    const cases = [{ reference: 'B-1', ...rival }]
    await expectOpen(cases, [entry('NEW-1')], [couldBe(state)], [...told, 'still_in_doubt 1'])
  })

  it('two rows in doubt compete for an entry', async () => {
    const details = [couldBe('in doubt'), couldBe('in doubt').replace('row 2', 'row 1')]
    await expectOpen([TWIN], [entry('NEW-1')], details, ['still_in_doubt 1', 'still_in_doubt 2'])
  })

  it('no entry proves with the reference that another row has here, or with one that was rounded', async () => {
    const rival = { customerNo: 8, reference: 'B-1', iban: OTHER_IBAN, seen: registered('NEW-1') }
    const owned = 'the list shows it in line 2, with the assigned reference that row 2 has here'
    const told = ['differs 2', 'still_in_doubt 1']
    await expectOpen([rival], [entry('NEW-1')], ['customer_no, iban differ', owned], told)
    const rounded = 'the list shows it in line 2, but a spreadsheet has rounded the assigned reference'
    await expectOpen([], [entry('1.23457E+15')], [rounded])
  })

  it('a live mandate that a person called refused is no proof of another row of the customer', async () => {
    const ledger = await customerWith(TWIN)
    decide(ledger, 2, 'refused', { attempt: 1 })
    const masked = { iban: 'DE…3000' }
    for (const given of [masked, {}]) {
      const result = await against(ledger, entry('NEW-B', given))
      expect([result.proposals, detailsOf(result)]).toEqual([[], [couldBe('refused')]])
    }
    const told = await against(ledger, entry('NEW-B', { ...masked, original_mandate_reference: 'B-1' }))
    expect(told.proposals).toMatchObject([{ rowId: 2, decision: 'registered' }])
    expect(outline(told)).toEqual(['still_in_doubt 1'])
  })

  it('a row that was sent again after a doubt competes: it may be registered twice', async () => {
    const ledger = await customerWith(TWIN)
    decide(ledger, 2, 'resend', { attempt: 1, force: true })
    await send(ledger, registered('NEW-B'))
    expect((await against(ledger, entry('NEW-B'), entry('NEW-1'))).proposals).toEqual([])
  })
})

async function read(...lines: string[]): Promise<ListEntry[]> {
  const file = fileOf([...lines, ''].join('\n'), 'list.csv')
  const list = await openList(file, LIST_NAMES)
  const entries: ListEntry[] = []
  for await (const row of list.rows()) entries.push(readListed(row, list.name))
  return entries
}

describe('a line of a list', () => {
  it.each(['sepa_creditor_identifier,unique', 'assigned_creditor_identifier,assigned'])(
    'is read by the names of the service, of its exports and of our own result files: %s',
    async (names) => {
      const header = `customer_no,${names}_mandate_reference,iban,original_mandate_reference`
      const [one, two] = await read(header, '17,SE97ZZZ5560000001,NEW-1,, ', '17,,NEW-2,,OLD-2')
      const first = { line: 2, customerNo: 17, mandateReference: 'NEW-1', account: null }
      const creditorIdentifier = 'SE97ZZZ5560000001'
      expect(one).toMatchObject({ ...first, creditorIdentifier, originalMandateReference: null })
      const second = { mandateReference: 'NEW-2', originalMandateReference: 'OLD-2', creditorIdentifier: '' }
      expect(two).toMatchObject(second)
    },
  )

  it.each([',NEW-1', 'seventeen,NEW-1', '0,NEW-1', '17,'])(
    'without a customer number or reference (%s) makes the list useless, and nothing is recorded',
    async (line) => {
      const reading = read('customer_no,unique_mandate_reference', line)
      await expect(reading).rejects.toThrow(UsageError)
      await expect(reading).rejects.toThrow('Line 2 of "list.csv" has no customer_no or no assigned')
    },
  )
})

describe('what an entry says of a row', () => {
  const LISTED: ListEntry = {
    ...{ line: 2, customerNo: 1000, mandateReference: 'NEW-1', creditorIdentifier: 'SE97ZZZ5560000001' },
    ...{ signedDate: null, originalCreditorIdentifier: null, originalMandateReference: null },
    ...{ isEnded: false, account: null },
  }
  const said = (ledger: Ledger, given: Partial<ListEntry>) =>
    compareWith(ledger.view, ledger.view.row(1)!, { ...LISTED, ...given })

  it.each<[Partial<ListEntry>, string[], boolean]>([
    [{ account: 'de89 3704 0044 0532 0130 00' }, [], true],
    [{ account: OTHER_IBAN }, ['iban'], false],
    [{ account: 'NL…3000' }, ['iban'], false],
    [{ account: 'DE…3001' }, ['iban'], false],
    [{ account: '3001' }, ['iban'], false],
    [{ account: 'DE****' }, [], false], // no end is left
    [{ account: 'secret' }, [], false],
    [{ account: 'DE62370400440532013000' }, [], false], // no account at all
    [{ originalMandateReference: 'M-2' }, ['original reference'], false],
    [{ originalMandateReference: '1.2E+14' }, [], false], // a spreadsheet made a number of it
    [{ signedDate: '2020-01-30' }, ['signed_date'], false],
    [{ signedDate: 'last winter' }, [], false],
    [{ originalCreditorIdentifier: 'DE98ABC09999999999' }, [], false], // but for its business code
    [{ originalCreditorIdentifier: 'unknown' }, [], false],
    [{ originalCreditorIdentifier: 'DE79ZZZ01234567890' }, ['original creditor'], false],
    [{ customerNo: 1001, account: IBAN }, ['customer_no'], true],
  ])('%j contradicts in %j, and is specific: %s', (given, differing, isSpecific) => {
    expect(said(running([{}]), given)).toMatchObject({ differing, isSpecific })
  })

  it('proves by the whole account also after that was removed here', async () => {
    const ledger = running([{}])
    await send(ledger, registered('NEW-1'))
    expect(said(ledger, { account: IBAN })).toMatchObject({ differing: [], isSpecific: true })
  })
})
