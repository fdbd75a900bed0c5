import type { Mandate } from '../../src/domain/mandate/mandate.js'
import type { Exchange, Response } from '../../src/service/exchange.js'
import type { Chance } from '../support/chance.js'
import type { Clock } from '../../src/domain/mandate/date.js'

/** What ends with a process. Events of a life that is over do not happen. */
export interface Life {
  isOver: boolean
}

interface Event {
  readonly atMs: number
  readonly order: number
  readonly life: Life
  readonly happen: () => void
}

const STARTED_MS = Date.UTC(2026, 3, 1, 8)

export type Schedule = ReturnType<typeof startSchedule>

/** Everything that will happen, on a virtual clock. Events of one moment happen in an order that chance decides. */
export function startSchedule(chance: Chance) {
  let nowMs = 0
  const events = new Set<Event>()

  function takeFirst(untilMs: number): Event | null {
    let first: Event | null = null
    for (const event of events) {
      if (event.life.isOver) {
        events.delete(event)
        continue
      }
      const isEarlier =
        first === null || event.atMs < first.atMs || (event.atMs === first.atMs && event.order < first.order)
      if (isEarlier && event.atMs <= untilMs) first = event
    }
    if (first === null) return null
    events.delete(first)
    nowMs = first.atMs
    return first
  }

  return {
    clock: { now: () => STARTED_MS + nowMs, monotonic: () => nowMs } satisfies Clock,
    nowMs: () => nowMs,
    /** The returned function takes the event back. */
    at: (delayMs: number, life: Life, happen: () => void): (() => void) => {
      const event = { atMs: nowMs + delayMs, order: chance.next(), life, happen }
      events.add(event)
      return () => void events.delete(event)
    },
    next: () => takeFirst(Infinity)?.happen ?? null,
    /** Lets so much time pass, with all that happens in it. */
    pass: (durationMs: number): void => {
      const untilMs = nowMs + durationMs
      for (let event = takeFirst(untilMs); event !== null; event = takeFirst(untilMs)) event.happen()
      nowMs = untilMs
    },
  }
}

/** What becomes of one request. */
export type Fate =
  | 'registers'
  | 'unreachable' // nothing leaves
  | 'reset_before' // arrives, is not applied, the connection breaks
  | 'reset_after' // is applied, the answer is lost
  | 'late' // the client gives up; it is applied minutes later
  | 'silent' // is never answered nor applied
  | 'throttles'
  | 'asks_for_long' // a 429 that names more than a quarter of an hour
  | 'not_yet'
  | 'error_before' // a 5xx that did not apply it
  | 'error_after' // a 5xx that did
  | 'refuses'
  | 'unclear' // 409 or 408, not applied
  | 'unreadable' // applied, and a 200 that cannot be read
  | 'cut' // applied, and half of the answer
  | 'wrong_echo' // applied, and the answer names another customer
  | 'repeats_reference' // applied with a reference that another customer has
  | 'rejects_credentials'

export type Weather = Readonly<Partial<Record<Fate, number>>>

export const CALM: Weather = { registers: 1 }

const BUMPY: Weather = {
  ...{ registers: 60, unreachable: 4, reset_before: 4, reset_after: 4, late: 4, silent: 2, throttles: 5 },
  ...{ asks_for_long: 0.5, not_yet: 2, error_before: 3, error_after: 3, refuses: 6, unclear: 2 },
  ...{ unreadable: 2, cut: 2, wrong_echo: 0.5, repeats_reference: 1, rejects_credentials: 0.3 },
}
const THROTTLED: Weather = { registers: 40, throttles: 40, not_yet: 10, unreachable: 10 }
const LOSSY: Weather = { registers: 40, reset_after: 20, late: 20, error_after: 10, cut: 10 }
const UNREACHABLE: Weather = { registers: 20, unreachable: 75, reset_before: 5 }
const STUBBORN: Weather = { registers: 10, throttles: 90 }
const DENYING: Weather = { registers: 40, refuses: 60 }

const FIERCE = [LOSSY, LOSSY, THROTTLED, UNREACHABLE, STUBBORN, DENYING]
export const WEATHERS: readonly Weather[] = [BUMPY, BUMPY, BUMPY, ...FIERCE, CALM]

/** A mandate that the service holds. The same original reference twice is a mandate that was registered twice. */
export interface Application {
  readonly customerNo: number
  /** The reference at the previous creditor. */
  readonly original: string
  readonly iban: string
  readonly signedDate: string
  readonly requestId: string
  readonly reference: string
  readonly atMs: number
}

export interface ReceivedRequest {
  readonly customerNo: number
  readonly requestId: string
}

export const ASSIGNED_CREDITOR = 'DE79ZZZ01234567890'

const DEADLINE_MS = 150_000
/** Later than this nothing arrives; people are told to wait for a quarter of an hour. */
const LATEST_MS = 14 * 60_000

export type SimulatedService = ReturnType<typeof startService>

/** The far side: the only one that knows what was applied. It lives on when the program dies. */
export function startService(schedule: Schedule, chance: Chance) {
  const world: Life = { isOver: false }
  const requests: ReceivedRequest[] = []
  const fates: Fate[] = []
  const applications: Application[] = []
  let assigned = 0

  function apply(mandate: Mandate, requestId: string, isRepeated = false): Application {
    const { customerNo, iban, signedDate } = mandate
    const earlier = applications.find((application) => application.customerNo !== customerNo)
    const reference =
      isRepeated && earlier !== undefined
        ? earlier.reference
        : `NEW-${String((assigned += 1)).padStart(6, '0')}`
    const original = mandate.original.mandateReference
    const atMs = schedule.nowMs()
    const application = { customerNo, original, iban, signedDate, requestId, reference, atMs }
    applications.push(application)
    return application
  }

  function arrive(fate: Fate, mandate: Mandate, requestId: string): Arrival {
    const { customerNo } = mandate
    const applied = (isRepeated = false): Application => apply(mandate, requestId, isRepeated)
    const brokenOff: Arrival = { response: null, code: 'ECONNRESET' }
    switch (fate) {
      case 'registers':
        return { response: registeredAnswer(mandate, applied().reference) }
      case 'repeats_reference':
        return { response: registeredAnswer(mandate, applied(true).reference) }
      case 'wrong_echo': {
        const other = { ...mandate, customerNo: customerNo + 1 }
        return { response: registeredAnswer(other, applied().reference) }
      }
      case 'unreadable':
        applied()
        return {
          response: answer(200, chance.pick(['', '<html>OK</html>', 'null', '{"status":"OK","data":{}}'])),
        }
      case 'cut': {
        const whole = registeredAnswer(mandate, applied().reference)
        const bodyText = whole.bodyText.slice(0, whole.bodyText.length >> 1)
        // With a length that was promised the client knows; without one only the JSON tells.
        return chance.happens(0.5)
          ? { response: { ...whole, bodyText, complete: false }, code: 'UND_ERR_SOCKET' }
          : { response: { ...whole, bodyText } }
      }
      case 'error_after':
        applied()
        return { response: answer(chance.pick([500, 502, 503, 504])) }
      case 'error_before':
        return { response: answer(chance.pick([500, 502, 503, 504])) }
      case 'reset_after':
        applied()
        return brokenOff
      case 'reset_before':
      case 'unreachable':
        return brokenOff
      case 'throttles': {
        const seconds = chance.pick([null, '1', '7', '60'])
        return { response: answer(429, '', seconds === null ? {} : { 'retry-after': seconds }) }
      }
      case 'asks_for_long':
        return { response: answer(429, '', { 'retry-after': '2000' }) }
      case 'not_yet':
        return { response: answer(404, '{"status":"NOT_AVAILABLE_YET","data":{}}') }
      case 'refuses': {
        const field = chance.pick(['iban', 'signed_date', 'customer_no'])
        const data = { message: `this ${field} is not acceptable`, field }
        return { response: answer(422, JSON.stringify({ status: 'INVALID_PARAMETER', data })) }
      }
      case 'unclear':
        return { response: answer(chance.pick([408, 409])) }
      case 'rejects_credentials':
        return { response: answer(401, '{"status":"INVALID_AUTH","data":{}}') }
      case 'late':
      case 'silent':
        return { response: null, code: 'DEADLINE' }
    }
  }

  return {
    requests: requests as readonly ReceivedRequest[],
    /** Those of all exchanges, also of those that never arrived. */
    fates: fates as readonly Fate[],
    applications: applications as readonly Application[],
    applicationsOf: (original: string): readonly Application[] =>
      applications.filter((application) => application.original === original),
    /** One exchange as the program's client would see it; settles never when that program is dead. */
    exchange: (
      { mandate, requestId }: { mandate: Mandate; requestId: string },
      { life, signal, weather }: { life: Life; signal: AbortSignal; weather: Weather },
    ) =>
      new Promise<Exchange>((resolve) => {
        const begunMs = schedule.nowMs()
        const fate = chance.weigh(weather)
        fates.push(fate)
        const started = fate !== 'unreachable'
        const end = ({ response, code }: Arrival): void => {
          signal.removeEventListener('abort', onAbort)
          resolve({
            started,
            response,
            error: code === undefined ? null : { code, name: 'Error', message: 'simulated' },
            durationMs: schedule.nowMs() - begunMs,
            receivedAtMs: schedule.clock.now(),
          })
        }
        const onAbort = (): void => end({ response: null, code: 'ABORTED' })
        signal.addEventListener('abort', onAbort)
        if (!started) {
          schedule.at(chance.between(0, 50), life, () => end({ response: null, code: 'ECONNREFUSED' }))
          return
        }
        requests.push({ customerNo: mandate.customerNo, requestId })
        if (fate === 'late')
          schedule.at(chance.between(0, LATEST_MS), world, () => void apply(mandate, requestId))
        if (fate === 'late' || fate === 'silent') {
          schedule.at(chance.pick([20, DEADLINE_MS]), life, () => end(arrive(fate, mandate, requestId)))
          return
        }
        schedule.at(chance.between(0, 120), world, () => {
          const arrival = arrive(fate, mandate, requestId)
          schedule.at(chance.between(0, 120), life, () => end(arrival))
        })
      }),
  }
}

interface Arrival {
  readonly response: Response | null
  readonly code?: string
}

const answer = (status: number, bodyText = '', headers: Readonly<Record<string, string>> = {}): Response => ({
  status,
  headers,
  bodyText,
  complete: true,
})

const registeredAnswer = (mandate: Mandate, reference: string): Response =>
  answer(
    200,
    JSON.stringify({
      status: 'OK',
      data: {
        customer_no: mandate.customerNo,
        iban: mandate.iban,
        signed_date: mandate.signedDate,
        sepa_creditor_identifier: ASSIGNED_CREDITOR,
        unique_mandate_reference: reference,
      },
    }),
  )
