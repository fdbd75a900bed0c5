import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readSettings, trustedLines, readService } from '../../../src/cli/settings/settings.js'
import { worldOf } from '../world.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trusted-'))
  for (const name of ['ca.pem', 'client.pem', 'node-ca.pem', 'key.pem'])
    writeFileSync(join(folder, name), 'x', { mode: 0o600 })
})
afterEach(() => rmSync(folder, { recursive: true }))

async function linesOf(text: string | null, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const config = join(folder, 'campaign.yaml')
  if (text !== null) writeFileSync(config, `service: ${text}`, { mode: 0o600 })
  const world = worldOf({ env: { SEPA_MIGRATE_USERNAME: 'u', SEPA_MIGRATE_PASSWORD: 'p', ...env } })
  const flags = { baseUrl: 'https://service.example', ...(text === null ? {} : { config }) }
  return trustedLines((await readService(readSettings(flags, world), world)).trusted)
}

const ALL =
  '{ proxy: "https://user:hunter2@proxy.example:3128/", ca: ca.pem, clientCertificate: client.pem, clientKey: key.pem }'

describe('8.4.3 whom a run trusts', () => {
  it('is named in full, without credentials, paths of the configuration beside it', async () => {
    const env = {
      NODE_EXTRA_CA_CERTS: join(folder, 'node-ca.pem'),
      NODE_OPTIONS: '--use-openssl-ca',
      NODE_USE_SYSTEM_CA: '1',
    }
    expect(await linesOf(ALL, env)).toEqual([
      `Configuration: ${join(folder, 'campaign.yaml')}`,
      'Proxy: https://proxy.example:3128',
      `Extra certificates: ${join(folder, 'ca.pem')}`,
      `Extra certificates: ${join(folder, 'node-ca.pem')}`,
      'Extra certificates: the certificates of this system (--use-openssl-ca)',
      'Extra certificates: the certificates of this system (NODE_USE_SYSTEM_CA)',
      `Client certificate: ${join(folder, 'client.pem')}`,
    ])
  })

  it('is nothing to speak of by default', async () => {
    expect(await linesOf(null)).toEqual([])
  })
})
