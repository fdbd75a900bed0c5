import { request as httpRequest } from 'node:http'
import type { Sandbox } from '../../src/sandbox/sandbox.js'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  /** The parsed body, undefined where it is not JSON. */
  readonly json: unknown
}

export interface Call {
  readonly body?: unknown
  /** Sent as it is, instead of `body`. */
  readonly bytes?: string | Buffer
  /** Sends the body without announcing its length. */
  readonly chunked?: boolean
  readonly headers?: Readonly<Record<string, string>>
  /** `user:password`; null leaves the header out. */
  readonly credentials?: string | null
}

/** One exchange over a connection of its own. Rejects when the connection breaks before the answer is whole. */
export function exchange(sandbox: Pick<Sandbox, 'url'>, method: string, path: string, call: Call = {}) {
  const { body, credentials = 'sandbox:sandbox' } = call
  const bytes = call.bytes ?? (body === undefined ? undefined : JSON.stringify(body))
  const headers = {
    ...(bytes === undefined
      ? {}
      : {
          'content-type': 'application/json',
          ...(call.chunked === true
            ? { 'transfer-encoding': 'chunked' }
            : { 'content-length': String(Buffer.byteLength(bytes)) }),
        }),
    ...(credentials === null
      ? {}
      : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
    ...call.headers,
  }
  return new Promise<Answer>((resolve, reject) => {
    httpRequest(new URL(path, sandbox.url), { method, headers, agent: false })
      .on('error', reject)
      .on('response', (incoming) => {
        const chunks: Buffer[] = []
        incoming
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', reject)
          .on('end', () => {
            const text = Buffer.concat(chunks).toString()
            resolve({
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              text,
              json: parsed(text),
            })
          })
      })
      .end(bytes)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
