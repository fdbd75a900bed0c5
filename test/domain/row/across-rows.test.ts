import { describe, expect, it } from 'vitest'
import {
  areContracts,
  creditorOfKey,
  foldReference,
  kinshipOf,
  spellingOf,
  whenSeen,
} from '../../../src/domain/row/across-rows.js'
import type { Says, Sighted, Sighting, Standing } from '../../../src/domain/row/across-rows.js'
import { creditorOf, mandateKey } from '../../../src/domain/value/identifiers.js'

const sighting = (reference: string, more: Partial<Sighting> = {}): Sighting => ({
  mandateKey: mandateKey('DE98ZZZ09999999999', reference),
  customerNo: 1001,
  account: 'one',
  signedDate: '2024-03-15',
  ...more,
})
const apart = { areSideBySide: false }
const together = { areSideBySide: true }

describe('the folded reference', () => {
  it.each([
    ['MND-0001', 'MND0001'],
    ['mnd 0001', 'MND0001'],
    ['00MND-0002', 'MND0002'],
    ['000102', '102'],
    ['A-1/2.3+(4)', 'A1234'],
    ['0-1', '1'],
    ['000', '0'],
    ['-', ''],
  ])('%s is %s', (reference, folded) => expect(foldReference(reference)).toBe(folded))
})

describe('the spelling of a mandate key', () => {
  it.each(['MND-1', 'MND1', '00MND-1', 'mnd 1'])('is one of the key that is made of %s', (reference) => {
    const key = mandateKey('DE98ZZZ09999999999', reference)
    expect(spellingOf(key)).toBe('DE|09999999999|MND1')
    expect(creditorOfKey(key)).toBe(creditorOf('DE98ZZZ09999999999'))
  })
  it('is none without letters and digits', () => expect(spellingOf('DE|0999|--')).toBeNull())
  it('keeps a creditor that cannot be read apart', () => {
    expect(spellingOf('?|XX12|MND-1')).toBe('?|XX12|MND1')
    expect(creditorOfKey('?|XX12|MND-1')).toBe('?|XX12')
  })
})

describe('a second contract', () => {
  const areTwo = (one: string, other: string, more: Partial<Sighting> = {}): boolean =>
    areContracts(sighting(one), sighting(other, more))
  it.each([
    ['GAS-00011', 'STROM-70033'],
    ['GAS-00011', 'STROM-00011'],
    ['V-100011', 'V-100012'],
    ['471', '4711'],
  ])('has another reference: %s, %s', (one, other) =>
    expect([areTwo(one, other), areTwo(other, one)]).toEqual([true, true]),
  )
  it.each([
    ['MND-0001', 'mnd 1'],
    ['MND-0001', 'MND1'],
    ['00472', '472'],
    ['4711', 'M-4711'],
    ['4711', '4711/2'],
    ['2024-M-0012', 'M12'],
    ['M--1', 'M-1'],
    ['-', '+'],
  ])('has not one reference in two spellings: %s, %s', (one, other) => {
    expect(areTwo(one, other)).toBe(false)
    expect(areTwo(other, one)).toBe(false)
  })
  it.each([{ customerNo: 2 }, { account: 'two' }, { signedDate: '2020-01-01' }, { account: null }])(
    'shares all else: %o',
    (more) => expect(areTwo('GAS-1', 'STROM-2', more)).toBe(false),
  )
})

describe('kinship', () => {
  it('of one key is the same, whatever else differs', () => {
    const other = sighting('MND-1', { customerNo: 2, account: 'two', signedDate: null })
    expect(kinshipOf(sighting('MND-1'), other, together)).toBe('same')
  })

  it.each([
    ['the date', { signedDate: '2024-03-16' }],
    ['the account', { account: 'two' }],
    ['the customer', { customerNo: 1002 }],
    ['account and date', { account: 'two', signedDate: '2020-01-01' }],
    ['customer and date', { customerNo: 1002, signedDate: '2020-01-01' }],
    ['an account that cannot be read', { account: null }],
  ])('holds for another spelling and another value: %s, in one export too', (_, more) => {
    expect(kinshipOf(sighting('MND-0001'), sighting('MND0001', more), together)).toBe('kin')
    expect(kinshipOf(sighting('MND0001', more), sighting('MND-0001'), apart)).toBe('kin')
  })

  it('does not hold for another spelling of another customer on another account', () => {
    const other = sighting('11-1', { customerNo: 11, account: 'two' })
    expect(kinshipOf(sighting('1-11', { customerNo: 1 }), other, apart)).toBe('other')
  })

  it('holds for another reference or creditor with customer, account and date, between exports alone', () => {
    const renamed = sighting('NEW-77')
    const moved = { ...sighting('MND-1'), mandateKey: 'DE|08888888888|MND-1' }
    for (const other of [renamed, moved]) {
      expect(kinshipOf(sighting('MND-1'), other, apart)).toBe('kin')
      expect(kinshipOf(sighting('MND-1'), other, together)).toBe('other')
    }
  })

  it.each([{ customerNo: 1002 }, { account: 'two' }, { signedDate: '2024-03-16' }, { customerNo: null }])(
    'does not hold for another reference where %j differs too',
    (more) => expect(kinshipOf(sighting('MND-1'), sighting('NEW-77', more), apart)).toBe('other'),
  )

  it('takes two of the three beside what was sent as it was misread', () => {
    const misread = { ...apart, wasMisread: true }
    for (const [more, kinship] of [
      [{ customerNo: 1002 }, 'kin'],
      [{ account: 'two' }, 'kin'],
      [{ account: null }, 'kin'],
      [{ customerNo: 1002, account: 'two' }, 'other'],
      [{ signedDate: '2024-03-16' }, 'kin'],
      [{ signedDate: '2024-03-16', customerNo: 1002 }, 'other'],
    ] as const)
      expect(kinshipOf(sighting('MND-1'), sighting('NEW-77', more), misread)).toBe(kinship)
    const together = { ...misread, areSideBySide: true }
    expect(kinshipOf(sighting('MND-1'), sighting('NEW-77'), together)).toBe('other')
  })

  it('takes customer and date where the account was erased', () => {
    const erased = sighting('NEW-77', { account: null, isErased: true })
    expect(kinshipOf(sighting('MND-1'), erased, apart)).toBe('kin')
    expect(kinshipOf(sighting('MND-1'), { ...erased, signedDate: '2020-01-01' }, apart)).toBe('other')
  })

  it('never holds by what nobody could read', () => {
    const blank = sighting('MND-1', { customerNo: null, account: null, signedDate: null })
    expect(kinshipOf(blank, { ...blank, mandateKey: 'DE|09999999999|MND1' }, apart)).toBe('other')
  })

  it('ties creditors that a collection calls one', () => {
    const ties = new Map([['DE|08888888888', 'DE|09999999999']])
    const former = { ...sighting('MND 1', { signedDate: '2020-01-01' }), mandateKey: 'DE|08888888888|MND 1' }
    expect(kinshipOf(former, sighting('MND-1'), apart)).toBe('other')
    expect(kinshipOf(former, sighting('MND-1'), { ...apart, ties })).toBe('kin')
  })
})

const SAYS: readonly Says[] = ['lives', 'ended', 'unreadable', 'unclear', 'contradictory']
const STANDINGS = 'sent written_off arrived corrected unreadable unreadable_end ended unsent'.split(
  ' ',
) as Standing[]
const USUAL: Sighted = {
  ...{ says: 'lives', isKnown: false, isNewer: false },
  ...{ tellsEnds: true, differs: false, isOfOthers: false },
}
/** What becomes of it in a word or two. */
const then = (standing: Standing, more: Partial<Sighted> = {}): string => {
  const found = whenSeen(standing, { ...USUAL, ...more })
  if (found.kind === 'counts') return found.replaces ? 'replaces' : 'counts'
  return found.kind === 'waits' ? found.rule : found.kind
}

describe('a mandate that an export names', () => {
  it('counts as it is where nothing is known of it, and repeats what is known', () => {
    for (const says of SAYS)
      for (const isNewer of [true, false]) {
        expect(then('none', { says, isNewer })).toBe('counts')
        for (const standing of STANDINGS)
          expect(then(standing, { says, isNewer, isKnown: true })).toBe('repeats')
      }
  })

  it('waits beside one of another system that has its name, and is a line of the cut-over where it was sent', () => {
    for (const standing of ['unsent', 'ended', 'unreadable', 'corrected'] as const)
      for (const isNewer of [true, false])
        expect(then(standing, { isOfOthers: true, isNewer })).toBe('CONFLICT_MANDATE')
    expect(then('sent', { isOfOthers: true })).toBe('contradicts')
    for (const says of SAYS)
      for (const isNewer of [true, false]) expect(then('sent', { says, isNewer })).toBe('contradicts')
  })

  it.each(['written_off', 'corrected', 'arrived'] as const)(
    'waits where a person has spoken (%s)',
    (standing) => {
      for (const says of SAYS)
        for (const isNewer of [true, false])
          expect(then(standing, { says, isNewer })).toBe('CONFLICT_MANDATE')
    },
  )

  it('takes the place of what could not be read, without a question', () => {
    for (const says of SAYS) expect(then('unreadable', { says })).toBe('replaces')
    for (const says of SAYS.slice(1)) {
      if (says !== 'unreadable') expect(then('unreadable', { says, differs: true })).toBe('replaces')
      expect(then('unreadable_end', { says })).toBe('replaces')
    }
    // Of two that cannot be read, the one with the former account may be given later.
    expect(then('unreadable', { says: 'unreadable', differs: true })).toBe('CONFLICT_MANDATE')
    expect(then('unreadable', { says: 'unreadable', differs: true, isNewer: true })).toBe('replaces')
  })

  it('waits where nobody said which export is the newer one', () => {
    for (const says of ['lives', 'ended', 'unclear', 'contradictory'] as const) {
      expect(then('unsent', { says })).toBe('EXPORT_ORDER_UNKNOWN')
      expect(then('unsent', { says, isNewer: true })).toBe('replaces')
    }
    expect(then('unreadable', { differs: true })).toBe('EXPORT_ORDER_UNKNOWN')
    expect(then('unreadable', { differs: true, isNewer: true })).toBe('replaces')
    for (const standing of ['ended', 'unreadable_end'] as const) {
      expect(then(standing)).toBe('MANDATE_ENDED_ELSEWHERE')
      expect(then(standing, { isNewer: true })).toBe('replaces')
    }
  })

  it.each(['ended', 'unsent', 'unreadable', 'unreadable_end'] as const)(
    'is not revived by an export that cannot say that it ended (%s)',
    (standing) => expect(then(standing, { isNewer: true, tellsEnds: false })).toBe('MANDATE_ENDED_ELSEWHERE'),
  )
})
