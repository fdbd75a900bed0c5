import { describe, expect, test } from 'vitest'
import { checkMandate } from '../../../src/domain/value/check-mandate.js'
import type { RuleId } from '../../../src/domain/rule/verdict.js'
import type { Mandate } from '../../../src/domain/mandate/mandate.js'
import { CLEAN_ROW, OPTIONS } from '../clean-row.js'
import { noteAssigned } from '../../../src/domain/value/identifiers.js'

function cleanMandate(): Mandate {
  const { verdict } = checkMandate(CLEAN_ROW, OPTIONS)
  if (verdict.kind !== 'sendable') throw new Error('The clean row is not sendable')
  return verdict.mandate
}

const request = cleanMandate()
const assigned = { creditorIdentifier: 'AT61ZZZ01234567890', mandateReference: 'NEW-1' }

describe('the assigned identifiers', () => {
  test('of a usual answer need no note', () => {
    expect(noteAssigned(request, assigned)).toEqual([])
  })

  test.each(['DE98ZZZ09999999999', 'DE98ABC09999999999', 'de98 xyz 0999 9999 999'])(
    '%s is the old creditor again',
    (creditorIdentifier) => {
      expect(noteAssigned(request, { ...assigned, creditorIdentifier })).toEqual(['RESPONSE_CI_UNCHANGED'])
    },
  )

  test.each([
    { creditorIdentifier: 'DE98ZZZ099999999' },
    { creditorIdentifier: 'x' },
    { mandateReference: 'NEW_1' },
    { mandateReference: 'x'.repeat(36) },
  ])('%j is odd, and never more than a note', (odd) => {
    expect(noteAssigned(request, { ...assigned, ...odd })).toEqual(['RESPONSE_IDENTIFIER_FORMAT'])
  })

  test.each<[string, RuleId[]]>([
    [' mnd-000123 ', ['RESPONSE_UMR_UNCHANGED']],
    ['NEW-1', []],
    // A warning about the form of an old identifier says nothing about a new one.
    ['NEW 1', []],
    ['NEW_1', ['RESPONSE_IDENTIFIER_FORMAT']],
  ])('%s is noted as %j', (mandateReference, notes) => {
    expect(noteAssigned(request, { ...assigned, mandateReference })).toEqual(notes)
  })
})
