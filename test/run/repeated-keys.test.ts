import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareKeys } from '../../src/run/repeated-keys.js'
import { createRowSet } from '../../src/source/survey/row-set.js'
import { seeded } from '../support/sample-values.js'

/** The rows up to `rows` that have to be looked at, and those that repeat or are repeated. */
function told(keys: ReturnType<typeof compareKeys>, rows: number) {
  const look = createRowSet()
  const repeats = keys.tell(look, rows)
  keys.close()
  const all = Array.from({ length: rows }, (_, row) => row)
  return { look: all.filter(look.has), repeats: all.filter(repeats.has), others: repeats.count(0, rows) }
}

describe('12 rows that share a hashed key', () => {
  it('12 have to be looked at, all of them, and no others', () => {
    const keys = compareKeys()
    const hashes = [
      [1, 5, 5],
      [2, 5, 6],
      [3, 5, 5],
      [4, 9, 5],
      [5, 5, 5],
      [6, 0, 0],
      [7, 0, 0],
    ] as const
    for (const [row, a, b] of hashes) keys.compare.other(row, a, b)
    expect(told(keys, 10)).toEqual({ look: [1, 3, 5, 6, 7], repeats: [], others: 0 })
  })

  it('12 also when most of them went to the temporary file, which no name leads to (seed 20261121)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'repeated-'))
    const chance = seeded(20_261_121)
    const keys = compareKeys(folder)
    const rowsOf = new Map<string, number[]>()
    for (let row = 0; row < 300_000; row += 1) {
      const a = chance.below(40_000)
      const b = chance.below(6)
      keys.compare.other(row, a, b)
      const key = `${a} ${b}`
      rowsOf.set(key, [...(rowsOf.get(key) ?? []), row])
    }
    expect(readdirSync(folder)).toEqual([])
    const expected = [...rowsOf.values()].filter((rows) => rows.length > 1).flat()
    expect(told(keys, 300_000).look).toEqual(expected.sort((x, y) => x - y))
    rmSync(folder, { recursive: true })
  })
})

describe('12 rows of one mandate and one content', () => {
  /** Row, mandate, content, and the other keys. */
  function keysOf(rows: readonly (readonly [number, number, number, ...number[]])[]) {
    const keys = compareKeys()
    for (const [row, mandate, content, ...others] of rows) {
      keys.compare.mandate(row, mandate, mandate, content)
      for (const other of others) keys.compare.other(row, other, other)
    }
    return told(keys, 20)
  }

  it('12 are repeats where they share no key with any other row', () => {
    const rows = [
      [1, 5, 77, 100, 200],
      [2, 6, 78, 101, 201],
      [3, 5, 77, 100, 200],
      [4, 5, 77, 100, 200],
    ] as const
    expect(keysOf(rows)).toEqual({ look: [], repeats: [1, 3, 4], others: 2 })
  })

  it.each([
    ['another row of the mandate has another content', [9, 5, 78]],
    ['another row of the mandate was read in full', [9, 5, 0]],
    ['the customer has another mandate', [9, 6, 99, 100]],
    ['another customer has the account', [9, 6, 99, 101, 200]],
    ['one of them has an account that another row has, as when two contents have one hash', [1, 6, 99, 201]],
  ] as const)('12 are looked at, all of them, where %s', (_, other) => {
    const rows = [
      [2, 5, 77, 100, 200],
      [3, 5, 77, 100, 200],
      [4, 5, 77, 100, 201],
      [5, 5, 77, 100, 200],
    ] as const
    const found = keysOf([...rows, other])
    expect(found).toEqual({ look: [2, 3, 4, 5, other[0]].sort(), repeats: [], others: 0 })
  })

  it('12 without a hash of their content are looked at', () => {
    expect(
      keysOf([
        [1, 5, 0],
        [2, 5, 0],
      ]),
    ).toEqual({ look: [1, 2], repeats: [], others: 0 })
  })

  it('12 also from the temporary file', () => {
    const keys = compareKeys()
    for (let row = 0; row < 100_000; row += 1) {
      const mandate = row % 50_000
      keys.compare.mandate(row, mandate, 3, mandate === 17 ? row + 1 : mandate + 1)
    }
    const { look, repeats, others } = told(keys, 100_000)
    expect(look).toEqual([17, 50_017])
    expect([repeats.length, others]).toEqual([99_998, 49_999])
  })
})
