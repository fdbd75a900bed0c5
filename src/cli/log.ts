import { destination, pino, type Logger } from 'pino'
import { type DeliveryEvent, maskIban, UsageError } from '../index.js'
import type { World } from './world.js'

/** Evidence beside the ledger. Only named values go in: never a body, an account number or a credential. */
export interface Log {
  readonly delivery: (event: DeliveryEvent) => void
  readonly note: (text: string, values?: Readonly<Record<string, string | number | boolean | null>>) => void
}

export const noLog: Log = { delivery: () => undefined, note: () => undefined }

/**
 * Synchronous, so that what happened before a kill -9 is on disk (engineering-facts.md 7).
 * @throws {UsageError} when the file cannot be opened
 */
export function openLog(file: string, world: World): Log {
  const logger = createLogger(file, world)
  return {
    note: (text, values) => logger.info(values ?? {}, text),
    delivery: (event) => {
      switch (event.kind) {
        case 'intent':
          logger.info(
            {
              row: event.row.id,
              attempt: event.attempt.n,
              request: event.attempt.requestId,
              iban: maskIban(event.row.mandate.iban),
            },
            'intent committed',
          )
          return
        case 'outcome':
          logger.info(outcomeValues(event), 'outcome')
          return
        case 'pause':
          logger.warn({ delayMs: Math.round(event.delayMs), status: event.outcome.evidence.status }, 'pause')
          return
        case 'stop':
          logger.warn({ stop: event.stop.kind, why: event.stop.why }, 'stop')
          return
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

function createLogger(file: string, world: World): Logger {
  const bindings = { pid: world.pid, host: world.host }
  try {
    const sink = destination({ dest: file, sync: true, mkdir: false, append: true, mode: 0o600 })
    const timestamp = (): string => `,"time":"${new Date(world.clock.now()).toISOString()}"`
    return pino({ base: bindings, timestamp }, sink)
  } catch (cause) {
    throw new UsageError(
      `Cannot open the log file "${file}"`,
      'Name a file in a folder that exists and can be written; nothing was sent',
      { cause },
    )
  }
}
