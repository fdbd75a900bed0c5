import { existsSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LedgerError } from '../../../src/errors.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { freshFile, holding, open } from '../campaign-setup.js'
import { processes } from '../second-process.js'
import { acquireLock, lockFileOf } from '../../../src/ledger/safety/side-files.js'

const start = processes()

describe('the lock of a ledger (scenario 38)', () => {
  it('lets one process in and tells the other who holds it', async () => {
    const file = freshFile()
    const holder = start('hold.mjs', [file])
    expect(await holder.says).toBe('held 0')
    const refused = start('hold.mjs', [file])
    expect(await refused.says).toMatch(
      new RegExp(
        `^locked: Cannot open the ledger ".+campaign\\.db": another run \\(process ${holder.child.pid!} on .+\\) has held it since 20.+Z, it must end first$`,
      ),
    )
    expect(await refused.exitCode).toBe(8)
  })

  it('lets exactly one of two in that start at the same moment', async () => {
    const file = freshFile()
    const both = [start('hold.mjs', [file]), start('hold.mjs', [file])]
    const said = await Promise.all(both.map(({ says }) => says))
    expect(said.map((line) => line.slice(0, 6)).sort()).toEqual(['held 0', 'locked'])
  })

  it('is free as soon as its holder was killed', async () => {
    const file = freshFile()
    const holder = start('hold.mjs', [file])
    await holder.says
    await holder.kill()
    expect(await start('hold.mjs', [file]).says).toBe('held 0')
  })

  it('holds while its holder is stopped', async () => {
    const file = freshFile()
    const holder = start('hold.mjs', [file])
    await holder.says
    holder.child.kill('SIGSTOP')
    expect(await start('hold.mjs', [file]).says).toMatch(/^locked/)
  })

  it('does not keep readers out', () => {
    const ledger = holding([{}])
    const reader = openLedgerReader(ledger.file)
    expect(reader.totals()).toMatchObject({ read: 1, ready: 1 })
    reader.close()
    expect(() => open({ file: ledger.file })).toThrow(LedgerError)
  })

  it('is kept by a private file that stays behind', () => {
    const ledger = open()
    ledger.close()
    expect(statSync(lockFileOf(ledger.file)).mode & 0o777).toBe(0o600)
    open({ file: ledger.file }).close()
    expect(existsSync(lockFileOf(ledger.file))).toBe(true)
  })

  it('is not dropped by a second attempt of the same process', () => {
    const file = freshFile()
    const lock = acquireLock(file, () => 'another run holds it')
    expect(() => acquireLock(file, () => 'another run holds it')).toThrow('another run holds it')
    expect(() => acquireLock(file, () => 'another run holds it')).toThrow('another run holds it')
    lock.release()
    acquireLock(file, () => 'another run holds it').release()
  })
})
