/** Processes that the bench times: the program, bare references, the stub service. */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeCollections, writeExport } from './export-file.js'

export const here = (name) => fileURLToPath(new URL(name, import.meta.url))
export const PROGRAM = here('../../dist/cli.js')

const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(130))

const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  SEPA_MIGRATE_USERNAME: 'sandbox',
  SEPA_MIGRATE_PASSWORD: 'sandbox',
}
let files = 0
export const fresh = (name) => join(scratch, `${(files += 1)}-${name}`)

/** What a round has made and the next one does not need: ledgers of millions of rows fill a disk. */
export function discard(file) {
  for (const suffix of ['', '-wal', '-shm', '.lock', '.files.jsonl']) rmSync(file + suffix, { force: true })
}

const exports = new Map()
export function exportOf(rows, options = {}) {
  const key = JSON.stringify([rows, options])
  if (!exports.has(key)) {
    const file = fresh('export.csv')
    writeExport(file, rows, options)
    exports.set(key, file)
  }
  return exports.get(key)
}

/** The same mandates as they were collected; one file is kept. */
let collections = null
export function collectionsOf(rows) {
  if (collections?.rows !== rows) {
    collections = { rows, file: fresh('collections.xml') }
    writeCollections(collections.file, rows)
  }
  return collections.file
}

/** Runs a process to its end: seconds, what it printed, and the most memory it held (Linux; the last look before it ends). */
export async function timed(args, { ok = [0], command = process.execPath } = {}) {
  const began = performance.now()
  const child = spawn(command, args, { env, cwd: scratch, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  let errors = ''
  child.stdout.on('data', (piece) => (printed += piece))
  child.stderr.on('data', (piece) => (errors += piece))
  let peakKb = 0
  const look = setInterval(() => (peakKb = Math.max(peakKb, peakOf(child.pid))), 20)
  const [code, signal] = await once(child, 'close')
  const seconds = (performance.now() - began) / 1000
  clearInterval(look)
  if (!ok.includes(code))
    throw new Error(`${args.join(' ')} ended with ${code ?? signal}: ${errors}${printed}`)
  return { seconds, printed, megabytes: peakKb / 1000 }
}

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** @param profile a folder for CPU profiles, or undefined */
export const programWith = (profile) => (name, args, options) =>
  timed(
    [
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile, name)}`]),
      PROGRAM,
      ...args,
    ],
    options,
  )

export async function withStub(delayMs, use) {
  const stub = fork(here('stub-service.js'), [String(delayMs)], { env })
  try {
    const [{ port }] = await once(stub, 'message')
    /** What came since the last time; from then on answers take `next` milliseconds. */
    const report = async (next) => {
      stub.send({ delayMs: next })
      return (await once(stub, 'message'))[0]
    }
    return await use(`http://127.0.0.1:${port}`, report)
  } finally {
    stub.kill('SIGKILL')
  }
}
