import { describe, expect, it } from 'vitest'
import { ROW_STATES } from '../../../src/domain/row/row-state.js'
import type { RowRecord, VerifiedRow } from '../../../src/ledger/read/reader.js'
import { explain, explainVerified } from '../../../src/report/facts/facts.js'
import { REPORT_ORDER } from '../../../src/report/pack/pack-folder.js'
import { attemptOf, decisionOf, IBAN, keptSource, problemOf, rowOf, verifiedRow } from '../ledger-value.js'

const NOTHING = { problems: [], decision: null, compared: null }

it('a report shows every state once: one that is missing would hide its rows', () => {
  expect([...REPORT_ORDER].sort()).toEqual([...ROW_STATES].sort())
})

describe('the explanation of a row', () => {
  it('names every error of an invalid row with its column, and what to do about each', () => {
    const typing = { message: 'The IBAN has a typing error.', remedy: 'Compare it.' }
    const empty = { column: 'signed', message: 'There is no date.', remedy: 'Fill it in.' }
    const blank = { severity: 'warning', message: 'Blank', remedy: 'Look' } as const
    const problems = [
      problemOf({ column: 'IBAN', ...typing }),
      problemOf({ ...empty, rule: 'DATE_EMPTY' }),
      problemOf({ ...blank, rule: 'UMR_SPACE' }),
    ]
    expect(explain(rowOf(1, { state: 'invalid', rule: 'IBAN_CHECKSUM' }), { ...NOTHING, problems })).toEqual({
      rule: 'IBAN_CHECKSUM DATE_EMPTY',
      status: '',
      message: 'IBAN: The IBAN has a typing error. signed: There is no date.',
      remedy: 'Compare it. Fill it in.',
      wrong: ['IBAN', 'signed'],
    })
  })

  it('falls back on the rulebook where a rule left no finding', () => {
    expect(explain(rowOf(1, { state: 'excluded', rule: 'SCHEME_B2B' }), NOTHING)).toMatchObject({
      message: expect.stringContaining('Business-to-business mandate') as string,
      remedy: 'Do not migrate. Agree a core mandate.',
    })
  })

  const messageOf = (
    state: RowRecord['state'],
    attempt: Parameters<typeof attemptOf>[0] | null,
    decision: ReturnType<typeof decisionOf> | null = null,
  ): string =>
    explain(rowOf(1, { state, lastAttempt: attempt === null ? null : attemptOf(attempt) }), {
      ...NOTHING,
      decision,
    }).message
  const no = { reason: 'The service refused the mandate' }

  it('repeats what the service said, without account numbers, and why a row is in doubt, as it was recorded', () => {
    const said = { serviceCode: 'INVALID_PARAMETER', field: 'iban', message: `${IBAN} is blocked` }
    expect(messageOf('refused', { ...no, ...said })).toBe(
      'The service refused the mandate. The service said: INVALID_PARAMETER, field iban, DE…3000 is blocked',
    )
    const reason = `The service answered 409 (${IBAN} exists): the mandate may already exist there`
    const there = { serviceCode: 'INVALID_OBJECT_STATE', message: `${IBAN} exists` }
    expect(messageOf('in_doubt', { ...there, reason })).toBe(
      'The service answered 409 (DE…3000 exists): the mandate may already exist there. The service said: INVALID_OBJECT_STATE, DE…3000 exists',
    )
  })

  it('tells who decided where a person did, and forgets a decision that a later attempt has overtaken', () => {
    const decided = 'Decided by A. Reviewer on 2026-06-15 (refused): Not in the list of the service'
    expect(messageOf('refused', { outcome: 'in_doubt' }, decisionOf())).toBe(decided)
    expect(messageOf('refused', { ...no, id: 78, n: 2 }, decisionOf())).toBe(no.reason)
  })

  it('tells a row that waits for its first attempt from one that was turned away or is to be sent again', () => {
    expect(messageOf('ready', null)).toBe('Not sent yet')
    const later = { outcome: 'turned_away', reason: 'The service said not now' } as const
    expect(messageOf('ready', later)).toContain(`the last attempt was not carried out: ${later.reason}`)
    expect(messageOf('ready', { ...no, outcome: 'refused' })).toContain(`after it was refused: ${no.reason}`)
    const resend = decisionOf({ decision: 'resend', reason: 'The service does not have it' })
    expect(messageOf('ready', { outcome: 'released' }, resend)).toContain('again. Decided by A. Reviewer')
  })

  it('tells the status of the last answer, and warns against feeding back what is in doubt', () => {
    const lastAttempt = attemptOf({ status: 409 })
    const { status, remedy } = explain(rowOf(1, { state: 'in_doubt', lastAttempt }), NOTHING)
    expect(status).toBe('409')
    expect(remedy).toContain('Never feed it back')
  })

  it('names the successor of a superseded row', () => {
    const { message } = explain(rowOf(1, { state: 'superseded', supersededBy: 9 }), NOTHING)
    expect(message).toContain('Replaced by row 9')
  })
})

describe('what is said of a row that was read back', () => {
  const own = keptSource('ps-1', { reference: 'new-1', accountMasked: 'NL…4300', signedDate: '2020-03-01' })
  const TWICE = { verdict: 'twice' } as const
  const others = [keptSource('ps-8', { reference: 'A' }), keptSource('ps-9', { reference: 'B' })]

  it.each<[string, Partial<VerifiedRow>]>([
    ['shows no payment source of this customer', { verdict: 'absent', sources: [] }],
    ['may cancel ps-8, ps-9.', { ...TWICE, sources: [own, ...others], cancellable: ['ps-8', 'ps-9'] }],
    ['2 times. Which of them may be cancelled cannot be told here', { ...TWICE, sources: others }],
    ['more than once. Which of them may be', { ...TWICE, sources: [] }], // the words were removed
    [
      'with account NL…4300, signed 2020-03-01; the ledger has account DE…3000, signed 2020-02-29.',
      { verdict: 'other', why: 'differs', sources: [...others, own] },
    ],
    ['and none with account, date and', { verdict: 'other', why: 'differs', sources: others }],
    // No account number in full, whatever the service said.
    ['as ended (DE…3000).', { verdict: 'other', why: 'ended', sources: [{ ...own, status: IBAN }] }],
    ['has the same account and date', { verdict: 'other', why: 'ambiguous', sources: [own] }],
    ['so it is not proven: odd DE…3000.', { verdict: 'unreadable', why: `odd ${IBAN}`, sources: [] }],
  ])('holds "%s"', (text, change) => {
    expect(explainVerified(verifiedRow(1, change))).toContain(text)
  })

  it('is nothing of one that is proven', () => expect(explainVerified(verifiedRow(1))).toBe(''))
})
