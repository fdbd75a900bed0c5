import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ClientOptions } from '../../src/service/client.js'
import { UsageError } from '../../src/errors.js'
import { openConnections, type ConnectionOptions } from '../../src/service/exchange.js'
import { startFaultProxy, type ProxyFault } from '../support/fault-server-proxy.js'
import { makeAuthority, makeSelfSigned } from '../support/tls-certificates.js'
import type { Authority, CertifiedKey } from '../support/tls-certificates.js'
import { mandateOf, openClient, openServer, optionsOf, send } from './sending.js'
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

const UNTRUSTED = { kind: 'not_sent', halt: 'certificate', evidence: { started: false, status: null } }
const asking = () => ({ ...valid, ca: authority.cert, requestCert: true })
const asking12 = () => ({ ...asking(), maxVersion: 'TLSv1.2' as const })
const byAnother = async () => (await makeAuthority()).issue(['localhost'])
const bundled = async () => ({ tls: { ca: [(await makeAuthority()).cert, authority.cert].join('\n') } })
const withOurs = async () => {
  const { cert, key } = await authority.issue(['rehearsal'])
  return { tls: { ca: authority.cert, cert, key } }
}

describe('TLS', () => {
  it.each([
    ['signed by a named authority', () => valid, trust],
    ['signed by one of a bundle', () => valid, bundled],
    ['over TLS 1.2', () => ({ ...valid, maxVersion: 'TLSv1.2' as const }), trust],
    ['asked for of the client as well', asking, withOurs],
  ])('registers over a connection whose certificate was %s', async (_, make, options) => {
    const server = await openServer({ tls: make() })
    expect(await send(openClient(server.url, await options()))).toMatchObject({ kind: 'registered' })
  })

  const OLD = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' } as const
  it.each([
    ['expired', () => authority.issue(['localhost'], { expired: true }), /^CERT_HAS_EXPIRED$/],
    ['self-signed', () => makeSelfSigned(['localhost']), /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
    ['for another name', () => authority.issue(['elsewhere.example']), /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    ['of an authority that was not named', byAnother, /^UNABLE_TO_/],
    ['shown over TLS 1.1', () => ({ ...valid, ...OLD }), /^ERR_SSL_/],
    ['waiting in vain for ours in TLS 1.2', asking12, /^ERR_SSL_.*HANDSHAKE_FAILURE$/],
  ])(
    'scenarios 6 and 7: a certificate that is %s stops the run and nothing is in doubt',
    async (_, make, code) => {
      const server = await openServer({ tls: await make() })
      const outcome = await send(openClient(server.url, trust()))
      expect(outcome).toMatchObject(UNTRUSTED)
      expect(outcome.evidence.errorCode).toMatch(code)
      expect(server.truth.requests).toEqual([])
    },
  )

  it('scenario 7: a missing one of the client in TLS 1.3 shows too late, so the canary is in doubt', async () => {
    const server = await openServer({ tls: asking() })
    const outcome = await send(openClient(server.url, trust()))
    expect(outcome).toMatchObject({ kind: 'in_doubt', hint: 'unknown', evidence: { started: true } })
    expect(server.truth.requests).toEqual([])
  })

  it('scenario 56: checks certificates even when the environment says not to', async () => {
    setVariable('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const server = await openServer({ tls: await makeSelfSigned(['localhost']) })
    expect(await send(openClient(server.url))).toMatchObject(UNTRUSTED)
  })

  it('a server that does not speak TLS stops the run', async () => {
    const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const outcome = await send(openClient(`https://127.0.0.1:${(server.address() as AddressInfo).port}`))
    expect(outcome).toMatchObject(UNTRUSTED)
    expect(outcome.evidence.errorCode).toMatch(/^ERR_SSL_/)
  })

  it.each([
    ['4: a handshake that stalls', 'deaf', 'UND_ERR_CONNECT_TIMEOUT'],
    ['5: a reset in the handshake', 'reset_at_first_bytes', 'ECONNRESET'],
  ] as const)('scenario %s is not sent', async (_, kind, errorCode) => {
    const server = await openServer({ tls: valid, script: { everyConnection: { kind } } })
    const soon = kind === 'deaf' ? { connectTimeoutMs: 100 } : {}
    const client = openClient(server.url, { ...trust(), ...soon })
    const evidence = { started: false, errorCode }
    expect(await send(client)).toMatchObject({ kind: 'not_sent', halt: null, evidence })
  })
})

describe('a proxy that was asked for', () => {
  /** A service beyond the proxy, and a client that goes through it. */
  async function through(fault?: ProxyFault, options: Partial<ClientOptions> = {}, credentials = '') {
    const server = await openServer({ tls: valid })
    const proxy = await openProxy(fault)
    const url = proxy.url.replace('//', `//${credentials}`)
    const client = openClient(`https://${BEYOND}:${server.port}`, { ...trust(), proxy: url, ...options })
    return { server, proxy, client }
  }

  it('opens one tunnel to the service for each connection, and sees no request', async () => {
    const { server, proxy, client } = await through(undefined, { concurrency: 4 }, 'user:secret@')
    const outcomes = await Promise.all([1, 2, 3, 4].map((number) => send(client, mandateOf(number))))
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array(4).fill('registered'))
    expect(proxy.targets).toEqual(Array(4).fill(`${BEYOND}:${server.port}`))
    expect(proxy.authorizations).toEqual(Array(4).fill(`Basic ${btoa('user:secret')}`))
  })

  it.each([
    ['407', { kind: 'refuse', status: 407 }, 'credentials', 'UND_ERR_ABORTED'],
    ['502', { kind: 'refuse', status: 502 }, null, 'UND_ERR_ABORTED'],
    ['silence', { kind: 'silence' }, null, expect.any(String)],
  ] as const)('scenario 57: %s on CONNECT is not sent', async (_, fault, halt, errorCode: unknown) => {
    const { server, client } = await through(fault, fault.kind === 'silence' ? { connectTimeoutMs: 100 } : {})
    const evidence = { started: false, errorCode, status: null }
    expect(await send(client)).toMatchObject({ kind: 'not_sent', halt, evidence })
    expect(server.truth.connections).toBe(0)
  })

  it('scenario 57: a proxy that is down is not sent', async () => {
    const { proxy, client } = await through()
    await proxy.close()
    expect(await send(client)).toMatchObject({ kind: 'not_sent', evidence: { errorCode: 'ECONNREFUSED' } })
  })

  it('scenario 57: a reset in the tunnel after the request is in doubt', async () => {
    const { server, proxy, client } = await through()
    server.setScript({ otherwise: { kind: 'hang_up', how: 'rst', applied: true } })
    const evidence = { started: true }
    expect(await send(client)).toMatchObject({ kind: 'in_doubt', hint: 'unknown', evidence })
    expect(proxy.targets).toHaveLength(1)
  })

  it('is never used for a service on this machine, nor taken from the environment', async () => {
    const proxy = await openProxy()
    const server = await openServer({ tls: valid })
    const outcome = await send(openClient(server.url, { ...trust(), proxy: proxy.url }))
    expect(outcome.kind).toBe('registered')
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'])
      setVariable(name, proxy.url)
    expect(await send(openClient((await openServer()).url))).toMatchObject({ kind: 'registered' })
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

const EMPTY_PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'

const NOWHERE = 'http://127.0.0.1:1'

describe('settings that cannot be used', () => {
  const open = (options: Partial<ConnectionOptions>) =>
    openConnections(readBaseUrl(NOWHERE), { ...optionsOf(NOWHERE), ...options })

  it.each([
    [{ connectTimeoutMs: 0 }, 'Cannot use the connect timeout 0: it must be 1 to 2147483647 milliseconds'],
    [{ connectTimeoutMs: 2 ** 31 }, 'Cannot use the connect timeout 2147483648'],
    [{ tls: { ca: 'no PEM' } }, 'Cannot use the TLS certificates'],
    [{ tls: { ca: EMPTY_PEM } }, 'Cannot use the TLS certificates'],
    [{ tls: { cert: 'no PEM', key: 'no PEM' } }, 'Cannot use the TLS certificates'],
    [{ proxy: 'http://user:hunter2@proxy:3128' }, 'Cannot use the proxy'],
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
