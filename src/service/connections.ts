import { X509Certificate } from 'node:crypto'
import { createRequire } from 'node:module'
import { createSecureContext, rootCertificates } from 'node:tls'
import type { Dispatcher, Pool, ProxyAgent } from 'undici'
import { UsageError } from '../errors.js'
import { type BaseUrl, outOfRange, readProxy } from './checked-service.js'

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
