import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { isIPv6, type AddressInfo } from 'node:net'
import type { Billogram, Offer } from '../contract/billogram.js'
import { codeOf, UsageError } from '../errors.js'
import { openCallbacks } from './billogram/callbacks.js'
import { heldBillograms, heldMandates, serveInspection } from './look/inspection.js'
import { describeInterface } from './look/openapi.js'
import { refuse } from './refusal.js'
import {
  guardEverything,
  refusalAnswer,
  serveOperations,
  type ServiceParts,
  countRequests,
} from './service.js'
import { readSettings, type SandboxOptions } from './settings.js'
import { openStore, type HeldMandate } from './store.js'
import { planFaults, openWaits } from './faults/faults.js'
import { STARTING_BILLOGRAMS } from './billogram/billogram-record.js'

/** A running simulator of the invoicing service. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/**
 * Starts a sandbox and resolves when it listens.
 * @throws UsageError for options it cannot work with, a port in use, or a foreign data file.
 */
export async function startSandbox(given: SandboxOptions = {}) {
  const settings = readSettings(given)
  const { username, password, latencyMs, choices } = settings
  const seed = settings.seed ?? randomInt(2 ** 32)
  const log = given.log ?? (() => undefined)
  const store = openStore(settings.dataFile, STARTING_BILLOGRAMS)
  const counter = countRequests()
  const now = given.now ?? (() => new Date())
  const callbacks = openCallbacks(log, now)
  const waits = openWaits()
  const parts: ServiceParts = {
    store,
    choices,
    credentials: { username, password },
    seed,
    planFault: planFaults({ rules: settings.faults, chaos: settings.chaos, seed }),
    counter,
    callbacks,
    wait: waits.wait,
    latencyMs,
    readBack: settings.readBack === 'on' ? { lagMs: settings.readBackLagMs } : null,
    showAccounts: settings.showAccounts,
    now,
    log,
  }
  const own = { listensOn: settings.host, port: settings.port }
  const server = serverFor(parts, own)
  try {
    await listen(server, settings.host, settings.port)
  } catch (cause) {
    store.close()
    throw cause
  }
  const { port } = server.address() as AddressInfo
  own.port = port
  let closed: Promise<void> | null = null
  return {
    /** Base URL without a slash at the end, for example `http://127.0.0.1:49152`. */
    url: `http://${reachableHost(settings.host)}:${port}`,
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
      closed ??= stop(server, () => {
        waits.close()
        callbacks.close()
      }).then(() => store.close())
      return closed
    },
  }
}

function serverFor(parts: ServiceParts, own: Parameters<typeof guardEverything>[1]): Server {
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.route('/', guardEverything(parts, own))
  app.route('/', serveOperations(parts))
  app.route('/', serveInspection(parts))
  const description = describeInterface({ hasReadBack: parts.readBack !== null })
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

async function stop(server: Server, release: () => void): Promise<void> {
  const stopped = once(server, 'close')
  server.close()
  release()
  server.closeAllConnections()
  await stopped
}

/** Where a client on this computer finds a server that listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return isIPv6(host) ? `[${host}]` : host
}
