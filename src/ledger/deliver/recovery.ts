import { basename } from 'node:path'
import { transition } from '../../domain/row/row-state.js'
import { noteChange } from './campaign-rows.js'
import type { Connection } from '../file/connection.js'
import { attemptsInEmergencyFile, emergencyPathOf } from '../safety/emergency-file.js'

/** How a run ended that could not say so itself. */
export const UNNOTICED = 'ended_without_notice'
/** The same, and the write-ahead log is gone, which a process that dies leaves behind. */
export const LOG_MISSING = 'ended_without_log'

const REASON = 'The program ended before the answer was recorded'

/** @returns how many runs had neither ended nor been found before */
export const noteUnendedRuns = (connection: Connection, how: string): number =>
  connection
    .prepare<[string]>(`update run set stopped_by = ? where ended_at is null and stopped_by is null`)
    .run(how).changes

/**
 * Under the lock no request can be under way, so every intent without an outcome is in doubt (ledger/README.md#crash-table). Run it
 * inside a transaction; it does nothing the second time.
 * @returns how many rows it found
 */
export function recover(connection: Connection, file: string, at: string, isLogMissing = false): number {
  const open = connection
    .prepare<[], { rowId: number; attemptId: number; requestId: string }>(
      `select row.id as rowId, attempt.id as attemptId, request_id as requestId
         from row join attempt on row_id = row.id and n = row.attempts where state = 'sending'`,
    )
    .all()
  if (open.length > 0) {
    const recorded = attemptsInEmergencyFile(file)
    const endAttempt = connection.prepare<[string, string, number]>(
      `update attempt set outcome = 'in_doubt', hint = 'unknown', ended_at = ?, reason = ?
        where id = ? and outcome is null`,
    )
    const doubt = connection.prepare<[string, number]>('update row set state = ? where id = ?')
    for (const { rowId, attemptId, requestId } of open) {
      const evidence = recorded.has(requestId)
        ? `. Its answer is in the file "${basename(emergencyPathOf(file))}"`
        : ''
      endAttempt.run(at, REASON + evidence, attemptId)
      doubt.run(transition('sending', 'in_doubt'), rowId)
    }
  }
  const ended = noteUnendedRuns(connection, isLogMissing ? LOG_MISSING : UNNOTICED)
  if (open.length + ended > 0) noteChange(connection, at)
  return open.length
}
