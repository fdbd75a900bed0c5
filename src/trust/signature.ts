import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'

/** The signature of manifest.json, beside it; no manifest can name the signature that is made over it. */
export const SIGNATURE_FILE = 'manifest.sig'

/** Ed25519 (RFC 8032): 64 bytes, the same for the same text and key. */
const ED25519 = 'ed25519'
const BYTES = 64

export const isUsableKey = (key: KeyObject): boolean => key.asymmetricKeyType === ED25519

const pemOf = (publicKey: KeyObject): string => publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** The signature in base64 on the first line, and behind it the public key that it was made with. */
const render = (signature: Buffer, publicKey: KeyObject): string =>
  `${signature.toString('base64')}\n${pemOf(publicKey)}`

export const signText = (text: string, privateKey: KeyObject): string =>
  render(sign(null, Buffer.from(text), privateKey), createPublicKey(privateKey))

/**
 * Null for a text that is not, to the byte, as `signText` writes it. Whose key it is that the signature says it was made with,
 * it cannot say.
 */
export function readSignature(text: string) {
  const end = text.indexOf('\n')
  const signature = Buffer.from(text.slice(0, Math.max(0, end)), 'base64')
  const publicKey = publicKeyIn(text.slice(end + 1))
  if (signature.length !== BYTES || publicKey === null || render(signature, publicKey) !== text) return null
  return { publicKey, isOf: (signed: Uint8Array) => verify(null, signed, publicKey, signature) }
}

/** Null for what is no public key in PEM, or one that signs in another way. */
export function publicKeyIn(pem: string): KeyObject | null {
  if (pem.includes('PRIVATE KEY')) return null
  try {
    const key = createPublicKey(pem)
    return isUsableKey(key) ? key : null
  } catch {
    return null
  }
}

/** SHA-256 of the key in DER, in hexadecimal: `openssl pkey -pubin -in KEY -outform DER | sha256sum`. */
export const fingerprintOf = (publicKey: KeyObject): string =>
  hash('sha256', publicKey.export({ type: 'spki', format: 'der' }))

export const isSameKey = (one: KeyObject, other: KeyObject): boolean => one.equals(other)
