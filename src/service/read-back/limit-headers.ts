import type { Cleaner } from '../evidence.js'

/** What an answer says of a rate limit, by the names of its headers in lower case. None is published for this service. */
export type LimitHeaders = Readonly<Record<string, string>>

/** `RateLimit`, `RateLimit-Policy`, `X-RateLimit-Remaining`, `X-Rate-Limit-Reset` and their like. */
const LIMIT_HEADER = /^(?:x-)?rate-?limit(?:-[a-z-]+)?$/
const MOST_HEADERS = 8
const MAX_VALUE_BYTES = 100

/** Pure: the first few of them, made fit to be shown. */
export const readLimitHeaders = (headers: Readonly<Record<string, string>>, clean: Cleaner): LimitHeaders =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => LIMIT_HEADER.test(name))
      .slice(0, MOST_HEADERS)
      .map(([name, value]) => [name, clean(value, MAX_VALUE_BYTES)]),
  )
