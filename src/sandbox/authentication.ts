import { createHash, timingSafeEqual } from 'node:crypto'
import { refuse, type Refusal } from './refusal.js'

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Checks the Authorization header of HTTP Basic (section 5). Null means the request may pass. */
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

/** From this computer, and not by way of a web page that made a foreign name point here. */
export function isFromHere(remoteAddress: string | undefined, host: string | undefined): boolean {
  const isLoopback = remoteAddress === '::1' || /^(::ffff:)?127\./.test(remoteAddress ?? '')
  return isLoopback && /^(127(\.\d+){3}|localhost|\[::1\])(:\d+)?$/i.test(host ?? '')
}
