import { describe, expect, it } from 'vitest'
import { admit, compareWith, expectStates, holding, played, running, type Step } from '../campaign-setup.js'
import { refused, registered } from '../outcomes.js'
import { CREDITOR, IBAN, recordOf, OTHER_IBAN, type Values } from '../records.js'
import { problemsOf, rowsOf, statesOf, byHand } from '../ledger-views.js'
import { isProtected, OLD_STATES, reach } from '../old-rows.js'
import { isBalanced } from '../../../src/domain/row/row-state.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'
import { findingOf } from '../../../src/domain/rule/verdict.js'
import { createFingerprints } from '../../../src/ledger/admit/stored-row.js'
import { locate } from '../../../src/ledger/correct/corrections.js'

const ROWS: readonly Values[] = [
  { customerNo: 1001, reference: 'M-1', iban: IBAN },
  { customerNo: 1002, reference: 'M-2', iban: OTHER_IBAN },
  { customerNo: 1002, reference: 'M-3', iban: IBAN, verdict: 'invalid' },
]
const TWINS: readonly Values[] = [
  { customerNo: 1002, reference: 'M-3', iban: IBAN },
  { customerNo: 1002, reference: 'M-4', iban: IBAN },
]

it.each<[string, readonly string[], number | null, (readonly (readonly Values[])[])?, number?]>([
  ['by two of customer, account and reference, wherever they stand', ['', 'x', OTHER_IBAN, '1002'], 2],
  ['by customer and reference, in any case', ['1001', '', '', '', 'm-1'], 1],
  ['by its number and reference', ['3', 'M-3'], 3],
  ['by its number and account', ['3.0', IBAN], 3],
  ['by cells as a spreadsheet saves them', ['1001.0', 'de89 3704 0044 0532 0130 00'], 1],
  ['by cells with text markers', ['="1002"', '="M-2"'], 2],
  ['not by its customer alone', ['1001'], null],
  ['not by its account alone', [IBAN], null],
  ['not by what stands in two rows', ['M-1', IBAN], null],
  ['not by a creditor and a date, which whole files share', ['1', CREDITOR, '2020-01-31'], null],
  ['not by nothing', ['', ''], null],
  ['not where as much speaks for two rows', ['1002', IBAN], null, [TWINS]],
  ['as the one for which most speaks', ['1002', IBAN, 'M-4'], 2, [TWINS]],
  ['never in the file at hand', ['1001', IBAN], null, [ROWS], 1],
  ['in the file before it', ['1001', IBAN], 1, [ROWS], 2],
  ['as what replaced it since', ['1000', IBAN], 2, [[{ verdict: 'invalid' }], [{ corrects: 1 }]]],
])(
  'the row that a damaged line was meant to correct is found %s',
  (_, cells, row, files = [ROWS], first = 1_000) => {
    const found = byHand(holding(...files).file, (connection) => {
      const secret = connection.prepare<[], Buffer>('select secret from campaign').pluck().get()
      const fingerprints = createFingerprints(secret ?? Buffer.alloc(0))
      return locate({ connection, fingerprints, first }, cells)
    })
    expect(found).toBe(row)
  },
)

const FINDING = {
  ...({ rule: 'UMR_EMPTY', severity: 'error', field: 'unique_mandate_reference', value: '' } as const),
  ...{ message: 'There is none.', remedy: 'Fill it in.' },
}

/** A row whose mandate cannot be told. */
const UNREAD = { verdict: 'invalid', reference: '', mandateKey: null } as const
const INVALID = { verdict: 'invalid' } as const

/** The corrected row names another mandate: its reference was the damage. */
const CORRECTED = { reference: 'M-ONE', corrects: 1 } as const

const OF_ACCOUNT: Values = { corrects: 1 }

const REPEATED = { reference: 'M-1X' } as const
const RIGHT = { reference: 'M-1', iban: OTHER_IBAN, corrects: 2 } as const
const AS_IT_WAS = { corrects: 1, isUnchanged: true }

/** A line of customer 2 as it looks when the zeros in front of its reference were lost. */
const shownAs = (corrects: number): Values => ({
  ...{ customerNo: 2, reference: '4711', iban: OTHER_IBAN, corrects },
  cells: ['2', OTHER_IBAN, '2020-01-31', CREDITOR, '4711'],
})
/** Two rows of one customer; what is damaged shows the second one by number, and the account of the first. */
const siblings = (first: string, second: string): Values[] => [
  { customerNo: 1005, reference: first, iban: OTHER_IBAN },
  { customerNo: 1005, reference: second, signedDate: '2020-02-01' },
]
const damaged = (reference: string): Values => ({
  ...{ ...INVALID, corrects: 0, reference: 'M-none' },
  cells: ['1005', OTHER_IBAN, '2020-02-01', CREDITOR, reference, '2', 'ready', 'x'],
})
/** A record of which nothing could be read but its cells. */
const unreadable = (...cells: readonly string[]): Values => {
  const [customerNo, iban, signedDate, creditorIdentifier, mandateReference] = [null, null, null, null, null]
  const values = { customerNo, iban, signedDate, creditorIdentifier, mandateReference }
  return { ...INVALID, mandateKey: null, cells, values }
}

describe('a row that corrects an older one', () => {
  it.each<[string, string, ...Values[]]>([
    ['before', 'superseded duplicate ready', AS_IT_WAS, { reference: 'M-9', corrects: 1 }],
    ['after', 'superseded ready duplicate', { reference: 'M-9', corrects: 1 }, AS_IT_WAS],
  ])('is taken where another line has that row as it was, %s', (_, states, ...lines) =>
    expectStates(states, [{}], lines),
  )

  it.each(OLD_STATES.filter((state) => state !== 'superseded'))(
    'replaces a row that is %s, where nothing of it may have been sent, and else is a conflict',
    async (state) => {
      const ledger = running()
      await reach(ledger, state)
      admit(ledger, [CORRECTED])
      const rows = rowsOf(ledger.file)
      const newcomer = rows.at(-1)
      expect(isBalanced(ledger.totals())).toBe(true)
      if (!isProtected(state)) {
        expect(newcomer?.state).toBe('ready')
        expect(rows[0]).toMatchObject({ state: 'superseded', supersededBy: newcomer?.id })
        return
      }
      expect(statesOf(ledger.file)).toEqual([state, 'conflict'])
      const isFinal = state === 'registered' || state === 'written_off'
      const said =
        state === 'written_off'
          ? 'This cannot replace'
          : 'The mandate was sent already, and this record says something else of it. It is'
      expect(problemsOf(ledger.file).at(-1)?.message).toBe(
        `${said} line 2 of "export.csv"${isFinal ? `, which is ${state.replace('_', ' ')}` : ''} (row 1).`,
      )
      expect(ledger.view.openCutOver().open).toBe(state === 'written_off' ? 0 : 1)
    },
  )

  it('replaces what replaced the row since', () => {
    const moved = { customerNo: 1001, corrects: 1 }
    const ledger = holding([INVALID], [{ ...INVALID, ...moved }], [{ ...CORRECTED, ...moved }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready'])
    expect(rowsOf(ledger.file).map(({ supersededBy }) => supersededBy)).toEqual([2, 3, null])
  })

  it('gives a mandate key to a row that had none', () =>
    expectStates('superseded ready', [UNREAD], [CORRECTED]))

  it('frees the old mandate for a row of its file', () =>
    expectStates('superseded ready ready', [{}], [CORRECTED, { customerNo: 7 }]))

  it('replaces the old row also where the new one is held back', () =>
    expectStates('superseded invalid', [{}], [{ ...CORRECTED, ...INVALID }]))

  it('is a duplicate of a mandate that the ledger holds, and replaces the damaged row all the same', () =>
    expectStates('superseded ready duplicate', [INVALID, { reference: 'M-ONE' }], [CORRECTED]))

  it('knows a row again whose account number was removed and is shown masked', () => {
    const cells = ['1000', 'DE…3000', '2020-01-31', CREDITOR, 'M-1']
    const masked = { ...INVALID, corrects: 2, isUnchanged: true, cells }
    return expectStates('registered duplicate duplicate', [{}, {}], registered('NEW-1'), [masked])
  })

  it('does not undo a correction with a stale copy', () => {
    const old = { ...INVALID, iban: 'DE00' }
    return expectStates('superseded ready duplicate', [old], [{ corrects: 1 }], [{ ...old, ...AS_IT_WAS }])
  })

  it.each<[string, Values, number]>([
    ['of its account', OF_ACCOUNT, 4],
    ['of its reference', CORRECTED, 2],
  ])(
    'is a conflict in a list from before its row was corrected and sent: %s',
    async (_, outdated, standing) => {
      const sent = [[{ iban: 'DE00' }], refused(), [{ iban: OTHER_IBAN, corrects: 1 }], refused()]
      const ledger = await played(...sent, [outdated])
      expect(rowsOf(ledger.file).at(-1)).toMatchObject({ state: 'conflict', rule: 'CONFLICT_MANDATE' })
      expect(problemsOf(ledger.file).at(-1)?.message).toBe(
        'This list is older than what is known of row 1 by now: look at line 2 of "export.csv", which is refused (row 2).',
      )
      // Another line of the old list is held as well; one of the newest is taken.
      if (outdated === OF_ACCOUNT) admit(ledger, [{ ...outdated, signedDate: '2020-02-02' }])
      expect(statesOf(ledger.file).at(-1)).toBe('conflict')
      admit(ledger, [{ ...outdated, signedDate: '2020-02-03', corrects: standing }])
      expect(statesOf(ledger.file).at(-1)).toBe('ready')
      expect(isBalanced(ledger.totals())).toBe(true)
    },
  )

  it('of an old list is taken step by step while what replaced its row cannot be sent', () => {
    const wrong = { ...INVALID, iban: 'DE01', corrects: 1 }
    const states = 'superseded superseded ready'
    return expectStates(states, [{ iban: 'DE00' }], refused(), [wrong], [{ corrects: 1 }])
  })

  it('settles a conflict by the one row that was kept', () => {
    const kept = { iban: OTHER_IBAN }
    return expectStates('superseded superseded ready', [{}, kept], [{ ...kept, corrects: 2 }])
  })

  it('settles it also where the other one turns out to be another mandate', () => {
    const [first, second] = [
      { reference: 'M-9', corrects: 1 },
      { customerNo: 2, corrects: 2, isUnchanged: true },
    ]
    return expectStates('superseded superseded ready ready', [{}, { customerNo: 2 }], [first, second])
  })

  it('sends nothing of a customer who was erased once the list was written, also by what replaced the row', () => {
    const ledger = holding([INVALID])
    admit(ledger, [{ ...INVALID, signedDate: '2020-02-01', corrects: 1 }])
    ledger.erase({ by: 'Ada', reason: 'asked', customerNo: 1000, rowIds: [2], withOpenRows: true })
    admit(ledger, [{ ...CORRECTED, signedDate: '2020-02-01', iban: OTHER_IBAN }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid', 'conflict'])
  })

  it.each<[string, Values[]]>([
    ['ready', [RIGHT]],
    ['ready duplicate', [RIGHT, { ...REPEATED, ...AS_IT_WAS }]],
    ['duplicate ready', [{ ...REPEATED, ...AS_IT_WAS }, RIGHT]],
    ['ready duplicate', [RIGHT, { ...RIGHT, corrects: 1 }]],
  ])('of a repeated one corrects the mandate: %s', (states, given) =>
    expectStates(`superseded superseded ${states}`, [REPEATED, REPEATED], given),
  )

  it('holds the row back whose number cannot be read', () => {
    const line = { ...INVALID, corrects: 0, mandateKey: null, cells: ['x', '1000', IBAN, '?'] }
    return expectStates('superseded ready invalid', [{}, { reference: 'M-2', customerNo: 1002 }], [line])
  })

  it('with the number of another row holds the mandate back that it names', () => {
    const second = { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN }
    const line = { ...second, customerNo: 3, corrects: 1 }
    return expectStates('ready superseded conflict', [{}, second], [line])
  })

  it('holds the row back for which most speaks: its number and reference, not the account of another one', () =>
    expectStates('ready superseded invalid', siblings('004718', '004719'), [damaged('004719')]))

  it('holds the row back that it names, where another one of the customer has its new account', () =>
    expectStates('ready superseded invalid', siblings('M-8', 'M-9X'), [damaged('M-9')]))

  it('holds no row back that was sent, whatever it shows', () => {
    const [sent, other] = [{ reference: '004711', customerNo: 2 }, { customerNo: 5 }]
    return expectStates('registered ready conflict', [sent], registered('NEW-1'), [other], [shownAs(2)])
  })

  it.each([
    { iban: OTHER_IBAN, reference: 'M-2' },
    { customerNo: 2, reference: 'M-2' },
    { customerNo: 2, iban: OTHER_IBAN, reference: 'm-1' },
  ])('is taken where customer, account or reference is still the same: %j', (values) =>
    expectStates('superseded ready', [INVALID], [{ ...values, corrects: 1 }]),
  )

  it('is taken where a cell that could not be read is still the same', () => {
    const line = { reference: 'M-9', cells: ['1000', 'DE00', '2020-01-31', 'DE98', 'M-9'], corrects: 1 }
    return expectStates('superseded ready', [unreadable('1000 (old)', 'DE00', '31.01.2020', 'DE98')], [line])
  })

  it('is taken where any cell of a record that had too many is still the same', () =>
    expectStates('superseded ready', [unreadable('1000', '', IBAN)], [{ customerNo: 5, ...CORRECTED }]))

  it('waits, each of them, where two reach the same row by different numbers', () => {
    const before = [{ ...INVALID, customerNo: 2, corrects: 1 }]
    const states = 'superseded superseded conflict conflict'
    return expectStates(states, [INVALID], before, [CORRECTED, { reference: 'M-3', corrects: 2 }])
  })

  it('says that it is still wrong, and keeps the old one', () => {
    const ledger = holding(
      [INVALID, { ...UNREAD, customerNo: 7 }],
      [
        { ...INVALID, corrects: 1, isUnchanged: true },
        { ...UNREAD, customerNo: 7, corrects: 2, isUnchanged: true, findings: [FINDING] },
      ],
    )
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'duplicate', 'duplicate'])
    expect(problemsOf(ledger.file)).toEqual([])
    expect(ledger.totals()).toMatchObject({ read: 2, resubmitted: 2, invalid: 2, duplicate: 0 })
  })

  it('takes one place, whichever row it holds back', () => {
    const repeated = holding([REPEATED, REPEATED], [RIGHT])
    expect(repeated.totals()).toMatchObject({ read: 2, resubmitted: 1, ready: 1 })
    const shown = holding([{ customerNo: 5 }, { reference: '004711', customerNo: 2 }], [shownAs(1)])
    expect(rowsOf(shown.file)[1]).toMatchObject({ supersededBy: 3 })
    expect(shown.totals()).toMatchObject({ read: 2, resubmitted: 1, ready: 1, conflict: 1, superseded: 0 })
  })

  it.each<[string, Step[], string, string]>([
    [
      'the mandate was sent',
      [[REPEATED, REPEATED], registered('NEW-1'), [RIGHT]],
      'registered duplicate',
      'which is registered (row 1)',
    ],
    [
      'the ledger had no such row',
      [[INVALID], [{ reference: 'M-2', corrects: 99 }]],
      'invalid',
      'The migration_row column says that this corrects row 99, but this ledger had no such row.',
    ],
    [
      'its number is that of a row of its own file',
      [[INVALID], [{ customerNo: 3, reference: 'M-3', corrects: 2 }]],
      'invalid',
      'this corrects row 2, but this ledger had no such row.',
    ],
    [
      'customer, account and reference all differ',
      [[INVALID], [{ customerNo: 2, iban: OTHER_IBAN, reference: 'M-2', corrects: 1 }]],
      'invalid',
      'The column may be sorted apart, or the file come from another ledger.',
    ],
    [
      'two rows make two mandates of one',
      [[INVALID], [{ reference: 'M-2', corrects: 1 }, CORRECTED]],
      'invalid conflict',
      'Several rows of the file say that they correct row 1',
    ],
  ])('is a conflict where %s', async (_, steps, others, message) => {
    const { file } = await played(...steps)
    expect(statesOf(file).join(' ')).toBe(`${others} conflict`)
    expect(problemsOf(file).at(-1)?.message).toContain(message)
  })
})

it.each<[string, Values]>([
  ['that the ledger does not have', { reference: 'M-2', corrects: 99 }],
  ['of another mandate', { customerNo: 2, iban: OTHER_IBAN, reference: 'M-2', corrects: 1 }],
])('a line that names a row %s goes without that number, as it says', (_, line) => {
  const ledger = holding([INVALID], [line])
  expect(problemsOf(ledger.file).at(-1)?.remedy).toContain('empty its migration_row cell')
  const own = { ...line, corrects: null }
  admit(ledger, [own], { kind: 'list' })
  expect(statesOf(ledger.file)).toEqual(['invalid', 'superseded', 'ready'])
})

describe('a line of a list that is older than what is known by now', () => {
  const BAD = { values: { iban: null }, verdict: 'invalid' } as const
  const LINE = { iban: IBAN, corrects: 1 } as const
  const old = (more: Values = {}, isDecided = false) => [{ ...LINE, ...more, isDecided }]

  it.each<[string, Values, boolean]>([
    ['a corrected account, where the export has another one', {}, false],
    ['a corrected date', { signedDate: '2020-02-02' }, false],
    ['"send"', {}, true],
  ])('waits beside a newer export: %s', (_, more, isDecided) => {
    const ledger = holding([BAD])
    admit(ledger, [{ customerNo: 1055, iban: OTHER_IBAN }], { isNewer: true })
    admit(ledger, old(more, isDecided))
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'conflict'])
    expect(ledger.totals()).toMatchObject({ ready: 0, conflict: 1 })
    expect(problemsOf(ledger.file).at(-1)?.message).toContain('older than')
    // A line of the newest list says which is right.
    admit(ledger, [{ ...LINE, customerNo: 1055, corrects: 3 }])
    expect(ledger.totals()).toMatchObject({ ready: 1, conflict: 0 })
  })

  it('waits beside a newer export also under another reference, and what the export says waits, too', () => {
    const ledger = holding([BAD])
    admit(ledger, [{ iban: OTHER_IBAN }], { isNewer: true })
    admit(ledger, old({ reference: 'M-9' }))
    expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict'])
    expect(problemsOf(ledger.file).at(-1)?.message).toMatch(/^A list that is older than this row/)
  })

  it('does not revive what a newer export ended', () => {
    const ledger = holding([{}, { customerNo: 9 }])
    expect(statesOf(ledger.file)).toEqual(['conflict', 'conflict'])
    admit(ledger, [{ verdict: 'excluded' }], { isNewer: true })
    admit(ledger, old({}, true))
    expect(ledger.totals().ready).toBe(0)
  })

  it('says nothing where the newer export says the same', () => {
    const ledger = holding([BAD])
    admit(ledger, [{ iban: IBAN }], { isNewer: true })
    admit(ledger, old())
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'duplicate'])
  })

  it('undoes no correction of somebody else, contradicts none, and adds to one', () => {
    const mended = { ...LINE, customerNo: 1055, signedDate: '2020-02-02' }
    const ledger = holding([BAD], [mended], old({ signedDate: '2020-02-02' }))
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'conflict'])
    const otherwise = holding([BAD], [mended], old({ ...mended, iban: OTHER_IBAN }))
    expect(statesOf(otherwise.file)).toEqual(['superseded', 'superseded', 'conflict'])
    const both = [{ ...mended, iban: OTHER_IBAN, corrects: 2 }]
    const ofBoth = holding([BAD], [{ ...BAD, customerNo: 1055 }], [mended], both)
    expect(ofBoth.totals()).toMatchObject({ ready: 0 })
    const added = holding([BAD], [{ ...LINE, customerNo: 1055 }], [{ ...mended }])
    expect(statesOf(added.file)).toEqual(['superseded', 'superseded', 'ready'])
  })

  it.each<[string, Values[]]>([
    ['ended', [{ verdict: 'excluded' }]],
    ['gone', []],
    ['changed', [{ iban: OTHER_IBAN }]],
  ])('waits where its list does not know of the comparison in which the mandate is %s', (_, final) => {
    for (const comparison of [0, 1]) {
      const ledger = holding([{}, { customerNo: 9 }])
      compareWith(ledger, [...final, { reference: 'M-9' }])
      admit(ledger, [{ ...LINE, isDecided: true, said: { by: null, reason: null, comparison } }])
      expect(ledger.totals().ready).toBe(comparison)
      const isOlder = problemsOf(ledger.file).some(({ message }) => message.startsWith('This list is older'))
      expect(isOlder).toBe(comparison === 0)
    }
  })
})

describe('"send" in a list that was written before more is known of its row', () => {
  const OTHER = [{ iban: OTHER_IBAN }]
  const ended = (reference: string): Values => ({
    ...{ reference, verdict: 'excluded', mandateKey: recordOf({ reference }).mandateKey },
    findings: findingOf('STATUS_NOT_ACTIVE', {}, {}),
  })
  const UNCLEAR: Values[][] = [[{ verdict: 'conflict' }]]
  const KIN = [[{}], [{ reference: 'M1' }]]
  const known = (ledger: Ledger) => {
    const { comparison, problem } = ledger.view.campaign()
    return { by: null, reason: null, comparison: comparison ?? 0, problem: problem ?? 0 }
  }

  it.each<[string, Values[][], Values[], Values?]>([
    ['an export says that it has ended', UNCLEAR, [ended('M-1')]],
    ['an export has another account', UNCLEAR, OTHER],
    ['an export has another account, and so does a correction', UNCLEAR, OTHER, { signedDate: '2020-02-02' }],
    ['another spelling of it has ended', KIN, [ended('M01')]],
    ['another spelling of it waits', KIN, [{ reference: 'M01' }]],
  ])('waits once %s, and the next list says so', (_, files, later, corrected) => {
    const ledger = holding(...files)
    const said = known(ledger)
    admit(ledger, later, { name: 'later.csv' })
    admit(ledger, [{ corrects: 1, isDecided: corrected === undefined, ...corrected, said }])
    expect(ledger.totals().ready).toBe(0)
    const waiting = ledger.view.rows(['conflict'], 0, 9).map(({ id }) => id)
    const told = problemsOf(ledger.file).findLast(
      ({ rowId, message }) => waiting.includes(rowId ?? 0) && message.includes('line 2 of "later.csv"'),
    )
    // In a list of now the same word counts.
    admit(ledger, [{ ...corrected, corrects: told!.rowId, isDecided: true, said: known(ledger) }])
    expect(ledger.totals().ready).toBe(1)
  })
})
