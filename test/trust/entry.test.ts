import { chmodSync, chownSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  distrustFolder,
  distrustInstructions,
  distrustPrivateFile,
  distrustSecret,
  entryAt,
  ownUserId,
} from '../../src/trust/entry.js'
import { freshFolder } from '../support/folder.js'

const NOBODY = 65_534
const SHARED_GROUP = 54_321 // no group of this machine, so anybody may be in it
/** Only root gives files away. */
const isRoot = ownUserId() === 0

function freshFile(mode = 0o600): string {
  const file = join(freshFolder(), 'file')
  writeFileSync(file, 'x')
  chmodSync(file, mode)
  return file
}

describe('a private file', () => {
  const check = (path: string) => distrustPrivateFile(entryAt(path)!)?.why ?? null

  it('is trusted when it is ours alone', () => {
    expect(check(freshFile())).toBeNull()
    expect(check(freshFile(0o400))).toBeNull()
  })

  it('is not trusted when others may open it, as a link, as a folder, under two names', () => {
    expect(check(freshFile(0o640))).toBe('other users may open it (mode 0640)')
    const file = freshFile()
    symlinkSync(file, `${file}-link`)
    expect(check(`${file}-link`)).toBe('it is a symbolic link')
    expect(check(freshFolder())).toBe('it is not a regular file')
    linkSync(file, `${file}-second`)
    expect(check(file)).toContain('it has a second name')
  })

  it.skipIf(!isRoot)('is not trusted when it belongs to another user (root only)', () => {
    const file = freshFile()
    chownSync(file, NOBODY, NOBODY)
    expect(check(file)).toBe('it belongs to another user')
  })
})

describe('a folder', () => {
  const check = (path: string) => distrustFolder(path)?.why ?? null

  it('is trusted when it is ours, also below a sticky folder that anybody can write', () => {
    expect(check(freshFolder())).toBeNull()
  })

  it('is not trusted when anybody can write to it, sticky or not', () => {
    const folder = freshFolder()
    chmodSync(folder, 0o777)
    expect(check(folder)).toBe('anybody on this machine can write to it (mode 0777)')
    chmodSync(folder, 0o1777)
    expect(check(folder)).toBe('anybody on this machine can write to it (mode 1777)')
  })

  it('is not trusted when a folder above it can be exchanged', () => {
    const above = freshFolder()
    const folder = join(above, 'inner')
    mkdirSync(folder, { mode: 0o700 })
    chmodSync(above, 0o777)
    expect(check(folder)).toBe(
      `the folder "${above}" above it: anybody on this machine can write to it (mode 0777)`,
    )
  })

  it.skipIf(!isRoot)('is not trusted when another user or a shared group can write to it (root only)', () => {
    const folder = freshFolder()
    chownSync(folder, 0, SHARED_GROUP)
    chmodSync(folder, 0o750)
    expect(check(folder)).toBeNull()
    chmodSync(folder, 0o770)
    expect(check(folder)).toBe(
      `other members of its group can write to it (mode 0770, group ${SHARED_GROUP})`,
    )
    chownSync(folder, 0, 0)
    expect(check(folder)).toBeNull()
    chownSync(folder, NOBODY, 0)
    expect(check(folder)).toBe(`it belongs to another user (number ${NOBODY})`)
  })

  it('is judged by where a link leads', () => {
    const folder = freshFolder()
    const link = join(freshFolder(), 'link')
    symlinkSync(folder, link)
    expect(check(link)).toBeNull()
    chmodSync(folder, 0o777)
    expect(check(link)).toContain('anybody')
  })
})

describe('a file of instructions', () => {
  const check = (path: string) => distrustInstructions(path)?.why ?? null

  it('may be read by others, and may be missing', () => {
    expect(check(freshFile(0o644))).toBeNull()
    expect(check(join(freshFolder(), 'none'))).toBeNull()
  })

  it('is not trusted when others can write it, or exchange it, or through a link', () => {
    const file = freshFile(0o666)
    expect(check(file)).toContain('anybody on this machine can write to it')
    symlinkSync(file, `${file}-link`)
    expect(check(`${file}-link`)).toContain('anybody')
    const folder = freshFolder()
    writeFileSync(join(folder, 'file'), 'x')
    chmodSync(folder, 0o777)
    expect(check(join(folder, 'file'))).toContain('anybody on this machine can write to it')
  })

  it.skipIf(!isRoot)('is not trusted when it belongs to another user (root only)', () => {
    const file = freshFile(0o644)
    chownSync(file, NOBODY, NOBODY)
    expect(check(file)).toBe(`it belongs to another user (number ${NOBODY})`)
  })
})

describe('a file of instructions behind a link', () => {
  it('8.4.3 is not trusted when others write where the link stands', () => {
    const file = freshFile()
    const shared = freshFolder()
    symlinkSync(file, join(shared, 'link'))
    expect(distrustInstructions(join(shared, 'link'))).toBeNull()
    chmodSync(shared, 0o777)
    expect(distrustInstructions(join(shared, 'link'))?.why).toContain('anybody')
  })
})

describe('a file with a secret', () => {
  const check = (path: string) => distrustSecret(path)?.why ?? null

  it('8.4.3 is trusted when nobody else may read it, also through a link of ours', () => {
    const file = freshFile(0o400)
    symlinkSync(file, `${file}-link`)
    expect([check(file), check(`${file}-link`), check(`${file}-none`)]).toEqual([null, null, null])
  })

  it('8.4.3 is not trusted when others may read it or exchange it', () => {
    expect(check(freshFile(0o640))).toBe('other users may open it (mode 0640)')
    const folder = freshFolder()
    writeFileSync(join(folder, 'key'), 'x', { mode: 0o600 })
    chmodSync(folder, 0o777)
    expect(check(join(folder, 'key'))).toContain('anybody on this machine can write to it')
  })

  it.skipIf(!isRoot)('8.4.3 is not trusted when another user gave it to us (root only)', () => {
    const file = freshFile()
    chownSync(file, NOBODY, NOBODY)
    expect(check(file)).toBe(`it belongs to another user (number ${NOBODY})`)
  })
})
