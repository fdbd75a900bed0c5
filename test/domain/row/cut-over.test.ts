import { expect, it } from 'vitest'
import { actionOf } from '../../../src/domain/row/cut-over.js'

it.each([
  ['in_doubt_changed', 'reference', 'registered', /^The service holds the old one/],
  ['in_doubt_changed', 'account', 'written_off', /^It was written off, and its request may have arrived/],
  ['in_doubt_changed', 'gone', 'registered', /have it cancelled/],
  ['changed_after_registration', 'account ended', 'registered', /have it cancelled/],
  ['ended_after_registration', 'ended', 'registered', /have it cancelled/],
  ['ended_after_registration', 'collected_ended', 'registered', /have it cancelled/],
  ['in_doubt_changed', 'gone', 'ready', /^It was not registered and is not sent\. Write written-off\.$/],
  ['in_doubt_changed', 'reference', 'refused', /written-off; what the export has is sent under the other/],
  ['in_doubt_changed', 'account', 'in_doubt', /^Settle the doubt first/],
] as const)('says what to do of a mandate that is %s (%s), once it is %s', (listed, why, state, action) => {
  expect(actionOf({ listed, why }, state)).toMatch(action)
})
