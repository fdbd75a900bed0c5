import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readCredentials, readSettings, type Flags } from '../../../src/cli/settings/settings.js'
import { worldOf } from '../world.js'

const folder = mkdtempSync(join(tmpdir(), 'settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

const config = join(folder, 'campaign.yaml')
writeFileSync(
  config,
  'service: { concurrency: 3, passwordFile: secret }\nledger: march.db\ntimezone: Asia/Tokyo\n',
)
writeFileSync(join(folder, 'secret'), 'from the file\nsecond line\n', { mode: 0o600 })

const settingsOf = (flags: Flags, env: Readonly<Record<string, string>> = {}) =>
  readSettings(flags, worldOf({ env }))

describe('a setting', () => {
  it('comes from the flag, else the environment, else the file, else the default', () => {
    const env = { SEPA_MIGRATE_CONCURRENCY: '2' }
    expect(settingsOf({ config, concurrency: '1' }, env).get('concurrency')).toBe(1)
    expect(settingsOf({ config }, env).get('concurrency')).toBe(2)
    expect(settingsOf({ config }).get('concurrency')).toBe(3)
    expect(settingsOf({}).get('concurrency')).toBe(8)
  })

  it('that is a path in the file is relative to the file', () => {
    expect(settingsOf({ config }).ledger).toBe(join(folder, 'march.db'))
    expect(settingsOf({ config }).out).toBe(join(folder, 'sepa-migrate-report'))
    expect(settingsOf({ config, ledger: 'x/here.db' }).out).toBe(join('x', 'sepa-migrate-report'))
  })

  it('is named where a flag or the environment gives it, and not by an empty name', () => {
    expect(settingsOf({ ledger: 'x.db' }).isNamed('ledger')).toBe(true)
    expect(settingsOf({}, { SEPA_MIGRATE_LEDGER: 'x.db' }).isNamed('ledger')).toBe(true)
    expect(settingsOf({}, { SEPA_MIGRATE_LEDGER: '' }).isNamed('ledger')).toBe(false)
    expect(settingsOf({ config }).isNamed('ledger')).toBe(false)
    expect(settingsOf({}, { SEPA_MIGRATE_CONFIG: '' }).configuration.file).toBeNull()
  })
})

describe('today', () => {
  it('is the calendar date in the configured zone, not in UTC', () => {
    const now = Date.UTC(2026, 5, 14, 20, 0)
    expect(readSettings({ config }, worldOf({ now })).asOf).toBe('2026-06-15')
    expect(readSettings({}, worldOf({ now, zone: 'UTC' })).asOf).toBe('2026-06-14')
  })

  it('is what --as-of says, where it is a date', () => {
    expect(settingsOf({ asOf: '2026-06-15' }).asOf).toBe('2026-06-15')
    expect(() => settingsOf({ asOf: '2026-02-30' })).toThrow(/2026-02-30/)
  })
})

describe('the password', () => {
  const credentials = (flags: Flags, env: Readonly<Record<string, string>>) => {
    const world = worldOf({ env: { SEPA_MIGRATE_USERNAME: 'me', ...env } })
    return readCredentials(readSettings(flags, world), world)
  }

  it('comes from --password-file before the environment, and from the environment before the configuration', async () => {
    const passwordFile = join(folder, 'secret')
    const env = { SEPA_MIGRATE_PASSWORD: 'from the environment' }
    expect(await credentials({ passwordFile }, env)).toEqual({ username: 'me', password: 'from the file' })
    expect(await credentials({ config }, env)).toEqual({ username: 'me', password: 'from the environment' })
    expect(await credentials({ config }, {})).toEqual({ username: 'me', password: 'from the file' })
  })

  it('is not taken from a file that others can read or that is not there', async () => {
    const open = join(folder, 'open')
    writeFileSync(open, 'x')
    chmodSync(open, 0o640)
    await expect(credentials({ passwordFile: open }, {})).rejects.toThrow(/other users may open it/)
    await expect(credentials({ passwordFile: join(folder, 'none') }, {})).rejects.toThrow(/Cannot read/)
  })

  it('and the user name must be there', async () => {
    await expect(credentials({}, {})).rejects.toThrow(/no password for the user "me"/)
    await expect(credentials({}, { SEPA_MIGRATE_USERNAME: '' })).rejects.toThrow(/no user name/)
  })
})
