import type { Trusted as TrustedOnTheWay } from '../../service/trusted.js'

/** Where a run's instructions come from and whom it trusts, in so far as that is not the default. */
export interface Trusted extends TrustedOnTheWay {
  /** Absolute path of the configuration file. */
  readonly configuration: string | null
}

/** For plan and result; nothing where everything is the default. */
export const trustedLines = (trusted: Trusted): string[] => [
  ...(trusted.configuration === null ? [] : [`Configuration: ${trusted.configuration}`]),
  ...(trusted.proxy === null ? [] : [`Proxy: ${trusted.proxy}`]),
  ...trusted.extraCertificates.map((path) => `Extra certificates: ${path}`),
  ...(trusted.clientCertificate === null ? [] : [`Client certificate: ${trusted.clientCertificate}`]),
]
