import { createHash, timingSafeEqual } from 'node:crypto'
import { refuse, type Refusal } from './refusal.js'
import { isLoopback } from '../domain/text/text.js'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Checks the Authorization header of HTTP Basic. Null means the request may pass. */
export function refusalOfHeader(header: string | undefined, expected: Credentials): Refusal | null {
  if (header === undefined) return refuse(401, 'MISSING_AUTH', 'The Authorization header is missing')
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? []
  if (encoded === undefined) {
    return refuse(401, 'INVALID_AUTH', 'The Authorization header is not of the Basic scheme')
  }
  const given = Buffer.from(encoded, 'base64').toString('utf8')
  return isSame(given, `${expected.username}:${expected.password}`)
    ? null
    : refuse(401, 'INVALID_AUTH', 'The user name or the password is wrong')
}

/** Compares digests, so that the time taken tells nothing about the password. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/**
 * True when a request names this sandbox in its Host header: a name or address of this computer, or the address that
 * the sandbox was told to listen on, and its port. A web page that made a foreign name point here (DNS rebinding) sends
 * that name.
 */
export function isOwnHost(
  host: string | undefined,
  { listensOn, port }: { listensOn: string; port: number },
): boolean {
  const [, name = '', given = '80'] =
    /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec((host ?? '').toLowerCase()) ?? []
  if (Number(given) !== port) return false
  // Where it listens on more than loopback it is reached by addresses of this computer, which no page can forge.
  const isPublic = !isLoopback(listensOn)
  return isLoopback(name) || name === listensOn.toLowerCase() || (isPublic && ADDRESS.test(name))
}
