import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { isOthersPort } from '../../src/trust/entry.js'
import { IS_ROOT, listenAs } from '../support/listener.js'

it.runIf(process.platform === 'linux').each(['127.0.0.1', '::1'])(
  "the port of a program of one's own is nobody else's (%s)",
  async (host) => {
    const server = createServer().listen(0, host)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(isOthersPort(port)).toBe(false)
    await new Promise((resolve) => server.close(resolve))
    expect(isOthersPort(port)).toBe(false)
  },
)

it.runIf(IS_ROOT)('the port of a program of another user is', async () => {
  const { port } = await listenAs(65_534)
  expect(isOthersPort(port)).toBe(true)
})
