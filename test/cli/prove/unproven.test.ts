import { describe, expect, it } from 'vitest'
import { verificationOf } from '../../../src/domain/proof/verification.js'
import type { VerifiedRow } from '../../../src/ledger/read/reader.js'
import { keptSource, NO_RECORDS, readerOf, verifiedRow } from '../../report/ledger-value.js'
import { unprovenLines, unprovenRows } from '../../../src/cli/prove/asking.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'

const of = (verified: readonly VerifiedRow[]) => {
  const reader = readerOf({ ...NO_RECORDS, verified })
  const verification = verificationOf(verified.length, reader.verificationCounts())
  const rows = unprovenRows(reader, verification)
  return { verification, rows, lines: unprovenLines(verification, rows).map(wordsOf) }
}

describe('rows that are not proven', () => {
  it('are none where nobody asked, and where all are proven', () => {
    expect(of([])).toEqual({ verification: null, rows: [], lines: [] })
    expect(of([verifiedRow(1), verifiedRow(2)])).toMatchObject({ rows: [], lines: [] })
  })

  it('are named in the order in which a person looks at them, each with its sources once', () => {
    const double = [keptSource('ps-1', { reference: 'NEW-3' }), keptSource('ps-2', { reference: 'X' })]
    const { lines } = of([
      verifiedRow(1),
      verifiedRow(2, { verdict: 'unreadable', why: 'The service answered 500', sources: [] }),
      verifiedRow(3, { verdict: 'twice', sources: double, cancellable: ['ps-2'] }),
      verifiedRow(4, { verdict: 'twice', sources: double }),
      verifiedRow(5, { verdict: 'absent', sources: [] }),
    ])
    expect(lines[0]).toBe('Registered, and not proven at the service: 1 missing, 2 twice, 1 unreadable')
    expect(lines.slice(1).map((line) => line.split(':')[0])).toEqual([
      '  row 5, customer 1005, missing',
      '  row 3, customer 1003, twice',
      '  row 4, customer 1004, twice',
      '  row 2, customer 1002, unreadable',
    ])
    expect(lines[2]).toMatch(/ps-1 is the one of this ledger; a person may cancel ps-2\.$/)
    expect(lines[3]).toMatch(/look them up at the service\. \(ps-1, ps-2\)$/)
  })

  it('are capped, and say how many more there are', () => {
    const verified = Array.from({ length: 1_025 }, (_, index) => {
      const verdict = index % 2 === 0 ? ('absent' as const) : ('other' as const)
      return verifiedRow(index + 1, { verdict, sources: [] })
    })
    const { rows, lines } = of(verified)
    expect(rows).toHaveLength(20)
    expect(lines.at(-1)).toBe('  and 1,005 more')
  })
})
