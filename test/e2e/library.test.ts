import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as library from '../../src/index.js'
import { SAMPLES, startCommand } from '../support/program.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = ['library', 'parts']
  .map((name) => fs.readFileSync(join(ROOT, `src/help/${name}.md`), 'utf8'))
  .join('\n')

const codeIn = (page: string): string[] =>
  [...page.matchAll(/^```ts\n([^]*?)^```/gm)].map(([, code = '']) => code)
const [ten = '', ...others] = codeIn(PAGE.split(/^## /m)[0] ?? '')
/** The code below each heading of the page. */
const EXAMPLES = PAGE.split(/^## /m)
  .slice(1)
  .map((part) => ({ heading: part.split('\n')[0] ?? '', code: codeIn(part) }))

const PARTS = [{ heading: 'ten lines', code: [ten] }, ...EXAMPLES]
const fileOf = (heading: string): string => heading.toLowerCase().replace(/\W+/g, '-')

/** What `npm install FILE` leaves, without the network: the packed file, and beside it no package of development. */
const folder = fs.mkdtempSync(join(tmpdir(), 'sepa package '))
const PACKAGE = join(folder, 'node_modules/sepa-mandate-migrator')
/** Names in the packed file. */
let files: string[] = []
let sandbox: library.Sandbox
let compiled: { readonly status: number | null; readonly stdout: string }

function link(path: string): void {
  const target = join(folder, path)
  fs.mkdirSync(dirname(target), { recursive: true })
  if (!fs.existsSync(target)) fs.symlinkSync(join(ROOT, path), target)
}

// `npm run nodes` installs the packed file in earnest, on every Node and npm.
beforeAll(async () => {
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: ROOT,
    stdio: 'ignore',
  })
  const packed = join(folder, 'sepa-mandate-migrator-0.1.0.tgz')
  files = execFileSync('tar', ['tzf', packed], { encoding: 'utf8' }).trim().split('\n')
  fs.mkdirSync(PACKAGE, { recursive: true })
  execFileSync('tar', ['xzf', packed, '-C', PACKAGE, '--strip-components', '1'])
  const { packages } = JSON.parse(fs.readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { readonly dev?: boolean }>
  }
  for (const [path, { dev }] of Object.entries(packages))
    if (dev !== true && path.lastIndexOf('node_modules/') === 0) link(path)
  sandbox = await library.startSandbox({
    seed: 1,
    username: 'embedder',
    password: 'of the example',
    // Each example is a campaign of its own with the same mandates.
    choices: { repeatedMandate: 'register' },
  })
  fs.writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const { heading, code } of PARTS)
    fs.writeFileSync(join(folder, `${fileOf(heading)}.ts`), code[0] ?? '')
  // The types of Node are the only ones that the package asks of whoever embeds it.
  for (const path of ['@types/node', 'undici-types']) link(`node_modules/${path}`)
  const strict = '--strict --skipLibCheck false --module nodenext --target es2023 --types node'
  const names = PARTS.map(({ heading }) => `${fileOf(heading)}.ts`)
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const of = { cwd: folder, encoding: 'utf8' } as const
  compiled = spawnSync(process.execPath, [compiler, ...strict.split(' '), ...names], of)
  fs.copyFileSync(join(SAMPLES, 'clean.csv'), join(folder, 'export.csv'))
}, 300_000)
afterAll(async () => {
  await sandbox.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** As a stranger runs it, in a process whose files would be open to everybody. */
async function play(file: string, args: readonly string[] = []) {
  const command = ['sh', '-c', `umask 000; exec "$NODE" ${file} ${args.join(' ')}`]
  const env = { NODE: process.execPath, HOME: folder, INVOICING_URL: sandbox.url }
  const credentials = { INVOICING_USER: sandbox.username, INVOICING_PASSWORD: sandbox.password }
  const options = { cwd: folder, env: { ...env, ...credentials } }
  const { status, stdout, stderr } = await startCommand(command, options).ended
  return { status, stdout, stderr }
}

/** What each example says when it has done what its page promises. */
const SAID: Readonly<Record<string, RegExp>> = {
  'The main job':
    /240 records of export\.csv[^]*(row \d+ is registered\s+){3}0 in doubt\s+The row limit of this run was reached/,
  Callbacks: /^BillogramEvent order-77 No cover\n$/,
  'A ledger, and the report': /registered: 3,[^]*\d+ \d+ [A-Z]{2}…\w{4} \S+\n[^]*pilot-report true\n$/,
  'One value, or one mandate': /^DE…3000\nIBAN_CHECKSUM: [^]*\nsendable 0 2027-03-01\ntrue true true true\n$/,
  'An export, as checked records': /^240 of 240 records can be sent\ntrue\n$/,
  'The service':
    /^sepa2026 \d{4}-\S+Z \[\]\nSANDBOX1 Unpaid 119 2026\nDE84ZZZ09876543210\nCannot use the base URL: "invoicing\.example" is not this machine/,
  'The simulator of the service': /^1 true\n$/,
}

// One sandbox for all, as for somebody who reads on: what an example left is there for the next one.
describe('a program that embeds the library', () => {
  it('needs ten lines for the main job: its page has them, and they do it', async () => {
    expect(others).toEqual([])
    expect(ten.trim().split('\n')).toHaveLength(10)
    const { host } = new URL(sandbox.url)
    const no = await play('ten-lines.js')
    expect(no).toEqual({ status: 2, stdout: '', stderr: '' })
    expect(sandbox.mandates()).toHaveLength(0)
    const yes = await play('ten-lines.js', [host])
    expect(yes).toEqual({ status: 0, stdout: '', stderr: '' })
    const summary = fs.readFileSync(join(folder, 'report/summary.json'), 'utf8')
    expect(JSON.parse(summary)).toMatchObject({ totals: { read: 240, registered: 240 } })
    expect(await play('ten-lines.js', [host])).toEqual(yes)
    expect(sandbox.mandates()).toHaveLength(240)
    expect(sandbox.requests().received.migrate).toBe(240)
  })

  it('has an example for each group, on a page that ships, and all compile against the types that ship', () => {
    expect(compiled).toMatchObject({ status: 0, stdout: '' })
    expect(EXAMPLES.map(({ heading }) => heading)).toEqual(Object.keys(SAID))
    expect(EXAMPLES.map(({ code }) => code.length)).toEqual(EXAMPLES.map(() => 1))
  })

  it.each(EXAMPLES)('$heading: the example does what it says', async ({ heading }) => {
    const { status, stdout, stderr } = await play(`${fileOf(heading)}.js`)
    expect(stderr).toBe('')
    expect(stdout).toMatch(SAID[heading] ?? /^$/)
    expect(status).toBe(0)
  })

  it('finds every function and class that is exported in an example', () => {
    const all = [ten, ...EXAMPLES.flatMap(({ code }) => code)].join('\n')
    expect(Object.keys(library).filter((name) => !new RegExp(`\\b${name}\\b`).test(all))).toEqual([])
  })

  it('documents every type that is exported, and prints errors without a doubled full stop', () => {
    const index = fs.readFileSync(join(ROOT, 'src/index.ts'), 'utf8')
    const types = [...index.matchAll(/^export (type )?\{([^}]*)\}/gm)].flatMap(([, isType, names = '']) =>
      names.split(',').map((name) => (isType === undefined ? name.trim() : `type ${name.trim()}`)),
    )
    const named = types.filter((name) => name.startsWith('type ')).map((name) => name.slice(5))
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([])
    expect(PAGE).not.toMatch(/\$\{\w+\.(?:message|next)\}\./)
  })

  it('leaves nothing that others can open, whatever its umask is', () => {
    const open = fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) =>
        /\.db|report|campaigns|register|ledgers|mandates/.test(join(entry.parentPath, entry.name)),
      )
      .filter(({ parentPath, name }) => !parentPath.includes('node_modules') && !/\.[jt]s$/.test(name))
      .map((entry) => join(entry.parentPath, entry.name))
    expect(open.length).toBeGreaterThan(10)
    expect(open.filter((path) => (fs.statSync(path).mode & 0o077) !== 0)).toEqual([])
  })
})

describe('the packed file', () => {
  it('holds the program, its samples and what explains them, and nothing of development', () => {
    const needed =
      'dist/cli.js samples/clean.csv README.md src/domain/rulebook.md src/help/library.md src/report/page/look.css'
    for (const name of [...needed.split(' '), 'src/CHANGELOG.md', 'LICENSE'])
      expect(files).toContain(`package/${name}`)
    const isOurs = /^package\/(dist|samples|package\.json|README|LICENSE|src\/.*\.(?:md|css)$)/
    expect(files.filter((name) => !isOurs.test(name))).toEqual([])
  })

  it('12 holds the program in few files, with all of zod in one of them and its licence in front', () => {
    expect(files.filter((name) => name.startsWith('package/dist/cli/'))).toEqual([])
    const parts = files.filter((name) => /^package\/dist\/(?:cli|reader|program-.*)\.js$/.test(name))
    const texts = parts.map((name) => fs.readFileSync(join(PACKAGE, name.replace('package/', '')), 'utf8'))
    expect(texts.filter((text) => /from ["']zod|import ["']zod/.test(text))).toEqual([])
    const licensed = texts.filter((text) => text.includes('class ZodError') || text.includes('$ZodType'))
    expect(licensed).toHaveLength(1)
    const licence = fs.readFileSync(join(ROOT, 'node_modules/zod/LICENSE'), 'utf8').trim()
    expect(licensed[0]?.startsWith(`/*!\n${licence}`)).toBe(true)
  })

  it('runs the demo in an empty folder, without a checkout', () => {
    const empty = join(folder, 'empty')
    fs.mkdirSync(empty)
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(PACKAGE, 'dist/cli.js'), 'demo'], {
      cwd: empty,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: empty },
    })
    expect(stderr).not.toContain('Error')
    expect(stdout).toContain('report.html')
    expect(status).toBe(0)
  })
})
