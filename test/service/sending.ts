import { onTestFinished } from 'vitest'
import type { Iban, Mandate } from '../../src/domain/mandate/mandate.js'
import { clientOptions, createClient } from '../../src/service/client.js'
import type { ClientOptions, ServiceClient } from '../../src/service/client.js'
import { startFaultServer, type FaultServer, type FaultServerOptions } from '../support/fault-server.js'
import { mandateOf as mandateNo } from '../run/mandate-samples.js'
import { checkService } from '../../src/service/checked-service.js'

export const clock = { now: () => Date.now(), monotonic: () => performance.now() }

/** An invented mandate; its account number and identifiers pass their checksums. */
export const mandateOf = (customerNo = 1): Mandate => ({
  ...mandateNo(customerNo),
  iban: 'DE89370400440532013000' as Iban,
})

export const CREDENTIALS = { username: 'rehearsal', password: 'correct horse' }
export const MACHINE = { version: '0.0.0-test', clock }

/** A way with small limits. */
export const optionsOf = (baseUrl: string): ClientOptions =>
  clientOptions(checkService({ baseUrl, concurrency: 1, timeoutMs: 5_000 }, {}), CREDENTIALS, MACHINE)

/** A client with small limits, closed when the test ends. */
export function openClient(url: string, options: Partial<ClientOptions> = {}): ServiceClient {
  const client = createClient({ ...optionsOf(url), ...options })
  onTestFinished(() => client.close())
  return client
}

/** A fault server, closed when the test ends. */
export async function openServer(options: FaultServerOptions = {}): Promise<FaultServer> {
  const server = await startFaultServer(options)
  onTestFinished(() => server.close())
  return server
}

let sent = 0
const nextRequestId = (): string => `request-${(sent += 1)}`

/** Sends one mandate. */
export const send = (client: ServiceClient, mandate: Mandate = mandateOf(), signal?: AbortSignal) =>
  client.migrateMandate(mandate, { requestId: nextRequestId(), ...(signal === undefined ? {} : { signal }) })
