import type { z } from 'zod'

/** A definite no. Its body is choice 1 of sandbox/choices.md: the service documents no error format. */
export interface Refusal {
  readonly kind: 'refused'
  /** HTTP status. */
  readonly status: number
  /** The envelope's `status` word. */
  readonly code: string
  /** For the operator; never quotes the refused value. */
  readonly message: string
  /** Where in the body, empty for the request as a whole. */
  readonly path: readonly (string | number)[]
}

/** What an operation answers: `content` becomes the envelope's `data`. */
export type Reply<Content = object> = { readonly kind: 'done'; readonly content: Content } | Refusal

export const done = <Content>(content: Content): Reply<Content> => ({ kind: 'done', content })

export const refuse = (
  status: number,
  code: string,
  message: string,
  path: Refusal['path'] = [],
): Refusal => ({ kind: 'refused', status, code, message, path })

/** A value that breaks a documented rule or a choice: 400 with the field. */
export const refuseField = (path: Refusal['path'], problem: string): Refusal =>
  refuse(400, 'INVALID_PARAMETER', `${path.join('.')} ${problem}`, path)

/** The envelope of a refusal. */
export function refusalBody({ code, message, path }: Refusal) {
  return {
    status: code,
    data: {
      message,
      field: path.length === 0 ? null : path.join('.'),
      field_path: path.length === 0 ? null : path.map(String),
    },
  }
}

/** Checks a body against a strict schema; the first problem in field order becomes the refusal. */
export function readBody<Body>(
  schema: z.ZodType<Body>,
  body: unknown,
  readOnly: ReadonlySet<string> = new Set(),
): Reply<Body> {
  const parsed = schema.safeParse(body, { error: wordingOf })
  if (parsed.success) return done(parsed.data)
  const [issue] = parsed.error.issues
  if (issue === undefined) return refuse(400, 'INVALID_PARAMETER', 'The request is not valid')
  const path = issue.path.map((name) => (typeof name === 'symbol' ? String(name) : name))
  if (issue.code !== 'unrecognized_keys') {
    return path.length === 0
      ? refuse(400, 'INVALID_PARAMETER', `The request body ${issue.message}`)
      : refuseField(path, issue.message)
  }
  const name = (issue.keys[0] ?? '').slice(0, 60)
  return path.length === 0 && readOnly.has(name)
    ? refuse(400, 'READ_ONLY_PARAMETER', `${name} is set by the service and cannot be sent`, [name])
    : refuse(400, 'UNKNOWN_PARAMETER', `${[...path, name].join('.')} is not a known field`, [...path, name])
}

/** Our words instead of the library's. Schemas that bring their own words keep them. */
function wordingOf(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`
    case 'too_small':
      return `must be at least ${issue.minimum}`
    case 'too_big':
      return `must be at most ${issue.maximum}`
    case 'invalid_format':
      return issue.format === 'date' ? 'must be a date (YYYY-MM-DD)' : undefined
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'invalid_union':
      return 'has none of the allowed types'
    default:
      return undefined
  }
}

const withArticle = (type: string): string =>
  type === 'int' ? 'an integer' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
