import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Document, LineCounter } from 'yaml'
import { z } from 'zod'
import { UsageError } from '../../errors.js'
import { sourceSections } from '../../source/options.js'
import { type Distrust, distrustInstructions } from '../../trust/entry.js'
import { MOST_BYTES, readGiven } from '../../trust/given-file.js'
import { type Broken, lineOf, type Mistake, mistakesIn, yaml } from './configuration-mistakes.js'
import { SETTING_NAMES, settingOf, helpOf } from './declared.js'
import { type RuleId, RULES } from '../../domain/rule/verdict.js'
import { OVERRIDABLE_STATUS, OVERRIDE_KINDS } from '../../service/checked-service.js'
const ruleIds = Object.keys(RULES) as [RuleId, ...RuleId[]]

/** The declared settings that stand in one section of the file, as its schema. */
function settingsIn(...section: readonly string[]): Readonly<Record<string, z.ZodType>> {
  const keys = SETTING_NAMES.flatMap((name) => {
    const { kind, configured = [] } = settingOf(name)
    const isInSection = configured.slice(0, -1).join('.') === section.join('.')
    const key = configured.at(-1)
    return key !== undefined && isInSection
      ? [[key, kind.inFile.optional().describe(helpOf(name))] as const]
      : []
  })
  return Object.fromEntries(keys)
}

/** The whole configuration file. Paths in it are relative to the file. */
export const configurationSchema = z.strictObject({
  ...settingsIn(),
  service: z.strictObject(settingsIn('service')).optional(),
  readBack: z.strictObject(settingsIn('readBack')).optional(),
  campaign: z.strictObject(settingsIn('campaign')).optional(),
  ...sourceSections,
  rules: z
    .partialRecord(z.enum(ruleIds), z.enum(['error', 'warning', 'off']))
    .optional()
    .describe('Severity of single rules'),
  approvers: z
    .record(z.string().regex(/\S/), z.string().min(1))
    .optional()
    .describe(
      'Whose approval of a plan counts: the Ed25519 public key of each, by name, in PEM or as the path of such a file',
    ),
  outcomes: z
    .record(z.string().regex(OVERRIDABLE_STATUS), z.enum(OVERRIDE_KINDS), {
      error: ({ code }) => (code === 'invalid_key' ? STATUS_EXPECTED : undefined),
    })
    .optional()
    .describe('What single HTTP statuses mean, against the default table'),
})

const STATUS_EXPECTED = 'give a status from 400 to 599, and not 401, 403 or 407, which always stop the run'

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
  const { bytes, entry } = readGiven(file, {
    what: 'configuration file',
    nothing: 'nothing was sent',
    mostBytes: MOST_BYTES.configuration,
  })
  const distrust = distrustInstructions(file, entry)
  return {
    file,
    values: parseConfiguration(bytes.toString('utf8'), file, distrust),
    distrust,
    locate: (path) => resolve(folder, path),
  }
}

const unreadable = (file: string, why: string, from?: ErrorOptions): UsageError =>
  new UsageError(
    `Cannot read the configuration file "${file}": ${why}`,
    'Correct the file; nothing was sent',
    from,
  )

/** Nested deeper than any configuration is, the parser itself gives up. */
function parse(text: string, file: string, lineCounter: LineCounter): Document.Parsed {
  try {
    return yaml().parseDocument(text, { lineCounter })
  } catch (cause) {
    throw unreadable(file, 'it is not YAML that can be followed', { cause })
  }
}

/** Aliases are made as often as they are named, so a short file may ask for more than a machine can hold. */
function valueOf(document: Document.Parsed, file: string): unknown {
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
  const lines = new (yaml().LineCounter)()
  const document = parse(text, file, lines)
  const broken = document.errors[0]
  if (broken !== undefined) throw unreadable(file, broken.message.split('\n')[0] ?? 'it is not YAML')
  const values = valueOf(document, file)
  const parsed = configurationSchema.safeParse(values)
  const issues = [
    ...(parsed.error?.issues ?? []).filter(({ path }) => !DECLARED.has(path.join('.'))),
    ...misread(values),
  ]
  if (parsed.success && issues.length === 0) {
    if (distrust !== null) refuseMoreThanReading(parsed.data, { file, distrust, document, lines })
    return parsed.data
  }
  const mistakes = mistakesIn(configurationSchema, { document, lines, values, issues })
  throw new UsageError(
    `The configuration file "${file}" has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}: ${mistakes.join('; ')}`,
    'Correct the file; nothing was sent',
  )
}

/** The value of a setting in the file, undefined where there is none. */
export const valueAt = (values: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    values,
  )

/**
 * Every setting that cannot be read, in words of its kind. No schema can tell it all: which time zones this machine knows,
 * or where an address leads.
 */
function misread(values: unknown): Mistake[] {
  return SETTING_NAMES.flatMap((name) => {
    const { kind, configured = [] } = settingOf(name)
    const value = configured.length === 0 ? undefined : valueAt(values, configured)
    if (value === undefined) return []
    const { success, data } = kind.inFile.safeParse(value)
    if (!success) return [{ path: configured, message: kind.refusal(value) }]
    try {
      kind.read(String(data), null)
      return []
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      return [{ path: configured, message: error.message }]
    }
  })
}

const DECLARED: ReadonlySet<string> = new Set(
  SETTING_NAMES.flatMap((name) => settingOf(name).configured?.join('.') ?? []),
)

/** How a file is read. Everything else says where traffic and files go, whom to trust, or what an answer means. */
const READING: ReadonlySet<string> = new Set([
  ...Object.keys(sourceSections),
  ...SETTING_NAMES.flatMap((name) => {
    const { configured = [], isReading } = settingOf(name)
    return isReading === true ? [configured.join('.')] : []
  }),
])

/** @throws {UsageError} with the line of the first key that only a file of this user alone may have */
function refuseMoreThanReading(
  values: Configuration,
  {
    file,
    distrust,
    document,
    lines,
  }: Pick<Broken, 'document' | 'lines'> & { file: string; distrust: Distrust },
): void {
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
