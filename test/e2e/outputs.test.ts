import { linkSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { validExport } from '../support/export.js'
import { placeForEach } from '../support/place.js'
import type { Ended } from '../support/program.js'

const { path, read, write, program, sandbox } = placeForEach({ rows: 2, sandbox: {} })
const run = (...args: string[]): Promise<Ended> => program('run', 'export.csv', ...args)

describe('9.2.6 what is written is written nowhere else', () => {
  it.each([
    ['the export', 'export.csv', 'reads or keeps'],
    ['the ledger', 'sepa-migrate.db', 'reads or keeps'],
    ['the log of the ledger', 'sepa-migrate.db-wal', 'reads or keeps'],
    ['the lock of the ledger', './sepa-migrate.db.lock', 'reads or keeps'],
    ['the emergency file', 'sepa-migrate.db.emergency.jsonl', 'reads or keeps'],
    ['the report', 'sepa-migrate-report/report.html', 'reads or keeps'],
    ['a link', 'link.log', 'it is a symbolic link'],
    ['a second name', 'second.log', 'it has a second name'],
  ])('refuses %s as a log file, sends nothing and changes nothing', async (_what, name, why) => {
    write('victim', 'mine')
    symlinkSync(path('victim'), path('link.log'))
    linkSync(path('victim'), path('second.log'))
    const before = read('export.csv')
    const refused = await run('--log-file', name)
    expect([refused.status, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain(why)
    expect([read('export.csv'), read('victim')]).toEqual([before, 'mine'])
    expect(sandbox().mandates()).toEqual([])
  })

  it('refuses a configured log file in the same way, and one that another option names', async () => {
    write('sepa-migrate.yaml', 'logFile: export.csv\n')
    expect((await run()).stderr).toContain('reads or keeps')
    write('sepa-migrate.yaml', 'logFile: sepa-migrate.yaml\n')
    expect((await run()).stderr).toContain('reads or keeps')
    expect(sandbox().mandates()).toEqual([])
  })

  it('goes on with a log of its own', async () => {
    expect((await run('--log-file', 'run.log', '--limit', '1')).status).toBe(5)
    expect((await run('--log-file', 'run.log')).status).toBe(0)
    expect(read('run.log').split('"intent committed"')).toHaveLength(3)
  })

  it('refuses to write problems.csv over the file that is checked', async () => {
    write('./problems.csv', validExport(2))
    const refused = await program('check', './problems.csv', '--out', '.')
    expect(refused.status).toBe(2)
    expect(refused.stderr).toContain('reads or keeps')
    expect(read('./problems.csv')).toBe(validExport(2))
  })

  it('refuses a ledger that has the name of a report', async () => {
    const refused = await run('--ledger', 'summary.json', '--out', '.')
    expect(refused.stderr).toContain('reads or keeps')
    expect(refused.status).toBe(2)
  })

  it('refuses links, files of others and its own fault script as the data of a sandbox', async () => {
    write('victim', '')
    symlinkSync(path('victim'), path('link.db'))
    write('faults.json', '[]')
    const start = (...args: string[]): Promise<Ended> => program('sandbox', '--port', '0', ...args)
    expect((await start('--data', 'link.db')).stderr).toContain('it is a symbolic link')
    expect((await start('--data', 'faults.json', '--faults', 'faults.json')).stderr).toContain(
      'reads or keeps',
    )
    writeFileSync(path('open.db'), '', { mode: 0o644 })
    expect((await start('--data', 'open.db')).stderr).toContain('other users may open it')
    symlinkSync(path('victim'), path('new.db-wal'))
    expect((await start('--data', 'new.db')).stderr).toContain('it is a symbolic link')
    expect(read('victim')).toBe('')
  })
})
