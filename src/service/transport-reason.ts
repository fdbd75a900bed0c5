import type { Halt } from '../domain/row/outcome.js'
import type { TransportError } from './exchange.js'

/**
 * The code chooses the words and whether to halt, never the outcome: the same code occurs before and after
 * the first byte (service/README.md#error-matrix).
 */
const UNSENT: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'The service refused the connection'],
  ['ENOTFOUND', 'The host name of the service is not known'],
  ['EAI_AGAIN', 'The host name of the service could not be looked up'],
  ['EHOSTUNREACH', 'The service cannot be reached from here'],
  ['ENETUNREACH', 'The service cannot be reached from here'],
  ['UND_ERR_CONNECT_TIMEOUT', 'The connection was not ready in time'],
  ['DEADLINE', 'No connection was ready in time'],
  ['ABORTED', 'The run was broken off before the request left'],
])

const DOUBTFUL: ReadonlyMap<string, string> = new Map([
  ['DEADLINE', 'No complete answer came in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'No answer came in time'],
  ['UND_ERR_BODY_TIMEOUT', 'The answer stopped in the middle'],
  ['UND_ERR_HEADERS_OVERFLOW', 'The answer was too large to read'],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'The answer was too large to read'],
  ['ABORTED', 'The run was broken off while the request was under way'],
])

const TLS_FAULT =
  /^(?:ERR_(?:SSL|TLS|OSSL)_|UND_ERR_PRX_TLS|(?:ERROR|UNABLE|DEPTH|SELF)_|CERT_|CRL_|INVALID_(?:CA|PURPOSE)|PATH_LENGTH|HOSTNAME_MISMATCH)/
const OUR_OWN_FAULT = /^(?:REQUEST_INVALID|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED))$/
const TUNNEL_REFUSED = /^Proxy response \((\d{3})\)/

/** The certificate of one side, or the TLS set-up, is not accepted by the other. */
export const isTlsFault = (error: TransportError | null): boolean => TLS_FAULT.test(error?.code ?? '')

/** Whether a request that did not leave shows that no other can. */
export function explainUnsentHalt(error: TransportError | null): Halt | null {
  if (isTlsFault(error)) return 'certificate'
  if (tunnelStatus(error) === '407') return 'credentials'
  return OUR_OWN_FAULT.test(error?.code ?? '') ? 'request_rejected_locally' : null
}

/** Why nothing was sent, as one sentence. */
export const explainUnsent = (error: TransportError | null): string =>
  `${unsentCause(error)} (${nameOf(error)}): nothing was sent`

function unsentCause(error: TransportError | null): string {
  const status = tunnelStatus(error)
  if (status === '407') return 'The proxy asked for credentials with 407'
  if (status !== null) return `The proxy answered ${status} instead of opening the way to the service`
  if (isTlsFault(error))
    return 'No trusted connection could be set up, check certificates, host name and port'
  if (OUR_OWN_FAULT.test(error?.code ?? '')) return `The request was not well formed: ${error?.message ?? ''}`
  return UNSENT.get(error?.code ?? '') ?? 'The connection could not be set up'
}

/** What ended an exchange whose request had begun to leave, as the beginning of a sentence. */
export const explainDoubt = (error: TransportError | null): string =>
  `${DOUBTFUL.get(error?.code ?? '') ?? 'The connection broke before the answer was complete'} (${nameOf(error)})`

const tunnelStatus = (error: TransportError | null): string | null =>
  TUNNEL_REFUSED.exec(error?.message ?? '')?.[1] ?? null

const nameOf = (error: TransportError | null): string => error?.code ?? error?.name ?? 'no error was given'
