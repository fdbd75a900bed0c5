import { isLoopback, said } from '../domain/text/text.js'
import { UsageError } from '../errors.js'
import { API_PREFIX, SANDBOX_USER } from '../contract/envelope.js'
import { distrustInstructions, distrustSecret, isOthersPort } from '../trust/trusted-file.js'
import type { Halt } from '../domain/row/row-state.js'

/** What a complete answer with this status means (service/README.md#outcomes). `read_answer`: the body decides. */
export interface StatusLine {
  readonly kind: 'read_answer' | 'refused' | 'turned_away' | 'in_doubt'
  readonly halt: Halt | null
}

/** The table as one run uses it. `overrides` is recorded with the run and printed in the report. */
export type StatusTable = ReturnType<typeof createStatusTable>

/** What an override may say. */
export const OVERRIDE_KINDS = ['refused', 'turned_away', 'in_doubt'] as const
type OverrideKind = (typeof OVERRIDE_KINDS)[number]

/** The first that fits a status. Whatever is not listed is in doubt: a wrong "refused" would hide a live mandate. */
const LINES: readonly (readonly [RegExp, StatusLine])[] = [
  [/^2\d\d$/, { kind: 'read_answer', halt: null }],
  [/^3\d\d$/, { kind: 'in_doubt', halt: 'redirect' }],
  // The service did not even look at the mandate: the row stays ready, the run cannot go on.
  [/^40[137]$/, { kind: 'turned_away', halt: 'credentials' }],
  [/^4(?:0[0456]|1[01345]|22)$/, { kind: 'refused', halt: null }],
  [/^42[159]$/, { kind: 'turned_away', halt: null }],
]
const IN_DOUBT: StatusLine = { kind: 'in_doubt', halt: null }

/** The statuses whose meaning an override may change: 2xx and 3xx are fixed, and credentials always stop the run. */
export const OVERRIDABLE_STATUS = /^(?!40[137]$)[45]\d\d$/

/**
 * The table of service/README.md#outcomes with the lines of the configuration (`outcomes: { "503": turned_away }`) on top.
 * @throws {UsageError} for a status that is fixed or none, or an outcome that is none
 */
export function createStatusTable(overrides: Readonly<Record<string, string>> = {}) {
  const changed = new Map<string, OverrideKind>()
  for (const [status, named] of Object.entries(overrides)) {
    const kind = OVERRIDE_KINDS.find((one) => one === named)
    if (kind === undefined || !OVERRIDABLE_STATUS.test(status))
      throw new UsageError(
        `Cannot use the setting "outcomes": "${status}: ${named}"`,
        `Nothing was sent. Give ${OVERRIDE_KINDS.join(', ')} for statuses from 400 to 599; 401, 403 and 407 always stop the run.`,
      )
    changed.set(status, kind)
  }
  return {
    lineOf: (status: number): StatusLine => {
      const kind = changed.get(`${status}`)
      if (kind !== undefined) return { kind, halt: null }
      return LINES.find(([statuses]) => statuses.test(`${status}`))?.[1] ?? IN_DOUBT
    },
    isOverridden: (status: number): boolean => changed.has(`${status}`),
    overrides: Object.fromEntries(changed),
  }
}

/**
 * How long the service asks us to wait (RFC 9110, 10.2.3), in milliseconds; null when it does not say so
 * readably. A date counts from the answer's own `Date`, so that a wrong clock here or there does no harm.
 * Not bounded above: the pacer decides how long is too long.
 */
export function readRetryAfterMs(
  retryAfter: string | undefined,
  answer: { date: string | undefined; receivedAtMs: number },
): number | null {
  if (retryAfter === undefined) return null
  const text = retryAfter.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const until = httpDateMs(text)
  if (until === null) return null
  const waitMs = until - (httpDateMs(answer.date?.trim() ?? '') ?? answer.receivedAtMs)
  return waitMs < 0 ? null : waitMs
}

/** In the form that servers send (RFC 9110, 5.6.7), to the letter; null for any other text. */
function httpDateMs(text: string): number | null {
  const date = new Date(text)
  return date.getTime() >= 0 && date.toUTCString() === text ? date.getTime() : null
}

/** Where the service is, checked once at start. */
export type BaseUrl = ReturnType<typeof readBaseUrl>

/**
 * Reads the base URL. Messages name the host only: the text itself may hold a password or a token.
 * @throws {UsageError} for anything but `https:`, or `http:` to a literal loopback address
 */
export function readBaseUrl(text: string) {
  const trimmed = text.trim()
  if (trimmed === '') throw unusable('it is empty')
  if (/[\s\\]/.test(trimmed)) throw unusable('it holds a blank or a backslash')
  if (!/^https?:\/\/[^/]/i.test(trimmed) || !URL.canParse(trimmed))
    throw unusable('it is not an address that begins with https://')
  const url = withoutTrailingDot(new URL(trimmed))
  if (url.username !== '' || url.password !== '')
    throw unusable(
      'it holds a user name or a password',
      'Take them out of the address and give them as user name and password instead (SEPA_MIGRATE_USERNAME, and SEPA_MIGRATE_PASSWORD or --password-file).',
    )
  if (/[?#]/.test(trimmed)) throw unusable('it has a query or a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw unusable(
      `"${url.host}" is not this machine, and http:// would send account numbers unencrypted`,
      'Use https://. Only 127.0.0.0/8, [::1] and localhost may be reached by http://.',
    )
  }
  const pathPrefix = withoutEnd(url.pathname.replace(/(?<!\/)\/+$/, ''))
  return {
    /**
     * One spelling per service: lower case, no dot after the host, no trailing slash or `/api/v2`, default port left out.
     * A ledger is bound to it.
     */
    href: url.origin + pathPrefix,
    origin: url.origin,

    /** Put before every path of the interface; empty, or `/prefix` without a slash at its end. */
    pathPrefix,

    /** Host and port as the operator has to type them to confirm a run. */
    host: url.host,

    /** A literal loopback address: nothing leaves this machine, so `http:` is allowed. */
    isLoopback: isLoopback(url.hostname),

    /** There, and another user of this machine may be the one who listens: as it is when somebody asks. */
    get isOthers(): boolean {
      return (
        isLoopback(url.hostname) && isOthersPort(Number(url.port) || (url.protocol === 'http:' ? 80 : 443))
      )
    },
  }
}

/**
 * Whether somebody must say so before credentials go there: on this machine only where another user listens, and not for the
 * simulator's own user name.
 */
export const isAskedAbout = (
  { isLoopback, isOthers }: Pick<BaseUrl, 'isLoopback' | 'isOthers'>,
  username: string,
): boolean => !isLoopback || (isOthers && username !== SANDBOX_USER)

/** Services document their address with the ending that every path of the interface begins with. */
const withoutEnd = (path: string): string =>
  path.endsWith(API_PREFIX) ? path.slice(0, -API_PREFIX.length).replace(/(?<!\/)\/+$/, '') : path

/** `host.` is `host`, written for a name server: the same service, and no certificate has the dot. */
function withoutTrailingDot(url: URL): URL {
  const plain = new URL(url)
  plain.hostname = url.hostname.replace(/(?<=[^.])\.+$/, '')
  return plain
}

/** Compares two addresses as they are noted, also those that were noted before one spelling was kept. */
export const sameService = (one: string, other: string): boolean => oneSpelling(one) === oneSpelling(other)

function oneSpelling(href: string): string {
  if (!URL.canParse(href)) return href
  const { origin, pathname } = withoutTrailingDot(new URL(href))
  return origin + pathname.replace(/(?<!\/)\/+$/, '')
}

/** A setting of the service that cannot be. */
export const cannotUse = (what: string, problem: string, next: string): UsageError =>
  new UsageError(`Cannot use ${what}: ${problem}`, `Nothing was sent. ${next}`)

export const outOfRange = (name: string, given: number, wanted: string): UsageError =>
  cannotUse(`the ${name} ${given}`, `it must be ${wanted}`, 'Change the setting.')

const unusable = (
  problem: string,
  next = 'Give the address as https://host, with a path only where the service has one.',
): UsageError => cannotUse('the base URL', problem, next)

/** What holds where nobody says otherwise, for commands that speak to no service too: they load no client. */
export const USUAL_CONCURRENCY = 8
export const USUAL_TIMEOUT_MS = 150_000
export const USUAL_CONNECT_TIMEOUT_MS = 10_000

/**
 * The address may hold the credentials of the proxy, so no message quotes it. Through a proxy of another machine they
 * would go in clear with `http:`, as would the name of the service.
 * @throws {UsageError} for anything but `https:`, or `http:` to a literal loopback address
 */
export function readProxy(text: string): URL {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw unusableProxy('its address does not begin with https://')
  const url = new URL(text)
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw unusableProxy(
      `"${url.host}" is not this machine, and http:// would send the password of the proxy in clear`,
    )
  return url
}

const unusableProxy = (problem: string): UsageError =>
  cannotUse(
    'the proxy',
    problem,
    'Give it as https://host:port; http:// only to 127.0.0.0/8, [::1] and localhost.',
  )

/** Certificates and a proxy as a caller names them. The paths are of PEM files. */
interface TrustOptions {
  /** A certificate authority that is trusted besides those that Node brings along, never instead of them. */
  readonly ca?: string | undefined
  readonly clientCertificate?: string | undefined
  /** Readable by its owner only. */
  readonly clientKey?: string | undefined
  /** `https://host:port`; `http:` to loopback only. Never used for a service on this machine. */
  readonly proxy?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/** @throws {UsageError} for a certificate or key that others can change, and for a key that they can read */
export function readTrusted(
  { ca, clientCertificate, clientKey, proxy }: TrustOptions,
  environment: Environment,
  baseUrl: BaseUrl,
) {
  const named = (path: string | undefined): string[] => (path === undefined || path === '' ? [] : [path])
  const authorities = [...named(ca), ...named(environment['NODE_EXTRA_CA_CERTS'])]
  for (const path of [...authorities, ...named(clientCertificate)])
    refuse('certificate file', path, distrustInstructions(path))
  for (const path of named(clientKey)) refuse('key file', path, distrustSecret(path))
  return {
    /** Without credentials. */
    proxy: proxy === undefined || baseUrl.isLoopback ? null : readProxy(proxy).origin,

    /** What is trusted besides the certificate authorities that Node brings along. */
    extraCertificates: [...authorities, ...systemStores(environment)],
    clientCertificate: clientCertificate ?? null,
  }
}

/** Node trusts the store of the system, or of OpenSSL, only when it is told to. */
function systemStores(environment: Environment): string[] {
  const flags = /--use-(?:openssl|system)-ca/.exec(environment['NODE_OPTIONS'] ?? '')
  return said([
    flags !== null && `the certificates of this system (${flags[0]})`,
    environment['NODE_USE_SYSTEM_CA'] === '1' && 'the certificates of this system (NODE_USE_SYSTEM_CA)',
  ])
}

function refuse(what: string, path: string, distrust: ReturnType<typeof distrustSecret>): void {
  if (distrust === null) return
  throw new UsageError(
    `Cannot trust the ${what} "${path}": ${distrust.why}`,
    `${distrust.next}; nothing was sent`,
  )
}

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

/** The names of these and of the credentials. */
export const OF_SERVICE =
  'baseUrl concurrency timeoutMs connectTimeoutMs freshConnections outcomes ca:text clientCertificate:text clientKey:text proxy:text username password'

/** Never written down, never part of a message. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The service as its caller describes it, checked before anything is read or sent. */
export type CheckedService = ReturnType<typeof checkService>

const MOST_CONCURRENCY = 256

/**
 * Everything that can be said of a service before anybody speaks to it. Opens nothing.
 * @param environment of the process: what it says of certificates counts
 * @throws {UsageError} for an address, a proxy or certificates that cannot be used or trusted, and for an environment
 *   that turns the verification of certificates off
 */
export function checkService(options: ServiceOptions, environment: Environment) {
  // Connections verify certificates whatever it says. Whoever told Node not to believes something that is not so.
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    throw new UsageError(
      'Cannot run while NODE_TLS_REJECT_UNAUTHORIZED=0 is set: it would accept any certificate',
      'Nothing was sent. Unset it, and name the certificate of your own authority instead.',
    )
  assertText('the base URL', options.baseUrl)
  const baseUrl = readBaseUrl(options.baseUrl)
  const statusTable = createStatusTable(options.outcomes)
  const trusted = readTrusted(options, environment, baseUrl)
  const { concurrency = USUAL_CONCURRENCY, timeoutMs = USUAL_TIMEOUT_MS } = options
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MOST_CONCURRENCY)
    throw outOfRange('concurrency', concurrency, `a whole number from 1 to ${MOST_CONCURRENCY}`)
  return { options, baseUrl, statusTable, trusted, concurrency, timeoutMs }
}

/** A variable of the environment that is not set would be sent as the word "undefined" by a program without types. */
export function assertText(what: string, given: unknown): void {
  if (typeof given === 'string' && given !== '') return
  const next = 'Look whether the variable or file that holds it is there.'
  throw cannotUse('the service', `${what} is missing or empty`, next)
}
