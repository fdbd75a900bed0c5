import { distrustInstructions, distrustSecret } from '../trust/entry.js'
import { UsageError } from '../errors.js'
import type { BaseUrl } from './base-url.js'
import { readProxy } from './proxy.js'

/** Certificates and a proxy as a caller names them. The paths are of PEM files. */
export interface TrustOptions {
  /** A certificate authority that is trusted besides those that Node brings along, never instead of them. */
  readonly ca?: string | undefined
  readonly clientCertificate?: string | undefined
  /** Readable by its owner only. */
  readonly clientKey?: string | undefined
  /** `https://host:port`; `http:` to loopback only. Never used for a service on this machine. */
  readonly proxy?: string | undefined
}

/** Whom a run trusts on the way to the service, in so far as that is not the default. */
export interface Trusted {
  /** Without credentials. */
  readonly proxy: string | null
  /** What is trusted besides the certificate authorities that Node brings along. */
  readonly extraCertificates: readonly string[]
  readonly clientCertificate: string | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws {UsageError} for a certificate or key that others can change, and for a key that they can read */
export function readTrusted(
  { ca, clientCertificate, clientKey, proxy }: TrustOptions,
  environment: Environment,
  baseUrl: BaseUrl,
): Trusted {
  const named = (path: string | undefined): string[] => (path === undefined || path === '' ? [] : [path])
  const authorities = [...named(ca), ...named(environment['NODE_EXTRA_CA_CERTS'])]
  for (const path of [...authorities, ...named(clientCertificate)])
    refuse('certificate file', path, distrustInstructions(path))
  for (const path of named(clientKey)) refuse('key file', path, distrustSecret(path))
  return {
    proxy: proxy === undefined || baseUrl.isLoopback ? null : readProxy(proxy).origin,
    extraCertificates: [...authorities, ...systemStores(environment)],
    clientCertificate: clientCertificate ?? null,
  }
}

/** Node trusts the store of the system, or of OpenSSL, only when it is told to. */
function systemStores(environment: Environment): string[] {
  const flags = /--use-(?:openssl|system)-ca/.exec(environment['NODE_OPTIONS'] ?? '')
  return [
    ...(flags === null ? [] : [`the certificates of this system (${flags[0]})`]),
    ...(environment['NODE_USE_SYSTEM_CA'] === '1'
      ? ['the certificates of this system (NODE_USE_SYSTEM_CA)']
      : []),
  ]
}

function refuse(what: string, path: string, distrust: ReturnType<typeof distrustSecret>): void {
  if (distrust === null) return
  throw new UsageError(
    `Cannot trust the ${what} "${path}": ${distrust.why}`,
    `${distrust.next}; nothing was sent`,
  )
}
