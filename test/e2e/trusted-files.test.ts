import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { validExport } from '../support/export.js'
import { placeForEach, placeOfTest } from '../support/place.js'
import { CANNOT_MOUNT, PROGRAM, runShell, startCommand } from '../support/program.js'

describe('places of others', () => {
  const ANOTHER_USER = 65_534
  /** Only root can act as another user. */
  const isNoRoot = process.getuid?.() !== 0

  async function open(delayMs = 0) {
    const place = await placeOfTest({ rows: 6, truth: { delayMs }, ownState: true })
    return { ...place, run: (...args: string[]) => place.program('run', ...args) }
  }

  describe('a folder that others can write', () => {
    it('is refused by every command that opens the ledger, and nothing is sent', async () => {
      const { folder, run, ends, truth } = await open()
      expect((await run('export.csv', '--limit', '2')).status).toBe(5)
      chmodSync(folder(), 0o777)
      for (const line of [
        ...['run', 'status', 'report', 'purge --yes', 'resolve --row 1 --as refused --reason x'],
        ...['ledger adopt --reason x', 'resolve --against export.csv', 'customer show 1'],
        'customer erase 1 --yes --reason x',
      ]) {
        const { stderr } = await ends(8, ...line.split(' '))
        expect(stderr).toMatch(/Cannot trust the folder .* anybody on this machine can [^]*--shared-folder/)
      }
      expect(truth().posts()).toBe(2)
    })

    it('is allowed by flag or environment, never by a file; the run, its warnings and the report say so', async () => {
      const { folder, read, write, run, ends, programWith } = await open()
      write('shared.yaml', 'sharedFolder: true\n')
      expect((await run('export.csv', '--config', 'shared.yaml')).status).toBe(2)
      chmodSync(folder(), 0o777)
      const first = await run('export.csv', '--limit', '2', '--shared-folder')
      expect(first.status).toBe(5)
      expect(first.stderr).toMatch(/Others can change the folder of the ledger .*--shared-folder allowed it/)
      expect(read('report.html')).toMatch(/shared folder: .*Others can change the folder/)
      const second = await programWith({ SEPA_MIGRATE_SHARED_FOLDER: '1' }, 'run', '--json')
      expect(second.status).toBe(0)
      const { warnings } = JSON.parse(second.stdout) as { warnings: string[] }
      expect(warnings[0]).toMatch(/--shared-folder allowed it/)
      await ends(0, 'status', '--shared-folder')
    })
  })

  it('a path that the system refuses is a mistake of whoever typed it, and no bug', async () => {
    const { write, path, ends, truth } = await open()
    symlinkSync('loop', path('loop'))
    write('plan.json', '{}')
    const long = 'n'.repeat(300)
    for (const [line, at] of [
      ['run export.csv --out loop', 'loop/registered.csv'],
      ['run export.csv --log-file loop/x', 'loop/x'],
      ['plan export.csv --to loop/x', 'loop/x'],
      ['status --ledger loop/x', 'loop/x'],
      ['sandbox --data loop/x', 'loop/x'],
      [`plan export.csv --to ${long}`, long],
    ] as const) {
      const { stderr } = await ends(2, ...line.split(' '))
      expect(stderr).toContain(`${at}": `)
      expect(stderr).toMatch(/The system refuses ".*": E[A-Z]+: [a-z ]+\n  To do: Give another path/)
    }
    expect(truth().posts()).toBe(0)
  })

  it.skipIf(isNoRoot)(
    'another user whose configuration lies there brings no columns, and whose folder is named gets no report',
    async () => {
      const { path, program, ends, truth } = await open()
      mkdirSync(path('theirs'), { mode: 0o755 })
      chownSync(path('theirs'), ANOTHER_USER, ANOTHER_USER)
      for (const command of ['run', 'check']) {
        const { stderr } = await ends(2, command, 'export.csv', '--out', 'theirs')
        expect(stderr).toMatch(/Cannot write a report to the folder .*: it belongs to another user/)
      }
      expect(readdirSync(path('theirs'))).toEqual([])
      writeFileSync(path('sepa-migrate.yaml'), 'columns:\n  iban: iban\n')
      chownSync(path('sepa-migrate.yaml'), ANOTHER_USER, ANOTHER_USER)
      for (const command of ['run', 'plan']) {
        const { stderr } = await ends(2, command, 'export.csv')
        expect(stderr).toMatch(/Others can change ".*yaml": it belongs to another user.*nothing was sent/)
      }
      expect((await program('check', 'export.csv')).stderr).not.toContain('but it belongs')
      expect(truth().posts()).toBe(0)
    },
  )

  /** A file of each kind that decides about rows, and the command that reads it. */
  const GIVEN = [
    ['export.csv', 'run export.csv'],
    ['crosswalk.csv', 'run export.csv'],
    ['joined.csv', 'plan export.csv'],
    ['bank.xml', 'run export.csv --evidence bank.xml'],
    ['mine.csv', 'resolve --from mine.csv'],
    ['held.csv', 'resolve --against held.csv'],
  ] as const

  const READING = `crosswalk: { file: crosswalk.csv, from: customer_no, key: old }
join: [{ file: joined.csv, on: { customer_no: customer_no }, take: { status: status } }]
`

  it.skipIf(isNoRoot)('a file of another user that decides about rows is refused by its name', async () => {
    const { path, write, ends, truth } = await open()
    await ends(5, 'run', 'export.csv', '--limit', '1')
    write('sepa-migrate.yaml', READING)
    for (const [name, line] of GIVEN) {
      if (name !== 'export.csv') write(name, 'x')
      chownSync(path(name), ANOTHER_USER, ANOTHER_USER)
      const { stderr } = await ends(2, ...line.split(' '))
      const told = new RegExp(`Others can change ".*${name}": it belongs to another user.*nothing was sent`)
      expect(stderr, name).toMatch(told)
      chownSync(path(name), 0, 0)
    }
    expect(truth().posts()).toBe(1)
  })

  it('an export and a configuration that others can write are told in plan, run and report', async () => {
    const { path, read, write, program, truth } = await open()
    write('sepa-migrate.yaml', 'dormantSoonDays: 30\n')
    for (const name of ['export.csv', 'sepa-migrate.yaml']) chmodSync(path(name), 0o666)
    const told = /Others can change "export.csv": anybody on this machine can write to it/
    expect((await program('plan', 'export.csv')).stdout).toMatch(told)
    expect(read('plan.html')).toMatch(/Others can change "?(&quot;)?export.csv/)
    const { status, stderr } = await program('run', 'export.csv')
    expect([status, truth().posts()]).toEqual([0, 6])
    expect(stderr).toMatch(told)
    // Before anything is sent.
    expect(stderr).toMatch(/^Others can change "[^"]+sepa-migrate\.yaml": anybody[^]*Sending/m)
    expect(read('report.html')).toMatch(/Others can change/)
    expect(read('summary.json')).toContain('Others can change')
  })

  it('a pipe in the place of a configuration, password, plan or list of decisions is refused at once', async () => {
    const { path, ends, truth } = await open()
    execFileSync('mkfifo', ['-m', '600', path('pipe')])
    await ends(5, 'run', 'export.csv', '--limit', '1')
    const lines = ['rules --config', 'run --password-file', 'run --plan', 'resolve --from']
    for (const line of [...lines, 'approve --by Eve --reference x'])
      expect((await ends(2, ...line.split(' '), 'pipe')).stderr).toContain('it is not a regular file')
    expect(truth().posts()).toBe(1)
  })

  it.skipIf(CANNOT_MOUNT)(
    'a single ledger file that was mounted is refused while a run holds it, and when none does',
    async () => {
      const { folder, env, path, run, truth } = await open(20)
      mkdirSync(path('second'), { mode: 0o700 })
      writeFileSync(path('second/sepa-migrate.db'), '', { mode: 0o600 })
      expect((await run('export.csv', '--limit', '1')).status).toBe(5)
      const mountedRun = () =>
        runShell(
          'mount --bind sepa-migrate.db second/sepa-migrate.db && cd second && exec "$NODE" "$PROGRAM" run',
          { cwd: folder(), env: env() },
        )
      const [first, second] = await Promise.all([run(), mountedRun()])
      expect(first.status).toBe(0)
      expect(second.status).toBe(8)
      expect(second.stderr).toMatch(/it is mounted by itself/)
      expect((await mountedRun()).status).toBe(8)
      expect(truth().twice()).toEqual([])
    },
  )
})

describe('outputs', () => {
  const { path, read, write, program, ends, sandbox } = placeForEach({ rows: 2, sandbox: {} })
  const refusal = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await program(...args)
    expect([status, stdout], stderr).toEqual([2, ''])
    return stderr
  }

  it('what is written is written nowhere else: nothing is sent, and nothing changes', async () => {
    write('victim', 'mine')
    symlinkSync(path('victim'), path('link.log'))
    linkSync(path('victim'), path('second.log'))
    for (const [name, why] of [
      ['export.csv', 'reads or keeps'],
      ['sepa-migrate.db', 'reads or keeps'],
      ['sepa-migrate.db-wal', 'reads or keeps'],
      ['./sepa-migrate.db.lock', 'reads or keeps'],
      ['sepa-migrate.db.emergency.jsonl', 'reads or keeps'],
      ['sepa-migrate-report/report.html', 'reads or keeps'],
      ['link.log', 'it is a symbolic link'],
      ['second.log', 'it has a second name'],
    ] as const)
      expect(await refusal('run', 'export.csv', '--log-file', name), name).toContain(why)
    write('./problems.csv', validExport(2))
    expect(await refusal('check', './problems.csv', '--out', '.')).toContain('reads or keeps')
    expect([read('export.csv'), read('./problems.csv')]).toEqual([validExport(2), validExport(2)])
    expect(sandbox().mandates()).toEqual([])
    // A ledger that a report would be written over is told before anything is sent.
    const over = ['--ledger', 'summary.json', '--out', '.']
    expect(await refusal('run', 'export.csv', ...over)).toContain('reads or keeps')
    const inFolder = ['--ledger', 'new/summary.json', '--out', 'new']
    expect(await refusal('run', 'export.csv', ...inFolder)).toContain('reads or keeps')
    expect(sandbox().requests().received.migrate).toBe(0)

    write('faults.json', '[]')
    writeFileSync(path('open.db'), '', { mode: 0o644 })
    symlinkSync(path('victim'), path('new.db-wal'))
    const serve = (...args: string[]): Promise<string> => refusal('sandbox', '--port', '0', '--data', ...args)
    expect(await serve('link.log')).toContain('it is a symbolic link')
    expect(await serve('faults.json', '--faults', 'faults.json')).toContain('reads or keeps')
    expect(await serve('open.db')).toContain('other users may open it')
    expect(await serve('new.db')).toContain('it is a symbolic link')
    expect(read('victim')).toBe('mine')
  })

  it('a result that cannot be written is no success', async () => {
    const line = `"${process.execPath}" "${PROGRAM}" rules --json > /dev/full`
    const { status, stderr } = await startCommand(['sh', '-c', line], { cwd: path('.') }).ended
    expect([status, stderr]).toEqual([1, 'The result could not be written (ENOSPC)\n'])

    // What was sent is said where it can be.
    const place = await placeOfTest({ rows: 2, sandbox: {} })
    const sending = `"${process.execPath}" "${PROGRAM}" run export.csv --json > /dev/full`
    const ended = await startCommand(['sh', '-c', sending], { cwd: place.folder(), env: place.env() }).ended
    expect(ended.status).toBe(1)
    expect(ended.stderr).toContain(
      'The result could not be written (ENOSPC): 2 registered, 0 in doubt, 0 ready',
    )
  })

  it('a report whose folder is gone once something was sent is no usage error', async () => {
    const place = await placeOfTest({ rows: 2, sandbox: { latencyMs: 300 } })
    const line = [process.execPath, PROGRAM, 'run', 'export.csv', '--yes', '--out', 'gone/report']
    const run = startCommand(line, { cwd: place.folder(), env: place.env() })
    while (place.sandbox().requests().received.migrate === 0) await setImmediate()
    rmSync(place.path('gone'), { recursive: true, force: true })
    writeFileSync(place.path('gone'), '')
    const { status, stderr } = await run.ended
    expect(status).toBe(1)
    expect(stderr).toMatch(/^Error: Cannot write the report .*2 requests were sent/m)
  })

  it('a path below a file is told as such by whatever writes or reads there', async () => {
    write('./file', '')
    for (const line of [
      ...['run export.csv --out file', 'run export.csv --out file/x', 'run export.csv --ledger file/l.db'],
      ...['plan export.csv --to file/p.json', 'plan export.csv --to nowhere/../p.json'],
      ...['check export.csv --out file', 'check export.csv --log-file file/l'],
      ...['init export.csv --to file/x', 'sandbox --data file/d', 'status --ledger file/l.db'],
    ])
      expect((await ends(2, ...line.split(' '))).stderr).toMatch(/^Error: Cannot (write|open) /m)
    expect(sandbox().mandates()).toEqual([])
  })
})
