import { UsageError } from '../errors.js'

/**
 * The connections verify certificates whatever the environment says; a run that was told not to is refused
 * all the same, because its operator believes something that is not so (service/README.md#connections).
 * @throws {UsageError}
 */
export function refuseUnverifiedTls(environment: Readonly<Record<string, string | undefined>>): void {
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return
  throw new UsageError(
    'Cannot run while NODE_TLS_REJECT_UNAUTHORIZED=0 is set: it would accept any certificate',
    'Nothing was sent. Unset it; name the certificate of your own authority in the configuration instead.',
  )
}
