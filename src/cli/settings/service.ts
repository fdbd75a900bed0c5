import { readFileSync } from 'node:fs'
import {
  type BaseUrl,
  createClient,
  createStatusTable,
  readBaseUrl,
  refuseUnverifiedTls,
  type ServiceClient,
  type StatusTable,
  UsageError,
} from '../../index.js'
import { readCredentials, type Credentials, type Settings } from './settings.js'
import { readTrusted, type Trusted } from './trusted.js'
import type { World } from '../terminal/world.js'

/** The service as the settings describe it, checked before anything is read or sent. */
export interface Service {
  readonly baseUrl: BaseUrl
  readonly credentials: Credentials
  readonly statusTable: StatusTable
  readonly outcomes: Readonly<Record<string, string>>
  readonly trusted: Trusted
  readonly connect: () => ServiceClient
}

export const timeoutMsOf = (settings: Settings): number => settings.get('timeout') * 1000

/** @throws {UsageError} for an address, credentials or certificates that cannot be used */
export async function readService(settings: Settings, world: World): Promise<Service> {
  refuseUnverifiedTls(world.env)
  const address = settings.get('baseUrl')
  if (address === null)
    throw new UsageError(
      'There is no base URL of the service; nothing was sent',
      'Give --base-url, set SEPA_MIGRATE_BASE_URL, or write service.baseUrl into sepa-migrate.yaml',
    )
  const baseUrl = readBaseUrl(address)
  const outcomes = settings.configuration.values.outcomes ?? {}
  const statusTable = createStatusTable(outcomes)
  const trusted = readTrusted(settings, world, baseUrl)
  const credentials = await readCredentials(settings, world)
  return {
    baseUrl,
    credentials,
    statusTable,
    outcomes,
    trusted,
    connect: () => connect(settings, world, { baseUrl, credentials, statusTable }),
  }
}

function connect(
  settings: Settings,
  world: World,
  { baseUrl, credentials, statusTable }: Pick<Service, 'baseUrl' | 'credentials' | 'statusTable'>,
): ServiceClient {
  const service = settings.configuration.values.service ?? {}
  const deadlineMs = timeoutMsOf(settings)
  const pem = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : readPem(settings.configuration.locate(path))
  const tls = { ca: pem(service.ca), cert: pem(service.clientCertificate), key: pem(service.clientKey) }
  return createClient({
    baseUrl,
    ...credentials,
    statusTable,
    deadlineMs,
    version: world.version,
    clock: world.clock,
    concurrency: settings.get('concurrency'),
    headersTimeoutMs: Math.min(120_000, deadlineMs),
    bodyTimeoutMs: Math.min(30_000, deadlineMs),
    connectTimeoutMs: settings.get('connectTimeout') * 1000,
    ...(service.freshConnections === undefined ? {} : { freshConnections: service.freshConnections }),
    ...(service.proxy === undefined ? {} : { proxy: service.proxy }),
    tls: Object.fromEntries(Object.entries(tls).filter(([, text]) => text !== undefined)),
  })
}

function readPem(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new UsageError(`Cannot read the certificate file "${file}"`, 'Check the path; nothing was sent', {
      cause,
    })
  }
}
