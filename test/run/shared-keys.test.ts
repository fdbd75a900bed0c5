import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSharedKeys, NoRoomForKeys } from '../../src/run/rows-alone.js'

interface Keys {
  readonly mandate: string | null
  readonly customer: number | null
  readonly iban: string | null
}

const keysOf = (n: number): Keys => ({ mandate: `DE|09999999999|MND-${n}`, customer: n, iban: `DE${n}` })

/** The rows that share a key, of all that were put in. */
function sharing(rows: readonly Keys[], { hasAccount = true, folder = tmpdir() } = {}): number[] {
  const keys = createSharedKeys({ hasAccount, folder })
  for (const [row, { mandate, customer, iban }] of rows.entries())
    keys.put(row, {
      mandateKey: mandate,
      values: {
        customerNo: customer,
        iban,
        signedDate: null,
        creditorIdentifier: null,
        mandateReference: null,
      },
    })
  const found = new Set<number>()
  keys.tell((first, row) => found.add(first).add(row))
  keys.close()
  return [...found].sort((a, b) => a - b)
}

it('rows that share a mandate but for its blanks, a customer or an account are told, and no others', () => {
  const rows = Array.from({ length: 20 }, (_, n) => keysOf(n))
  rows[3] = { ...rows[3]!, mandate: 'DE|09999999999|MND -1 7' }
  rows[5] = { ...rows[5]!, customer: 11 }
  rows[8] = { ...rows[8]!, iban: 'DE2' }
  rows[13] = { mandate: null, customer: null, iban: null }
  rows[14] = { mandate: null, customer: null, iban: null }
  expect(sharing(rows)).toEqual([2, 3, 5, 8, 11, 17])
  expect(sharing(rows, { hasAccount: false })).toEqual([3, 5, 11, 17])
})

it('what is a customer in one row and an account in another is not shared', () => {
  const row = { mandate: '17', customer: null, iban: null }
  expect(sharing([row, { mandate: null, customer: 17, iban: null }])).toEqual([])
})

it('also where most of them went to a temporary file, which no name leads to', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  try {
    const rows = Array.from({ length: 600_000 }, (_, n) => keysOf(n))
    for (let n = 0; n < 50; n += 1) rows[599_999 - n] = keysOf(n * 7_919)
    const wanted = Array.from({ length: 50 }, (_, n) => [n * 7_919, 599_999 - n]).flat()
    expect(sharing(rows, { folder })).toEqual(wanted.sort((a, b) => a - b))
    expect(readdirSync(folder)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('says that it has no room where the temporary folder cannot be used, and not that there is none to share', () => {
  const rows = Array.from({ length: 600_000 }, (_, n) => keysOf(n))
  expect(() => sharing(rows, { folder: '/nowhere/at/all' })).toThrow(NoRoomForKeys)
})
