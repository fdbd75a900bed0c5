/**
 * How fast the program is beside what bounds it: `npm run bench`. Each figure is the median of interleaved rounds, and its
 * ratio is to a bare reference in the same rounds: a loop of undici for sending, csv-parse for reading, `node -e 0` for
 * starting. Everything runs in processes of its own, the service too; times of sending are taken at the service.
 *
 *   npm run bench -- --rounds 5               rounds of each figure (at least 5 for a figure that is quoted)
 *   npm run bench -- --only send,check        figures whose name begins so
 *   npm run bench -- --scale 0.1              a tenth of the usual sizes
 *   npm run bench -- --json bench.json        the figures for programs
 *   npm run bench -- --profile DIR            CPU profiles of the program, one per figure and round
 *   npm run bench -- --only size --large      cost and memory of check against size, up to 5 million rows
 */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { writeExport } from './export-file.js'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const PROGRAM = here('../../dist/cli.js')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
    scale: { type: 'string', default: '1' },
    json: { type: 'string' },
    profile: { type: 'string' },
    large: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const size = (rows) => Math.max(100, Math.round(rows * Number(values.scale)))
const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => process.exit(130))

const env = {
  PATH: process.env.PATH,
  HOME: scratch,
  SEPA_MIGRATE_USERNAME: 'bench',
  SEPA_MIGRATE_PASSWORD: 'bench',
}
let files = 0
const fresh = (name) => join(scratch, `${(files += 1)}-${name}`)

const exports = new Map()
function exportOf(rows, options = {}) {
  const key = JSON.stringify([rows, options])
  if (!exports.has(key)) {
    const file = fresh('export.csv')
    writeExport(file, rows, options)
    exports.set(key, file)
  }
  return exports.get(key)
}

/** Runs a process to its end: seconds, and the most memory it held (Linux; the last look before it ends). */
async function timed(args, { ok = [0] } = {}) {
  const began = performance.now()
  const child = spawn(process.execPath, args, { env, cwd: scratch, stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (piece) => (errors += piece))
  let peakKb = 0
  const look = setInterval(() => (peakKb = Math.max(peakKb, peakOf(child.pid))), 20)
  const [code, signal] = await once(child, 'exit')
  clearInterval(look)
  if (!ok.includes(code)) throw new Error(`${args.join(' ')} ended with ${code ?? signal}: ${errors}`)
  return { seconds: (performance.now() - began) / 1000, megabytes: peakKb / 1000 }
}

function peakOf(pid) {
  try {
    return Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

const program = (name, args, options) => {
  const profile =
    values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(values.profile, name)}`]
  return timed([...profile, PROGRAM, ...args], options)
}

async function withStub(delayMs, use) {
  const stub = fork(here('stub-service.js'), [String(delayMs)], { env })
  try {
    const [{ port }] = await once(stub, 'message')
    const report = async () => {
      stub.send('report')
      return (await once(stub, 'message'))[0]
    }
    return await use(`http://127.0.0.1:${port}`, report)
  } finally {
    stub.kill('SIGKILL')
  }
}

/** Rows per second at the service, the program against the bare loop. */
const sending = (name, { rows, delayMs, concurrency }) => ({
  name,
  unit: 'rows/s',
  better: 'more',
  round: () =>
    withStub(delayMs, async (url, report) => {
      const file = exportOf(size(rows))
      const told = async () => {
        const { count, seconds } = await report()
        if (count !== size(rows)) throw new Error(`${count} requests came instead of ${size(rows)}`)
        return count / seconds
      }
      await timed([here('bare-post.js'), file, url, String(concurrency)])
      const bare = await told()
      const args = ['run', file, '--ledger', fresh('run.db'), '--base-url', url, '--no-report', '--quiet']
      const { megabytes } = await program(name, [...args, '--concurrency', String(concurrency)])
      return { ours: await told(), bare, megabytes }
    }),
})

/** Rows per second of a command over a file, against csv-parse over the same file. */
const reading = (name, rows, argsOf, prepare = async () => undefined) => ({
  name,
  unit: 'rows/s',
  better: 'more',
  round: async () => {
    const file = exportOf(size(rows))
    const prepared = await prepare(file)
    const bare = await timed([here('bare-parse.js'), file])
    const ours = await program(name, argsOf(file, prepared), { ok: [0, 5] })
    return {
      ours: size(rows) / ours.seconds,
      bare: size(rows) / bare.seconds,
      megabytes: ours.megabytes,
    }
  },
})

/** A ledger whose rows are all registered, made once. */
let finished = null
const finishedLedger = (file) =>
  (finished ??= withStub(0, async (url) => {
    const ledger = fresh('finished.db')
    await timed([
      PROGRAM,
      'run',
      file,
      '--ledger',
      ledger,
      '--base-url',
      url,
      '--no-report',
      '--concurrency',
      '64',
    ])
    return { ledger, url }
  }))

const rounded = (value) => Number(value.toPrecision(4))
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN

const FIGURES = [
  sending('send-0ms-32', { rows: 20_000, delayMs: 0, concurrency: 32 }),
  sending('send-0ms-128', { rows: 20_000, delayMs: 0, concurrency: 128 }),
  sending('send-20ms-32', { rows: 20_000, delayMs: 20, concurrency: 32 }),
  reading('check', 400_000, (file) => ['check', file, '--quiet']),
  ...[10_000, 100_000, 1_000_000, ...(values.large ? [5_000_000] : [])].map((rows) =>
    reading(`size-check-${rows}`, rows, (file) => ['check', file, '--quiet']),
  ),
  {
    name: 'repeat-check',
    unit: 's',
    better: 'less',
    // Every row repeats another, against a clean file of as many rows.
    round: async () => {
      const rows = size(200_000)
      const bare = await program('repeat-check', ['check', exportOf(rows), '--quiet'])
      const ours = await program('repeat-check', ['check', exportOf(rows, { repeat: true }), '--quiet'])
      return { ours: ours.seconds, bare: bare.seconds, megabytes: ours.megabytes }
    },
  },
  {
    name: 'admit',
    unit: 'rows/s',
    better: 'more',
    round: () =>
      withStub(0, async (url) => {
        const rows = 200_000
        const file = exportOf(size(rows))
        const bare = await timed([here('bare-parse.js'), file])
        const args = ['run', file, '--ledger', fresh('admit.db'), '--base-url', url, '--no-report', '--quiet']
        const ours = await program('admit', [...args, '--limit', '1'], { ok: [5] })
        return {
          ours: size(rows) / ours.seconds,
          bare: size(rows) / bare.seconds,
          megabytes: ours.megabytes,
        }
      }),
  },
  {
    name: 'run-again',
    unit: 's',
    better: 'less',
    round: async () => {
      const file = exportOf(size(300_000))
      const { ledger, url } = await finishedLedger(file)
      const hash = `require('node:fs').createReadStream(${JSON.stringify(file)}).pipe(require('node:crypto').createHash('sha256')).on('finish', () => 0)`
      const bare = (await timed(['-e', hash])).seconds + (await timed([PROGRAM, '--version'])).seconds
      const args = ['run', file, '--ledger', ledger, '--base-url', url, '--no-report', '--quiet']
      const { seconds, megabytes } = await program('run-again', args)
      return { ours: seconds, bare, megabytes }
    },
  },
  reading(
    'report',
    300_000,
    (_, { ledger }) => ['report', '--ledger', ledger, '--out', fresh('pack'), '--quiet'],
    finishedLedger,
  ),
  {
    name: 'version',
    unit: 'ms',
    better: 'less',
    round: async () => {
      const bare = await timed(['-e', '0'])
      const { seconds, megabytes } = await program('version', ['--version'])
      return { ours: seconds * 1000, bare: bare.seconds * 1000, megabytes }
    },
  },
]

const wanted = FIGURES.filter(({ name }) =>
  values.only === '' ? true : values.only.split(',').some((start) => name.startsWith(start)),
)
const seen = new Map(wanted.map(({ name }) => [name, []]))
for (let round = 1; round <= rounds; round += 1)
  for (const { name, round: play } of wanted) {
    seen.get(name).push(await play())
    process.stderr.write(`round ${round} of ${rounds}: ${name}\n`)
  }

const table = wanted.map(({ name, unit, better }) => {
  const all = seen.get(name)
  const ratios = all.map(({ ours, bare }) => ours / bare)
  return {
    figure: name,
    unit,
    better,
    median: rounded(median(all.map(({ ours }) => ours))),
    bare: rounded(median(all.map(({ bare }) => bare))),
    ratio: rounded(median(ratios)),
    lowest: rounded(Math.min(...ratios)),
    highest: rounded(Math.max(...ratios)),
    megabytes: Math.round(median(all.map(({ megabytes }) => megabytes))),
  }
})
const machine = `${availableParallelism()} of ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`
console.log(`${machine}, ${rounds} rounds, scale ${values.scale}`)
console.table(table)
if (values.json !== undefined)
  writeFileSync(
    values.json,
    `${JSON.stringify({ machine, rounds, scale: Number(values.scale), table }, null, 2)}\n`,
  )
