import { randomBytes } from 'node:crypto'
import { PROOF_PATH, sandboxProof } from '../trust/sandbox-proof.js'
import type { BaseUrl } from './base-url.js'

const MOST_MS = 5_000

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
    const answer = await fetch(`${origin}${PROOF_PATH}${nonce}`, { redirect: 'error', signal })
    return answer.ok && (await answer.text()) === sandboxProof(password, nonce, port)
  } catch {
    return false
  }
}
