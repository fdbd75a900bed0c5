import { isBalanced, type Totals } from '../../domain/row/totals.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { HaltError } from '../../errors.js'
import { exitStatusOf } from '../../run/stop.js'
import type { Line } from './line.js'
import { nextText } from './ways.js'
import { escapedJson } from '../../domain/text/text.js'

interface ErrorEntry {
  readonly kind: string
  readonly message: string
  readonly next: string
}

/** What a command ends with; printed as lines for people or as one JSON document (cli/README.md#the-json-document). */
export interface CommandResult {
  readonly exitCode: number
  readonly campaign: { readonly ledger: string | null; readonly baseUrl: string | null }
  /** Null where there is no ledger to count, or a failure came before it: zeros would look like an empty campaign. */
  readonly totals: Totals | null
  /** What was written: name to path. */
  readonly files: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly errors: readonly ErrorEntry[]
  /** For people, on stdout. */
  readonly lines: readonly Line[]
  /** The command has printed its result itself. */
  readonly isPrinted?: true
  /** Further keys of the JSON document. */
  readonly details?: Readonly<Record<string, unknown>>
}

export const emptyResult: CommandResult = {
  exitCode: 0,
  campaign: { ledger: null, baseUrl: null },
  totals: null,
  files: {},
  warnings: [],
  errors: [],
  lines: [],
}

/** Of a command that ends with how the ledger stands: its status is what is open. */
export const standingAs = (ledger: string, totals: Totals): CommandResult => ({
  ...emptyResult,
  exitCode: exitStatusOf(totals, null, null),
  campaign: { ledger, baseUrl: null },
  totals,
})

/** What a thrown error means for the caller: a halt of ours by its own exit code, anything else is a bug. */
export function resultOfError(error: unknown, signalStatus: number | null = null): CommandResult {
  if (signalStatus !== null && error instanceof Error && error.name === 'AbortError')
    return {
      ...emptyResult,
      exitCode: signalStatus,
      errors: [
        {
          kind: 'interrupted',
          message: 'Interrupted before anything was sent',
          next: 'Run the same command again',
        },
      ],
    }
  if (error instanceof HaltError)
    return {
      ...emptyResult,
      exitCode: error.exitCode,
      errors: [{ kind: error.kind, message: error.message, next: nextText(error) }],
    }
  return {
    ...emptyResult,
    exitCode: 1,
    errors: [
      {
        kind: 'unexpected',
        message: `Unexpected error: ${error instanceof Error ? maskAccounts(error.message) : 'a value that is not an error'}`,
        next: 'Please report this. The ledger is safe: run sepa-migrate status to see where it stands',
      },
    ],
  }
}

/** Keys that the JSON document of every command has. */
export const JSON_KEYS = [
  'schemaVersion',
  'command',
  'ok',
  'exitCode',
  'campaign',
  'totals',
  'balanced',
  'files',
  'warnings',
  'errors',
] as const

export function jsonOf(command: string, result: CommandResult): string {
  const { totals } = result
  const common: Record<(typeof JSON_KEYS)[number], unknown> = {
    schemaVersion: 1,
    command,
    ok: result.exitCode === 0,
    exitCode: result.exitCode,
    campaign: result.campaign,
    totals,
    balanced: totals === null ? null : isBalanced(totals),
    files: result.files,
    warnings: result.warnings,
    errors: result.errors,
  }
  return `${escapedJson(JSON.stringify({ ...common, ...result.details }))}\n`
}
