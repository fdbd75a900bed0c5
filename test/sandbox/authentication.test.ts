import { describe, expect, it } from 'vitest'
import { isFromHere, refusalOfHeader } from '../../src/sandbox/authentication.js'

describe('the Authorization header (section 5)', () => {
  const expected = { username: 'erika', password: 'a:b' }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

  it('passes with exactly these credentials', () => {
    expect(refusalOfHeader(basic('erika:a:b'), expected)).toBeNull()
  })

  it.each([basic('erika:a'), basic('erika:a:b '), basic('erika'), basic(''), 'Basic', 'Bearer x', ''])(
    'is refused as %j',
    (header) => {
      expect(refusalOfHeader(header, expected)).toMatchObject({ status: 401, code: 'INVALID_AUTH' })
    },
  )

  it('is refused when missing', () => {
    expect(refusalOfHeader(undefined, expected)).toMatchObject({ status: 401, code: 'MISSING_AUTH' })
  })
})

describe('a request from this computer', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1:8080'],
    ['::ffff:127.0.0.1', 'localhost:8080'],
    ['::1', '[::1]:8080'],
    ['127.0.0.9', 'LOCALHOST'],
  ])('is one from %s for %s', (address, host) => {
    expect(isFromHere(address, host)).toBe(true)
  })

  it.each([
    ['192.0.2.7', '127.0.0.1:8080'],
    ['::ffff:192.0.2.7', 'localhost'],
    ['127.0.0.1', 'rebound.example:8080'],
    ['127.0.0.1', '127.0.0.1.example'],
    ['127.0.0.1', undefined],
    [undefined, 'localhost'],
  ])('is not one from %s for %s', (address, host) => {
    expect(isFromHere(address, host)).toBe(false)
  })
})
