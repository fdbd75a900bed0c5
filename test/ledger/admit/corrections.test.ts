import { describe, expect, it } from 'vitest'
import {
  admit,
  CREDITOR,
  holding,
  IBAN,
  open,
  OTHER_IBAN,
  registered,
  running,
  send,
  type Values,
} from '../campaign-setup.js'
import { problemsOf, rowsOf, statesOf, byHand } from '../ledger-views.js'
import { isProtected, OLD_STATES, reach } from '../old-rows.js'
import { isBalanced } from '../../../src/domain/row/row-state.js'
import { createFingerprints } from '../../../src/ledger/admit/fingerprints.js'
import { locate } from '../../../src/ledger/admit/corrections.js'

const ROWS: readonly Values[] = [
  { customerNo: 1001, reference: 'M-1', iban: IBAN },
  { customerNo: 1002, reference: 'M-2', iban: OTHER_IBAN },
  { customerNo: 1002, reference: 'M-3', iban: IBAN, verdict: 'invalid' },
]

/** The row that is found among those before `first`. */
const locateIn = (file: string, cells: readonly string[], first = 1_000): number | null =>
  byHand(file, (connection) => {
    const secret = connection.prepare<[], Buffer>('select secret from campaign').pluck().get()
    const fingerprints = createFingerprints(secret ?? Buffer.alloc(0))
    return locate({ connection, fingerprints, first }, cells)
  })

function found(cells: readonly string[], { rows = ROWS, first = 1_000 } = {}): number | null {
  const ledger = holding(rows)
  return locateIn(ledger.file, cells, first)
}

describe('the row that a damaged line was meant to correct', () => {
  it('is found by two of customer, account and reference, wherever they stand', () => {
    expect(found(['', 'shifted', OTHER_IBAN, '1002'])).toBe(2)
    expect(found(['1001', '', '', '', 'm-1'])).toBe(1)
  })

  it('is found by its number and one of them', () => {
    expect(found(['3', 'M-3'])).toBe(3)
    expect(found(['3.0', IBAN])).toBe(3)
  })

  it('reads cells as a spreadsheet saves them', () => {
    expect(found(['1001.0', 'de89 3704 0044 0532 0130 00'])).toBe(1)
    expect(found(['="1002"', '="M-2"'])).toBe(2)
  })

  it('is not found by one alone, nor by a creditor and a date, which whole files share', () => {
    expect(found(['1001'])).toBeNull()
    expect(found([IBAN])).toBeNull()
    expect(found(['M-1', IBAN])).toBeNull()
    expect(found(['1', CREDITOR, '2020-01-31'])).toBeNull()
    expect(found([])).toBeNull()
    expect(found(['', ''])).toBeNull()
  })

  it('is none where as much speaks for two rows, else the one for which most speaks', () => {
    const twins: Values[] = [
      { customerNo: 1002, reference: 'M-3', iban: IBAN },
      { customerNo: 1002, reference: 'M-4', iban: IBAN },
    ]
    expect(found(['1002', IBAN], { rows: twins })).toBeNull()
    expect(found(['1002', IBAN, 'M-4'], { rows: twins })).toBe(2)
  })

  it('is never a row of the file at hand', () => {
    expect(found(['1001', IBAN], { first: 1 })).toBeNull()
    expect(found(['1001', IBAN], { first: 2 })).toBe(1)
  })

  it('is never one that was replaced since, but what replaced it', () => {
    const ledger = holding([{ verdict: 'invalid' }], [{ corrects: 1 }])
    expect(locateIn(ledger.file, ['1000', IBAN])).toBe(2)
  })
})

it('a line whose row number cannot be read holds that row back', () => {
  const ledger = holding(
    [{}, { reference: 'M-2', customerNo: 1002 }],
    [{ corrects: 0, verdict: 'invalid', mandateKey: null, cells: ['x', '1000', IBAN, '?'] }],
  )
  const states = byHand(ledger.file, (connection) =>
    connection.prepare<[], string>('select state from row order by id').pluck().all(),
  )
  expect(states).toEqual(['superseded', 'ready', 'invalid'])
})

const FINDING = {
  rule: 'UMR_EMPTY',
  severity: 'error',
  field: 'unique_mandate_reference',
  value: '',
  message: 'There is none.',
  remedy: 'Fill it in.',
} as const

/** A row whose mandate cannot be told. */
const UNREAD = { verdict: 'invalid', reference: '', mandateKey: null } as const

/** The corrected row names another mandate: its reference was the damage. */
const CORRECTED = { reference: 'M-ONE', corrects: 1 } as const

describe('a row that corrects the reference of an older one', () => {
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
      expect(problemsOf(ledger.file).at(-1)?.message).toBe(
        `This cannot replace record 1 of "export.csv", which is ${state.replace('_', ' ')} (row 1).`,
      )
    },
  )

  it('replaces what replaced the row since', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }],
      [{ verdict: 'invalid', customerNo: 1001, corrects: 1 }],
      [CORRECTED],
    )
    expect(rowsOf(ledger.file).map(({ state, supersededBy }) => [state, supersededBy])).toEqual([
      ['superseded', 2],
      ['superseded', 3],
      ['ready', null],
    ])
  })

  it('gives a mandate key to a row that had none', () => {
    const ledger = holding([{ verdict: 'invalid', reference: '', mandateKey: null }], [CORRECTED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
  })

  it('frees the old mandate for a row of the same file that has it', () => {
    const ledger = holding([{}], [CORRECTED, {}])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'ready'])
  })

  it('replaces the old row also where the new one is held back', () => {
    const ledger = holding([{}], [{ ...CORRECTED, verdict: 'invalid' }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid'])
  })

  it('is a duplicate of a mandate that the ledger holds, and replaces the damaged row all the same', () => {
    const ledger = holding([{ verdict: 'invalid' }, { reference: 'M-ONE' }], [CORRECTED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'duplicate'])
  })
})

describe('a file that was given back', () => {
  it('says that a row is still wrong, and keeps the old one', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }, { ...UNREAD, customerNo: 7 }],
      [
        { verdict: 'invalid', corrects: 1, isUnchanged: true },
        { ...UNREAD, customerNo: 7, corrects: 2, isUnchanged: true, findings: [FINDING] },
      ],
    )
    expect(statesOf(ledger.file)).toEqual(['invalid', 'invalid', 'duplicate', 'duplicate'])
    expect(problemsOf(ledger.file)).toEqual([])
    expect(ledger.totals()).toMatchObject({ read: 2, resubmitted: 2, invalid: 2, duplicate: 0 })
  })

  it('knows a row again whose account number was removed and is shown masked', async () => {
    const ledger = running([{}, {}])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [
      {
        verdict: 'invalid',
        corrects: 2,
        isUnchanged: true,
        cells: ['1000', 'DE…3000', '2020-01-31', CREDITOR, 'M-1'],
      },
    ])
    expect(statesOf(ledger.file)).toEqual(['registered', 'duplicate', 'duplicate'])
  })

  it('does not undo a correction with a stale copy', () => {
    const ledger = holding(
      [{ verdict: 'invalid', iban: 'DE00' }],
      [{ corrects: 1 }],
      [{ verdict: 'invalid', iban: 'DE00', corrects: 1, isUnchanged: true }],
    )
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'duplicate'])
  })

  it('settles a conflict by the one row that was kept', () => {
    const ledger = holding([{}, { iban: OTHER_IBAN }], [{ iban: OTHER_IBAN, corrects: 2 }])
    const rows = rowsOf(ledger.file)
    expect(rows.map(({ state }) => state)).toEqual(['superseded', 'superseded', 'ready'])
  })
})

describe('a line that corrects a repeated row', () => {
  const REPEATED = { reference: 'M-1X' } as const
  const NEW = { reference: 'M-1', iban: OTHER_IBAN, corrects: 2 } as const

  it('corrects the mandate, so that the row that it repeats is not sent beside it', () => {
    const ledger = holding([REPEATED, REPEATED], [NEW])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready'])
    expect(ledger.totals()).toMatchObject({ read: 2, resubmitted: 1, ready: 1 })
    expect(isBalanced(ledger.totals())).toBe(true)
  })

  it.each([
    ['the other one comes back as it was', { ...REPEATED, corrects: 1, isUnchanged: true }, 'duplicate'],
    ['the other one is corrected alike', { ...NEW, corrects: 1 }, 'duplicate'],
  ])('also when %s, in any order', (_, other, state) => {
    const ledger = holding([REPEATED, REPEATED], [NEW, other])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready', state])
    expect(isBalanced(ledger.totals())).toBe(true)
    const second = holding([REPEATED, REPEATED], [other, NEW])
    expect(statesOf(second.file).toSorted()).toEqual(['duplicate', 'ready', 'superseded', 'superseded'])
    expect(isBalanced(second.totals())).toBe(true)
  })

  it('is a conflict where the mandate was sent', async () => {
    const ledger = running([REPEATED, REPEATED])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [NEW])
    expect(statesOf(ledger.file)).toEqual(['registered', 'duplicate', 'conflict'])
    expect(problemsOf(ledger.file).at(-1)?.message).toContain('which is registered (row 1)')
  })
})

describe('a row number that cannot be trusted', () => {
  it('is a conflict where the ledger had no such row', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }],
      [
        { reference: 'M-2', corrects: 99 },
        { reference: 'M-3', customerNo: 3, corrects: 2 },
      ],
    )
    expect(statesOf(ledger.file)).toEqual(['invalid', 'conflict', 'conflict'])
    expect(problemsOf(ledger.file).map(({ message }) => message)).toEqual([
      'The migration_row column says that this corrects row 99, but this ledger had no such row.',
      'The migration_row column says that this corrects row 2, but this ledger had no such row.',
    ])
  })

  it('is a conflict where customer, account and reference all differ: the file is of another ledger', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }],
      [{ customerNo: 2, iban: OTHER_IBAN, reference: 'M-2', corrects: 1 }],
    )
    expect(statesOf(ledger.file)).toEqual(['invalid', 'conflict'])
    expect(problemsOf(ledger.file)[0]?.message).toContain('The file may come from another ledger.')
  })

  it('holds the mandate back that such a row names', () => {
    const ledger = holding(
      [{}, { reference: 'M-2', customerNo: 2, iban: OTHER_IBAN }],
      [{ customerNo: 3, reference: 'M-2', corrects: 1, iban: OTHER_IBAN }],
    )
    expect(statesOf(ledger.file)).toEqual(['ready', 'superseded', 'conflict'])
  })

  it('holds the row back that such a line shows, also when its reference lost the zeros in front', () => {
    const ledger = holding(
      [{ customerNo: 5 }, { reference: '004711', customerNo: 2 }],
      [
        {
          ...{ customerNo: 2, reference: '4711', iban: OTHER_IBAN, corrects: 1 },
          cells: ['2', OTHER_IBAN, '2020-01-31', CREDITOR, '4711'],
        },
      ],
    )
    expect(statesOf(ledger.file)).toEqual(['ready', 'superseded', 'conflict'])
    expect(rowsOf(ledger.file)[1]).toMatchObject({ supersededBy: 3 })
    expect(ledger.totals()).toMatchObject({ read: 2, resubmitted: 1, ready: 1, conflict: 1, superseded: 0 })
    expect(isBalanced(ledger.totals())).toBe(true)
  })

  it('holds the row back for which most speaks: its number and reference, not the account of another one', () => {
    const ledger = open()
    const customer = { customerNo: 1005 }
    admit(ledger, [
      { ...customer, reference: '004718', iban: OTHER_IBAN },
      { ...customer, reference: '004719', signedDate: '2020-02-01' },
    ])
    const cells = ['1005', OTHER_IBAN, '2020-02-01', CREDITOR, '004719', '2', 'ready', 'x']
    admit(ledger, [{ verdict: 'invalid', corrects: 0, reference: 'M-none', cells }])
    expect(statesOf(ledger.file)).toEqual(['ready', 'superseded', 'invalid'])
  })

  it('holds the row back that it names, where another one of the customer has its new account', () => {
    const ledger = open()
    const customer = { customerNo: 1005 }
    admit(ledger, [
      { ...customer, reference: 'M-8', iban: OTHER_IBAN },
      { ...customer, reference: 'M-9X', signedDate: '2020-02-01' },
    ])
    const cells = ['1005', OTHER_IBAN, '2020-02-01', CREDITOR, 'M-9', '2', 'ready', 'x']
    admit(ledger, [{ verdict: 'invalid', corrects: 0, reference: 'M-none', cells }])
    expect(statesOf(ledger.file)).toEqual(['ready', 'superseded', 'invalid'])
  })

  it('holds no row back that was sent, whatever such a line shows', async () => {
    const ledger = running([{ reference: '004711', customerNo: 2 }])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [{ customerNo: 5, reference: 'M-5' }])
    admit(ledger, [
      {
        ...{ customerNo: 2, reference: '4711', iban: OTHER_IBAN, corrects: 2 },
        cells: ['2', OTHER_IBAN, '2020-01-31', CREDITOR, '4711'],
      },
    ])
    expect(statesOf(ledger.file)).toEqual(['registered', 'ready', 'conflict'])
  })

  it.each([
    ['the customer', { iban: OTHER_IBAN, reference: 'M-2' }],
    ['the account', { customerNo: 2, reference: 'M-2' }],
    ['the reference, in any case', { customerNo: 2, iban: OTHER_IBAN, reference: 'm-1' }],
  ])('is taken where the two share %s', (_, values) => {
    const ledger = holding([{ verdict: 'invalid' }], [{ ...values, corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
  })

  it('is taken where a cell that could not be read is still the same', () => {
    const ledger = holding([unreadable('1000 (old)', 'DE00', '31.01.2020', 'DE98', 'M/1')])
    admit(ledger, [{ reference: 'M-9', cells: ['1000', 'DE00', '2020-01-31', 'DE98', 'M-9'], corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
  })

  it('looks into every cell of a record that had too many', () => {
    const ledger = holding([unreadable('1000', '', IBAN, '2020-01-31', 'DE98', 'M-1')])
    admit(ledger, [{ customerNo: 5, reference: 'M-9', corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready'])
  })

  it('is a conflict where two rows make two mandates of one', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }],
      [
        { reference: 'M-2', corrects: 1 },
        { reference: 'M-3', corrects: 1 },
      ],
    )
    expect(statesOf(ledger.file)).toEqual(['invalid', 'conflict', 'conflict'])
    expect(problemsOf(ledger.file)[0]?.message).toContain(
      'Several rows of the file say that they correct row 1',
    )
  })

  it('is a conflict for the second of two rows that reach the same row by different numbers', () => {
    const ledger = holding(
      [{ verdict: 'invalid' }],
      [{ verdict: 'invalid', customerNo: 2, corrects: 1 }],
      [
        { reference: 'M-2', corrects: 1 },
        { reference: 'M-3', corrects: 2, iban: IBAN },
      ],
    )
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'ready', 'conflict'])
  })
})

/** A record of which nothing could be read but its cells. */
const unreadable = (...cells: readonly string[]): Values => {
  const [customerNo, iban, signedDate, creditorIdentifier, mandateReference] = [null, null, null, null, null]
  const values = { customerNo, iban, signedDate, creditorIdentifier, mandateReference }
  return { verdict: 'invalid', mandateKey: null, cells, values }
}
