import type { z } from 'zod'

/** As YAML and those who write it call them. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['array', 'a list'],
  ['object', 'a map'],
  ['record', 'a map'],
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
])

/** Our words instead of all those of zod. Schemas that bring their own words keep them. */
export function wordingOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is required'
        : `must be ${KINDS.get(issue.expected) ?? issue.expected}`
    case 'too_small':
      return issue.minimum === 1 && issue.origin !== 'number' && issue.origin !== 'int'
        ? 'must not be empty'
        : `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_format':
      return issue.format === 'date' ? 'must be a date (YYYY-MM-DD)' : 'must have another form'
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `has no key ${issue.keys.map((key) => `"${key}"`).join(', ')}`
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'has none of the allowed types'
    default:
      return 'cannot be used'
  }
}
