import { readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { expect, it, onTestFinished } from 'vitest'
import { seedChance } from '../support/chance.js'
import { validExport } from '../support/export.js'
import { startFaultServer, type FaultServer } from '../support/fault-server.js'
import { CREDENTIALS, makeFolder, runProgram, start, type Ended } from '../support/program.js'
import type { Database } from '../../src/database.js'
import { openDatabase } from '../../src/driver.js'
import type { RowState } from '../../src/domain/row/row-state.js'

/** What the service received and applied. */
type Truth = Pick<FaultServer['truth'], 'requests' | 'applications'>
type Application = Truth['applications'][number]

interface StoredRow {
  readonly id: number
  readonly state: RowState
  readonly customerNo: number
  readonly reference: string | null
  readonly creditor: string | null
  readonly iban: string | null
  readonly resends: number
}

/** Both sides of a campaign, compared from the outside. */
interface Comparison {
  readonly states: Readonly<Partial<Record<RowState, number>>>
  /** Rows whose request may have been under way when the process died. */
  readonly sending: number
}

/** Rows that must not exist at the service, unless a person had one of their doubts sent again. */
const NOT_APPLIED: readonly RowState[] = [
  'ready',
  'refused',
  'invalid',
  'duplicate',
  'conflict',
  'excluded',
  'superseded',
]

/**
 * The invariants (ledger/README.md#invariants) on a ledger that no process holds, against what the service received and
 * applied. Null where the program died before it had a ledger.
 */
function compare(file: string, rows: number, slots: number, truth: Truth): Comparison | null {
  const connection = existsSync(file) ? openDatabase(file, { readonly: true }) : null
  try {
    const tables = connection
      ?.prepare<[], number>(`select count(*) from sqlite_schema where name = 'row'`)
      .pluck()
      .get()
    if (connection === null || tables !== 1) {
      expect(truth.requests).toEqual([])
      return null
    }
    return compareWith(connection, rows, slots, truth)
  } finally {
    connection?.close()
  }
}

function compareWith(connection: Database, rows: number, slots: number, truth: Truth): Comparison {
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
  const stored = connection
    .prepare<[], StoredRow>(
      `select id, state, customer_no as customerNo, assigned_mandate_reference as reference,
         assigned_creditor_identifier as creditor, iban,
         (select count(*) from decision
           where row_id = row.id and from_state = 'in_doubt' and to_state = 'ready') as resends
       from row`,
    )
    .all()
  // A file is admitted whole or not at all, and before anything of it is sent.
  expect([0, rows]).toContain(stored.length)
  expect(connection.prepare('select sum(records) from source').pluck().get() ?? 0).toBe(stored.length)
  if (stored.length === 0) expect(truth.requests).toEqual([])

  const applied = new Map<number, Application[]>()
  for (const application of truth.applications)
    applied.set(application.customerNo, [...(applied.get(application.customerNo) ?? []), application])
  const wrong = stored.flatMap((row) => faultsOf(row, applied.get(row.customerNo) ?? []))
  expect(wrong).toEqual([])

  const states: Partial<Record<RowState, number>> = {}
  for (const { state } of stored) states[state] = (states[state] ?? 0) + 1
  const sending = states.sending ?? 0
  expect(sending).toBeLessThanOrEqual(slots)
  expect(requestsWithoutIntent(connection, truth.requests)).toEqual([])
  expect(leftSendingByEarlierRuns(connection)).toBe(0)
  return { states, sending }
}

function faultsOf(row: StoredRow, applied: readonly Application[]): string[] {
  const faults: string[] = []
  const say = (text: string): void => void faults.push(`row ${row.id} (${row.state}) ${text}`)
  if (applied.length > 1 + row.resends)
    say(`was applied ${applied.length} times with ${row.resends} approved resends`)
  if (row.state === 'registered') {
    const isAssigned = applied.some(
      (application) =>
        application.assignedMandateReference === row.reference &&
        application.assignedCreditorIdentifier === row.creditor,
    )
    if (!isAssigned) say('has identifiers that the service did not give it')
    if (row.iban !== null) say('still holds its account number')
  }
  if (NOT_APPLIED.includes(row.state) && applied.length > row.resends) say('was applied')
  return faults
}

function requestsWithoutIntent(connection: Database, requests: Truth['requests']): (string | undefined)[] {
  const intents = new Set(connection.prepare<[], string>('select request_id from attempt').pluck().all())
  return requests
    .map(({ headers }) => headers['x-request-id'])
    .filter((requestId) => requestId === undefined || !intents.has(requestId))
}

/** What an earlier process left under way is in doubt from the next start on. */
const leftSendingByEarlierRuns = (connection: Database): number =>
  connection
    .prepare<[], number>(
      `select count(*) from row join attempt on row_id = row.id and n = row.attempts
        where state = 'sending' and run_id < (select max(id) from run)`,
    )
    .pluck()
    .get() ?? 0

/**
 * The built program, killed with SIGKILL at random moments while a service misbehaves. After each death the ledger
 * is compared with what the service received and applied; at the end everything heals and the campaign must come to 0.
 * `TORTURE_SEED=7` draws other moments and faults, `TORTURE_KILLS=20` is the short form for CI. The moments depend on
 * the machine too, so a seed repeats the faults exactly and the moments nearly.
 */
const KILLS = Number(process.env['TORTURE_KILLS'] ?? 200)
const SEED = Number(process.env['TORTURE_SEED'] ?? 20_261_121)
const ROWS = Number(process.env['TORTURE_ROWS'] ?? Math.min(5_000, 75 * KILLS))
const SLOTS = 16
const CHAOS = { seed: SEED, share: 0.08 }
/** Longer than a start of the program takes, so that deaths fall into the start, the recovery and the admission. */
const START_MS = 700

const chance = seedChance(SEED)
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const OPTIONS = ['--concurrency', String(SLOTS), '--timeout', '2', '--max-in-doubt', '1000000', '--quiet']

it(`${KILLS} kills in ${ROWS} rows with chaos: nothing is lost, nothing is posted twice (seed ${SEED})`, async () => {
  const { folder, remove } = makeFolder()
  const server = await startFaultServer({ script: { chaos: CHAOS } })
  onTestFinished(async ({ task }) => {
    await server.close()
    if (task.result?.state === 'fail') say(`The ledger and the export are kept in "${folder}"`)
    else remove()
  })
  const ledger = join(folder, 'sepa-migrate.db')
  writeFileSync(join(folder, 'export.csv'), validExport(ROWS))
  const context = { cwd: folder, env: { ...CREDENTIALS, SEPA_MIGRATE_BASE_URL: server.url } }

  /** What a dead client sent may still be applied; the truth is whole when every connection has ended. */
  async function judge(): Promise<Comparison | null> {
    await server.until(({ connections, ended }) => connections === ended)
    return compare(ledger, ROWS, SLOTS, server.truth)
  }

  let kills = 0
  let mostSending = 0
  while (kills < KILLS) {
    const { child, ended } = start(['run', 'export.csv', '--no-report', ...OPTIONS], context)
    const isAlive = await waitForTheMoment(server, ended, KILLS - kills)
    child.kill('SIGKILL')
    const { signal, status, stderr } = await ended
    if (isAlive && signal === 'SIGKILL') kills += 1
    else expect([3, 4, 5], stderr).toContain(status)
    const seen = await judge()
    if (seen === null) continue
    const { in_doubt: inDoubt = 0, registered = 0, refused = 0, ready = 0 } = seen.states
    mostSending = Math.max(mostSending, seen.sending)
    if (kills % 10 === 0)
      say(
        `${kills} kills: ${registered} registered, ${refused} refused, ${inDoubt + seen.sending} in doubt, ${ready} ready`,
      )
  }
  say(`${kills} kills met at most ${mostSending} rows under way at once, with ${SLOTS} slots`)
  expect(kills).toBe(KILLS)

  await finish(context, judge)
  server.setScript({})
  await settleDoubts(folder, context, server)
  const last = await runProgram(['run', '--retry-refused', '--no-report', ...OPTIONS], context)
  expect(last.status, last.stderr).toBe(0)
  expect((await judge())?.states).toEqual({ registered: ROWS })
  const once = new Set(server.truth.applications.map(({ customerNo }) => customerNo))
  expect(server.truth.applications).toHaveLength(ROWS)
  expect(once.size).toBe(ROWS)
})

/** Resolves with true when the random moment has come, with false when the program has ended before it. */
async function waitForTheMoment(
  server: FaultServer,
  ended: Promise<Ended>,
  killsLeft: number,
): Promise<boolean> {
  const { truth } = server
  const customers = new Set(truth.requests.map(({ customerNo }) => customerNo))
  const share = Math.ceil((ROWS - customers.size) / killsLeft)
  const requests = truth.requests.length + chance.between(0, share)
  const delayMs = chance.happens(0.2) ? chance.between(0, START_MS) : chance.between(0, 20)
  const isEarly = delayMs > 20
  const moment = (async () => {
    if (!isEarly) await server.until((now) => now.requests.length >= requests)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    return true
  })()
  return Promise.race([moment, ended.then(() => false)])
}

/** Runs until nothing is ready: a run may stop early when the service throttles it too often. */
async function finish(
  context: Parameters<typeof runProgram>[1],
  judge: () => Promise<Comparison | null>,
): Promise<void> {
  for (let runs = 0; runs < 20; runs += 1) {
    const { status, stderr } = await runProgram(['run', '--no-report', ...OPTIONS], context)
    expect([3, 4, 5], stderr).toContain(status)
    const seen = await judge()
    if ((seen?.states.ready ?? 0) === 0) return
  }
  expect.fail('Rows are still ready after 20 runs')
}

/** A person writes the report, asks the service about each row of the in-doubt file, and fills it in. */
async function settleDoubts(
  folder: string,
  context: Parameters<typeof runProgram>[1],
  server: FaultServer,
): Promise<void> {
  const report = await runProgram(['report', '--out', 'pack', '--quiet'], context)
  expect([3, 4], report.stderr).toContain(report.status)
  const text = readFileSync(join(folder, 'pack', 'to-do', 'in-doubt.csv'), 'utf8')
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  expect(data.length).toBeGreaterThan(0)
  const filledIn = data.map((row) => {
    const application = server.truth.applications.find(
      ({ customerNo }) => String(customerNo) === row['customer_no'],
    )
    return {
      ...row,
      migration_decision: application === undefined ? 'resend' : 'registered',
      migration_reason: 'looked up at the service',
      migration_assigned_creditor_identifier: application?.assignedCreditorIdentifier ?? '',
      migration_assigned_mandate_reference: application?.assignedMandateReference ?? '',
    }
  })
  writeFileSync(join(folder, 'filled-in.csv'), Papa.unparse(filledIn))
  const force = filledIn.flatMap((row) =>
    row.migration_decision === 'resend'
      ? ['--yes-resend', (row as Record<string, string>)['unique_mandate_reference'] ?? '']
      : [],
  )
  const resolved = await runProgram(['resolve', '--from', 'filled-in.csv', '--by', 'Ada', ...force], context)
  expect([3, 5], resolved.stdout + resolved.stderr).toContain(resolved.status)
  say(`${data.length} doubts settled by a person`)
}
