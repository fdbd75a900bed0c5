import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Machine } from '../../src/machine.js'
import { PACK_NAMES, TO_DO_NAMES } from '../../src/report/pack/pack.js'
import { worldOf } from '../cli/world.js'

/** The built program, as a user starts it. `npm test` builds it first. */
export const PROGRAM = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
export const SAMPLES = fileURLToPath(new URL('../../samples/', import.meta.url))

/** Where a file of a report is, from the folder of the ledger; any other name as it is. */
export const inReport = (name: string): string => {
  const list = TO_DO_NAMES.find((other) => basename(other) === name)
  const isOfPack = list !== undefined || PACK_NAMES.some((other) => other === name)
  return isOfPack ? join('sepa-migrate-report', list ?? name) : name
}

type Built = readonly [typeof import('../../src/cli/main.js'), typeof import('../../src/machine.js')]
const built = (name: string): string => new URL(`../../dist/${name}.js`, import.meta.url).href
const BUILT = Promise.all(
  ['cli/main', 'machine'].map((name) => import(built(name))),
) as unknown as Promise<Built>

export const CREDENTIALS = { SEPA_MIGRATE_USERNAME: 'sandbox', SEPA_MIGRATE_PASSWORD: 'sandbox' }

export interface Ended {
  readonly status: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Started {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
}

export interface StartOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Buffer
  /** Another user of the system, which root alone can act as. */
  readonly uid?: number
  /** Called so, which this process can only say of itself. */
  readonly user?: string
  /** Its time, which this process can set forward. */
  readonly time?: Partial<Pick<Machine, 'clock' | 'after'>> | undefined
}

/** The register of the tests: nothing is noted for the user who runs them. */
const STATE = mkdtempSync(join(tmpdir(), 'sepa-migrate-state-'))
process.once('exit', () => rmSync(STATE, { recursive: true, force: true }))

/** Starts the program with nothing of this process's environment but the path. */
export const start = (args: readonly string[], options: StartOptions): Started =>
  startCommand([process.execPath, PROGRAM, ...args], options)

/** Whether this machine cannot give a process mounts of its own: they need root on Linux. */
export const CANNOT_MOUNT = spawnSync('unshare', ['-m', 'true']).status !== 0

/** Runs a line of shell that sees mounts of its own (root on Linux only); `$NODE "$PROGRAM"` is the program. */
export const runShell = (line: string, { env = {}, ...options }: StartOptions): Promise<Ended> =>
  startCommand(['unshare', '-m', '--propagation', 'private', 'sh', '-c', line], {
    ...options,
    env: { ...env, NODE: process.execPath, PROGRAM },
  }).ended

/** Starts any command, with nothing of this process's environment but the path. */
export function startCommand(
  [command = '', ...args]: readonly string[],
  { cwd, env = {}, input, uid }: StartOptions,
): Started {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', TZ: 'Europe/Berlin', XDG_STATE_HOME: STATE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input ?? '')
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => stdout.push(part))
  child.stderr.on('data', (part: Buffer) => stderr.push(part))
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status, signal) =>
      resolve({
        status,
        signal,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    )
  })
  return { child, ended }
}

/** What only a process of its own can have. */
const needsProcess = ({ env = {}, uid }: StartOptions): boolean =>
  uid !== undefined ||
  Object.keys(env).some((name) => name.startsWith('NODE_') && name !== 'NODE_EXTRA_CA_CERTS')

/** The working directory of this process is that of one folder at a time; its mask is the program's meanwhile. */
const own = process.cwd()
let running: {
  readonly cwd: string
  count: number
  readonly allEnded: () => void
  readonly ended: Promise<void>
  readonly mask: number
} | null = null

/**
 * Runs a command line of the built program in this process, where it takes a fifth of what a process of its own takes.
 * What is proven of the process itself (signals, kills, terminals, pipes, other users) uses `start`.
 */
export async function runProgram(args: readonly string[], options: StartOptions): Promise<Ended> {
  if (needsProcess(options)) return start(args, options).ended
  while (running !== null && running.cwd !== options.cwd) await running.ended
  if (running === null) {
    let allEnded = (): void => undefined
    const ended = new Promise<void>((resolve) => (allEnded = resolve))
    running = { cwd: options.cwd, count: 0, allEnded, ended, mask: process.umask(0o077) }
    process.chdir(options.cwd)
  }
  const here = running
  here.count += 1
  try {
    return await runHere(args, options)
  } finally {
    here.count -= 1
    if (here.count === 0) {
      running = null
      process.chdir(own)
      process.umask(here.mask)
      here.allEnded()
    }
  }
}

/** What a shell makes of a command line of the program. */
export async function wordsOf(line: string, options: StartOptions): Promise<string[]> {
  const split = `sepa-migrate() { printf '%s\\0' "$@"; }; ${line}`
  const { status, stdout, stderr } = await startCommand(['bash', '--norc', '-c', split], options).ended
  if (status !== 0) throw new Error(`A shell does not take "${line}": ${stderr}`)
  return stdout.split('\0').slice(0, -1)
}

/** Runs a command line as a user would paste it. */
export const paste = async (line: string, options: StartOptions): Promise<Ended> =>
  runProgram(await wordsOf(line, options), options)

async function runHere(args: readonly string[], { env = {}, input = '', user, time }: StartOptions) {
  const [{ commands, main }, { thisMachine }] = await BUILT
  const stateHome = env['XDG_STATE_HOME'] ?? STATE
  const { printed, ...world } = worldOf({
    env: { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: stateHome, ...env },
    zone: env['TZ'] ?? 'Europe/Berlin',
  })
  const status = await main(args, commands, {
    ...{ ...world, ...thisMachine() },
    ...(user === undefined ? {} : { user }),
    ...time,
    ...{ env: world.env, zone: world.zone, stateFolder: join(stateHome, 'sepa-migrate') },
    stdin: Readable.from([Buffer.from(input)], { objectMode: false }),
    ...{ samples: SAMPLES, schema: join(SAMPLES, 'sepa-migrate.schema.json') },
  })
  return { status, signal: null, ...printed }
}

/** A private folder under a name with a space, as users have them, and how to remove it. */
export function makeFolder(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'sepa migrate '))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
