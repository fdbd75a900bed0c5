import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFingerprints } from '../../../src/ledger/admit/fingerprints.js'
import { buffersOf, packRows, unpackRows } from '../../../src/ledger/load/packed-rows.js'
import { lentAccountKeys } from '../../../src/ledger/load/ready-row.js'
import type { ReadyRow } from '../../../src/ledger/schema/row-columns.js'

const SEED = 20_261_122
const key = fc.uint8Array({ minLength: 16, maxLength: 16 })
const text = fc.string({ unit: 'binary', maxLength: 30 })
const row = fc.record({
  record: fc.integer({ min: 1, max: 2 ** 40 }),
  line: fc.integer({ min: 1, max: 2 ** 40 }),
  customerNo: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  iban: text,
  ibanMasked: text,
  ibanKey: key,
  signedDate: text,
  originalCreditorIdentifier: text,
  originalMandateReference: text,
  mandateKey: text,
  latestFirstDebit: fc.option(fc.string({ minLength: 1 })),
  cells: text,
  contentKey: key,
})

describe('12 packed rows', () => {
  it(`12 hold what was put into them, also after they were handed over (seed ${SEED})`, () => {
    const packer = packRows(40)
    let made: Uint8Array[] = []
    const unpack = unpackRows((iban) => made.shift() ?? Buffer.from(iban))
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), (rows) => {
        rows.forEach(packer.add)
        made = rows.map(({ ibanKey }) => ibanKey)
        expect(packer.rows()).toBe(rows.length)
        const packed = packer.take()
        const received = structuredClone(packed, { transfer: buffersOf(packed) })
        const seen: ReadyRow[] = []
        unpack(received, (given) =>
          seen.push({
            ...given,
            ibanKey: Uint8Array.from(given.ibanKey),
            contentKey: Uint8Array.from(given.contentKey),
          }),
        )
        expect(seen).toEqual(rows)
        expect(packer.rows()).toBe(0)
      }),
      { seed: SEED },
    )
  })

  it('12 lend their fingerprints for so many rows as wait together', () => {
    const packer = packRows(60)
    for (let n = 0; n < 60; n += 1) {
      const [one] = fc.sample(row, { seed: n, numRuns: 1 })
      packer.add({ ...one!, iban: `account ${n}`, contentKey: Buffer.alloc(16, 100 + n) })
    }
    const waiting: ReadyRow[] = []
    const fingerprints = createFingerprints(Buffer.alloc(32, 7))
    unpackRows(lentAccountKeys(fingerprints))(packer.take(), (given) => {
      waiting.push(given)
      for (const [index, { iban, ibanKey, contentKey }] of waiting.slice(-50).entries()) {
        const n = Math.max(0, waiting.length - 50) + index
        expect(iban).toBe(`account ${n}`)
        expect(Buffer.from(ibanKey)).toEqual(fingerprints.account(iban))
        expect(contentKey[15]).toBe(100 + n)
      }
    })
    expect(waiting).toHaveLength(60)
  })
})
