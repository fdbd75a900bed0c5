import { chmodSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { entryAt } from '../../../src/trust/entry.js'
import { freshFile } from '../campaign-setup.js'
import {
  assertLocalFolder,
  assertPrivateFile,
  createPrivateFile,
} from '../../../src/ledger/safety/side-files.js'

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)

const check = (path: string) => () => assertPrivateFile(path, entryAt(path)!)

describe('a file of the ledger', () => {
  it('is made for its owner alone, whatever the umask', () => {
    const file = freshFile()
    createPrivateFile(file)
    expect(modeOf(file)).toBe('600')
    expect(check(file)).not.toThrow()
  })

  it('is not touched when it is there', () => {
    const file = freshFile()
    writeFileSync(file, 'kept', { mode: 0o600 })
    createPrivateFile(file)
    expect(statSync(file).size).toBe(4)
  })

  it.each([0o640, 0o604, 0o660, 0o644, 0o602])('is refused with mode %o', (mode) => {
    const file = freshFile()
    writeFileSync(file, '')
    chmodSync(file, mode)
    expect(check(file)).toThrow(`other users may open it (mode 0${mode.toString(8)})`)
    expect(() => createPrivateFile(file)).toThrow('other users may open it')
  })

  it('is refused as a symbolic link, a folder, and under a second name', () => {
    const file = freshFile()
    createPrivateFile(file)
    const link = join(dirname(file), 'link.db')
    symlinkSync(file, link)
    expect(check(link)).toThrow('it is a symbolic link')
    const folder = join(dirname(file), 'folder')
    mkdirSync(folder, { mode: 0o700 })
    expect(check(folder)).toThrow('it is not a regular file')
    linkSync(file, join(dirname(file), 'second.db'))
    expect(check(file)).toThrow('it has a second name (a hard link)')
  })

  it('is refused when it belongs to another user', () => {
    const file = freshFile()
    createPrivateFile(file)
    const entry = entryAt(file)!
    entry.uid += 1
    expect(() => assertPrivateFile(file, entry)).toThrow('it belongs to another user')
  })
})

describe('the folder of a ledger', () => {
  it('may be on a local disk', () => {
    expect(() => assertLocalFolder(freshFile())).not.toThrow()
  })

  it.each([
    [0x6969, 'NFS'],
    [0xff534d42, 'CIFS'],
    [0xff534d42 | 0, 'CIFS'], // as a signed number, the way some systems give it
  ])('may not be on a network file system (%i)', (type, name) => {
    expect(() => assertLocalFolder('/mnt/share/march.db', () => type)).toThrow(
      `on a network file system (${name}): its locks do not hold there`,
    )
  })
})
