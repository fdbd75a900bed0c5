import { nearest } from '../../domain/text/nearest.js'
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import type { Document, LineCounter } from 'yaml'
import { z } from 'zod'
import { insteadOf } from './removed.js'

/** Loaded when a configuration is read: most commands read none, and it takes a twelfth of their start. */
export const yaml = (): typeof Yaml => createRequire(import.meta.url)('yaml') as typeof Yaml

type Path = readonly (string | number)[]

/** What is used here of a JSON Schema. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly propertyNames?: { readonly enum?: readonly string[] }
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

type UnknownKey = Readonly<{ path: Path; nearest: Path | null }>

/** What is wrong with one value. */
export type Mistake = Readonly<{ path: readonly PropertyKey[]; message: string }>

export interface Broken {
  readonly document: Document
  readonly lines: LineCounter
  readonly values: unknown
  readonly issues: readonly (z.core.$ZodIssue | Mistake)[]
}

/** One text for each mistake, with its line and, for a key that does not exist, the nearest that does. */
export function mistakesIn(schema: z.ZodType, { document, lines, values, issues }: Broken): string[] {
  const root = z.toJSONSchema(schema, { io: 'input' }) as Schema
  const unknown = unknownKeys(
    values,
    [root],
    [],
    allPaths(root, []).toSorted((a, b) => a.length - b.length),
  )
  const typos = unknown.map(({ path, nearest }) => ({
    path,
    text: `there is no key "${path.join('.')}"${insteadOfKey(path) ?? (nearest === null ? '' : `; the nearest is "${nearest.join('.')}"`)}`,
  }))
  const others = issues
    .filter((issue) => !isUnknownKey(issue) && !follows(issue.path.map(part), unknown))
    .map(({ path, message }) => ({
      path: path.map(part),
      text: path.length === 0 ? message : `${path.join('.')}: ${message}`,
    }))
  return [...typos, ...others]
    .map(({ path, text }) => ({ text, line: lineOf(document, path, lines) }))
    .toSorted((a, b) => a.line - b.line)
    .map(({ text, line }) => `line ${line}: ${text}`)
}

function insteadOfKey([key, ...inner]: Path): string | null {
  const instead = inner.length > 0 ? null : insteadOf(String(key))
  return instead === null ? null : ` any more: ${instead}`
}

const isUnknownKey = (issue: Broken['issues'][number]): boolean =>
  'code' in issue && issue.code === 'unrecognized_keys'

const part = (key: PropertyKey): string | number => (typeof key === 'number' ? key : String(key))

/** What is said of a map with an unknown key, or of the key that was meant, is only an echo of the typo. */
const follows = (path: Path, unknown: readonly UnknownKey[]): boolean =>
  unknown.some(
    (key) =>
      startsWith(key.path.slice(0, -1), path) || (key.nearest !== null && startsWith(path, key.nearest)),
  )

const startsWith = (path: Path, start: Path): boolean => start.every((name, at) => path[at] === name)

/** The forms that a value may take, without the choices between them. */
const formsOf = (schema: Schema): readonly Schema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(formsOf)

const namesIn = (forms: readonly Schema[]): readonly string[] => [
  ...new Set(
    forms.flatMap(({ properties = {}, propertyNames }) => [
      ...Object.keys(properties),
      ...(propertyNames?.enum ?? []),
    ]),
  ),
]

function childrenOf(forms: readonly Schema[], key: string): readonly Schema[] {
  return forms.flatMap(({ properties = {}, additionalProperties }) =>
    Object.hasOwn(properties, key)
      ? [properties[key] ?? {}]
      : typeof additionalProperties === 'object'
        ? [additionalProperties]
        : [],
  )
}

function unknownKeys(
  value: unknown,
  schemas: readonly Schema[],
  path: Path,
  everywhere: readonly Path[],
): UnknownKey[] {
  const forms = schemas.flatMap(formsOf)
  if (Array.isArray(value)) {
    const items = forms.flatMap(({ items: inner }) => (inner === undefined ? [] : [inner]))
    return value.flatMap((inner: unknown, at) => unknownKeys(inner, items, [...path, at], everywhere))
  }
  if (typeof value !== 'object' || value === null) return []
  const names = namesIn(forms)
  const isAnyName = forms.some(
    ({ additionalProperties, propertyNames }) =>
      typeof additionalProperties === 'object' && propertyNames?.enum === undefined,
  )
  // A map where none may stand is another mistake than a key.
  if (names.length === 0 && !isAnyName) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    names.includes(key) || isAnyName
      ? unknownKeys(inner, childrenOf(forms, key), [...path, key], everywhere)
      : [{ path: [...path, key], nearest: nearestOf(key, path, names, everywhere) }],
  )
}

/** Every key of the configuration that is not within a list. */
function allPaths(schema: Schema, path: Path): Path[] {
  const forms = formsOf(schema)
  return namesIn(forms).flatMap((name) => [
    [...path, name],
    ...childrenOf(forms, name).flatMap((child) => allPaths(child, [...path, name])),
  ])
}

/** Beside the key first; else elsewhere, because a key that stands too high or too low is a usual mistake. */
function nearestOf(
  key: string,
  path: Path,
  names: readonly string[],
  everywhere: readonly Path[],
): Path | null {
  const beside = nearest(key, names)
  if (beside !== null) return [...path, beside]
  return nearest(key, everywhere, (one) => String(one.at(-1)))
}

/** Where a key stands, or the key above it where a reference (alias) brings it in. */
export function lineOf(document: Document, path: Path, lines: LineCounter): number {
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
