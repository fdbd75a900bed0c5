import type * as Yaml from 'yaml'
import removed from './removed.json' with { type: 'json' }
import { wordingOf, nearest } from '../../domain/text/text.js'
import { z } from 'zod'
import { UsageError } from '../../errors.js'
import { sourceSections } from '../../source/options.js'
import type { Distrust } from '../../trust/trusted-file.js'
import { SETTING_NAMES, settingOf, helpOf, valueAt } from './declared.js'
import { SETTABLE_RULES } from '../../domain/rule/verdict.js'
import { OVERRIDABLE_STATUS, OVERRIDE_KINDS } from '../../service/checked-service.js'
import { createRequire } from 'node:module'

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
    .partialRecord(z.enum(SETTABLE_RULES), z.enum(['error', 'warning', 'off']))
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

/**
 * Nested deeper than any configuration is, the parser itself gives up; aliases are made as often as they are named, so a
 * short file may ask for more than a machine can hold; and what holds itself has no text.
 */
function parse(text: string, file: string, lineCounter: Yaml.LineCounter) {
  try {
    const document = yaml().parseDocument(text, { lineCounter })
    const [broken] = document.errors
    if (broken !== undefined) throw broken
    const values: unknown = document.toJS({ maxAliasCount: 100 }) ?? {}
    JSON.stringify(values)
    return { document, values }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replace(/\n[^]*/, '') : 'it is not YAML'
    throw new UsageError(
      `Cannot read the configuration file "${file}": ${why}`,
      'Correct the file; nothing was sent',
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
  const { document, values } = parse(text, file, lines)
  const parsed = configurationSchema.safeParse(values, { error: wordingOf })
  const mistaken = parsed.error?.issues ?? []
  const isFormed = mistaken.every(({ code }) => code === 'custom')
  const issues = [
    ...mistaken,
    ...(distrust === null || !isFormed ? [] : moreThanReading(values as Configuration, distrust)),
  ]
  if (parsed.success && issues.length === 0) return parsed.data
  const mistakes = mistakesIn(issues, values, (path) => lineOf(document, path, lines))
  throw new UsageError(
    `The configuration file "${file}" has ${mistakes.length === 1 ? 'a mistake' : 'mistakes'}: ${mistakes.join('; ')}`,
    distrust === null
      ? 'Correct the file; nothing was sent'
      : `${distrust.next}, or give the setting by a flag, the environment or a file of your own with --config; nothing was sent`,
  )
}

/** How a file is read. Everything else says where traffic and files go, whom to trust, or what an answer means. */
const READING: ReadonlySet<string> = new Set([
  ...Object.keys(sourceSections),
  ...SETTING_NAMES.flatMap((name) => {
    const { configured = [], isReading } = settingOf(name)
    return isReading === true ? [configured.join('.')] : []
  }),
])

/** What only a file of this user alone may say. */
const moreThanReading = (values: Configuration, { why }: Distrust): Mistake[] =>
  Object.keys(values)
    .flatMap((key) =>
      key === 'service' ? Object.keys(values.service ?? {}).map((inner) => [key, inner]) : [[key]],
    )
    .filter((path) => valueAt(values, path) !== undefined && !READING.has(path.join('.')))
    .map((path) => ({
      path,
      message: `others can change this file (${why}), so it may only say how an export is read`,
    }))

/** Loaded when a configuration is read: most commands read none, and it takes a twelfth of their start. */
const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

type Path = readonly (string | number)[]

/** What is used here of a JSON Schema. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly propertyNames?: { readonly enum?: readonly string[] }
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/** What is wrong with one value. */
type Mistake = Readonly<{ path: readonly PropertyKey[]; message: string }>

type Issue = z.core.$ZodIssue | Mistake

/** One text for each mistake, with its line and, for a key that does not exist, the nearest that does. */
function mistakesIn(issues: readonly Issue[], values: unknown, lineAt: (path: Path) => number): string[] {
  const keys = keysOf(z.toJSONSchema(configurationSchema, { io: 'input' }) as Schema)
  const unknown = unknownKeys(values, keys)
  const typos = unknown.map(({ path, beside }) => {
    const near = beside ?? nearest(String(path.at(-1)), keys.filter(isNamed), (key) => String(key.at(-1)))
    const instead = near === null ? '' : `; the nearest is "${near.join('.')}"`
    return { path, text: `there is no key "${path.join('.')}"${insteadOfKey(path) ?? instead}` }
  })
  // What is said of a map with an unknown key is only an echo of the typo.
  const isEcho = (path: readonly PropertyKey[]): boolean =>
    unknown.some((typo) => path.every((name, at) => typo.path[at] === part(name)))
  const others = issues.flatMap(({ path, message }) =>
    isEcho(path)
      ? []
      : { path: path.map(part), text: path.length === 0 ? message : `${path.join('.')}: ${message}` },
  )
  return [...typos, ...others]
    .map(({ path, text }) => ({ text, line: lineAt(path) }))
    .toSorted((a, b) => a.line - b.line)
    .map(({ text, line }) => `line ${line}: ${text}`)
}

function insteadOfKey([key, ...inner]: Path): string | null {
  const instead = inner.length > 0 ? undefined : REMOVED.get(String(key))
  return instead === undefined ? null : ` any more: ${instead}`
}

const part = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))

/** Instead of a name: any, in a map, and any place in a list. No text is equal to either. */
const [ANY, ITEM] = [-1, -2]

/** Every key that there is, as a path, whatever form a value takes. */
function keysOf(schema: Schema, path: Path = []): Path[] {
  const { properties = {}, propertyNames, additionalProperties, items, anyOf = [] } = schema
  const within: (readonly [string | number, Schema])[] = Object.entries(properties)
  for (const name of propertyNames?.enum ?? [ANY])
    if (typeof additionalProperties === 'object') within.push([name, additionalProperties])
  if (items !== undefined) within.push([ITEM, items])
  return [
    ...within.flatMap(([name, inner]) => [[...path, name], ...keysOf(inner, [...path, name])]),
    ...anyOf.flatMap((form) => keysOf(form, path)),
  ]
}

/** In no map of any names, and in no list. */
const isNamed = (key: Path): boolean => key.every((name) => typeof name === 'string')

/**
 * With the nearest key beside it.
 * @param keys that there are below `path`
 */
function unknownKeys(
  value: unknown,
  keys: readonly Path[],
  path: Path = [],
): { path: Path; beside: Path | null }[] {
  if (typeof value !== 'object' || value === null) return []
  const names = keys.flatMap(([name]) => name ?? [])
  const isList = Array.isArray(value)
  // A map where none may stand is another mistake than a key.
  if (names.every((name) => name === ITEM) && !isList) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = [...path, isList ? Number(key) : key]
    const name = (isList ? [ITEM] : [key, ANY]).find((one) => names.includes(one))
    if (name !== undefined) {
      const below = keys.flatMap(([first, ...rest]) => (first === name && rest.length > 0 ? [rest] : []))
      return unknownKeys(inner, below, at)
    }
    const near = nearest(key, names.map(String))
    return isList ? [] : { path: at, beside: near === null ? null : [...path, near] }
  })
}

/** Where a key stands, or the key above it where a reference (alias) brings it in. */
function lineOf(document: Yaml.Document, path: Path, lines: Yaml.LineCounter): number {
  const { isAlias, isMap, isScalar, isSeq } = yaml()
  let node: unknown = document.contents
  let line = 1
  for (const name of path) {
    if (isAlias(node)) break
    if (isSeq(node)) {
      node = node.items[Number(name)]
      const start = isMap(node) || isSeq(node) || isScalar(node) ? node.range?.[0] : undefined
      if (start !== undefined) line = lines.linePos(start).line
      continue
    }
    if (!isMap(node)) break
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(name))
    if (pair === undefined) break
    if (isScalar(pair.key) && pair.key.range) line = lines.linePos(pair.key.range[0]).line
    node = pair.value
  }
  return line
}

/**
 * What earlier versions had, and what to use now: by the name of its command, flag, key or variable, or by what was typed,
 * where the name goes on to mean something else.
 */
export const REMOVED: ReadonlyMap<string, string> = new Map(Object.entries(removed))
