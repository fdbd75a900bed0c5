import { wordingOf } from '../domain/text/text.js'
import { z } from 'zod'
import { SANDBOX_USER } from '../contract/envelope.js'
import { onlyKnown, UsageError } from '../errors.js'
import { checkFaults, type FaultRuleInput } from './faults.js'
import { randomBytes, randomInt } from 'node:crypto'
import type { Store } from './store.js'

const makePassword = (): string => randomBytes(15).toString('base64url')

/** Of sandbox/choices.md, by its numbers: what can be switched, with what holds when nothing is said. */
const choices = z.strictObject({
  /** 5. The same original identifiers a second time: 400 INVALID_OBJECT_STATE, 409, or a second mandate. */
  repeatedMandate: z.enum(['refuse', 'conflict', 'register']).default('refuse'),
  /** 30. Whether a payment source that was cancelled is listed still. */
  cancelledSources: z.enum(['listed', 'gone']).default('listed'),
  /** 34. Null for an object or a list that an update may leave out: 400, or it stays as it is stored. */
  nullParts: z.enum(['refuse', 'keep']).default('refuse'),
})

const settingsSchema = z.object({
  host: z.string().min(1).default('127.0.0.1'),
  /** 0: any free port. */
  port: z.int().min(0).max(65_535).default(0),
  username: z
    .string()
    .regex(/^[^:]+$/, 'must not be empty or hold a colon')
    .default(SANDBOX_USER),
  /** Made up where it is left out, and found in `Sandbox.password`: nobody else is to look into it while it runs. */
  password: z.string().min(1).default(makePassword),
  /** Shows account numbers whole under `/_sandbox/`; masked when left out. */
  showAccounts: z.boolean().default(false),
  /** A SQLite file that keeps the state; default is memory. */
  dataFile: z.string().min(1).nullable().default(null),
  /** How long every answer waits, in milliseconds. */
  latencyMs: z.int().min(0).max(3_600_000).default(0),
  /** Probability of a fault per request, 0 to 1. */
  chaos: z.number().min(0).max(1).default(0),
  /** Decides chaos and assigned references. Default is a random one, found in `Sandbox.seed`. */
  seed: z.int().nullable().default(null),
  /** How long a new mandate does not show when payment sources are read back, in milliseconds. */
  readBackLagMs: z.int().min(0).max(86_400_000).default(0),
  /** `off`: a service that has no read-back answers it with 404. */
  readBack: z.enum(['on', 'off']).default('on'),
  /** Whom the service knows; everybody, by names that the seed decides, where it is left out. */
  customers: z
    .array(
      z.strictObject({
        customer_no: z.int().min(1),
        name: z.string(),
        org_no: z.string().optional(),
        contact_name: z.string().optional(),
      }),
      'must be a JSON list of customers',
    )
    .nullable()
    .default(null),
  choices: choices.prefault({}),
})

/** How a sandbox is started. Everything may be left out. */
export interface SandboxOptions extends Readonly<z.input<typeof settingsSchema>> {
  /** Scripted faults; `sepa-migrate help sandbox` lists them. */
  readonly faults?: readonly FaultRuleInput[] | undefined
  /** Gets one line per request and fault; never an account number or a secret. */
  readonly log?: ((line: string) => void) | undefined
  readonly now?: (() => Date) | undefined
}

/** Checks the options. @throws UsageError that names the option. */
export function readSettings(options: SandboxOptions) {
  onlyKnown(
    'startSandbox',
    options,
    `${Object.keys(settingsSchema.shape).join(' ')} faults:list log:function now:function`,
  )
  onlyKnown('choices', options.choices ?? {}, Object.keys(choices.shape).join(' '))
  const parsed = settingsSchema.safeParse(options, { error: wordingOf })
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    throw new UsageError(
      `Cannot start the sandbox: ${problems.join('; ')}`,
      'Correct the option and start again.',
    )
  }
  const { data: settings } = parsed
  return {
    ...settings,
    seed: settings.seed ?? randomInt(2 ** 32),
    log: options.log ?? (() => undefined),
    now: options.now ?? (() => new Date()),
    faults: checkFaults(options.faults ?? []),
    customers: settings.customers && new Map(settings.customers.map((one) => [one.customer_no, one])),
  }
}

/** A sandbox that is open. */
export interface OpenSandbox extends ReturnType<typeof readSettings> {
  readonly store: Store
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal
}
