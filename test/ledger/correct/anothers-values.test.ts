import { describe, expect, it } from 'vitest'
import { admit, decide, expectStates, holding, open, played } from '../campaign-setup.js'
import { registered } from '../outcomes.js'
import { COLUMNS, HEADER, IBAN, OTHER_IBAN, recordOf, type Values } from '../records.js'
import { germanIban } from '../../support/export.js'
import { problemsOf, query, statesOf } from '../ledger-views.js'
import type { Corrector } from '../../../src/domain/row/correction.js'
import type { Ledger } from '../../../src/ledger/file/writer.js'

const THIRD_IBAN = 'AT611904300234573201'
const FIRST = { customerNo: 1, iban: IBAN, reference: 'M-1', verdict: 'invalid' } as const
const SECOND = { customerNo: 2, iban: OTHER_IBAN, reference: 'M-2', verdict: 'invalid' } as const
const RIGHT = { ...FIRST, corrects: 1, verdict: 'sendable' } as const

const cellsOf = (customer: number, iban: string): string[] => [
  ...[String(customer), iban, '2020-01-31', 'DE98ZZZ09999999999', `M-${customer}`],
]

const THIRD = { customerNo: 3, iban: OTHER_IBAN, reference: 'M-3', verdict: 'invalid' } as const
/** Lines of rows 1 to 3 with new accounts, the same one in the first two. */
const inTwoLines = (second: Values = {}): Values[] => [
  { ...RIGHT, iban: THIRD_IBAN },
  { ...SECOND, verdict: 'sendable', iban: THIRD_IBAN, corrects: 2, ...second },
  { ...THIRD, verdict: 'sendable', iban: 'DE02120300000000202051', corrects: 3 },
]

/** Rows 1 and 2, both held back by their own checks, and then a correction of the first. */
function corrected(change: Values, second: Values = SECOND) {
  const ledger = holding([FIRST, second])
  admit(ledger, [{ ...RIGHT, ...change }], { name: 'mended.csv' })
  return ledger
}

describe('a correction with the reference of another row', () => {
  it.each([
    ['the same creditor', {}],
    ['another creditor', { creditor: 'DE11ZZZ00000000001' }],
    ['another case of letters', { reference: 'm-2' }],
    ['zeros in front that a spreadsheet takes away', { reference: '00M-2' }],
    ['without its mark', { reference: 'M2' }],
  ])('waits for a person: %s', (_, second) => {
    const ledger = corrected({ reference: 'M-2' }, { ...SECOND, ...second })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid', 'conflict'])
    const [problem] = problemsOf(ledger.file)
    expect(problem?.rule).toBe('CORRECTION_TAKES_REFERENCE')
    expect(problem?.message).toContain('It is that of line 3 of "export.csv", which is invalid (row 2).')
  })

  it.each(['M-2', 'M-3'])('also where that row has another reference by now, or was sent: %s', (reference) =>
    expectStates(
      'superseded superseded registered ready conflict',
      [FIRST, SECOND, { customerNo: 3, iban: THIRD_IBAN, reference: 'M-3' }],
      registered('NEW-1'),
      [{ ...SECOND, verdict: 'sendable', reference: 'M-22', corrects: 2 }],
      [{ ...RIGHT, reference }],
    ),
  )

  it('takes nothing from the row whose reference it is, and nothing is lost', () => {
    const ledger = corrected({ reference: 'M-2' })
    admit(ledger, [{ ...SECOND, verdict: 'sendable', corrects: 2 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'conflict', 'ready'])
    expect(ledger.totals()).toMatchObject({ read: 2, ready: 1, conflict: 1, superseded: 0 })
    admit(ledger, [{ ...RIGHT, corrects: 3 }])
    expect(ledger.totals()).toMatchObject({ read: 2, ready: 2 })
  })

  it.each(['invalid', 'excluded'] as const)('nor where it is itself %s', (verdict) => {
    const again = { ...RIGHT, reference: 'M-2', corrects: 3, signedDate: '2020-02-01' }
    const states = 'superseded invalid superseded conflict'
    return expectStates(states, [FIRST, SECOND], [{ ...RIGHT, reference: 'M-2', verdict }], [again])
  })

  it('goes by the word of a person, but not while the other row still claims the mandate', () => {
    const ledger = corrected({ reference: 'M-2' })
    admit(ledger, [{ ...RIGHT, reference: 'M-2', corrects: 3, isDecided: true }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid', 'superseded', 'conflict'])
    expect(problemsOf(ledger.file).at(-1)?.remedy).toContain('Two rows claim one mandate')
    admit(ledger, [{ ...SECOND, reference: 'M-22', verdict: 'sendable', corrects: 2 }])
    admit(ledger, [{ ...RIGHT, reference: 'M-2', corrects: 4, isDecided: true, signedDate: '2020-02-01' }])
    expect(statesOf(ledger.file).slice(-2)).toEqual(['ready', 'ready'])
  })
})

it('a correction with the reference of another mandate is written off alone, and the other mandate stays open', () => {
  const ledger = holding([
    FIRST,
    { ...SECOND, verdict: 'sendable' },
    { ...SECOND, verdict: 'sendable', iban: THIRD_IBAN },
  ])
  admit(ledger, [{ ...RIGHT, reference: 'M-2' }])
  expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict', 'conflict'])
  expect(decide(ledger, 4, 'written_off').isApplied).toBe(true)
  expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict', 'written_off'])
  admit(ledger, [{ ...SECOND, verdict: 'sendable', corrects: 2, isDecided: true }])
  expect(ledger.totals()).toMatchObject({ ready: 1, writtenOff: 1 })
})

describe('a correction with the account of another row that could not be read', () => {
  const rows = [1, 2, 3].map((n) => {
    const iban = `DE4137040044000000000${n}`
    return { customerNo: n, reference: `M-${n}`, iban, cells: cellsOf(n, iban.replace('DE41', 'DE00')) }
  })
  const DAMAGED = rows.map(({ iban }) => iban.replace('DE41', 'DE00'))
  const wrong = rows.map((row) => ({ ...row, verdict: 'invalid' as const, values: { iban: null } }))

  it.each([
    ['no account', wrong],
    [
      'an account with wrong check digits',
      wrong.map((row, at) => ({ ...row, values: { iban: DAMAGED[at]! } })),
    ],
  ])('waits: the column of accounts moved by a line, read before as %s', (_, before) => {
    const moved = rows.map((row, at) => ({ ...row, iban: rows[(at + 1) % 3]!.iban, corrects: at + 1 }))
    const ledger = holding(before, moved)
    expect(statesOf(ledger.file).slice(3)).toEqual(['conflict', 'conflict', 'conflict'])
    expect(problemsOf(ledger.file).at(-1)?.rule).toBe('CORRECTION_TAKES_ACCOUNT')
  })

  it('does not wait where each has its own, or what two rows of one customer have', () => {
    const mended = rows.map((row, at) => ({ ...row, corrects: at + 1 }))
    expect(statesOf(holding(wrong, mended).file).slice(3)).toEqual(['ready', 'ready', 'ready'])
    const [first, second] = wrong
    const both = [first!, { ...second!, customerNo: 1 }]
    const ledger = holding(both, [{ ...rows[0]!, iban: rows[1]!.iban, corrects: 1 }])
    expect(statesOf(ledger.file).at(-1)).toBe('ready')
  })
})

it('a line that shows one mandate of a customer and names the row of another holds both until the right rows are named', () => {
  const both = [
    { customerNo: 1, iban: IBAN, reference: 'M-1' },
    { customerNo: 1, iban: OTHER_IBAN, reference: 'M-2', signedDate: '2020-02-01' },
  ] as const
  const mended = { ...both[0], iban: THIRD_IBAN }
  const ledger = holding(both, [{ ...mended, corrects: 2 }])
  expect(statesOf(ledger.file)).toEqual(['conflict', 'superseded', 'conflict'])
  expect(ledger.totals()).toMatchObject({ read: 2, conflict: 2 })
  const told = problemsOf(ledger.file).map(({ rule, message }) => `${rule}: ${message}`)
  const shows = /^CONFLICT_MANDATE: .* shows this mandate and names row 2/
  expect(told).toContainEqual(expect.stringMatching(shows))
  admit(ledger, [
    { ...mended, corrects: 1 },
    { ...both[1], corrects: 2 },
  ])
  expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'superseded', 'ready', 'ready'])
  expect(ledger.totals()).toMatchObject({ read: 2, ready: 2 })
})

describe('a correction with the account of another customer', () => {
  it('says nothing of another row where it names the very row that it shows', () => {
    const first = { customerNo: 1, iban: IBAN, reference: 'M-1' } as const
    const ledger = holding([first, { ...SECOND, verdict: 'sendable' }])
    admit(ledger, [{ ...first, iban: OTHER_IBAN, corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'conflict'])
    expect(problemsOf(ledger.file).map(({ rule }) => rule)).not.toContain('CONFLICT_MANDATE')
    expect(ledger.view.decisions(0, 10).map(({ decision }) => decision)).not.toContain('held')
  })

  it('waits for a person, until the word or the right account comes', () => {
    const ledger = corrected({ iban: OTHER_IBAN })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid', 'conflict'])
    expect(problemsOf(ledger.file)).toMatchObject([{ rule: 'CORRECTION_TAKES_ACCOUNT', value: 'NL…4300' }])
    admit(ledger, [{ ...RIGHT, iban: OTHER_IBAN, corrects: 3, signedDate: '2020-02-01' }])
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
    admit(ledger, [{ ...RIGHT, iban: OTHER_IBAN, corrects: 4, isDecided: true }])
    expect(statesOf(ledger.file).at(-1)).toBe('ready')
  })

  it('waits also where customer and account moved together', () => {
    const line = { ...RIGHT, iban: OTHER_IBAN, customerNo: 2 }
    return expectStates('superseded invalid conflict', [FIRST, SECOND], [line])
  })

  it('is found within the file too: a cell that was filled down', () => {
    const down = { ...SECOND, verdict: 'sendable', iban: THIRD_IBAN, corrects: 2 } as const
    const states = 'superseded superseded conflict conflict'
    return expectStates(states, [FIRST, SECOND], [{ ...RIGHT, iban: THIRD_IBAN }, down])
  })

  it.each([
    ['holds every account of the file that was changed', {}, [0, 1, 2], 'conflict conflict conflict'],
    [
      'also where "send" was written for something else',
      { isDecided: true },
      [0, 1, 2],
      'conflict conflict conflict',
    ],
    ['holds them alone where they are not beside each other', {}, [0, 2, 1], 'conflict ready conflict'],
  ])('one account in two lines, as a column that moved leaves it, %s', (_, second, order, states) => {
    const given = order.map((at) => inTwoLines(second)[at] ?? {})
    return expectStates(`superseded superseded superseded ${states}`, [FIRST, SECOND, THIRD], given)
  })

  it('one account in two lines goes by the word of a person who saw it held', () => {
    const again = inTwoLines({ isDecided: true }).map((line, at) => ({ ...line, corrects: at + 4 }))
    const states = `${'superseded '.repeat(6)}conflict ready ready`
    return expectStates(states, [FIRST, SECOND, THIRD], inTwoLines(), again)
  })

  it('waits once more where the account beside "send" is not the one that was held', () => {
    const ledger = corrected({ iban: OTHER_IBAN })
    admit(ledger, [{ ...SECOND, verdict: 'sendable', iban: THIRD_IBAN, corrects: 2 }])
    admit(ledger, [{ ...RIGHT, iban: THIRD_IBAN, corrects: 3, isDecided: true }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'superseded', 'ready', 'conflict'])
  })

  it('is none with that of a line which was not taken', () => {
    const other = { ...SECOND, verdict: 'sendable' } as const
    const states = 'registered superseded conflict ready'
    const notTaken = { ...other, iban: THIRD_IBAN, corrects: 99 }
    const line = { ...RIGHT, iban: THIRD_IBAN, corrects: 2 }
    return expectStates(states, [other], registered('NEW-1'), [FIRST], [notTaken], [line])
  })

  it.each([
    ['of the same customer', { iban: OTHER_IBAN }, { ...SECOND, customerNo: 1 }],
    ['that it had before', { signedDate: '2020-02-01' }, { ...SECOND, iban: IBAN }],
    ['that nobody has', { iban: THIRD_IBAN }, SECOND],
  ])('is none with an account %s', (_, change, second) => {
    expect(statesOf(corrected(change, second).file)).toEqual(['superseded', 'invalid', 'ready'])
  })
})

describe.each([
  ['customer number', 'CORRECTION_TAKES_CUSTOMER', (n: number): Values => ({ customerNo: n })],
  ['date', 'CORRECTION_TAKES_DATE', (n: number): Values => ({ signedDate: `2019-03-0${n}` })],
] as const)('a correction with the %s of another line', (_, rule, valueOf) => {
  const rows = [IBAN, OTHER_IBAN, THIRD_IBAN].map((iban, at): Values => ({
    customerNo: at + 1,
    reference: `M-${at + 1}`,
    iban,
    ...valueOf(at + 1),
  }))
  const lines = (numbers: readonly number[], more: Values = {}): Values[] =>
    rows.map((row, at) => ({
      ...{ ...row, ...valueOf(numbers[at]!), corrects: at + 1 },
      ...(numbers[at] === at + 1 ? { isUnchanged: true } : more),
    }))

  it.each([
    ['moved up by a line', [2, 3, 1], 'conflict conflict conflict'],
    ['moved down, the first left as it is', [1, 1, 2], 'duplicate conflict conflict'],
    ['two lines crossed', [2, 1, 3], 'conflict conflict duplicate'],
    ['two lines crossed, and a third with a value that none had', [2, 1, 7], 'conflict conflict conflict'],
    ['values that none of the lines had', [7, 9, 8], 'ready ready ready'],
    ['the value of a line that keeps it', [1, 1, 3], 'duplicate ready duplicate'],
  ])('%s', (_, numbers, states) => {
    const found = statesOf(holding(rows, lines(numbers)).file)
    expect(found.slice(3).join(' ')).toBe(states)
  })

  it('says so, and goes by the word of a person', () => {
    const ledger = holding(rows, lines([2, 1, 3]))
    expect(problemsOf(ledger.file)).toMatchObject([
      { rule, message: expect.stringContaining('(row 2)') as string },
      { rule },
    ])
    admit(ledger, [{ ...rows[0], ...valueOf(2), cells: ['again'], corrects: 4 }])
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
    const word = lines([2, 1, 3], { isDecided: true }).slice(0, 2)
    admit(ledger, [
      { ...word[0], corrects: 7 },
      { ...word[1], corrects: 5 },
    ])
    expect(statesOf(ledger.file).slice(-2)).toEqual(['ready', 'ready'])
  })

  it('is no word where what it replaced could not be read', () => {
    const [first = {}, second = {}, third = {}] = lines([2, 1, 3])
    const unknown = { verdict: 'invalid', values: { customerNo: null, signedDate: null } } as const
    const unread = rows.map((row) => ({ ...row, ...unknown }))
    const given = holding(unread, [first, second, { ...third, isUnchanged: false }])
    expect(statesOf(given.file).slice(3)).toEqual(['ready', 'ready', 'ready'])
  })
})

describe('cells that a spreadsheet filled with a series', () => {
  const rows = [14, 25, 31, 47].map((n, at) => ({
    ...{ customerNo: 1000 + n, reference: `M-${n}`, signedDate: `2019-0${at + 1}-${n % 30}` },
    iban: [IBAN, OTHER_IBAN, THIRD_IBAN, 'DE02120300000000202051'][at]!,
  }))
  const dragged = (valueOf: (at: number) => Values): Values[] =>
    rows.map((row, at) => ({
      ...row,
      ...(at === 0 ? {} : valueOf(at)),
      verdict: 'sendable',
      corrects: at + 1,
    }))
  const broken = (row: Values): Values => ({ ...row, verdict: 'invalid', values: { iban: null } })

  it.each<[string, string, (at: number) => Values]>([
    ['CUSTOMER', 'It may be the customer number', (at) => ({ customerNo: 1014 + at })],
    ['REFERENCE', 'counts up', (at) => ({ reference: `M-${14 + at}` })],
    ['DATE', 'It may be the date', (at) => ({ signedDate: `2019-01-${14 + at}` })],
  ])('waits, but not its first cell, and goes by the word of a person: %s', (name, text, valueOf) => {
    const ledger = holding(rows.map(broken), dragged(valueOf))
    expect(statesOf(ledger.file).slice(4)).toEqual(['ready', 'conflict', 'conflict', 'conflict'])
    const rule = `CORRECTION_TAKES_${name}`
    expect(problemsOf(ledger.file)).toMatchObject([1, 2, 3].map(() => ({ rule })))
    expect(problemsOf(ledger.file)[0]?.message).toContain(text)
    const again = dragged(valueOf).slice(1)
    admit(
      ledger,
      again.map((line, at) => ({ ...line, corrects: at + 6, isDecided: true })),
    )
    expect(statesOf(ledger.file).slice(-3)).toEqual(['ready', 'ready', 'ready'])
  })

  it.each<[string, (at: number) => Values, (row: Values, at: number) => Values]>([
    [
      'a single value that follows the one above',
      (at) => (at === 1 ? { reference: 'M-15' } : {}),
      (row) => row,
    ],
    [
      'values that counted up before',
      (at) => ({ reference: `M-0${at}` }),
      (row, at) => ({ ...row, reference: `M_0${at}`, mandateKey: null }),
    ],
  ])('is no series: %s', (_, valueOf, before) => {
    const ledger = holding(
      rows.map((row, at) => broken(before(row, at))),
      dragged(valueOf),
    )
    expect(statesOf(ledger.file).slice(4)).toEqual(['ready', 'ready', 'ready', 'ready'])
  })
})

describe('accounts that lacked a character, completed in the wrong line', () => {
  const whole = [11, 22, 33, 44].map((n) => germanIban(n * 1_357))
  const rows = whole.map((iban, at): Values => ({
    ...{ customerNo: at + 1, reference: `M-${at + 1}`, verdict: 'invalid', values: { iban: null } },
    cells: cellsOf(at + 1, iban.slice(0, -1)),
  }))
  const given = (order: readonly number[]): Values[] =>
    order.map((of, at) => ({
      ...{ customerNo: at + 1, reference: `M-${at + 1}`, corrects: at + 1 },
      iban: whole[of]!,
    }))

  it.each([
    ['moved by a line', [1, 2, 3, 0], 'conflict conflict conflict conflict'],
    [
      'one of them in another line hold all that changed',
      [0, 1, 3, 2],
      'conflict conflict conflict conflict',
    ],
    ['each in its own line', [0, 1, 2, 3], 'ready ready ready ready'],
  ])('%s', (_, order, states) => {
    const ledger = holding(rows, given(order))
    expect(statesOf(ledger.file).slice(4).join(' ')).toBe(states)
  })
})

it.each(['M-1', 'M-9'])(
  'an export with the values from before a correction, since registered as %s, leaves no account',
  async (reference) => {
    const corrected = { ...RIGHT, reference, iban: THIRD_IBAN }
    const ledger = await played([FIRST], [corrected], registered('NEW-1'), [
      { ...FIRST, cells: ['once more'] },
    ])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'registered', 'duplicate'])
    expect(query(ledger.file, 'select row_id from private')).toEqual([])
  },
)

const giveBack = (
  ledger: Ledger,
  values: Values,
  corrector: Corrector = { by: 'Berta', reason: null },
): unknown => admit(ledger, [{ corrects: 1, ...values }], { corrector, name: 'mended.csv' })

const heldBack = (): Ledger => holding([{ verdict: 'invalid' }])

describe('a correction on record', () => {
  it('names who, why and each field before and after, and no whole account', () => {
    const ledger = heldBack()
    giveBack(ledger, { iban: OTHER_IBAN, signedDate: '2020-02-01', said: { by: null, reason: 'a letter' } })
    const evidence = 'iban "DE…3000" → "NL…4300", signed_date "2020-01-31" → "2020-02-01"'
    const said = { rowId: 2, decision: 'corrected', by: 'Berta', from: 'invalid', to: 'ready' }
    expect(ledger.view.decisions(0, 9)).toMatchObject([{ ...said, reason: 'a letter', evidence }])
  })

  it('takes name and reason of the line before those of the command', () => {
    const ledger = heldBack()
    const corrector = { by: 'Berta', reason: `list of ${IBAN}` }
    giveBack(ledger, { signedDate: '2020-02-01', said: { by: 'Carl', reason: null } }, corrector)
    expect(ledger.view.decisions(0, 9)).toMatchObject([{ by: 'Carl', reason: 'list of DE…3000' }])
  })

  it('shows the cell where nothing could be read before, masked as an account', () => {
    const cells = ['1000', 'DE89 3704 0044 0532 0130 01', '30.02.2020', 'DE98ZZZ09999999999', 'M-1']
    const values = { iban: null, signedDate: null }
    const ledger = holding([{ verdict: 'invalid', mandateKey: null, cells, values }])
    giveBack(ledger, {})
    expect(ledger.view.decisions(0, 9)[0]?.evidence).toBe(
      'iban "DE…3001" → "DE…3000", signed_date "30.02.2020" → "2020-01-31"',
    )
  })

  it('is none where the line says what the row said, or could not be taken', () => {
    const ledger = heldBack()
    giveBack(ledger, { verdict: 'invalid', isUnchanged: true })
    giveBack(ledger, { corrects: 99, signedDate: '2020-02-01' })
    expect(ledger.view.decisions(0, 9)).toEqual([])
  })

  it('says that a person had a row sent as it stands, and that an excluded one goes', () => {
    const ledger = heldBack()
    giveBack(ledger, { isDecided: true })
    expect(ledger.view.decisions(0, 9)).toMatchObject([
      { evidence: 'migration_decision "" → "send"', reason: 'no reason given' },
    ])
    const other = holding([{ verdict: 'excluded' }])
    giveBack(other, {})
    expect(other.view.decisions(0, 9)).toMatchObject([{ from: 'excluded', to: 'ready', evidence: null }])
  })

  it.each(['conflict', 'excluded'] as const)('shows the word by which a row was %s', (verdict) => {
    const names = { header: [...HEADER, 'State of it'], columns: { ...COLUMNS, status: 'State of it' } }
    const said = (word: string): Values => ({ cells: [...recordOf().cells, word] })
    const ledger = open()
    admit(ledger, [{ ...said('gone'), verdict }], names)
    admit(ledger, [{ ...said('active'), corrects: 1 }], { ...names, name: 'mended.csv' })
    const evidence = 'status "gone" → "active"'
    expect(ledger.view.decisions(0, 9)).toMatchObject([{ from: verdict, to: 'ready', evidence }])
  })

  it('tells nothing of a word that was not read before', () => {
    const ledger = holding([{ verdict: 'excluded' }])
    const names = { header: [...HEADER, 'State of it'], columns: { ...COLUMNS, status: 'State of it' } }
    admit(ledger, [{ cells: [...recordOf().cells, 'active'], corrects: 1 }], names)
    expect(ledger.view.decisions(0, 9)).toMatchObject([{ from: 'excluded', evidence: null }])
  })

  it('compares with what was agreed to, not with what was held back meanwhile', () => {
    const ledger = holding([{ verdict: 'invalid' }, { customerNo: 2, iban: OTHER_IBAN, reference: 'M-2' }])
    giveBack(ledger, { iban: OTHER_IBAN })
    giveBack(ledger, { iban: OTHER_IBAN, corrects: 3, isDecided: true })
    expect(ledger.view.decisions(0, 9).map(({ evidence }) => evidence)).toEqual([
      'iban "DE…3000" → "NL…4300"',
      'iban "DE…3000" → "NL…4300", migration_decision "" → "send"',
    ])
  })

  it('can be written off in the state that it came in', () => {
    const ledger = heldBack()
    giveBack(ledger, { verdict: 'invalid', signedDate: '2020-02-01' })
    expect(decide(ledger, 2, 'written_off').isApplied).toBe(true)
  })
})
