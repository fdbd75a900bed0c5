import { statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesOf, freeBytesAt, isOneFileSystem } from '../../../src/ledger/safety/free-space.js'
import { freshFolder } from '../../support/folder.js'

describe('free space', () => {
  it('is what this user may write where the path will lie', () => {
    const folder = freshFolder()
    const { bavail, bsize } = statfsSync(folder)
    const free = freeBytesAt(join(folder, 'not', 'yet', 'there.db'))
    expect(free).toBeGreaterThan(bavail * bsize * 0.9)
    expect(free).toBeLessThan(bavail * bsize * 1.1)
  })

  const told = { bavail: 10, blocks: 100, bsize: 4096 }
  it.each([
    ['a plain one', told, 40_960],
    ['a full one', { ...told, bavail: 0 }, 0],
    ['no blocks at all', { bavail: 0, blocks: 0, bsize: 4096 }, null],
    ['blocks of no size', { ...told, bsize: 0 }, null],
    ['less than nothing, as beyond the share of root', { ...told, bavail: -1 }, null],
    ['nonsense', { ...told, bavail: NaN }, null],
  ])('from a file system that reports %s', (_, answer, expected) => {
    expect(freeBytesAt('/', () => answer)).toBe(expected)
  })

  it('is not known where the system does not say', () => {
    const unsupported = (): never => {
      throw new Error('ENOSYS')
    }
    expect(freeBytesAt('/', unsupported)).toBe(null)
  })
})

describe('where files lie', () => {
  it('tells one file system from another', () => {
    const folder = freshFolder()
    expect(isOneFileSystem(join(folder, 'ledger.db'), join(folder, 'report', 'new'))).toBe(true)
    if (process.platform === 'linux') expect(isOneFileSystem(folder, '/proc')).toBe(false)
  })

  it('counts nothing for a file that is not there', () => {
    const file = join(freshFolder(), 'a')
    expect(bytesOf(file)).toBe(0)
    writeFileSync(file, 'abc')
    expect(bytesOf(file)).toBe(3)
  })
})
