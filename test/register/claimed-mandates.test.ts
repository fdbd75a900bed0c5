import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LedgerError } from '../../src/errors.js'
import { addPart, endOf, readParts, standing, type ClaimPart } from '../../src/register/claimed-mandates.js'
import { freshFolder } from '../support/folder.js'

const LEDGER = 'a-ledger'
const numbers = (...each: number[]): Float64Array => Float64Array.from(each)
const fileIn = (folder: string): string => {
  const [name = ''] = readdirSync(join(folder, 'mandates'))
  return join(folder, 'mandates', name)
}

/** Two runs, each with a part of its own. */
function claimed(): { folder: string; parts: ClaimPart[] } {
  const folder = freshFolder()
  const first = addPart(folder, LEDGER, 0, numbers(30, 10))
  return { folder, parts: [first, addPart(folder, LEDGER, endOf([first]), numbers(20))] }
}

describe('the mandates that a ledger claimed', () => {
  it('are those of all its runs, in order, and of no other ledger', () => {
    const { folder, parts } = claimed()
    expect([...readParts(folder, LEDGER, parts)]).toEqual([10, 20, 30])
    expect([...readParts(folder, LEDGER, parts.slice(0, 1))]).toEqual([10, 30])
    expect([...readParts(folder, 'another', [])]).toEqual([])
    expect(() => readParts(folder, 'another', parts)).toThrow(LedgerError)
  })

  it('what a killed run left behind the last part counts for nothing, and is cut off by the next', () => {
    const { folder, parts } = claimed()
    appendFileSync(fileIn(folder), Buffer.alloc(13, 7))
    expect([...readParts(folder, LEDGER, parts)]).toEqual([10, 20, 30])
    const third = addPart(folder, LEDGER, endOf(parts), numbers(40))
    expect([...readParts(folder, LEDGER, [...parts, third])]).toEqual([10, 20, 30, 40])
    expect(statSync(fileIn(folder)).size).toBe(4 * 8)
  })

  it('are in a private file that names neither ledger nor mandate', () => {
    const { folder } = claimed()
    expect(statSync(fileIn(folder)).mode & 0o777).toBe(0o600)
    expect(fileIn(folder)).not.toContain(LEDGER)
  })
})

describe('a file that does not hold what was claimed stops the run', () => {
  it.each([
    ['cut', (path: string) => truncateSync(path, 20)],
    [
      'changed by one bit',
      (path: string) => {
        const bytes = readFileSync(path)
        bytes.writeUInt8(bytes.readUInt8(0) ^ 1, 0)
        writeFileSync(path, bytes)
      },
    ],
    ['gone', (path: string) => rmSync(path)],
    ['one that others may write', (path: string) => chmodSync(path, 0o666)],
  ])('%s', (_, damage) => {
    const { folder, parts } = claimed()
    damage(fileIn(folder))
    expect(() => readParts(folder, LEDGER, parts)).toThrow(/nothing was sent/)
  })

  it('and nothing is added behind a gap', () => {
    const { folder, parts } = claimed()
    truncateSync(fileIn(folder), 8)
    expect(() => addPart(folder, LEDGER, endOf(parts), numbers(40))).toThrow('is damaged or cut')
  })
})

describe('the parts that count', () => {
  const part = (from: number, count: number): ClaimPart => ({ from, count, sha256: '' })

  it('are all of them, or those from the last that began anew after damage', () => {
    expect(standing([part(0, 2), part(2, 1)])).toHaveLength(2)
    expect(standing([part(0, 2), part(2, 1), part(0, 3), part(3, 1)])).toEqual([part(0, 3), part(3, 1)])
    expect(standing([])).toEqual([])
  })

  it('end where the next begins', () => {
    expect(endOf([])).toBe(0)
    expect(endOf([part(0, 2), part(2, 1)])).toBe(3)
  })
})
