import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

/** Only root can start what another user runs. */
export const IS_ROOT = process.getuid?.() === 0

const SERVER = `require('node:http').createServer(({ headers }, response) => {
  console.log(headers.authorization ?? '')
  response.writeHead(401).end()
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

/** A program of another user that listens on this machine, and what it heard of credentials. */
export async function listenAs(uid: number) {
  const server = spawn(process.execPath, ['-e', SERVER], {
    uid,
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
  })
  onTestFinished(() => void server.kill())
  const heard: string[] = []
  const lines = createInterface({ input: server.stdout })
  const [port] = (await once(lines, 'line')) as [string]
  lines.on('line', (line) => heard.push(line))
  return { port: Number(port), heard }
}

/** A service of this test that answers so, on a port of its own. */
export async function serving(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}
