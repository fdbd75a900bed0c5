import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { main, commands } from '../../src/cli/main.js'
import { emptyResult } from '../../src/cli/command.js'
import { readSurface } from '../cli/surface.js'
import { worldOf } from '../cli/world.js'
import { placeForAll } from '../support/place.js'
import { paste, SAMPLES, start, wordsOf } from '../support/program.js'

const RECORDS = 20
const PASSWORD = 'of-the-examples'

const surface = await readSurface(commands)
const [header = '', ...records] = readFileSync(join(SAMPLES, 'clean.csv'), 'utf8')
  .split(/\r?\n/)
  .slice(0, RECORDS + 1)
const customerOf = (record = ''): number => Number(/\d+/.exec(record)?.[0])
const signer = generateKeyPairSync('ed25519')
const place = placeForAll({
  sandbox: {
    password: PASSWORD,
    faults: [
      { match: { customer_no: customerOf(records[0]) }, times: 1, fault: { kind: 'reset', applied: true } },
    ],
  },
  env: { SEPA_MIGRATE_PASSWORD: PASSWORD },
  ownState: true,
})
const { folder, path, env, write } = place

const settings = () => ({ ...env(), HOME: folder() })
beforeAll(() => {
  // One account is damaged, so that there is something to correct.
  const damaged = records.map((record, at) => (at === 1 ? record.replace(/,[A-Z]{2}\d\d/, ',DE00') : record))
  for (const name of ['export.csv', 'final.csv']) write(name, `${[header, ...damaged].join('\n')}\n`)
  write('.invoicing-password', `${PASSWORD}\n`)
  write('finance-key.pem', signer.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  write('finance-public.pem', signer.publicKey.export({ type: 'spki', format: 'pem' }))
  write('empty.yaml', '')
})

const examples = surface.flatMap((command) => command.examples)

describe('each example of the help', () => {
  it.each(examples)('can be typed as it stands: %s', async (line) => {
    const args = await wordsOf(line, { cwd: folder(), env: settings() })
    const quiet = Object.fromEntries(
      Object.entries(commands).map(([name, load]) => [
        name,
        async () => ({ ...(await load()), run: () => Promise.resolve(emptyResult) }),
      ]),
    )
    const world = worldOf()
    const given = args.map((text) => (text === 'sepa-migrate.yaml' ? path('empty.yaml') : text))
    expect(given.length).toBeGreaterThan(0)
    expect([await main(given, quiet, world), world.printed.stderr]).toEqual([0, ''])
  })

  // In the order of a campaign. Those that ask a person, need a key, or serve until Ctrl-C, are
  // typed above and played elsewhere.
  it('does what it is for, one after the other in one folder', async () => {
    const asks = /^sepa-migrate (run --only|resolve|customer erase|purge|sandbox|status --watch|approve)/
    const order = 'init,inspect,demo,check export,run,report,check,status,customer show'.split(',')
    const rank = (line: string): number =>
      order.findIndex((start) => line.startsWith(`sepa-migrate ${start}`)) + 1 || order.length + 1
    const played = examples.filter((line) => !asks.test(line)).sort((a, b) => rank(a) - rank(b))
    const columns = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
    write('list.csv', `${columns}\n`)
    for (const line of played) {
      const { status, stderr } = await paste(line.replaceAll('/tmp/', './'), {
        cwd: folder(),
        env: settings(),
      })
      // Rows are in doubt or stand in conflict on the way; a usage error, a bug or an unreadable file would be a bad example.
      expect([0, 3, 4, 5], `${line}\n${stderr}`).toContain(status)
    }
    expect(played.length).toBeGreaterThan(17)
  }, 300_000)
})

describe('the JSON document', () => {
  const keysOf = (text: string): string[] => Object.keys(JSON.parse(text) as object).sort()
  const declared = (name: string): string[] =>
    [...(surface.find((command) => command.name === name)?.json ?? [])].sort()

  const ASKED = ['stop', 'readBack', 'proofs', 'absent']
  it.each([
    ['demo', ['--out', 'json-demo'], []],
    ['inspect', ['export.csv'], []],
    ['init', ['export.csv', '--to', 'json.yaml'], []],
    ['check', ['export.csv'], []],
    ['run', ['export.csv', '--yes'], []],
    ['status', [], []],
    ['report', [], []],
    ['customer show', ['1001'], []],
    [
      'resolve',
      ['--row', '1', '--as', 'resend', '--reason', 'test', '--dry-run'],
      ASKED.concat('reconciliation'),
    ],
    ['ledger adopt', ['--reason', 'test', '--dry-run'], []],
    ['resolve', ['--ask', '--dry-run'], ['reconciliation']],
    ['verify', [], []],
    ['report verify', ['sepa-migrate-report'], []],
    ['resolve', ['--against', 'list.csv'], ['resolutions', 'isApplied', ...ASKED]],
    ['customer erase', [String(customerOf(records.at(-1))), '--reason', 'test', '--yes'], []],
    ['rules', [], ['rule']],
    ['rules', ['IBAN_CHECKSUM'], ['rules']],
    ['purge', ['--yes', '--with-open-rows'], []],
  ])('of %s %j has the keys that are declared', async (name, args, absent) => {
    if (name === 'purge') await place.program('resolve', ...RESOLVED)
    const { stdout, stderr } = await place.program(...name.split(' '), ...args, '--json')
    expect(keysOf(stdout), stdout + stderr).toEqual(
      declared(name).filter((key) => !absent.includes(key as never)),
    )
  })

  const RESOLVED = ['--row', '1', '--as', 'written-off', '--reason', 'test']

  it('of sandbox is told at the start', async () => {
    const { child, ended } = start(['sandbox', '--port', '0', '--json'], { cwd: folder() })
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill('SIGINT')
    expect(keysOf((await ended).stdout)).toEqual(declared('sandbox'))
  })
})
