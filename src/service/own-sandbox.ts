import { randomBytes } from 'node:crypto'
import { get, type IncomingMessage } from 'node:http'
import type { BaseUrl } from './checked-service.js'
import { PROOF_PATH, sandboxProof } from '../trust/signature.js'
const MOST_MS = 5_000
/** In characters. */
const LONGEST_PROOF = 64

/** True where the sandbox itself listens, with this password and at this port. Nothing but a random number is sent. */
export async function isSandbox(
  { origin, pathPrefix, isLoopback }: BaseUrl,
  password: string,
): Promise<boolean> {
  if (!isLoopback || !origin.startsWith('http:') || pathPrefix !== '') return false
  const nonce = randomBytes(16).toString('hex')
  const port = Number(new URL(origin).port || 80)
  try {
    const signal = AbortSignal.timeout(MOST_MS)
    const answer = await answerOf(`${origin}${PROOF_PATH}${nonce}`, signal)
    return answer === sandboxProof(password, nonce, port)
  } catch {
    return false
  }
}

const answerOf = (url: string, signal: AbortSignal): Promise<string | null> =>
  new Promise((resolve, reject) => {
    get(url, { signal }, (answer) => {
      bodyOf(answer).then((body) => resolve(answer.statusCode === 200 ? body : null), reject)
    }).on('error', reject)
  })

/** Null for more than a proof takes: whoever listens may be anybody. */
async function bodyOf(answer: IncomingMessage): Promise<string | null> {
  let body = ''
  for await (const chunk of answer.setEncoding('latin1')) {
    body += String(chunk)
    if (body.length > LONGEST_PROOF) return null
  }
  return body
}
