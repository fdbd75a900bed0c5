import type { HeardAnswer } from '../../src/ledger/ledger.js'

/** A list with one payment source about this customer. */
export const listed = (customerNo: number, proofs: HeardAnswer['proofs'] = []): HeardAnswer => ({
  customerNo,
  requestId: `read-${customerNo}`,
  askedAt: '2026-06-15T10:00:00.000Z',
  answeredAt: '2026-06-15T10:00:01.000Z',
  tries: 1,
  answer: 'listed',
  status: 200,
  errorCode: null,
  reason: null,
  sources: 1,
  proofs,
})
