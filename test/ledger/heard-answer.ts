import type { HeardAnswer, ReadBackTerms } from '../../src/ledger/ledger.js'
import type { Ledger } from '../../src/ledger/file/writer.js'

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

/** Starts a read-back as a command does. */
export const startReadBack = (
  ledger: Ledger,
  scope: ReadBackTerms['scope'] = 'all',
  sample: number | null = null,
): ReturnType<Ledger['readBacks']['start']> => {
  const settings = { concurrency: 8, rate: null }
  return ledger.readBacks.start({ scope, sample, version: '0.1.0', host: 'bench', pid: 4711, settings })
}

/** One from its start to its end. @returns its number */
export function readBack(
  ledger: Ledger,
  answers: readonly HeardAnswer[],
  scope: ReadBackTerms['scope'] = 'all',
  sample: number | null = null,
): number {
  const { id } = startReadBack(ledger, scope, sample)
  ledger.readBacks.record(id, answers)
  ledger.readBacks.end(id, null)
  return id
}
