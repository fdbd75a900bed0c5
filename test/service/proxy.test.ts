import { describe, expect, it } from 'vitest'
import { readProxy } from '../../src/service/checked-service.js'
describe('the address of a proxy', () => {
  it.each([
    'https://proxy.example:3128',
    'https://user:secret@proxy.example',
    'http://127.0.0.1:3128',
    'http://[::1]:8080',
    'http://localhost:1',
  ])('may be %s', (text) => {
    expect(readProxy(text).href).toContain('://')
  })

  it.each([
    'proxy.example:3128',
    'socks5://proxy.example',
    'ftp://proxy.example',
    'http://[bad',
    'http://user:secret@proxy.example:3128',
    'http://127.0.0.1.proxy.example',
  ])('cannot be %s, and no message quotes its password', (text) => {
    expect(() => readProxy(text)).toThrow('Cannot use the proxy')
    expect(() => readProxy(text)).not.toThrow('secret')
  })
})
