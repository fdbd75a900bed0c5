import { expect, it } from 'vitest'
import { RULES } from '../../src/domain/rule/rules.js'
import { findingOf } from '../../src/source/source-finding.js'

it('masks what it shows: a whole account never stands in a finding', () => {
  const [finding] = findingOf('FILE_TOTALS_LINE', {}, { value: 'Total DE89370400440532013000' })
  expect(finding?.value).not.toContain('3704')
})

it('adds what was seen to the words of the rule, or says something instead of them', () => {
  const [rule] = findingOf('FILE_CI_MIXED', {}, {})
  expect(findingOf('FILE_CI_MIXED', {}, { detail: 'It names 2.' })[0]?.message).toBe(
    `${rule?.message ?? ''} It names 2.`,
  )
  expect(findingOf('EXCLUDED_BY_CONFIGURATION', {}, { message: 'They left' })[0]?.message).toBe('They left')
})

it('is not made where the rule is off, but where the row cannot be sent anyway it is told as a warning', () => {
  expect(findingOf('FILE_CI_MIXED', { FILE_CI_MIXED: 'off' }, {})).toEqual([])
  expect(findingOf('CROSSWALK_NO_MATCH', { CROSSWALK_NO_MATCH: 'off' }, {})).toMatchObject([
    { rule: 'CROSSWALK_NO_MATCH', severity: 'warning' },
  ])
  expect(RULES.CROSSWALK_NO_MATCH).toMatchObject({ unusable: true })
})
