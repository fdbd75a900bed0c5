import { wordingOf, parseJson } from '../domain/text/text.js'
import { z } from 'zod'
import { UsageError } from '../errors.js'
import { chanceOf } from './store.js'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MigratedMandate } from '../contract/mandates.js'
import { refuse } from './refusal.js'

/** Which request this is. */
export interface Occasion {
  readonly operation: Operation
  /** The customer number, offer id or billogram id as text; empty where the request names none. */
  readonly subject: string
  /** Counts the requests of the operation from 1. */
  readonly ordinal: number
  /** Counts the requests of the operation for this subject from 1. */
  readonly subjectOrdinal: number
}

/** Chooses the fault of a request, null for none. Call it once per request. */
export type FaultPlan = (occasion: Occasion) => PlannedFault | null

/**
 * Chaos draws from these, each with and without effect where that differs. A refusal and the answers that must
 * stop a run are left to scripts: chaos can be waited out.
 */
const CHAOS: readonly PlannedFault[] = [
  { kind: 'throttle', status: 429, retry_after: 1 },
  { kind: 'server_error', status: 500, applied: false },
  { kind: 'server_error', status: 503, applied: true },
  { kind: 'hang', applied: true, for_ms: 2_000 },
  { kind: 'reset', applied: false },
  { kind: 'reset', applied: true },
  { kind: 'cut', applied: true, framing: 'content_length' },
  { kind: 'cut', applied: true, framing: 'close' },
  { kind: 'nonsense', applied: true, answer: 'html' },
  { kind: 'nonsense', applied: false, answer: 'empty' },
]

/**
 * Scripted rules go first, the first that matches wins; then chance. Chance depends on the seed, the subject and
 * how often the subject was seen, never on the order in which requests happen to arrive.
 */
export function planFaults(options: {
  readonly faults: readonly FaultRule[]
  readonly chaos: number
  readonly seed: number
}): FaultPlan {
  const timesUsed = new Map<FaultRule, number>()
  return (occasion) => {
    const rule = options.faults.find(
      (candidate) =>
        (timesUsed.get(candidate) ?? 0) < (candidate.times ?? Infinity) && matches(candidate, occasion),
    )
    if (rule === undefined) return chaosFor(occasion, options)
    timesUsed.set(rule, (timesUsed.get(rule) ?? 0) + 1)
    return rule.fault
  }
}

function matches({ operation, match }: FaultRule, occasion: Occasion): boolean {
  const isSubject = (
    of: readonly Operation[],
    wanted: string | number | readonly (string | number)[] | undefined,
  ) =>
    wanted === undefined ||
    (of.includes(occasion.operation) && [wanted].flat().some((one) => String(one) === occasion.subject))
  return (
    (operation === 'any' || operation === occasion.operation) &&
    isSubject(['migrate', 'read_back', 'customer'], match.customer_no) &&
    isSubject(['offer'], match.offer_id) &&
    isSubject(['billogram'], match.billogram_id) &&
    (match.request === undefined || [match.request].flat().includes(occasion.ordinal)) &&
    (match.every === undefined || occasion.ordinal % match.every === 0)
  )
}

function chaosFor(occasion: Occasion, { chaos, seed }: { chaos: number; seed: number }): PlannedFault | null {
  if (chaos === 0) return null
  const { operation, subject, subjectOrdinal } = occasion
  if (chanceOf(seed, operation, subject, subjectOrdinal, 'whether') >= chaos) return null
  const which = chanceOf(seed, operation, subject, subjectOrdinal, 'which')
  return CHAOS[Math.floor(which * CHAOS.length)] ?? null
}

/** The operations a fault can be planned for. */
export const OPERATIONS = ['migrate', 'offer', 'billogram', 'read_back', 'cancel', 'customer'] as const
export type Operation = (typeof OPERATIONS)[number]

const milliseconds = z.int().min(0).max(86_400_000)
const httpStatus = (from: number, to: number, usual: number) => z.int().min(from).max(to).default(usual)
/** Whether the service takes effect before it misbehaves: the mandate is registered, the answer is lost. */
const applied = (usual: boolean) => z.boolean().default(usual)

/** What a fault needs to play its part. */
interface Stage {
  /** The raw answer, for faults below HTTP. */
  readonly outgoing: ServerResponse
  /** The envelope that would have been answered; null when the fault came before any effect. */
  readonly envelope: { readonly status: string; readonly data: object } | null
  /** A reference that was given away before, for `repeated_reference`. */
  readonly earlierReference: string | null
}

const JSON_HEADERS = { 'content-type': 'application/json' }

const mandateOf = ({ envelope }: Stage) => (envelope?.data ?? {}) as Partial<MigratedMandate>
const okWith = (data: object): Response => Response.json({ status: 'OK', data })

/** Answers that a 200 should never hold. */
const NONSENSE = {
  html: () =>
    new Response('<!doctype html><title>Welcome</title><p>It works!</p>', {
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }),
  empty: () => new Response('', { headers: JSON_HEADERS }),
  no_content: () => new Response(null, { status: 204 }),
  null: () => Response.json(null),
  array: ({ envelope }: Stage) => Response.json([envelope]),
  no_data: () => Response.json({ status: 'OK' }),
  no_references: (stage: Stage) => {
    const { sepa_creditor_identifier: _ci, unique_mandate_reference: _umr, ...rest } = mandateOf(stage)
    return okWith(rest)
  },
  wrong_echo: (stage: Stage) =>
    okWith({ ...mandateOf(stage), customer_no: (mandateOf(stage).customer_no ?? 0) + 1 }),
  repeated_reference: (stage: Stage) => {
    const data = mandateOf(stage)
    const reference = stage.earlierReference ?? data.unique_mandate_reference
    return okWith({ ...data, unique_mandate_reference: reference })
  },
  another_name: (stage: Stage) =>
    okWith({ ...mandateOf(stage), name: 'Quite Somebodyelse', contact: {}, org_no: '' }),
}
const NONSENSE_NAMES = Object.keys(NONSENSE) as (keyof typeof NONSENSE)[]
/** They tell of a mandate, so they need `migrate`. */
const MIGRATE_ONLY: ReadonlySet<string> = new Set(['no_references', 'wrong_echo', 'repeated_reference'])

/** Framing stays with the server; `cut` is the fault for broken framing. */
const headerName = z
  .string()
  .regex(/^(?!content-length$|transfer-encoding$)[\w-]+$/i, 'is not a header a script can set')

/** What the sandbox can do wrong on purpose; the vocabulary of help/sandbox.md#faults-on-purpose. */
const fault = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('refuse'),
      status: httpStatus(400, 499, 422),
      code: z.string().default('INVALID_PARAMETER'),
      field: z.string().nullable().default(null),
      message: z.string().default('Refused on purpose'),
    }),
    z.strictObject({
      kind: z.literal('throttle'),
      status: httpStatus(400, 599, 429),
      /** Seconds, or any text for the header Retry-After; null leaves the header out. */
      retry_after: z
        .union([z.int().min(0), z.string()])
        .nullable()
        .default(1),
    }),
    z.strictObject({
      kind: z.literal('server_error'),
      status: httpStatus(500, 599, 500),
      applied: applied(false),
    }),
    z.strictObject({
      kind: z.literal('hang'),
      applied: applied(true),
      /** After this time the connection is closed; null waits for the client. */
      for_ms: milliseconds.nullable().default(null),
    }),
    z.strictObject({ kind: z.literal('reset'), applied: applied(true) }),
    z.strictObject({
      kind: z.literal('cut'),
      applied: applied(true),
      /** How the client is told where the body ends; with `close` a cut body looks complete. */
      framing: z.enum(['content_length', 'chunked', 'close']).default('content_length'),
    }),
    z.strictObject({ kind: z.literal('nonsense'), applied: applied(true), answer: z.enum(NONSENSE_NAMES) }),
    z.strictObject({ kind: z.literal('delay'), for_ms: milliseconds }),
    z.strictObject({
      kind: z.literal('answer'),
      applied: applied(false),
      status: z.int().min(200).max(599),
      headers: z.record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/)).default({}),
      /** Text as it is, or any JSON value. */
      body: z.json().default(''),
    }),
  ],
  { error: 'must be one of refuse, throttle, server_error, hang, reset, cut, nonsense, delay, answer' },
)
type PlannedFault = z.output<typeof fault>

const oneOrMore = <Value extends z.ZodType>(value: Value) => z.union([value, z.array(value).min(1)])

const faultRule = z
  .strictObject({
    operation: z.enum([...OPERATIONS, 'any']).default('any'),
    /** All that is given must hold; nothing given matches every request. */
    match: z
      .strictObject({
        customer_no: oneOrMore(z.int()).optional(),
        offer_id: oneOrMore(z.string()).optional(),
        billogram_id: oneOrMore(z.string()).optional(),
        /** The n-th request of its operation since the sandbox started, from 1. */
        request: oneOrMore(z.int().min(1)).optional(),
        /** Every n-th request of its operation. */
        every: z.int().min(1).optional(),
      })
      .default({}),
    /** How often the rule applies at most; null is no limit. */
    times: z.int().min(1).nullable().default(null),
    fault,
  })
  .refine(
    (rule) =>
      rule.operation === 'migrate' || rule.fault.kind !== 'nonsense' || !MIGRATE_ONLY.has(rule.fault.answer),
    { path: ['fault', 'answer'], error: 'needs the operation migrate' },
  )
/** One rule of a fault script, checked and with its defaults. */
export type FaultRule = z.output<typeof faultRule>
/** One rule as it is written. */
export type FaultRuleInput = z.input<typeof faultRule>

const script = z.array(faultRule, 'must be a list of rules')

/** Checks a fault script. @throws UsageError that names the rule and the field. */
export function checkFaults(rules: unknown, name = 'the fault script'): readonly FaultRule[] {
  const parsed = script.safeParse(rules, { error: wordingOf })
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => {
    const [index, ...rest] = path.map(String)
    if (index === undefined) return message
    return `rule ${Number(index) + 1}${rest.length === 0 ? '' : `, ${rest.join('.')}`}: ${message}`
  })
  throw new UsageError(`Cannot use ${name}: ${problems.join('; ')}`, NEXT)
}

/** Reads the text of a fault script (JSON). @throws UsageError. */
export function parseFaults(text: string, name: string): readonly FaultRule[] {
  const rules = parseJson(text)
  if (rules === undefined) throw new UsageError(`Cannot use ${name}: it is not JSON`, NEXT)
  return checkFaults(rules, name)
}

const NEXT = 'Correct it; "sepa-migrate help sandbox" lists the faults.'

/** Whether the service takes effect before the fault shows. */
export const appliesFirst = (fault: PlannedFault): boolean =>
  fault.kind === 'delay' || ('applied' in fault && fault.applied)

/** Plays a fault. The `Response` is the answer; for faults of the connection it only says that none follows. */
export async function misbehave(
  fault: Exclude<PlannedFault, { kind: 'delay' }>,
  stage: Stage,
): Promise<Response> {
  switch (fault.kind) {
    case 'refuse': {
      const path = fault.field === null ? [] : fault.field.split('.')
      throw refuse(fault.status, fault.code, fault.message, path)
    }
    case 'throttle': {
      const headers = fault.retry_after === null ? {} : { 'retry-after': String(fault.retry_after) }
      throw refuse(fault.status, 'TOO_MANY_REQUESTS', 'Too many requests', [], headers)
    }
    case 'server_error':
      throw refuse(fault.status, 'INTERNAL_ERROR', 'Broken on purpose')
    case 'hang':
      return hang(stage.outgoing, fault.for_ms)
    case 'reset':
      stage.outgoing.socket?.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    case 'cut':
      return cut(stage, fault.framing)
    case 'nonsense':
      return NONSENSE[fault.answer](stage)
    case 'answer':
      return scripted(fault)
  }
}

/** Silence until the client leaves, or for a time and then a closed connection. */
async function hang(outgoing: ServerResponse, forMs: number | null): Promise<Response> {
  if (outgoing.socket?.destroyed ?? true) return RESPONSE_ALREADY_SENT
  const left = new AbortController()
  const isClosed = new Promise<void>((resolve) => outgoing.once('close', resolve)).then(() => left.abort())
  if (forMs === null) await isClosed
  else await sleep(forMs, undefined, { signal: left.signal }).catch(() => undefined)
  outgoing.destroy()
  return RESPONSE_ALREADY_SENT
}

/** Half of the answer, then the end of the connection. Written by hand, since an HTTP library would be right. */
function cut(
  { outgoing, envelope }: Stage,
  framing: Extract<PlannedFault, { kind: 'cut' }>['framing'],
): Response {
  const body = JSON.stringify(envelope ?? { status: 'OK', data: {} })
  const half = body.slice(0, Math.ceil(body.length / 2))
  const head = {
    content_length: `Content-Length: ${Buffer.byteLength(body)}`,
    chunked: 'Transfer-Encoding: chunked',
    close: 'Connection: close',
  }[framing]
  const part = framing === 'chunked' ? `${Buffer.byteLength(half).toString(16)}\r\n${half}\r\n` : half
  outgoing.socket?.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${head}\r\n\r\n${part}`)
  return RESPONSE_ALREADY_SENT
}

function scripted({ status, headers, body }: Extract<PlannedFault, { kind: 'answer' }>): Response {
  const hasNoBody = status === 204 || status === 205 || status === 304
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(hasNoBody ? null : text, { status, headers: { ...JSON_HEADERS, ...headers } })
}
