import { describe, expect, it } from 'vitest'
import { verificationOf } from '../../../src/domain/row/row-state.js'
import type { VerifiedRow } from '../../../src/ledger/read/reader.js'
import { keptSource, many, readerOf, verifiedRow } from '../../report/ledger-value.js'
import { unprovenLines, unprovenRows } from '../../../src/cli/commands/verify.js'
import { wordsOf } from '../../../src/cli/terminal/world.js'

const of = (verified: readonly VerifiedRow[]) => {
  const reader = readerOf({ verified })
  const verification = verificationOf(verified.length, reader.verificationCounts())
  const rows = unprovenRows(reader, verification)
  return { verification, rows, lines: unprovenLines(verification, rows).map(wordsOf) }
}

describe('rows that are not proven', () => {
  it('are none where nobody asked, and where all are proven', () => {
    expect(of([])).toEqual({ verification: null, rows: [], lines: [] })
    expect(of([verifiedRow(1), verifiedRow(2)])).toMatchObject({ rows: [], lines: [] })
  })

  it('are named each with its sources once: after those that may be cancelled, or at the end', () => {
    const sources = [keptSource('ps-1', { reference: 'NEW-3' }), keptSource('ps-2', { reference: 'X' })]
    const cancellable = verifiedRow(3, { verdict: 'twice', sources, cancellable: ['ps-2'] })
    const { lines } = of([cancellable, verifiedRow(4, { verdict: 'twice', sources })])
    expect(lines[0]).toBe('Registered, and not proven at the service: 2 twice')
    expect(lines[1]).toMatch(/ps-1 is the one of this ledger; a person may cancel ps-2\.$/)
    expect(lines[2]).toMatch(/look them up at the service\. \(ps-1, ps-2\)$/)
  })

  it('are capped, and say how many more there are', () => {
    const verdictOf = (n: number) => (n % 2 === 0 ? 'absent' : 'other')
    const { rows, lines } = of(many(1_025, (n) => verifiedRow(n, { verdict: verdictOf(n), sources: [] })))
    expect(rows).toHaveLength(20)
    expect(lines.at(-1)).toBe('  and 1,005 more')
  })
})
