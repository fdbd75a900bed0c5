import { paymentSourcesPath } from '../../contract/payment-source.js'
import { basicAuthorization, type ClientOptions } from '../client.js'
import { checkTimer, openConnections } from '../connections.js'
import { createCleaner } from '../evidence.js'
import { exchangeOnce, type ExchangeRequest } from '../exchange.js'
import { USUAL_TIMEOUT_MS } from '../usual-pace.js'
import { classifySources, type SourcesSeen } from './classify-sources.js'

/** Ten thousand sources take some 2.5 MB. */
const MAX_LIST_BYTES = 8 * 1024 * 1024

interface ReadOptions {
  /** Sent as `X-Request-Id`. */
  readonly requestId: string
  /** Breaks the exchange off at once. */
  readonly signal?: AbortSignal
}

/** Reads what the service holds. It never rejects and asks once; that a question may be repeated is told by its answer. */
export interface SourceReader {
  /**
   * The payment sources of a customer (contract/README.md#payment-sources).
   * @throws {RangeError} for what is no customer number; nothing was sent
   */
  readonly listPaymentSources: (customerNo: number, options: ReadOptions) => Promise<SourcesSeen>
  /** Ends all connections at once. */
  readonly close: () => Promise<void>
}

/**
 * Its connections are its own: reading takes no slot of a run, and a list may be larger than any other answer.
 * @throws {UsageError} for credentials, limits, certificates or a proxy that cannot be used
 */
export function createSourceReader(options: Omit<ClientOptions, 'statusTable'>): SourceReader {
  const { baseUrl, clock, deadlineMs = USUAL_TIMEOUT_MS, freshConnections = false } = options
  checkTimer('time limit', deadlineMs)
  const authorization = basicAuthorization(options.username, options.password)
  const clean = createCleaner({
    iban: null,
    secrets: [options.password, authorization.slice('Basic '.length)],
  })
  const connections = openConnections(baseUrl, { ...options, maxAnswerBytes: MAX_LIST_BYTES })
  return {
    async listPaymentSources(customerNo, { requestId, signal = new AbortController().signal }) {
      if (!Number.isSafeInteger(customerNo) || customerNo < 1)
        throw new RangeError('A customer number is a whole number from 1 to 2^53-1')
      const request: ExchangeRequest = {
        method: 'GET',
        path: baseUrl.pathPrefix + paymentSourcesPath(customerNo),
        headers: {
          authorization,
          accept: 'application/json',
          'user-agent': `sepa-mandate-migrator/${options.version}`,
          'x-request-id': requestId,
        },
        body: null,
      }
      const limits = { deadlineMs, freshConnections }
      return classifySources(await exchangeOnce(connections, request, limits, clock, signal), clean)
    },
    close: connections.close,
  }
}
