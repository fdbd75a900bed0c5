import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MigratedMandate } from '../../contract/migrate-mandate.js'
import type { Fault } from './faults.js'
import { refusalBody, refuse } from '../refusal.js'

const JSON_HEADERS = { 'content-type': 'application/json' }

/** What a fault needs to play its part. */
interface Stage {
  /** The raw answer, for faults below HTTP. */
  readonly outgoing: ServerResponse
  /** The envelope that would have been answered; null when the fault came before any effect. */
  readonly envelope: { readonly status: string; readonly data: object } | null
  /** A reference that was given away before, for `repeated_reference`. */
  readonly earlierReference: string | null
}

/** Whether the service takes effect before the fault shows. */
export const appliesFirst = (fault: Fault): boolean =>
  fault.kind === 'delay' || ('applied' in fault && fault.applied)

/** Plays a fault. The `Response` is the answer; for faults of the connection it only says that none follows. */
export async function misbehave(fault: Exclude<Fault, { kind: 'delay' }>, stage: Stage): Promise<Response> {
  switch (fault.kind) {
    case 'refuse':
      return refusedOnPurpose(fault)
    case 'throttle':
      return throttled(fault)
    case 'server_error':
      return jsonAnswer(fault.status, {
        status: 'INTERNAL_ERROR',
        data: { message: 'Broken on purpose', field: null, field_path: null },
      })
    case 'hang':
      return hang(stage.outgoing, fault.for_ms)
    case 'reset':
      stage.outgoing.socket?.resetAndDestroy()
      return RESPONSE_ALREADY_SENT
    case 'cut':
      return cut(stage, fault.framing)
    case 'nonsense':
      return nonsense(fault.answer, stage)
    case 'answer':
      return scripted(fault)
  }
}

const jsonAnswer = (status: number, body: unknown, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { ...JSON_HEADERS, ...headers } })

function refusedOnPurpose({ status, code, field, message }: Extract<Fault, { kind: 'refuse' }>): Response {
  const path = field === null ? [] : field.split('.')
  return jsonAnswer(status, refusalBody(refuse(status, code, message, path)))
}

function throttled({ status, retry_after }: Extract<Fault, { kind: 'throttle' }>): Response {
  const refusal = refuse(status, 'TOO_MANY_REQUESTS', 'Too many requests')
  return jsonAnswer(
    status,
    refusalBody(refusal),
    retry_after === null ? {} : { 'retry-after': String(retry_after) },
  )
}

/** Silence until the client leaves, or for a time and then a closed connection. */
async function hang(outgoing: ServerResponse, forMs: number | null): Promise<Response> {
  if (outgoing.socket?.destroyed ?? true) return RESPONSE_ALREADY_SENT
  const left = new AbortController()
  const isClosed = new Promise<void>((resolve) => outgoing.once('close', resolve)).then(() => left.abort())
  if (forMs === null) await isClosed
  else await sleep(forMs, undefined, { signal: left.signal }).catch(() => undefined)
  outgoing.destroy()
  return RESPONSE_ALREADY_SENT
}

/** Half of the answer, then the end of the connection. Written by hand, since an HTTP library would be right. */
function cut({ outgoing, envelope }: Stage, framing: Extract<Fault, { kind: 'cut' }>['framing']): Response {
  const body = JSON.stringify(envelope ?? { status: 'OK', data: {} })
  const half = body.slice(0, Math.ceil(body.length / 2))
  const head = {
    content_length: `Content-Length: ${Buffer.byteLength(body)}`,
    chunked: 'Transfer-Encoding: chunked',
    close: 'Connection: close',
  }[framing]
  const part = framing === 'chunked' ? `${Buffer.byteLength(half).toString(16)}\r\n${half}\r\n` : half
  outgoing.socket?.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${head}\r\n\r\n${part}`)
  return RESPONSE_ALREADY_SENT
}

function nonsense(
  answer: Extract<Fault, { kind: 'nonsense' }>['answer'],
  { envelope, earlierReference }: Stage,
): Response {
  const data = (envelope?.data ?? {}) as Partial<MigratedMandate>
  switch (answer) {
    case 'html':
      return new Response('<!doctype html><title>Welcome</title><p>It works!</p>', {
        headers: { 'content-type': 'text/html; charset=utf-8' },
      })
    case 'empty':
      return new Response('', { headers: JSON_HEADERS })
    case 'no_content':
      return new Response(null, { status: 204 })
    case 'null':
      return jsonAnswer(200, null)
    case 'array':
      return jsonAnswer(200, [envelope])
    case 'no_data':
      return jsonAnswer(200, { status: 'OK' })
    case 'no_references': {
      const { sepa_creditor_identifier: _ci, unique_mandate_reference: _umr, ...rest } = data
      return jsonAnswer(200, { status: 'OK', data: rest })
    }
    case 'wrong_echo':
      return jsonAnswer(200, { status: 'OK', data: { ...data, customer_no: (data.customer_no ?? 0) + 1 } })
    case 'repeated_reference': {
      const reference = earlierReference ?? data.unique_mandate_reference
      return jsonAnswer(200, { status: 'OK', data: { ...data, unique_mandate_reference: reference } })
    }
  }
}

function scripted({ status, headers, body }: Extract<Fault, { kind: 'answer' }>): Response {
  const hasNoBody = status === 204 || status === 205 || status === 304
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return new Response(hasNoBody ? null : text, { status, headers: { ...JSON_HEADERS, ...headers } })
}
