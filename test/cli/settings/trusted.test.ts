import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../../src/cli/settings/settings.js'
import { readTrusted, trustedLines } from '../../../src/cli/settings/trusted.js'
import { readBaseUrl } from '../../../src/index.js'
import { worldOf } from '../world.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trusted-'))
  for (const name of ['ca.pem', 'client.pem', 'node-ca.pem']) write(name, 0o644)
  write('key.pem', 0o600)
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, mode: number, text = 'x'): void {
  writeFileSync(join(folder, name), text)
  chmodSync(join(folder, name), mode)
}

function trusted(
  service: string,
  env: Readonly<Record<string, string>> = {},
  target = 'https://service.example',
) {
  write('campaign.yaml', 0o600, `service: ${service}`)
  const world = worldOf({ env })
  return readTrusted(
    readSettings({ config: join(folder, 'campaign.yaml') }, world),
    world,
    readBaseUrl(target),
  )
}

const ALL =
  '{ proxy: "https://user:hunter2@proxy.example:3128/", ca: ca.pem, clientCertificate: client.pem, clientKey: key.pem }'

describe('8.4.3 whom a run trusts', () => {
  it('is named in full, without credentials', () => {
    const env = {
      NODE_EXTRA_CA_CERTS: join(folder, 'node-ca.pem'),
      NODE_OPTIONS: '--use-openssl-ca',
      NODE_USE_SYSTEM_CA: '1',
    }
    expect(trustedLines(trusted(ALL, env))).toEqual([
      `Configuration: ${join(folder, 'campaign.yaml')}`,
      'Proxy: https://proxy.example:3128',
      `Extra certificates: ${join(folder, 'ca.pem')}`,
      `Extra certificates: ${join(folder, 'node-ca.pem')}`,
      'Extra certificates: the certificates of this system (--use-openssl-ca)',
      'Extra certificates: the certificates of this system (NODE_USE_SYSTEM_CA)',
      `Client certificate: ${join(folder, 'client.pem')}`,
    ])
  })

  it('is nothing to speak of by default', () => {
    const world = worldOf()
    expect(
      trustedLines(readTrusted(readSettings({}, world), world, readBaseUrl('https://service.example'))),
    ).toEqual([])
  })

  it('is no proxy for a service on this machine', () => {
    expect(trusted(ALL, {}, 'https://localhost:8443').proxy).toBeNull()
  })

  it.each([
    ['ca.pem', 0o666, 'Cannot trust the certificate file'],
    ['client.pem', 0o666, 'Cannot trust the certificate file'],
    ['node-ca.pem', 0o666, 'Cannot trust the certificate file'],
    ['key.pem', 0o644, 'Cannot trust the key file'],
  ])('is refused when others can change %s, or read a key', (name, mode, message) => {
    chmodSync(join(folder, name), mode)
    expect(() => trusted(ALL, { NODE_EXTRA_CA_CERTS: join(folder, 'node-ca.pem') })).toThrow(message)
  })
})
