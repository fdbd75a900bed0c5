import { expect, it } from 'vitest'
import { UsageError } from '../../src/errors.js'
import { refuseUnverifiedTls } from '../../src/service/environment.js'

it('scenario 56: refuses to run while certificate checks are turned off by the environment', () => {
  const attempt = () => refuseUnverifiedTls({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })
  expect(attempt).toThrow(UsageError)
  expect(attempt).toThrow('Cannot run while NODE_TLS_REJECT_UNAUTHORIZED=0 is set')
})

it.each([{}, { NODE_TLS_REJECT_UNAUTHORIZED: undefined }, { NODE_TLS_REJECT_UNAUTHORIZED: '1' }])(
  'has nothing against %j',
  (environment) => {
    expect(() => refuseUnverifiedTls(environment)).not.toThrow()
  },
)
