import { isRecord, orNearest } from './domain/text/text.js'
import { ruleOf, type RuleId } from './domain/rule/verdict.js'

/**
 * The errors that stop a run, each with its exit status. What happens to one row is a value, never one of these.
 * Messages never hold an account number or a credential; `next` is what the operator should do.
 */
export abstract class HaltError extends Error {
  abstract readonly kind: string
  abstract readonly exitCode: number
  readonly next: string

  /** What is wrong, one by one: the message names them too. */
  readonly faults: readonly string[]

  constructor(title: string, next: string, options: HaltOptions = {}) {
    const { faults = [] } = options
    const more = faults.length > MOST_FAULTS ? [`and ${faults.length - MOST_FAULTS} more`] : []
    const told = [...faults.slice(0, MOST_FAULTS), ...more]
    super(
      told.length === 0 ? title : `${title}: ${told.join('; ')}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.next = next
    this.faults = told
  }
}

/** More of them say no more. */
const MOST_FAULTS = 20

export interface HaltOptions {
  readonly cause?: unknown
  readonly faults?: readonly string[]
}

/** The command, its options or its configuration are wrong. Nothing was sent. */
export class UsageError extends HaltError {
  override readonly name = 'UsageError'
  readonly kind = 'usage'
  readonly exitCode = 2
}

/** A source cannot be read, or is not what it was. Nothing of it was admitted. */
export class SourceError extends HaltError {
  override readonly name = 'SourceError'
  readonly kind = 'source'
  readonly exitCode = 7
  readonly source: string
  /** The FILE_* rule that was broken, or null for a file that cannot be opened at all. */
  readonly rule: RuleId | null
  /** Physical line in the source, where there is one. */
  readonly line: number | null

  constructor(
    message: string,
    next: string,
    details: HaltOptions & { readonly source: string; readonly rule?: RuleId; readonly line?: number },
  ) {
    super(message, next, details)
    this.source = details.source
    this.rule = details.rule ?? null
    this.line = details.line ?? null
  }
}

/** Sources are admitted all together or not at all, so one that is refused keeps everything back. */
const refusal = (source: string, detail: string): string =>
  `Cannot read the source "${source}": ${detail}; nothing was sent`

/**
 * A file-level rule was broken (domain/rulebook.md#file-rules), so the whole source is refused.
 * @param line physical line in the source, from 1
 * @param next what the operator should do; the rule's remedy when left out
 */
export function refuse(
  source: string,
  rule: RuleId,
  detail: string,
  { next = ruleOf(rule).remedy, ...rest }: { line?: number; next?: string; cause?: unknown } = {},
): SourceError {
  return new SourceError(refusal(source, detail), next, { source, rule, ...rest })
}

/** The source cannot be opened or read at all, or is not what the configuration says; no rule describes it. */
export const unreadable = (source: string, detail: string, next: string, cause?: unknown): SourceError =>
  new SourceError(refusal(source, detail), next, { source, cause })

/**
 * The ledger is locked by another run, damaged, foreign, newer, of another campaign, an older copy of itself, retired, or cannot
 * be written; or the register, which knows how far ledgers have come, cannot be used.
 */
export class LedgerError extends HaltError {
  override readonly name = 'LedgerError'
  readonly kind = 'ledger'
  readonly exitCode = 8
  readonly problem:
    | 'locked'
    | 'damaged'
    | 'foreign'
    | 'newer'
    | 'earlier'
    | 'older'
    | 'other_campaign'
    | 'register'
    | 'retired'
    | 'unsafe'
    | 'unwritable'

  constructor(problem: LedgerError['problem'], message: string, next: string, options?: HaltOptions) {
    super(message, next, options)
    this.problem = problem
  }
}

/** The code of an error of the system, such as `ENOENT`; empty where it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/**
 * For programs without types, where a name that is not known would do nothing.
 * @param nothing begins the message, as in "There is no row state"
 */
export function assertKnown(nothing: string, given: unknown, known: readonly string[]): void {
  for (const name of [given].flat().map(String))
    if (!known.includes(name))
      throw new UsageError(
        `${nothing} "${name}"${orNearest(name, known)}; nothing was sent`,
        `Use ${known.join(', ')}`,
      )
}

const KINDS = {
  text: ['a text', (value: unknown) => typeof value === 'string'],
  number: ['a number', (value: unknown) => typeof value === 'number'],
  flag: ['true or false', (value: unknown) => typeof value === 'boolean'],
  function: ['a function', (value: unknown) => typeof value === 'function'],
  list: ['a list', Array.isArray],
  object: ['an object', isRecord],
  signal: ['an AbortSignal', (value: unknown) => value instanceof AbortSignal],
  key: [
    'a private key as createPrivateKey of node:crypto makes it',
    (value: unknown) =>
      typeof value === 'object' && value !== null && Reflect.get(value, 'type') === 'private',
  ],
} as const

/** The value may be a secret, so it is not shown. */
export function assertKind(name: string, value: unknown, kind: string): void {
  const [wanted, is] = KINDS[kind as keyof typeof KINDS]
  if (!is(value))
    throw new UsageError(`Cannot use ${name}: it is not ${wanted}; nothing was sent`, 'Correct the value')
}

/**
 * @param known their names with blanks between them, each with the kind of its value where that is one of these
 * @returns the options, all of which are known; null stands for what is left out
 */
export function onlyKnown<Given>(of: string, given: Given, known: string): Given {
  assertKind(`the options of ${of}`, given, 'object')
  const kinds = new Map(
    known.split(' ').map((word) => [word.replace(/:.*/, ''), word.replace(/^[^:]*:?/, '')]),
  )
  assertKnown(`${of} has no option`, Object.keys(given as object), [...kinds.keys()])
  for (const [name, kind] of kinds) {
    const value: unknown = Reflect.get(given as object, name)
    if (kind !== '' && value != null) assertKind(`${name} of ${of}`, value, kind)
  }
  return Object.fromEntries(Object.entries(given as object).filter(([, value]) => value !== null)) as Given
}
