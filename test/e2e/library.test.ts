import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as library from '../../src/index.js'
import { packProgram, type Packed } from '../support/packed.js'
import { SAMPLES } from '../support/program.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'src/help/library.md'), 'utf8')

const codeIn = (page: string): string[] =>
  [...page.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code)
const [ten = '', ...others] = codeIn(PAGE.split(/^## /m)[0] ?? '')
/** The code below each heading of the page. */
const EXAMPLES = PAGE.split(/^## /m)
  .slice(1)
  .map((part) => ({ heading: part.split('\n')[0] ?? '', code: codeIn(part) }))

const fileOf = (heading: string): string => heading.toLowerCase().replace(/\W+/g, '-')

let packed: Packed
let sandbox: library.Sandbox
let compiled: ReturnType<Packed['compile']>
// `npm run nodes` installs the packed file in earnest, on every Node and npm.
beforeAll(async () => {
  packed = packProgram()
  sandbox = await library.startSandbox({ seed: 1, username: 'embedder', password: 'of the example' })
  writeFileSync(join(packed.folder, 'package.json'), '{ "type": "module" }')
  const parts = [{ heading: 'ten lines', code: [ten] }, ...EXAMPLES]
  for (const { heading, code } of parts)
    writeFileSync(join(packed.folder, `${fileOf(heading)}.ts`), code[0] ?? '')
  compiled = packed.compile(...parts.map(({ heading }) => `${fileOf(heading)}.ts`))
  copyFileSync(join(SAMPLES, 'clean.csv'), join(packed.folder, 'export.csv'))
}, 300_000)
afterAll(async () => {
  await sandbox.close()
  packed.remove()
})

/** As a stranger runs it, in a process whose files would be open to everybody. */
async function play(file: string, args: readonly string[] = []) {
  const command = `umask 000; exec "$NODE" ${file} ${args.join(' ')}`
  const child = spawn('sh', ['-c', command], {
    cwd: packed.folder,
    env: {
      PATH: process.env['PATH'],
      NODE: process.execPath,
      HOME: packed.folder,
      INVOICING_URL: sandbox.url,
      INVOICING_USER: sandbox.username,
      INVOICING_PASSWORD: sandbox.password,
    },
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, stdout, stderr }
}

/** What each example says when it has done what its page promises. */
const SAID: Readonly<Record<string, RegExp>> = {
  'The main job':
    /240 records of export\.csv[^]*(row \d+ is registered\s+){3}0 in doubt\s+The number of rows that this run may send was sent/,
  'One value, or one mandate': /^DE…3000\nIBAN_CHECKSUM: [^]*\nsendable 0 2027-03-01\ntrue true true true\n$/,
  'An export, as checked records': /^240 of 240 records can be sent\ntrue\n$/,
  'The service':
    /^sepa2026 \d{4}-\S+Z \[\]\nSANDBOX1 Unpaid 119 2026\nCannot use the base URL: "invoicing\.example" is not this machine/,
  Callbacks: /^BillogramEvent order-77 No cover\n$/,
  'A ledger, and the report': /registered: 3,[^]*\d+ \d+ [A-Z]{2}…\w{4} \S+\n[^]*pilot-report true\n$/,
  'The simulator of the service': /^1 true\n$/,
}

// One sandbox for all, as for somebody who reads on: what an example left is there for the next one.
describe('11.3 a program that embeds the library', () => {
  it('11.3 needs ten lines for the main job: its page has them, and they do it', async () => {
    expect(others).toEqual([])
    expect(ten.trim().split('\n')).toHaveLength(10)
    const { host } = new URL(sandbox.url)
    const no = await play('ten-lines.js')
    expect(no).toEqual({ status: 2, stdout: '', stderr: '' })
    expect(sandbox.mandates()).toHaveLength(0)
    const yes = await play('ten-lines.js', [host])
    expect(yes).toEqual({ status: 0, stdout: '', stderr: '' })
    const summary = readFileSync(join(packed.folder, 'report/summary.json'), 'utf8')
    expect(JSON.parse(summary)).toMatchObject({ totals: { read: 240, registered: 240 } })
    const again = await play('ten-lines.js', [host])
    expect(again).toEqual(yes)
    expect(sandbox.mandates()).toHaveLength(240)
    expect(sandbox.requests().received.migrate).toBe(240)
  })

  it('11.3 has an example for each group, on a page that ships, and all compile against the types that ship', () => {
    expect(compiled).toEqual({ status: 0, stdout: '' })
    expect(EXAMPLES.map(({ heading }) => heading)).toEqual(Object.keys(SAID))
    expect(EXAMPLES.map(({ code }) => code.length)).toEqual(EXAMPLES.map(() => 1))
  })

  it.each(EXAMPLES)('11.3, 27.6 $heading: the example does what it says', async ({ heading }) => {
    const { status, stdout, stderr } = await play(`${fileOf(heading)}.js`)
    expect(stderr).toBe('')
    expect(stdout).toMatch(SAID[heading] ?? /^$/)
    expect(status).toBe(0)
  })

  it('11.3 finds every function and class that is exported in an example', () => {
    const all = [ten, ...EXAMPLES.flatMap(({ code }) => code)].join('\n')
    expect(Object.keys(library).filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([])
  })

  it('11.3 sees what it needs, which is less than half of what the command line uses', () => {
    const index = readFileSync(join(ROOT, 'src/index.ts'), 'utf8')
    const names = [...index.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
      list.split(',').filter((name) => name.trim() !== ''),
    )
    expect(names.length).toBeGreaterThan(30)
    expect(names.length).toBeLessThanOrEqual(50)
  })

  it('11.3 leaves nothing that others can open, whatever its umask is', () => {
    const open = readdirSync(packed.folder, { recursive: true, withFileTypes: true })
      .filter((entry) =>
        /\.db|report|campaigns|register|ledgers|mandates/.test(join(entry.parentPath, entry.name)),
      )
      .filter(({ parentPath, name }) => !parentPath.includes('node_modules') && !/\.[jt]s$/.test(name))
      .map((entry) => join(entry.parentPath, entry.name))
    expect(open.length).toBeGreaterThan(10)
    expect(open.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
  })
})

describe('the packed file', () => {
  it('10.2.1 holds the program, its samples and what explains them, and nothing of development', () => {
    const { files } = packed
    expect(files).toEqual(
      expect.arrayContaining([
        'package/dist/cli.js',
        'package/samples/clean.csv',
        'package/README.md',
        'package/src/domain/rulebook.md',
        'package/src/help/library.md',
        'package/src/CHANGELOG.md',
        'package/LICENSE',
      ]),
    )
    expect(
      files.filter(
        (name) => !/^package\/(dist|samples|package\.json|README|LICENSE|src\/.*\.md$)/.test(name),
      ),
    ).toEqual([])
  })

  it('12 holds the program in few files, with all of zod in one of them and its licence in front', () => {
    const { files, program } = packed
    expect(files.filter((name) => name.startsWith('package/dist/cli/'))).toEqual([])
    const parts = files.filter((name) => /^package\/dist\/(?:cli|reader|program-.*)\.js$/.test(name))
    const texts = parts.map((name) => readFileSync(join(program, name.replace('package/', '')), 'utf8'))
    expect(texts.filter((text) => /from ["']zod|import ["']zod/.test(text))).toEqual([])
    const licensed = texts.filter((text) => text.includes('class ZodError') || text.includes('$ZodType'))
    expect(licensed).toHaveLength(1)
    const licence = readFileSync(join(ROOT, 'node_modules/zod/LICENSE'), 'utf8').trim()
    expect(licensed[0]?.startsWith(`/*!\n${licence}`)).toBe(true)
  })

  it('10.2.1 runs the demo in an empty folder, without a checkout', () => {
    const empty = join(packed.folder, 'empty')
    mkdirSync(empty)
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(packed.program, 'dist/cli.js'), 'demo'],
      {
        cwd: empty,
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: empty },
      },
    )
    expect(stderr).not.toContain('Error')
    expect(stdout).toContain('report.html')
    expect(status).toBe(0)
  })
})
