import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compareKeys } from '../../src/run/repeated-keys.js'
import { seeded } from '../support/sample-values.js'

const told = (keys: ReturnType<typeof compareKeys>): Set<number> => {
  const rows = new Set<number>()
  keys.tell((row) => rows.add(row))
  keys.close()
  return rows
}

describe('12 rows that share a hashed key', () => {
  it('12 are told, all of them, and no others', () => {
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
    for (const [row, a, b] of hashes) keys.compare(row, a, b)
    expect([...told(keys)].sort()).toEqual([1, 3, 5, 6, 7])
  })

  it('12 also when most of them went to the temporary file, which no name leads to (seed 20261121)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'repeated-'))
    const chance = seeded(20_261_121)
    const keys = compareKeys(folder)
    const rowsOf = new Map<string, number[]>()
    for (let row = 0; row < 300_000; row += 1) {
      const a = chance.below(40_000)
      const b = chance.below(6)
      keys.compare(row, a, b)
      const key = `${a} ${b}`
      rowsOf.set(key, [...(rowsOf.get(key) ?? []), row])
    }
    expect(readdirSync(folder)).toEqual([])
    const expected = [...rowsOf.values()].filter((rows) => rows.length > 1).flat()
    expect([...told(keys)].sort((x, y) => x - y)).toEqual(expected.sort((x, y) => x - y))
    rmSync(folder, { recursive: true })
  })
})
