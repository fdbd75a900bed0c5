import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { LedgerError } from '../../src/errors.js'
import {
  appendLine,
  ensureFolder,
  explainingRegister,
  keyOf,
  readOwn,
} from '../../src/register/register-place.js'
import { freshFolder } from '../support/folder.js'

const modeOf = (path: string): number => statSync(path).mode & 0o777

describe('the folder of the register', () => {
  it('is made private, with what leads to it', () => {
    const folder = join(freshFolder(), 'state', 'sepa-migrate')
    ensureFolder(folder, { sharedFolder: false })
    expect(modeOf(folder)).toBe(0o700)
  })

  it('is refused where others may change what is in it, unless somebody said that this is meant', () => {
    const folder = freshFolder()
    chmodSync(folder, 0o777)
    expect(() => ensureFolder(folder, { sharedFolder: false })).toThrow(LedgerError)
    expect(() => ensureFolder(folder, { sharedFolder: true })).not.toThrow()
  })

  it('is refused where a file stands in its place, in the words of an operator', () => {
    const path = join(freshFolder(), 'state')
    writeFileSync(path, '')
    expect(() => ensureFolder(join(path, 'inner'), { sharedFolder: false })).toThrow(
      /Cannot use the register of campaigns.*ENOTDIR.*nothing was sent/,
    )
  })
})

describe('a file of the register', () => {
  it('grows line by line, private', () => {
    const path = join(freshFolder(), 'campaigns.jsonl')
    appendLine(path, 'one')
    appendLine(path, 'two')
    expect(readOwn(path)).toBe('one\ntwo\n')
    expect(modeOf(path)).toBe(0o600)
  })

  it('is none where there is none', () => {
    expect(readOwn(join(freshFolder(), 'campaigns.jsonl'))).toBeNull()
  })

  it('a link in its place is refused, and what it leads to is left alone', () => {
    const folder = freshFolder()
    const target = join(folder, 'target')
    writeFileSync(target, 'theirs\n')
    symlinkSync(target, join(folder, 'link'))
    expect(() => appendLine(join(folder, 'link'), 'ours')).toThrow(LedgerError)
    expect(() => readOwn(join(folder, 'link'))).toThrow(LedgerError)
    expect(readFileSync(target, 'utf8')).toBe('theirs\n')
  })

  it('a folder in its place is a fault of the register, not a crash', () => {
    const path = join(freshFolder(), 'campaigns.jsonl')
    mkdirSync(path)
    expect(() => appendLine(path, 'one')).toThrow(LedgerError)
  })
})

describe('the key of a user', () => {
  it('is made once, when it may be', () => {
    const folder = freshFolder()
    expect(keyOf(folder, { mayMake: false })).toBeNull()
    expect(existsSync(join(folder, 'register.key'))).toBe(false)
    const key = keyOf(folder, { mayMake: true })
    expect(key).toHaveLength(32)
    expect(keyOf(folder, { mayMake: false })).toEqual(key)
    expect(keyOf(folder, { mayMake: true })).toEqual(key)
    expect(keyOf(freshFolder(), { mayMake: true })).not.toEqual(key)
  })

  it('that was damaged is no new key: the mandates of other ledgers would be forgotten', () => {
    const folder = freshFolder()
    keyOf(folder, { mayMake: true })
    writeFileSync(join(folder, 'register.key'), 'abc')
    expect(() => keyOf(folder, { mayMake: true })).toThrow('it is not a key')
  })

  it('that others can read is refused', () => {
    const folder = freshFolder()
    keyOf(folder, { mayMake: true })
    chmodSync(join(folder, 'register.key'), 0o644)
    expect(() => keyOf(folder, { mayMake: true })).toThrow(LedgerError)
  })
})

it('faults of our own, and bugs, are not dressed up as faults of the system', () => {
  const bug = new TypeError('a bug')
  expect(() =>
    explainingRegister('x', () => {
      throw bug
    }),
  ).toThrow(bug)
  const ours = new LedgerError('older', 'It is older', 'Stop')
  expect(() =>
    explainingRegister('x', () => {
      throw ours
    }),
  ).toThrow(ours)
})
