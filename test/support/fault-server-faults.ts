import { generate } from './chance.js'

/**
 * What the fault server can do wrong, as plain values, so that a script can be written down, sent to another
 * process and replayed. `applied` says whether the mandate is registered at the server before the fault.
 */
export type Fault =
  /** Registers the mandate and answers as the interface says. */
  | { readonly kind: 'none' }
  /** The same, so much later. */
  | { readonly kind: 'late'; readonly byMs: number }
  /** Reads the request, then ends the connection without an answer: by FIN, or by RST. */
  | { readonly kind: 'hang_up'; readonly how: 'fin' | 'rst'; readonly applied: boolean }
  /** Reads the request and never answers. `once_alone`: registers it when the client has given up. */
  | { readonly kind: 'silence'; readonly applied: boolean | 'once_alone' }
  /** Sends a status line, then one header byte per interval, for ever. */
  | { readonly kind: 'slow_headers'; readonly everyMs: number; readonly applied: boolean }
  /** Sends the headers of a 200, then one byte of the body per interval, for ever. */
  | { readonly kind: 'slow_body'; readonly everyMs: number; readonly applied: boolean }
  /** Sends the headers of a 200 and half of the body, then nothing more, on an open connection. */
  | { readonly kind: 'stalled_body'; readonly applied: boolean }
  /** Registers it and sends half of the answer. `close`: no length was promised, so only the JSON tells. */
  | {
      readonly kind: 'cut_body'
      readonly framing: 'length' | 'chunked' | 'close'
      readonly how: 'fin' | 'rst'
    }
  /** Answers with this status and body, whatever they are; an empty body by default. */
  | {
      readonly kind: 'reply'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
      readonly applied?: boolean
    }
  /** Registers it and answers 200 with other fields in `data`, or without some, or with another status word. */
  | {
      readonly kind: 'alter'
      readonly fields?: Readonly<Record<string, unknown>>
      readonly without?: readonly string[]
      readonly word?: string
    }
  /** Registers it and pads the answer's body, or its headers, to this size. */
  | { readonly kind: 'large_body'; readonly bytes: number }
  | { readonly kind: 'large_headers'; readonly bytes: number }
  /** Answers 413 as soon as the headers are there, without reading the body, and closes. */
  | { readonly kind: 'early_413' }
  /** Sends `100 Continue`, which nobody asked for, before the answer. */
  | { readonly kind: 'unsolicited_100' }
  /** Sends `103 Early Hints` before the answer. */
  | { readonly kind: 'early_hints' }
  /** Answers as it should, and then writes these bytes to the idle connection. */
  | { readonly kind: 'stray_bytes'; readonly bytes: string }
  /** Registers it and answers with a first line that is not HTTP. */
  | { readonly kind: 'garbage' }

/** What can go wrong with a connection before any request of it is read. */
type ConnectionFault =
  /** Accepts, and ends the connection at once, by FIN or by RST. */
  | { readonly kind: 'hang_up'; readonly how: 'fin' | 'rst' }
  /** Accepts and reads nothing. With TLS: the handshake stalls. */
  | { readonly kind: 'deaf' }
  /** Waits for the client's first bytes (with TLS: the start of its handshake), then resets. */
  | { readonly kind: 'reset_at_first_bytes' }

/** Which request meets which fault. The first line that speaks for a request counts, in this order. */
export interface FaultScript {
  /** By the ordinal of the request, from 1. */
  readonly byOrdinal?: Readonly<Record<number, Fault>>
  /** By customer number: the nth fault for the nth request of this customer, then none. */
  readonly byCustomer?: Readonly<Record<number, readonly Fault[]>>
  /** By chance, replayable: it depends on the seed, the customer and how often the customer was seen. */
  readonly chaos?: Chaos
  /** For every other request. */
  readonly otherwise?: Fault
  readonly everyConnection?: ConnectionFault
}

interface Chaos {
  readonly seed: number
  /** Share of the requests that meet a fault, 0 to 1. */
  readonly share: number
  readonly faults?: readonly Fault[]
}

/** The faults that `chaos` draws from: each ends by itself or by the client's own time limit. */
const CHAOS_FAULTS: readonly Fault[] = [
  { kind: 'hang_up', how: 'fin', applied: false },
  { kind: 'hang_up', how: 'rst', applied: false },
  { kind: 'hang_up', how: 'fin', applied: true },
  { kind: 'hang_up', how: 'rst', applied: true },
  { kind: 'silence', applied: false },
  { kind: 'silence', applied: true },
  { kind: 'silence', applied: 'once_alone' },
  { kind: 'slow_headers', everyMs: 50, applied: true },
  { kind: 'slow_body', everyMs: 50, applied: true },
  { kind: 'stalled_body', applied: true },
  { kind: 'cut_body', framing: 'length', how: 'fin' },
  { kind: 'cut_body', framing: 'chunked', how: 'rst' },
  { kind: 'cut_body', framing: 'close', how: 'fin' },
  { kind: 'reply', status: 200, body: '<html><body>200 OK</body></html>', applied: true },
  { kind: 'reply', status: 200, body: '', applied: true },
  { kind: 'reply', status: 204, applied: true },
  { kind: 'alter', without: ['unique_mandate_reference'] },
  { kind: 'reply', status: 429, headers: { 'retry-after': '0' } },
  { kind: 'reply', status: 500, applied: false },
  { kind: 'reply', status: 502, applied: true },
  { kind: 'reply', status: 503, applied: false },
  { kind: 'reply', status: 504, applied: true },
  { kind: 'reply', status: 408, applied: true },
  { kind: 'reply', status: 409, applied: false },
  { kind: 'reply', status: 422, body: '{"status":"INVALID_PARAMETER","data":{"message":"not accepted"}}' },
  { kind: 'garbage' },
  { kind: 'unsolicited_100' },
  { kind: 'early_hints' },
]

/** The fault that the script holds for one request. `seen` counts the customer's requests, this one included. */
export function chooseFault(
  script: FaultScript,
  request: { ordinal: number; customerNo: number | null; seen: number },
): Fault {
  const byOrdinal = script.byOrdinal?.[request.ordinal]
  if (byOrdinal !== undefined) return byOrdinal
  const queue = script.byCustomer?.[request.customerNo ?? Number.NaN]
  if (queue !== undefined) return queue[request.seen - 1] ?? { kind: 'none' }
  const otherwise = script.otherwise ?? { kind: 'none' }
  return script.chaos === undefined ? otherwise : (drawFault(script.chaos, request) ?? otherwise)
}

function drawFault(chaos: Chaos, request: { customerNo: number | null; seen: number }): Fault | null {
  const { seed, share, faults = CHAOS_FAULTS } = chaos
  const draw = mix(seed, request.customerNo ?? 0, request.seen)
  if (draw() >= share) return null
  return faults[Math.floor(draw() * faults.length)] ?? null
}

/** Numbers from 0 to 1 that follow from the three given ones. */
const mix = (seed: number, customerNo: number, seen: number): (() => number) =>
  generate(Math.imul(seed ^ Math.imul(customerNo, 0x9e3779b1), 0x85ebca6b) + Math.imul(seen, 0xc2b2ae35))
