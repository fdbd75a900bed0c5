import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Papa from 'papaparse'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { emptyResult } from '../../src/cli/command.js'
import { commands, main } from '../../src/cli/main.js'
import { readSourceOptions, type Sandbox, startSandbox } from '../../src/index.js'
import { readSurface } from '../cli/surface.js'
import { worldOf } from '../cli/world.js'
import { placeForAll } from '../support/place.js'
import { paste, runProgram, SAMPLES, start, startCommand, wordsOf } from '../support/program.js'

describe('the pages', () => {
  const ROOT = fileURLToPath(new URL('../..', import.meta.url))
  const pageOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const blocksOf = (page: string, language: string): string[] =>
    [...page.matchAll(new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
      ([, block = '']) => block,
    )

  const [install, command = ''] = blocksOf(pageOf('README.md'), 'sh')
  /** The topics that show commands. */
  const TOPICS = readdirSync(join(ROOT, 'src/help'))
    .map((name) => ({ name, blocks: blocksOf(pageOf(`src/help/${name}`), 'sh') }))
    .filter(({ blocks }) => blocks.length > 0)

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return port
  }

  /** A folder like a fresh checkout after `npm ci`, with an export of one's own beside it. */
  function checkout(): string {
    const folder = mkdtempSync(join(tmpdir(), 'sepa readme '))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    for (const name of ['dist', 'node_modules', 'package.json', 'src'])
      symlinkSync(join(ROOT, name), join(folder, name))
    cpSync(join(ROOT, 'samples'), join(folder, 'samples'), { recursive: true })
    cpSync(join(ROOT, 'samples/demo.csv'), join(folder, 'export.csv'))
    return folder
  }

  let service: Sandbox
  beforeEach(async () => {
    service = await startSandbox({
      username: 'sandbox',
      password: 'of-the-manual',
      faults: [
        { match: { customer_no: 424242 }, fault: { kind: 'refuse' } },
        { match: { customer_no: 424243 }, times: 1, fault: { kind: 'reset', applied: true } },
      ],
    })
  })
  afterEach(() => service.close())

  /** What the topic on doubts has a person do between two blocks. */
  function fillIn(folder: string): void {
    const path = join(folder, 'sepa-migrate-report/to-do/in-doubt.csv')
    const table = readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    const { data, meta } = Papa.parse<Record<string, string>>(table, { header: true, skipEmptyLines: true })
    expect(data).toHaveLength(1)
    const decided = { migration_decision: 'written-off', migration_reason: 'closed by hand' }
    const lines = data.map((row) => ({ ...row, ...decided }))
    writeFileSync(path, Papa.unparse(lines, { delimiter: meta.delimiter, columns: meta.fields ?? [] }))
  }

  const envOf = (folder: string) => ({
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    SEPA_MIGRATE_BASE_URL: service.url,
    SEPA_MIGRATE_USERNAME: service.username,
    SEPA_MIGRATE_PASSWORD: service.password,
  })

  /** Pastes blocks from the top, in one folder; the answer has the lines that failed, but for rows that are open. */
  async function paste(folder: string, blocks: readonly string[]) {
    // Pasted lines go on after one that fails; the trap tells which did. 3: rows to correct. 4: rows in doubt.
    const script = [
      'set -m', // as in a person's shell: kill %1 reaches the program, not only the function around it
      'trap \'echo "status $?: $BASH_COMMAND" >> statuses\' ERR',
      command,
      ...blocks,
    ]
    const bash = startCommand(['bash', '-c', script.join('\n')], { cwd: folder, env: envOf(folder) })
    const { stdout, stderr } = await bash.ended
    const statuses = join(folder, 'statuses')
    const failed = existsSync(statuses) ? readFileSync(statuses, 'utf8').trim().split('\n') : []
    return { stdout, stderr, failed: failed.filter((line) => !/^status [34]: node /.test(line)) }
  }

  describe('the README and the manual', () => {
    it('begin with an installation, and a command for the shell', async () => {
      // `npm run nodes` does what the first says.
      expect(install).toBe('npm ci && npm run demo\n')
      expect(blocksOf(pageOf('README.md'), 'sh')).toHaveLength(2)
      const { stdout, failed } = await paste(checkout(), [])
      expect([failed, stdout]).toEqual([[], expect.stringMatching(/^\d+\.\d+\.\d+\n$/)])
    })

    it('have blocks in more than half of the topics', () => expect(TOPICS.length).toBeGreaterThan(6))

    it.each(TOPICS.filter(({ name }) => !['sandbox.md', 'mapping.md'].includes(name)))(
      'have blocks that can be pasted as they stand after a run: $name',
      async ({ name, blocks }) => {
        const folder = checkout()
        const run = await runProgram(['run', 'export.csv'], { cwd: folder, env: envOf(folder) })
        expect([run.status, run.stderr]).toEqual([4, expect.stringContaining('refused 1, in doubt 1')])
        if (name === 'doubts.md') fillIn(folder)
        const { stderr, failed } = await paste(folder, blocks)
        expect(failed, stderr).toEqual([])
      },
    )

    it('rehearse with the sandbox', async () => {
      const port = await freePort()
      const page = pageOf('src/help/sandbox.md').replaceAll('8080', String(port))
      const blocks = blocksOf(page, 'sh')
      const folder = checkout()
      const { stderr, failed } = await paste(folder, [...blocks, 'kill %1 && wait'])
      await expect(fetch(`http://127.0.0.1:${port}/`), 'the sandbox has ended').rejects.toThrow()
      expect(failed, stderr).toEqual([])
      const held = JSON.parse(readFileSync(join(folder, 'held.json'), 'utf8')) as unknown[]
      expect(held.length).toBeGreaterThan(0)
    })

    it('map both samples with the lines that they edit', async () => {
      const blocks = blocksOf(pageOf('src/help/mapping.md'), 'sh')
      const { stdout, stderr, failed } = await paste(checkout(), blocks)
      expect(failed, stderr).toEqual([])
      expect(stdout.match(/balanced: 60 read/g), 'the German check').toHaveLength(1)
      expect(stdout.match(/balanced: 41 read/g), 'the French check').toHaveLength(1)
    })

    it('show a configuration that is read', () => {
      const [short = ''] = blocksOf(pageOf('README.md'), 'yaml')
      expect(readSourceOptions(parse(short) as object).crosswalk?.file).toBe('customers.csv')
      expect(Buffer.byteLength(pageOf('README.md'))).toBeLessThanOrEqual(10_000)
      const [shown = ''] = blocksOf(pageOf('src/help/mapping.md'), 'yaml')
      const { rules, ...reading } = parse(shown) as Record<string, unknown>
      expect(rules).toEqual({ CUSTOMER_MULTIPLE_MANDATES: 'error' })
      expect(() => readSourceOptions(reading)).not.toThrow()
    })
  })
})

const RECORDS = 20
const PASSWORD = 'of-the-examples'

const surface = await readSurface(commands)
const [header = '', ...records] = readFileSync(join(SAMPLES, 'clean.csv'), 'utf8')
  .split(/\r?\n/)
  .slice(0, RECORDS + 1)
const customerOf = (record = ''): number => Number(/\d+/.exec(record)?.[0])
const DOUBT = { kind: 'reset', applied: true } as const
const signer = generateKeyPairSync('ed25519')
const place = placeForAll({
  sandbox: {
    password: PASSWORD,
    faults: [{ match: { customer_no: customerOf(records[0]) }, times: 1, fault: DOUBT }],
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
    const still = () => Promise.resolve(emptyResult)
    const quiet = Object.fromEntries(
      Object.entries(commands).map(([name, load]) => [name, async () => ({ ...(await load()), run: still })]),
    )
    const world = worldOf()
    const given = args.map((text) => (text === 'sepa-migrate.yaml' ? path('empty.yaml') : text))
    expect(given.length).toBeGreaterThan(0)
    expect([await main(given, quiet, world), world.printed.stderr]).toEqual([0, ''])
  })

  // In the order of a campaign. Those that ask a person, need a key, or serve until Ctrl-C, are
  // typed above and played elsewhere.
  it('does what it is for, one after the other in one folder', async () => {
    const asks =
      /^sepa-migrate (run --only|resolve|customer erase|purge|sandbox|status --watch|approve|ledger adopt .*--by)/
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
  const RESEND = ['--row', '1', '--as', 'resend', '--reason', 'test']
  it.each([
    ['demo', ['--out', 'json-demo'], []],
    ['inspect', ['export.csv'], []],
    ['init', ['export.csv', '--to', 'json.yaml'], []],
    ['check', ['export.csv'], []],
    ['run', ['export.csv', '--yes'], []],
    ['status', [], []],
    ['report', [], []],
    ['customer show', ['1001'], []],
    ['resolve', [...RESEND, '--dry-run'], [...ASKED, 'reconciliation']],
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
    const expected = declared(name).filter((key) => !absent.includes(key as never))
    expect(keysOf(stdout), stdout + stderr).toEqual(expected)
  })

  const RESOLVED = ['--row', '1', '--as', 'written-off', '--reason', 'test']

  it('of sandbox is told at the start', async () => {
    const { child, ended } = start(['sandbox', '--port', '0', '--json'], { cwd: folder() })
    await new Promise((resolve) => child.stdout?.once('data', resolve))
    child.kill('SIGINT')
    expect(keysOf((await ended).stdout)).toEqual(declared('sandbox'))
  })
})
