import { describe, expect, it } from 'vitest'
import { isLoopback } from '../../../src/domain/text/text.js'
describe('loopback', () => {
  it.each(['localhost', '127.0.0.1', '127.255.0.9', '::1', '[::1]', new URL('http://127.1/').hostname])(
    'is %s',
    (host) => expect(isLoopback(host)).toBe(true),
  )

  it.each(['127.0.0.1.example', '127.0.0.256', '127.1', '128.0.0.1', '[::2]', '', 'localhost.', '0.0.0.0'])(
    'is not "%s"',
    (host) => expect(isLoopback(host)).toBe(false),
  )
})
