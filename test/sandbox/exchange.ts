import { request as httpRequest } from 'node:http'
import { onTestFinished } from 'vitest'
import { startSandbox, type Sandbox } from '../../src/sandbox/sandbox.js'
import type { SandboxOptions } from '../../src/sandbox/settings.js'
import { samples } from '../contract/wire-samples.js'

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
  readonly headers?: Readonly<Record<string, string>>
  /** `user:password`; null leaves the header out. */
  readonly credentials?: string | null
}

/** A sandbox on a free port until the test ends. The seed is fixed unless a test gives one. */
export async function start(options: SandboxOptions = {}): Promise<Sandbox> {
  const choices = { repeatedMandate: 'register', ...options.choices } as const
  const sandbox = await startSandbox({ seed: 1, password: 'sandbox', ...options, choices })
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** One exchange over a connection of its own. Rejects when the connection breaks before the answer is whole. */
export function exchange(sandbox: Pick<Sandbox, 'url'>, method: string, path: string, call: Call = {}) {
  const { body, credentials = 'sandbox:sandbox' } = call
  const bytes = call.bytes ?? (body === undefined ? undefined : JSON.stringify(body))
  const headers = {
    ...(bytes === undefined ? {} : { 'content-type': 'application/json' }),
    // A length beside it is left out by whoever asks for chunks.
    ...(bytes === undefined || call.headers?.['transfer-encoding'] !== undefined
      ? {}
      : { 'content-length': String(Buffer.byteLength(bytes)) }),
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
            const { statusCode: status = 0, headers: answered } = incoming
            resolve({ status, headers: answered, text, json: parsed(text) })
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

export const MIGRATE = '/api/v2/sepa_dd_mandate/migrate'
export const migrate = (sandbox: Sandbox, change: object = {}, call: Call = {}): Promise<Answer> =>
  exchange(sandbox, 'POST', MIGRATE, { body: { ...samples.migrateMandate.request, ...change }, ...call })
export const createOffer = (sandbox: Sandbox, change: object = {}): Promise<Answer> =>
  exchange(sandbox, 'POST', '/api/v2/offer', { body: { ...samples.createOffer.request, ...change } })
export const update = (sandbox: Sandbox, body: unknown, id = 'SANDBOX1'): Promise<Answer> =>
  exchange(sandbox, 'PUT', `/api/v2/billogram/${id}`, { body })
/** An action under `/_sandbox`, or none with this body. */
export const act = (sandbox: Sandbox, path: string, body?: object): Promise<Answer> =>
  exchange(sandbox, 'POST', `/_sandbox/${path}`, { body })
