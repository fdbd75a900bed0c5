import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { chooseFault, type Fault, type FaultScript } from './fault-server-faults.js'

/** What really happened, as plain values. */
interface Truth {
  /** Connections that were accepted. */
  connections: number
  /** Connections that have ended. */
  ended: number
  /** Every request that was read, in order. */
  readonly requests: ReceivedRequest[]
  /** Every mandate that was registered, in order. A second one for the same mandate is a second mandate. */
  readonly applications: Application[]
}

interface ReceivedRequest {
  /** Counts requests from 1. */
  readonly ordinal: number
  readonly connection: number
  readonly method: string
  readonly path: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Null when the body names none. */
  readonly customerNo: number | null
  readonly fault: Fault['kind']
}

interface Application {
  readonly customerNo: number
  readonly originalCreditorIdentifier: string
  readonly originalMandateReference: string
  readonly assignedCreditorIdentifier: string
  readonly assignedMandateReference: string
}

export interface FaultServerOptions {
  readonly script?: FaultScript
  /** Speaks TLS with these settings; `requestCert` asks for a client certificate. */
  readonly tls?: Pick<
    TlsOptions,
    'cert' | 'key' | 'ca' | 'requestCert' | 'minVersion' | 'maxVersion' | 'ciphers'
  >
  /** 401 without exactly these credentials. */
  readonly credentials?: { readonly username: string; readonly password: string }
  /** Ends a connection that was idle for so long, without a word, after its first answer. */
  readonly idleCloseMs?: number
}

/** The creditor identifier that the server assigns to every mandate. */
export const ASSIGNED_CREDITOR_IDENTIFIER = 'DE79ZZZ01234567890'

export type FaultServer = Awaited<ReturnType<typeof startFaultServer>>

/**
 * A server for `POST /api/v2/sepa_dd_mandate/migrate` on real sockets that misbehaves as its script says and
 * keeps the truth of what it registered, so that a test can compare what a client believes with what is.
 * Node's server reads the requests; answers are written by hand, since it would refuse to write most of these.
 */
export async function startFaultServer(options: FaultServerOptions = {}) {
  let script = options.script ?? {}
  const truth: Truth = { connections: 0, ended: 0, requests: [], applications: [] }
  const watchers = new Set<() => void>()
  const changed = (): void => watchers.forEach((watch) => watch())
  const sockets = new Set<Socket>()

  const seen = new Map<number | null, number>()
  const receive = (request: Received): [ReceivedRequest, Fault] => {
    const customerNo = readCustomerNo(request.body)
    const times = (seen.get(customerNo) ?? 0) + 1
    seen.set(customerNo, times)
    const ordinal = truth.requests.length + 1
    const isAllowed = options.credentials === undefined || isAuthorized(request, options.credentials)
    const fault: Fault = isAllowed
      ? chooseFault(script, { ordinal, customerNo, seen: times })
      : { kind: 'reply', status: 401, body: '{"status":"INVALID_AUTH","data":{"message":"unknown user"}}' }
    const received = { ...request, ordinal, customerNo, fault: fault.kind }
    truth.requests.push(received)
    changed()
    return [received, fault]
  }
  const apply = (request: ReceivedRequest): Application | null => {
    const application = toApplication(request, truth.applications.length + 1)
    if (application !== null) truth.applications.push(application)
    changed()
    return application
  }

  const wires = new WeakMap<Socket, Wire>()
  const read = async (incoming: IncomingMessage): Promise<void> => {
    const wire = wires.get(incoming.socket)
    const isEarly = script.otherwise?.kind === 'early_413'
    // Of a client that goes before its request is whole, nothing was received.
    const body = isEarly ? '' : await text(incoming).catch(() => null)
    if (wire === undefined || body === null) return
    const { method = '', url: path = '' } = incoming
    const headers = incoming.headers as Record<string, string>
    const [request, fault] = receive({ connection: wire.connection, method, path, headers, body })
    await answer(wire, request, fault, apply)
    if (options.idleCloseMs !== undefined) wire.channel.setTimeout(options.idleCloseMs)
  }
  const reader = createHttpServer((incoming) => void read(incoming))
  const serve = (wire: Wire): void => {
    wires.set(wire.channel, wire)
    wire.channel.on('error', () => undefined)
    wire.channel.on('timeout', () => wire.raw.destroy())
    reader.emit('connection', wire.channel)
  }

  const tlsServer = options.tls === undefined ? null : createTlsServer({ ...options.tls })
  const rawByPort = new Map<number | undefined, { raw: Socket; connection: number }>()
  tlsServer?.on('tlsClientError', () => undefined)
  tlsServer?.on('secureConnection', (channel) => {
    const found = rawByPort.get(channel.remotePort)
    if (found !== undefined) serve({ ...found, channel })
  })

  const accept = (raw: Socket): void => {
    truth.connections += 1
    const connection = truth.connections
    sockets.add(raw)
    raw.setNoDelay(true)
    raw.on('error', () => undefined)
    raw.on('close', () => {
      sockets.delete(raw)
      truth.ended += 1
      changed()
    })
    changed()
    const fault = script.everyConnection
    if (fault?.kind === 'deaf') return
    if (fault?.kind === 'hang_up') {
      hangUp({ channel: raw, raw, connection }, fault.how)
      return
    }
    if (fault?.kind === 'reset_at_first_bytes') {
      raw.once('data', () => raw.resetAndDestroy())
      return
    }
    if (tlsServer === null) {
      serve({ channel: raw, raw, connection })
      return
    }
    rawByPort.set(raw.remotePort, { raw, connection })
    tlsServer.emit('connection', raw)
  }

  let listener = await listen(0, accept)
  const { port } = listener.address() as AddressInfo
  const stopListening = async (): Promise<void> => {
    const stopped = new Promise<void>((resolve) => listener.close(() => resolve()))
    for (const socket of sockets) socket.destroy()
    await stopped
  }
  return {
    port,
    /** `http://127.0.0.1:port`, or `https://localhost:port`. */
    url: tlsServer === null ? `http://127.0.0.1:${port}` : `https://localhost:${port}`,
    truth,
    /** Replaces the script for what comes next. */
    setScript: (next: FaultScript): void => {
      script = next
    },
    /** Resolves once the condition holds; looks again whenever a connection, a request or an end was seen. */
    until: (condition: (truth: Truth) => boolean) =>
      new Promise<void>((resolve) => {
        const watch = (): void => {
          if (!condition(truth)) return
          watchers.delete(watch)
          resolve()
        }
        watchers.add(watch)
        watch()
      }),
    /** Breaks all connections and refuses new ones, as a service that is down. */
    stopListening,
    /** Listens on the same port again. */
    listenAgain: async (): Promise<void> => {
      listener = await listen(port, accept)
    },
    close: stopListening,
  }
}

/** `channel` speaks plain text (above TLS, where there is TLS); `raw` is the TCP connection below. */
interface Wire {
  readonly channel: Socket
  readonly raw: Socket
  readonly connection: number
}

type Received = Omit<ReceivedRequest, 'ordinal' | 'customerNo' | 'fault'>

function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(accept)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Plays one fault. Resolves when the connection is free for the next request, or never. */
async function answer(
  wire: Wire,
  request: ReceivedRequest,
  fault: Fault,
  apply: (request: ReceivedRequest) => Application | null,
): Promise<void> {
  const { channel } = wire
  const ended = new Promise<never>(() => undefined)
  const isApplied = 'applied' in fault ? fault.applied === true : !['reply', 'early_413'].includes(fault.kind)
  const application = isApplied ? apply(request) : null
  const body = (): string => registeredBody(request, application)
  const registered = (): string =>
    application === null
      ? message(400, {}, '{"status":"INVALID_PARAMETER","data":{"message":"unreadable body"}}')
      : message(200, {}, body())
  switch (fault.kind) {
    case 'none':
      return void channel.write(registered())
    case 'late':
      await setTimeout(fault.byMs)
      return void channel.write(registered())
    case 'hang_up':
      hangUp(wire, fault.how)
      return ended
    case 'silence':
      // Before the server's own listener, so that who waits for the end of the connection sees it applied.
      if (fault.applied === 'once_alone') wire.raw.prependOnceListener('close', () => apply(request))
      return ended
    case 'slow_headers':
      channel.write('HTTP/1.1 200 OK\r\nx-slow: ')
      trickle(wire, fault.everyMs)
      return ended
    case 'slow_body':
      channel.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{')
      trickle(wire, fault.everyMs)
      return ended
    case 'stalled_body':
      channel.write(halfMessage('length', body()))
      return ended
    case 'cut_body':
      channel.write(halfMessage(fault.framing, body()), () => {
        // A reset overtakes bytes that the client has not read yet; it must see the half answer first.
        setImmediate(() => hangUp(wire, fault.how))
      })
      return ended
    case 'reply':
      return void channel.write(message(fault.status, fault.headers ?? {}, fault.body ?? ''))
    case 'alter':
      return void channel.write(message(200, {}, alteredBody(body(), fault)))
    case 'large_body':
      return void channel.write(message(200, {}, ' '.repeat(fault.bytes - body().length) + body()))
    case 'large_headers':
      return void channel.write(message(200, { 'x-large': 'x'.repeat(fault.bytes) }, body()))
    case 'early_413':
      return void channel.end(message(413, {}, ''))
    case 'unsolicited_100':
      return void channel.write(`HTTP/1.1 100 Continue\r\n\r\n${registered()}`)
    case 'early_hints':
      return void channel.write(`HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n${registered()}`)
    case 'stray_bytes':
      channel.write(registered())
      setImmediate(() => channel.write(fault.bytes))
      return
    case 'garbage':
      return void channel.write('\u0016\u0003\u0001 this is not HTTP\r\n\r\n')
  }
}

function hangUp({ channel, raw }: Wire, how: 'fin' | 'rst'): void {
  if (how === 'rst') raw.resetAndDestroy()
  else channel.end(() => raw.destroySoon())
}

/** One byte per interval until the client gives up. */
function trickle({ channel, raw }: Wire, everyMs: number): void {
  const timer = setInterval(() => channel.write('x'), everyMs)
  raw.on('close', () => clearInterval(timer))
}

/** One HTTP answer, framed by its length. */
export function message(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({ 'content-type': 'application/json', ...headers })
  const fields = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const length = status === 204 ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
  return `HTTP/1.1 ${status} Scripted\r\n${fields}${length}\r\n${body}`
}

/** The body of a registration. */
function registeredBody(request: ReceivedRequest, application: Application | null): string {
  const { customer_no, iban, signed_date } = JSON.parse(request.body) as Record<string, unknown>
  return JSON.stringify({
    status: 'OK',
    data: {
      customer_no,
      iban,
      signed_date,
      sepa_creditor_identifier: application?.assignedCreditorIdentifier ?? '',
      unique_mandate_reference: application?.assignedMandateReference ?? '',
    },
  })
}

function alteredBody(
  body: string,
  change: { fields?: Readonly<Record<string, unknown>>; without?: readonly string[]; word?: string },
): string {
  const { status, data } = JSON.parse(body) as { status: string; data: Record<string, unknown> }
  const kept = Object.entries({ ...data, ...change.fields }).filter(
    ([name]) => change.without?.includes(name) !== true,
  )
  return JSON.stringify({ status: change.word ?? status, data: Object.fromEntries(kept) })
}

function halfMessage(framing: 'length' | 'chunked' | 'close', body: string): string {
  const half = body.slice(0, Math.floor(body.length / 2))
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  if (framing === 'length') return `${head}content-length: ${body.length}\r\n\r\n${half}`
  if (framing === 'close') return `${head}connection: close\r\n\r\n${half}`
  return `${head}transfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${half}`
}

function readCustomerNo(body: string): number | null {
  try {
    const { customer_no } = JSON.parse(body) as { customer_no?: unknown }
    return typeof customer_no === 'number' ? customer_no : null
  } catch {
    return null
  }
}

function toApplication(request: ReceivedRequest, ordinal: number): Application | null {
  if (request.customerNo === null) return null
  const { amendment } = JSON.parse(request.body) as {
    amendment: { sepa_creditor_identifier: string; unique_mandate_reference: string }
  }
  return {
    customerNo: request.customerNo,
    originalCreditorIdentifier: amendment.sepa_creditor_identifier,
    originalMandateReference: amendment.unique_mandate_reference,
    assignedCreditorIdentifier: ASSIGNED_CREDITOR_IDENTIFIER,
    assignedMandateReference: `NEW-${String(ordinal).padStart(8, '0')}`,
  }
}

function isAuthorized({ headers }: Received, credentials: { username: string; password: string }): boolean {
  const token = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  return headers['authorization'] === `Basic ${token}`
}
