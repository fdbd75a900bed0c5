import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codeOf, UsageError } from '../../src/errors.js'
import { openLedgerReader, type LedgerReader } from '../../src/ledger/read/open-reader.js'
import { validExport } from '../support/export.js'
import { CREDENTIALS, makeFolder, start, type Ended } from '../support/program.js'
import { startTruth, type TruthServer } from '../support/truth-server.js'

/**
 * The built program, killed with SIGKILL at moments from its start to its first requests, as it sends to a real service.
 * The next start must go on by itself, and no mandate may be posted twice. `TORTURE_MOMENTS=5` is the short form for CI.
 */
const MOMENTS = Number(process.env['TORTURE_MOMENTS'] ?? 40)
const SENT_AT_ONCE = 5
const SECOND_FILE_FROM = 500_000

const run = (folder: string, server: TruthServer, ...args: string[]) =>
  start(['run', 'export.csv', '--base-url', server.baseUrl, '--yes', '--quiet', '--no-report', ...args], {
    cwd: folder,
    env: { ...CREDENTIALS, ...server.env, XDG_STATE_HOME: join(folder, 'state') },
  })

const pilot = (folder: string, server: TruthServer): Promise<Ended> =>
  run(folder, server, '--limit', String(SENT_AT_ONCE)).ended

/** What every campaign of a kind begins with: an export, and perhaps a ledger that was sent from. */
async function prepare(folder: string, server: TruthServer, rows: number, isNew: boolean): Promise<void> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'export.csv'), validExport(1_000))
  if (!isNew) expect((await pilot(folder, server)).status).toBe(5)
  writeFileSync(join(folder, 'export.csv'), validExport(rows, isNew ? 1 : SECOND_FILE_FROM))
}

/** Null for a file whose tables are not made yet. */
function readerOf(ledger: string): LedgerReader | null {
  try {
    return openLedgerReader(ledger)
  } catch (error) {
    // The journal of the first write is left: the next start makes the ledger anew.
    if (error instanceof UsageError || codeOf((error as Error).cause) === 'SQLITE_READONLY_ROLLBACK')
      return null
    throw error
  }
}

/** Whether every row was registered, as a kill may find it that came late. */
function isDone(folder: string, expected: number): boolean {
  const ledger = join(folder, 'sepa-migrate.db')
  const reader = existsSync(ledger) && statSync(ledger).size > 0 ? readerOf(ledger) : null
  const registered = reader?.totals().registered
  reader?.close()
  return registered === expected
}

describe('kills from the first millisecond', () => {
  it.each([
    [1_000, 'a new ledger'],
    [1_000, 'a ledger that exists'],
    [100_000, 'a new ledger'],
    [100_000, 'a ledger that exists'],
  ])(
    `%i rows, %s: ${MOMENTS} kills, and the next start goes on by itself`,
    async (rows, kind) => {
      const { folder, remove } = makeFolder()
      const server = await startTruth({ asRealService: folder })
      onTestFinished(async () => {
        await server.close()
        remove()
      })
      const isNew = kind === 'a new ledger'
      const template = join(folder, 'template')
      await prepare(template, server, rows, isNew)
      const before = isNew ? 0 : 1_000
      const measured = join(folder, 'measured')
      cpSync(template, measured, { recursive: true })
      const startedMs = performance.now()
      const { posts } = server
      const from = posts()
      const first = pilot(measured, server)
      await Promise.race([server.whenReceived(from + 1), first])
      const longestMs = (performance.now() - startedMs) * 1.1
      const { status, stderr } = await first
      expect(status, stderr).toBe(5)

      let killed = 0
      for (let moment = 0; moment < MOMENTS; moment += 1) {
        const campaign = join(folder, `campaign-${moment}`)
        cpSync(template, campaign, { recursive: true })
        server.forget()
        const { child, ended } = run(campaign, server)
        await new Promise((resolve) => setTimeout(resolve, (longestMs * moment) / (MOMENTS - 1)))
        child.kill('SIGKILL')
        const { signal } = await ended
        if (signal === 'SIGKILL') killed += 1
        const statuses = isDone(campaign, before + rows) ? [0] : [4, 5]
        const again = await pilot(campaign, server)
        expect(statuses, again.stderr).toContain(again.status)
        expect(server.twice()).toEqual([])
        rmSync(campaign, { recursive: true })
      }
      process.stdout.write(`${rows} rows, ${kind}: ${killed} killed, 0 to ${Math.round(longestMs)} ms\n`)
      expect(killed).toBeGreaterThan(0)
    },
    1_800_000,
  )
})
