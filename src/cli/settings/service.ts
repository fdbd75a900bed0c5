import { resolve } from 'node:path'
import { UsageError } from '../../errors.js'
import type { BaseUrl } from '../../service/base-url.js'
import { checkService, type Credentials, type ServiceOptions } from '../../service/checked-service.js'
import { readCredentials, type Settings } from './settings.js'
import type { Trusted } from './trusted.js'
import type { World } from '../terminal/world.js'

/** The service as the settings describe it, checked before anything is read or sent. */
export interface Service {
  readonly options: ServiceOptions
  readonly baseUrl: BaseUrl
  readonly credentials: Credentials
  readonly trusted: Trusted
}

/** The service as far as it is known without a password. */
export type Target = Omit<Service, 'credentials'>

/** @throws {UsageError} for an address or certificates that cannot be used */
export function readTarget(settings: Settings, world: World): Target {
  const options = serviceOptions(settings)
  const { baseUrl, trusted } = checkService(options, world.env)
  const { file } = settings.configuration
  return {
    options,
    baseUrl,
    trusted: { configuration: file === null ? null : resolve(file), ...trusted },
  }
}

/** @throws {UsageError} for an address, credentials or certificates that cannot be used */
export async function readService(settings: Settings, world: World): Promise<Service> {
  const target = readTarget(settings, world)
  // Asked for last, since that may be a question to a person.
  return { ...target, credentials: await readCredentials(settings, world) }
}

/** @throws {UsageError} where nobody has said that the service can be asked, which its contract does not promise */
export function assertReadBackTold(settings: Settings): void {
  if (settings.get('readBack') ?? false) return
  throw new UsageError(
    'Nobody has said that this service can be asked what it holds; nothing was asked',
    'Find out at its test environment, then give --read-back or set service.readBack to true',
  )
}

function serviceOptions(settings: Settings): ServiceOptions {
  const baseUrl = settings.get('baseUrl')
  if (baseUrl === null)
    throw new UsageError(
      'There is no base URL of the service; nothing was sent',
      'Give --base-url, set SEPA_MIGRATE_BASE_URL, or write service.baseUrl into sepa-migrate.yaml',
    )
  return {
    baseUrl,
    concurrency: settings.get('concurrency'),
    timeoutMs: settings.get('timeout') * 1000,
    connectTimeoutMs: settings.get('connectTimeout') * 1000,
    ca: settings.get('ca') ?? undefined,
    clientCertificate: settings.get('clientCertificate') ?? undefined,
    clientKey: settings.get('clientKey') ?? undefined,
    proxy: settings.get('proxy') ?? undefined,
    freshConnections: settings.get('freshConnections') ?? undefined,
    outcomes: settings.configuration.values.outcomes,
  }
}
