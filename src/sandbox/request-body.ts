import type { IncomingMessage } from 'node:http'
import { done, refuse, type Reply } from './refusal.js'

/** Reads a request body as JSON: content type, size limit, UTF-8, syntax. Anything that is JSON passes. */
export async function readJsonBody(incoming: IncomingMessage, limitBytes: number): Promise<Reply<unknown>> {
  const contentType = incoming.headers['content-type'] ?? ''
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType)) {
    return refuse(415, 'UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be application/json')
  }
  const bytes = await readUpTo(incoming, limitBytes)
  if (bytes === null) {
    return refuse(413, 'BODY_TOO_LARGE', `The request body exceeds ${limitBytes} bytes`)
  }
  try {
    return done(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown)
  } catch {
    return refuse(400, 'INVALID_PARAMETER', 'The request body is not JSON')
  }
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
