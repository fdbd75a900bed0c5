const IPV4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

/**
 * True for the names of this computer that no resolver is asked for: 127.0.0.0/8, `::1` (with or without brackets) and
 * `localhost` (RFC 1122, RFC 4291, RFC 6761). Ask with the host of a parsed
 * URL, so that a spelling such as `127.1` counts and `127.0.0.1.example` does not.
 */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || host === '[::1]' || IPV4.test(host)
