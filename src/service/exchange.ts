import { X509Certificate } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { createRequire } from 'node:module'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { Dispatcher, Pool, ProxyAgent } from 'undici'
import { UsageError } from '../errors.js'
import { type BaseUrl, outOfRange, readProxy } from './checked-service.js'
import { type IncomingHttpHeaders, validateHeaderValue } from 'node:http'
import type { Clock } from '../domain/mandate/date.js'
import type { Halt } from '../domain/row/row-state.js'

/** Certificates as PEM text. `ca` is trusted besides the built-in roots, never instead of them. */
export interface TlsOptions {
  readonly ca?: string | undefined
  readonly cert?: string | undefined
  readonly key?: string | undefined
}

export interface ConnectionOptions {
  /** The highest concurrency ever used: nothing may queue inside undici (service/README.md#connections). */
  readonly concurrency: number
  /** Covers the TLS handshake too. */
  readonly connectTimeoutMs: number
  /** Until the status line and headers are there. Long on purpose: an early timeout is human work. */
  readonly headersTimeoutMs: number
  /** Between two parts of the body. */
  readonly bodyTimeoutMs: number
  /** How long an idle connection is kept; shorter than the service's own limit. */
  readonly keepAliveMs: number
  /** The largest answer that is read. */
  readonly maxAnswerBytes: number
  readonly tls: TlsOptions
  /**
   * Only when asked for, so that a stray variable cannot reroute account numbers. `https:`, or `http:` to loopback.
   * Never used for a service on loopback: what stays on this machine must not leave it.
   */
  readonly proxy: string | undefined
}

/** The one pool of a run. */
export type Connections = ReturnType<typeof openConnections>

const MAX_KEEP_ALIVE_MS = 10_000
const MAX_TIMER_MS = 2_147_483_647

/** Loaded where something is to be sent: a run that finds nothing needs none of it. */
const loadUndici = () =>
  createRequire(import.meta.url)('undici') as {
    readonly Pool: typeof Pool
    readonly ProxyAgent: typeof ProxyAgent
  }

/** @throws {UsageError} for certificates or a proxy address that cannot be used */
export function openConnections(baseUrl: BaseUrl, options: ConnectionOptions) {
  const { concurrency, connectTimeoutMs, headersTimeoutMs, bodyTimeoutMs, keepAliveMs } = options
  checkTimer('connect timeout', connectTimeoutMs)
  const secure = readTls(options.tls)
  const settings = {
    connections: concurrency,
    pipelining: 1,
    allowH2: false,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    maxResponseSize: options.maxAnswerBytes,
  }
  const connect = { ...secure, timeout: connectTimeoutMs }
  const proxy = options.proxy === undefined ? null : readProxy(options.proxy)
  const open = (): Dispatcher => {
    const undici = loadUndici()
    if (proxy === null || baseUrl.isLoopback) return new undici.Pool(baseUrl.origin, { ...settings, connect })
    return new undici.ProxyAgent({
      ...settings,
      uri: proxy.href,
      requestTls: connect,
      proxyTls: { ...connect, cert: undefined, key: undefined },
      // A proxy that does not answer CONNECT counts as a connection that stalls.
      clientFactory: (origin, given) =>
        new undici.Pool(origin, {
          ...given,
          headersTimeout: connectTimeoutMs,
          bodyTimeout: connectTimeoutMs,
        }),
    })
  }
  return { ...openedWhenUsed(open), origin: baseUrl.origin }
}

function openedWhenUsed(open: () => Dispatcher) {
  let opened: Dispatcher | null = null
  let isClosed = false
  const used = (): Dispatcher => {
    if (opened !== null) return opened
    opened = open()
    if (isClosed) void opened.destroy() // it tells by itself that nothing leaves any more
    return opened
  }
  return {
    dispatcher: { dispatch: (...request: Parameters<Dispatcher['dispatch']>) => used().dispatch(...request) },
    /** Makes the pool, which else the first request does. */
    open: () => void used(),
    /** Ends every connection at once; what is in flight ends as it stands. */
    close: async (): Promise<void> => {
      isClosed = true
      await opened?.destroy()
    },
  }
}

/**
 * Node's timers take no more than 2^31-1 ms and fire at once beyond it; undici reads 0 as "never".
 * @throws {UsageError}
 */
export function checkTimer(name: string, ms: number): void {
  if (!(ms >= 1 && ms <= MAX_TIMER_MS)) throw outOfRange(name, ms, `1 to ${MAX_TIMER_MS} milliseconds`)
}

function readTls(tls: TlsOptions) {
  const secure = {
    ...(tls.ca === undefined ? {} : { ca: [...rootCertificates, tls.ca] }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    minVersion: 'TLSv1.2' as const,
    // Said here, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment cannot turn it off.
    rejectUnauthorized: true,
  }
  // Without certificates of its own there is nothing that could not be used, and the context costs 30 ms.
  if (tls.ca === undefined && tls.cert === undefined && tls.key === undefined) return secure
  try {
    for (const certificate of splitBundle(tls.ca)) new X509Certificate(certificate)
    createSecureContext(secure)
  } catch (cause) {
    throw new UsageError(
      'Cannot use the TLS certificates: the CA, the certificate or its key is not readable PEM text, or they do not belong together',
      'Nothing was sent. Check the files that the configuration names.',
      { cause },
    )
  }
  return secure
}

/** The certificates of a PEM text. A text without any would be trusted like an empty list, silently. */
function splitBundle(pem: string | undefined): readonly string[] {
  if (pem === undefined) return []
  return pem.match(/-----BEGIN CERTIFICATE-----[^]+?-----END CERTIFICATE-----/g) ?? [pem]
}

/** One request as it goes out; `path` includes the prefix of the base URL. */
export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Null for a request that has none. */
  readonly body: string | null
}

/** What arrived from the status line on. Header names are in lower case; repeated ones are joined by a comma. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** As far as it came. */
  readonly bodyText: string
  /** The message ended as its framing says. A body that ends by close may still be cut. */
  readonly complete: boolean
}

/** `code` where there is one (`ECONNRESET`, `UND_ERR_…`, `DEADLINE`, `ABORTED`). */
export interface TransportError {
  readonly code: string | null
  readonly name: string
  readonly message: string
}

/** One HTTP exchange as a plain value: everything the classifier needs, nothing of the library. */
export interface Exchange {
  /** False proves that no byte was handed to the socket, and that none will be (service/README.md#the-phase-flag). */
  readonly started: boolean
  readonly response: Response | null
  readonly error: TransportError | null
  readonly durationMs: number
  /** Wall clock when the exchange ended. */
  readonly receivedAtMs: number
}

export interface ExchangeLimits {
  /** From the call to the last byte of the answer: the only limit that a trickling answer cannot outlive. */
  readonly deadlineMs: number
  /** A fresh connection for every request, for a service that drops idle ones early (service/README.md#connections). */
  readonly freshConnections: boolean
}

/**
 * Sends one request and waits for its end. Never rejects and never sends a second time.
 *
 * undici calls `onRequestStart` immediately before its first write to the socket and does not write when
 * that call aborted, so this one flag, and no error code, tells "not sent" from "may have been sent".
 */
export function exchangeOnce(
  { dispatcher, origin }: Pick<Connections, 'dispatcher' | 'origin'>,
  { method, path, headers, body }: ExchangeRequest,
  { deadlineMs, freshConnections }: ExchangeLimits,
  clock: Clock,
  signal: AbortSignal,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const begunAt = clock.monotonic()
    const chunks: Buffer[] = []
    let head: Pick<Response, 'status' | 'headers'> | null = null
    let running: Dispatcher.DispatchController | null = null
    let started = false
    let ended = false

    function end(complete: boolean, error: TransportError | null): void {
      if (ended) return
      ended = true
      clearTimeout(deadline)
      signal.removeEventListener('abort', breakOffFromOutside)
      const response = head === null ? null : { ...head, bodyText: textOf(chunks), complete }
      const durationMs = Math.round(clock.monotonic() - begunAt)
      resolve({ started, response, error, durationMs, receivedAtMs: clock.now() })
    }
    function breakOff(code: string, message: string): void {
      // The value first: were the abort to come to nothing, the slot would hang.
      end(false, { code, name: 'Interrupted', message })
      running?.abort(new Error(message))
    }
    const breakOffFromOutside = (): void => breakOff('ABORTED', 'The exchange was broken off from outside')
    const giveUp = (): void => breakOff('DEADLINE', `No complete answer within ${deadlineMs} ms`)
    const deadline = setTimeout(giveUp, deadlineMs)

    if (signal.aborted) {
      breakOffFromOutside()
      return
    }
    setMaxListeners(0, signal) // a run has one signal for all its exchanges
    signal.addEventListener('abort', breakOffFromOutside)
    const connection = freshConnections ? { reset: true } : {}
    try {
      // One that undici refused would keep its connection for ever.
      for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value)
      dispatcher.dispatch(
        { origin, method, path, headers: { ...headers }, body, ...connection },
        {
          onRequestStart(controller) {
            // Ended while it waited for a connection, or about to be written a second time: nothing may leave.
            if (ended || started) {
              controller.abort(new Error('This request may not be written'))
              return
            }
            started = true
            running = controller
          },
          onResponseStart(_controller, status, answered) {
            if (status >= 200) head = { status, headers: joinRepeated(answered) }
          },
          onResponseData: (_controller, chunk) => void chunks.push(chunk),
          onResponseEnd: () => end(true, null),
          onResponseError: (_controller, error) => end(false, describeError(error)),
        },
      )
    } catch (error) {
      end(false, describeError(error))
    }
  })
}

const UTF8 = new TextDecoder()

const textOf = ([first, ...others]: readonly Buffer[]): string =>
  first === undefined ? '' : UTF8.decode(others.length === 0 ? first : Buffer.concat([first, ...others]))

const joinRepeated = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]))

/** Matched on the code, never on the class (service/README.md#error-matrix); some errors have only a name. */
function describeError(error: unknown): TransportError {
  if (!(error instanceof Error)) return { code: null, name: typeof error, message: '' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null
  return { code, name: error.name, message: error.message }
}

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
const OUR_OWN_FAULT = /^(?:REQUEST_INVALID|ERR_INVALID_CHAR|UND_ERR_(?:INVALID_ARG|NOT_SUPPORTED))$/
const TUNNEL_REFUSED = /^Proxy response \((\d{3})\)/

/** Why no answer came, or no whole one, as the beginning of a sentence, and whether that shows that no other can. */
export function explain({ started, response, error }: Exchange): { reason: string; halt: Halt | null } {
  const { code, name, message } = error ?? { code: null, name: 'no error was given', message: '' }
  const named = code ?? name
  // The certificate of one side, or the TLS set-up, is not accepted by the other.
  const halt = TLS_FAULT.test(code ?? '') ? 'certificate' : null
  // A status line without a first byte cannot be: the safe side of the contradiction is "started".
  if (started || response !== null) {
    const cause = DOUBTFUL.get(code ?? '') ?? 'The connection broke before the answer was complete'
    return { reason: `${cause} (${named})`, halt }
  }
  const unsent = (cause: string, why: Halt | null = null) => ({
    reason: `${cause} (${named}): nothing was sent`,
    halt: halt ?? why,
  })
  const tunnel = TUNNEL_REFUSED.exec(message)?.[1]
  if (tunnel === '407') return unsent('The proxy asked for credentials with 407', 'credentials')
  if (tunnel !== undefined)
    return unsent(`The proxy answered ${tunnel} instead of opening the way to the service`)
  if (halt !== null)
    return unsent('No trusted connection could be set up, check certificates, host name and port')
  if (OUR_OWN_FAULT.test(code ?? ''))
    return unsent(`The request was not well formed: ${message}`, 'request_rejected_locally')
  return unsent(UNSENT.get(code ?? '') ?? 'The connection could not be set up')
}
