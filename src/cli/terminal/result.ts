import { exitStatusOf } from '../../run/brake.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { maskAccounts } from '../../domain/text/masking.js'
import { HaltError, type HaltOptions } from '../../errors.js'
import { type Line, toned, totalsLines, type World } from './world.js'
import { escapedJson } from '../../domain/text/text.js'
import { isBalanced, type Totals } from '../../domain/row/row-state.js'

/** What a command ends with; printed as lines for people or as one JSON document (cli/README.md#the-json-document). */
export interface WholeResult {
  readonly exitCode: number
  readonly campaign: { readonly ledger: string | null; readonly baseUrl: string | null }
  /** Null where there is no ledger to count, or a failure came before it: zeros would look like an empty campaign. */
  readonly totals: Totals | null
  /** What was written: name to path. */
  readonly files: Readonly<Record<string, string>>
  readonly warnings: readonly string[]
  readonly errors: readonly (Readonly<Record<'kind' | 'message' | 'next', string>> &
    Pick<HaltOptions, 'faults'>)[]
  /** For people, on stdout. */
  readonly lines: readonly Line[]
  /** The command has printed its result itself. */
  readonly isPrinted?: true
  /** Further keys of the JSON document. */
  readonly details?: Readonly<Record<string, unknown>>
}

/** As a command says it; what it leaves out is as in `emptyResult`. */
export type CommandResult = Partial<WholeResult>

export const emptyResult: WholeResult = {
  exitCode: 0,
  campaign: { ledger: null, baseUrl: null },
  totals: null,
  files: {},
  warnings: [],
  errors: [],
  lines: [],
}

/** Of a command that ends with how the ledger stands: its status is what is open. */
export function statusResult(ledger: string, reader: LedgerReader) {
  const totals = reader.totals()
  const exitCode = exitStatusOf(totals, null, null, reader.openCutOver())
  return { exitCode, campaign: { ledger, baseUrl: null }, totals }
}

/** What a thrown error means for the caller: a halt of ours by its own exit code, anything else is a bug. */
export function resultOfError(error: unknown, signalStatus: number | null = null) {
  const failed = (
    exitCode: number,
    kind: string,
    message: string,
    next: string,
    faults: readonly string[] = [],
  ) => ({
    exitCode,
    errors: [{ kind, message, next, ...(faults.length === 0 ? {} : { faults }) }],
  })
  if (signalStatus !== null && error instanceof Error && error.name === 'AbortError')
    return failed(
      signalStatus,
      'interrupted',
      'Interrupted before anything was sent',
      'Run the same command again',
    )
  if (error instanceof HaltError)
    return failed(error.exitCode, error.kind, error.message, error.next, error.faults)
  return failed(
    1,
    'unexpected',
    `Unexpected error: ${error instanceof Error ? maskAccounts(error.message) : 'a value that is not an error'}`,
    'Please report this. The ledger is safe: run sepa-migrate status to see where it stands',
  )
}

const common = (command: string, { exitCode, campaign, totals, ...result }: WholeResult) => ({
  schemaVersion: 1,
  command,
  ok: exitCode === 0,
  exitCode,
  campaign,
  totals,
  balanced: totals === null ? null : isBalanced(totals),
  files: result.files,
  warnings: result.warnings,
  errors: result.errors,
})

export const jsonOf = (command: string, result: WholeResult): string =>
  `${escapedJson(JSON.stringify({ ...common(command, result), ...result.details }))}
`

/** Exit statuses of commands that took nothing: where the ledger stands has not changed. */
const TOOK_NOTHING: readonly number[] = [2, 7]

/** Last lines of a command for people; a JSON document instead when it was asked for. */
export function printResult({ stdout, stderr }: World, result: WholeResult): void {
  for (const warning of result.warnings) stderr.print([toned('open', 'Warning'), `: ${warning}`])
  for (const line of result.lines) stdout.print(line)
  const isTold = result.lines.length > 0 || TOOK_NOTHING.includes(result.exitCode)
  if (result.errors.length > 0 && result.totals !== null && !isTold)
    for (const line of totalsLines(result.totals)) stdout.print(line)
  for (const error of result.errors) {
    const { message, faults = [] } = error
    const isList = faults.length > 1
    stderr.print([
      toned('bad', 'Error'),
      `: ${isList ? message.replace(`: ${faults.join('; ')}`, ':') : message}`,
    ])
    if (isList) for (const fault of faults) stderr.print(`  ${fault}`)
    stderr.print(`  To do: ${error.next}`)
  }
}
