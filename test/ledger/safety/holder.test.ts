import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import { holding, open } from '../campaign-setup.js'
import { freshFolder } from '../../support/folder.js'
import { isMountPoint } from '../../../src/trust/entry.js'

const canMount =
  spawnSync('unshare', ['-m', 'true']).status === 0 ? false : 'unshare cannot make a mount namespace here'

function closed(): string {
  const ledger = holding([{}])
  ledger.close()
  return ledger.file
}

/** A process in a mount namespace of its own, where the ledger lies under a second name. */
async function mounted(file: string, script: string): Promise<string[]> {
  const second = join(freshFolder(), 'second.db')
  closeSync(openSync(second, 'wx', 0o600))
  const child = spawn(
    'unshare',
    [
      '-m',
      'sh',
      '-c',
      `mount --bind "$1" "$2" && exec "$3" --input-type=module -e "$4"`,
      'sh',
      file,
      second,
      process.execPath,
      script,
    ],
    {
      env: { ...process.env, SECOND: second },
      cwd: process.cwd(),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'close')
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  await Promise.race([once(reader, 'line').then(([line]) => lines.push(line as string)), ended])
  return lines
}

describe('8.1.3 a ledger file that is mounted by itself', () => {
  it.skipIf(canMount)('is refused to whoever writes or reads it there', async () => {
    const file = closed()
    const lines = await mounted(
      file,
      `import { isMountPoint } from '${join(process.cwd(), 'dist/trust/entry.js')}'
       import { openLedger } from '${join(process.cwd(), 'dist/ledger/file/open-ledger.js')}'
       import { openLedgerReader } from '${join(process.cwd(), 'dist/ledger/read/open-reader.js')}'
       const said = [isMountPoint(process.env.SECOND)]
       const clock = { now: () => 0, monotonic: () => 0 }
       for (const work of [() => openLedger({ file: process.env.SECOND, clock }), () => openLedgerReader(process.env.SECOND)])
         try { work(); said.push('opened') } catch (error) { said.push(error.problem + ': ' + error.message) }
       console.log(JSON.stringify(said))`,
    )
    const said = JSON.parse(lines[0] ?? '[]') as unknown[]
    expect(said[0]).toBe(true)
    expect(said.slice(1)).toEqual([
      expect.stringMatching(/^unsafe: .*it is mounted by itself/),
      expect.stringMatching(/^unsafe: .*it is mounted by itself/),
    ])
    open({ file }).close()
  })

  it('is told by its path in the list of mounts, blanks and all', () => {
    const file = closed()
    expect(isMountPoint(file)).toBe(false)
    expect(isMountPoint(file, ['/', file])).toBe(true)
    expect(isMountPoint(file, ['/', dirname(file)])).toBe(false)
    expect(isMountPoint(file, [])).toBe(false)
  })
})

/** Another process that runs this script until the test ends. */
async function beside(script: string): Promise<void> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  await once(child.stdout, 'data')
}

describe('25.3 a ledger that was moved while a process goes on with it', () => {
  it('is refused under its new name, until that process has ended', async () => {
    const file = closed()
    await beside(
      `import { openLedger } from '${join(process.cwd(), 'dist/ledger/file/open-ledger.js')}'
       const ledger = openLedger({ file: '${file}', clock: { now: () => 0, monotonic: () => 0 }, pid: process.pid })
       console.log('holds')
       setInterval(() => ledger.totals(), 60000)`,
    )
    const moved = `${file}.moved`
    for (const ending of ['', '-wal', '-shm']) renameSync(file + ending, moved + ending)
    expect(() => open({ file: moved })).toThrow(/process \d+ uses the same file under another name/)
  })

  it('is not suspected of its readers, in this process or another', async () => {
    const file = closed()
    const reader = openLedgerReader(file)
    reader.totals()
    await beside(
      `import { openDatabase } from '${join(process.cwd(), 'dist/driver.js')}'
       const connection = openDatabase('${file}', { readonly: true })
       connection.prepare('select count(*) from row').get()
       console.log('reads')
       setInterval(() => connection.open, 60000)`,
    )
    open({ file }).close()
    reader.close()
  })
})
