/**
 * Which files of `src` somebody reads who follows a story through the program: `npm run stories`. A file counts where a
 * function of it ran, under V8 coverage, more often than its import alone runs it. Each story is one command, its files in
 * the order in which they are loaded; the stories are told in src/README.md.
 *
 *   row      run: three mandates of a clean CSV, from bytes to registered
 *   doubt    resolve: a row whose answer was lost, decided by a person
 *   report   report: the pack of that ledger
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import ts from 'typescript'

const dist = new URL('../../dist/', import.meta.url).href
const { startSandbox } = await import('../../dist/index.js')

/** The program as one file for each of `src`, which `npm run build` puts together. */
const entry = fileURLToPath(new URL('stories.js', dist))
const source = readFileSync(new URL('../../src/cli.ts', import.meta.url), 'utf8')
const { ES2023: target, ESNext: module } = { ...ts.ScriptTarget, ...ts.ModuleKind }
writeFileSync(entry, ts.transpileModule(source, { compilerOptions: { target, module } }).outputText)

const folder = mkdtempSync(join(tmpdir(), 'stories-'))
const LOST = 1003
const sandbox = await startSandbox({
  seed: 1,
  faults: [{ match: { customer_no: LOST }, fault: { kind: 'reset', applied: true } }],
})
const env = {
  PATH: process.env.PATH,
  USER: 'stories',
  HOME: folder,
  SEPA_MIGRATE_BASE_URL: sandbox.url,
  SEPA_MIGRATE_USERNAME: sandbox.username,
  SEPA_MIGRATE_PASSWORD: sandbox.password,
}

/** How often each function of each file ran, by its place. */
async function covered(name, args, expected = 0) {
  const coverage = join(folder, name)
  mkdirSync(coverage)
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...env, NODE_V8_COVERAGE: coverage },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (told += text))
  const status = await new Promise((resolve) => child.on('close', resolve))
  if (status !== expected) throw new Error(`${args.join(' ')} ended with ${status}:\n${told}`)
  const ran = new Map()
  for (const file of readdirSync(coverage))
    for (const { url, functions } of JSON.parse(readFileSync(join(coverage, file), 'utf8')).result) {
      if (!url.startsWith(dist)) continue
      const counts = functions.map(({ ranges: [{ startOffset, count }] }) => [startOffset, count])
      ran.set(url, new Map(counts))
    }
  return ran
}

/** The files of which a function ran that does not run where they are imported and nothing is done. */
async function story(name, args, expected) {
  const ran = await covered(name, [entry, ...args], expected)
  const urls = [...ran.keys()].filter((url) => url !== pathToFileURL(entry).href)
  const loading = urls.map((url) => `await import(${JSON.stringify(url)})`).join('\n')
  const loaded = await covered(`${name}-loaded`, ['--input-type=module', '--eval', loading])
  const isEntered = (url) => [...ran.get(url)].some(([at, count]) => count > (loaded.get(url)?.get(at) ?? 0))
  return urls.filter(isEntered).map((url) => url.slice(dist.length).replace(/\.js$/, '.ts'))
}

const header = 'customer_no,iban,signed_date,sepa_creditor_identifier,unique_mandate_reference'
const line = (no, iban) => `${no},${iban},2024-05-17,DE98ZZZ09999999999,M-${no}`
const write = (file, ...lines) => writeFileSync(join(folder, file), `${[header, ...lines].join('\n')}\n`)
write('clean.csv', line(1001, 'DE89370400440532013000'), line(1002, 'AT611904300234573201'))
write('lost.csv', line(LOST, 'NL91ABNA0417164300'))

try {
  const stories = [
    ['row: run clean.csv', await story('row', ['run', 'clean.csv', '--no-report'])],
    ['doubt: resolve', null],
    ['report: report', null],
  ]
  await covered('lost', [entry, 'run', 'lost.csv', '--no-report'], 4)
  const decision = ['--row', '3', '--as', 'written-off', '--reason', 'the customer has left']
  stories[1][1] = await story('doubt', ['resolve', ...decision])
  stories[2][1] = await story('report', ['report'])
  for (const [name, files] of stories) console.log([`${name}: ${files.length} files`, ...files].join('\n  '))
} finally {
  await sandbox.close()
  rmSync(folder, { recursive: true, force: true })
  rmSync(entry)
}
