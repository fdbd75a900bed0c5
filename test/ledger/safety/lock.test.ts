import { spawnSync } from 'node:child_process'
import { closeSync, openSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { acquireLock } from '../../../src/ledger/safety/side-files.js'
import { isMountPoint } from '../../../src/trust/trusted-file.js'
import { freshFolder } from '../../support/folder.js'
import { closedFile, freshFile, open } from '../campaign-setup.js'
import { startProcess } from '../second-process.js'

const NO_MOUNT = spawnSync('unshare', ['-m', 'true']).status !== 0

describe('the lock of a ledger (scenario 38)', () => {
  it('lets one process in and tells the other who holds it', async () => {
    const file = freshFile()
    const holder = startProcess('hold.mjs', [file])
    expect(await holder.says).toBe('held 0')
    const refused = startProcess('hold.mjs', [file])
    expect(await refused.says).toMatch(
      new RegExp(
        `^locked: Cannot open the ledger ".+campaign\\.db": another run \\(process ${holder.child.pid!} on .+\\) has held it since 20.+Z, it must end first$`,
      ),
    )
    expect(await refused.exitCode).toBe(8)
  })

  it('lets exactly one of two in that start at the same moment', async () => {
    const file = freshFile()
    const both = [startProcess('hold.mjs', [file]), startProcess('hold.mjs', [file])]
    const said = await Promise.all(both.map(({ says }) => says))
    expect(said.map((line) => line.slice(0, 6)).sort()).toEqual(['held 0', 'locked'])
  })

  it('holds while its holder is stopped, and is free as soon as that was killed', async () => {
    const file = freshFile()
    const holder = startProcess('hold.mjs', [file])
    await holder.says
    holder.child.kill('SIGSTOP')
    expect(await startProcess('hold.mjs', [file]).says).toMatch(/^locked/)
    await holder.kill()
    expect(await startProcess('hold.mjs', [file]).says).toBe('held 0')
  })

  it('is not dropped by a second attempt of the same process', () => {
    const file = freshFile()
    const acquire = () => acquireLock(file, () => 'another run holds it')
    const lock = acquire()
    expect(acquire).toThrow('another run holds it')
    expect(acquire).toThrow('another run holds it')
    lock.release()
    acquire().release()
  })
})

describe('a ledger file that is mounted by itself', () => {
  it.skipIf(NO_MOUNT)('is refused to whoever writes or reads it there', async () => {
    const file = closedFile()
    const second = join(freshFolder(), 'second.db')
    closeSync(openSync(second, 'wx', 0o600))
    const mount = `mount --bind '${file}' '${second}'`
    const shell = String.raw`exec unshare -m sh -c "${mount} && exec \"\$0\" \"\$@\"" "$0" "$@"`
    const { lines, exitCode } = startProcess('open.mjs', [second], shell)
    await exitCode
    expect(lines).toEqual([
      'mounted: true',
      expect.stringMatching(/^unsafe: .*it is mounted by itself/),
      expect.stringMatching(/^unsafe: .*it is mounted by itself/),
    ])
    open({ file }).close()
  })

  it('is told by its path in the list of mounts, blanks and all', () => {
    const file = closedFile()
    expect(isMountPoint(file)).toBe(false)
    expect(isMountPoint(file, ['/', file])).toBe(true)
    expect(isMountPoint(file, ['/', dirname(file)])).toBe(false)
  })
})

describe('a ledger that was moved while a process goes on with it', () => {
  it('is refused under its new name, until that process has ended', async () => {
    const file = closedFile()
    await startProcess('hold.mjs', [file]).says
    const moved = `${file}.moved`
    for (const ending of ['', '-wal', '-shm']) renameSync(file + ending, moved + ending)
    expect(() => open({ file: moved })).toThrow(/process \d+ uses the same file under another name/)
  })

  it('is not suspected of its readers, in this process or another', async () => {
    const file = closedFile()
    const reader = openLedgerReader(file)
    reader.totals()
    await startProcess('read.mjs', [file]).says
    open({ file }).close()
    reader.close()
  })
})
