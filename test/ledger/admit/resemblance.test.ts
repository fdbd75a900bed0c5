import { describe, expect, it } from 'vitest'
import {
  admit,
  holding,
  inDoubt,
  OTHER_IBAN,
  refused,
  registered,
  running,
  send,
  stoppedClock,
  runningAt,
} from '../campaign-setup.js'
import { problemsOf, statesOf } from '../ledger-views.js'
import { LATE_REQUEST_MS } from '../../../src/domain/row/row-state.js'
/** The same customer, account and date under another reference: a typing error that was corrected in the export. */
const RENAMED = { reference: 'M-01' } as const

async function sent(outcome: Parameters<typeof send>[1], clock = stoppedClock()) {
  const ledger = runningAt(clock, [{}])
  await send(ledger, outcome)
  return ledger
}

describe('8.3.5 a mandate whose reference was corrected without its row number', () => {
  it.each([
    ['registered', registered('NEW-1')],
    ['in_doubt', inDoubt()],
  ] as const)('waits for a person where the first is %s', async (state, outcome) => {
    const ledger = await sent(outcome)
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual([state, 'conflict'])
    const [problem] = problemsOf(ledger.file)
    expect(problem).toMatchObject({ rule: 'MANDATE_RESEMBLES_SENT', severity: 'error' })
    expect(problem?.message).toContain('Compare it with record 1 of "export.csv"')
    expect(problem?.remedy).toContain('write "send" into migration_decision')
  })

  it('waits where the first was registered with a corrected account, and comes back as it was before', async () => {
    const ledger = running([{}], [{ iban: OTHER_IBAN }])
    await send(ledger, registered('NEW-1'))
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'registered', 'conflict'])
  })

  it('waits where the first was replaced under another reference, and that one was registered', async () => {
    const ledger = running(
      [{}],
      [{ iban: OTHER_IBAN, reference: 'M-02', corrects: 1 }],
      [{ iban: OTHER_IBAN, reference: 'M-03', corrects: 2 }],
    )
    await send(ledger, registered('NEW-1'))
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'superseded', 'registered', 'conflict'])
  })

  it('goes where what took its place was refused by the service', async () => {
    const ledger = running([{}], [{ iban: OTHER_IBAN }])
    await send(ledger, refused())
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'refused', 'ready'])
  })

  it('waits where the first is still to be sent by an earlier command', () => {
    const ledger = holding([{}], [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['ready', 'conflict'])
  })

  it('waits where the first was in doubt before somebody called it refused', async () => {
    const clock = stoppedClock()
    const ledger = await sent(inDoubt(), clock)
    clock.advance(LATE_REQUEST_MS)
    const decided = ledger.resolve(
      [
        {
          rowId: 1,
          decision: 'refused',
          reason: 'asked',
          by: 'ops',
          assigned: null,
          evidence: null,
          attempt: null,
        },
      ],
      { dryRun: false },
    )
    expect(decided.isApplied).toBe(true)
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['refused', 'conflict'])
    admit(ledger, [{ reference: 'M-02', corrects: 1 }])
    expect(statesOf(ledger.file)).toEqual(['superseded', 'conflict', 'conflict'])
  })

  it('goes where the first was refused by the service itself', async () => {
    const ledger = await sent(refused())
    admit(ledger, [RENAMED])
    expect(statesOf(ledger.file)).toEqual(['refused', 'ready'])
  })

  it('stays a warning for two rows of one command', () => {
    const ledger = holding([{}, RENAMED])
    expect(statesOf(ledger.file)).toEqual(['ready', 'ready'])
    expect(problemsOf(ledger.file).map(({ rule }) => rule)).toContain('CUSTOMER_MULTIPLE_MANDATES')
  })

  it.each([
    ['account', { iban: OTHER_IBAN }],
    ['date', { signedDate: '2020-02-01' }],
    ['customer', { customerNo: 1001 }],
  ])('goes with another %s', async (_, other) => {
    const ledger = await sent(registered('NEW-1'))
    admit(ledger, [{ ...RENAMED, ...other }])
    expect(statesOf(ledger.file)).toEqual(['registered', 'ready'])
  })

  it('goes once a person wrote that it is a second mandate, and not by giving it back as it is', async () => {
    const ledger = await sent(registered('NEW-1'))
    admit(ledger, [RENAMED])
    admit(ledger, [{ ...RENAMED, corrects: 2, isUnchanged: true }])
    expect(statesOf(ledger.file)).toEqual(['registered', 'conflict', 'duplicate'])
    admit(ledger, [{ ...RENAMED, corrects: 2, isDecided: true }])
    expect(statesOf(ledger.file)).toEqual(['registered', 'superseded', 'superseded', 'ready'])
    expect(ledger.totals()).toMatchObject({ read: 2, resubmitted: 2, registered: 1, ready: 1, conflict: 0 })
  })
})
