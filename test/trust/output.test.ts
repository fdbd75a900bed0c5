import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { openTrusted } from '../../src/trust/output.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trusted-output-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (name: string): string => join(folder, name)

function write(path: string, forbidden: readonly string[] = [], mode: 'append' | 'create' = 'append'): void {
  const descriptor = openTrusted(path, { mode, what: 'log file', forbidden })
  try {
    writeSync(descriptor, 'line\n')
  } finally {
    closeSync(descriptor)
  }
}

function refusalOf(path: string, forbidden?: readonly string[], mode?: 'append' | 'create'): string {
  try {
    write(path, forbidden, mode)
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as UsageError).message
  }
  throw new Error('Nothing was refused')
}

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
    expect(refusalOf(at('run.log'))).toContain('it is a symbolic link')
    expect(readFileSync(at('victim'), 'utf8')).toBe('mine')
    symlinkSync(at('nowhere'), at('other.log'))
    expect(refusalOf(at('other.log'))).toContain('it is a symbolic link')
    expect(lstatSync(at('nowhere'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('has one name only, and is closed to everybody else', () => {
    for (const name of ['victim', 'open.log']) writeFileSync(at(name), 'mine', { mode: 0o600 })
    linkSync(at('victim'), at('run.log'))
    expect(refusalOf(at('run.log'))).toContain('it has a second name')
    chmodSync(at('open.log'), 0o644)
    expect(refusalOf(at('open.log'))).toContain('other users may open it (mode 0644)')
    for (const name of ['victim', 'open.log']) expect(readFileSync(at(name), 'utf8')).toBe('mine')
  })

  it.skipIf(process.getuid?.() !== 0)('belongs to this user (as root only: it gives a file away)', () => {
    writeFileSync(at('run.log'), '', { mode: 0o600 })
    chownSync(at('run.log'), 65_534, 65_534)
    expect(refusalOf(at('run.log'))).toContain('it belongs to another user')
  })

  it('is a regular file: no folder, no device, and no pipe, which would hold the program up', () => {
    mkdirSync(at('folder'))
    expect(refusalOf(at('folder'))).toContain('it is not a regular file')
    execFileSync('mkfifo', ['-m', '600', at('pipe')])
    expect(refusalOf(at('pipe'))).toContain('it is not a regular file')
    expect(refusalOf('/dev/null')).toContain('it is not a regular file')
  })

  it('is none of the files that the command reads or keeps: by name, by another path, by what it leads to', () => {
    writeFileSync(at('export.csv'), 'a,b\n', { mode: 0o600 })
    symlinkSync(folder, at('by-another-path'))
    symlinkSync(at('export.csv'), at('input-link.csv'))
    expect(refusalOf(at('export.csv'), [at('export.csv')])).toContain('reads or keeps')
    expect(refusalOf(join(at('by-another-path'), 'export.csv'), [at('export.csv')])).toContain(
      'reads or keeps',
    )
    expect(refusalOf(at('export.csv'), [at('input-link.csv')])).toContain('reads or keeps')
    // Not there yet, like the log that SQLite is about to make beside a ledger.
    expect(refusalOf(at('campaign.db-wal'), [at('campaign.db-wal')])).toContain('reads or keeps')
    expect(readFileSync(at('export.csv'), 'utf8')).toBe('a,b\n')
    write(at('export.csv.log'), [at('export.csv')])
  })

  it('is not overwritten where a new one was asked for', () => {
    write(at('new.yaml'), [], 'create')
    expect(refusalOf(at('new.yaml'), [], 'create')).toContain('exists and is not overwritten')
    expect(refusalOf(join(folder, 'no', 'such', 'folder'))).toContain('Cannot open the log file')
  })
})
