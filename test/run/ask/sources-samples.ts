import type { NotRead, SourcesSeen } from '../../../src/service/read-back.js'
import type { CustomerAnswer } from '../../../src/run/ask/ask-customers.js'
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

export const answerOf = (customerNo: number, seen: SourcesSeen = listed): CustomerAnswer => ({
  customerNo,
  requestId: `id-${customerNo}`,
  askedAt: '2026-04-01T08:00:00.000Z',
  answeredAt: '2026-04-01T08:00:00.100Z',
  tries: 1,
  seen,
})
