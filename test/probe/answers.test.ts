import { describe, expect, it } from 'vitest'
import { answerOf, isAnswered, isSameAnswer } from '../../src/probe/answers.js'
import { next, outcomeOf } from './outcomes.js'

const answered = (...given: Parameters<typeof outcomeOf> extends [unknown, ...infer Rest] ? Rest : never) =>
  answerOf(outcomeOf(next(1), ...given))

describe('what an answer is', () => {
  it.each([
    ['a registration', { status: 200, reference: 'NEW-1' }, 'registered'],
    ['400 with the word that it exists', { status: 400, code: 'INVALID_OBJECT_STATE' }, 'exists'],
    ['409 with that word', { status: 409, code: 'invalid_object_state' }, 'exists'],
    ['400 without it', { status: 400, code: 'INVALID_PARAMETER' }, 'refused'],
    ['422', { status: 422 }, 'refused'],
    ['404', { status: 404, code: 'NOT_FOUND' }, 'refused'],
    ['404, not yet', { status: 404, code: 'NOT_AVAILABLE_YET' }, 'turned_away'],
    ['409', { status: 409, code: 'CONFLICT' }, 'conflict'],
    ['412', { status: 412 }, 'unclear'],
    ['402', { status: 402 }, 'unclear'],
    ['500', { status: 500 }, 'not_known'],
    ['503 with the word that it exists', { status: 503, code: 'INVALID_OBJECT_STATE' }, 'not_known'],
    ['408', { status: 408 }, 'not_known'],
    ['429', { status: 429 }, 'not_known'],
    ['401', { status: 401 }, 'not_known'],
    ['a redirect', { status: 302 }, 'not_known'],
    ['200 that nobody can read', { status: 200 }, 'not_known'],
    ['a cut 409', { status: 409, isCut: true }, 'not_known'],
    ['a cut 422', { status: 422, isCut: true }, 'not_known'],
    ['a cut 200', { status: 200, reference: 'NEW-1', isCut: true }, 'not_known'],
    ['none', null, 'not_known'],
  ] as const)('%s', (_what, given, word) => {
    const answer = answered(given)
    expect(answer.word).toBe(word)
    expect(isAnswered(answer)).toBe(word !== 'not_known')
  })

  it('none where nothing left', () => {
    expect(answered(null, false).word).toBe('not_known')
  })

  it('is told from another one by its status, its word and its field', () => {
    const one = { status: 400, code: 'INVALID_PARAMETER', field: 'iban' }
    expect(answered(one)).toEqual({
      word: 'refused',
      status: 400,
      identifier: 'INVALID_PARAMETER',
      field: 'iban',
    })
    expect(isSameAnswer(answered(one), answered({ ...one }))).toBe(true)
    for (const other of [{ status: 422 }, { code: 'OTHER' }, { field: 'customer_no' }])
      expect(isSameAnswer(answered(one), answered({ ...one, ...other }))).toBe(false)
  })
})
