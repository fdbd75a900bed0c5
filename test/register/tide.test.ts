import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LedgerError } from '../../src/errors.js'
import { openTide, readTide } from '../../src/register/tide.js'
import { freshFolder } from '../support/folder.js'

const LEDGER = 'a-ledger'

/** A folder with the note of one ledger, and where that note stands. */
function noted(attempts: number): { folder: string; path: string } {
  const folder = freshFolder()
  openTide(folder, LEDGER, { mark: 'mark-1', attempts }).close()
  const [name = ''] = readdirSync(join(folder, 'ledgers'))
  return { folder, path: join(folder, 'ledgers', name) }
}

describe('how far a ledger has come', () => {
  it('is nothing before its first run', () => {
    expect(readTide(freshFolder(), LEDGER)).toBeNull()
  })

  it('is read back as it was noted last, by each ledger for itself', () => {
    const folder = freshFolder()
    const tide = openTide(folder, LEDGER, { mark: 'mark-1', attempts: 0 })
    for (const attempts of [1, 2, 300, 1_000_000]) {
      tide.note(attempts)
      expect(readTide(folder, LEDGER)).toEqual({ mark: 'mark-1', attempts })
    }
    tide.close()
    tide.close()
    expect(readTide(folder, LEDGER)).toEqual({ mark: 'mark-1', attempts: 1_000_000 })
    expect(readTide(folder, 'another')).toBeNull()
  })

  it('belongs to the latest run', () => {
    const { folder } = noted(5)
    openTide(folder, LEDGER, { mark: 'mark-2', attempts: 7 }).close()
    expect(readTide(folder, LEDGER)).toEqual({ mark: 'mark-2', attempts: 7 })
  })

  it('stays of one length, so that it is overwritten in place, and is private', () => {
    const { path } = noted(0)
    const { size, mode } = statSync(path)
    expect([size, mode & 0o777]).toEqual([128, 0o600])
    noted(1_000_000)
    expect(readFileSync(path, 'utf8')).toHaveLength(128)
  })

  it('the file does not say which ledger it is of, nor where that is', () => {
    const { path } = noted(1)
    expect(path).not.toContain(LEDGER)
    expect(readFileSync(path, 'utf8')).not.toContain(LEDGER)
  })
})

describe('a note that cannot be believed', () => {
  it.each([
    ['cut', (path: string) => truncateSync(path, 20)],
    ['of another shape', (path: string) => writeFileSync(path, '{"mark":"","attempts":-1}')],
    ['not JSON', (path: string) => writeFileSync(path, 'attempts: 3')],
  ])('%s stops the run: taken for none, it would let an older copy send', (_, damage) => {
    const { folder, path } = noted(3)
    damage(path)
    expect(() => readTide(folder, LEDGER)).toThrow(LedgerError)
    expect(() => readTide(folder, LEDGER)).toThrow(
      /says how far this ledger has come, and is damaged.*nothing was sent/,
    )
  })

  it('one that was made and never written is none: nothing had left', () => {
    const { folder, path } = noted(3)
    for (const content of ['', '\0'.repeat(128)]) {
      writeFileSync(path, content)
      expect(readTide(folder, LEDGER)).toBeNull()
    }
  })

  it('one that others may write stops the run', () => {
    const { folder, path } = noted(3)
    chmodSync(path, 0o666)
    expect(() => readTide(folder, LEDGER)).toThrow(LedgerError)
    expect(() => openTide(folder, LEDGER, { mark: 'mark-2', attempts: 4 })).toThrow(LedgerError)
  })

  it('a folder in its place stops the run before anything is noted', () => {
    const { folder, path } = noted(3)
    const other = freshFolder()
    mkdirSync(join(other, 'ledgers', path.split('/').at(-1) ?? ''), { recursive: true })
    expect(() => openTide(other, LEDGER, { mark: 'mark-1', attempts: 0 })).toThrow(LedgerError)
    expect(readTide(folder, LEDGER)?.attempts).toBe(3)
  })
})
