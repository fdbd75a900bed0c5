import { UsageError } from '../errors.js'
import { readBaseUrl, type BaseUrl } from './base-url.js'
import { createClient, type ClientOptions, type ServiceClient } from './client.js'
import { refuseUnverifiedTls } from './connections.js'
import type { ExchangeClock } from './exchange.js'
import { createSourceReader, type SourceReader } from './read-back/source-reader.js'
import { createStatusTable, type StatusTable } from './status-table.js'
import { USUAL_CONCURRENCY, USUAL_TIMEOUT_MS } from './usual-pace.js'
import { readTrusted, type Trusted, type TrustOptions } from './trusted.js'
import { MOST_BYTES, readGivenText } from '../trust/given-file.js'

/** Where the service is and how it is spoken to. Only the address must be given. */
export interface ServiceOptions extends TrustOptions {
  /** `https://host`, with a path where the service has one; `http:` only to a literal loopback address. */
  readonly baseUrl: string
  /** Requests under way at most, 1 to 256. Default 8. */
  readonly concurrency?: number | undefined
  /** Deadline of one request in milliseconds, the answer's last byte included. Default 150,000: long on purpose. */
  readonly timeoutMs?: number | undefined
  /** Deadline of one connection in milliseconds. Default 10,000. */
  readonly connectTimeoutMs?: number | undefined
  /** A new connection for every request. Default false. */
  readonly freshConnections?: boolean | undefined
  /** What single statuses of 4xx and 5xx mean, as `{ "503": "turned_away" }` (service/README.md#outcomes). */
  readonly outcomes?: Readonly<Record<string, string>> | undefined
}

/** Never written down, never part of a message. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The service as its caller describes it, checked before anything is read or sent. */
export interface CheckedService {
  readonly options: ServiceOptions
  readonly baseUrl: BaseUrl
  readonly statusTable: StatusTable
  readonly trusted: Trusted
  readonly concurrency: number
  readonly timeoutMs: number
}

const MOST_CONCURRENCY = 256
const [MOST_HEADERS_MS, MOST_BODY_MS] = [120_000, 30_000]

/**
 * Everything that can be said of a service before anybody speaks to it. Opens nothing.
 * @param environment of the process: what it says of certificates counts
 * @throws {UsageError} for an address, a proxy or certificates that cannot be used or trusted, and for an environment
 *   that turns the verification of certificates off
 */
export function checkService(
  options: ServiceOptions,
  environment: Readonly<Record<string, string | undefined>>,
): CheckedService {
  refuseUnverifiedTls(environment['NODE_TLS_REJECT_UNAUTHORIZED'])
  assertText('the base URL', options.baseUrl)
  const baseUrl = readBaseUrl(options.baseUrl)
  const statusTable = createStatusTable(options.outcomes)
  const trusted = readTrusted(options, environment, baseUrl)
  const { concurrency = USUAL_CONCURRENCY, timeoutMs = USUAL_TIMEOUT_MS } = options
  if (!(concurrency <= MOST_CONCURRENCY))
    throw new UsageError(
      `Cannot use the concurrency ${concurrency}: it must be a whole number from 1 to ${MOST_CONCURRENCY}`,
      'Nothing was sent. Change the setting.',
    )
  return { options, baseUrl, statusTable, trusted, concurrency, timeoutMs }
}

/**
 * A client for a service that was checked. Nothing is sent before it is asked for.
 * @throws {UsageError} for credentials, limits or certificates that cannot be used
 */
export const connectTo = (
  service: CheckedService,
  credentials: Credentials,
  machine: ClientMachine,
): ServiceClient =>
  createClient({ ...clientOptions(service, credentials, machine), statusTable: service.statusTable })

/**
 * The same for reading back what a service holds, over connections of its own.
 * @throws {UsageError} for credentials, limits or certificates that cannot be used
 */
export const connectReader = (
  service: CheckedService,
  credentials: Credentials,
  machine: ClientMachine,
): SourceReader => createSourceReader(clientOptions(service, credentials, machine))

interface ClientMachine {
  readonly version: string
  readonly clock: ExchangeClock
}

function clientOptions(
  { options, baseUrl, concurrency, timeoutMs }: CheckedService,
  { username, password }: Credentials,
  { version, clock }: ClientMachine,
): Omit<ClientOptions, 'statusTable'> {
  assertText('the user name', username)
  assertText('the password', password)
  const { ca, clientCertificate, clientKey, connectTimeoutMs, freshConnections, proxy } = options
  const tls = { ca: readPem(ca), cert: readPem(clientCertificate), key: readPem(clientKey) }
  return {
    baseUrl,
    username,
    password,
    version,
    clock,
    concurrency,
    deadlineMs: timeoutMs,
    headersTimeoutMs: Math.min(MOST_HEADERS_MS, timeoutMs),
    bodyTimeoutMs: Math.min(MOST_BODY_MS, timeoutMs),
    ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
    ...(freshConnections === undefined ? {} : { freshConnections }),
    ...(proxy === undefined ? {} : { proxy }),
    tls: Object.fromEntries(Object.entries(tls).filter(([, text]) => text !== undefined)),
  }
}

/** A variable of the environment that is not set would be sent as the word "undefined" by a program without types. */
function assertText(what: string, given: unknown): void {
  if (typeof given === 'string' && given !== '') return
  throw new UsageError(
    `Cannot use the service: ${what} is missing or empty`,
    'Nothing was sent. Look whether the variable or file that holds it is there.',
  )
}

const readPem = (file: string | undefined): string | undefined =>
  file === undefined
    ? undefined
    : readGivenText(file, {
        what: 'certificate file',
        nothing: 'nothing was sent',
        mostBytes: MOST_BYTES.certificates,
      })
