import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { NOBODY_NAMED } from '../../src/domain/row/correction.js'
import { freshFolder } from '../support/folder.js'
import type { Ledger } from '../../src/ledger/file/writer.js'
import type { Attempt } from '../../src/ledger/ledger.js'
import { openLedger } from '../../src/ledger/file/open-ledger.js'
import {
  deliver,
  type DeliveryEvent,
  type DeliveryParts,
  type DeliveryPolicy,
} from '../../src/run/deliver.js'
import { admitRows } from './mandate-samples.js'
import { registered } from './outcome-samples.js'
import { startVirtualTime, type VirtualTime } from './virtual-time.js'
import { runCampaign, type CampaignEnd, type OpenRun } from '../../src/run/campaign.js'
import type { Stop } from '../../src/run/brake.js'
import type { Totals, Outcome } from '../../src/domain/row/row-state.js'

/** One request as the scripted service meets it. */
export interface Request {
  /** Counts requests from 1. */
  readonly ordinal: number
  /** Which record of the export, from 1; with a fresh ledger it is the row's id too. */
  readonly row: number
  /** How often this row was seen, this request included. */
  readonly seen: number
  readonly attempt: Attempt
  readonly atMs: number
  /** Requests under way, this one included. */
  readonly underWay: number
}

/** What the service says to a request, and after how many milliseconds. */
export type Script = (request: Request) => { readonly outcome: Outcome; readonly tookMs?: number }

export type DeliveryWorld = ReturnType<typeof openDeliveryWorld>

interface DeliveryOptions {
  readonly policy?: Partial<DeliveryPolicy>
  /** In front of the real ledger. */
  readonly ledger?: DeliveryParts['ledger']
  readonly send?: DeliveryParts['send']
  readonly watch?: DeliveryParts['watch']
}

const ANSWER_MS = 100
const RUN_SETTINGS = { version: '0', host: 'test', pid: 1, asOf: '2026-04-01', zone: 'UTC', settings: {} }

export const WIDE_POLICY: DeliveryPolicy = {
  concurrency: 8,
  rate: null,
  limit: null,
  maxDurationMs: null,
  maxInDoubt: 1_000_000,
  maxRefused: null,
}

/** A run that brings nothing in, to which everybody agrees. */
export const USUAL_RUN = {
  ...{ files: [], evidence: [], decisions: [], severities: {}, choice: null },
  ...{ corrector: NOBODY_NAMED, isNewer: false, expected: null, takesOver: false },
  hold: () => ({ inDoubt: 0, inConflict: 0, inCutOver: 0, begunOtherwise: 0, missing: 0, replaces: [] }),
  claim: () => undefined,
  settings: RUN_SETTINGS,
  asOf: RUN_SETTINGS.asOf,
  retryRefusedBy: null,
  confirm: () => Promise.resolve(true),
  watchReading: () => undefined,
  signalStatus: () => null,
  random: () => 0.5,
  policy: WIDE_POLICY,
  drain: new AbortController().signal,
  abort: new AbortController().signal,
  watch: () => undefined,
} as const satisfies Partial<OpenRun>

/** A run of a campaign in virtual time; without a word it waits for 10 ms before each registration. */
export const runOn = (time: VirtualTime, ledger: Ledger, given: Partial<OpenRun>): Promise<CampaignEnd> =>
  time.runUntil(
    runCampaign({
      ...USUAL_RUN,
      ledger,
      send: ({ customerNo }) => time.sleep(10).then(() => registeredNo(customerNo)),
      clock: time.clock,
      after: time.after,
      ...given,
    }),
  )

/** The outcome of a registration with this reference. */
export const registeredNo = (n: number): Outcome =>
  registered({}, { creditorIdentifier: 'DE79ZZZ01234567890', mandateReference: `NEW-${n}` })

/** The outcome of a registration with a reference of its own. */
export const registeredAs = ({ ordinal }: Request): Outcome => registeredNo(ordinal)

/** A service that registers everything after the same time. */
export const allRegistered: Script = (request) => ({ outcome: registeredAs(request) })

/** A real ledger file with so many ready rows, a virtual clock and a scripted service. */
export function openDeliveryWorld(rows: number) {
  const file = join(freshFolder(), 'campaign.db')
  const time = startVirtualTime()
  let ledger = openLedger({ file, clock: time.clock, defer: time.defer })
  onTestFinished(() => ledger.close())
  ledger.bind({ baseUrl: 'http://127.0.0.1/', username: 'test' })
  admitRows(ledger, rows)
  ledger.startRun(RUN_SETTINGS)
  const requests: Request[] = []
  const events: DeliveryEvent[] = []
  const drain = new AbortController()
  const abort = new AbortController()

  function sendBy(script: Script): DeliveryParts['send'] {
    let underWay = 0
    return async (mandate, attempt) => {
      underWay += 1
      const row = mandate.customerNo
      const request: Request = {
        ordinal: requests.length + 1,
        row,
        seen: requests.filter((earlier) => earlier.row === row).length + 1,
        attempt,
        atMs: time.clock.monotonic(),
        underWay,
      }
      requests.push(request)
      const { outcome, tookMs = ANSWER_MS } = script(request)
      await time.sleep(tookMs)
      underWay -= 1
      return outcome
    }
  }

  return {
    file,
    time,
    get ledger() {
      return ledger
    },
    /** Every request that left, in order. */
    requests: requests as readonly Request[],
    events: events as readonly DeliveryEvent[],
    drain,
    abort,
    /** Runs a delivery to its end. */
    deliver: (script: Script, options: DeliveryOptions = {}): Promise<Stop | null> =>
      time.runUntil(
        deliver({
          ledger: options.ledger ?? ledger,
          choice: null,
          send: options.send ?? sendBy(script),
          clock: time.clock,
          after: time.after,
          random: () => 0.5,
          policy: { ...WIDE_POLICY, ...options.policy },
          drain: drain.signal,
          abort: abort.signal,
          watch: (event) => {
            events.push(event)
            options.watch?.(event)
          },
        }),
      ),
    totals: (): Totals => ledger.totals(),
    /** Closes the ledger and opens it again, as the next start of the program does. */
    reopen: (): Ledger => {
      ledger.close()
      ledger = openLedger({ file, clock: time.clock, defer: time.defer })
      return ledger
    },
  }
}
