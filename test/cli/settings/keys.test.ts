import { chmodSync, writeFileSync } from 'node:fs'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCheckingKey, readSigningKey } from '../../../src/cli/settings/settings.js'
import { UsageError } from '../../../src/errors.js'
import { freshFolder } from '../../support/folder.js'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })

const pem = (key: KeyObject, passphrase?: string): string =>
  (key.type === 'public'
    ? key.export({ type: 'spki', format: 'pem' })
    : key.export({
        type: 'pkcs8',
        format: 'pem',
        ...(passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase }),
      })
  ).toString()

function fileWith(text: string, mode = 0o600): string {
  const file = join(freshFolder(), 'key.pem')
  writeFileSync(file, text, { mode })
  chmodSync(file, mode)
  return file
}

describe('the key to sign with', () => {
  it('is read from a file that only its owner can open', () => {
    expect(readSigningKey(fileWith(pem(privateKey))).equals(privateKey)).toBe(true)
  })

  it.each([
    ['others can open', () => fileWith(pem(privateKey), 0o640), /other users may open it/],
    ['is protected by a passphrase', () => fileWith(pem(privateKey, 'open sesame')), /passphrase/],
    ['signs in another way', () => fileWith(pem(rsa.privateKey)), /not an Ed25519 key/],
    ['holds no key', () => fileWith('password\n'), /no private key/],
    ['holds the public key', () => fileWith(pem(publicKey)), /no private key/],
    ['is not there', () => join(freshFolder(), 'none.pem'), /Cannot read the key file/],
  ])('is refused where its file %s, before anything is written', (_, file, why) => {
    const key = file()
    for (const told of [why, 'no report was written', UsageError])
      expect(() => readSigningKey(key)).toThrow(told)
  })
})

describe('the key to check with', () => {
  it('is read from a file that others may read', () => {
    expect(readCheckingKey(fileWith(pem(publicKey), 0o644)).equals(publicKey)).toBe(true)
  })

  it.each([
    ['others can change', () => fileWith(pem(publicKey), 0o666), /anybody on this machine can write/],
    ['holds the private key', () => fileWith(pem(privateKey)), /holds a private key/],
    ['is of another kind', () => fileWith(pem(rsa.publicKey)), /not an Ed25519 key/],
    ['holds no key', () => fileWith('x'), /no public key/],
  ])('is refused where its file %s', (_, file, why) => {
    const key = file()
    for (const told of [why, UsageError]) expect(() => readCheckingKey(key)).toThrow(told)
  })
})
