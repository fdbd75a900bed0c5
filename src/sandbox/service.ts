import type { HttpBindings } from '@hono/node-server'
import type { Context, Hono } from 'hono'
import { setTimeout as sleep } from 'node:timers/promises'
import { BILLOGRAM_PATH, OFFER_PATH } from '../contract/billogram.js'
import { memberOf } from '../domain/text/text.js'
import { CUSTOMER_PATH, MIGRATE_PATH, PAYMENT_SOURCE_PATH } from '../contract/mandates.js'
import { OPERATIONS, type Operation, type FaultPlan, appliesFirst, misbehave } from './faults.js'
import { findCustomer, migrateMandate, cancelSource, listSources } from './migrate-mandate.js'
import { refuse, readJsonBody, assertCredentials, isOwnHost } from './refusal.js'
import type { OpenSandbox } from './settings.js'
import { updateBillogram, createOffer } from './billogram.js'

export interface ServiceParts extends OpenSandbox {
  readonly planFault: FaultPlan
  readonly counter: ReturnType<typeof countRequests>
}

export type Env = { Bindings: HttpBindings }

const HEALTH_PATH = '/health'
/** Above it, 413: choice 11 of sandbox/choices.md. */
const LARGEST_BODY_BYTES = 8 * 1024 * 1024

/** One operation: its place, what its faults are matched by, and its effect. */
type Endpoint = readonly [
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  operation: Operation,
  subjectOf: (body: unknown, id: string) => string,
  apply: (body: unknown, id: string, requestId: string | null) => object,
]

/** Requests that change nothing. */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** A browser names the page that a request comes from; a page of somebody else's has no business here. */
const isForeignOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin !== undefined && origin !== `http://${host ?? ''}`

/**
 * What every request needs: the sandbox's own name; to change something, no other origin than its own; and credentials,
 * for all but the health check. What is refused under /api is counted too.
 */
export function guardEverything(app: Hono<Env>, parts: ServiceParts): void {
  const { host, counter, log } = parts
  app.use('*', async (c, next) => {
    if (!isOwnHost(c.req.header('host'), { listensOn: host, port: parts.port }))
      throw refuse(421, 'WRONG_HOST', 'The Host header does not name this sandbox')
    if (!SAFE_METHODS.has(c.req.method) && isForeignOrigin(c.req.header('origin'), c.req.header('host')))
      throw refuse(403, 'FOREIGN_ORIGIN', 'The Origin header names another page than this sandbox')
    return c.req.path === HEALTH_PATH ? c.json({ status: 'OK' }) : next()
  })
  app.use('/api/*', async (c, next) => {
    await next()
    const status = isAnswered(c.res) ? c.res.status : 'none'
    counter.answer(status)
    // The path as it was sent: percent-encoded, so that no request can write lines of its own.
    log(`${c.req.method} ${new URL(c.req.url).pathname.slice(0, 200)} ${status}`)
  })
  app.use('*', async (c, next) => {
    assertCredentials(c.req.header('authorization'), parts)
    await next()
  })
}

/** The operations behind content type and size limit. */
export function serveOperations(app: Hono<Env>, parts: ServiceParts): void {
  for (const endpoint of endpointsOf(parts)) {
    const [method, path] = endpoint
    app.on(method, path, (c) => answer(c, endpoint, parts))
    app.all(path, () => {
      throw refuse(405, 'METHOD_NOT_ALLOWED', `Use ${method} here`, [], { allow: method })
    })
  }
}

const member = (name: string) => (body: unknown) => {
  const value = memberOf(body, name)
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 100) : ''
}
const ofPath = (_body: unknown, id: string): string => id

const endpointsOf = (parts: ServiceParts): readonly Endpoint[] => [
  ['POST', OFFER_PATH, 'offer', member('offer_id'), (body) => createOffer(body, parts)],
  ['PUT', `${BILLOGRAM_PATH}/:id`, 'billogram', ofPath, (body, id) => updateBillogram(body, id, parts)],
  [
    'POST',
    MIGRATE_PATH,
    'migrate',
    member('customer_no'),
    (body, _id, requestId) => migrateMandate(body, requestId, parts),
  ],
  ...(parts.readBack === 'on' ? endpointsBeyond(parts) : []),
]

/** Published beside the interface. A cancellation says nothing in its body, and must have one that no form of a web page can send. */
const endpointsBeyond = (parts: ServiceParts): readonly Endpoint[] => [
  ['GET', PAYMENT_SOURCE_PATH, 'read_back', ofPath, (_body, customerNo) => listSources(customerNo, parts)],
  ['POST', `${PAYMENT_SOURCE_PATH}/:id/cancel`, 'cancel', ofPath, (_body, id) => cancelSource(id, parts)],
  ['GET', `${CUSTOMER_PATH}/:id`, 'customer', ofPath, (_body, id) => findCustomer(id, parts)],
]

/** Applies, waits, answers; or does one of them wrong on purpose. */
async function answer(
  c: Context<Env>,
  [method, , operation, subjectOf, apply]: Endpoint,
  parts: ServiceParts,
): Promise<Response> {
  const body = method === 'GET' ? null : await readJsonBody(c.env.incoming, LARGEST_BODY_BYTES)
  const id = (c.req.param('id') ?? c.req.query('customer_no') ?? '').slice(0, 100)
  const fault = parts.planFault(parts.counter.receive(operation, subjectOf(body, id)))
  const requestId = c.req.header('x-request-id')?.slice(0, 200) ?? null
  const isApplied = fault === null || appliesFirst(fault)
  let envelope: { readonly status: string; readonly data: object } | null = null
  try {
    if (isApplied) envelope = { status: 'OK', data: apply(body, id, requestId) }
  } finally {
    // The wait comes after the effect: a client that gives up leaves a registered mandate behind.
    await wait(parts.latencyMs, parts)
  }
  if (fault !== null) {
    parts.counter.misbehave(fault.kind)
    parts.log(`fault ${fault.kind}${isApplied ? ' after' : ' without'} effect`)
  }
  if (fault?.kind === 'delay') await wait(fault.for_ms, parts)
  if (fault === null || fault.kind === 'delay')
    // A list without anything in it is answered without a body.
    return Array.isArray(envelope?.data) && envelope.data.length === 0
      ? new Response(null, { status: 204 })
      : Response.json(envelope)
  const earlierReference = parts.store.mandatesAfter(0, 1)[0]?.unique_mandate_reference ?? null
  return misbehave(fault, { outgoing: c.env.outgoing, envelope, earlierReference })
}

/** Shorter where the sandbox closes. */
async function wait(ms: number, { closing }: OpenSandbox): Promise<void> {
  if (ms > 0) await sleep(ms, undefined, { signal: closing }).catch(() => undefined)
}

/** Faults below HTTP leave a marker instead of an answer. */
const isAnswered = (response: Response): boolean => !response.headers.has('x-hono-already-sent')

export function countRequests() {
  const received = Object.fromEntries(OPERATIONS.map((name) => [name, 0])) as Record<Operation, number>
  const subjects = new Map(OPERATIONS.map((operation) => [operation, new Map<string, number>()]))
  const answered = new Map<string, number>()
  const faults = new Map<string, number>()
  return {
    receive(operation: Operation, subject: string) {
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
