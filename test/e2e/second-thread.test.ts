import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/driver.js'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import { validExport, validLine } from '../support/export.js'
import { noteThreads } from '../support/noted-threads.js'
import { CREDENTIALS, makeFolder, start } from '../support/program.js'

const ROWS = 16_000

let place: ReturnType<typeof makeFolder>
let sandbox: Sandbox
beforeEach(async () => {
  place = makeFolder()
  sandbox = await startSandbox()
})
afterEach(async () => {
  await sandbox.close()
  place.remove()
})

describe('12 a file of some size', () => {
  it('12 is read by a second thread of the program, and every row is in the ledger as it was written', async () => {
    writeFileSync(path('export.csv'), validExport(ROWS))
    const { status, stderr, noted } = await runNoting('export.csv', 'a.db')
    expect(status, stderr).toBe(5)
    expect(noted[0]).toBe('began reader.js before the ledger')
    expect(noted.filter((note) => note.startsWith('began'))).toHaveLength(1)
    expect(noted.filter((kind) => kind === 'rows').length).toBeGreaterThanOrEqual(ROWS / 1_000 - 1)
    expect(noted.at(-1)).toBe('end')

    const ledger = openDatabase(path('a.db'), { readonly: true })
    const rows = ledger
      .prepare<[], { id: number; record: number; line: number; state: string; cells: string | null }>(
        'select id, record, line, state, cells from row order by id',
      )
      .all()
    const keys = ledger.prepare(
      'select count(distinct iban_key) as accounts, count(distinct content_key) as contents from row',
    )
    expect(keys.get()).toEqual({ accounts: ROWS, contents: ROWS })
    ledger.close()
    expect(rows).toHaveLength(ROWS)
    expect(rows[0]).toMatchObject({ state: 'registered', cells: null })
    for (const [index, row] of rows.entries()) {
      const n = index + 1
      expect([row.id, row.record, row.line]).toEqual([n, n, n + 1])
      if (n > 1) expect([row.state, row.cells]).toEqual(['ready', JSON.stringify(validLine(n).split(','))])
    }
  }, 120_000)

  it('12 that comes to a ledger is read once the ledger is open', async () => {
    writeFileSync(path('small.csv'), validExport(1))
    expect((await runNoting('small.csv', 'a.db')).noted).toEqual([])
    writeFileSync(path('export.csv'), [validExport(ROWS).split('\n')[0], ...later()].join('\n') + '\n')
    const { status, stderr, noted } = await runNoting('export.csv', 'a.db')
    expect(status, stderr).toBe(5)
    expect(noted[0]).toBe('began reader.js beside a ledger')
    expect(noted.at(-1)).toBe('end')
  }, 120_000)

  it('12 is let go where no ledger can be made, and the program ends', async () => {
    writeFileSync(path('export.csv'), validExport(ROWS))
    writeFileSync(path('folder'), '')
    const { status, stderr, noted } = await runNoting('export.csv', 'folder/a.db')
    expect(status, stderr).toBe(8)
    expect(noted[0]).toBe('began reader.js before the ledger')
  }, 120_000)
})

const path = (name: string): string => join(place.folder, name)

const later = (): string[] => Array.from({ length: ROWS }, (_, index) => validLine(index + 2))

async function runNoting(file: string, ledger: string) {
  const { env, noted } = noteThreads(place.folder)
  const args = ['run', file, '--ledger', ledger, '--base-url', sandbox.url, '--no-report', '--quiet']
  const { ended } = start([...args, '--limit', '1'], { cwd: place.folder, env: { ...CREDENTIALS, ...env } })
  const { status, stderr } = await ended
  return { status, stderr, noted: noted() }
}
