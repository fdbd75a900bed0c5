import { timeOf } from '../../domain/mandate/date.js'
import { closeSync, writeFileSync } from 'node:fs'
import { pino, type Logger } from 'pino'
import { maskIban } from '../../domain/text/accounts.js'
import { codeOf } from '../../errors.js'
import type { DeliveryEvent } from '../../run/deliver.js'
import { openTrusted } from '../../trust/trusted-file.js'
import type { World } from './world.js'
import { escapedJson, plural } from '../../domain/text/text.js'

/**
 * Evidence beside the ledger. Only named values go in: never a body, an account number or a credential. Nothing here
 * throws once the file is open: a log that cannot be written must not cost an answer.
 */
export type Log = ReturnType<typeof openLog>

/**
 * @param tell told once, when the first line cannot be written
 * @throws {UsageError} when the file cannot be opened
 */
export function openLog(file: string, world: World, tell: (text: string) => void) {
  const sink = openSink(file, tell)
  const timestamp = (): string => `,"time":"${timeOf(world.clock)}"`
  const logger: Logger = pino(
    { base: { pid: world.pid, host: world.host }, timestamp, hooks: { streamWrite: escapedJson } },
    sink,
  )
  return {
    missing: sink.missing,
    close: sink.close,
    delivery: (event: DeliveryEvent): void => {
      if (event.kind === 'outcome') logger.info(outcomeValues(event), 'outcome')
      else if (event.kind === 'pause')
        logger.warn({ delayMs: Math.round(event.delayMs), status: event.outcome.evidence.status }, 'pause')
      else if (event.kind === 'stop') logger.warn({ stop: event.stop.kind, why: event.stop.why }, 'stop')
      else if (event.kind === 'held') logger.warn({ row: event.row.id, why: event.because }, 'held')
      else {
        const { row, attempt } = event
        const iban = maskIban(row.mandate.iban)
        logger.info({ row: row.id, attempt: attempt.n, request: attempt.requestId, iban }, 'intent committed')
      }
    },
  }
}

function outcomeValues({ row, attempt, outcome }: DeliveryEvent & { kind: 'outcome' }) {
  const { status, errorCode, durationMs, started } = outcome.evidence
  return {
    row: row.id,
    attempt: attempt.n,
    request: attempt.requestId,
    outcome: outcome.kind,
    status,
    errorCode,
    started,
    durationMs: Math.round(durationMs),
    reason: outcome.reason,
    // The only copy of the new identifiers if the process dies before the commit.
    ...(outcome.kind === 'registered' ? { assigned: outcome.value } : {}),
  }
}

/** Synchronous, so that what happened before a kill -9 is on disk. Every line tries anew: a disk may be freed. */
function openSink(file: string, tell: (text: string) => void) {
  const descriptor = openTrusted(file, { mode: 'append', what: 'log file' })
  let missing = 0
  let isTorn = false

  function write(line: string): void {
    try {
      writeFileSync(descriptor, isTorn ? `\n${line}` : line)
      isTorn = false
    } catch (error) {
      missing += 1
      isTorn = true
      if (missing === 1)
        tell(
          `Cannot write the log file "${file}" (${codeOf(error) || 'unknown'}): it will have gaps. The ledger is not touched by this`,
        )
    }
  }

  return {
    write,
    /** How many lines did not reach the file, as a sentence; null where all did. */
    missing: (): string | null =>
      missing === 0
        ? null
        : `${plural(missing, 'line is', 'lines are')} missing from the log file "${file}"; the ledger and the report are complete`,
    close: (): void => {
      try {
        closeSync(descriptor)
      } catch {
        // what it would tell was told by a write, or is of no use any more
      }
    },
  }
}
