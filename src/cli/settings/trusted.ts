import { UsageError } from '../../errors.js'
import type { Trusted as TrustedOnTheWay } from '../../service/trusted.js'
import type { LoadedConfiguration } from './configuration.js'

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

/** Why others can change the configuration, for people; null where they cannot. */
export const distrustedConfiguration = ({ file, distrust }: LoadedConfiguration): string | null =>
  distrust === null
    ? null
    : `Others can change the configuration file "${file ?? ''}": ${distrust.why}. It only says how files are read`

/**
 * Which column is the account, and which customer an old key is, decides whom a mandate debits: what another user of this
 * machine wrote does not say that where something is sent.
 * @throws {UsageError}
 */
export function assertOwnColumns({ file, distrust, values }: LoadedConfiguration): void {
  if (distrust?.isForeign !== true) return
  const hasColumns = Object.values(values.columns).some((column) => column !== undefined)
  if (values.crosswalk === undefined && !hasColumns) return
  const key = values.crosswalk === undefined ? 'columns' : 'crosswalk'
  throw new UsageError(
    `The configuration file "${file ?? ''}" sets "${key}", but ${distrust.why}: others could exchange accounts and customers; nothing was sent`,
    `${distrust.next}, or copy the file to a folder of your own, look through it and name it with --config`,
  )
}
