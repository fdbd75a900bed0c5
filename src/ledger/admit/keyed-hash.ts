import { hash } from 'node:crypto'

/**
 * HMAC-SHA256 (RFC 2104) of short texts, put together from two one-shot hashes: an HMAC object of node:crypto for each
 * row costs more than the hashing itself. The bytes are the same.
 */
export interface KeyedHash {
  /** Writes the first bytes of the hash into `to`, which is as long as wanted. */
  readonly into: (to: Buffer, text: string) => void
}

const BLOCK = 64
/** Bytes of a hash. */
const HASH = 32
/** Of a UTF-16 code unit in UTF-8. */
const MOST_BYTES = 3
const INNER = 0x36
const OUTER = 0x5c

/** One block: the key, filled up with zeros, with every byte changed by `pad`. */
const padded = (secret: Uint8Array, pad: number): Uint8Array => {
  const block = new Uint8Array(BLOCK).fill(pad)
  for (const [at, byte] of secret.entries()) block[at] = byte ^ pad
  return block
}

/** @param secret at most 64 bytes */
export function keyedHash(secret: Uint8Array): KeyedHash {
  if (secret.length > BLOCK) throw new Error('A key of a hash is at most one block long')
  let inner = Buffer.alloc(8 * BLOCK)
  inner.set(padded(secret, INNER))
  const outer = Buffer.alloc(BLOCK + HASH)
  outer.set(padded(secret, OUTER))

  return {
    into: (to, text) => {
      const needed = BLOCK + text.length * MOST_BYTES
      if (needed > inner.length) inner = Buffer.concat([inner], needed * 2)
      const end = BLOCK + inner.write(text, BLOCK)
      // Text of one byte a character ('binary') is the form in which a hash is handed over quickest.
      outer.write(hash('sha256', inner.subarray(0, end), 'binary'), BLOCK, 'binary')
      to.write(hash('sha256', outer, 'binary'), 'binary')
    },
  }
}
