import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readBaseUrl, readTrusted, type Trusted } from '../../src/service/checked-service.js'
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trusted-'))
  for (const name of ['ca.pem', 'client.pem', 'node-ca.pem']) write(name, 0o644)
  write('key.pem', 0o600)
})
afterEach(() => rmSync(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)

function write(name: string, mode: number): void {
  writeFileSync(at(name), 'x')
  chmodSync(at(name), mode)
}

function trusted(env: Readonly<Record<string, string>> = {}, target = 'https://service.example'): Trusted {
  const options = {
    proxy: 'https://user:hunter2@proxy.example:3128/',
    ca: at('ca.pem'),
    clientCertificate: at('client.pem'),
    clientKey: at('key.pem'),
  }
  return readTrusted(options, env, readBaseUrl(target))
}

describe('8.4.3 whom a run trusts', () => {
  it('is said without credentials, and with what the environment adds', () => {
    const env = { NODE_EXTRA_CA_CERTS: at('node-ca.pem'), NODE_USE_SYSTEM_CA: '1' }
    expect(trusted(env)).toEqual({
      proxy: 'https://proxy.example:3128',
      extraCertificates: [
        at('ca.pem'),
        at('node-ca.pem'),
        'the certificates of this system (NODE_USE_SYSTEM_CA)',
      ],
      clientCertificate: at('client.pem'),
    })
  })

  it('is nobody by default', () => {
    expect(readTrusted({}, {}, readBaseUrl('https://service.example'))).toEqual({
      proxy: null,
      extraCertificates: [],
      clientCertificate: null,
    })
  })

  it('is no proxy for a service on this machine', () => {
    expect(trusted({}, 'https://localhost:8443').proxy).toBeNull()
  })

  it.each([
    ['ca.pem', 0o666, 'Cannot trust the certificate file'],
    ['client.pem', 0o666, 'Cannot trust the certificate file'],
    ['node-ca.pem', 0o666, 'Cannot trust the certificate file'],
    ['key.pem', 0o644, 'Cannot trust the key file'],
  ])('is refused when others can change %s, or read a key', (name, mode, message) => {
    chmodSync(at(name), mode)
    expect(() => trusted({ NODE_EXTRA_CA_CERTS: at('node-ca.pem') })).toThrow(message)
  })
})
