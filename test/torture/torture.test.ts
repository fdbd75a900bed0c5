import { readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import Papa from 'papaparse'
import { expect, it, onTestFinished } from 'vitest'
import { seedChance } from '../support/chance.js'
import { validExport } from '../support/export.js'
import { ASSIGNED_CREDITOR_IDENTIFIER, startFaultServer, type FaultServer } from '../support/fault-server.js'
import {
  CREDENTIALS,
  makeFolder,
  runProgram,
  start,
  type Ended,
  type StartOptions,
} from '../support/program.js'
import { openDatabase } from '../../src/driver.js'
import { type RowState, totalsOf } from '../../src/domain/row/row-state.js'
import { startJudge, type Judge } from '../e2e/simulation-judge.js'

type States = Readonly<Partial<Record<RowState, number>>>
type Read = <Row>(sql: string) => Row[]

/** What the service received and applied, as the judge asks for it. */
function sidesOf({ truth }: FaultServer): Parameters<typeof startJudge>[2] {
  const applied = new Map<string, { reference: string }[]>()
  let known = 0
  return {
    get requests() {
      return truth.requests.map(({ headers, customerNo }) => ({
        requestId: headers['x-request-id'] ?? '',
        customerNo: customerNo ?? 0,
      }))
    },
    applicationsOf: (original) => {
      for (; known < truth.applications.length; known += 1) {
        const { originalMandateReference: of, assignedMandateReference } = truth.applications[known]!
        applied.set(of, [...(applied.get(of) ?? []), { reference: assignedMandateReference }])
      }
      return applied.get(original) ?? []
    },
  }
}

/**
 * The invariants (ledger/README.md#invariants) on a ledger that no process holds, against what the service received and
 * applied: the judge of the simulation, and what it does not know. Null where the program died before it had a ledger.
 */
function compare(file: string, judge: Judge, read: { sql: Read }): States | null {
  if (!existsSync(file)) return null
  const connection = openDatabase(file, { readonly: true })
  const numberOf = (sql: string): number => connection.prepare<[], number>(sql).pluck().get() ?? 0
  try {
    if (numberOf(`select count(*) from sqlite_schema where name = 'row'`) === 0) return null
    read.sql = <Row>(sql: string): Row[] => connection.prepare<[], Row>(sql).all()
    const states = new Map(
      read
        .sql<{ state: RowState; count: number }>('select state, count(*) as count from row group by state')
        .map(({ state, count }) => [state, count]),
    )
    // A file is admitted whole or not at all, and before anything of it is sent.
    const rows = numberOf('select count(*) from row')
    expect(numberOf('select sum(records) from source')).toBe(rows)
    if (rows === 0) return {}
    judge.atTheEnd(totalsOf(rows, states))
    expect(states.get('sending') ?? 0).toBeLessThanOrEqual(SLOTS)
    // What an earlier process left under way is in doubt from the next start on.
    const left = `select count(*) from row join attempt on row_id = row.id and n = row.attempts
      where state = 'sending' and run_id < (select max(id) from run)`
    expect(numberOf(left)).toBe(0)
    const foreign = `select count(*) from row where state = 'registered'
      and assigned_creditor_identifier is not '${ASSIGNED_CREDITOR_IDENTIFIER}'`
    expect(numberOf(foreign)).toBe(0)
    return Object.fromEntries(states)
  } finally {
    connection.close()
  }
}

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

  const read: { sql: Read } = { sql: () => [] }
  const judge = startJudge(ROWS, { read: (sql) => read.sql(sql) }, sidesOf(server))

  /** What a dead client sent may still be applied; the truth is whole when every connection has ended. */
  async function look(): Promise<States | null> {
    await server.until(({ connections, ended }) => connections === ended)
    const states = compare(ledger, judge, read)
    if (states === null || Object.keys(states).length === 0) expect(server.truth.requests).toEqual([])
    expect(judge.violations).toEqual([])
    return states
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
    const seen = await look()
    if (seen === null) continue
    const { sending = 0, in_doubt: inDoubt = 0, registered = 0, refused = 0, ready = 0 } = seen
    mostSending = Math.max(mostSending, sending)
    if (kills % 10 === 0)
      say(`${kills} kills: ${registered} registered, ${refused} refused, ${inDoubt} in doubt, ${ready} ready`)
  }
  say(`${kills} kills met at most ${mostSending} rows under way at once, with ${SLOTS} slots`)
  expect(kills).toBe(KILLS)

  await finish(context, look)
  server.setScript({})
  await settleDoubts(folder, context, server)
  const last = await runProgram(['run', '--retry-refused', '--no-report', ...OPTIONS], context)
  expect(last.status, last.stderr).toBe(0)
  expect(await look()).toEqual({ registered: ROWS })
  const once = new Set(server.truth.applications.map(({ customerNo }) => customerNo))
  expect(server.truth.applications).toHaveLength(ROWS)
  expect(once.size).toBe(ROWS)
})

/** Resolves with true when the random moment has come, with false when the program has ended before it. */
async function waitForTheMoment(server: FaultServer, ended: Promise<Ended>, killsLeft: number) {
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
async function finish(context: StartOptions, look: () => Promise<States | null>): Promise<void> {
  for (let runs = 0; runs < 20; runs += 1) {
    const { status, stderr } = await runProgram(['run', '--no-report', ...OPTIONS], context)
    expect([3, 4, 5], stderr).toContain(status)
    const seen = await look()
    if ((seen?.ready ?? 0) === 0) return
  }
  expect.fail('Rows are still ready after 20 runs')
}

/** A person writes the report, asks the service about each row of the in-doubt file, and fills it in. */
async function settleDoubts(folder: string, context: StartOptions, server: FaultServer): Promise<void> {
  const report = await runProgram(['report', '--out', 'pack', '--quiet'], context)
  expect([3, 4], report.stderr).toContain(report.status)
  const text = readFileSync(join(folder, 'pack', 'to-do', 'in-doubt.csv'), 'utf8')
  const { data } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true })
  expect(data.length).toBeGreaterThan(0)
  const filledIn = data.map((row): Record<string, string> => {
    const found = server.truth.applications.find(({ customerNo }) => `${customerNo}` === row['customer_no'])
    return {
      ...{ ...row, migration_reason: 'looked up at the service' },
      migration_decision: found === undefined ? 'resend' : 'registered',
      migration_assigned_creditor_identifier: found?.assignedCreditorIdentifier ?? '',
      migration_assigned_mandate_reference: found?.assignedMandateReference ?? '',
    }
  })
  writeFileSync(join(folder, 'filled-in.csv'), Papa.unparse(filledIn))
  const resent = filledIn.filter((row) => row['migration_decision'] === 'resend')
  const force = resent.flatMap((row) => ['--yes-resend', row['unique_mandate_reference'] ?? ''])
  const resolved = await runProgram(['resolve', '--from', 'filled-in.csv', '--by', 'Ada', ...force], context)
  expect([3, 5], resolved.stdout + resolved.stderr).toContain(resolved.status)
  say(`${data.length} doubts settled by a person`)
}
