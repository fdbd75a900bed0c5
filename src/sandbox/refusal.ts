import { wordingOf, isLoopback, parseJson } from '../domain/text/text.js'
import { HTTPException } from 'hono/http-exception'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { IncomingMessage } from 'node:http'
import { hash, timingSafeEqual } from 'node:crypto'

/**
 * A definite no, to be thrown. Its body is choice 1 of sandbox/choices.md: the service documents no error format.
 * @param code the envelope's `status` word
 * @param message for the operator; never quotes the refused value
 * @param path where in the body, empty for the request as a whole
 */
export function refuse(
  status: number,
  code: string,
  message: string,
  path: readonly (string | number)[] = [],
  headers: Readonly<Record<string, string>> = {},
): HTTPException {
  const [field, field_path] = path.length === 0 ? [null, null] : [path.join('.'), path.map(String)]
  const res = Response.json({ status: code, data: { message, field, field_path } }, { status, headers })
  return new HTTPException(status as ContentfulStatusCode, { res, message })
}

/** A value that breaks a documented rule or a choice: 400 with the field. */
export const refuseField = (path: readonly (string | number)[], problem: string): HTTPException =>
  refuse(400, 'INVALID_PARAMETER', `${path.join('.')} ${problem}`, path)

/** Reads a body by a strict schema; the first problem in field order becomes the refusal. */
export function readBody<Body>(
  schema: z.ZodType<Body>,
  body: unknown,
  readOnly: ReadonlySet<string> = new Set(),
): Body {
  const parsed = schema.safeParse(body, { error: wordingOf })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  if (issue === undefined) throw refuse(400, 'INVALID_PARAMETER', 'The request is not valid')
  const path = issue.path.map((name) => (typeof name === 'symbol' ? String(name) : name))
  if (issue.code !== 'unrecognized_keys')
    throw path.length === 0
      ? refuse(400, 'INVALID_PARAMETER', `The request body ${issue.message}`)
      : refuseField(path, issue.message)
  const name = (issue.keys[0] ?? '').slice(0, 60)
  throw path.length === 0 && readOnly.has(name)
    ? refuse(400, 'READ_ONLY_PARAMETER', `${name} is set by the service and cannot be sent`, [name])
    : refuse(400, 'UNKNOWN_PARAMETER', `${[...path, name].join('.')} is not a known field`, [...path, name])
}

/** Reads a request body as JSON: content type, size limit, UTF-8, syntax. Anything that is JSON passes. */
export async function readJsonBody(incoming: IncomingMessage, limitBytes: number): Promise<unknown> {
  const contentType = incoming.headers['content-type'] ?? ''
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType))
    throw refuse(415, 'UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be application/json')
  const bytes = await readUpTo(incoming, limitBytes)
  if (bytes === null) throw refuse(413, 'BODY_TOO_LARGE', `The request body exceeds ${limitBytes} bytes`)
  const json = parseJson(bytes)
  if (json === undefined) throw refuse(400, 'INVALID_PARAMETER', 'The request body is not JSON')
  return json
}

/** Null when there is more. The rest stays unread but the socket open, so that the answer arrives. */
async function readUpTo(incoming: IncomingMessage, limitBytes: number): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const CHALLENGE = { 'www-authenticate': 'Basic realm="sandbox"' }

/** Refuses a request without the right Authorization header of HTTP Basic. */
export function assertCredentials(
  header: string | undefined,
  expected: { readonly username: string; readonly password: string },
): void {
  const refused = (code: string, message: string) => refuse(401, code, message, [], CHALLENGE)
  if (header === undefined) throw refused('MISSING_AUTH', 'The Authorization header is missing')
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header) ?? []
  if (encoded === undefined)
    throw refused('INVALID_AUTH', 'The Authorization header is not of the Basic scheme')
  // Compares digests, so that the time taken tells nothing about the password.
  const digest = (text: string) => hash('sha256', text, 'buffer')
  const sent = digest(Buffer.from(encoded, 'base64').toString('utf8'))
  if (!timingSafeEqual(sent, digest(`${expected.username}:${expected.password}`)))
    throw refused('INVALID_AUTH', 'The user name or the password is wrong')
}

const ADDRESS = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/

/**
 * True when a request names this sandbox in its Host header: a name or address of this computer, or the address that
 * the sandbox was told to listen on, and its port. A web page that made a foreign name point here (DNS rebinding) sends
 * that name.
 */
export function isOwnHost(
  host: string | undefined,
  { listensOn, port }: { listensOn: string; port: number },
): boolean {
  const [, name = '', namedPort = '80'] =
    /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec((host ?? '').toLowerCase()) ?? []
  if (Number(namedPort) !== port) return false
  // Where it listens on more than loopback it is reached by addresses of this computer, which no page can forge.
  const isPublic = !isLoopback(listensOn)
  return isLoopback(name) || name === listensOn.toLowerCase() || (isPublic && ADDRESS.test(name))
}
