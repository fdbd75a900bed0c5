import { describe, expect, it, onTestFinished } from 'vitest'
import { walkOpenRows } from '../../../src/cli/decide/resolve-walk.js'
import { openLedgerReader } from '../../../src/ledger/read/open-reader.js'
import {
  admit,
  inDoubt,
  IBAN,
  open,
  refused,
  registered,
  send,
  SETTINGS,
} from '../../ledger/campaign-setup.js'
import { answering, type Answer } from '../answering.js'

const ENTER = '\r'
const UP = '\u001b[A'
const DOWN = '\u001b[B'
const LEAVE = '\u0003'
/** In the list of a row in doubt, from "leave it open" where the cursor stands. */
const REGISTERED = UP.repeat(4) + ENTER
const REFUSED = UP.repeat(3) + ENTER
const WRITTEN_OFF = UP + ENTER
const STOP = DOWN + ENTER

/** Rows 1 and 2 in doubt, 3 refused, 4 registered, 5 invalid, 6 ready. */
async function campaign() {
  const ledger = open()
  const rows = [1, 2, 3, 4, 5, 6].map((n) => ({ reference: `M-${n}`, customerNo: n }))
  admit(
    ledger,
    rows.map((row) => (row.customerNo === 5 ? { ...row, verdict: 'invalid' as const } : row)),
  )
  ledger.startRun(SETTINGS)
  for (const outcome of [inDoubt(), inDoubt(), refused(), registered('NEW-4')]) await send(ledger, outcome)
  const reader = openLedgerReader(ledger.file)
  onTestFinished(() => reader.close())
  return reader
}

async function walk(...answers: readonly Answer[]) {
  const terminal = answering(answers)
  const decided = await walkOpenRows(terminal.world, await campaign(), 'Ada')
  expect(terminal.left()).toEqual([])
  return { decided, shown: terminal.shown() }
}

describe('a walk through the open rows', () => {
  it('asks about those in doubt first, then the others, and never about what is settled or can be sent', async () => {
    const { decided, shown } = await walk(
      ['Row 1: what', ENTER],
      ['Row 2: what', ENTER],
      ['Row 3: what', ENTER],
      ['Row 5: what', ENTER],
    )
    expect(decided).toEqual([])
    expect(shown).not.toMatch(/Row [46]: what/)
    expect(shown).toContain('attempt 1 left')
    expect(shown).not.toContain(IBAN)
  })

  it('gives back what was decided, for the attempt that was looked at, once "record" was typed', async () => {
    const { decided } = await walk(
      ['Row 1: what', REGISTERED],
      ['Assigned creditor', `SE97ZZZ5560000001${ENTER}`],
      ['Assigned mandate', `NEW-1${ENTER}`],
      ['How do you know', `the service shows it${ENTER}`],
      ['Row 2: what', REFUSED],
      ['How do you know', `not in its list${ENTER}`],
      ['Row 3: what', STOP],
      ['Type "record"', `record${ENTER}`],
    )
    expect(decided).toMatchObject([
      {
        rowId: 1,
        decision: 'registered',
        by: 'Ada',
        reason: 'the service shows it',
        assigned: { creditorIdentifier: 'SE97ZZZ5560000001', mandateReference: 'NEW-1' },
        attempt: 1,
      },
      { rowId: 2, decision: 'refused', assigned: null, attempt: 1 },
    ])
  })

  it('decides nothing without both identifiers, or without a reason', async () => {
    const { decided, shown } = await walk(
      ['Row 1: what', REGISTERED],
      ['Assigned creditor', `SE97ZZZ5560000001${ENTER}`],
      ['Assigned mandate', ENTER],
      ['Row 2: what', WRITTEN_OFF],
      ['How do you know', ENTER],
      ['Row 3: what', STOP],
    )
    expect(decided).toEqual([])
    expect(shown).toContain('Row 1 is left open: an answer was missing.')
    expect(shown).toContain('Row 2 is left open: an answer was missing.')
  })

  it.each([
    ['another word', `yes${ENTER}`],
    ['Ctrl-C', LEAVE],
  ])('is not confirmed by %s at the end', async (_, keys) => {
    const { decided } = await walk(
      ['Row 1: what', WRITTEN_OFF],
      ['How do you know', `closed by phone${ENTER}`],
      ['Row 2: what', LEAVE],
      ['Type "record"', keys],
    )
    expect(decided).toBeNull()
  })
})
