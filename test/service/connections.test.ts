import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { refuseUnverifiedTls } from '../../src/service/checked-service.js'
import { UsageError } from '../../src/errors.js'
import { openConnections, type ConnectionOptions } from '../../src/service/connections.js'
import { startFaultProxy, type ProxyFault } from '../support/fault-server-proxy.js'
import {
  makeAuthority,
  makeSelfSigned,
  type Authority,
  type CertifiedKey,
} from '../support/tls-certificates.js'
import { mandateOf, openClient, openServer, send } from './sending.js'
import { readBaseUrl } from '../../src/service/checked-service.js'

/** Not on this machine by its name; the proxy of these tests leads every name here. */
const BEYOND = 'service.example'

let authority: Authority
let valid: CertifiedKey

beforeAll(async () => {
  authority = await makeAuthority()
  valid = await authority.issue(['localhost', BEYOND])
})

const trust = () => ({ tls: { ca: authority.cert } })

/** Sets an environment variable until the test ends. */
function setVariable(name: string, value: string): void {
  vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
}

async function openProxy(fault?: ProxyFault) {
  const proxy = await startFaultProxy(fault)
  onTestFinished(() => proxy.close())
  return proxy
}

describe('TLS', () => {
  it('registers over a connection whose certificate a named authority signed', async () => {
    const server = await openServer({ tls: valid })
    expect(await send(openClient(server.url, trust()))).toMatchObject({ kind: 'registered' })
  })

  it('trusts every authority of a bundle', async () => {
    const bundle = [(await makeAuthority()).cert, authority.cert].join('\n')
    const server = await openServer({ tls: valid })
    expect(await send(openClient(server.url, { tls: { ca: bundle } }))).toMatchObject({ kind: 'registered' })
  })

  it('registers over TLS 1.2', async () => {
    const server = await openServer({ tls: { ...valid, maxVersion: 'TLSv1.2' } })
    expect(await send(openClient(server.url, trust()))).toMatchObject({ kind: 'registered' })
  })

  it('refuses TLS 1.1', async () => {
    const tls = { ...valid, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
    const server = await openServer({ tls })
    const outcome = await send(openClient(server.url, trust()))
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'certificate', evidence: { started: false } })
    expect(server.truth.requests).toEqual([])
  })

  it.each([
    ['expired', () => authority.issue(['localhost'], { expired: true }), 'CERT_HAS_EXPIRED'],
    ['self-signed', () => makeSelfSigned(['localhost']), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    ['for another name', () => authority.issue(['elsewhere.example']), 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])(
    'scenario 6: a certificate that is %s stops the run and nothing is in doubt',
    async (_, make, errorCode) => {
      const server = await openServer({ tls: await make() })
      const outcome = await send(openClient(server.url, trust()))
      expect(outcome).toMatchObject({
        kind: 'not_sent',
        halt: 'certificate',
        evidence: { started: false, errorCode, status: null },
      })
      expect(outcome.reason).toContain(
        'No trusted connection could be set up, check certificates, host name and port',
      )
      expect(outcome.reason).toContain(errorCode)
      expect(server.truth.requests).toEqual([])
    },
  )

  it('scenario 6: a certificate of an authority that was not named stops the run', async () => {
    const server = await openServer({ tls: valid })
    const outcome = await send(openClient(server.url))
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'certificate', evidence: { started: false } })
    expect(server.truth.requests).toEqual([])
  })

  it('scenario 56: checks certificates even when the environment says not to', async () => {
    setVariable('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const server = await openServer({ tls: await makeSelfSigned(['localhost']) })
    expect(await send(openClient(server.url))).toMatchObject({ kind: 'not_sent', halt: 'certificate' })
  })

  it('a server that does not speak TLS stops the run', async () => {
    const server = createServer((_request, response) => response.end())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const outcome = await send(openClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`))
    expect(outcome).toMatchObject({
      kind: 'not_sent',
      halt: 'certificate',
      evidence: { started: false },
    })
    expect(outcome.evidence.errorCode).toMatch(/^ERR_SSL_/)
  })

  it('scenario 4: a handshake that stalls is not sent', async () => {
    const server = await openServer({ tls: valid, script: { everyConnection: { kind: 'deaf' } } })
    expect(await send(openClient(server.url, { ...trust(), connectTimeoutMs: 100 }))).toMatchObject({
      kind: 'not_sent',
      halt: null,
      evidence: { started: false, errorCode: 'UND_ERR_CONNECT_TIMEOUT' },
    })
  })

  it('scenario 5: a reset in the handshake is not sent, although its code is ECONNRESET', async () => {
    const script = { everyConnection: { kind: 'reset_at_first_bytes' } } as const
    const server = await openServer({ tls: valid, script })
    expect(await send(openClient(server.url, trust()))).toMatchObject({
      kind: 'not_sent',
      halt: null,
      evidence: { started: false, errorCode: 'ECONNRESET' },
    })
  })
})

describe('client certificates', () => {
  const asking = () => ({ ...valid, ca: authority.cert, requestCert: true })

  it('are shown to a service that asks for one', async () => {
    const server = await openServer({ tls: asking() })
    const { cert, key } = await authority.issue(['rehearsal'])
    expect(await send(openClient(server.url, { tls: { ca: authority.cert, cert, key } }))).toMatchObject({
      kind: 'registered',
    })
  })

  it('scenario 7: a missing one in TLS 1.2 stops the run before anything is sent', async () => {
    const server = await openServer({ tls: { ...asking(), maxVersion: 'TLSv1.2' } })
    const outcome = await send(openClient(server.url, trust()))
    expect(outcome).toMatchObject({ kind: 'not_sent', halt: 'certificate', evidence: { started: false } })
    expect(outcome.evidence.errorCode).toMatch(/^ERR_SSL_.*HANDSHAKE_FAILURE$/)
  })

  it('scenario 7: a missing one in TLS 1.3 shows too late, so the canary is in doubt', async () => {
    const server = await openServer({ tls: asking() })
    const outcome = await send(openClient(server.url, trust()))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'unknown', evidence: { started: true } })
    expect(server.truth.requests).toEqual([])
  })
})

describe('a proxy that was asked for', () => {
  const beyond = ({ port }: { port: number }): string => `https://${BEYOND}:${port}`

  it('opens a tunnel to the service, and sees no request', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy()
    const client = openClient(beyond(server), { ...trust(), proxy: proxy.url })
    expect(await send(client)).toMatchObject({ kind: 'registered' })
    expect(proxy.targets).toEqual([`${BEYOND}:${server.port}`])
  })

  it('opens one tunnel for each connection that is needed', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy()
    const client = openClient(beyond(server), { ...trust(), proxy: proxy.url, concurrency: 4 })
    const outcomes = await Promise.all([1, 2, 3, 4].map((number) => send(client, mandateOf(number))))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(4).fill('registered'))
    expect(proxy.targets).toHaveLength(4)
  })

  it('gets the credentials that its address holds', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy()
    const url = proxy.url.replace('http://', 'http://user:secret@')
    expect(await send(openClient(beyond(server), { ...trust(), proxy: url }))).toMatchObject({
      kind: 'registered',
    })
    expect(proxy.authorizations).toEqual([`Basic ${btoa('user:secret')}`])
  })

  it('scenario 57: 407 leaves the row ready and stops the run', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy({ kind: 'refuse', status: 407 })
    const outcome = await send(openClient(beyond(server), { ...trust(), proxy: proxy.url }))
    expect(outcome).toMatchObject({
      kind: 'not_sent',
      halt: 'credentials',
      evidence: { started: false, errorCode: 'UND_ERR_ABORTED', status: null },
    })
    expect(outcome.reason).toContain('The proxy asked for credentials with 407')
    expect(server.truth.connections).toBe(0)
  })

  it('scenario 57: 502 on CONNECT is not sent', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy({ kind: 'refuse', status: 502 })
    const outcome = await send(openClient(beyond(server), { ...trust(), proxy: proxy.url }))
    expect(outcome).toMatchObject({
      kind: 'not_sent',
      halt: null,
      evidence: { started: false, errorCode: 'UND_ERR_ABORTED' },
    })
    expect(outcome.reason).toContain('The proxy answered 502')
  })

  it('scenario 57: silence on CONNECT is not sent', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy({ kind: 'silence' })
    const client = openClient(beyond(server), { ...trust(), proxy: proxy.url, connectTimeoutMs: 100 })
    expect(await send(client)).toMatchObject({ kind: 'not_sent', halt: null, evidence: { started: false } })
  })

  it('scenario 57: a proxy that is down is not sent', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy()
    await proxy.close()
    const outcome = await send(openClient(beyond(server), { ...trust(), proxy: proxy.url }))
    expect(outcome).toMatchObject({ kind: 'not_sent', evidence: { errorCode: 'ECONNREFUSED' } })
  })

  it('scenario 57: a reset in the tunnel after the request is in doubt', async () => {
    const server = await openServer({
      tls: valid,
      script: { otherwise: { kind: 'hang_up', how: 'rst', applied: true } },
    })
    const proxy = await openProxy()
    const outcome = await send(openClient(beyond(server), { ...trust(), proxy: proxy.url }))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'unknown', evidence: { started: true } })
    expect(proxy.targets).toHaveLength(1)
  })

  it('8.4.3 is never used for a service on this machine', async () => {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy()
    expect(await send(openClient(server.url, { ...trust(), proxy: proxy.url }))).toMatchObject({
      kind: 'registered',
    })
    expect(proxy.targets).toEqual([])
  })

  it('is not taken from the environment', async () => {
    const proxy = await openProxy()
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
      setVariable(name, proxy.url)
    const server = await openServer()
    expect(await send(openClient(server.url))).toMatchObject({ kind: 'registered' })
    expect(proxy.targets).toEqual([])
  })
})

describe('connections that were closed', () => {
  it.each([true, false])('send nothing any more, used before: %s', async (wasUsed) => {
    const server = await openServer()
    const client = openClient(server.url)
    if (wasUsed) expect(await send(client)).toMatchObject({ kind: 'registered' })
    await client.close()
    expect(await send(client)).toMatchObject({ kind: 'not_sent', evidence: { started: false } })
    expect(server.truth.requests).toHaveLength(wasUsed ? 1 : 0)
  })
})

describe('settings that cannot be used', () => {
  const open = (options: Partial<ConnectionOptions>) =>
    openConnections(readBaseUrl('http://127.0.0.1:1'), { concurrency: 1, ...options })

  it.each([
    [{ concurrency: 0 }, 'Cannot use the concurrency 0: it must be a whole number from 1'],
    [{ concurrency: 1.5 }, 'Cannot use the concurrency 1.5'],
    [{ concurrency: Number.NaN }, 'Cannot use the concurrency NaN'],
    [{ connectTimeoutMs: 0 }, 'Cannot use the connect timeout 0: it must be 1 to 2147483647 milliseconds'],
    [{ connectTimeoutMs: 2 ** 31 }, 'Cannot use the connect timeout 2147483648'],
    [{ headersTimeoutMs: -1 }, 'Cannot use the headers timeout -1'],
    [{ bodyTimeoutMs: Number.NaN }, 'Cannot use the body timeout NaN'],
    [{ keepAliveMs: 0 }, 'Cannot use the keep-alive time 0'],
    [{ tls: { ca: 'no PEM' } }, 'Cannot use the TLS certificates'],
    [
      { tls: { ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' } },
      'Cannot use the TLS cert',
    ],
    [{ tls: { cert: 'no PEM', key: 'no PEM' } }, 'Cannot use the TLS certificates'],
    [{ proxy: 'user:hunter2@proxy:3128' }, 'Cannot use the proxy'],
    [{ proxy: 'socks5://user:hunter2@proxy' }, 'Cannot use the proxy'],
    [{ proxy: 'http://user:hunter2@[bad' }, 'Cannot use the proxy'],
    [{ proxy: 'http://user:hunter2@proxy:3128' }, 'would send the password of the proxy in clear'],
    [{ proxy: 'http://127.0.0.1.example:3128' }, '"127.0.0.1.example:3128" is not this machine'],
  ])('%j', (options, message) => {
    const attempt = () => open(options)
    expect(attempt).toThrow(UsageError)
    expect(attempt).toThrow(message)
    expect(attempt).not.toThrow('hunter2')
  })

  it('a certificate whose key belongs to another', async () => {
    const other = await authority.issue(['other'])
    expect(() => open({ tls: { cert: valid.cert, key: other.key } })).toThrow(UsageError)
  })
})

describe('NODE_TLS_REJECT_UNAUTHORIZED', () => {
  it('scenario 56: ends a run that begins with certificate checks turned off', () => {
    expect(() => refuseUnverifiedTls('0')).toThrow(UsageError)
    expect(() => refuseUnverifiedTls('0')).toThrow('Cannot run while NODE_TLS_REJECT_UNAUTHORIZED=0 is set')
  })

  it.each([undefined, '', '1'])('as %j is nothing to refuse', (value) => {
    expect(() => refuseUnverifiedTls(value)).not.toThrow()
  })
})
