import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, beforeEach } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { assertGiven, openTrusted, readGiven, readGivenText } from '../../src/trust/trusted-file.js'
import type { GivenRequest } from '../../src/trust/trusted-file.js'
import { freshFolder } from '../support/folder.js'

let folder: string
beforeEach(() => (folder = freshFolder()))

const at = (name: string): string => join(folder, name)

/** What is said where it is refused. */
function refusalFrom(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as UsageError).message
  }
  throw new Error('Nothing was refused')
}

const REQUEST: GivenRequest = { what: 'plan', nothing: 'nothing was sent', mostBytes: 100_000 }

function refusalOf(path: string, more: Partial<GivenRequest> = {}): string {
  const request = { ...REQUEST, ...more }
  const refusal = refusalFrom(() => readGiven(path, request))
  expect(refusalFrom(() => assertGiven(path, request))).toBe(refusal)
  return refusal
}

describe('a file that is given to be read whole', () => {
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
    expect(refusalOf(file)).toMatch(/it is larger than 97\.65625 KiB, which no such file is/)
  })

  it('is no link where that is asked, and is trusted by what was opened', () => {
    const file = at('key')
    writeFileSync(file, 'x')
    chmodSync(file, 0o644)
    symlinkSync(file, `${file}-link`)
    expect(refusalOf(`${file}-link`, { noLink: true })).toContain('it is a symbolic link')
    const distrust: GivenRequest['distrust'] = (_path, { mode }) =>
      (mode & 0o044) === 0 ? null : { why: 'others may read it', next: 'Close it' }
    const told = `Cannot trust the plan "${file}": others may read it; nothing was sent`
    expect(refusalOf(file, { distrust })).toBe(told)
  })
})

function write(path: string, forbidden: readonly string[] = [], mode: 'append' | 'create' = 'append'): void {
  const descriptor = openTrusted(path, { mode, what: 'log file', forbidden })
  try {
    writeSync(descriptor, 'line\n')
  } finally {
    closeSync(descriptor)
  }
}

const refusedOutput = (...given: Parameters<typeof write>): string => refusalFrom(() => write(...given))

describe('a trusted output', () => {
  it('is made for its owner alone, whatever the umask, and goes on where it ended', () => {
    const before = process.umask(0)
    try {
      write(at('run.log'))
    } finally {
      process.umask(before)
    }
    write(at('run.log'))
    expect(readFileSync(at('run.log'), 'utf8')).toBe('line\nline\n')
    expect(statSync(at('run.log')).mode & 0o777).toBe(0o600)
  })

  it('is no link, neither to a file nor to nowhere, and what it leads to stays as it was', () => {
    writeFileSync(at('victim'), 'mine', { mode: 0o600 })
    symlinkSync(at('victim'), at('run.log'))
    expect(refusedOutput(at('run.log'))).toContain('it is a symbolic link')
    expect(readFileSync(at('victim'), 'utf8')).toBe('mine')
    symlinkSync(at('nowhere'), at('other.log'))
    expect(refusedOutput(at('other.log'))).toContain('it is a symbolic link')
    expect(lstatSync(at('nowhere'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('is a regular file: no folder, no device, and no pipe, which would hold the program up', () => {
    mkdirSync(at('folder'))
    expect(refusedOutput(at('folder'))).toContain('it is not a regular file')
    execFileSync('mkfifo', ['-m', '600', at('pipe')])
    expect(refusedOutput(at('pipe'))).toContain('it is not a regular file')
    expect(refusedOutput('/dev/null')).toContain('it is not a regular file')
  })

  it('is none of the files that the command reads or keeps: by name, by another path, by what it leads to', () => {
    writeFileSync(at('export.csv'), 'a,b\n', { mode: 0o600 })
    symlinkSync(folder, at('by-another-path'))
    symlinkSync(at('export.csv'), at('input-link.csv'))
    expect(refusedOutput(at('export.csv'), [at('export.csv')])).toContain('reads or keeps')
    const another = join(at('by-another-path'), 'export.csv')
    expect(refusedOutput(another, [at('export.csv')])).toContain('reads or keeps')
    expect(refusedOutput(at('export.csv'), [at('input-link.csv')])).toContain('reads or keeps')
    // Not there yet, like the log that SQLite is about to make beside a ledger.
    expect(refusedOutput(at('campaign.db-wal'), [at('campaign.db-wal')])).toContain('reads or keeps')
    expect(readFileSync(at('export.csv'), 'utf8')).toBe('a,b\n')
    write(at('export.csv.log'), [at('export.csv')])
  })

  it('is not overwritten where a new one was asked for', () => {
    write(at('new.yaml'), [], 'create')
    expect(refusedOutput(at('new.yaml'), [], 'create')).toContain('exists and is not overwritten')
    expect(refusedOutput(join(folder, 'no', 'such', 'folder'))).toContain('Cannot open the log file')
  })
})
