import { expect, it } from 'vitest'
import {
  HELD_BECAUSE,
  HELD_THOUGH_REFUSED,
  lateSince,
  MAY_BE_SENT,
} from '../../../src/ledger/deliver/gate.js'
import { LATE_REQUEST_MS, type Outcome } from '../../../src/domain/row/row-state.js'
import { admit, resolutionOf, runningAt, send, stoppedClock } from '../campaign-setup.js'
import { inDoubt, refused, registered } from '../outcomes.js'
import { mandates, OTHER_IBAN } from '../records.js'
import { byHand, execute, forge, heldOutsideOfKeys } from '../ledger-views.js'

/** The first row is in doubt, or what is given, and the 15 minutes are over. */
async function campaign(outcome: Outcome = inDoubt()) {
  const clock = stoppedClock()
  const ledger = runningAt(clock, mandates(2))
  await send(ledger, outcome)
  clock.advance(LATE_REQUEST_MS + 1)
  const heldBecause = (row: number): unknown => {
    // Among many rows that may leave, what is held is counted by these keys alone.
    expect(heldOutsideOfKeys(ledger.file)).toEqual([])
    return byHand(ledger.file, (connection) =>
      connection
        .prepare(`select ${HELD_BECAUSE} as because from row where id = :row`)
        .get({ row, since: lateSince(clock.now()) }),
    )
  }
  return { ledger, heldBecause, byHand: (sql: string) => execute(ledger.file, sql) }
}

/** Import holds such rows before; the gate says so all the same, whatever state they have. */
it('holds what was called refused out of a doubt, until somebody has named it', async () => {
  const { ledger, heldBecause, byHand: execute } = await campaign()
  ledger.resolve([resolutionOf(1, 'refused')], { dryRun: false })
  expect(heldBecause(1)).toEqual({ because: 'arrived' })
  expect(heldBecause(2)).toEqual({ because: null })
  execute(`insert into decision (row_id, decided_at, decided_by, decision, from_state, to_state, reason)
    values (1, '2026-04-01T10:00:00.000Z', 'Ada', 'retry_refused', 'refused', 'ready', 'asked')`)
  expect(heldBecause(1)).toEqual({ because: null })
})

it('sends what somebody decided to send again, once what held it meanwhile is settled', async () => {
  const { ledger, heldBecause } = await campaign()
  ledger.resolve([resolutionOf(1, 'resend')], { dryRun: false })
  admit(ledger, [{ reference: 'M-1', customerNo: 1, iban: OTHER_IBAN }])
  admit(ledger, [{ reference: 'M-1', customerNo: 1 }], { isNewer: true })
  expect([1, 3, 4].map((row) => ledger.view.row(row)?.state)).toEqual(['superseded', 'superseded', 'ready'])
  expect(heldBecause(4)).toEqual({ because: null })
})

it('holds what another record says something else of', async () => {
  const { ledger, heldBecause } = await campaign(refused())
  admit(ledger, [{ reference: 'M-1', customerNo: 1, iban: OTHER_IBAN }])
  expect(heldBecause(1)).toEqual({ because: 'contradicted' })
})

it('holds what is registered', async () => {
  const { heldBecause } = await campaign(registered('NEW-1'))
  expect(heldBecause(1)).toEqual({ because: 'sent' })
})

it.each([
  ['under its own name', 'mandate_key, null, null, 0'],
  ['under another spelling', `'another', spelling, customer_no, 0`],
])('holds what had ended in the export that was compared, %s', async (_, ended) => {
  const { heldBecause, byHand: execute } = await campaign()
  execute(`insert into comparison (id, compared_at, compared_by, sources, readings, classes, ledger_mandates, final_mandates, last_source,
      last_decision) values (1, '2026-04-01T10:00:00.000Z', 'Ada', '[]', '[]', '{}', 2, 2, 1, 0);
    insert into ended_elsewhere select 1, ${ended} from row where id = 2`)
  expect(heldBecause(2)).toEqual({ because: 'compared' })
})

it('counts what it holds and what it lets go, among few rows and among many', async () => {
  const { ledger } = await campaign()
  forge(ledger.file, 'update attempt set mandate_key = (select mandate_key from row where id = 2)')
  const held = (): number => ledger.view.openCutOver().held
  const counts = () => [held(), ledger.countReady(), ledger.view.plannedRows(null).count]
  const free = ledger.ready(0, 99).length
  expect(counts()).toEqual([1, free, free])
  admit(ledger, mandates(20, 3))
  expect(counts()).toEqual([1, free + 20, free + 20])
})

/** What is open is in an index of its own; requests that may still arrive are those of 15 minutes; files are few. */
const FEW = /^SCAN (kin USING INDEX kin_open|ended_elsewhere|late|part|newer|file|\(subquery|CONSTANT ROW)\b/

/** Whether there is one at all, asked once. */
const ANY = /^SCAN (attempt USING COVERING INDEX|row USING INDEX row_beside)/

it.each(Object.entries({ HELD_BECAUSE, HELD_THOUGH_REFUSED, MAY_BE_SENT }))(
  'asks about a row without walking over a table: %s',
  async (_, condition) => {
    const { ledger } = await campaign()
    const plan = byHand(ledger.file, (connection) =>
      connection
        .prepare<unknown[], { id: number; parent: number; detail: string }>(
          `explain query plan select ${condition} from row where id = :row`,
        )
        .all({ row: 1, since: '' }),
    )
    const once = plan.filter(({ detail }) => detail.startsWith('SCALAR SUBQUERY')).map(({ id }) => id)
    const walks = plan.filter(({ detail }) => detail.startsWith('SCAN') && !FEW.test(detail))
    expect(walks.filter(({ parent, detail }) => !(once.includes(parent) && ANY.test(detail)))).toEqual([])
  },
)
