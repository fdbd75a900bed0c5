import { spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprintOf, isSameKey, isUsableKey, readSignature, signText } from '../../src/trust/signature.js'
import { freshFolder } from '../support/folder.js'

const MANIFEST = '{\n  "digest": "x"\n}\n'
const one = generateKeyPairSync('ed25519')
const other = generateKeyPairSync('ed25519')
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

describe('manifest.sig', () => {
  it('is of this text and by this key, and the same each time', () => {
    const text = signText(MANIFEST, one.privateKey)
    expect(signText(MANIFEST, one.privateKey)).toBe(text)
    const signature = readSignature(text)
    expect(signature?.isOf(Buffer.from(MANIFEST))).toBe(true)
    expect(signature?.isOf(Buffer.from(MANIFEST.replace('x', 'y')))).toBe(false)
    expect(signature !== null && isSameKey(signature.publicKey, one.publicKey)).toBe(true)
    expect(signature !== null && isSameKey(signature.publicKey, other.publicKey)).toBe(false)
    expect(fingerprintOf(one.publicKey)).not.toBe(fingerprintOf(other.publicKey))
  })

  it('holds with no byte more, less or other', () => {
    const text = signText(MANIFEST, one.privateKey)
    const holds = (changed: string): boolean => readSignature(changed)?.isOf(Buffer.from(MANIFEST)) === true
    expect(holds(text)).toBe(true)
    for (let at = 0; at < text.length; at += 1)
      for (const byte of ['', 'A', 'b', ' ', '=', '\n']) {
        const changed = text.slice(0, at) + byte + text.slice(at + 1)
        if (changed !== text) expect(holds(changed), `"${byte}" at ${at}`).toBe(false)
      }
  })

  it('is made with Ed25519 alone', () => {
    expect(isUsableKey(one.privateKey)).toBe(true)
    expect(isUsableKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)).toBe(false)
    expect(isUsableKey(generateKeyPairSync('ed448').privateKey)).toBe(false)
  })

  it.runIf(hasOpenssl)('is checked by openssl as the manual says, and so is the fingerprint', () => {
    const folder = freshFolder()
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
    write('manifest.json', MANIFEST)
    write('manifest.sig', signText(MANIFEST, one.privateKey))
    const check = (key: typeof one.publicKey) => {
      write('PUBLIC.pem', key.export({ type: 'spki', format: 'pem' }).toString())
      const line =
        'head -n 1 manifest.sig | openssl base64 -d -A > signature && openssl pkeyutl -verify -pubin -inkey PUBLIC.pem -rawin -in manifest.json -sigfile signature'
      return spawnSync('sh', ['-c', line], { cwd: folder, encoding: 'utf8' })
    }
    expect(check(one.publicKey)).toMatchObject({ status: 0 })
    expect(check(other.publicKey).status).not.toBe(0)
    const fingerprint = 'openssl pkey -pubin -in PUBLIC.pem -outform DER | sha256sum'
    const told = spawnSync('sh', ['-c', fingerprint], { cwd: folder, encoding: 'utf8' }).stdout
    expect(told.split(' ')[0]).toBe(fingerprintOf(other.publicKey))
    write('manifest.json', `${MANIFEST} `)
    expect(check(one.publicKey).status).not.toBe(0)
  })
})
