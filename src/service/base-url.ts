import { API_PREFIX } from '../contract/envelope.js'
import { UsageError, type Way } from '../errors.js'
import { isLoopback } from '../domain/text/text.js'

/** Where the service is, checked once at start. */
export interface BaseUrl {
  /**
   * One spelling per service: lower case, no dot after the host, no trailing slash or `/api/v2`, default port left out.
   * A ledger is bound to it.
   */
  readonly href: string
  readonly origin: string
  /** Put before every path of the interface; empty, or `/prefix` without a slash at its end. */
  readonly pathPrefix: string
  /** Host and port as the operator has to type them to confirm a run. */
  readonly host: string
  /** A literal loopback address: nothing leaves this machine, so `http:` is allowed and no confirmation asked. */
  readonly isLoopback: boolean
}

/**
 * Reads the base URL. Messages name the host only: the text itself may hold a password or a token.
 * @throws {UsageError} for anything but `https:`, or `http:` to a literal loopback address
 */
export function readBaseUrl(text: string): BaseUrl {
  const trimmed = text.trim()
  if (trimmed === '') throw unusable('it is empty')
  if (/[\s\\]/.test(trimmed)) throw unusable('it holds a blank or a backslash')
  if (!/^https?:\/\/[^/]/i.test(trimmed) || !URL.canParse(trimmed)) {
    throw unusable('it is not an address that begins with https://')
  }
  const url = withoutTrailingDot(new URL(trimmed))
  if (url.username !== '' || url.password !== '') {
    throw unusable(
      'it holds a user name or a password',
      'Take them out of the address and give them as user name and password instead.',
      ['credentials'],
    )
  }
  if (/[?#]/.test(trimmed)) throw unusable('it has a query or a fragment')
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw unusable(
      `"${url.host}" is not this machine, and http:// would send account numbers unencrypted`,
      'Use https://. Only 127.0.0.0/8, [::1] and localhost may be reached by http://.',
    )
  }
  const pathPrefix = withoutEnd(url.pathname.replace(/\/+$/, ''))
  if (pathPrefix.endsWith(API_PREFIX)) {
    throw unusable(
      `it ends with "${API_PREFIX}" twice`,
      `Leave out the ending "${API_PREFIX}", it is added to the address.`,
    )
  }
  return {
    href: url.origin + pathPrefix,
    origin: url.origin,
    pathPrefix,
    host: url.host,
    isLoopback: isLoopback(url.hostname),
  }
}

/** Services document their address with the ending that every path of the interface begins with. */
const withoutEnd = (path: string): string =>
  path.endsWith(API_PREFIX) ? path.slice(0, -API_PREFIX.length).replace(/\/+$/, '') : path

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
  return origin + pathname.replace(/\/+$/, '')
}

const unusable = (
  problem: string,
  next = 'Give the address as https://host, with a path only where the service has one.',
  ways: readonly Way[] = [],
): UsageError => new UsageError(`Cannot use the base URL: ${problem}`, `Nothing was sent. ${next}`, { ways })
