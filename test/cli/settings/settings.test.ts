import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import * as kinds from '../../../src/cli/settings/declared.js'
import { namedFiles } from '../../../src/cli/command.js'
import {
  readCredentials,
  readService,
  readSettings,
  trustedLines,
  type Flags,
  readCheckingKey,
  readSigningKey,
} from '../../../src/cli/settings/settings.js'
import { REMOVED } from '../../../src/cli/settings/configuration.js'
import { UsageError } from '../../../src/errors.js'
import { freshFolder } from '../../support/folder.js'
import { worldOf } from '../world.js'
import { main, commands } from '../../../src/cli/main.js'

let folder: string
let config: string
const written = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text, { mode: 0o600 })
  return join(folder, name)
}
const settingsOf = (flags: Flags, env: Readonly<Record<string, string>> = {}) =>
  readSettings(flags, worldOf({ env }))

beforeEach(() => {
  folder = freshFolder()
  const service = 'service: { concurrency: 3, passwordFile: secret }'
  config = written('campaign.yaml', `${service}\nledger: march.db\ntimezone: Asia/Tokyo\n`)
  written('secret', 'from the file\nsecond line\n')
})

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

it('today is what --as-of says, where it is a date, else the calendar date in the configured zone, not in UTC', () => {
  const now = Date.UTC(2026, 5, 14, 20, 0)
  expect(readSettings({ config }, worldOf({ now })).asOf).toBe('2026-06-15')
  expect(readSettings({}, worldOf({ now, zone: 'UTC' })).asOf).toBe('2026-06-14')
  expect(settingsOf({ asOf: '2026-06-15' }).asOf).toBe('2026-06-15')
  expect(() => settingsOf({ asOf: '2026-02-30' })).toThrow(/2026-02-30/)
})

describe('the password', () => {
  const credentials = (flags: Flags, env: Readonly<Record<string, string>> = {}) => {
    const world = worldOf({ env: { SEPA_MIGRATE_USERNAME: 'me', ...env } })
    return readCredentials(readSettings(flags, world), world)
  }

  it('comes from --password-file before the environment, and from the environment before the configuration', async () => {
    const env = { SEPA_MIGRATE_PASSWORD: 'from the environment' }
    const passwordFile = join(folder, 'secret')
    expect(await credentials({ passwordFile }, env)).toEqual({ username: 'me', password: 'from the file' })
    expect(await credentials({ config }, env)).toEqual({ username: 'me', password: 'from the environment' })
    expect(await credentials({ config })).toEqual({ username: 'me', password: 'from the file' })
    const marked = written('marked', '\uFEFFfrom Notepad\r\n')
    expect((await credentials({ passwordFile: marked })).password).toBe('from Notepad')
  })

  it('is not taken from a file that others can read or that is not there', async () => {
    const open = written('open', 'x')
    chmodSync(open, 0o640)
    await expect(credentials({ passwordFile: open })).rejects.toThrow(/other users may open it/)
    await expect(credentials({ passwordFile: join(folder, 'none') })).rejects.toThrow(/Cannot read/)
  })

  it('and the user name must be there', async () => {
    await expect(credentials({})).rejects.toThrow(/no password for the user "me"/)
    await expect(credentials({}, { SEPA_MIGRATE_USERNAME: '' })).rejects.toThrow(/no user name/)
  })
})

async function linesOf(flags: Flags, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const world = worldOf({ env: { SEPA_MIGRATE_USERNAME: 'u', SEPA_MIGRATE_PASSWORD: 'p', ...env } })
  const settings = readSettings({ baseUrl: 'https://service.example', ...flags }, world)
  return trustedLines((await readService(settings, world)).trusted)
}

it('whom a run trusts is named in full, without credentials, paths of the configuration beside it; nothing to speak of by default', async () => {
  const [ca, client, node] = ['ca.pem', 'client.pem', 'node-ca.pem', 'key.pem'].map((name) =>
    written(name, 'x'),
  )
  const tls = 'ca: ca.pem, clientCertificate: client.pem, clientKey: key.pem'
  written('campaign.yaml', `service: { proxy: "https://user:hunter2@proxy.example:3128/", ${tls} }`)
  const env = { NODE_EXTRA_CA_CERTS: node!, NODE_OPTIONS: '--use-openssl-ca', NODE_USE_SYSTEM_CA: '1' }
  expect(await linesOf({ config }, env)).toEqual([
    `Configuration: ${config}`,
    'Proxy: https://proxy.example:3128',
    `Extra certificates: ${ca!}`,
    `Extra certificates: ${node!}`,
    'Extra certificates: the certificates of this system (--use-openssl-ca)',
    'Extra certificates: the certificates of this system (NODE_USE_SYSTEM_CA)',
    `Client certificate: ${client!}`,
  ])
  expect(await linesOf({})).toEqual([])
})

describe('the files that a command reads or keeps', () => {
  const named = (given: { args?: string[]; own?: object }, output: 'logFile' | 'data' | null = null) => {
    const tls = 'ca: ca.pem, clientKey: key.pem, clientCertificate: cert.pem'
    const keys =
      'crosswalk: { file: keys.csv, from: old, key: old, customer_no: new }\njoin: [{ file: b.csv, on: { a: a }, take: { iban: i } }]'
    written('campaign.yaml', `ledger: campaign.db\nservice: { passwordFile: secret, ${tls} }\n${keys}\n`)
    const settings = settingsOf({ config, logFile: 'run.log' })
    return namedFiles({ settings, args: given.args ?? [], own: { ...given.own } }, output)
  }

  it('are all known, wherever they were named; standard input is none', () => {
    const files =
      'campaign.yaml secret ca.pem key.pem cert.pem keys.csv b.csv campaign.db campaign.db-wal'.split(' ')
    const inFolder = files.map((name) => join(folder, name))
    const found = named({ args: ['export.csv', '-', ''], own: { from: 'filled.csv', apply: true } })
    expect(found).toEqual(expect.arrayContaining([...inFolder, 'export.csv', 'filled.csv', 'run.log']))
    expect(found).not.toContain('-')
  })

  it('are without the output itself, or it could never be written', () => {
    expect(named({}, 'logFile')).not.toContain('run.log')
    expect(named({ own: { data: 'x.db' } }, 'data')).not.toContain('x.db')
    expect(named({ own: { data: 'x.db' } }, 'logFile')).toContain('x.db')
  })
})

describe('a kind of value', () => {
  const yes = ['yes', '1', 'true'].map((text) => [text, kinds.yesOrNo, true] as const)
  const no = ['no', '0', 'false'].map((text) => [text, kinds.yesOrNo, false] as const)
  it.each<readonly [string, { read: (text: string, where: string) => unknown }, unknown]>([
    ['90', kinds.seconds, 90],
    ['90s', kinds.seconds, 90],
    ['2m', kinds.seconds, 120],
    ['1.5h', kinds.seconds, 5400],
    ['0.001', kinds.seconds, 0.001],
    ['596h', kinds.seconds, 2_145_600],
    ['12', kinds.rowsOrPercent, { kind: 'count', value: 12 }],
    ['2.5%', kinds.rowsOrPercent, { kind: 'percent', value: 2.5 }],
    ['0%', kinds.rowsOrPercent, { kind: 'percent', value: 0 }],
    ...yes,
    ...no,
  ])('reads %s', (text, kind, value) => expect(kind.read(text, 'here')).toEqual(value))

  const messageOf = (read: () => unknown): string => {
    try {
      read()
      return 'accepted'
    } catch (error) {
      return error instanceof UsageError ? `${error.message}. ${error.next}` : 'another error'
    }
  }

  it('names what was written, where, and what is expected', () => {
    const why = '"abc" is not a whole number from 1 to 256. Correct the value; nothing was sent'
    const { read } = kinds.whole(1, 256)
    expect(messageOf(() => read('abc', '--concurrency'))).toBe(`Cannot read --concurrency: ${why}`)
    expect(messageOf(() => read('abc', null))).toMatch(/^"abc" is not a whole number from 1 to 256\./)
  })

  it('masks an account that stands in the wrong place', () => {
    const iban = 'DE89370400440532013000'
    expect(kinds.creditor.inFile.safeParse(iban).error?.message).toMatch(/^(?!.*DE8937).*DE…3000/s)
    expect(() => kinds.creditor.read(iban, 'here')).toThrow(/"DE…3000" is not a creditor identifier/)
  })

  it.each([kinds.baseUrl, kinds.proxy])('quotes no address, which may hold a password: %#', (kind) => {
    expect(kind.inFile.safeParse('ftp://me:geheim@host').error?.message).not.toContain('geheim')
    for (const text of ['ftp://me:geheim@host', 'http://me:geheim@host', 'geheim'])
      expect(messageOf(() => kind.read(text, 'here'))).toMatch(/^Cannot use the (?!.*geheim)/s)
  })
})

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

const PRIVATE = /holds no Ed25519 private key without a passphrase.*no report was written/
const PUBLIC = /holds no Ed25519 public key; nothing was verified/

it.each([
  [readSigningKey, privateKey, 0o600],
  [readCheckingKey, publicKey, 0o644],
])('a key is read from a file in PEM: %o', (read, key, mode) => {
  expect(read(fileWith(pem(key), mode)).equals(key)).toBe(true)
})

it.each([
  ['others can open', readSigningKey, () => fileWith(pem(privateKey), 0o640), /other users may open it/],
  ['has a passphrase', readSigningKey, () => fileWith(pem(privateKey, 'open sesame')), PRIVATE],
  ['signs in another way', readSigningKey, () => fileWith(pem(rsa.privateKey)), PRIVATE],
  ['is none', readSigningKey, () => fileWith('password\n'), PRIVATE],
  ['is the public one', readSigningKey, () => fileWith(pem(publicKey)), PRIVATE],
  ['is not there', readSigningKey, () => join(freshFolder(), 'none.pem'), /Cannot read the key file/],
  ['others can change', readCheckingKey, () => fileWith(pem(publicKey), 0o666), /anybody on this machine/],
  ['is the private one', readCheckingKey, () => fileWith(pem(privateKey)), PUBLIC],
  ['is of another kind', readCheckingKey, () => fileWith(pem(rsa.publicKey)), PUBLIC],
  ['is none', readCheckingKey, () => fileWith('x'), PUBLIC],
])('a key that %s is refused: %o', (_, read, file, why) => {
  const key = file()
  for (const told of [why, UsageError]) expect(() => read(key)).toThrow(told)
})

async function refused(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const world = worldOf({ env })
  const status = await main(argv, commands, world)
  return { status, ...world.printed }
}

describe('what was taken away is refused by its name, with what to use now', () => {
  it.each<[string, string[], Record<string, string>?]>([
    ...[...REMOVED.keys()].map((name): [string, string[]] => {
      const words = name.replace('FOLDER', 'folder').trim().split(' ')
      return [name, name.startsWith('--') ? ['customer', 'show', ...words] : words]
    }),
    ['between', ['run', '--between=22:00-05:00']],
    ['wave', ['run', 'export.csv', '--wave', 'pilot']],
    ['until', ['run'], { SEPA_MIGRATE_UNTIL: '05:00' }],
  ])('%s: %j %j', async (name, argv, env = {}) => {
    const { status, stdout, stderr } = await refused(argv, env)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^Error: there is no [^\n]+ any more; nothing was sent\. Instead, [^\n]+\n$/)
    expect(stderr).toContain(`Instead, ${REMOVED.get(name) ?? ''}`)
    const json = await refused([...argv, '--json'], env)
    expect(JSON.parse(json.stdout)).toMatchObject({ exitCode: 2, errors: [{ kind: 'usage' }] })
    expect(json.stderr).toBe('')
  })

  it.each([
    ["between: '22:00-05:00'", '--max-duration'],
    ['outside: wait', '--max-duration'],
    ['waves: [{ name: all, held: true }]', "run --only 'Column=value"],
    ['order: row', '--country'],
  ])('configuration: %s', async (line, now) => {
    const file = join(freshFolder(), 'settings.yaml')
    writeFileSync(file, `lang: en\n${line}\n`, { mode: 0o600 })
    const { status, stderr } = await refused(['check', 'export.csv', '--config', file])
    expect(status).toBe(2)
    expect(stderr).toContain(`line 2: there is no key "${line.replace(/:.*/, '')}" any more: `)
    expect(stderr).toContain(now)
    expect(stderr).toContain('nothing was sent')
  })

  it('a file of such a name is a file, and an empty variable is not set', async () => {
    for (const argv of [['check', 'probe'], ['rules']])
      expect((await refused(argv, { SEPA_MIGRATE_PROBE: '' })).stderr).not.toContain('any more')
  })
})
