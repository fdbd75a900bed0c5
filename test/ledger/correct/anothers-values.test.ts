import { describe, expect, it } from 'vitest'
import { admit, IBAN, open, OTHER_IBAN, registered, send, SETTINGS } from '../campaign-setup.js'
import { look, problemsOf, statesOf } from '../ledger-views.js'

const THIRD_IBAN = 'AT611904300234573201'
const FIRST = { customerNo: 1, iban: IBAN, reference: 'M-1', verdict: 'invalid' } as const
const SECOND = { customerNo: 2, iban: OTHER_IBAN, reference: 'M-2', verdict: 'invalid' } as const
const RIGHT = { ...FIRST, corrects: 1, verdict: 'sendable' } as const

/** Rows 1 and 2, both held back by their own checks, and then a correction of the first. */
function corrected(
  change: Parameters<typeof admit>[1][number],
  second: Parameters<typeof admit>[1][number] = SECOND,
) {
  const ledger = open()
  admit(ledger, [FIRST, second])
  admit(ledger, [{ ...RIGHT, ...change }], { name: 'mended.csv' })
  return ledger
}

describe('26.2 a correction with the reference of another row', () => {
  it.each([
    ['the same creditor', {}],
    ['another creditor', { creditor: 'DE11ZZZ00000000001' }],
    ['another case of letters', { reference: 'm-2' }],
  ])('waits for a person: %s', (_, second) => {
    const ledger = corrected({ reference: 'M-2' }, { ...SECOND, ...second })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid', 'conflict'])
    expect(problemsOf(ledger.file)).toMatchObject([
      {
        rule: 'CORRECTION_TAKES_REFERENCE',
        message: expect.stringContaining(
          'It is that of record 2 of "export.csv", which is invalid (row 2).',
        ) as string,
      },
    ])
  })

  it('also where that row has another reference by now, or was sent', async () => {
    const ledger = open()
    ledger.startRun(SETTINGS)
    admit(ledger, [FIRST, SECOND, { customerNo: 3, iban: THIRD_IBAN, reference: 'M-3' }])
    admit(ledger, [{ ...SECOND, verdict: 'sendable', reference: 'M-22', corrects: 2 }])
    await send(ledger, registered('NEW-1'))
    for (const reference of ['M-2', 'M-3']) {
      admit(ledger, [{ ...RIGHT, reference }])
      expect(statesOf(ledger.file).at(-1)).toBe('conflict')
    }
  })

  it('takes nothing from the row whose reference it is, and nothing is lost', () => {
    const ledger = corrected({ reference: 'M-2' })
    admit(ledger, [{ ...SECOND, verdict: 'sendable', corrects: 2 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'conflict', 'ready'])
    expect(ledger.totals()).toMatchObject({ read: 2, ready: 1, conflict: 1, superseded: 0 })
    admit(ledger, [{ ...RIGHT, corrects: 3 }])
    expect(ledger.totals()).toMatchObject({ read: 2, ready: 2 })
  })

  it.each(['invalid', 'excluded'] as const)('nor where it is itself %s', (verdict) => {
    const ledger = corrected({ reference: 'M-2', verdict })
    expect(statesOf(ledger.file)).toEqual(['superseded', 'invalid', verdict])
    admit(ledger, [{ ...RIGHT, reference: 'M-2', corrects: 3, signedDate: '2020-02-01' }])
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
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

describe('26.2 a line that shows one mandate of a customer and names the row of another', () => {
  const BOTH = [
    { customerNo: 1, iban: IBAN, reference: 'M-1' },
    { customerNo: 1, iban: OTHER_IBAN, reference: 'M-2', signedDate: '2020-02-01' },
  ] as const
  const MENDED = { ...BOTH[0], iban: THIRD_IBAN }

  it('holds both until the right rows are named: nothing goes out with what may have been corrected', () => {
    const ledger = open()
    admit(ledger, BOTH)
    admit(ledger, [{ ...MENDED, corrects: 2 }])
    expect(statesOf(ledger.file)).toEqual(['conflict', 'superseded', 'conflict'])
    expect(ledger.totals()).toMatchObject({ read: 2, conflict: 2 })
    expect(problemsOf(ledger.file).map(({ rule, message }) => `${rule}: ${message}`)).toContainEqual(
      expect.stringMatching(/^CONFLICT_MANDATE: .* shows this mandate and names row 2/),
    )
    admit(ledger, [
      { ...MENDED, corrects: 1 },
      { ...BOTH[1], corrects: 2 },
    ])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'superseded', 'ready', 'ready'])
    expect(ledger.totals()).toMatchObject({ read: 2, ready: 2 })
  })
})

describe('26.2 a correction with the account of another customer', () => {
  it('says nothing of another row where it names the very row that it shows', () => {
    const ledger = open()
    const first = { customerNo: 1, iban: IBAN, reference: 'M-1' } as const
    admit(ledger, [first, { customerNo: 2, iban: OTHER_IBAN, reference: 'M-2' }])
    admit(ledger, [{ ...first, iban: OTHER_IBAN, corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'ready', 'conflict'])
    expect(problemsOf(ledger.file).map(({ rule }) => rule)).not.toContain('CONFLICT_MANDATE')
    expect(look(ledger.file, (reader) => reader.decisions(0, 10))).not.toContainEqual(
      expect.objectContaining({ decision: 'held' }),
    )
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
    const ledger = corrected({ iban: OTHER_IBAN, customerNo: 2 })
    expect(statesOf(ledger.file).at(-1)).toBe('conflict')
  })

  it('is found within the file too: a cell that was filled down', () => {
    const ledger = open()
    admit(ledger, [FIRST, SECOND])
    admit(ledger, [
      { ...RIGHT, iban: THIRD_IBAN },
      { ...SECOND, verdict: 'sendable', iban: THIRD_IBAN, corrects: 2 },
    ])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'conflict', 'conflict'])
  })

  it.each([
    ['of the same customer', { iban: OTHER_IBAN }, { ...SECOND, customerNo: 1 }],
    ['that it had before', { signedDate: '2020-02-01' }, { ...SECOND, iban: IBAN }],
    ['that nobody has', { iban: THIRD_IBAN }, SECOND],
  ])('is none with an account %s', (_, change, second) => {
    expect(statesOf(corrected(change, second).file)).toEqual(['superseded', 'invalid', 'ready'])
  })
})
