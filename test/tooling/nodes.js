/**
 * Installs the program on every Node and npm that it is for, and tries it there: `npm run nodes`.
 * Each pair gets a fresh clone, `npm ci` and 20 demos, then the packed file, installed for all users and by npx, with a
 * demo in an empty folder; each Node gets the tests too, once. Nodes and npms come from their npm packages and live in
 * a scratch folder, which is removed at the end.
 *
 *   npm run nodes -- --node 24 --npm 12       one pair (both can be given more than once)
 *   npm run nodes -- --demos 5                fewer demos
 *   npm run nodes -- --tests test/ledger      these tests only (more than once); --no-tests: none
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** npm 12 does not run on Node 20. */
const PAIRS = { 20: [10, 11], 22: [10, 11, 12], 24: [10, 11, 12], 26: [10, 11, 12] }

const { values } = parseArgs({
  options: {
    node: { type: 'string', multiple: true, default: Object.keys(PAIRS) },
    npm: { type: 'string', multiple: true, default: ['10', '11', '12'] },
    demos: { type: 'string', default: '20' },
    tests: { type: 'string', multiple: true, default: [] },
    'no-tests': { type: 'boolean', default: false },
  },
})
const demos = Number(values.demos)

const scratch = mkdtempSync(join(tmpdir(), 'nodes-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

/** Runs a command to its end. Nothing of an outer npm reaches it, or the inner one would use its settings. */
function run(command, args, { cwd = scratch, bin = null, nodedir = null } = {}) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|node_(env|options)$)/i.test(name),
  )
  const env = {
    ...Object.fromEntries(inherited),
    ...(bin === null ? {} : { PATH: `${bin}${delimiter}${process.env.PATH}` }),
    ...(nodedir === null ? {} : { npm_config_nodedir: nodedir }),
  }
  const began = performance.now()
  const { status, signal, stdout, stderr } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  })
  return {
    isDone: status === 0,
    end: signal ?? `exit ${status}`,
    output: `${stdout}${stderr}`,
    seconds: (performance.now() - began) / 1000,
  }
}

/** What npm asks its user for. A setting of this machine that npm does not know is no question. */
const questionsIn = (output) =>
  output
    .split('\n')
    .filter((line) => /^npm warn/i.test(line) && !/Unknown (user|env|project|cli) config/.test(line))

function installTools(nodes, npms) {
  const folder = join(scratch, 'tools')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const system = process.platform === 'win32' ? 'win' : process.platform
  const wanted = [
    ...nodes.map((node) => `node${node}@npm:node-${system}-${process.arch}@${node}`),
    ...npms.map((npm) => `npm${npm}@npm:npm@${npm}`),
  ]
  const { isDone, output } = run('npm', ['install', '--ignore-scripts', '--no-save', '--force', ...wanted], {
    cwd: folder,
  })
  if (!isDone) throw new Error(`Cannot install the Nodes and npms:\n${output}`)
  return (name) => join(folder, 'node_modules', name)
}

/** A folder for PATH with one Node and one npm. */
function binFolder(tool, node, npm) {
  const bin = join(scratch, `bin-${node}-${npm}`)
  mkdirSync(bin)
  symlinkSync(join(tool(`node${node}`), 'bin', 'node'), join(bin, 'node'))
  for (const name of ['npm', 'npx']) {
    const script = join(tool(`npm${npm}`), 'bin', `${name}-cli.js`)
    chmodSync(script, 0o755)
    symlinkSync(script, join(bin, name))
  }
  return bin
}

function clone(folder) {
  if (existsSync(join(root, '.git'))) {
    const { isDone, output } = run('git', ['clone', '--quiet', root, folder])
    if (!isDone) throw new Error(output)
  } else {
    const left = ['node_modules', 'dist']
    cpSync(root, folder, { recursive: true, filter: (path) => !left.includes(basename(path)) })
  }
}

/** Installs the packed file as a stranger does, and runs the demo of each installation in an empty folder. */
function tryPackage({ clone, empty }, run) {
  const packed = run('npm', ['pack', '--pack-destination', empty], clone)
  const file = readdirSync(empty).find((name) => name.endsWith('.tgz'))
  if (!packed.isDone || file === undefined) return [`npm pack (${packed.end}):\n${packed.output}`]
  const prefix = join(empty, 'global')
  const steps = [
    ['npm', ['install', '--global', '--prefix', prefix, join(empty, file)]],
    [join(prefix, 'bin', 'sepa-migrate'), ['demo', '--out', 'of-global']],
    ['npx', ['--yes', '--package', join(empty, file), 'sepa-migrate', 'demo', '--out', 'of-npx']],
  ]
  for (const [command, args] of steps) {
    const { isDone, end, output } = run(command, args, empty)
    if (!isDone || questionsIn(output).length > 0)
      return [`${command} ${args.join(' ')} (${end}):\n${output}`]
  }
  return []
}

function tryPair(tool, node, npm, withTests) {
  const folder = join(scratch, `clone-${node}-${npm}`)
  const bin = binFolder(tool, node, npm)
  const nodedir = existsSync(join(tool(`node${node}`), 'include')) ? tool(`node${node}`) : null
  const inClone = (...args) => run('npm', args, { cwd: folder, bin, nodedir })
  const problems = []
  clone(folder)
  const versions = [run('node', ['--version'], { bin }), run('npm', ['--version'], { bin })]
  const [nodeVersion, npmVersion] = versions.map(({ output }) =>
    output.trim().split('\n')[0].replace(/^v/, ''),
  )
  const install = inClone('ci')
  const questions = questionsIn(install.output)
  if (!install.isDone || questions.length > 0) problems.push(`npm ci (${install.end}):\n${install.output}`)
  let good = 0
  for (let demo = 1; install.isDone && demo <= demos; demo += 1) {
    const { isDone, end, output } = inClone('run', 'demo', '--', '--out', join(folder, `demo-${demo}`))
    if (isDone) good += 1
    else problems.push(`demo ${demo} (${end}):\n${output}`)
  }
  if (good < demos) problems.push(`${good} of ${demos} demos`)
  const empty = join(scratch, `empty-${node}-${npm}`)
  mkdirSync(empty)
  const ofPackage = tryPackage({ clone: folder, empty }, (command, args, cwd) =>
    run(command, args, { cwd, bin, nodedir }),
  )
  problems.push(...ofPackage)
  let tests = ''
  if (withTests && install.isDone) {
    const { isDone, output } = inClone('test', '--', '--reporter=default', '--no-color', ...values.tests)
    tests = /^\s*Tests\s+(.*)$/m.exec(output)?.[1].trim() ?? 'no test ran'
    if (!isDone) problems.push(`tests:\n${output}`)
  }
  for (const path of [folder, empty]) rmSync(path, { recursive: true, force: true })
  const row = {
    Node: nodeVersion,
    npm: npmVersion,
    'npm ci': `${install.seconds.toFixed(1)} s`,
    'asks for': questions.length === 0 ? 'nothing' : `${questions.length} lines`,
    demos: `${good} of ${demos}`,
    package: ofPackage.length === 0 ? 'installs' : 'does not',
    tests,
  }
  return { row, problems }
}

const pairs = values.node.flatMap((node) =>
  (PAIRS[node] ?? []).filter((npm) => values.npm.includes(String(npm))).map((npm) => ({ node, npm })),
)
if (pairs.length === 0) throw new Error('No such pair of Node and npm')
const tool = installTools(
  [...new Set(pairs.map(({ node }) => node))],
  [...new Set(pairs.map(({ npm }) => npm))],
)
const rows = []
const problems = []
for (const [index, { node, npm }] of pairs.entries()) {
  const isFirst = pairs.findIndex((pair) => pair.node === node) === index
  const tried = tryPair(tool, node, npm, isFirst && !values['no-tests'])
  console.log(
    Object.entries(tried.row)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  )
  rows.push(tried.row)
  problems.push(...tried.problems.map((text) => `Node ${node}, npm ${npm}: ${text}`))
}
console.table(rows)
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
