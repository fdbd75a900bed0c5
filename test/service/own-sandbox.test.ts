import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.js'
import { isSandbox } from '../../src/service/own-sandbox.js'
import { readBaseUrl } from '../../src/service/checked-service.js'

it('28.4 the sandbox is known by its password, at its own address', async () => {
  const sandbox = await startSandbox({ seed: 1 })
  onTestFinished(() => sandbox.close())
  expect(await isSandbox(readBaseUrl(sandbox.url), sandbox.password)).toBe(true)
  expect(await isSandbox(readBaseUrl(sandbox.url), `${sandbox.password}x`)).toBe(false)
  expect(await isSandbox(readBaseUrl(`${sandbox.url}/prefix`), sandbox.password)).toBe(false)
})

it('28.4 whoever answers without an end is not listened to', async () => {
  let sent = 0
  let isClosed = false
  const server = createServer((_, answer) => {
    answer.on('close', () => (isClosed = true))
    const write = (): void => {
      if (isClosed) return
      sent += 65_536
      answer.write('x'.repeat(65_536))
    }
    answer.on('drain', write)
    write()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect(await isSandbox(readBaseUrl(`http://127.0.0.1:${port}`), 'x')).toBe(false)
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})
