import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { isIPv6, type AddressInfo } from 'node:net'
import type { Billogram, Offer } from '../contract/billogram.js'
import { codeOf, UsageError } from '../errors.js'
import { heldBillograms, heldMandates, serveInspection } from './look/inspection.js'
import { describeInterface } from './look/openapi.js'
import { refuse, refusalAnswer } from './refusal.js'
import { guardEverything, serveOperations, type Env, type ServiceParts, countRequests } from './service.js'
import { readSettings, type SandboxOptions } from './settings.js'
import { openStore, type HeldMandate } from './store.js'
import { planFaults } from './faults/faults.js'
import { STARTING_BILLOGRAMS } from './billogram/billogram-record.js'

/** A running simulator of the invoicing service. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/**
 * Starts a sandbox and resolves when it listens.
 * @throws UsageError for options it cannot work with, a port in use, or a foreign data file.
 */
export async function startSandbox(given: SandboxOptions = {}) {
  const settings = readSettings(given)
  const { username, password, seed, host } = settings
  const closing = new AbortController()
  const parts: ServiceParts = {
    ...settings,
    store: openStore(settings.dataFile, STARTING_BILLOGRAMS),
    closing: closing.signal,
    planFault: planFaults(settings),
    counter: countRequests(),
  }
  const { store, counter } = parts
  const server = serverFor(parts)
  try {
    await listen(server, host, settings.port)
  } catch (cause) {
    store.close()
    throw cause
  }
  const { port } = server.address() as AddressInfo
  parts.port = port
  let closed: Promise<void> | null = null
  return {
    /** Base URL without a slash at the end, for example `http://127.0.0.1:49152`. */
    url: `http://${reachableHost(host)}:${port}`,
    port,
    username,
    password,

    /** The seed in use; give it again to repeat chaos and references. */
    seed,

    /** What it truly holds, in the order of registration. */
    mandates: (): HeldMandate[] => [...heldMandates(store)],
    offers: (): Offer[] => store.offers(),
    billograms: (): Billogram[] => heldBillograms(parts),
    requests: counter.counts,

    /** Stops listening, cuts every connection, hung ones too, and closes the state. May be called again. */
    close(): Promise<void> {
      closed ??= stop(server, closing).then(() => store.close())
      return closed
    },
  }
}

function serverFor(parts: ServiceParts): Server {
  const app = new Hono<Env>()
  app.route('/', guardEverything(parts))
  app.route('/', serveOperations(parts))
  app.route('/', serveInspection(parts))
  const description = describeInterface({ hasReadBack: parts.readBack === 'on' })
  app.get('/openapi.json', (c) => c.json(description))
  app.notFound(() => refusalAnswer(refuse(404, 'NOT_FOUND', 'There is nothing under this path')))
  app.onError((error) => {
    parts.log(`unexpected error: ${error.message}`)
    return refusalAnswer(refuse(500, 'INTERNAL_ERROR', 'The sandbox has a bug'))
  })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return createServer((incoming, outgoing) => void answer(incoming, outgoing))
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    const code = codeOf(cause)
    const reason =
      code === 'EADDRINUSE' ? 'the port is in use' : cause instanceof Error ? cause.message : 'unknown reason'
    throw new UsageError(
      `Cannot listen on ${host}:${port}: ${reason}`,
      'Choose another host or port, or port 0 for a free one.',
      { cause },
    )
  }
}

async function stop(server: Server, closing: AbortController): Promise<void> {
  const stopped = once(server, 'close')
  server.close()
  closing.abort()
  server.closeAllConnections()
  await stopped
}

/** Where a client on this computer finds a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIPv6(host) ? `[${host}]` : host
}
