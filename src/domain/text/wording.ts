/** What is used here of an issue of zod, as it is before it has words. */
interface Issue {
  readonly code: string
  readonly input?: unknown
  readonly expected?: unknown
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly format?: unknown
  readonly values?: readonly unknown[]
}

/** Our words instead of those of zod. Schemas that bring their own words keep them. */
export function wordingOf({
  code,
  input,
  expected,
  minimum,
  maximum,
  format,
  values,
}: Issue): string | undefined {
  switch (code) {
    case 'invalid_type':
      return input === undefined ? 'is required' : `must be ${withArticle(String(expected))}`
    case 'too_small':
      return `must be at least ${String(minimum)}`
    case 'too_big':
      return `must be at most ${String(maximum)}`
    case 'invalid_format':
      return format === 'date' ? 'must be a date (YYYY-MM-DD)' : undefined
    case 'invalid_value':
      return `must be one of ${(values ?? []).map(String).join(', ')}`
    case 'invalid_union':
      return 'has none of the allowed types'
    default:
      return undefined
  }
}

const withArticle = (type: string): string =>
  type === 'int' ? 'an integer' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
