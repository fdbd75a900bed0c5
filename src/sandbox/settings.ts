import { DEFAULT_CHOICES, type Choices } from './choices.js'
import { isLoopback } from '../domain/text/text.js'
import { z } from 'zod'
import { CURRENCIES, reminder } from '../contract/billogram.js'
import { UsageError } from '../errors.js'
import { checkFaults, type FaultRule, type FaultRuleInput } from './faults/faults.js'

/** How a sandbox is started. Everything may be left out. */
export interface SandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Default 0: any free port. */
  readonly port?: number | undefined
  /** Default `sandbox`. */
  readonly username?: string | undefined
  /** Default `sandbox`, which is refused on a host that others can reach. */
  readonly password?: string | undefined
  /** Shows account numbers whole under `/_sandbox/`; masked when left out. */
  readonly showAccounts?: boolean | undefined
  /** A SQLite file that keeps the state; default is memory. */
  readonly dataFile?: string | undefined
  /** How long every answer waits, in milliseconds. */
  readonly latencyMs?: number | undefined
  /** Probability of a fault per request, 0 to 1. */
  readonly chaos?: number | undefined
  /** Decides chaos and assigned references. Default is a random one, found in `Sandbox.seed`. */
  readonly seed?: number | undefined
  /** How long a new mandate does not show when payment sources are read back, in milliseconds. Default 0. */
  readonly readBackLagMs?: number | undefined
  /** `off`: a service that has no read-back answers it with 404. Default `on`. */
  readonly readBack?: 'on' | 'off' | undefined
  /** Scripted faults; see the README of the sandbox. */
  readonly faults?: readonly FaultRuleInput[] | undefined
  /** What the description of the interface leaves open (sandbox/choices.md). */
  readonly choices?: Partial<Choices> | undefined
  /** Gets one line per request, fault and callback; never an account number or a secret. */
  readonly log?: ((line: string) => void) | undefined
  readonly now?: (() => Date) | undefined
}

const DEFAULT_PASSWORD = 'sandbox'

const options = z.object({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(0),
  username: z
    .string()
    .regex(/^[^:]+$/, 'must not be empty or hold a colon')
    .default('sandbox'),
  password: z.string().min(1).default(DEFAULT_PASSWORD),
  showAccounts: z.boolean().default(false),
  dataFile: z.string().min(1).nullable().default(null),
  latencyMs: z.int().min(0).max(3_600_000).default(0),
  chaos: z.number().min(0).max(1).default(0),
  seed: z.int().nullable().default(null),
  readBackLagMs: z.int().min(0).max(86_400_000).default(0),
  readBack: z.enum(['on', 'off']).default('on'),
})

/** The options, checked and complete; a seed of null asks for a random one. */
type Settings = Readonly<z.output<typeof options>> & {
  readonly faults: readonly FaultRule[]
  readonly choices: Choices
}

const choices = z.strictObject({
  repeatedMandate: z.enum(['register', 'refuse', 'conflict']),
  secondMandateOfCustomer: z.enum(['register', 'refuse']),
  ibanCheck: z.enum(['checksum', 'none']),
  omittedFields: z.enum(['keep', 'clear']),
  accountCurrency: z.enum(CURRENCIES).nullable(),
  accountReminders: z.array(reminder),
  bodyLimitBytes: z.int().min(1_024),
  cancelledSources: z.enum(['listed', 'gone']),
  nullParts: z.enum(['refuse', 'keep']),
})

/** Checks the options. @throws UsageError that names the option. */
export function readSettings(given: SandboxOptions): Settings {
  const settings = checked(options, given, '')
  if (!isLoopback(settings.host) && settings.password === DEFAULT_PASSWORD) {
    throw new UsageError(
      `Cannot listen on ${settings.host} with the default password`,
      'Set a password of your own, or listen on 127.0.0.1.',
    )
  }
  return {
    ...settings,
    faults: checkFaults(given.faults ?? []),
    choices: checked(choices, { ...DEFAULT_CHOICES, ...given.choices }, 'choices.'),
  }
}

function checked<Value>(schema: z.ZodType<Value>, given: unknown, prefix: string): Value {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map(({ path, message }) => `${prefix}${path.join('.')}: ${message}`)
  throw new UsageError(
    `Cannot start the sandbox: ${problems.join('; ')}`,
    'Correct the option and start again.',
  )
}
