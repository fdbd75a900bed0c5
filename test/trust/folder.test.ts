import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freshFolder } from '../support/folder.js'
import { assertReportFolder, makeFolder } from '../../src/trust/entry.js'

describe('26.3 a folder that is made', () => {
  it('is made with those above it, for this user alone; one that is there stays as it is', () => {
    const folder = freshFolder()
    const deep = join(folder, 'a', 'b', 'c')
    makeFolder(deep)
    makeFolder(deep)
    for (const path of ['a', 'a/b', 'a/b/c']) expect(statSync(join(folder, path)).mode & 0o777).toBe(0o700)
    chmodSync(folder, 0o755)
    makeFolder(folder)
    expect(statSync(folder).mode & 0o777).toBe(0o755)
  })

  it('is refused at once where none can be: below a file, behind a broken link, below /proc', () => {
    const folder = freshFolder()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
    expect(() => makeFolder(join(folder, 'file', 'x'))).toThrow('ENOTDIR')
    expect(() => makeFolder(join(folder, 'link'))).toThrow('EEXIST')
    expect(() => makeFolder('/proc/sepa-migrate/checked')).toThrow('ENOENT')
  })
})

describe('26.3 a folder for a report', () => {
  it('is one that only this user can write, or that can be made; looking leaves nothing behind', () => {
    const above = freshFolder()
    const folder = join(above, 'pack')
    expect(() => assertReportFolder(join(folder, 'night'))).not.toThrow()
    expect(readdirSync(above)).toEqual([])
    for (const place of ['/proc/sepa-migrate/pack', join(above, 'file', 'pack')]) {
      writeFileSync(join(above, 'file'), '')
      expect(() => assertReportFolder(place)).toThrow(
        `the folder "${place}": it cannot be made, or not be written to (ENO`,
      )
    }
    mkdirSync(folder)
    expect(() => assertReportFolder(folder)).not.toThrow()
    chmodSync(folder, 0o777)
    expect(() => assertReportFolder(folder)).toThrow('anybody on this machine can write to it')
  })
})
