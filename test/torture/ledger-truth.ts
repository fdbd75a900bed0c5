import { existsSync } from 'node:fs'
import { expect } from 'vitest'
import type { Database } from '../../src/database.js'
import { openDatabase } from '../../src/driver.js'
import type { RowState } from '../../src/domain/row/row-state.js'
import type { FaultServer } from '../support/fault-server.js'

/** What the service received and applied. */
type Truth = Pick<FaultServer['truth'], 'requests' | 'applications'>
type Application = Truth['applications'][number]

interface StoredRow {
  readonly id: number
  readonly state: RowState
  readonly customerNo: number
  readonly reference: string | null
  readonly creditor: string | null
  readonly iban: string | null
  readonly resends: number
}

/** Both sides of a campaign, compared from the outside. */
export interface Comparison {
  readonly states: Readonly<Partial<Record<RowState, number>>>
  /** Rows whose request may have been under way when the process died. */
  readonly sending: number
}

/** Rows that must not exist at the service, unless a person had one of their doubts sent again. */
const NOT_APPLIED: readonly RowState[] = [
  'ready',
  'refused',
  'invalid',
  'duplicate',
  'conflict',
  'excluded',
  'superseded',
]

/**
 * The invariants (ledger/README.md#invariants) on a ledger that no process holds, against what the service received and
 * applied. Null where the program died before it had a ledger.
 */
export function compare(file: string, rows: number, slots: number, truth: Truth): Comparison | null {
  const connection = existsSync(file) ? openDatabase(file, { readonly: true }) : null
  try {
    const tables = connection
      ?.prepare<[], number>(`select count(*) from sqlite_schema where name = 'row'`)
      .pluck()
      .get()
    if (connection === null || tables !== 1) {
      expect(truth.requests).toEqual([])
      return null
    }
    return compareWith(connection, rows, slots, truth)
  } finally {
    connection?.close()
  }
}

function compareWith(connection: Database, rows: number, slots: number, truth: Truth): Comparison {
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
  const stored = connection
    .prepare<[], StoredRow>(
      `select id, state, customer_no as customerNo, assigned_mandate_reference as reference,
         assigned_creditor_identifier as creditor, iban,
         (select count(*) from decision
           where row_id = row.id and from_state = 'in_doubt' and to_state = 'ready') as resends
       from row`,
    )
    .all()
  // A file is admitted whole or not at all, and before anything of it is sent.
  expect([0, rows]).toContain(stored.length)
  expect(connection.prepare('select sum(records) from source').pluck().get() ?? 0).toBe(stored.length)
  if (stored.length === 0) expect(truth.requests).toEqual([])

  const applied = new Map<number, Application[]>()
  for (const application of truth.applications)
    applied.set(application.customerNo, [...(applied.get(application.customerNo) ?? []), application])
  const wrong = stored.flatMap((row) => faultsOf(row, applied.get(row.customerNo) ?? []))
  expect(wrong).toEqual([])

  const states: Partial<Record<RowState, number>> = {}
  for (const { state } of stored) states[state] = (states[state] ?? 0) + 1
  const sending = states.sending ?? 0
  expect(sending).toBeLessThanOrEqual(slots)
  expect(requestsWithoutIntent(connection, truth.requests)).toEqual([])
  expect(leftSendingByEarlierRuns(connection)).toBe(0)
  return { states, sending }
}

function faultsOf(row: StoredRow, applied: readonly Application[]): string[] {
  const faults: string[] = []
  const say = (text: string): void => void faults.push(`row ${row.id} (${row.state}) ${text}`)
  if (applied.length > 1 + row.resends)
    say(`was applied ${applied.length} times with ${row.resends} approved resends`)
  if (row.state === 'registered') {
    const isAssigned = applied.some(
      (application) =>
        application.assignedMandateReference === row.reference &&
        application.assignedCreditorIdentifier === row.creditor,
    )
    if (!isAssigned) say('has identifiers that the service did not give it')
    if (row.iban !== null) say('still holds its account number')
  }
  if (NOT_APPLIED.includes(row.state) && applied.length > row.resends) say('was applied')
  return faults
}

function requestsWithoutIntent(connection: Database, requests: Truth['requests']): (string | undefined)[] {
  const intents = new Set(connection.prepare<[], string>('select request_id from attempt').pluck().all())
  return requests
    .map(({ headers }) => headers['x-request-id'])
    .filter((requestId) => requestId === undefined || !intents.has(requestId))
}

/** What an earlier process left under way is in doubt from the next start on. */
const leftSendingByEarlierRuns = (connection: Database): number =>
  connection
    .prepare<[], number>(
      `select count(*) from row join attempt on row_id = row.id and n = row.attempts
        where state = 'sending' and run_id < (select max(id) from run)`,
    )
    .pluck()
    .get() ?? 0
