import { describe, expect, it } from 'vitest'
import { mandateKey } from '../../../src/domain/mandate/mandate-key.js'
import type { CheckedRecord } from '../../../src/domain/rule/verdict.js'
import {
  accountSeed,
  compareKeysOf,
  customerA,
  customerSeed,
  lanesOf,
  mandateSeed,
} from '../../../src/source/survey/key-lanes.js'

const KEYS = { seed: 77, hasAccount: true }

function hashesOf(reference: string | null, customerNo: number | null, iban: string | null): string[] {
  const found: string[] = []
  const values = { customerNo, iban } as CheckedRecord['values']
  const key = reference === null ? null : mandateKey('DE98ZZZ09999999999', reference)
  const note = (row: number, a: number, b: number): void => void found.push(`${row} ${a} ${b}`)
  compareKeysOf({ mandateKey: key, values }, 5, KEYS, { mandate: note, other: note })
  return found
}

describe('12 keys that a rule across rows takes for equal have equal hashes', () => {
  it('12 references in capital and small letters, with and without blanks', () => {
    const [one] = hashesOf('MND 17', null, null)
    for (const other of ['mnd 17', 'MND17', 'M N D 1 7']) expect(hashesOf(other, null, null)).toEqual([one])
    expect(hashesOf('MND18', null, null)).not.toEqual([one])
  })

  it('12 only what could be read is hashed, each kind apart from the others', () => {
    expect(hashesOf(null, null, null)).toEqual([])
    expect(new Set(hashesOf('1', 1, '1')).size).toBe(3)
    expect(new Set([mandateSeed(1), customerSeed(1), accountSeed(1)]).size).toBe(3)
  })

  it('12 customers above 32 bits differ', () => {
    const seed = customerSeed(3)
    const customers = [1, 2 ** 32 + 1, 2 ** 33 + 1, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER]
    expect(new Set(customers.map((customer) => customerA(seed, customer))).size).toBe(customers.length)
  })

  it('12 half a million running numbers meet by chance as rarely as 40 bits promise', () => {
    const met = new Set<number>()
    for (let n = 0; n < 500_000; n += 1) {
      const [a, b] = lanesOf(`DE|09999999999|MND-${n}`, 99)
      met.add((a >>> 0) * 256 + (b & 255))
    }
    expect(500_000 - met.size).toBeLessThan(5)
  })
})
