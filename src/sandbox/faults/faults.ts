import { z } from 'zod'
import { UsageError } from '../../errors.js'

/** The operations a fault can be planned for. */
export const OPERATIONS = ['migrate', 'offer', 'billogram', 'read_back', 'cancel'] as const
export type Operation = (typeof OPERATIONS)[number]

const milliseconds = z.int().min(0).max(86_400_000)
const httpStatus = (from: number, to: number, usual: number) => z.int().min(from).max(to).default(usual)
/** Whether the service takes effect before it misbehaves: the mandate is registered, the answer is lost. */
const applied = (usual: boolean) => z.boolean().default(usual)

/** Answers that a 200 should never hold. The last three tell of a mandate, so they need `migrate`. */
const NONSENSE = [
  'html',
  'empty',
  'no_content',
  'null',
  'array',
  'no_data',
  'no_references',
  'wrong_echo',
  'repeated_reference',
] as const
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
    z.strictObject({ kind: z.literal('nonsense'), applied: applied(true), answer: z.enum(NONSENSE) }),
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
export type Fault = z.output<typeof fault>

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
  const parsed = script.safeParse(rules)
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
  let rules: unknown
  try {
    rules = JSON.parse(text)
  } catch (cause) {
    throw new UsageError(`Cannot use ${name}: it is not JSON`, NEXT, { cause })
  }
  return checkFaults(rules, name)
}

const NEXT = 'The vocabulary of fault scripts is described in the README of the sandbox.'
