import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createAssignedReferences,
  createBloomFilter,
  foldCase,
} from '../../../src/ledger/deliver/assigned-references.js'
import { openDatabase } from '../../../src/driver.js'

/** As far as the question goes: the table with its index. */
function references(...assigned: (string | null)[]) {
  const connection = openDatabase(':memory:')
  connection.exec(`create table row (id integer primary key, assigned_mandate_reference text);
    create unique index row_assigned on row (assigned_mandate_reference collate nocase)
      where assigned_mandate_reference is not null`)
  const insert = connection.prepare('insert into row (assigned_mandate_reference) values (?)')
  for (const reference of assigned) insert.run(reference)
  return {
    record: (reference: string) => void insert.run(reference),
    asked: createAssignedReferences(connection),
  }
}

describe('a reference that the service gave before', () => {
  it('is known from the ledger, whatever its case', () => {
    const { asked } = references('NEW-1', null, 'Ümlaut-2')
    expect(asked.has('NEW-1')).toBe(true)
    expect(asked.has('new-1')).toBe(true)
    expect(asked.has('Ümlaut-2')).toBe(true)
    expect(asked.has('NEW-2')).toBe(false)
  })

  it('is known once it is recorded, and only then', () => {
    const { asked, record } = references('NEW-1')
    expect(asked.has('NEW-2')).toBe(false)
    asked.note('NEW-2')
    expect(asked.has('NEW-2')).toBe(false)
    record('NEW-2')
    expect(asked.has('new-2')).toBe(true)
  })

  it('is known after somebody else recorded it', () => {
    const { asked, record } = references()
    expect(asked.has('NEW-3')).toBe(false)
    record('NEW-3')
    asked.forget()
    expect(asked.has('NEW-3')).toBe(true)
  })
})

describe('the filter', () => {
  it('never says no to what it holds, and holds whatever SQLite takes for the same', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 35 }), { maxLength: 200 }), (texts) => {
        const filter = createBloomFilter(texts.length)
        for (const text of texts) filter.add(foldCase(text))
        for (const text of texts) {
          expect(filter.mayHold(foldCase(text))).toBe(true)
          const ascii = text.replace(/[a-z]/g, (letter) => letter.toUpperCase())
          expect(filter.mayHold(foldCase(ascii))).toBe(true)
        }
      }),
      { seed: 20261122, numRuns: 200 },
    )
  })

  it.each([
    ['counted', (n: number) => `REF-${n}`],
    ['long, alike at both ends', (n: number) => `MANDATE/${String(n).padStart(20, '0')}/2026`],
    ['of digits', (n: number) => String(4_000_000_000 + n * 7)],
  ])('sends few of the others to the ledger: references %s', (_what, reference) => {
    const filter = createBloomFilter(100_000)
    for (let n = 0; n < 100_000; n += 1) filter.add(foldCase(reference(n)))
    let wrong = 0
    for (let n = 100_000; n < 200_000; n += 1) if (filter.mayHold(foldCase(reference(n)))) wrong += 1
    expect(wrong).toBeLessThan(1_000)
  })

  it('grows with what it is made for, within bounds', () => {
    const filter = createBloomFilter(0)
    for (let n = 0; n < 1_000; n += 1) filter.add(`${n}`)
    expect(
      Array.from({ length: 1_000 }, (_, n) => filter.mayHold(`x${n}`)).filter(Boolean).length,
    ).toBeLessThan(20)
  })
})
