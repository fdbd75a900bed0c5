import type { Connections } from '../../src/service/exchange.js'
import type { MigrateRequest } from '../../src/contract/mandates.js'
import type { Chance } from '../support/chance.js'
import { mandateMeant, type Scene, type TrueMandate } from './people-truth.js'

/** What becomes of one request at the service. */
type Fate =
  | 'registers'
  | 'lost_answer' // applied, the connection breaks
  | 'lost_request' // arrives, is not applied, the connection breaks
  | 'late' // the connection breaks, applied minutes later
  | 'refuses'
  | 'error' // a 5xx, applied or not
  | 'odd_answer' // applied, and the reference in the answer holds a character that nobody sees

const WEATHERS: Readonly<Record<Scene['weather'], Readonly<Partial<Record<Fate, number>>>>> = {
  fine: { registers: 1 },
  refusing: { registers: 6, refuses: 2, lost_answer: 1, lost_request: 1 },
  rough: { registers: 4, lost_answer: 3, lost_request: 2, late: 2, refuses: 1, error: 1, odd_answer: 0.5 },
  late: { registers: 4, late: 4, lost_request: 1 },
}

const LATEST_MINUTES = 14

/** A mandate that the service holds. */
export interface Application {
  readonly request: MigrateRequest
  readonly requestId: string
  /** Null for a customer with an account that is not theirs. */
  readonly mandate: TrueMandate | null
  readonly assigned: { readonly creditorIdentifier: string; readonly mandateReference: string }
  /** How many requests had come in with the one that was applied; it may have been applied later. */
  readonly nth: number
}

const ASSIGNED_CREDITOR = 'DE79ZZZ01234567890'

/** The moment at which a request leaves one process; it may die there, or look at its files. */
type OnRequest = (nth: number) => 'goes_on' | 'dies' | Promise<void>

export interface ServiceParts {
  readonly mandates: readonly TrueMandate[]
  readonly scene: Scene
  readonly chance: Chance
  readonly nowMs: () => number
  readonly say: (text: string) => void
}

export type PeopleService = ReturnType<typeof startPeopleService>

/** The far side. It alone knows what was applied, for all ledgers and processes. */
export function startPeopleService({ mandates, scene, chance, nowMs, say }: ServiceParts) {
  const applications: Application[] = []
  const late: { atMs: number; request: MigrateRequest; requestId: string; nth: number }[] = []
  let received = 0
  let weather = WEATHERS[scene.weather]
  /** They answer as the interface says: 400 INVALID_OBJECT_STATE. */
  const { recognises } = scene
  const saidExisting = new Set<string>()

  function meantBy({ customer_no, signed_date, iban, amendment }: MigrateRequest): TrueMandate | null {
    const reference = amendment.unique_mandate_reference
    const mandate = mandateMeant(mandates, customer_no, signed_date, reference)
    return mandate !== undefined && [mandate.account, mandate.formerAccount].includes(iban) ? mandate : null
  }

  function apply(request: MigrateRequest, requestId: string, nth = received): Application {
    const application: Application = {
      request,
      requestId,
      nth,
      mandate: meantBy(request),
      assigned: {
        creditorIdentifier: ASSIGNED_CREDITOR,
        mandateReference: `NEW-${String(applications.length + 1).padStart(6, '0')}`,
      },
    }
    applications.push(application)
    say(
      `    the service registers customer ${request.customer_no}, ${request.signed_date}, …${request.iban.slice(-4)}, ` +
        `"${request.amendment.unique_mandate_reference}" as ${application.assigned.mandateReference}`,
    )
    return application
  }

  function settleUntil(untilMs: number): void {
    for (const one of late.filter(({ atMs }) => atMs <= untilMs)) {
      late.splice(late.indexOf(one), 1)
      say('    a late request arrives')
      apply(one.request, one.requestId, one.nth)
    }
  }

  const isHeld = (request: MigrateRequest): boolean =>
    applications.some(({ mandate }) => mandate !== null && mandate === meantBy(request))

  function answer(request: MigrateRequest, requestId: string): Answer {
    if (recognises && isHeld(request)) {
      saidExisting.add(requestId)
      return { status: 400, body: { status: 'INVALID_OBJECT_STATE', data: {} } }
    }
    const drawn = chance.weigh(weather)
    // A service that holds the mandate does not say that its values are wrong.
    const fate = drawn === 'refuses' && isHeld(request) ? 'lost_request' : drawn
    switch (fate) {
      case 'registers':
      case 'odd_answer': {
        const { assigned } = apply(request, requestId)
        const { amendment: _, ...echo } = request
        return {
          status: 200,
          body: {
            status: 'OK',
            data: {
              ...echo,
              sepa_creditor_identifier: assigned.creditorIdentifier,
              unique_mandate_reference: assigned.mandateReference + (fate === 'odd_answer' ? '\u200b' : ''),
            },
          },
        }
      }
      case 'lost_answer':
        apply(request, requestId)
        return null
      case 'lost_request':
        return null
      case 'late':
        late.push({
          atMs: nowMs() + chance.between(1, LATEST_MINUTES) * 60_000,
          request,
          requestId,
          nth: received,
        })
        return null
      case 'refuses':
        return { status: 422, body: { status: 'INVALID_PARAMETER', data: { message: 'no', field: 'iban' } } }
      case 'error':
        if (chance.happens(0.5)) apply(request, requestId)
        return { status: 503, body: {} }
    }
  }

  return {
    applications: applications as readonly Application[],
    /** Some services recognise a mandate that they hold. */
    recognises,
    /** Requests that were answered so: the mandate is there. */
    saidExisting: saidExisting as ReadonlySet<string>,
    applicationsOf: (mandate: TrueMandate): readonly Application[] =>
      applications.filter((application) => application.mandate === mandate),
    /** A request of it is still on its way. */
    mayArrive: (mandate: TrueMandate): boolean => late.some(({ request }) => meantBy(request) === mandate),
    /** How many requests came in. */
    received: () => received,
    /** Applies what arrived late until now. */
    settleUntil,
    /** Refuses nothing and loses nothing from now on. */
    calmDown: () => (weather = WEATHERS.fine),
    /** What `openConnections` gives the program: an exchange goes through all of its code but the socket. */
    connect: ({ onRequest, pass }: { onRequest: OnRequest; pass: (ms: number) => void }): Connections => {
      let requests = 0
      let isDead = false
      /** Nothing reaches a process that is stopped, before it goes on. */
      let isRunning = Promise.resolve()
      const dispatch: Connections['dispatcher']['dispatch'] = (options, handler) => {
        if (isDead) return true
        const controller = {
          abort: () => undefined,
          pause: () => undefined,
          resume: () => undefined,
          paused: false,
          aborted: false,
          reason: null,
        }
        handler.onRequestStart?.(controller, {})
        pass(chance.between(50, 400))
        settleUntil(nowMs())
        const headers = options.headers as Readonly<Record<string, string>>
        const request = JSON.parse(options.body as string) as MigrateRequest
        const answered = answer(request, headers['x-request-id'] ?? '')
        requests += 1
        received += 1
        const what = onRequest(requests)
        isDead = what === 'dies'
        if (isDead) return true
        if (typeof what !== 'string') isRunning = what
        const deliver = (): void => {
          if (isDead) return
          if (answered === null) {
            handler.onResponseError?.(controller, Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
            return
          }
          handler.onResponseStart?.(controller, answered.status, {})
          handler.onResponseData?.(controller, Buffer.from(JSON.stringify(answered.body)))
          handler.onResponseEnd?.(controller, {})
        }
        setImmediate(() => void isRunning.then(deliver))
        return true
      }
      return { origin: '', dispatcher: { dispatch }, open: () => undefined, close: () => Promise.resolve() }
    },
  }
}

/** Null: the connection breaks. */
type Answer = { readonly status: number; readonly body: unknown } | null
