import { describe, expect, it } from 'vitest'
import type { VerifiedRow } from '../../../src/ledger/read/reader.js'
import { explainVerified } from '../../../src/report/facts/explanation.js'
import { IBAN, keptSource, NO_RECORDS, readerOf, verifiedRow, type LedgerValue } from '../ledger-value.js'
import { walkVerification } from '../../../src/report/facts/row-walk.js'
import { totalsOf } from '../../../src/domain/row/row-state.js'

const TOTALS = totalsOf(10, new Map([['registered', 10]]))

async function walk(value: Partial<LedgerValue>, longest = 100) {
  const handed: number[] = []
  const drained: number[] = []
  const files = {
    verified: ({ id }: VerifiedRow) => void handed.push(id),
    drain: () => Promise.resolve(void drained.push(handed.length)),
  }
  const reader = readerOf({ ...NO_RECORDS, ...value })
  const facts = await walkVerification(reader, TOTALS, files, { longest, signal: undefined })
  return { facts, handed, drained }
}

describe('the walk over what was read back', () => {
  it('hands over nothing and says nothing where nobody asked', async () => {
    expect(await walk({})).toEqual({ facts: null, handed: [], drained: [] })
  })

  it('hands over what is missing, twice, different and unreadable before what is proven', async () => {
    const verified = [
      verifiedRow(1),
      verifiedRow(2, { verdict: 'unreadable' }),
      verifiedRow(3, { verdict: 'other' }),
      verifiedRow(4, { verdict: 'twice' }),
      verifiedRow(5, { verdict: 'absent' }),
      verifiedRow(6),
      verifiedRow(7, { verdict: 'absent' }),
    ]
    const { facts, handed } = await walk({ verified, sample: 7 }, 3)
    expect(handed).toEqual([5, 7, 4, 3, 2, 1, 6])
    expect(facts).toMatchObject({ registered: 10, missing: 2, proven: 2, notAsked: 3, sample: 7 })
    expect(facts?.unproven.total).toBe(5)
    expect(facts?.unproven.first.map(({ id }) => id)).toEqual([5, 7, 4])
  })

  it('drains after every page, and ends where it is told to', async () => {
    const verified = Array.from({ length: 600 }, (_, index) => verifiedRow(index + 1))
    const { handed, drained } = await walk({ verified })
    expect(handed).toHaveLength(600)
    expect(drained).toEqual([250, 500, 600])
    const files = { verified: () => undefined, drain: () => Promise.resolve() }
    const signal = AbortSignal.abort()
    await expect(
      walkVerification(readerOf({ ...NO_RECORDS, verified }), TOTALS, files, { longest: 1, signal }),
    ).rejects.toThrow('abort')
  })
})

describe('what is said of a row', () => {
  const own = keptSource('ps-1', { reference: 'new-1', accountMasked: 'NL…4300', signedDate: '2020-03-01' })
  const others = [keptSource('ps-8', { reference: 'A' }), keptSource('ps-9', { reference: 'B' })]

  it.each<[string, Partial<VerifiedRow>]>([
    ['', { verdict: 'proven' }],
    [
      'The service shows no payment source of this customer. Ask it: the mandate may have been cancelled, or shows late.',
      { verdict: 'absent', sources: [] },
    ],
    [
      'The service shows this mandate 3 times. ps-1 is the one of this ledger; a person may cancel ps-8, ps-9.',
      { verdict: 'twice', sources: [own, ...others], cancellable: ['ps-8', 'ps-9'] },
    ],
    [
      'The service shows this mandate 2 times. Which of them may be cancelled cannot be told here: look them up at the service.',
      { verdict: 'twice', sources: others, cancellable: [] },
    ],
    [
      'The service shows this mandate more than once. Which of them may be cancelled cannot be told here: look them up at the service.',
      { verdict: 'twice', sources: [], cancellable: [] }, // the words were removed
    ],
    [
      'The service shows it with account NL…4300, signed 2020-03-01; the ledger has account DE…3000, signed 2020-02-29.',
      { verdict: 'other', why: 'differs', sources: [...others, own] },
    ],
    [
      'The service shows payment sources of this customer, and none with account, date and reference of this mandate.',
      { verdict: 'other', why: 'differs', sources: others },
    ],
    [
      'The service shows this mandate as ended (CANCELLED).',
      { verdict: 'other', why: 'ended', sources: [{ ...own, status: 'CANCELLED' }] },
    ],
    [
      'Another row of this customer has the same account and date, and no reference tells them apart.',
      { verdict: 'other', why: 'ambiguous', sources: [own] },
    ],
    [
      'It could not be compared, so it is not proven: The service answered 500.',
      { verdict: 'unreadable', why: 'The service answered 500', sources: [] },
    ],
  ])('is "%s"', (text, change) => {
    expect(explainVerified(verifiedRow(1, change))).toBe(text)
  })

  it('holds no account number in full, whatever the service said', () => {
    for (const change of [
      { verdict: 'unreadable', why: `odd ${IBAN}` },
      { verdict: 'other', why: 'ended', sources: [keptSource('x', { status: IBAN })] },
    ] as const)
      expect(explainVerified(verifiedRow(1, change))).not.toContain(IBAN)
  })
})
