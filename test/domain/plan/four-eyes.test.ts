import { describe, expect, it } from 'vitest'
import { samePersonIn } from '../../../src/domain/plan/four-eyes.js'

const planner = { by: 'Ada Lovelace', as: 'ada' }

describe('two persons', () => {
  it.each([
    ['another name and another user', { by: 'Grace Hopper', as: 'grace' }, false],
    ['another name, the same user', { by: 'Grace Hopper', as: 'ada' }, true],
    ['another user, the same name', { by: 'Ada Lovelace', as: 'grace' }, true],
    ['the name in other letters', { by: 'ADA LOVELACE', as: 'grace' }, true],
    ['the name with other blanks', { by: '  Ada\u00a0 Lovelace ', as: 'grace' }, true],
    ['the name with a dot', { by: 'ada.lovelace', as: 'grace' }, true],
    ['the name in full-width letters', { by: 'Ａda Lovelace', as: 'grace' }, true],
    ['a user whom the system does not name', { by: 'Grace Hopper', as: null }, false],
  ])('%s', (_, approver, isSame) => {
    expect(samePersonIn(planner, approver) !== null).toBe(isSame)
  })

  it('are not made one by a system without users', () => {
    expect(samePersonIn({ by: 'Ada', as: null }, { by: 'Grace', as: null })).toBe(null)
  })
})
