import { resolve } from 'node:path'
import { type BaseUrl, distrustInstructions, distrustSecret, readProxy, UsageError } from '../../index.js'
import type { Settings } from './settings.js'
import type { World } from '../terminal/world.js'

/** Where a run's instructions come from and whom it trusts, in so far as that is not the default. */
export interface Trusted {
  readonly configuration: string | null
  /** Without credentials. */
  readonly proxy: string | null
  /** What is trusted besides the certificate authorities that Node brings along. */
  readonly extraCertificates: readonly string[]
  readonly clientCertificate: string | null
}

/** @throws {UsageError} for a certificate or key that others can change, and for a key that they can read */
export function readTrusted(settings: Settings, { env }: World, baseUrl: BaseUrl): Trusted {
  const { file, values, locate } = settings.configuration
  const { proxy, ca, clientCertificate, clientKey } = values.service ?? {}
  const located = (path: string | undefined): string[] => (path === undefined ? [] : [locate(path)])
  const ofNode = env['NODE_EXTRA_CA_CERTS'] ?? ''
  const authorities = [...located(ca), ...(ofNode === '' ? [] : [ofNode])]
  for (const path of [...authorities, ...located(clientCertificate)])
    refuse('certificate file', path, distrustInstructions(path))
  for (const path of located(clientKey)) refuse('key file', path, distrustSecret(path))
  return {
    configuration: file === null ? null : resolve(file),
    proxy: proxy === undefined || baseUrl.isLoopback ? null : readProxy(proxy).origin,
    extraCertificates: [...authorities, ...systemStores(env)],
    clientCertificate: located(clientCertificate)[0] ?? null,
  }
}

/** Node trusts the store of the system, or of OpenSSL, only when it is told to. */
function systemStores(env: World['env']): string[] {
  const flags = /--use-(?:openssl|system)-ca/.exec(env['NODE_OPTIONS'] ?? '')
  return [
    ...(flags === null ? [] : [`the certificates of this system (${flags[0]})`]),
    ...(env['NODE_USE_SYSTEM_CA'] === '1' ? ['the certificates of this system (NODE_USE_SYSTEM_CA)'] : []),
  ]
}

function refuse(what: string, path: string, distrust: ReturnType<typeof distrustSecret>): void {
  if (distrust === null) return
  throw new UsageError(
    `Cannot trust the ${what} "${path}": ${distrust.why}`,
    `${distrust.next}; nothing was sent`,
  )
}

/** For plan and result; nothing where everything is the default. */
export const trustedLines = (trusted: Trusted): string[] => [
  ...(trusted.configuration === null ? [] : [`Configuration: ${trusted.configuration}`]),
  ...(trusted.proxy === null ? [] : [`Proxy: ${trusted.proxy}`]),
  ...trusted.extraCertificates.map((path) => `Extra certificates: ${path}`),
  ...(trusted.clientCertificate === null ? [] : [`Client certificate: ${trusted.clientCertificate}`]),
]
