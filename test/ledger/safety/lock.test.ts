import { describe, expect, it } from 'vitest'
import { freshFile } from '../campaign-setup.js'
import { processes } from '../second-process.js'
import { acquireLock } from '../../../src/ledger/safety/side-files.js'

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

  it('is not dropped by a second attempt of the same process', () => {
    const file = freshFile()
    const lock = acquireLock(file, () => 'another run holds it')
    expect(() => acquireLock(file, () => 'another run holds it')).toThrow('another run holds it')
    expect(() => acquireLock(file, () => 'another run holds it')).toThrow('another run holds it')
    lock.release()
    acquireLock(file, () => 'another run holds it').release()
  })
})
