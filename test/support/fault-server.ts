import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
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
 * It parses HTTP itself: a real HTTP server would refuse to write most of these answers.
 */
export async function startFaultServer(options: FaultServerOptions = {}) {
  let script = options.script ?? {}
  const truth: Truth = { connections: 0, ended: 0, requests: [], applications: [] }
  const watchers = new Set<() => void>()
  const changed = (): void => watchers.forEach((watch) => watch())
  const sockets = new Set<Socket>()

  const seen = new Map<number | null, number>()
  const receive = (connection: number, head: RequestHead, body: string): [ReceivedRequest, Fault] => {
    const customerNo = readCustomerNo(body)
    const times = (seen.get(customerNo) ?? 0) + 1
    seen.set(customerNo, times)
    const ordinal = truth.requests.length + 1
    const isAllowed = options.credentials === undefined || isAuthorized(head, options.credentials)
    const fault: Fault = isAllowed
      ? chooseFault(script, { ordinal, customerNo, seen: times })
      : { kind: 'reply', status: 401, body: '{"status":"INVALID_AUTH","data":{"message":"unknown user"}}' }
    const request = { ordinal, connection, ...head, body, customerNo, fault: fault.kind }
    truth.requests.push(request)
    changed()
    return [request, fault]
  }
  const apply = (request: ReceivedRequest): Application | null => {
    const application = toApplication(request, truth.applications.length + 1)
    if (application !== null) truth.applications.push(application)
    changed()
    return application
  }

  const serve = (channel: Socket, raw: Socket, connection: number): void => {
    const wire: Wire = { channel, raw }
    channel.on('error', () => undefined)
    channel.on('timeout', () => raw.destroy())
    readRequests(wire, {
      isEarly: (head) => {
        const times = (seen.get(null) ?? 0) + 1
        const ordinal = truth.requests.length + 1
        if (chooseFault(script, { ordinal, customerNo: null, seen: times }).kind !== 'early_413') return false
        receive(connection, head, '')
        wire.channel.end(message(413, {}, ''))
        return true
      },
      onRequest: async (head, body) => {
        const [request, fault] = receive(connection, head, body)
        await answer(wire, request, fault, apply)
        if (options.idleCloseMs !== undefined) channel.setTimeout(options.idleCloseMs)
      },
    })
  }

  const tlsServer = options.tls === undefined ? null : createTlsServer({ ...options.tls })
  const rawByPort = new Map<number | undefined, { raw: Socket; connection: number }>()
  tlsServer?.on('tlsClientError', () => undefined)
  tlsServer?.on('secureConnection', (channel) => {
    const found = rawByPort.get(channel.remotePort)
    if (found !== undefined) serve(channel, found.raw, found.connection)
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
      hangUp({ channel: raw, raw }, fault.how)
      return
    }
    if (fault?.kind === 'reset_at_first_bytes') {
      raw.once('data', () => raw.resetAndDestroy())
      return
    }
    if (tlsServer === null) {
      serve(raw, raw, connection)
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
}

type RequestHead = Pick<ReceivedRequest, 'method' | 'path' | 'headers'>

function listen(port: number, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(accept)
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/** Splits what arrives into requests. Pipelined ones wait until the one before is answered. */
function readRequests(
  { channel }: Wire,
  reader: {
    readonly isEarly: (head: RequestHead) => boolean
    readonly onRequest: (head: RequestHead, body: string) => Promise<void>
  },
): void {
  let pending = Buffer.alloc(0)
  let isBusy = false
  const look = async (): Promise<void> => {
    if (isBusy) return
    const end = pending.indexOf('\r\n\r\n')
    if (end === -1) return
    const head = parseHead(pending.toString('latin1', 0, end))
    isBusy = true
    if (reader.isEarly(head)) return
    isBusy = false
    const length = Number(head.headers['content-length'] ?? 0)
    if (pending.length < end + 4 + length) return
    const body = pending.toString('utf8', end + 4, end + 4 + length)
    pending = pending.subarray(end + 4 + length)
    isBusy = true
    await reader.onRequest(head, body)
    isBusy = false
    await look()
  }
  channel.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    void look()
  })
}

function parseHead(text: string): RequestHead {
  const [first = '', ...lines] = text.split('\r\n')
  const [method = '', path = ''] = first.split(' ')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { method, path, headers }
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
  switch (fault.kind) {
    case 'none':
      return void channel.write(registeredMessage(request, apply(request)))
    case 'late': {
      const registered = registeredMessage(request, apply(request))
      await setTimeout(fault.byMs)
      return void channel.write(registered)
    }
    case 'hang_up':
      if (fault.applied) apply(request)
      hangUp(wire, fault.how)
      return ended
    case 'silence':
      if (fault.applied === true) apply(request)
      // Before the server's own listener, so that who waits for the end of the connection sees it applied.
      if (fault.applied === 'once_alone') wire.raw.prependOnceListener('close', () => apply(request))
      return ended
    case 'slow_headers':
      if (fault.applied) apply(request)
      channel.write('HTTP/1.1 200 OK\r\nx-slow: ')
      trickle(wire, fault.everyMs)
      return ended
    case 'slow_body':
      if (fault.applied) apply(request)
      channel.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n{')
      trickle(wire, fault.everyMs)
      return ended
    case 'stalled_body':
      channel.write(halfMessage('length', registeredBody(request, fault.applied ? apply(request) : null)))
      return ended
    case 'cut_body':
      channel.write(halfMessage(fault.framing, registeredBody(request, apply(request))), () => {
        // A reset overtakes bytes that the client has not read yet; it must see the half answer first.
        setImmediate(() => hangUp(wire, fault.how))
      })
      return ended
    case 'reply':
      if (fault.applied === true) apply(request)
      return void channel.write(message(fault.status, fault.headers ?? {}, fault.body ?? ''))
    case 'alter':
      return void channel.write(message(200, {}, alteredBody(registeredBody(request, apply(request)), fault)))
    case 'large_body': {
      const body = registeredBody(request, apply(request))
      return void channel.write(message(200, {}, ' '.repeat(fault.bytes - body.length) + body))
    }
    case 'large_headers': {
      const body = registeredBody(request, apply(request))
      return void channel.write(message(200, { 'x-large': 'x'.repeat(fault.bytes) }, body))
    }
    case 'early_413':
      // Decided when the headers arrived; a body that came in the same packet is too late for it.
      return void channel.end(message(413, {}, ''))
    case 'unsolicited_100':
      return void channel.write('HTTP/1.1 100 Continue\r\n\r\n' + registeredMessage(request, apply(request)))
    case 'early_hints':
      return void channel.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n' +
          registeredMessage(request, apply(request)),
      )
    case 'stray_bytes':
      channel.write(registeredMessage(request, apply(request)))
      setImmediate(() => channel.write(fault.bytes))
      return
    case 'garbage':
      apply(request)
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

const registeredMessage = (request: ReceivedRequest, application: Application | null): string =>
  application === null
    ? message(400, {}, '{"status":"INVALID_PARAMETER","data":{"message":"unreadable body"}}')
    : message(200, {}, registeredBody(request, application))

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

function isAuthorized(head: RequestHead, credentials: { username: string; password: string }): boolean {
  const token = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
  return head.headers['authorization'] === `Basic ${token}`
}
