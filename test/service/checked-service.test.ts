import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { UsageError } from '../../src/errors.js'
import {
  assertText,
  checkService,
  createStatusTable,
  readBaseUrl,
  readProxy,
  readRetryAfterMs,
  readTrusted,
  sameService,
} from '../../src/service/checked-service.js'

function refusalOf(attempt: () => unknown): UsageError {
  try {
    attempt()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('the address of the service', () => {
  it.each([
    ['https://api.example.com/', 'https://api.example.com', '', 'api.example.com', false],
    ['  https://API.Example.com:443  ', 'https://api.example.com', '', 'api.example.com', false],
    ['https://api.example.com:8443', 'https://api.example.com:8443', '', 'api.example.com:8443', false],
    ['https://example.com/billing//', 'https://example.com/billing', '/billing', 'example.com', false],
    ['https://example.com/a/../b', 'https://example.com/b', '/b', 'example.com', false],
    // It may end as every path of the interface begins.
    ['https://example.com/api/v2/', 'https://example.com', '', 'example.com', false],
    ['https://example.com/billing/api/v2', 'https://example.com/billing', '/billing', 'example.com', false],
    ['https://example.com/x///api/v2', 'https://example.com/x', '/x', 'example.com', false],
    ['https://example.com../b', 'https://example.com/b', '/b', 'example.com', false],
    ['https://example.com/api/v2/api/v2', 'https://example.com/api/v2', '/api/v2', 'example.com', false],
    ['https://example.com/api/v20', 'https://example.com/api/v20', '/api/v20', 'example.com', false],
    ['https://127.0.0.1:9', 'https://127.0.0.1:9', '', '127.0.0.1:9', true],
    ['http://127.255.1.2/x', 'http://127.255.1.2/x', '/x', '127.255.1.2', true],
    ['http://127.1', 'http://127.0.0.1', '', '127.0.0.1', true],
    ['HTTP://LOCALHOST:3000', 'http://localhost:3000', '', 'localhost:3000', true],
    ['http://[::1]:3000', 'http://[::1]:3000', '', '[::1]:3000', true],
  ])('%s is read as %s', (text, href, pathPrefix, host, isLoopback) => {
    // Who listens on a port of this machine: test/trust/listener.test.ts.
    expect(readBaseUrl(text)).toEqual({
      ...{ href, origin: new URL(href).origin, pathPrefix, host, isLoopback },
      isOthers: isLoopback ? (expect.any(Boolean) as boolean) : false,
    })
  })

  it.each([
    ['   ', 'it is empty'],
    ['api.example.com', 'begins with https://'],
    ['ftp://user:hunter2@example.com', 'begins with https://'],
    ['https:example.com', 'begins with https://'],
    ['https:///example.com', 'begins with https://'],
    ['https://user:hunter2@[bad', 'begins with https://'],
    ['https://user:hun ter2@example.com', 'a blank or a backslash'],
    ['https://example.com\\path', 'a blank or a backslash'],
    ['https://example.com/?', 'a query or a fragment'],
    ['https://example.com/?token=hunter2', 'a query or a fragment'],
    ['https://example.com/#top', 'a query or a fragment'],
    [
      'http://api.example.com',
      '"api.example.com" is not this machine, and http:// would send account numbers unencrypted',
    ],
    ['http://128.0.0.1', '"128.0.0.1" is not this machine'],
    ['ahttps://example.com', 'it is not an address that begins with https://'],
    ['http://127.0.0.1.example.com', '"127.0.0.1.example.com" is not this machine'],
    ['http://localhost.example.com', '"localhost.example.com" is not this machine'],
    ['http://notlocalhost', '"notlocalhost" is not this machine'],
    ['http://[::ffff:127.0.0.1]', 'is not this machine'],
    ['http://0.0.0.0', '"0.0.0.0" is not this machine'],
  ])('%s is refused: %s', (text, problem) => {
    const { message, next } = refusalOf(() => readBaseUrl(text))
    expect(message).toContain('Cannot use the base URL: ')
    expect(message).toContain(problem)
    expect(next).toMatch(/^Nothing was sent\. .+\.$/)
    expect(message + next).not.toMatch(/hun ?ter2/)
  })

  it.each(['https://user:hunter2@example.com', 'http://user@example.com', 'https://:hunter2@h'])(
    'scenario 56: %s names the way to give credentials instead, and does not repeat them',
    (text) => {
      const { message, next } = refusalOf(() => readBaseUrl(text))
      expect(message).toBe('Cannot use the base URL: it holds a user name or a password')
      expect(next).toMatch(/^Nothing was sent\. Take them out of the address/)
      expect(next).not.toContain('hunter2')
      expect(next).toContain('(SEPA_MIGRATE_USERNAME, and SEPA_MIGRATE_PASSWORD or --password-file)')
    },
  )
})

describe('two addresses', () => {
  const service = 'https://example.com/x'

  it.each([service, 'HTTPS://Example.com./x', `${service}//`, 'https://example.com:443/x'])(
    'are of one service: %s',
    (other) => expect([sameService(service, other), sameService(other, service)]).toEqual([true, true]),
  )

  it.each([
    ...['https://example.com', 'https://example.com/X', 'https://example.com:8443/x'],
    ...['example.com/x', ''],
  ])('are of two: %s', (other) =>
    expect([sameService(service, other), sameService(other, service)]).toEqual([false, false]),
  )

  it('that nobody can read are the same where they have the same letters', () => {
    expect([sameService('x', 'x'), sameService('x', 'y')]).toEqual([true, false])
  })
})

describe('a service', () => {
  const baseUrl = 'https://example.com'

  it('is checked with what its caller leaves out', () => {
    const checked = checkService({ baseUrl }, {})
    expect(checked).toMatchObject({ concurrency: 8, timeoutMs: 150_000, baseUrl: { href: baseUrl } })
    const most = { concurrency: 256, timeoutMs: 1 }
    expect(checkService({ baseUrl, ...most }, {})).toMatchObject(most)
  })

  it('is refused before anything is opened', () => {
    for (const concurrency of [0, 1.5, 257])
      expect(refusalOf(() => checkService({ baseUrl, concurrency }, {}))).toMatchObject({
        message: `Cannot use the concurrency ${concurrency}: it must be a whole number from 1 to 256`,
        next: 'Nothing was sent. Change the setting.',
      })
    expect(() => checkService({ baseUrl: '' }, {})).toThrow('the base URL is missing or empty')
  })

  it('scenario 56: is refused where the environment turns certificate checks off', () => {
    const inside = (value: string) => () => checkService({ baseUrl }, { NODE_TLS_REJECT_UNAUTHORIZED: value })
    expect(inside('0')).toThrow('Cannot run while NODE_TLS_REJECT_UNAUTHORIZED=0 is set')
    for (const value of ['', '1']) expect(inside(value)).not.toThrow()
  })

  it('needs texts where a program without types gives none', () => {
    for (const given of [undefined, null, 7, ''])
      expect(refusalOf(() => assertText('the password', given))).toMatchObject({
        message: 'Cannot use the service: the password is missing or empty',
        next: 'Nothing was sent. Look whether the variable or file that holds it is there.',
      })
    expect(() => assertText('the password', ' ')).not.toThrow()
  })
})

describe('the address of a proxy', () => {
  it.each(['https://user:secret@proxy.example:3128', 'http://127.0.0.1:3128', 'http://[::1]:8080'])(
    'may be %s',
    (text) => expect(readProxy(text).href).toContain('://'),
  )

  it.each([
    ['proxy.example:3128', ''],
    ['socks5://user:secret@proxy.example', 'its address does not begin with https://'],
    ['ahttps://user:secret@proxy.example', 'its address does not begin with https://'],
    ['http://user:secret@[bad', ''],
    ['http://user:secret@proxy:3128', 'would send the password of the proxy in clear'],
    ['http://127.0.0.1.proxy.example', '"127.0.0.1.proxy.example" is not this machine'],
  ])('cannot be %s, and no message quotes its password', (text, problem) => {
    const { message, next } = refusalOf(() => readProxy(text))
    expect(message).toMatch(/^Cannot use the proxy: /)
    expect(message).toContain(problem)
    expect(next).toMatch(/^Nothing was sent\. Give it as https:/)
    expect(message + next).not.toContain(':secret')
  })
})

describe('whom a run trusts', () => {
  const NAMES = ['ca.pem', 'client.pem', 'node-ca.pem', 'key.pem'] as const
  function trusted({ open = '', mode = 0, target = 'https://service.example', env = {} }) {
    const folder = mkdtempSync(join(tmpdir(), 'trusted-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [ca, clientCertificate, nodeCa, clientKey] = NAMES.map((name) => join(folder, name))
    for (const name of NAMES) {
      writeFileSync(join(folder, name), 'x')
      chmodSync(join(folder, name), name === open ? mode : name === 'key.pem' ? 0o600 : 0o644)
    }
    const proxy = 'https://user:hunter2@proxy.example:3128/'
    const environment = { NODE_EXTRA_CA_CERTS: nodeCa, ...env }
    const read = readTrusted({ proxy, ca, clientCertificate, clientKey }, environment, readBaseUrl(target))
    return { read, ca, nodeCa, clientCertificate }
  }

  it('is said without credentials, and with what the environment adds', () => {
    const { read, ca, nodeCa, clientCertificate } = trusted({ env: { NODE_USE_SYSTEM_CA: '1' } })
    const ofSystem = 'the certificates of this system (NODE_USE_SYSTEM_CA)'
    expect(read).toEqual({
      proxy: 'https://proxy.example:3128',
      extraCertificates: [ca, nodeCa, ofSystem],
      clientCertificate,
    })
  })

  it.each(['--use-system-ca', '--use-openssl-ca'])('is also the store of the system under %s', (flag) => {
    const { extraCertificates } = readTrusted({}, { NODE_OPTIONS: `-x ${flag}` }, readBaseUrl('https://h'))
    expect(extraCertificates).toEqual([`the certificates of this system (${flag})`])
  })

  it('is nobody by default or by an empty path, and no proxy for a service on this machine', () => {
    expect(
      readTrusted({ ca: '' }, { NODE_EXTRA_CA_CERTS: '' }, readBaseUrl('https://h')).extraCertificates,
    ).toEqual([])
    const nobody = { proxy: null, extraCertificates: [], clientCertificate: null }
    expect(readTrusted({}, {}, readBaseUrl('https://service.example'))).toEqual(nobody)
    expect(trusted({ target: 'https://localhost:8443' }).read.proxy).toBeNull()
  })

  it.each([
    ['ca.pem', 0o666, 'Cannot trust the certificate file'],
    ['client.pem', 0o666, 'Cannot trust the certificate file'],
    ['node-ca.pem', 0o666, 'Cannot trust the certificate file'],
    ['key.pem', 0o644, 'Cannot trust the key file'],
  ])('is refused when others can change %s, or read a key', (open, mode, message) => {
    expect(() => trusted({ open, mode })).toThrow(message)
    expect(refusalOf(() => trusted({ open, mode })).next).toMatch(/.+; nothing was sent$/)
  })
})

describe('the table of outcomes', () => {
  const page = readFileSync(new URL('../../src/service/README.md', import.meta.url), 'utf8')
  const lines = page
    .slice(page.indexOf('\n## Outcomes'), page.indexOf('\n## The phase flag'))
    .split('\n')
    .map((line) => /^- ([\dx ]+|any other): (\w+)(?:, stops: (\w+).*)?$/.exec(line) ?? [])
    .filter((found) => found.length > 0)
  const toldOf = (status: number) =>
    [String(status), `${Math.floor(status / 100)}xx`, 'any other']
      .map((name) => lines.find(([, told = '']) => told === name || told.split(' ').includes(name)))
      .find((line) => line !== undefined)

  it('is as the page of this room shows it, for each of 1000 statuses', () => {
    const table = createStatusTable()
    expect(table.overrides).toEqual({})
    expect(lines.length).toBeGreaterThan(4)
    for (let status = 0; status < 1000; status += 1) {
      const [, , kind, halt = null] = toldOf(status) ?? []
      expect(table.lineOf(status), String(status)).toEqual({ kind, halt })
      expect(table.isOverridden(status)).toBe(false)
    }
  })

  it('keeps overrides of single lines for the record', () => {
    const overrides = { 503: 'turned_away', 409: 'refused', 422: 'in_doubt', 400: 'in_doubt', 599: 'refused' }
    const table = createStatusTable(overrides)
    for (const [status, kind] of Object.entries(overrides)) {
      expect(table.lineOf(Number(status))).toEqual({ kind, halt: null })
      expect(table.isOverridden(Number(status))).toBe(true)
    }
    expect(table.lineOf(502)).toEqual({ kind: 'in_doubt', halt: null })
    expect(table.isOverridden(502)).toBe(false)
    expect(table.overrides).toEqual(overrides)
  })

  it.each([
    ...['200', '301', '100', '399', '600', '5xx', '503 ', ' 503', '5030', '1503', '', '401', '403'].map(
      (status) => [status, 'in_doubt'] as const,
    ),
    ['407', 'in_doubt'] as const,
    ...['registered', 'ready', 'not_sent', 'Refused', ''].map((kind) => ['503', kind] as const),
  ])('refuses to read "%s" as "%s"', (status, kind) => {
    const { message, next } = refusalOf(() => createStatusTable({ [status]: kind }))
    expect(message).toBe(`Cannot use the setting "outcomes": "${status}: ${kind}"`)
    expect(next).toContain('Give refused, turned_away, in_doubt for statuses from 400 to 599')
  })
})

describe('Retry-After', () => {
  /** Sun, 06 Nov 1994 08:49:37 GMT */
  const RECEIVED = Date.UTC(1994, 10, 6, 8, 49, 37)
  const read = (retryAfter: string | undefined, date?: string, receivedAtMs = RECEIVED) =>
    readRetryAfterMs(retryAfter, { date, receivedAtMs })

  it.each([
    ['0', 0],
    [' 120 ', 120_000],
    ['007', 7_000],
    ['86400', 86_400_000],
    ['9'.repeat(30), Number.MAX_SAFE_INTEGER],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Sun, 06 Nov 1994 08:50:07 GMT', 30_000],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Wed, 29 Feb 2040 00:00:00 GMT', Date.UTC(2040, 1, 29) - RECEIVED],
  ])('%s is %d ms from the moment it arrived', (text, waitMs) => expect(read(text)).toBe(waitMs))

  it.each([
    ['Sun, 06 Nov 1994 09:50:07 GMT', 'Sun, 06 Nov 1994 09:49:37 GMT'],
    ['Sun, 06 Nov 1994 07:50:07 GMT', ' Sun, 06 Nov 1994 07:49:37 GMT '],
    ['Sun, 06 Nov 1994 08:50:07 GMT', 'yesterday'],
  ])('counts from the Date of the answer where it can be read: %s, %s', (text, date) =>
    expect(read(text, date)).toBe(30_000),
  )

  it.each([
    ...[undefined, '', '-5', '+5', '1.5', '1e3', '5s', '5, 10', 'soon', '12 a', 'a 12'],
    ...['1994-11-06T08:50:07Z', 'Sun, 06 Nov 1994 08:50:07 UTC', 'Sun, 06 Nov 1994 08:50:07'],
    ...['Sun, 06 Nov 1994 08:50:07 GMT extra', 'x Sun, 06 Nov 1994 08:50:07 GMT'],
    ...['Sun, 06 Foo 1994 08:50:07 GMT', 'Sun, 00 Nov 1994 08:50:07 GMT', 'Sun, 31 Nov 1994 08:50:07 GMT'],
    ...['Sun, 32 Dec 1994 08:50:07 GMT', 'Wed, 29 Feb 2041 00:00:00 GMT', 'Sun, 06 Nov 1994 24:00:00 GMT'],
    ...['Sun, 06 Nov 1994 08:60:07 GMT', 'Sun, 06 Nov 1994 08:50:61 GMT', 'Sat, 31 Dec 1994 23:59:60 GMT'],
    // A day that is another one is a mistake.
    ...['Monday, 06-Nov-94 08:50:07 GMT', 'Mon Nov  6 08:50:07 1994', 'Mon, 06 Nov 1994 08:50:07 GMT'],
    ...['Sunday, 06-Nov-94 08:50:07 GMT', 'Sun Nov  6 08:50:07 1994'],
    ...['Sun, 06-Nov-94 08:50:07 GMT', 'Sun Nov 6 08:50:07 1994', 'Sun Nov  6 08:50:07 1994 GMT'],
    // What has passed.
    ...['Sun, 06 Nov 1994 08:49:36 GMT', 'Invalid Date'],
  ])('%s says nothing', (text) => expect(read(text)).toBeNull())

  it('says nothing at the beginning of time', () => expect(read('soon', undefined, 0)).toBeNull())

  it('is null or a wait of zero or more for any text', () => {
    const texts = [fc.string(), fc.option(fc.string(), { nil: undefined }), fc.nat()] as const
    fc.assert(
      fc.property(...texts, (text, date, receivedAtMs) => {
        const waitMs = readRetryAfterMs(text, { date, receivedAtMs })
        expect(waitMs === null || waitMs >= 0).toBe(true)
      }),
      { seed: 20250101 },
    )
  })

  it('reads every date of this century as JavaScript writes it', () => {
    const dates = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(dates, (date) => {
        const seconds = Math.floor(date.getTime() / 1000) * 1000
        expect(read(date.toUTCString(), undefined, seconds)).toBe(0)
        expect(read(date.toUTCString(), new Date(seconds - 5000).toUTCString(), 0)).toBe(5000)
      }),
      { seed: 20250102 },
    )
  })
})
