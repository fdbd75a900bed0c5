import { UsageError } from '../errors.js'
import { isLoopback } from '../domain/text/text.js'

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
  new UsageError(
    `Cannot use the proxy: ${problem}`,
    'Nothing was sent. Give it as https://host:port; http:// only to 127.0.0.0/8, [::1] and localhost.',
  )
