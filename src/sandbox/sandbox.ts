import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { html } from 'hono/html'
import { HTTPException } from 'hono/http-exception'
import { createServer, type Server } from 'node:http'
import { once, setMaxListeners } from 'node:events'
import { isIPv6, type AddressInfo } from 'node:net'
import {
  failedDirectDebit,
  type Billogram,
  type Offer,
  billogramRequest,
  billogramResponse,
  offerRequest,
  offerResponse,
} from '../contract/billogram.js'
import { codeOf, UsageError } from '../errors.js'
import { maskIban } from '../domain/text/accounts.js'
import { readBody, readJsonBody, refuse } from './refusal.js'
import { guardEverything, serveOperations, type Env, type ServiceParts, countRequests } from './service.js'
import { readSettings, type SandboxOptions } from './settings.js'
import { openStore, type HeldMandate, type Store } from './store.js'
import { planFaults } from './faults.js'
import { billogramOf, STARTING_BILLOGRAMS, keepBillogram } from './billogram.js'
import { z } from 'zod'
import {
  customerResponse,
  migrateRequest,
  migrateResponse,
  paymentSourceResponse,
  paymentSourcesResponse,
} from '../contract/mandates.js'
import described from './interface.json' with { type: 'json' }

/** A running simulator of the invoicing service. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>

/**
 * Starts a sandbox and resolves when it listens.
 * @throws UsageError for options it cannot work with, a port in use, or a foreign data file.
 */
export async function startSandbox(options: SandboxOptions = {}) {
  const settings = readSettings(options)
  const { username, password, seed, host } = settings
  const closing = new AbortController()
  setMaxListeners(0, closing.signal) // every request that waits listens
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
    billograms: (): Billogram[] => store.billograms(),
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
  guardEverything(app, parts)
  serveOperations(app, parts)
  serveInspection(app, parts)
  app.get('/', (c) => c.html(HOME))
  app.get('/openapi.json', (c) => c.json(describeInterface()))
  app.notFound(() => {
    throw refuse(404, 'NOT_FOUND', 'There is nothing under this path')
  })
  app.onError((error) => {
    if (error instanceof HTTPException) return error.getResponse()
    parts.log(`unexpected error: ${error.message}`)
    return refuse(500, 'INTERNAL_ERROR', 'The sandbox has a bug').getResponse()
  })
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false })
  return createServer((incoming, outgoing) => void answer(incoming, outgoing))
}

/** For people who open its address. */
const HOME = html`<!doctype html>
  <html lang="en">
    <meta charset="utf-8" />
    <title>Sandbox</title>
    <h1>Sandbox of the invoicing service</h1>
    <p>A simulator for rehearsals: nothing reaches a bank. What it holds, and what it was asked:</p>
    <ul>
      ${['mandates', 'offers', 'billograms', 'requests'].map(
        (name) => html`<li><a href="/_sandbox/${name}">${name}</a></li>`,
      )}
    </ul>
    <p><a href="/openapi.json">All operations</a> (OpenAPI). Manual: sepa-migrate help sandbox</p>
  </html>`

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

const PAGE = 5_000
const LARGEST_ACTION_BYTES = 64 * 1024

/** Every mandate, page by page, so that a million of them never stand in memory as one text. */
function* heldMandates(store: Store): Generator<HeldMandate> {
  for (let seen = 0; ;) {
    const page = store.mandatesAfter(seen, PAGE)
    yield* page
    seen += page.length
    if (page.length < PAGE) return
  }
}

/** As the inspection shows it; `Sandbox.mandates` gives the account number, because it stays in the process. */
const shown = (mandate: HeldMandate, { showAccounts }: ServiceParts): HeldMandate =>
  showAccounts ? mandate : { ...mandate, iban: maskIban(mandate.iban) }

/** A JSON array, one mandate per line. */
function* mandatesText(parts: ServiceParts): Generator<Uint8Array> {
  let text = '['
  let count = 0
  for (const mandate of heldMandates(parts.store)) {
    text += `${count === 0 ? '' : ','}\n${JSON.stringify(shown(mandate, parts))}`
    count += 1
    if (count % PAGE > 0) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(`${text}\n]\n`)
}

/**
 * What the sandbox truly holds, and the actions that stand for the bank. Not part of the service's interface.
 * Account numbers are masked unless the sandbox was told to show them.
 */
function serveInspection(app: Hono<Env>, parts: ServiceParts): void {
  const { store, counter, now } = parts
  app.get('/_sandbox/mandates', () => {
    const headers = { 'content-type': 'application/json' }
    return new Response(ReadableStream.from(mandatesText(parts)), { headers })
  })
  app.get('/_sandbox/offers', (c) => c.json(store.offers()))
  app.get('/_sandbox/billograms', (c) => c.json(store.billograms()))
  app.get('/_sandbox/requests', (c) => c.json(counter.counts()))
  app.post('/_sandbox/mandates/:reference/first-payment', async (c) => {
    await readJsonBody(c.env.incoming, LARGEST_ACTION_BYTES)
    const reference = c.req.param('reference')
    store.finalise(reference, now().toISOString())
    const mandate = store.mandateByReference(reference)
    if (mandate === null) throw refuse(404, 'NOT_FOUND', 'There is no mandate with this reference')
    return c.json({ status: 'OK', data: shown(mandate, parts) })
  })
  app.post('/_sandbox/billograms/:id/failed-direct-debit', async (c) => {
    const body = await readJsonBody(c.env.incoming, LARGEST_ACTION_BYTES)
    const happened = [{ type: 'DirectDebitFailed', data: readBody(failedDirectDebit, body) }]
    const data = keepBillogram(billogramOf(c.req.param('id'), store), happened, now().toISOString(), parts)
    return c.json({ status: 'OK', data })
  })
}

/** The form of every refusal: choice 1 of sandbox/choices.md. */
const refusalResponse = z.strictObject({
  status: z.string(),
  data: z.strictObject({
    message: z.string(),
    field: z.string().nullable(),
    field_path: z.array(z.string()).nullable(),
  }),
})

/** By the names that the description gives them. */
const SCHEMAS = {
  OfferRequest: offerRequest,
  OfferResponse: offerResponse,
  BillogramRequest: billogramRequest,
  BillogramResponse: billogramResponse,
  MigrateRequest: migrateRequest,
  MigrateResponse: migrateResponse,
  PaymentSourcesResponse: paymentSourcesResponse,
  PaymentSourceResponse: paymentSourceResponse,
  CustomerResponse: customerResponse,
  Refusal: refusalResponse,
}

/**
 * The OpenAPI 3.1 description of the operations, with the schemas that the sandbox checks by. What is published beyond the
 * interface says so, and a service may lack it.
 */
function describeInterface() {
  const schemas = Object.entries(SCHEMAS).map(([name, schema]) => [name, jsonSchemaOf(schema)])
  return {
    ...described,
    components: { ...described.components, schemas: Object.fromEntries(schemas) as Record<string, unknown> },
  }
}

function jsonSchemaOf(schema: z.ZodType) {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
  return rest
}
