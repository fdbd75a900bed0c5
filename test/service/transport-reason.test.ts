import { describe, expect, it } from 'vitest'
import type { TransportError } from '../../src/service/exchange.js'
import {
  explainDoubt,
  explainUnsent,
  explainUnsentHalt,
  isTlsFault,
} from '../../src/service/transport-reason.js'

const error = (code: string | null, message = '', name = 'Error'): TransportError => ({ code, name, message })

describe('why nothing was sent', () => {
  it.each([
    ['ECONNREFUSED', 'The service refused the connection (ECONNREFUSED): nothing was sent'],
    ['DEADLINE', 'No connection was ready in time (DEADLINE): nothing was sent'],
    ['EMFILE', 'The connection could not be set up (EMFILE): nothing was sent'],
  ])('%s', (code, sentence) => {
    expect(explainUnsent(error(code))).toBe(sentence)
    expect(explainUnsentHalt(error(code))).toBeNull()
  })

  it('an error without a code is told by its name, and none at all as none', () => {
    expect(explainUnsent(error(null, '', 'SocketError'))).toContain('(SocketError): nothing was sent')
    expect(explainUnsent(null)).toContain('(no error was given): nothing was sent')
  })
})

describe('what shows that no other request can leave either', () => {
  it.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'ERR_OSSL_PEM_NO_START_LINE',
  ])('%s is a fault of certificates', (code) => {
    expect(isTlsFault(error(code))).toBe(true)
    expect(explainUnsentHalt(error(code))).toBe('certificate')
  })

  it.each(['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'])('%s is none', (code) => {
    expect(isTlsFault(error(code))).toBe(false)
    expect(explainUnsentHalt(error(code))).toBeNull()
  })

  it('a request that is not well formed, with what is wrong in it', () => {
    const invalid = error('UND_ERR_INVALID_ARG', 'invalid header')
    expect(explainUnsentHalt(invalid)).toBe('request_rejected_locally')
    expect(explainUnsent(invalid)).toContain('not well formed: invalid header')
  })

  it('a proxy that wants credentials; one that answers something else may answer otherwise soon', () => {
    const proxy = (status: number) => error(null, `Proxy response (${status}) !== 200 when HTTP Tunneling`)
    expect(explainUnsentHalt(proxy(407))).toBe('credentials')
    expect(explainUnsent(proxy(407))).toContain('asked for credentials with 407')
    expect(explainUnsentHalt(proxy(502))).toBeNull()
    expect(explainUnsent(proxy(502))).toContain('answered 502 instead of opening the way')
  })
})

describe('what ended an exchange whose request had begun to leave', () => {
  it.each([
    ['DEADLINE', 'No complete answer came in time (DEADLINE)'],
    ['ABORTED', 'The run was broken off while the request was under way (ABORTED)'],
    ['ECONNRESET', 'The connection broke before the answer was complete (ECONNRESET)'],
  ])('%s never says that nothing was sent', (code, sentence) => {
    expect(explainDoubt(error(code))).toBe(sentence)
  })
})
