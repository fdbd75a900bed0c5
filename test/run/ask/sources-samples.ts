import type { NotRead, SourcesSeen } from '../../../src/service/classify.js'
export const listed: SourcesSeen = { kind: 'listed', sources: [], status: 204, durationMs: 5 }

export const notRead = (seen: Partial<NotRead> = {}): NotRead => ({
  kind: 'not_read',
  cause: 'not_now',
  reason: 'The service answered 500',
  started: true,
  canRepeat: true,
  retryAfterMs: null,
  halt: null,
  status: 500,
  errorCode: null,
  durationMs: 5,
  ...seen,
})

export const missing = (status = 404): NotRead =>
  notRead({ cause: 'missing', canRepeat: false, status, reason: `The service answered ${status}` })

export const refused = notRead({ cause: 'refused', canRepeat: false, status: 400 })

export const throttled = (retryAfterMs: number | null = null): NotRead =>
  notRead({ status: 429, retryAfterMs, reason: 'The service answered 429' })

export const unreached = notRead({
  cause: 'no_answer',
  started: false,
  status: null,
  errorCode: 'ECONNREFUSED',
  reason: 'The service refused the connection (ECONNREFUSED): nothing was sent',
})

export const reset = notRead({ cause: 'no_answer', status: null, errorCode: 'ECONNRESET' })
