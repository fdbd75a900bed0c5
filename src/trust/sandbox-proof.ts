import { scryptSync } from 'node:crypto'

/** Where a sandbox proves itself; 32 hexadecimal digits, drawn by whoever asks, come behind it. */
export const PROOF_PATH = '/_sandbox/proof/'

const BYTES = 32

/**
 * What only somebody can say who knows the password of the sandbox: a tunnel to a real service cannot, nor can whoever
 * passes the question on to a sandbox at another port. It takes its time, so that it helps nobody to guess the password.
 */
export const sandboxProof = (password: string, nonce: string, port: number): string =>
  scryptSync(password, `${nonce}:${port}`, BYTES).toString('hex')
