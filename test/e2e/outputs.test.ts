import { linkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { validExport } from '../support/export.js'
import { placeForEach, placeOfTest } from '../support/place.js'
import { PROGRAM, startCommand } from '../support/program.js'

const { path, read, write, program, sandbox } = placeForEach({ rows: 2, sandbox: {} })
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
  expect(await refusal('run', 'export.csv', '--ledger', 'summary.json', '--out', '.')).toContain(
    'reads or keeps',
  )
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
  expect([ended.status, ended.stderr.split('\n').at(-2)]).toEqual([
    1,
    'The result could not be written (ENOSPC): 2 registered, 0 in doubt, 0 ready',
  ])
})

it('a report whose folder is gone once something was sent is no usage error', async () => {
  const place = await placeOfTest({ rows: 2, sandbox: { latencyMs: 300 } })
  const line = [process.execPath, PROGRAM, 'run', 'export.csv', '--yes', '--out', 'gone/report']
  const run = startCommand(line, { cwd: place.folder(), env: place.env() })
  while (place.sandbox().requests().received.migrate === 0) await setImmediate()
  rmSync(place.path('gone'), { recursive: true, force: true })
  writeFileSync(place.path('gone'), '')
  const { status, stderr } = await run.ended
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^Error: Cannot write the report .*2 requests were sent/m),
  ])
})

it('a path below a file is told as such by whatever writes or reads there', async () => {
  write('./file', '')
  for (const line of [
    ...['run export.csv --out file', 'run export.csv --out file/x', 'run export.csv --ledger file/l.db'],
    ...[
      'plan export.csv --to file/p.json',
      'plan export.csv --to nowhere/../p.json',
      'check export.csv --out file',
      'check export.csv --log-file file/l',
    ],
    ...['init export.csv --to file/x', 'sandbox --data file/d', 'status --ledger file/l.db'],
  ]) {
    const { status, stderr } = await program(...line.split(' '))
    expect([status, stderr], line).toEqual([2, expect.stringMatching(/^Error: Cannot (write|open) /m)])
  }
  expect(sandbox().mandates()).toEqual([])
})
