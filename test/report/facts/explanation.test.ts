import { describe, expect, it } from 'vitest'
import { explain } from '../../../src/report/facts/explanation.js'
import { attemptOf, decisionOf, IBAN, problemOf, rowOf } from '../ledger-value.js'

const NOTHING = { problems: [], decision: null }

describe('the explanation of a row', () => {
  it('names every error of an invalid row with its column, and what to do about each', () => {
    const problems = [
      problemOf({
        rule: 'IBAN_CHECKSUM',
        column: 'IBAN',
        message: 'The IBAN has a typing error.',
        remedy: 'Compare it.',
      }),
      problemOf({
        rule: 'DATE_EMPTY',
        column: 'signed',
        message: 'There is no date.',
        remedy: 'Fill it in.',
      }),
      problemOf({ rule: 'UMR_SPACE', severity: 'warning', message: 'Blank', remedy: 'Look' }),
    ]

    expect(
      explain(rowOf(1, { state: 'invalid', rule: 'IBAN_CHECKSUM' }), { problems, decision: null }),
    ).toEqual({
      rule: 'IBAN_CHECKSUM DATE_EMPTY',
      status: '',
      message: 'IBAN: The IBAN has a typing error. signed: There is no date.',
      remedy: 'Compare it. Fill it in.',
    })
  })

  it('falls back on the rulebook where a rule left no finding', () => {
    expect(explain(rowOf(1, { state: 'excluded', rule: 'SCHEME_B2B' }), NOTHING)).toMatchObject({
      message: expect.stringContaining('Business-to-business mandate') as string,
      remedy: 'Do not migrate. Agree a core mandate.',
    })
  })

  it('repeats what the service said of a refused row, without account numbers', () => {
    const lastAttempt = attemptOf({
      outcome: 'refused',
      status: 422,
      serviceCode: 'INVALID_PARAMETER',
      field: 'iban',
      message: `${IBAN} is blocked`,
      reason: 'The service refused the mandate',
    })

    expect(explain(rowOf(1, { state: 'refused', lastAttempt }), NOTHING)).toMatchObject({
      status: '422',
      message:
        'The service refused the mandate. The service said: INVALID_PARAMETER, field iban, DE…3000 is blocked',
    })
  })

  it('says why a row is in doubt as it was recorded, without account numbers', () => {
    const lastAttempt = attemptOf({
      outcome: 'in_doubt',
      status: 409,
      serviceCode: 'INVALID_OBJECT_STATE',
      field: null,
      message: `${IBAN} exists`,
      reason: `The service answered 409 (${IBAN} exists): the mandate may already exist there`,
    })

    expect(explain(rowOf(1, { state: 'in_doubt', lastAttempt }), NOTHING).message).toBe(
      'The service answered 409 (DE…3000 exists): the mandate may already exist there. The service said: INVALID_OBJECT_STATE, DE…3000 exists',
    )
  })

  it('tells who decided where a person did', () => {
    const row = rowOf(1, { state: 'refused', lastAttempt: attemptOf({ outcome: 'in_doubt', status: 503 }) })

    expect(explain(row, { problems: [], decision: decisionOf() }).message).toBe(
      'Decided by A. Reviewer on 2026-06-15 (refused): Not in the list of the service',
    )
  })

  it('forgets a decision that a later attempt has overtaken', () => {
    const lastAttempt = attemptOf({
      id: 78,
      n: 2,
      outcome: 'refused',
      reason: 'The service refused the mandate',
    })

    expect(
      explain(rowOf(1, { state: 'refused', lastAttempt }), { problems: [], decision: decisionOf() }).message,
    ).toBe('The service refused the mandate')
  })

  it('tells a row that waits for its first attempt from one that was turned away or is to be sent again', () => {
    const turnedAway = attemptOf({ outcome: 'turned_away', status: 429, reason: 'The service said not now' })
    const released = attemptOf({ outcome: 'released' })
    const decision = decisionOf({ decision: 'resend', reason: 'The service does not have it' })

    expect(explain(rowOf(1), NOTHING).message).toBe('Not sent yet')
    expect(explain(rowOf(1, { lastAttempt: turnedAway }), NOTHING).message).toBe(
      'Not registered yet, the last attempt was not carried out: The service said not now',
    )
    const refusedBefore = attemptOf({ outcome: 'refused', reason: 'The service refused the mandate' })
    expect(explain(rowOf(1, { lastAttempt: refusedBefore }), NOTHING).message).toBe(
      'To be sent again after it was refused: The service refused the mandate',
    )
    expect(explain(rowOf(1, { lastAttempt: released }), { problems: [], decision }).message).toBe(
      'To be sent again. Decided by A. Reviewer on 2026-06-15 (resend): The service does not have it',
    )
  })

  it('warns against feeding back what is in doubt', () => {
    expect(explain(rowOf(1, { state: 'in_doubt' }), NOTHING).remedy).toContain('Never feed it back')
  })

  it('names the successor of a superseded row', () => {
    expect(explain(rowOf(1, { state: 'superseded', supersededBy: 9 }), NOTHING).message).toBe(
      'Replaced by row 9 of a later file',
    )
  })
})
