import fc from 'fast-check'
import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { keyedHash } from '../../../src/ledger/admit/keyed-hash.js'

const SEED = 20_261_122

function ours(secret: Uint8Array, text: string): string {
  const bytes = Buffer.alloc(32)
  keyedHash(secret).into(bytes, text)
  return bytes.toString('hex')
}

const theirs = (secret: Uint8Array, text: string): string =>
  createHmac('sha256', secret).update(text).digest('hex')

it('12 is HMAC-SHA256 by the test vectors of RFC 4231', () => {
  expect(ours(Buffer.alloc(20, 0x0b), 'Hi There')).toBe(
    'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  )
  expect(ours(Buffer.from('Jefe'), 'what do ya want for nothing?')).toBe(
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  )
})

it(`12 is that of node:crypto for any key and text (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.string({ unit: 'binary', maxLength: 700 }),
      (secret, text) => {
        expect(ours(secret, text)).toBe(theirs(secret, text))
      },
    ),
    { seed: SEED, numRuns: 2_000 },
  )
})

it('12 is that of node:crypto for every length around the ends of blocks, one after the other', () => {
  const secret = Buffer.alloc(32, 7)
  const hash = keyedHash(secret)
  const bytes = Buffer.alloc(16)
  for (let length = 0; length <= 600; length += 1)
    for (const letter of ['x', 'ü', '€']) {
      const text = letter.repeat(length)
      hash.into(bytes, text)
      expect(bytes.toString('hex'), `${length} times ${letter}`).toBe(theirs(secret, text).slice(0, 32))
    }
})

it('12 takes lone surrogates as node:crypto does', () => {
  const secret = Buffer.alloc(32, 7)
  expect(ours(secret, 'a\ud800bc')).toBe(theirs(secret, 'a\ud800bc'))
})

it('12 refuses a key that is longer than a block', () => {
  expect(() => keyedHash(new Uint8Array(65))).toThrow(/one block/)
})
