import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Document, LineCounter, parseDocument } from 'yaml'
import { z } from 'zod'
import { type RuleId, RULES } from '../../domain/rule/rules.js'
import { UsageError } from '../../errors.js'
import { sourceSections } from '../../source/options.js'
import { type Distrust, distrustInstructions } from '../../trust/entry.js'
import { lineOf, mistakesIn } from './configuration-mistakes.js'

const amount = z.union([z.number().positive(), z.string()])

const ruleIds = Object.keys(RULES) as [RuleId, ...RuleId[]]

/** The whole configuration file. Paths in it are relative to the file. */
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
      proxy: z
        .string()
        .optional()
        .describe('Address of an HTTP proxy, https only (http for loopback); never used for loopback'),
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
  /** Why others can change the file, which then only says how files are read; else null. */
  readonly distrust: Distrust | null
  /** Makes a path of the file absolute. */
  readonly locate: (path: string) => string
}

export const noConfiguration: LoadedConfiguration = {
  file: null,
  values: configurationSchema.parse({}),
  distrust: null,
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
  const distrust = distrustInstructions(file)
  return {
    file,
    values: parseConfiguration(readText(file), file, distrust),
    distrust,
    locate: (path) => resolve(folder, path),
  }
}

/** Nested deeper than any configuration is, the parser itself gives up. */
function parse(text: string, file: string, lineCounter: LineCounter): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(text, { lineCounter })
  } catch (cause) {
    throw new UsageError(
      `Cannot read the configuration file "${file}": it is not YAML that can be followed`,
      'Correct the file; nothing was sent',
      { cause },
    )
  }
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

/** Aliases are made as often as they are named, so a short file may ask for more than a machine can hold. */
function valueOf(document: ReturnType<typeof parseDocument>, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {}
  } catch (cause) {
    throw new UsageError(
      `Cannot read the configuration file "${file}": ${cause instanceof Error ? cause.message : 'its aliases cannot be followed'}`,
      'Write the values out instead of anchors (&) and aliases (*); nothing was sent',
      { cause },
    )
  }
}

/** @param distrust why others can write the file; then it may only say how an export is to be read */
export function parseConfiguration(
  text: string,
  file: string,
  distrust: Distrust | null = null,
): Configuration {
  const lines = new LineCounter()
  const document = parse(text, file, lines)
  const broken = document.errors[0]
  if (broken !== undefined)
    throw new UsageError(
      `Cannot read the configuration file "${file}": ${broken.message.split('\n')[0] ?? 'it is not YAML'}`,
      'Correct the file; nothing was sent',
    )
  const values = valueOf(document, file)
  const parsed = configurationSchema.safeParse(values)
  if (parsed.success) {
    if (distrust !== null) refuseMoreThanReading(parsed.data, { file, distrust, document, lines })
    return parsed.data
  }
  const mistakes = mistakesIn(configurationSchema, { document, lines, values, issues: parsed.error.issues })
  throw new UsageError(
    `The configuration file "${file}" has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}: ${mistakes.join('; ')}`,
    'Correct the file; nothing was sent',
  )
}

/** How a file is read. Everything else says where traffic and files go, whom to trust, or what an answer means. */
const READING: ReadonlySet<string> = new Set([
  ...Object.keys(sourceSections),
  'timezone',
  'dormantSoonDays',
  'service.creditorIdentifier',
])

interface Distrusted {
  readonly file: string
  readonly distrust: Distrust
  readonly document: Document
  readonly lines: LineCounter
}

/** @throws {UsageError} with the line of the first key that only a file of this user alone may have */
function refuseMoreThanReading(values: Configuration, { file, distrust, document, lines }: Distrusted): void {
  const { service = {}, ...others } = values
  const given = [
    ...Object.entries(service).map(([key, value]) => [['service', key], value] as const),
    ...Object.entries(others).map(([key, value]) => [[key], value] as const),
  ]
  const [first] = given
    .filter(([path, value]) => value !== undefined && !READING.has(path.join('.')))
    .map(([path]) => ({ key: path.join('.'), line: lineOf(document, path, lines) }))
    .toSorted((a, b) => a.line - b.line)
  if (first === undefined) return
  throw new UsageError(
    `The configuration file "${file}", line ${first.line}, sets "${first.key}", but others can change this file: ${distrust.why}. Such a file may only say how an export is read`,
    `${distrust.next}, or give the setting by a flag, the environment or a file of your own with --config; nothing was sent`,
  )
}
