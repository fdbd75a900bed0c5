import type { SourceReader } from '../../src/service/client.js'
import { decideFromReadBack } from '../../src/decisions/reconcile.js'
import { absenceText, USUAL_ABSENT_AFTER_MS } from '../../src/domain/proof/read-back.js'
import { LedgerError } from '../../src/errors.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { Resolution } from '../../src/ledger/ledger.js'
import { askAbout } from '../../src/migrate/ask.js'
import { deliver, type DeliveryParts, type DeliveryPolicy, type Send } from '../../src/run/deliver.js'
import { classify } from '../../src/service/classify.js'
import { endOfTurn } from '../run/virtual-time.js'
import { seedChance, type Chance } from '../support/chance.js'
import { memoryDisk, type Connection, type Disk } from './simulation-disk.js'
import { startJudge } from './simulation-judge.js'
import { CLEAR, SIGHTS, startReadBack, type ReadFate, type Sight } from './simulation-reading.js'
import {
  ASSIGNED_CREDITOR,
  CALM,
  startService,
  WEATHERS,
  type Fate,
  type Weather,
  startSchedule,
  type Life,
} from './simulation-service.js'
import { absences } from '../../src/ledger/read/read-proofs.js'
import type { Outcome } from '../../src/domain/row/row-state.js'
import { createStatusTable } from '../../src/service/checked-service.js'

/**
 * A whole campaign from one seed: the real `deliver` and the real ledger code over a virtual clock, a service that
 * misbehaves and keeps the truth, a program that dies at any step, a power that fails, people who decide. Faults come
 * first; then everything heals, and the campaign must come to its end. A judge compares both sides all along.
 */
export interface Simulated {
  readonly violations: readonly string[]
  /** What happened, one line per event, for a seed that is replayed. */
  readonly history: readonly string[]
  /** How and when processes died. */
  readonly deaths: readonly string[]
  /** Why runs stopped. */
  readonly stops: readonly string[]
  readonly fates: readonly Fate[]
  /** What came of the questions, and how what was in doubt was settled. */
  readonly readFates: readonly ReadFate[]
  readonly settled: Readonly<Record<SettledBy, number>>
}

/** By whose word a row in doubt left its doubt: a mandate that was read back, one that was not, a person who looked. */
type SettledBy = 'presence' | 'absence' | 'looking'

/** A rule that is broken on purpose, to see whether the judge finds it. */
export type Weakness =
  | 'send_before_intent'
  | 'resend_after_restart'
  | 'normal_instead_of_full'
  | 'lost_answer_is_not_sent'
  | 'server_error_is_turned_away'
  | 'absence_resends'
  | 'match_by_customer'
  | 'silence_is_absence'
  | 'unreadable_is_absence'

export interface SimulationOptions {
  /** For files that a ledger leaves beside itself. */
  readonly folder: string
  readonly weakness?: Weakness
  /**
   * People settle doubts by what is read back, and look themselves at what that leaves open in the end. Then nothing may
   * be registered twice at all, since nobody decides without knowing.
   */
  readonly readsBack?: boolean
}

const MOST_FAULTY_RUNS = 4
/** A day passes between some of them. */
const MOST_READ_RUNS = 7
const MOST_CALM_RUNS = 30
const RUN_SETTINGS = { version: '0', host: 'test', pid: 1, asOf: '2026-04-01', zone: 'UTC', settings: {} }
const A_WHILE_MS = 16 * 60_000
const A_DAY_MS = 25 * 60 * 60_000
/** So many calm runs are settled by evidence alone. */
const RUNS_BY_EVIDENCE = 4

export async function simulate(seed: number, options: SimulationOptions): Promise<Simulated> {
  const chance = seedChance(seed)
  const rows = chance.pick([3, 5, 8, 12, 20])
  const faultyRuns = chance.between(1, options.readsBack === true ? MOST_READ_RUNS : MOST_FAULTY_RUNS)
  const readsBack = options.readsBack === true
  const disk = memoryDisk(
    { rows, hasFamilies: readsBack },
    {
      folder: options.folder,
      flushes: options.weakness !== 'normal_instead_of_full',
      between: chance.between,
      tamper: options.weakness === 'resend_after_restart' ? releaseWhatWasUnderWay : () => undefined,
    },
  )
  const schedule = startSchedule(chance)
  const service = startService(schedule, chance)
  const readBack = startReadBack(service, schedule, chance)
  const judge = startJudge(rows, disk, service, !readsBack)
  const settled: Record<SettledBy, number> = { presence: 0, absence: 0, looking: 0 }
  const history: string[] = []
  const statusTable = createStatusTable(
    options.weakness === 'server_error_is_turned_away'
      ? Object.fromEntries([500, 502, 503, 504].map((status) => [String(status), 'turned_away']))
      : {},
  )
  const deaths: string[] = []
  const stops: string[] = []
  const say = (text: string): void => {
    history.push(`${(schedule.nowMs() / 1000).toFixed(3).padStart(9)} s  ${text}`)
  }

  type Process = ReturnType<typeof start>

  /** One process on the ledger, from its start to its end or its death. */
  function start() {
    const life: Life = { isOver: false }
    const flushLater = (flush: () => void): void => {
      schedule.at(0, life, () => {
        flush()
        disk.committed()
      })
    }
    const ledger = disk.open({ clock: schedule.clock, defer: flushLater, random: chance.bytes })
    disk.committed()
    say(`start, ${ledger.recovered} in doubt from before`)
    return {
      life,
      ledger,
      /** From some moment on its disk takes nothing more. */
      isDiskFull: false,
      /** Rows of a group that a copy of the ledger has overtaken. */
      barred: new Set<number>(),
      /** The process is gone in this very moment; nothing of it happens any more. */
      die: (how: string): void => {
        if (life.isOver) return
        life.isOver = true
        const isPower = chance.happens(0.4)
        deaths.push(`${isPower ? 'the power fails' : 'kill -9'} ${how}`)
        say(deaths.at(-1) ?? '')
        if (isPower) disk.losePower()
        else disk.kill()
      },
      end: () => {
        life.isOver = true
        disk.close()
      },
    }
  }

  /** A sender as the client is, but over the simulated network. A dead process hears and says nothing. */
  function senderOf({ life, die, barred }: Process, weather: Weather, deathRate: number): Send {
    return async (mandate, attempt, signal) => {
      if (!life.isOver && chance.happens(deathRate)) die('before a request leaves')
      if (life.isOver) return never()
      say(`row ${mandate.customerNo}: attempt ${attempt.n} leaves`)
      if (barred.has(attempt.rowId)) judge.violate(`row ${attempt.rowId} leaves though it was overtaken`)
      const exchanged = service.exchange({ mandate, requestId: attempt.requestId }, { life, signal, weather })
      if (chance.happens(deathRate)) die('after a request left')
      const outcome = weaken(classify(await exchanged, mandate, statusTable), options.weakness)
      say(
        `row ${mandate.customerNo}: ${outcome.kind} (${outcome.evidence.status ?? outcome.evidence.errorCode ?? ''})`,
      )
      return outcome
    }
  }

  const fillTheDisk = (process: Process): void =>
    void schedule.at(chance.between(0, 1_000), process.life, () => {
      say('the disk is full')
      process.isDiskFull = true
      disk.fill()
    })

  /** @returns false when the process is dead, or its ledger can be written no more */
  async function run(process: Process, weather: Weather, deathRate: number): Promise<boolean> {
    const { life, ledger } = process
    const policy = weather === CALM ? CALM_POLICY : drawPolicy(chance)
    const runId = ledger.startRun(RUN_SETTINGS)
    if (chance.happens(0.2)) ledger.retryRefused('operator')
    disk.committed()
    ledger.claims.begin(`run ${runId}`, ({ rows }) => {
      if (weather === CALM || !chance.happens(0.01)) return
      say(`overtaken before rows ${rows.join(', ')} leave`)
      rows.forEach((row) => process.barred.add(row))
      throw new LedgerError('older', 'The ledger was overtaken', 'Go on with the latest')
    })
    const drain = new AbortController()
    const abort = new AbortController()
    if (weather !== CALM && chance.happens(0.15)) {
      schedule.at(chance.between(0, 3_000), life, () => {
        say('signal')
        drain.abort()
        if (chance.happens(0.5)) schedule.at(chance.between(0, 500), life, () => abort.abort())
      })
    }
    const state: { ended: string | null; hasFailed: boolean } = { ended: null, hasFailed: false }
    if (weather !== CALM && chance.happens(0.1)) fillTheDisk(process)
    const fail = (error: unknown): void => {
      state.ended = `the run throws: ${String(error)}`
      state.hasFailed = true
      if (life.isOver) return
      if (process.isDiskFull) stops.push('disk_full')
      else if (process.barred.size > 0) stops.push('overtaken')
      else judge.violate(`run: ${state.ended}`)
    }
    deliver({
      ledger: ledgerFor(process, options.weakness),
      choice: null,
      send: senderOf(process, weather, deathRate),
      clock: schedule.clock,
      after: (delayMs, wake) => schedule.at(delayMs, life, wake),
      random: chance.next,
      policy,
      drain: drain.signal,
      abort: abort.signal,
      watch: (event) => {
        if (event.kind === 'stop') say(`stop: ${event.stop.kind}`)
      },
    }).then((stop) => {
      state.ended = stop?.kind ?? 'everything was sent'
      if (stop !== null) stops.push(stop.kind)
    }, fail)
    await letItHappen(process, deathRate, () => state.ended !== null)
    if (life.isOver) return false
    say(`end: ${state.ended ?? 'none'}`)
    try {
      if (!state.hasFailed) ledger.endRun(runId, { stoppedBy: state.ended, exitCode: 0 })
    } catch (error) {
      fail(error)
    }
    judge.look('after a run', ledger.totals())
    return !state.hasFailed && !process.isDiskFull
  }

  /** One event after the other, until the run has ended or its process is dead; death may come at any step. */
  async function letItHappen({ life, die }: Process, deathRate: number, hasEnded: () => boolean) {
    const isOver = (): boolean => life.isOver || hasEnded()
    for (;;) {
      if (chance.happens(deathRate / 4)) die('in the middle of a turn')
      await endOfTurn()
      if (isOver()) return
      const happen = schedule.next()
      if (happen === null) {
        judge.violate('run: nothing is left that could happen, and the run has not ended')
        return
      }
      if (chance.happens(deathRate)) die('before an event')
      else happen()
    }
  }

  /** The service is asked, and people decide by its answers alone. */
  async function readAndDecide(process: Process, sight: Sight, deathRate: number): Promise<void> {
    const { life } = process
    const drain = new AbortController()
    if (sight !== CLEAR && chance.happens(0.1))
      schedule.at(chance.between(0, 1_000), life, () => drain.abort())
    let hasEnded = false
    if (sight !== CLEAR && chance.happens(0.05)) fillTheDisk(process)
    askAbout({
      ledger: askedLedger(process, disk, options.weakness),
      reader: weakReader(readBack.readerOf(life, sight), options.weakness),
      machine: {
        ...RUN_SETTINGS,
        clock: schedule.clock,
        after: (delayMs, wake) => schedule.at(delayMs, life, wake),
        random: chance.next,
      },
      policy: { concurrency: chance.between(1, MOST_SLOTS), rate: null },
      scope: sight === CLEAR ? 'all' : chance.pick(['in_doubt', 'all']),
      sample: null,
      signal: drain.signal,
      giveUp: new AbortController().signal,
      watch: (event) => {
        if (event.kind === 'answer')
          say(`customer ${event.answer.customerNo}: ${event.answer.seen.kind} after ${event.answer.tries}`)
      },
    }).then(
      ({ stop }) => {
        hasEnded = true
        if (stop !== null) stops.push(`asking: ${stop.kind}`)
      },
      (error: unknown) => {
        hasEnded = true
        if (life.isOver) return
        if (process.isDiskFull) stops.push('asking: disk_full')
        else judge.violate(`asking throws: ${String(error)}`)
      },
    )
    await letItHappen(process, deathRate, () => hasEnded)
    if (!life.isOver && !process.isDiskFull) decideByEvidence(process, sight)
  }

  function decideByEvidence({ ledger }: Process, sight: Sight): void {
    const by = { by: 'operator', reason: 'read back' }
    for (const resolution of decideFromReadBack(ledger.view, by).resolutions)
      record(ledger, resolution, 'presence')
    for (const { rowId, absence } of [...absences(ledger.view, USUAL_ABSENT_AFTER_MS)]) {
      const isProposed =
        options.weakness === 'absence_resends' ? 'questions' in absence : absence.kind === 'resend'
      if (!isProposed || (sight !== CLEAR && chance.happens(0.3))) continue
      const evidence = absenceText(absence)
      record(ledger, { ...by, rowId, decision: 'resend', assigned: null, evidence, attempt: null }, 'absence')
    }
    judge.look('after what was read back', ledger.totals())
  }

  function record(ledger: Ledger, resolution: Resolution, by: SettledBy): void {
    const { isApplied } = ledger.resolve([resolution], { dryRun: false })
    disk.committed()
    if (isApplied) settled[by] += 1
    say(`row ${resolution.rowId}: ${resolution.decision} by ${by}${isApplied ? '' : ', which is rejected'}`)
  }

  /** People look at what is in doubt and decide; now and then without waiting, and without knowing. */
  function decide({ ledger }: Process, isPatient: boolean): void {
    for (const doubt of doubtsOn(disk)) {
      if (!isPatient && chance.happens(0.4)) continue
      const waitedMs = schedule.clock.now() - Date.parse(doubt.startedAt)
      const resolution = resolutionOf(doubt, { waitedMs, isPatient })
      const report = ledger.resolve([resolution], { dryRun: false, force: !isPatient && chance.happens(0.3) })
      disk.committed()
      if (report.isApplied) settled.looking += 1
      say(
        `row ${doubt.rowId}: a person says ${resolution.decision}${report.isApplied ? '' : ', which is rejected'}`,
      )
      if (!report.isApplied && isPatient)
        ledger.resolve([{ ...resolution, decision: 'written_off', assigned: null }], { dryRun: false })
    }
    judge.look('after decisions', ledger.totals())
  }

  function resolutionOf(
    { rowId, original }: Doubt,
    { waitedMs, isPatient }: { waitedMs: number; isPatient: boolean },
  ): Resolution {
    const nothing = { evidence: null, attempt: null, assigned: null }
    const decided = { rowId, reason: 'seen at the service', by: 'operator', ...nothing }
    const application = service.applicationsOf(original).at(-1)
    if (!isPatient && chance.happens(0.2)) return { ...decided, decision: 'resend' }
    if (application !== undefined) {
      const assigned = { creditorIdentifier: ASSIGNED_CREDITOR, mandateReference: application.reference }
      return { ...decided, decision: 'registered', assigned }
    }
    // Only after a while is it certain that the request does not arrive any more.
    const decisions =
      waitedMs >= A_WHILE_MS ? (['resend', 'refused', 'written_off'] as const) : (['resend'] as const)
    return { ...decided, decision: chance.pick<Resolution['decision']>(decisions) }
  }

  /** Everything works again: what is left goes out, people wait and look, and nothing may stay open. */
  async function heal(): Promise<void> {
    let process = start()
    for (let runs = 1; runs <= MOST_CALM_RUNS; runs += 1) {
      judge.afterStart(process.ledger, MOST_SLOTS)
      await run(process, CALM, 0)
      if (readsBack) await readAndDecide(process, CLEAR, 0)
      schedule.pass(readsBack ? A_DAY_MS : A_WHILE_MS)
      if (!readsBack || runs > RUNS_BY_EVIDENCE) decide(process, true)
      const { ready, sending, inDoubt } = process.ledger.totals()
      if (ready + sending + inDoubt === 0) {
        judge.atTheEnd(process.ledger.totals())
        process.end()
        return
      }
      if (readsBack) continue // opening a ledger costs most of a seed, and nothing dies here
      process.end()
      process = start()
    }
    process.end()
    judge.violate('end: the campaign does not come to its end')
  }

  try {
    for (let runs = 1; runs <= faultyRuns; runs += 1) {
      const deathRate = chance.pick([0, 0.01, 0.03, 0.1, 0.3])
      const process = start()
      judge.afterStart(process.ledger, MOST_SLOTS)
      if (chance.happens(deathRate)) process.die('after recovery')
      const canGoOn = process.life.isOver ? false : await run(process, chance.pick(WEATHERS), deathRate)
      if (!process.life.isOver) {
        if (canGoOn && readsBack && chance.happens(0.7))
          await readAndDecide(process, chance.pick(SIGHTS), deathRate)
        else if (canGoOn && !readsBack && chance.happens(0.5)) decide(process, false)
      }
      if (!process.life.isOver) {
        if (chance.happens(0.1)) process.die('after decisions')
        else process.end()
      }
      schedule.pass(chance.pick(readsBack ? PAUSES_MS : [0, 10_000, A_WHILE_MS]))
    }
    await heal()
  } finally {
    disk.remove()
  }
  const { violations } = judge
  return { violations, history, deaths, stops, fates: service.fates, readFates: readBack.fates, settled }
}

const MOST_SLOTS = 5

/** Between processes: shorter and longer than lists lag behind, an hour, and a day. */
const PAUSES_MS = [0, A_WHILE_MS, 2 * 60 * 60_000, A_DAY_MS, A_DAY_MS]

const NO_LIMITS = { rate: null, limit: null, maxDurationMs: null, maxRefused: null }
const CALM_POLICY: DeliveryPolicy = { ...NO_LIMITS, concurrency: MOST_SLOTS, maxInDoubt: 1_000 }

const drawPolicy = (chance: Chance): DeliveryPolicy => ({
  concurrency: chance.between(1, MOST_SLOTS),
  rate: chance.pick([null, null, 3, 50]),
  limit: chance.pick([null, null, null, 2]),
  maxDurationMs: chance.pick([null, null, null, 2_000]),
  maxInDoubt: chance.pick([0, 2, 1_000, 1_000]),
  maxRefused: chance.pick([null, null, { kind: 'count', value: 1 } as const]),
})

const never = <Value>(): Promise<Value> => new Promise(() => undefined)

interface Doubt {
  readonly rowId: number
  readonly original: string
  readonly startedAt: string
}

const doubtsOn = (disk: Disk): Doubt[] =>
  disk.read<Doubt>(
    `select row.id as rowId, original_mandate_reference as original, started_at as startedAt
       from row join attempt on row_id = row.id and n = attempts where state = 'in_doubt'`,
  )

/** What a program would do that takes an intent without an outcome for a request that never left. */
function releaseWhatWasUnderWay(connection: Connection): void {
  connection.exec(
    `update attempt set outcome = 'not_sent', ended_at = started_at where outcome is null;
     update row set state = 'ready' where state = 'sending'`,
  )
}

/** A dead process reaches its ledger no more, whatever promises of it are still under way. */
type Delivering = DeliveryParts['ledger']

function ledgerFor({ life, ledger }: { life: Life; ledger: Ledger }, weakness?: Weakness): Delivering {
  const { begin, settle } = weakness === 'send_before_intent' ? recordAfterwards(ledger) : ledger
  return {
    ready: (after, limit) => (life.isOver ? [] : ledger.ready(after, limit)),
    hasAssigned: (reference) => !life.isOver && ledger.hasAssigned(reference),
    begin: (row) => (life.isOver ? never() : begin(row)),
    settle: (attempt, outcome) => (life.isOver ? never() : settle(attempt, outcome)),
  }
}

/** A dead process records nothing, and what a living one recorded is on disk. */
function askedLedger(
  { life, ledger }: { life: Life; ledger: Ledger },
  disk: Disk,
  weakness: Weakness | undefined,
): Pick<Ledger, 'readBacks' | 'totals'> {
  const { start, rowsOf, record, end } = ledger.readBacks
  const readBacks = {
    ...ledger.readBacks,
    start: (terms: Parameters<typeof start>[0]) => {
      const started = start(terms)
      disk.committed()
      return started
    },
    rowsOf: (customerNo: number) =>
      weakness === 'match_by_customer'
        ? rowsOf(customerNo).map((row) => ({ ...row, isAccount: () => true }))
        : rowsOf(customerNo),
    record: (...[id, answers]: Parameters<typeof record>) => {
      if (life.isOver) return
      record(id, answers)
      disk.committed()
    },
    end: (...[id, stoppedBy]: Parameters<typeof end>) => {
      if (life.isOver) return
      end(id, stoppedBy)
      disk.committed()
    },
  }
  return { readBacks, totals: ledger.totals }
}

type Asking = Pick<SourceReader, 'listPaymentSources'>

function weakReader(reader: Asking, weakness?: Weakness): Asking {
  if (weakness !== 'silence_is_absence' && weakness !== 'unreadable_is_absence') return reader
  return {
    listPaymentSources: async (customerNo, asked) => {
      const seen = await reader.listPaymentSources(customerNo, asked)
      const isOwn = weakness === 'silence_is_absence' || (seen.kind === 'not_read' && seen.status === 200)
      if (seen.kind === 'listed' || !isOwn) return seen
      return { kind: 'listed', sources: [], status: 204, durationMs: seen.durationMs }
    },
  }
}

/** Effect first, record second: a crash between them leaves an effect that nobody remembers. */
function recordAfterwards(ledger: Ledger): Pick<Ledger, 'begin' | 'settle'> {
  let sent = 0
  return {
    begin: ({ id, attempts }) =>
      Promise.resolve({ id: 0, rowId: id, n: attempts + 1, requestId: `unrecorded-${(sent += 1)}` }),
    settle: async (attempt, outcome) => {
      const row = ledger.ready(attempt.rowId - 1, 1)[0]
      if (row === undefined) return
      const begun = await ledger.begin(row)
      if (!('because' in begun)) await ledger.settle(begun, outcome)
    },
  }
}

function weaken(outcome: Outcome, weakness: Weakness | undefined): Outcome {
  const isLost = outcome.kind === 'in_doubt' && outcome.evidence.status === null
  if (weakness !== 'lost_answer_is_not_sent' || !isLost) return outcome
  const { evidence, reason, halt } = outcome
  return { kind: 'not_sent', evidence, reason, halt }
}
