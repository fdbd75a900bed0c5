import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { assertGiven, readGiven, readGivenText, type GivenRequest } from '../../src/trust/given-file.js'
import { freshFolder } from '../support/folder.js'

const REQUEST: GivenRequest = { what: 'plan', nothing: 'nothing was sent', mostBytes: 100_000 }

function refusalOf(path: string, more: Partial<GivenRequest> = {}): string {
  for (const read of [readGiven, assertGiven])
    try {
      read(path, { ...REQUEST, ...more })
    } catch (error) {
      if (read === readGiven) continue
      expect(error).toBeInstanceOf(UsageError)
      return (error as UsageError).message
    }
  throw new Error('Nothing was refused')
}

describe('a file that is given to be read whole', () => {
  const at = (name: string): string => join(freshFolder(), name)

  it('is read as it is, also through a link, and one of a system without a size', () => {
    const file = at('plan.json')
    const text = 'é'.repeat(40_000)
    writeFileSync(file, text)
    symlinkSync(file, `${file}-link`)
    expect(readGivenText(`${file}-link`, REQUEST)).toBe(text)
    expect(readGiven(file, REQUEST).entry.isFile()).toBe(true)
    expect(readGivenText('/proc/self/status', REQUEST)).toContain('Pid:')
  })

  it('is no pipe, which would wait for a writer for ever, no folder, no device, and there', () => {
    const pipe = at('pipe')
    execFileSync('mkfifo', ['-m', '600', pipe])
    expect(refusalOf(pipe)).toBe(`Cannot read the plan "${pipe}": it is not a regular file; nothing was sent`)
    expect(refusalOf('/dev/zero')).toContain('it is not a regular file')
    expect(refusalOf(freshFolder())).toContain('it is not a regular file')
    expect(refusalOf('/nowhere/plan.json')).toContain('there is no such file')
  })

  it('is of a sensible size', () => {
    const file = at('plan.json')
    writeFileSync(file, '')
    truncateSync(file, 3 * 1024 ** 3)
    expect(refusalOf(file)).toMatch(
      /it is larger than 97\.65625 KiB, which no such file is; nothing was sent/,
    )
  })

  it('is no link where that is asked, and is trusted by what was opened', () => {
    const file = at('key')
    writeFileSync(file, 'x')
    chmodSync(file, 0o644)
    symlinkSync(file, `${file}-link`)
    expect(refusalOf(`${file}-link`, { noLink: true })).toContain('it is a symbolic link')
    const distrust: GivenRequest['distrust'] = (_path, { mode }) =>
      (mode & 0o044) === 0 ? null : { why: 'others may read it', next: 'Close it' }
    expect(refusalOf(file, { distrust })).toBe(
      `Cannot trust the plan "${file}": others may read it; nothing was sent`,
    )
  })
})
