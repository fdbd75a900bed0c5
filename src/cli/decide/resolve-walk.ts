import { said } from '../../domain/text/text.js'
import type { RowState } from '../../domain/row/row-state.js'
import { rowsById } from '../../ledger/file/connection.js'
import type { Resolution } from '../../ledger/ledger.js'
import type { AttemptRecord, RowRecord } from '../../ledger/read/reader.js'
import type { LedgerReader } from '../../ledger/read/open-reader.js'
import { askChoice, askText, say } from '../terminal/prompt.js'
import type { World } from '../terminal/world.js'

const PAGE = 50

type Answer = Resolution['decision'] | 'later' | 'stop'

const LATER = { value: 'later', label: 'leave it open' } as const
const STOP = { value: 'stop', label: 'stop here, and go to what was decided so far' } as const
const WRITE_OFF = {
  value: 'written_off',
  label: 'written off: closed without an answer, never sent again',
} as const

/** What a person may decide on a row, by its state; states that are final or can be sent are not asked about. */
const CHOICES: Readonly<Partial<Record<RowState, readonly { value: Answer; label: string }[]>>> = {
  in_doubt: [
    { value: 'registered', label: 'registered: the service holds it; I have both assigned identifiers' },
    { value: 'refused', label: 'refused: the service does not hold it, and said no' },
    { value: 'resend', label: 'resend: the service does not hold it; can debit twice if that is wrong' },
    WRITE_OFF,
    LATER,
    STOP,
  ],
  refused: [WRITE_OFF, LATER, STOP],
  conflict: [WRITE_OFF, LATER, STOP],
  invalid: [WRITE_OFF, LATER, STOP],
}
const IN_ORDER: readonly RowState[] = ['in_doubt', 'refused', 'conflict', 'invalid']

/**
 * Walks a person through the open rows one by one, those in doubt first: evidence, question, decision, reason.
 * Nothing is recorded here.
 * @returns what was decided, empty when nothing was, or null when the person did not confirm it at the end
 */
export async function walkOpenRows(
  world: World,
  reader: LedgerReader,
  by: string,
): Promise<readonly Resolution[] | null> {
  const decided: Resolution[] = []
  rows: for (const state of IN_ORDER)
    for (const row of rowsById((after) => reader.rows([state], after, PAGE))) {
      for (const line of evidenceOf(row, reader.attempts(row.id))) say(world, line)
      const answer = await askChoice(world, `Row ${row.id}: what is known?`, CHOICES[state] ?? [LATER, STOP])
      if (answer === null || answer === 'stop') break rows
      if (answer === 'later') continue
      const resolution = await complete(world, row, answer, by)
      if (resolution === null) say(world, `Row ${row.id} is left open: an answer was missing.`)
      else decided.push(resolution)
    }
  if (decided.length === 0) return decided
  for (const { rowId, decision, reason } of decided)
    say(world, `Row ${rowId}: ${decision.replace('_', '-')}, because: ${reason}`)
  const typed = await askText(
    world,
    `Type "record" to record ${decided.length === 1 ? 'this' : 'all of them'}`,
  )
  return typed?.toLowerCase() === 'record' ? decided : null
}

async function complete(
  world: World,
  row: RowRecord,
  decision: Resolution['decision'],
  by: string,
): Promise<Resolution | null> {
  const assigned = decision === 'registered' ? await askAssigned(world) : null
  if (decision === 'registered' && assigned === null) return null
  const reason = await askText(world, 'How do you know? The reason is kept for good')
  if (reason === null || reason === '') return null
  return {
    rowId: row.id,
    decision,
    reason,
    by,
    assigned,
    evidence: null,
    attempt: row.lastAttempt?.n ?? null,
  }
}

async function askAssigned(world: World): Promise<Resolution['assigned']> {
  const creditorIdentifier = await askText(world, 'Assigned creditor identifier')
  if (creditorIdentifier === null || creditorIdentifier === '') return null
  const mandateReference = await askText(world, 'Assigned mandate reference')
  if (mandateReference === null || mandateReference === '') return null
  return { creditorIdentifier, mandateReference }
}

function evidenceOf(row: RowRecord, attempts: readonly AttemptRecord[]): string[] {
  const known = [
    row.customerNo === null ? null : `customer ${row.customerNo}`,
    row.ibanMasked,
    row.originalMandateReference === null ? null : `reference ${row.originalMandateReference}`,
    row.signedDate === null ? null : `signed ${row.signedDate}`,
  ]
  return said([
    '',
    `Row ${row.id}, ${row.state.replace('_', ' ')}: ${row.source} line ${row.line}`,
    `  ${known.filter((part) => part !== null).join(', ')}`,
    row.rule !== null && `  ${row.rule}`,
    ...attempts.map(
      ({ n, startedAt, requestId, status, reason }) =>
        `  attempt ${n} left ${startedAt}, request ${requestId}${status === null ? '' : `, status ${status}`}: ${
          reason ?? 'the program ended before it saw an answer'
        }`,
    ),
  ])
}
