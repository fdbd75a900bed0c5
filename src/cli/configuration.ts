import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { type RuleId, RULES, sourceSections, UsageError } from '../index.js'

const amount = z.union([z.number().positive(), z.string()])

const ruleIds = Object.keys(RULES) as [RuleId, ...RuleId[]]

/** The whole configuration file (product.md 5). Paths in it are relative to the file. */
export const configurationSchema = z.strictObject({
  ledger: z.string().min(1).optional().describe('The ledger of the campaign'),
  out: z.string().min(1).optional().describe('Folder for reports'),
  logFile: z.string().min(1).optional().describe('Log of every intent and outcome, masked'),
  timezone: z.string().min(1).optional().describe('IANA name; decides which day is today'),
  dormantSoonDays: z
    .int()
    .min(0)
    .max(1095)
    .optional()
    .describe('Warn when a mandate lapses within this many days'),
  service: z
    .strictObject({
      baseUrl: z.string().optional().describe('Address of the service, https only (http for loopback)'),
      username: z.string().min(1).optional(),
      passwordFile: z.string().min(1).optional().describe('Readable by its owner only'),
      concurrency: amount.optional(),
      rate: amount.optional().describe('Requests per second'),
      timeout: amount.optional().describe('Seconds for one request'),
      connectTimeout: amount.optional().describe('Seconds for one connection'),
      maxInDoubt: z.union([z.number().min(0), z.string()]).optional(),
      maxRefused: z.union([z.number().min(0), z.string()]).optional(),
      creditorIdentifier: z
        .string()
        .optional()
        .describe("The new creditor's own identifier, to catch a mix-up"),
      ca: z
        .string()
        .optional()
        .describe('PEM file of a certificate authority to trust besides the usual ones'),
      clientCertificate: z.string().optional().describe('PEM file'),
      clientKey: z.string().optional().describe('PEM file'),
      proxy: z.string().optional().describe('Address of an HTTP proxy'),
      freshConnections: z.boolean().optional().describe('A new connection for every request'),
    })
    .optional(),
  ...sourceSections,
  rules: z
    .partialRecord(z.enum(ruleIds), z.enum(['error', 'warning', 'off']))
    .optional()
    .describe('Severity of single rules'),
  outcomes: z
    .record(z.string(), z.enum(['refused', 'turned_away', 'in_doubt']))
    .optional()
    .describe('What single HTTP statuses mean, against the default table'),
})

export type Configuration = z.infer<typeof configurationSchema>

export interface LoadedConfiguration {
  readonly file: string | null
  readonly values: Configuration
  /** Makes a path of the file absolute. */
  readonly locate: (path: string) => string
}

export const noConfiguration: LoadedConfiguration = {
  file: null,
  values: configurationSchema.parse({}),
  locate: (path) => resolve(path),
}

const DEFAULT_FILE = 'sepa-migrate.yaml'

/**
 * Reads the named file, or `./sepa-migrate.yaml` where it exists.
 * @throws {UsageError} with the place in the file for anything that cannot be read or is not known
 */
export function loadConfiguration(named: string | null): LoadedConfiguration {
  if (named === null && !existsSync(DEFAULT_FILE)) return noConfiguration
  const file = named ?? DEFAULT_FILE
  const folder = dirname(resolve(file))
  return { file, values: parseConfiguration(readText(file), file), locate: (path) => resolve(folder, path) }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`Cannot read the configuration file "${file}"`, 'Check the path; nothing was sent', {
      cause,
    })
  }
}

export function parseConfiguration(text: string, file: string): Configuration {
  const document = parseDocument(text)
  const broken = document.errors[0]
  if (broken !== undefined)
    throw new UsageError(
      `Cannot read the configuration file "${file}": ${broken.message.split('\n')[0] ?? 'it is not YAML'}`,
      'Correct the file; nothing was sent',
    )
  const parsed = configurationSchema.safeParse(document.toJS() ?? {})
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`)
  throw new UsageError(
    `The configuration file "${file}" has ${problems.length === 1 ? 'a mistake' : 'mistakes'}: ${problems.join('; ')}`,
    'Correct the file; nothing was sent',
  )
}
