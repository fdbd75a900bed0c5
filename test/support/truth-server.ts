import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import tls from 'node:tls'
import { makeAuthority } from './tls-certificates.js'

/** A service that registers everything and counts every request, per customer: what really happened. */
export interface TruthServer {
  readonly baseUrl: string
  /** What the program needs to trust it. */
  readonly env: Readonly<Record<string, string>>
  readonly posts: () => number
  /** Requests by customer. */
  readonly received: ReadonlyMap<number, number>
  /** Customers that were registered more than once. */
  readonly twice: () => readonly number[]
  /** What was received until now counts for no customer any more. */
  readonly forget: () => void
  readonly whenReceived: (count: number) => Promise<void>
  readonly close: () => Promise<void>
}

export interface TruthOptions {
  readonly delayMs?: number
  /**
   * A folder for its certificate authority: then it speaks https under an address that is not a loopback address by
   * its name, so that the program takes it for a real service. Linux brings it back to this machine.
   */
  readonly asRealService?: string
}

interface Migration {
  readonly customer_no: number
  readonly amendment: unknown
}

const connect = tls.connect

/** Command lines that run in this process trust it too (support/program.ts). */
function trustHere(ca: string): void {
  tls.connect = ((options: tls.ConnectionOptions, ...rest: never[]) =>
    connect({ ...options, ca }, ...rest)) as typeof connect
}

export async function startTruth({ delayMs = 0, asRealService }: TruthOptions = {}): Promise<TruthServer> {
  const received = new Map<number, number>()
  let total = 0
  let waiting: { count: number; resolve: () => void }[] = []

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const { amendment: _amendment, ...echo } = JSON.parse(Buffer.concat(parts).toString()) as Migration
    total += 1
    const assigned = {
      sepa_creditor_identifier: 'DE84ZZZ09876543210',
      unique_mandate_reference: `NEW${total}`,
    }
    received.set(echo.customer_no, (received.get(echo.customer_no) ?? 0) + 1)
    for (const { resolve } of waiting.filter(({ count }) => count <= total)) resolve()
    waiting = waiting.filter(({ count }) => count > total)
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ status: 'OK', data: { ...echo, ...assigned } }))
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response).catch(() => response.destroy())
  const authority = asRealService === undefined ? null : await makeAuthority()
  const server =
    authority === null
      ? createPlainServer(listener)
      : createTlsServer(await authority.issue(['0.0.0.0']), listener)
  const env: Record<string, string> = {}
  if (authority !== null && asRealService !== undefined) {
    env['NODE_EXTRA_CA_CERTS'] = join(asRealService, 'authority.pem')
    writeFileSync(env['NODE_EXTRA_CA_CERTS'], authority.cert)
    trustHere(authority.cert)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: authority === null ? `http://127.0.0.1:${port}` : `https://0.0.0.0:${port}`,
    env,
    posts: () => total,
    received,
    twice: () => [...received].filter(([, count]) => count > 1).map(([customerNo]) => customerNo),
    forget: () => received.clear(),
    whenReceived: (count) =>
      count <= total ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
