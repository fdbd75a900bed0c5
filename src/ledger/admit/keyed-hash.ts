/**
 * HMAC-SHA256 (RFC 2104, FIPS 180-4) of short texts. An object of node:crypto for each row costs five times what the hashing
 * itself does; here the two halves of the key are hashed once. `fingerprints.ts` compares the first result with node:crypto.
 */
export interface KeyedHash {
  /** The first bytes of the hash of these texts, one after the other, written into `to`, which is as long as wanted. */
  readonly into: (to: Uint8Array, texts: readonly string[]) => void
}

const BLOCK = 64
const WORDS = 16
const ROUNDS = 64
const STATE = 8
/** Bytes of a hash. */
const HASH = 32
/** Of a UTF-16 code unit in UTF-8. */
const MOST_BYTES = 3
/** A block ends with the length in bits: eight bytes, and one that marks the end of the text. */
const ENDING = 9
const INNER = 0x36
const OUTER = 0x5c

/** The first 32 bits behind the point of a root of each of the first 64 primes (FIPS 180-4, 4.2.2 and 5.3.3). */
function fractions(root: (prime: number) => number, count: number): Int32Array {
  const parts = new Int32Array(count)
  let found = 0
  for (let candidate = 2; found < count; candidate += 1) {
    if (!isPrime(candidate)) continue
    const value = root(candidate)
    parts[found] = Math.floor((value - Math.floor(value)) * 2 ** 32)
    found += 1
  }
  return parts
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor += 1) if (number % divisor === 0) return false
  return true
}

const K = fractions(Math.cbrt, ROUNDS)
const START = fractions(Math.sqrt, STATE)
const schedule = new Int32Array(ROUNDS)

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** Takes one block into the state (FIPS 180-4, 6.2.2). */
function compress(state: Int32Array, bytes: Uint8Array, at: number): void {
  const w = schedule
  for (let i = 0, p = at; i < WORDS; i += 1, p += 4)
    w[i] =
      ((bytes[p] ?? 0) << 24) | ((bytes[p + 1] ?? 0) << 16) | ((bytes[p + 2] ?? 0) << 8) | (bytes[p + 3] ?? 0)
  for (let i = WORDS; i < ROUNDS; i += 1) {
    const x = w[i - 15] ?? 0
    const y = w[i - 2] ?? 0
    const small0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3)
    const small1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10)
    w[i] = ((w[i - 16] ?? 0) + small0 + (w[i - 7] ?? 0) + small1) | 0
  }
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  let e = state[4] ?? 0
  let f = state[5] ?? 0
  let g = state[6] ?? 0
  let h = state[7] ?? 0
  for (let i = 0; i < ROUNDS; i += 1) {
    const large1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (h + large1 + (g ^ (e & (f ^ g))) + (K[i] ?? 0) + (w[i] ?? 0)) | 0
    const large0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (large0 + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  state[0] = ((state[0] ?? 0) + a) | 0
  state[1] = ((state[1] ?? 0) + b) | 0
  state[2] = ((state[2] ?? 0) + c) | 0
  state[3] = ((state[3] ?? 0) + d) | 0
  state[4] = ((state[4] ?? 0) + e) | 0
  state[5] = ((state[5] ?? 0) + f) | 0
  state[6] = ((state[6] ?? 0) + g) | 0
  state[7] = ((state[7] ?? 0) + h) | 0
}

/** The state behind one block of the key. */
function stateOf(secret: Uint8Array, pad: number): Int32Array {
  const block = new Uint8Array(BLOCK).fill(pad)
  for (const [at, byte] of secret.entries()) block[at] = byte ^ pad
  const state = START.slice()
  compress(state, block, 0)
  return state
}

function writeWords(to: Uint8Array, at: number, words: Int32Array, bytes: number): void {
  for (let i = 0; i < bytes; i += 1) to[at + i] = (words[i >> 2] ?? 0) >>> (24 - (i & 3) * 8)
}

/** @param secret at most 64 bytes */
export function keyedHash(secret: Uint8Array): KeyedHash {
  if (secret.length > BLOCK) throw new Error('A key of a hash is at most one block long')
  const inner = stateOf(secret, INNER)
  const outer = stateOf(secret, OUTER)
  const state = new Int32Array(STATE)
  const result = new Uint8Array(BLOCK)
  let room = new Uint8Array(8 * BLOCK)

  /** Writes the texts, what ends them, and the bits of them and of the block before. @returns how long all of it is */
  function pad(texts: readonly string[]): number {
    let length = 0
    for (const text of texts) {
      room = withRoom(room, length + text.length * MOST_BYTES + 2 * BLOCK)
      length = writeText(room, length, text)
    }
    const end = Math.ceil((length + ENDING) / BLOCK) * BLOCK
    room.fill(0, length, end)
    room[length] = 0x80
    writeLength(room, end, BLOCK + length)
    return end
  }

  return {
    into: (to, texts) => {
      const end = pad(texts)
      state.set(inner)
      for (let at = 0; at < end; at += BLOCK) compress(state, room, at)
      writeWords(result, 0, state, HASH)
      result.fill(0, HASH)
      result[HASH] = 0x80
      writeLength(result, BLOCK, BLOCK + HASH)
      state.set(outer)
      compress(state, result, 0)
      writeWords(to, 0, state, to.length)
    },
  }
}

function withRoom(room: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> {
  if (room.length >= bytes) return room
  const larger = new Uint8Array(bytes * 2)
  larger.set(room)
  return larger
}

/** The length in bits, in the last bytes of a block that ends at `end`. */
function writeLength(to: Uint8Array, end: number, bytes: number): void {
  to[end - 1] = (bytes * 8) & 0xff
  to[end - 2] = (bytes >>> 5) & 0xff
  to[end - 3] = (bytes >>> 13) & 0xff
  to[end - 4] = (bytes >>> 21) & 0xff
}

const encoder = new TextEncoder()

/** @returns behind the text */
function writeText(to: Uint8Array, from: number, text: string): number {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 0x80) return from + encoder.encodeInto(text, to.subarray(from)).written
    to[from + at] = code
  }
  return from + text.length
}
