import { describe, expect, it } from 'vitest'
import { isOwnHost } from '../../src/sandbox/refusal.js'
describe('9.2.5 the Host header', () => {
  const own = (listensOn: string, host: string | undefined, port = 8080) =>
    isOwnHost(host, { listensOn, port })

  it.each([
    ['127.0.0.1', ['127.0.0.1:8080', 'localhost:8080', 'LOCALHOST:8080', '127.0.0.9:8080']],
    ['::1', ['[::1]:8080']],
    ['localhost', ['127.0.0.1:8080']],
    ['0.0.0.0', ['192.0.2.7:8080', '[2001:db8::7]:8080']],
    ['sandbox.example', ['sandbox.example:8080']],
  ])('of a sandbox on %s may be %j', (listensOn, hosts) => {
    for (const host of hosts) expect(own(listensOn, host), host).toBe(true)
  })

  it.each([
    [
      '127.0.0.1',
      ['rebound.example:8080', '127.0.0.1.example:8080', 'localhost.example:8080', '192.0.2.7:8080'],
    ],
    ['127.0.0.1', ['127.0.0.1:8081', '127.0.0.1', 'user@127.0.0.1:8080', '127.0.0.1:8080, rebound.example']],
    ['127.0.0.1', ['', undefined]],
    ['0.0.0.0', ['rebound.example:8080']],
    ['sandbox.example', ['rebound.example:8080']],
  ])('of a sandbox on %s may not be %j', (listensOn, hosts) => {
    for (const host of hosts) expect(own(listensOn, host), host).toBe(false)
  })

  it('may leave out the port where it is the usual one', () => {
    expect(own('127.0.0.1', 'localhost', 80)).toBe(true)
  })
})
