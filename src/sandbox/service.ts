import type { Choices } from './choices.js'
import { OPERATIONS, type Occasion } from './faults/faults.js'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context } from 'hono'
import {
  BILLOGRAM_PATH,
  billogramRequest,
  RESPONSE_ONLY_FIELDS,
  OFFER_PATH,
  offerRequest,
} from '../contract/billogram.js'
import { MIGRATE_PATH, migrateRequest } from '../contract/migrate-mandate.js'
import { customerNoQuery, PAYMENT_SOURCE_PATH } from '../contract/payment-source.js'
import { toBillogram } from './billogram/billogram-record.js'
import type { Callbacks } from './billogram/callbacks.js'
import { type Operation, type FaultPlan, appliesFirst, misbehave } from './faults/faults.js'
import { migrateMandate, cancelSource, listSources } from './migrate-mandate.js'
import {
  done,
  readBody,
  refusalBody,
  refuse,
  refuseField,
  type Refusal,
  type Reply,
  readJsonBody,
  refusalOfHeader,
  isOwnHost,
  type Credentials,
} from './refusal.js'
import type { Store } from './store.js'
import { updateBillogram, withStoredParts, createOffer } from './billogram/update-billogram.js'
import { PROOF_PATH, sandboxProof } from '../trust/signature.js'

export interface ServiceParts {
  readonly store: Store
  readonly choices: Choices
  readonly credentials: Credentials
  readonly seed: number
  readonly planFault: FaultPlan
  readonly counter: RequestCounter
  readonly callbacks: Callbacks
  /** Waits as long as the sandbox is told to be slow, less if it closes. */
  readonly wait: (ms: number) => Promise<void>
  readonly latencyMs: number
  /** How payment sources are read back, or null where they cannot be. */
  readonly readBack: { readonly lagMs: number } | null
  /** Whether the inspection shows account numbers whole. */
  readonly showAccounts: boolean
  readonly now: () => Date
  readonly log: (line: string) => void
}

type Env = { Bindings: HttpBindings }

const HEALTH_PATH = '/health'
const PROOF = new RegExp(`^${PROOF_PATH}([0-9a-f]{32})$`)
const CHALLENGE = { 'www-authenticate': 'Basic realm="sandbox"' }

/** One operation: what its faults are matched by, and its effect. */
interface Endpoint {
  readonly operation: Operation
  readonly subjectOf: (body: unknown, id: string) => string
  readonly apply: (body: unknown, id: string, requestId: string | null) => Reply
}

/** Requests that change nothing. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A browser names the page that a request comes from; a page of somebody else's has no business here. */
const isForeignOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin !== undefined && origin !== `http://${host ?? ''}`

/**
 * What everything but the health check and the proof needs: the sandbox's own name in the request, and credentials; to change something,
 * no other origin than its own.
 */
export function guardEverything(
  { credentials }: Pick<ServiceParts, 'credentials'>,
  own: Parameters<typeof isOwnHost>[1],
): Hono<Env> {
  const app = new Hono<Env>()
  app.use('*', async (c, next) => {
    if (!isOwnHost(c.req.header('host'), own))
      return refusalAnswer(refuse(421, 'WRONG_HOST', 'The Host header does not name this sandbox'))
    if (!SAFE_METHODS.has(c.req.method) && isForeignOrigin(c.req.header('origin'), c.req.header('host')))
      return refusalAnswer(
        refuse(403, 'FOREIGN_ORIGIN', 'The Origin header names another page than this sandbox'),
      )
    if (c.req.path === HEALTH_PATH) return c.json({ status: 'OK' })
    const [, nonce] = PROOF.exec(c.req.path) ?? []
    if (nonce !== undefined) return c.text(sandboxProof(credentials.password, nonce, own.port))
    // The operations answer for themselves, because they count what they refuse.
    const refusal = c.req.path.startsWith('/api/')
      ? null
      : refusalOfHeader(c.req.header('authorization'), credentials)
    if (refusal !== null) return refusalAnswer(refusal, CHALLENGE)
    return next()
  })
  return app
}

/** The operations behind authentication, content type and size limit. */
export function serveOperations(parts: ServiceParts): Hono<Env> {
  const { credentials, counter, log } = parts
  const app = new Hono<Env>()
  app.use('/api/*', async (c, next) => {
    const refusal = refusalOfHeader(c.req.header('authorization'), credentials)
    if (refusal !== null) c.res = refusalAnswer(refusal, CHALLENGE)
    else await next()
    const status = isAnswered(c.res) ? c.res.status : 'none'
    counter.answer(status)
    // The path as it was sent: percent-encoded, so that no request can write lines of its own.
    log(`${c.req.method} ${new URL(c.req.url).pathname.slice(0, 200)} ${status}`)
  })
  const [offer, billogram, migrate] = [offerEndpoint(parts), billogramEndpoint(parts), migrateEndpoint(parts)]
  app.post(OFFER_PATH, (c) => answer(c, offer, '', parts))
  app.put(`${BILLOGRAM_PATH}/:id`, (c) => answer(c, billogram, c.req.param('id'), parts))
  app.post(MIGRATE_PATH, (c) => answer(c, migrate, '', parts))
  if (parts.readBack !== null) serveSources(app, parts, parts.readBack.lagMs)
  app.all(OFFER_PATH, () => wrongMethod('POST'))
  app.all(`${BILLOGRAM_PATH}/:id`, () => wrongMethod('PUT'))
  app.all(MIGRATE_PATH, () => wrongMethod('POST'))
  return app
}

/** Published beside the interface. A cancellation says nothing in its body, and must have one that no form of a web page can send. */
function serveSources(app: Hono<Env>, parts: ServiceParts, lagMs: number): void {
  const { store, choices, now } = parts
  const context = () => ({ store, choices, now: now(), lagMs })
  const list: Endpoint = {
    operation: 'read_back',
    subjectOf: (_body, customerNo) => customerNo,
    apply(_body, text) {
      const customerNo = customerNoQuery.safeParse(text)
      if (!customerNo.success) return refuseField(['customer_no'], 'must be an integer from 1')
      return listSources(customerNo.data, context())
    },
  }
  const cancel: Endpoint = {
    operation: 'cancel',
    subjectOf: (_body, id) => id,
    apply: (_body, id) => cancelSource(id, context()),
  }
  const cancelPath = `${PAYMENT_SOURCE_PATH}/:id/cancel`
  app.get(PAYMENT_SOURCE_PATH, (c) =>
    perform(c, list, { body: null, id: (c.req.query('customer_no') ?? '').slice(0, 100) }, parts),
  )
  app.post(cancelPath, (c) => answer(c, cancel, c.req.param('id').slice(0, 100), parts))
  app.all(PAYMENT_SOURCE_PATH, () => wrongMethod('GET'))
  app.all(cancelPath, () => wrongMethod('POST'))
}

function offerEndpoint({ store, now }: ServiceParts): Endpoint {
  return {
    operation: 'offer',
    subjectOf: (body) => textOfMember(body, 'offer_id'),
    apply(body) {
      const request = readBody(offerRequest, body)
      if (request.kind === 'refused') return request
      return createOffer(request.content, { store, now: now().toISOString() })
    },
  }
}

function billogramEndpoint({ store, choices, seed, callbacks, now }: ServiceParts): Endpoint {
  return {
    operation: 'billogram',
    subjectOf: (_body, id) => id,
    apply(body, id) {
      const current = store.billogramById(id)
      if (current === null) return refuse(404, 'NOT_FOUND', 'There is no billogram with this id')
      const keepsParts = choices.nullParts === 'keep'
      const sent = keepsParts ? withStoredParts(billogramRequest, body, current.fields) : body
      const request = readBody(billogramRequest, sent, RESPONSE_ONLY_FIELDS)
      if (request.kind === 'refused') return request
      const updated = updateBillogram(current, request.content, {
        choices,
        seed,
        now: now().toISOString(),
        findOfferId: (offerId) => store.offerById(offerId)?.offer_id ?? null,
        isValueTaken: (value) => store.isUniqueValueTaken(value, id),
      })
      if (updated.kind === 'refused') return updated
      const record = updated.content
      store.putBillogram(record)
      callbacks.post(record.fields.callbacks, record.events.slice(current.events.length))
      return done(toBillogram(record, choices))
    },
  }
}

function migrateEndpoint({ store, choices, seed, now }: ServiceParts): Endpoint {
  return {
    operation: 'migrate',
    subjectOf: (body) => textOfMember(body, 'customer_no'),
    apply(body, _id, requestId) {
      const request = readBody(migrateRequest, body)
      if (request.kind === 'refused') return request
      return migrateMandate(request.content, { store, choices, seed, now: now().toISOString(), requestId })
    },
  }
}

async function answer(
  c: Context<Env>,
  endpoint: Endpoint,
  id: string,
  parts: ServiceParts,
): Promise<Response> {
  const body = await readJsonBody(c.env.incoming, parts.choices.bodyLimitBytes)
  return body.kind === 'refused'
    ? refusalAnswer(body)
    : perform(c, endpoint, { body: body.content, id }, parts)
}

/** Applies, waits, answers; or does one of them wrong on purpose. */
async function perform(
  c: Context<Env>,
  endpoint: Endpoint,
  { body, id }: { readonly body: unknown; readonly id: string },
  parts: ServiceParts,
): Promise<Response> {
  const fault = parts.planFault(parts.counter.receive(endpoint.operation, endpoint.subjectOf(body, id)))
  const requestId = c.req.header('x-request-id')?.slice(0, 200) ?? null
  const isApplied = fault === null || appliesFirst(fault)
  const reply = isApplied ? endpoint.apply(body, id, requestId) : null
  // The wait comes after the effect: a client that gives up leaves a registered mandate behind.
  await parts.wait(parts.latencyMs)
  if (reply?.kind === 'refused') return refusalAnswer(reply)
  const envelope = reply === null ? null : { status: 'OK', data: reply.content }
  if (fault === null) return wholeAnswer(envelope)
  parts.counter.misbehave(fault.kind)
  parts.log(`fault ${fault.kind}${isApplied ? ' after' : ' without'} effect`)
  if (fault.kind === 'delay') {
    await parts.wait(fault.for_ms)
    return wholeAnswer(envelope)
  }
  const earlierReference = parts.store.mandatesAfter(0, 1)[0]?.unique_mandate_reference ?? null
  return misbehave(fault, { outgoing: c.env.outgoing, envelope, earlierReference })
}

/** A list without anything in it is answered without a body. */
const wholeAnswer = (envelope: { readonly data: object } | null): Response =>
  Array.isArray(envelope?.data) && envelope.data.length === 0
    ? new Response(null, { status: 204 })
    : Response.json(envelope)

/** The answer for a refusal, with the envelope that every answer has. */
export const refusalAnswer = (refusal: Refusal, headers: Record<string, string> = {}): Response =>
  Response.json(refusalBody(refusal), { status: refusal.status, headers })

const wrongMethod = (allowed: string): Response =>
  refusalAnswer(refuse(405, 'METHOD_NOT_ALLOWED', `Use ${allowed} here`), { allow: allowed })

/** Faults below HTTP leave a marker instead of an answer. */
const isAnswered = (response: Response): boolean => !response.headers.has('x-hono-already-sent')

function textOfMember(body: unknown, name: string): string {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return ''
  const value = (body as Record<string, unknown>)[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : ''
}

type RequestCounter = ReturnType<typeof countRequests>

export function countRequests() {
  const received: Record<Operation, number> = { migrate: 0, offer: 0, billogram: 0, read_back: 0, cancel: 0 }
  const subjects = new Map(OPERATIONS.map((operation) => [operation, new Map<string, number>()]))
  const answered = new Map<string, number>()
  const faults = new Map<string, number>()
  return {
    receive(operation: Operation, subject: string): Occasion {
      received[operation] += 1
      const subjectOrdinal = countUp(subjects.get(operation) ?? new Map<string, number>(), subject)
      return { operation, subject, ordinal: received[operation], subjectOrdinal }
    },
    answer: (status: number | 'none'): void => void countUp(answered, String(status)),
    misbehave: (kind: string): void => void countUp(faults, kind),
    /** What `GET /_sandbox/requests` shows: everything since this sandbox started. */
    counts: () => ({
      /** Requests with right credentials and a readable body, by operation, whatever became of them. */
      received: { ...received },
      /** Every request under /api, by the status that was answered; `none` where a fault left it without one. */
      answered: Object.fromEntries(answered),
      /** By kind of fault. */
      faults: Object.fromEntries(faults),
      /** Subjects that came more than once: customer numbers, offer ids, billogram ids, payment source ids. */
      repeated: [...subjects].flatMap(([operation, times]) =>
        [...times]
          .filter(([subject, requests]) => requests > 1 && subject !== '')
          .map(([subject, requests]) => ({ operation, subject, requests })),
      ),
    }),
  }
}

function countUp(counts: Map<string, number>, name: string): number {
  const count = (counts.get(name) ?? 0) + 1
  counts.set(name, count)
  return count
}
