import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { readBaseUrl } from '../../src/service/checked-service.js'

function refusalOf(text: string): UsageError {
  try {
    readBaseUrl(text)
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error(`"${text}" was accepted`)
}

describe('a base URL that can be used', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com', '', 'api.example.com', false],
    ['https://api.example.com/', 'https://api.example.com', '', 'api.example.com', false],
    ['  https://API.Example.com  ', 'https://api.example.com', '', 'api.example.com', false],
    ['https://api.example.com:443', 'https://api.example.com', '', 'api.example.com', false],
    ['https://api.example.com:8443', 'https://api.example.com:8443', '', 'api.example.com:8443', false],
    ['https://example.com/billing//', 'https://example.com/billing', '/billing', 'example.com', false],
    ['https://example.com/a/../b', 'https://example.com/b', '/b', 'example.com', false],
    ['https://127.0.0.1:9', 'https://127.0.0.1:9', '', '127.0.0.1:9', true],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080', '', '127.0.0.1:8080', true],
    ['http://127.255.1.2/x', 'http://127.255.1.2/x', '/x', '127.255.1.2', true],
    ['http://127.1', 'http://127.0.0.1', '', '127.0.0.1', true],
    ['http://localhost:3000/', 'http://localhost:3000', '', 'localhost:3000', true],
    ['HTTP://LOCALHOST', 'http://localhost', '', 'localhost', true],
    ['http://[::1]:3000', 'http://[::1]:3000', '', '[::1]:3000', true],
  ])('%s is read as %s', (text, href, pathPrefix, host, isLoopback) => {
    expect(readBaseUrl(text)).toEqual({ href, origin: new URL(href).origin, pathPrefix, host, isLoopback })
  })
})

describe('a base URL that is refused', () => {
  it.each([
    ['', 'it is empty'],
    ['   ', 'it is empty'],
    ['api.example.com', 'begins with https://'],
    ['ftp://example.com', 'begins with https://'],
    ['file:///etc/hosts', 'begins with https://'],
    ['https:example.com', 'begins with https://'],
    ['https:///example.com', 'begins with https://'],
    ['https://exa mple.com', 'a blank or a backslash'],
    ['https://example.com\\path', 'a blank or a backslash'],
    ['https://[not-an-address]', 'begins with https://'],
    ['https://example.com/?', 'a query or a fragment'],
    ['https://example.com/?key=1', 'a query or a fragment'],
    ['https://example.com/#top', 'a query or a fragment'],
    ['https://example.com/api/v2/api/v2', 'it ends with "/api/v2" twice'],
    ['https://example.com/x/api/v2//api/v2/', 'it ends with "/api/v2" twice'],
    ['http://api.example.com', '"api.example.com" is not this machine'],
    ['http://128.0.0.1', '"128.0.0.1" is not this machine'],
    ['http://10.0.0.1:80', '"10.0.0.1" is not this machine'],
    ['http://127.0.0.1.example.com', '"127.0.0.1.example.com" is not this machine'],
    ['http://localhost.example.com', '"localhost.example.com" is not this machine'],
    ['http://notlocalhost', '"notlocalhost" is not this machine'],
    ['http://[::ffff:127.0.0.1]', 'is not this machine'],
    ['http://0.0.0.0', '"0.0.0.0" is not this machine'],
  ])('%s: %s', (text, problem) => {
    const { message, next } = refusalOf(text)
    expect(message).toContain('Cannot use the base URL: ')
    expect(message).toContain(problem)
    expect(next).toMatch(/^Nothing was sent\. .+\.$/)
  })

  it('says how to give credentials instead, and does not repeat them (scenario 56)', () => {
    for (const text of [
      'https://user:hunter2@example.com',
      'https://user@example.com',
      'https://:hunter2@h',
    ]) {
      const { message, ways } = refusalOf(text)
      expect(message).toBe('Cannot use the base URL: it holds a user name or a password')
      expect(ways).toEqual(['credentials'])
    }
  })

  it.each([
    'https://user:hunter2@example.com',
    'http://user:hunter2@example.com',
    'https://user:hun ter2@example.com',
    'https://user:hunter2@[bad',
    'https://example.com/?token=hunter2',
    'ftp://user:hunter2@example.com',
  ])('never repeats a secret of %s', (text) => {
    const { message, next } = refusalOf(text)
    expect(message + next).not.toMatch(/hun ?ter2/)
  })

  it('says that http:// would not be encrypted', () => {
    const { message, next } = refusalOf('http://api.example.com')
    expect(message).toContain('unencrypted')
    expect(next).toContain('Use https://')
  })
})

describe('9.3 an address that ends as every path of the interface begins', () => {
  it.each([
    ['https://example.com/api/v2', 'https://example.com'],
    ['https://example.com/api/v2/', 'https://example.com'],
    ['https://example.com/billing/api/v2', 'https://example.com/billing'],
    ['https://example.com/api/v20', 'https://example.com/api/v20'],
  ])('%s is %s', (text, href) => {
    expect(readBaseUrl(text).href).toBe(href)
  })
})
